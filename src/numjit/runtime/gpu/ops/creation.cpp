// Arrays made from nothing but their elements' numbers, on devices: ranges and unit matrices, with the host's bits.
#include <algorithm>
#include <array>

#include <numjit/array/dtype.h>
#include <numjit/ops/number_sum.h>
#include <numjit/runtime/gpu/ops/ops.h>
#include <numjit/runtime/plan/number_scalar.h>

namespace numjit::runtime::detail {

using graph::KernelNodeKind;
using graph::KernelSpec;

NumbersBody::NumbersBody(dtype_id type) { operand(type); }

std::uint16_t NumbersBody::operand(dtype_id type) {
  spec.operand_types.push_back(type);
  return add({KernelNodeKind::operand, {}, 0, type, static_cast<std::uint16_t>(spec.operand_types.size() - 1), {}});
}
std::uint16_t NumbersBody::real(dtype_id type, double value) { return scalar(type, {weak_kind::float_, false, 0, value, 0}); }
std::uint16_t NumbersBody::word(dtype_id type, std::uint64_t value) {
  return scalar(type, {weak_kind::int_, true, static_cast<std::int64_t>(value), 0, 0});
}

std::uint16_t NumbersBody::add(const graph::KernelNode& node) {
  spec.nodes.push_back(node);
  return static_cast<std::uint16_t>(spec.nodes.size() - 1);
}
std::uint16_t NumbersBody::scalar(dtype_id type, const ScalarValue& value) {
  values.emplace_back();
  write_scalar(value, type, values.back().data());
  spec.scalar_types.push_back(type);
  return add({KernelNodeKind::scalar, {}, 0, type, static_cast<std::uint16_t>(values.size() - 1), {}});
}
std::vector<const void*> NumbersBody::scalars() const {
  std::vector<const void*> list;
  for (const auto& value : values) list.push_back(value.data());
  return list;
}
std::uint16_t NumbersBody::cast(std::uint16_t x, dtype_id type) {
  return spec.nodes[x].type == type ? x : add({KernelNodeKind::cast, {}, 0, type, 0, {x, 0, 0}});
}
std::uint16_t NumbersBody::op(op_id id, std::array<std::uint16_t, 3> in) {
  const auto loops = info(id).loops;
  const dtype_id type = spec.nodes[in[id == op_id::where ? 1 : 0]].type;
  std::size_t l = 0;
  while (loops[l].in[id == op_id::where ? 1 : 0] != type) ++l;
  return add({KernelNodeKind::op, id, static_cast<std::uint8_t>(l), loops[l].out, 0, {in[0], in[1], in[2]}});
}

NumbersBody range_body(dtype_id type, const layout::number& start, const layout::number& second, int part) {
  NumbersBody body;
  const std::uint16_t j = 0;
  std::uint16_t value = 0;
  visit_dtype(type, [&]<class T>() {
    T a, b;
    write_scalar(scalar_of(start), type, &a);
    write_scalar(scalar_of(second), type, &b);
    auto line = [&](auto first, auto next, dtype_id in) {
      // The first two are what they are: the line need not meet them.
      const auto delta = next - first;
      const std::uint16_t from = body.real(in, first);
      const std::uint16_t at = body.op(op_id::multiply, {body.cast(j, in), body.real(in, delta)});
      const std::uint16_t on_line = body.op(op_id::add, {from, at});
      const std::uint16_t is_first = body.op(op_id::equal, {j, body.word(dtype_id::int64, 0)});
      const std::uint16_t given = body.op(op_id::where, {is_first, from, body.real(in, next)});
      const std::uint16_t is_given = body.op(op_id::less, {j, body.word(dtype_id::int64, 2)});
      value = body.op(op_id::where, {is_given, given, on_line});
    };
    if constexpr (std::is_same_v<T, half>) {
      line(static_cast<float>(a), static_cast<float>(b), dtype_id::float32);
    } else if constexpr (std::is_same_v<T, complex<float>>) {
      line(part ? a.im : a.re, part ? b.im : b.re, dtype_id::float32);
    } else if constexpr (std::is_same_v<T, complex<double>>) {
      line(part ? a.im : a.re, part ? b.im : b.re, dtype_id::float64);
    } else if constexpr (std::is_integral_v<T>) {
      const auto first = static_cast<std::uint64_t>(a);
      const std::uint16_t step = body.word(dtype_id::uint64, static_cast<std::uint64_t>(b) - first);
      const std::uint16_t at = body.op(op_id::multiply, {body.cast(j, dtype_id::uint64), step});
      value = body.op(op_id::add, {body.word(dtype_id::uint64, first), at});
    } else {
      line(a, b, type);
    }
  });
  body.spec.outputs = {body.cast(value, part_type(type))};
  return body;
}

NumbersBody linspace_body(dtype_id type, const layout::linspace_values& v, std::int64_t n, int part) {
  NumbersBody body;
  constexpr dtype_id f = dtype_id::float64;
  const std::int64_t div = v.endpoint ? v.num - 1 : v.num;
  auto of_part = [&](const layout::number& x, int p) { return p ? x.imag : x.as_double(); };
  auto delta_of = [&](int p) { return of_part(v.stop, p) - of_part(v.start, p); };
  auto step_of = [&](int p) { return div > 0 ? delta_of(p) / static_cast<double>(div) : 0; };
  const bool zero_step = step_of(0) == 0 && (dtype(type).kind() != 'c' || step_of(1) == 0);
  auto scalar = [&](double x) { return body.real(f, x); };
  std::uint16_t value = body.cast(0, f);
  if (div <= 0)
    value = body.op(op_id::multiply, {value, scalar(delta_of(part))});
  else if (zero_step)
    value = body.op(op_id::multiply, {body.op(op_id::divide, {value, scalar(static_cast<double>(div))}), scalar(delta_of(part))});
  else
    value = body.op(op_id::multiply, {value, scalar(step_of(part))});
  value = body.op(op_id::add, {value, scalar(of_part(v.start, part))});
  if (v.endpoint && n > 1) {
    const std::uint16_t last = body.word(dtype_id::int64, static_cast<std::uint64_t>(n - 1));
    value = body.op(op_id::where, {body.op(op_id::equal, {0, last}), scalar(of_part(v.stop, part)), value});
  }
  const char kind = dtype(type).kind();
  if (kind == 'i' || kind == 'u') value = body.op(op_id::floor, {value});
  body.spec.outputs = {body.cast(value, part_type(type))};
  return body;
}

dtype_id part_type(dtype_id type) {
  return type == dtype_id::complex64 ? dtype_id::float32 : type == dtype_id::complex128 ? dtype_id::float64 : type;
}

bool fill_numbers(const NumbersBody& body, devices::address to, std::int64_t step, std::int64_t n, const DeviceOpCall& call) {
  KernelVariant variant;
  variant.schedule = "gpu_numbers";
  variant.target = call.target;
  variant.inner_stride = {1, 1};
  const kernel_entry entry = call.kernels.find(body.spec, variant, nullptr);
  if (!entry) return false;
  CallBlock block;
  block.init(body.spec.operand_types, body.spec.scalar_types, 0, output_types(body.spec), 1, 1);
  block.set_scalars(body.spec, body.scalars().data());
  block.in(0).device = to;  // not read
  block.out(0).device = to;
  CallBlock::set_stride(block.out(0), 0, step);
  block.out(0).dim[0].extent = static_cast<std::int32_t>(n);
  call.context.call(entry, block.argv());
  return true;
}

namespace {

/// The result by parts: `body(part)` makes each.
template <class Body>
bool fill_result(const DeviceOpCall& call, const Body& body) {
  const node* result = call.result;
  if (result->size == 0) return true;
  if (!result->is(node::c_contiguous) || result->size > INT32_MAX / 4) return false;
  const int parts = dtype(result->type).kind() == 'c' ? 2 : 1;
  const devices::address to = call.context.place(result->data, true);
  for (int part = 0; part < parts; ++part) {
    const auto offset = static_cast<devices::address>(part * size_of(part_type(result->type)));
    if (!fill_numbers(body(part), to + offset, parts, result->size, call)) return false;
  }
  return true;
}

}  // namespace

bool run_arange_on(const DeviceOpCall& call) {
  const layout::arange_values v = layout::arange_of(call.params);
  const layout::number second = layout::sum_of(v.start, v.step);
  return fill_result(call, [&](int part) { return range_body(call.result->type, v.start, second, part); });
}

bool run_linspace_on(const DeviceOpCall& call) {
  const layout::linspace_values v = layout::linspace_of(call.params);
  const bool is_complex = v.start.kind == layout::number::complex_ || v.stop.kind == layout::number::complex_;
  if (is_complex && dtype(call.result->type).kind() != 'c') return false;
  return fill_result(call, [&](int part) { return linspace_body(call.result->type, v, call.result->size, part); });
}

bool run_eye_on(const DeviceOpCall& call) {
  const node* result = call.result;
  if (result->size == 0) return true;
  DeviceElements all = elements_of(result);
  if (!fill_on(all, 0, call)) return false;
  const std::int64_t k = call.params[2], row = k < 0 ? -k : 0, column = k > 0 ? k : 0;
  const std::int64_t n = std::min(all.shape[0] - row, all.shape[1] - column);
  if (n <= 0) return true;
  DeviceElements diagonal = all;
  diagonal.place.host += row * all.strides[0] + column * all.strides[1];
  diagonal.shape = dims{n};
  diagonal.strides = dims{all.strides[0] + all.strides[1]};
  return fill_on(diagonal, 1, call);
}

}  // namespace numjit::runtime::detail
