// What kernels are filed under: in memory, on disk and in bundles.
#pragma once

#include <string>

#include <numjit/graph/kernel_spec.h>
#include <numjit/runtime/kernels/compiler.h>

namespace numjit::runtime {

/// Text of all that a kernel computes; its hash is its identity.
std::string kernel_content(const graph::KernelSpec& spec, const KernelVariant& variant);

/// Name of the kernel with that content, and start of its C symbol: "nj_3f2a5b...".
std::string kernel_name(const std::string& content);

/// What the disk cache files an entry under: everything its code depends on. "" if there is no compiler.
std::string disk_key(const std::string& name, const std::string& content, const std::string& target);

/// A target as text that means the same on every machine: "x86-64-v3", "host (sse4.1 avx avx2)".
std::string target_text(const std::string& target);

/// Is this what Device::kernel_target() names? The code for the processor that such kernels have runs on all.
bool is_target_of_device(const std::string& text);

/// Can this processor run code of such a text? False for an unknown one.
bool runs_target(const std::string& text);

}  // namespace numjit::runtime
