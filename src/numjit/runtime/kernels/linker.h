// From object code to what is loaded: a shared object by the system's linker, a module of WebAssembly by wasm-ld.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace numjit::runtime {

/// Path of the linker kernels are linked with: the first of ld, ld.bfd, ld.gold, ld.lld in PATH.
std::optional<std::string> find_linker();

/// Links `object` and numjit_kernel_rt.o (where it lies beside the library) to a shared object; kernels for a
/// device also with numjit_kernel_device_rt.o, those that call its functions with numjit_kernel_math_rt.o. Throws CompileError
/// with the linker's first line.
std::vector<char> link_kernel(const std::vector<char>& object, const std::string& name, bool for_device = false);

/// Path of the linker for WebAssembly: wasm-ld, else the newest wasm-ld-N in PATH.
std::optional<std::string> find_wasm_linker();

/// Object code for WebAssembly, and the symbol in it that is called.
struct WasmObject {
  std::string entry;
  std::vector<char> code;
};
/// Links objects to one module that imports memory, table, their bases, the stack pointer, and what the objects
/// lack, from `env`, and exports the entries. CompileError.
std::vector<char> link_wasm(const std::vector<WasmObject>& objects);

}  // namespace numjit::runtime
