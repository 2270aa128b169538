// Running sums and products for a GPU, a segment of docs/numerics.md at a time.
//
//   for v, u, for t in blocks of 16:     gpu blocks
//     tile[i, t] = x(i, t)               in memory that the block shares; 32 threads along i (panels: along t)
//     for i from 1 on:
//       tile[i, t] = tile[i-1, t] (+) tile[i, t]     a thread for each t
//     out(i, t) = tile[i, t]             or: before(t) (+) tile[i, t]; scan_totals: only the last one, at i = 0
//
// t are segments of one row, or rows, as the launch likes; elements of a segment lie along i. With scan_seeded the
// first element of a segment is joined with before(t) and scanned on from there, which is how the totals of segments
// are scanned one after the other. Segments have 128 elements at most, with scan_long 1024.
#include <gpu_exact.h>
#include <gpu_steps.h>
#include <numjit/runtime/kernels/device_abi.h>

namespace numjit::halide_gen {
namespace {

using Halide::Expr;
using Halide::Func;

Value read(Func from, const std::vector<Expr>& at, dtype_id type) {
  if (!is_complex(type)) return Expr(from(at));
  const Halide::FuncRef element = from(at);
  return {element[0], element[1]};
}

Halide::Tuple tuple_of(const Value& value) {
  std::vector<Expr> parts;
  value.append_to(parts);
  return Halide::Tuple(parts);
}

}  // namespace

KernelPipeline build_gpu_scan(const graph::KernelSpec& spec, const runtime::KernelVariant& variant,
                              const Halide::Target& target) {
  const std::uint32_t form = variant.size_class;
  const bool panel = (form & runtime::scan_panel) != 0, is_long = (form & runtime::scan_long) != 0;
  const int length = static_cast<int>(is_long ? runtime::scan_long_segment : runtime::scan_segment);
  const int width = is_long ? 2 : 16;
  KernelInputs inputs(spec, variant, 4);
  const Expr m = inputs.parameter("m"), count = inputs.parameter("count");
  std::size_t joining = 0;
  while (spec.nodes[joining].kind != graph::KernelNodeKind::op) ++joining;
  const graph::KernelNode& node = spec.nodes[joining];
  const dtype_id type = node.type;
  const apply_function apply = find_apply(node.op, node.loop);
  auto join = [&](const Value& a, const Value& b) {
    const Value in[2] = {a, b};
    return apply(in);
  };

  Halide::Var i("nj_i"), t("nj_t"), u("nj_u"), v("nj_v");
  const Expr column = Halide::min(t, count - 1);
  const auto element_at = [&](const Expr& along) {
    Leaves leaves;
    leaves.operand = [&](int k) { return inputs.load(k, {Halide::min(along, m - 1), column, u, v}); };
    return lower(spec, node.in[1], leaves);
  };
  Value element = element_at(i);
  if (form & runtime::scan_seeded) element = select(i == 0, join(inputs.load(1, {0, column, u, v}), element), element);
  Func tile("nj_tile");
  tile(i, t, u, v) = tuple_of(element);
  Halide::RDom r(1, length - 1, "nj_r");
  r.where(r < m);
  // Halide stores the real part before it computes the imaginary one, which in products needs the old real part: their
  // elements are read again from where they come from.
  const bool entangled = is_complex(type) && node.op == op_id::multiply;
  const Value next = entangled ? element_at(r) : read(tile, {r, t, u, v}, type);
  tile(r, t, u, v) = tuple_of(join(read(tile, {r - 1, t, u, v}, type), next));

  Func out("nj_out");
  const Expr place = form & runtime::scan_totals ? Halide::clamp(m - 1, 0, length - 1) : Expr(i);
  Value result = read(tile, {place, t, u, v}, type);
  if (spec.operand_types.size() == 2 && !(form & runtime::scan_seeded)) result = join(inputs.load(1, {0, t, u, v}), result);
  const dtype_id stored = spec.nodes[spec.outputs[0]].type;
  out(i, t, u, v) = tuple_of(to_storage(stored, cast_value(type, stored, result)));

  Halide::Var io("nj_io"), ii("nj_ii"), to("nj_to"), ti("nj_ti");
  constexpr auto guard = Halide::TailStrategy::GuardWithIf;
  out.split(t, to, ti, width, guard);
  tile.compute_at(out, to).bound_extent(i, length).bound_extent(t, width);
  if (panel) {
    out.reorder(i, ti, to, u, v).gpu_threads(ti);
    tile.reorder(i, t).gpu_threads(t);
  } else {
    out.split(i, io, ii, 32, guard).reorder(io, ti, ii, to, u, v).gpu_threads(ii);
    tile.split(i, io, ii, 32).reorder(io, t, ii).gpu_threads(ii);
  }
  tile.update().reorder(r, t).gpu_threads(t);
  out.gpu_blocks(to, u, v);
  KernelPipeline kernel = finish_kernel(out, inputs, output_types(spec), 4, true);
  add_gpu_pass(kernel.pipeline, target);
  return kernel;
}

}  // namespace numjit::halide_gen
