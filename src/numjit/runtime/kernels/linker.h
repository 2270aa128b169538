// From object code to what is loaded: a shared object by the system's linker, a module of WebAssembly by wasm-ld.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include <numjit/base/error.h>

namespace numjit::runtime {

/// Path of the system's linker: the first of ld, ld.bfd, ld.gold, ld.lld in PATH.
std::optional<std::string> find_linker();

/// The machine lacks a linker: nothing is wrong with what was to be linked.
class NoLinker : public CompileError {
 public:
  NoLinker() : CompileError("compile", "no linker found (looked for ld, ld.bfd, ld.gold, ld.lld in PATH)") {}
};

/// Packed objects (objects.h) as a shared object. CompileError with the linker's first line, or NoLinker.
std::vector<char> link_kernel(std::span<const char> packed, const std::string& name);

/// What the cache and bundles hold of a kernel: its objects, packed, or a shared object where the loader can't take them, which
/// is said once. CompileError, NoLinker.
std::vector<char> kernel_image(const std::vector<char>& object, const std::string& name, bool for_device = false);

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
