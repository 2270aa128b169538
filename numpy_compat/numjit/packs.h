// Kernel packs in programs that Emscripten compiles: kernels that `numjit pack build` made ahead (docs/wasm.md). Programs
// of other machines keep their kernels in the cache, or in bundles, and have none of these functions.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace numjit {

/// What load_pack() found.
struct loaded_pack {
  std::string target;    // the build that its kernels are for: "simd", "scalar"
  std::string compiler;  // that made them
  int kernels = 0;       // how many it brought
  int replaced = 0;      // how many of them take the place of kernels in use
};

/// From now on the kernels of this pack compute the graphs they are for, also in functions that run already, with the
/// same bits. OSError: no such file, no pack, cut short, damaged, for another build or version; nothing is changed then.
/// MemoryError.
///
///     auto pack = np::load_pack("kernels.simd.wasm");   // a file of Emscripten's file system
loaded_pack load_pack(const std::string& path);

/// The same of a file's bytes; `name` is for errors.
loaded_pack load_pack(std::span<const char> bytes, const std::string& name = "the pack");

/// The graphs that this program asked kernels for, as the text of a graph file for `numjit pack build`. With `missing`
/// only those that no pack brought.
std::string recording(bool missing = false);

/// A group of operations that fuses, but has no kernel here, so that they run one by one.
struct missing_kernel {
  std::string name, ops;  // ops: their names, separated by spaces
  std::string hint;       // what is lacking
};
std::vector<missing_kernel> missing_kernels();

}  // namespace numjit
