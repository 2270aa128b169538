// The code generator: which one is registered, and the plug-in that brings one.
#pragma once

#include <string>

#include <numjit/runtime/kernels/compiler.h>

namespace numjit::runtime {

/// The registered compiler; at the first call without one the plug-in numjit_halide.so beside
/// libnumjit is opened, which registers itself (it is never unloaded). Null if there is none.
KernelCompiler* kernel_compiler();

/// Identity of the compiler for disk-cache keys, without opening the plug-in: a hash of the file it
/// is in (and of the registered compiler's own identity). "" if there is no compiler.
std::string compiler_identity();

/// Folder of the shared library (or program) that this code is in.
const std::string& library_folder();

/// Where the plug-in is looked for.
std::string plugin_path();

/// Why the plug-in could not be opened, for doctor; "" if it could or was not tried.
std::string plugin_error();

/// What to do about it; "" if nothing helps.
std::string plugin_remedy();

/// Where Halide's library is, for a plug-in that does not find it beside itself or where the loader looks.
void set_halide_folder(const std::string& folder);

/// From now on there is no compiler: in a child forked while one was at work, whose locks nobody
/// opens.
void forbid_compiler(const std::string& reason);

}  // namespace numjit::runtime
