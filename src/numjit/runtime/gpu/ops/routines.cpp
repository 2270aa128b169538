// Routines of libraries on devices: Fourier transforms. What a library wants, lines one after the other, is made of the
// operand by kernels, and the result of what it gives.
#include <algorithm>
#include <array>

#include <numjit/device/transforms.h>
#include <numjit/ops/fft_kind.h>
#include <numjit/ops/routine.h>
#include <numjit/runtime/gpu/ops/ops.h>
#include <numjit/runtime/plan/number_scalar.h>

namespace numjit::runtime::detail {

using graph::KernelNodeKind;
using graph::KernelSpec;
using numjit::detail::fft_kind;
using numjit::detail::routine_id;

namespace {

/// to = from * factor, both of one shape.
bool scale_on(const DeviceElements& from, const DeviceElements& to, double factor, const DeviceOpCall& call) {
  const DeviceElements in = parts_along_last(from), out = parts_along_last(to);
  const auto loops = info(op_id::multiply).loops;
  std::size_t l = 0;
  while (loops[l].in[0] != in.type) ++l;
  KernelSpec spec;
  spec.operand_types = {in.type};
  spec.scalar_types = {in.type};
  spec.nodes = {{KernelNodeKind::operand, {}, 0, in.type, 0, {}},
                {KernelNodeKind::scalar, {}, 0, in.type, 0, {}},
                {KernelNodeKind::op, op_id::multiply, static_cast<std::uint8_t>(l), in.type, 0, {0, 1, 0}}};
  spec.outputs = {2};
  std::array<std::uint64_t, 2> value{};
  write_scalar(scalar_of(layout::number::of(factor)), in.type, value.data());
  const void* const scalars[] = {value.data()};
  return apply_on(spec, {in, out}, call, scalars);
}

devices::TransformKind device_kind(fft_kind kind) {
  using devices::TransformKind;
  switch (kind) {
    case fft_kind::forward: return TransformKind::forward;
    case fft_kind::backward: return TransformKind::backward;
    case fft_kind::from_real: return TransformKind::from_real;
    default: return TransformKind::to_real;
  }
}

/// One transform of all lines along an axis.
struct Lines {
  fft_kind kind;
  std::int64_t n, n_in, n_out;
  int axis;
  double factor;
  dtype_id in, out;  // of the elements that the library reads and writes

  explicit Lines(const DeviceOpCall& call)
      : kind(static_cast<fft_kind>(call.params[1])),
        n(call.params[2]),
        n_in(kind == fft_kind::to_real ? n / 2 + 1 : n),
        n_out(kind == fft_kind::from_real ? n / 2 + 1 : n),
        axis(static_cast<int>(call.params[3])),
        factor(call.params.real(4)),
        in(),
        out(call.result->type) {
    const dtype_id complex_type = is_single() ? dtype_id::complex64 : dtype_id::complex128;
    in = kind == fft_kind::from_real ? part_type(complex_type) : complex_type;
  }
  bool is_single() const { return out == dtype_id::float32 || out == dtype_id::complex64; }
};

/// The lines that the library reads: those of the array, or a copy, cut off or filled up with zeros.
std::optional<devices::address> lines_on(const Lines& lines, const DeviceOpCall& call) {
  const node* a = call.in[0];
  DeviceElements from = with_last(elements_of(a), lines.axis);
  const std::int64_t have = from.shape.back();
  const bool in_place = a->type == lines.in && have == lines.n_in && a->is(node::c_contiguous) && lines.axis == a->rank - 1;
  if (in_place && lines.kind != fft_kind::to_real) return call.context.place(a->data, false);
  dims shape = from.shape;
  shape[shape.size() - 1] = lines.n_in;
  const std::int64_t rows = a->size / std::max<std::int64_t>(have, 1);
  const devices::address memory = call.context.scratch(static_cast<std::size_t>(rows * lines.n_in * size_of(lines.in)));
  DeviceElements to = packed_elements(memory, lines.in, shape);
  if (have < lines.n_in && !fill_on(to, 0, call)) return std::nullopt;
  const std::int64_t some = std::min(have, lines.n_in);
  from.shape[from.shape.size() - 1] = to.shape[to.shape.size() - 1] = some;
  if (!copy_on(from, to, call)) return std::nullopt;
  if (lines.kind != fft_kind::to_real) return memory;
  // Of what stands for itself, the imaginary part is not read.
  auto forget_imaginary = [&](std::int64_t k) {
    DeviceElements column = packed_elements(memory, lines.in, shape);
    column.type = part_type(lines.in);
    column.place.memory += static_cast<devices::address>(k * size_of(lines.in) + size_of(column.type));
    column.shape.erase(column.shape.size() - 1), column.strides.erase(column.strides.size() - 1);
    return fill_on(column, 0, call);
  };
  if (!forget_imaginary(0) || (lines.n % 2 == 0 && !forget_imaginary(lines.n / 2))) return std::nullopt;
  return memory;
}

bool run_fft_on(const DeviceOpCall& call) {
  const node *a = call.in[0], *result = call.result;
  if (result->size == 0) return true;
  const Lines lines(call);
  // As many lines as there are; of an axis without elements as well, which is all zeros.
  if (a->size == 0 || !result->is(node::c_contiguous)) return false;
  devices::Transforms* library = call.context.transforms();
  if (!library) return false;
  const auto from = lines_on(lines, call);
  if (!from) return false;
  const DeviceElements to = with_last(elements_of(result), lines.axis);
  const bool direct = lines.factor == 1 && lines.axis == result->rank - 1;
  const devices::address memory = direct ? call.context.place(result->data, true)
                                         : call.context.scratch(static_cast<std::size_t>(result->size * size_of(result->type)));
  const std::int64_t count = result->size / lines.n_out;
  if (!library->run({device_kind(lines.kind), lines.is_single(), lines.n, count, *from, memory})) return false;
  return direct || scale_on(packed_elements(memory, result->type, to.shape), to, lines.factor, call);
}

}  // namespace

namespace {

/// What was found to be wrong is the host's to say, which runs the check again.
bool run_check_on(const DeviceOpCall& call) {
  const auto found = contiguous_on(call.in[0], dtype_id::float64, call);
  double bad = 0;
  if (!found) return false;
  call.context.read(&bad, *found, sizeof bad);
  return bad == 0 && fill_on(elements_of(call.result), 0, call);
}

}  // namespace

bool run_routine_on(const DeviceOpCall& call) {
  switch (static_cast<routine_id>(call.params[0])) {
    case routine_id::fft: return run_fft_on(call);
    case routine_id::check: return run_check_on(call);
    default: return run_solver_on(call);
  }
}

}  // namespace numjit::runtime::detail
