// Kernels that read their inputs, or values computed from them, at several points around each point: what they compute
// once for a tile of points and keep where all threads of a block see it.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include <numjit/graph/kernel_spec.h>

namespace numjit::graph {

/// Steps along x, y and z, the axes of a kernel for devices; x is the inner one.
using Shift = std::array<int, 3>;

/// Where a `shifted` node looks: steps from 0 to most_shift, kept in its index.
inline constexpr int most_shift = 31;
Shift shift_of(const KernelNode& node);

/// How many values an op or a cast is computed from; 0 of other nodes.
int inputs_of(const KernelNode& node);

/// What a caller knows of an operand.
struct StencilOperand {
  int array = 0;               // equal for operands that are one array, read at different places
  Shift at = {0, 0, 0};        // the place
  std::uint8_t still = 0;      // bit per axis along which it does not vary
};

/// A stencil: the same values by a spec with `shifted` nodes, which has one operand for each array. Nodes that
/// `shifted` nodes read are *tiles*. Of a tile, points from 0 to its halo beyond the kernel's are needed.
struct Stencil {
  struct Operand {
    int from = 0;              // an operand of the first spec
    Shift moved = {0, 0, 0};   // where this one begins, from where that one does
    Shift halo = {0, 0, 0};    // points beyond the kernel's, read for tiles
  };
  KernelSpec spec;
  std::vector<Operand> operands;
};

/// What tiles have to spare: an expression computed again at each point, or also (`a_kernel`) an array that the kernel
/// before would store. Reading neighbours alone is what caches are for: an H100 does a stencil of 5 or 9 points 1.6 times
/// as fast without tiles, and one of 25 about as fast.
enum class TilesSpare : bool { expressions, a_kernel };

/// The stencil of an elementwise spec, if there is one worth it: an array, or an expression, that is read at several
/// points along y or z. Expressions that are the same up to a shift become one tile if computing them again costs more
/// than keeping them.
std::optional<Stencil> find_stencil(const KernelSpec& spec, const std::vector<StencilOperand>& operands, TilesSpare spare);

/// Per node: how far beyond the kernel's points it is needed, if it is a tile.
std::vector<std::optional<Shift>> tile_halos(const KernelSpec& spec);

/// Points of a block along y and z (along x: stencil_tile_x), so that its tiles have room in the memory that the threads
/// of a block share; `bytes` of it are taken. Nothing if no block is small enough.
struct StencilTile {
  int y = 0, z = 0;
  std::int64_t bytes = 0;
};
inline constexpr int stencil_tile_x = 32;
inline constexpr std::int64_t most_shared_bytes = 48 << 10;  // of a block: what every GPU has
std::optional<StencilTile> choose_tile(const KernelSpec& spec);

}  // namespace numjit::graph
