// Elementwise kernels: rows of steps of vectors, and what is left of a row one by one.
//
// Integers that fit a narrower type are computed in it (graph/narrow.h); where that takes scalars for small ones,
// both forms stand in the kernel, which chooses one at its start.
#include <optional>

#include <numjit/graph/narrow.h>

#include "reduction.h"

namespace numjit::wasm_gen {

using graph::KernelSpec;
using runtime::KernelVariant;

namespace {

void write_rows_of(Kernel& k, const KernelSpec& spec, std::vector<Buffer>& in, std::vector<Buffer>& out) {
  const std::vector<Value> values = k.lower_all(spec, k.elements(in));
  std::vector<Stored> stores;
  std::vector<Id> roots;
  for (std::size_t i = 0; i < values.size(); ++i) k.add_stores(stores, out[i], values[i]);
  for (const Stored& s : stores) roots.push_back(s.value);
  const int ny = k.code.local(Wasm::i32), count = k.code.local(Wasm::i32);
  k.push_extent(k.output_place(0), 1);
  k.code.set(ny);
  const std::vector<Buffer*> all = pointers(in, out);
  const int y = k.begin_axis(all, 1, ny);
  k.start_walk(all, 1);
  k.push_extent(k.output_place(0), 0);
  k.code.set(count);
  write_loop(k.context(), stores, count, k.lanes_for(roots), -1);
  k.end_axis(all, 1, y);
}

/// Pushes whether the scalars lie where a narrow form wants them.
void push_holds(Kernel& k, const std::vector<graph::ScalarBound>& bounds) {
  k.code.i32(1);
  for (const graph::ScalarBound& bound : bounds) {
    const dtype_id type = k.spec.scalar_types[bound.scalar];
    const Type t = part_type(type);
    const Id scalar = k.scalar(bound.scalar).re;
    const auto limit = [&](std::int64_t v) { return k.dag.constant(t, static_cast<std::uint64_t>(v)); };
    Id holds = k.dag.make(Prim::le, Type::b, scalar, limit(bound.most));
    if (is_signed(t)) holds = k.dag.make(Prim::bit_and, Type::b, holds, k.dag.make(Prim::le, Type::b, limit(bound.least), scalar));
    Pass pass(k.context(), {holds}, 1);
    pass.compute();
    pass.push(holds);
    k.code.raw(op::i32_and);
  }
}

}  // namespace

std::vector<char> write_elementwise(const KernelSpec& spec, const KernelVariant& variant, const Target& target) {
  const std::vector<dtype_id> types = output_types(spec);
  Kernel k(spec, variant, target, 0, types);
  std::vector<Buffer> in, out;
  for (std::size_t i = 0; i < spec.operand_types.size(); ++i) in.push_back(k.operand(static_cast<int>(i), 2));
  for (std::size_t i = 0; i < types.size(); ++i)
    out.push_back(k.buffer(k.output_place(static_cast<int>(i)), types[i], 2, variant.inner_stride[in.size() + i]));
  const auto narrow = target.simd ? graph::narrow_integers(spec) : std::nullopt;
  if (narrow && narrow->bounds.empty()) {
    write_rows_of(k, narrow->spec, in, out);
  } else if (narrow) {
    push_holds(k, narrow->bounds);
    k.code.begin_if();
    write_rows_of(k, narrow->spec, in, out);
    k.code.raw(op::else_);
    k.dag.clear();
    k.sources.clear();
    write_rows_of(k, spec, in, out);
    k.code.end();
  } else {
    write_rows_of(k, spec, in, out);
  }
  return k.code.i32(0).module();
}

}  // namespace numjit::wasm_gen
