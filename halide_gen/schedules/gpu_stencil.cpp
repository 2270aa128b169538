// Elementwise kernels that read arrays, or values computed from them, at several points around each point
// (numjit/graph/stencil.h): what is read so is a tile, computed once for a block, with its halo, in memory that the
// threads of the block share.
//
//   for z, y, x in blocks of 32 (x) by 32 (y), or less where tiles are many or deep:      gpu blocks
//     for each tile, inputs first:                                                        32 by 4 gpu threads
//       tile(x, y, z) = in(x, y, z), or f(tile0(x + 1, y, z), ...)      over the block and its halo; barrier
//     out(x, y, z) = f(tile0(x, y + 1, z), tile1(x, y, z), ...)                           the same threads
//
// A block at the end of a row computes whole tiles: where an array ends they repeat its last element, which no point of
// the result sees.
#include <algorithm>
#include <map>

#include <gpu_exact.h>
#include <gpu_tiles.h>
#include <numjit/base/error.h>
#include <numjit/graph/stencil.h>
#include <numjit/runtime/kernels/abi.h>

namespace numjit::halide_gen {
namespace {

using graph::KernelNode;
using graph::Shift;
using Halide::Expr;
using Halide::Func;
using Halide::Var;

constexpr int rows_of_threads = 4;
constexpr auto guard = Halide::TailStrategy::GuardWithIf;

struct Tiles {
  KernelInputs& inputs;
  std::vector<Expr> length;               // of the kernel's axes
  Var x{"nj_x"}, y{"nj_y"}, z{"nj_z"};
  std::map<int, Func> made;               // by node

  // Of a tile's values, or (without a halo) of the results.
  Leaves leaves(const Shift* halo) {
    std::vector<Expr> point{x, y, z};
    if (halo)
      for (std::size_t k = 0; k < point.size(); ++k) point[k] = Halide::clamp(point[k], 0, length[k] + ((*halo)[k] - 1));
    Leaves leaves = inputs.leaves_at(point);
    leaves.reduced = [this](int node) { return at(inputs.spec.nodes[static_cast<std::size_t>(node)]); };
    return leaves;
  }

  Value at(const KernelNode& node) {
    const Shift shift = graph::shift_of(node);
    const Func& tile = made.at(node.in[0]);
    const auto read = tile(x + shift[0], y + shift[1], z + shift[2]);
    return from_storage(node.type, is_complex(node.type) ? Value(read[0], read[1]) : Value(Expr(read)));
  }

  void add(int node, const Shift& halo) {
    const auto index = static_cast<std::uint16_t>(node);
    std::vector<Expr> parts;
    to_storage(inputs.spec.nodes[index].type, lower(inputs.spec, index, leaves(&halo))).append_to(parts);
    Func tile("nj_tile" + std::to_string(made.size()));
    tile(x, y, z) = Halide::Tuple(parts);
    made.emplace(node, tile);
  }

  void schedule(Func tile, const Shift& halo, const graph::StencilTile& block, const Func& out, const Var& at) const {
    Var xo("nj_txo"), xi("nj_txi"), yo("nj_tyo"), yi("nj_tyi");
    tile.compute_at(out, at).store_in(Halide::MemoryType::GPUShared);
    tile.bound_extent(x, graph::stencil_tile_x + halo[0]).bound_extent(y, block.y + halo[1]).bound_extent(z, block.z + halo[2]);
    tile.split(x, xo, xi, graph::stencil_tile_x, guard).split(y, yo, yi, rows_of_threads, guard);
    tile.reorder(xo, yo, z, xi, yi).gpu_threads(xi, yi);
  }
};

}  // namespace

KernelPipeline build_gpu_stencil(const graph::KernelSpec& spec, const runtime::KernelVariant& variant,
                                 const Halide::Target& target) {
  KernelInputs inputs(spec, variant, 3);
  Tiles tiles{.inputs = inputs, .length = {}, .made = {}};
  for (const char* name : {"length_x", "length_y", "length_z"}) tiles.length.push_back(inputs.parameter(name));
  const auto block = graph::choose_tile(spec);
  if (!block) throw CompileError("compile", "the tiles of a stencil have no room in shared memory");
  const auto halos = graph::tile_halos(spec);
  for (std::size_t i = 0; i < halos.size(); ++i)
    if (halos[i]) tiles.add(static_cast<int>(i), *halos[i]);
  Func out("nj_out");
  out(tiles.x, tiles.y, tiles.z) = Halide::Tuple(lower_outputs(spec, tiles.leaves(nullptr)));
  Var xi("nj_xi"), yi("nj_yi"), yt("nj_yt"), zi("nj_zi");
  out.split(tiles.x, tiles.x, xi, graph::stencil_tile_x, guard)
      .split(tiles.y, tiles.y, yi, block->y, guard)
      .split(yi, yi, yt, rows_of_threads, guard)
      .split(tiles.z, tiles.z, zi, block->z, guard)
      .reorder(yi, zi, xi, yt, tiles.x, tiles.y, tiles.z)
      .gpu_threads(xi, yt)
      .gpu_blocks(tiles.x, tiles.y, tiles.z);
  for (const auto& [node, tile] : tiles.made) tiles.schedule(tile, *halos[static_cast<std::size_t>(node)], *block, out, tiles.x);
  KernelPipeline kernel = finish_kernel(out, inputs, output_types(spec), 3);
  add_gpu_pass(kernel.pipeline, target);
  return kernel;
}

}  // namespace numjit::halide_gen
