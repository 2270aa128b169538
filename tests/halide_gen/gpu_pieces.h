// The op matrix in pieces that are one kernel each, for tests of code for GPUs.
#pragma once

#include <string>
#include <vector>

#include <lower_ops.h>
#include <numjit/graph/kernel_spec.h>
#include <numjit/ops/op.h>

namespace numjit::testing {

/// One row of the op table on loops [first, end): a kernel of as many results.
struct GpuPiece {
  op_id op;
  std::size_t first, end;
};

/// Rows and loops whose types are one number in memory; float16 and complex take several steps.
inline std::vector<GpuPiece> gpu_pieces() {
  std::vector<GpuPiece> list;
  for (int i = 0; i < op_count; ++i) {
    const auto op = static_cast<op_id>(i);
    const op_info& row = info(op);
    if (row.kind != op_kind::ufunc) continue;
    auto plain = [&](std::size_t l) {
      const int loop = static_cast<int>(l);
      bool all = halide_gen::find_apply(op, loop) || halide_gen::find_apply_of_loop(op, loop);
      for (int k = 0; k <= row.arity; ++k) {
        const dtype type(k < row.arity ? row.loops[l].in[k] : row.loops[l].out);
        all = all && type.kind() != 'c' && type != float16;
      }
      return all;
    };
    for (std::size_t l = 0; l < row.loops.size();) {
      std::size_t end = l;
      while (end < row.loops.size() && end - l < 8 && plain(end)) ++end;
      if (end > l) list.push_back({op, l, end});
      l = end > l ? end : l + 1;
    }
  }
  return list;
}

/// The kernel of a piece: each loop's operands, then its result.
inline graph::KernelSpec spec_of(const GpuPiece& piece) {
  using graph::KernelNode;
  using graph::KernelNodeKind;
  const op_info& row = info(piece.op);
  graph::KernelSpec spec;
  for (std::size_t l = piece.first; l < piece.end; ++l) {
    KernelNode op{KernelNodeKind::op, piece.op, static_cast<std::uint8_t>(l), row.loops[l].out, 0, {}};
    for (int k = 0; k < row.arity; ++k) {
      const dtype_id type = row.loops[l].in[k];
      spec.nodes.push_back({KernelNodeKind::operand, {}, 0, type, static_cast<std::uint16_t>(spec.operand_types.size()), {}});
      op.in[k] = static_cast<std::uint16_t>(spec.nodes.size() - 1);
      spec.operand_types.push_back(type);
    }
    spec.outputs.push_back(static_cast<std::uint16_t>(spec.nodes.size()));
    spec.nodes.push_back(op);
  }
  return spec;
}

/// A reduction on one of its loops, as the first level of a kernel.
struct GpuReduction {
  op_id op;
  int loop;
};
inline std::vector<GpuReduction> gpu_reductions() {
  std::vector<GpuReduction> list;
  for (int i = 0; i < op_count; ++i) {
    const auto op = static_cast<op_id>(i);
    const op_info& row = info(op);
    if (row.kind != op_kind::reduction && row.kind != op_kind::argreduction) continue;
    for (int l = 0; l < static_cast<int>(row.loops.size()); ++l) {
      const dtype type(row.loops[static_cast<std::size_t>(l)].in[0]);
      if (type.kind() != 'c' && type != float16 && halide_gen::find_apply(op, l)) list.push_back({op, l});
    }
  }
  return list;
}
inline graph::KernelSpec spec_of(const GpuReduction& r) {
  using graph::KernelNodeKind;
  const op_info& row = info(r.op);
  const op_loop types = row.loops[static_cast<std::size_t>(r.loop)];
  // Sums of narrow integers are cast to the accumulator's dtype before they are added.
  const bool cast = row.kind == op_kind::reduction && types.in[0] != types.out && r.op != op_id::any && r.op != op_id::all;
  graph::KernelSpec spec;
  spec.operand_types = {types.in[0]};
  spec.nodes = {{KernelNodeKind::operand, {}, 0, types.in[0], 0, {}}};
  if (cast) spec.nodes.push_back({KernelNodeKind::cast, {}, 0, types.out, 0, {0, 0, 0}});
  const auto input = static_cast<std::uint16_t>(spec.nodes.size() - 1);
  spec.nodes.push_back({KernelNodeKind::reduce, r.op, static_cast<std::uint8_t>(r.loop), types.out, 0, {input, 0, 0}});
  spec.outputs = {static_cast<std::uint16_t>(input + 1)};
  spec.reduction_levels = 1;
  return spec;
}

}  // namespace numjit::testing
