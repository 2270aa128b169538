// Kernel packs: graphs compiled ahead by Halide for WebAssembly, in one file that a page loads beside its module.
//
// A pack is a module of WebAssembly (linker.h) whose last section is a custom one named "numjit.pack": 32 digits of the
// checksum of the whole file with zeros in their place, then JSON:
//
//   {"format": 1, "abi": 1, "bits": 2, "target": "simd", "compiler": "halide-21.0.0", "graphs": ["schedule ...", ...]}
//
// Graph i, in the form of kernels/list.h, is what the exported function "<kernel_name>_argv" computes. A page takes a pack
// only if format, abi (how kernels are called), bits (docs/numerics.md) and target are its own: wasm/js/pack.js.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <numjit/runtime/kernels/portable.h>

namespace numjit::runtime {

inline constexpr int pack_format = 1;
inline constexpr std::string_view pack_section = "numjit.pack";
inline constexpr std::size_t pack_checksum_digits = 32;

/// Halide's name for one of the builds of the WebAssembly module, "simd" or "scalar". ValueError for another.
const std::string& wasm_target(std::string_view build);

/// Object code of a kernel for a build: from the disk cache, or compiled now. CompileError.
std::vector<char> wasm_object(const KernelRequest& request, std::string_view build);

/// A graph and its code.
struct PackedKernel {
  std::string content;
  std::vector<char> object;
};

/// The pack of these kernels; the order makes no difference. CompileError without a linker, ValueError if there are none.
std::vector<char> link_pack(std::span<const PackedKernel> kernels, std::string_view build);

/// What a pack says of itself.
struct PackDescription {
  std::string target, compiler;
  int bits = 0, abi = 0;
  std::vector<std::string> graphs;  // contents, in the pack's order
};

/// Reads and checks one. OSError, with `path` in front: no pack, cut short, damaged, of a newer format. Neither counts
/// nor sizes in it are trusted.
PackDescription read_pack(std::span<const char> bytes, const std::string& path);

/// Memory (bytes, aligned to a power of two, given as its exponent) and places in the function table that a
/// pack's code wants, of its section dylink.0; nothing if it has none.
struct PackNeeds {
  std::size_t memory = 0, align = 0, table = 0;
};
PackNeeds needs_of_pack(std::span<const char> bytes);

}  // namespace numjit::runtime
