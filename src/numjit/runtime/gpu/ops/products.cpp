// Products of matrices on devices: by the library of the device's maker; of two vectors, by the kernels of sums.
#include <algorithm>

#include <fmt/format.h>

#include <numjit/device/products.h>
#include <numjit/runtime/gpu/ops/ops.h>

namespace numjit::runtime::detail {

using graph::KernelNodeKind;
using graph::KernelSpec;

namespace {

/// sum(x * y) over the last axis, or any(x & y) of truth: of floats in the canonical order, with the bits of the host's
/// vectors; of integers in 64 bits, of which a shorter result is the lower part. All have one shape but for dtypes; the
/// result's stride along that axis is not looked at.
bool sum_products(const DeviceElements& x, const DeviceElements& y, const DeviceElements& result, const DeviceOpCall& call) {
  const char kind = dtype(result.type).kind();
  const dtype_id type = kind == 'i' ? dtype_id::int64 : kind == 'u' ? dtype_id::uint64 : result.type;
  const op_id reduce = type == dtype_id::bool_ ? op_id::any : op_id::sum;
  const int multiply = loop_over(op_id::multiply, type), sum = loop_over(reduce, type);
  if (multiply < 0 || sum < 0) return false;
  NumbersBody body(x.type);
  const std::uint16_t second = body.operand(y.type);
  const std::uint16_t product = body.op(op_id::multiply, {body.cast(0, type), body.cast(second, type), 0});
  body.spec.nodes.push_back({KernelNodeKind::reduce, reduce, static_cast<std::uint8_t>(sum), type, 0, {product, 0, 0}});
  body.spec.outputs = {body.cast(static_cast<std::uint16_t>(body.spec.nodes.size() - 1), result.type)};
  body.spec.reduction_levels = 1;
  std::vector<DevicePlace> places;
  std::vector<LaunchOperand> operands;
  DeviceElements to = result;
  to.strides[to.strides.size() - 1] = 0;
  for (const DeviceElements* e : {&x, &y, static_cast<const DeviceElements*>(&to)}) {
    places.push_back(e->place);
    operands.push_back({const_cast<char*>(e->place.host), e->strides.data()});
  }
  Launch launch;
  launch.rank = x.shape.size();
  launch.extent = x.shape.data();
  launch.reduced_axis[0] = launch.rank - 1;
  launch.operands = operands.data();
  launch.scalars = nullptr;
  Space space;
  if (!make_space(body.spec, launch, space)) return false;
  auto plan = plan_on_device(body.spec, space, {}, call.target, call.kernels);
  if (!plan) return false;
  plan->run(places, nullptr, call.context);
  return true;
}

/// Of two vectors, or of matrices that no library multiplies, by the kernels of reductions.
bool run_by_sums(const DeviceOpCall& call) {
  const node *left = call.in[0], *right = call.in[1], *result = call.result;
  if (left->size == 0 || right->size == 0 || result->rank + 1 > max_rank) return false;
  DeviceElements x = elements_of(left), y = elements_of(right), to = elements_of(result);
  // As (stack..., row, column, what is summed over), where rows and columns of vectors are left out.
  if (y.shape.size() > 1) y = with_last(y, y.shape.size() - 2);
  if (left->rank > 1 && right->rank > 1) x.shape.insert(x.shape.size() - 1, 1), x.strides.insert(x.strides.size() - 1, 0);
  if (left->rank > 1 && right->rank > 1) y.shape.insert(y.shape.size() - 2, 1), y.strides.insert(y.strides.size() - 2, 0);
  to.shape.push_back(left->shape[left->rank - 1]), to.strides.push_back(0);
  const auto wide_x = broadcast_elements(x, to.shape), wide_y = broadcast_elements(y, to.shape);
  return wide_x && wide_y && sum_products(*wide_x, *wide_y, to, call);
}

/// A stack of matrices: strides in elements, of rows, columns, and of the stack's axes.
struct Stack {
  DevicePlace place;
  dims shape, strides;
  std::int64_t rows() const { return shape[shape.size() - 2]; }
  std::int64_t columns() const { return shape.back(); }
  std::int64_t row() const { return strides[strides.size() - 2]; }
  std::int64_t column() const { return strides.back(); }
};

/// How a matrix is stored, if a library can take it as it is.
std::optional<devices::Factor> stored(const Stack& s) {
  const std::int64_t rows = s.rows(), columns = s.columns();
  if ((columns == 1 || s.column() == 1) && (rows == 1 || s.row() >= columns))
    return devices::Factor{0, false, rows == 1 ? columns : s.row(), 0};
  if ((rows == 1 || s.row() == 1) && (columns == 1 || s.column() >= rows))
    return devices::Factor{0, true, columns == 1 ? rows : s.column(), 0};
  return std::nullopt;
}

Stack packed_stack(devices::address memory, const dims& shape) {
  return {{nullptr, memory}, shape, contiguous_strides(shape, 1)};
}

/// An operand as a stack that a library can take, in the product's dtype: where it lies, or copied.
std::optional<Stack> stack_of(const node* n, dtype_id type, bool is_left, const DeviceOpCall& call) {
  const std::int64_t size = size_of(type);
  Stack s{{n->data, 0}, dims(n->shape, n->rank), {}};
  bool fits = n->type == type;
  for (int axis = 0; axis < n->rank; ++axis) {
    fits = fits && n->strides[axis] % size == 0;
    s.strides.push_back(n->strides[axis] / size);
  }
  const bool vector = n->rank == 1;
  auto as_matrix = [&](Stack& of) {
    if (!vector) return;
    of.shape.insert(is_left ? 0 : 1, 1);
    of.strides.insert(is_left ? 0 : 1, 0);
  };
  as_matrix(s);
  if (fits && stored(s)) return s;
  const auto copy = contiguous_on(n, type, call);
  if (!copy) return std::nullopt;
  return packed_stack(*copy, s.shape);
}

/// One axis of the stacks: its length, and the elements from one matrix to the next of both factors.
struct BatchAxis {
  std::int64_t extent, a, b;
};

/// The axes that the stacks are broadcast over, as few as there can be; the result's matrices lie side by side.
std::vector<BatchAxis> batch_axes(const Stack& a, const Stack& b, const dims& batch) {
  std::vector<BatchAxis> axes;
  auto stride = [&](const Stack& s, int axis) {
    const int own = axis - (batch.size() - (s.shape.size() - 2));
    return own < 0 || s.shape[own] == 1 ? 0 : s.strides[own];
  };
  for (int axis = 0; axis < batch.size(); ++axis) {
    if (batch[axis] == 1) continue;
    const BatchAxis next{batch[axis], stride(a, axis), stride(b, axis)};
    if (!axes.empty() && axes.back().a == next.a * next.extent && axes.back().b == next.b * next.extent)
      axes.back() = {axes.back().extent * next.extent, next.a, next.b};
    else
      axes.push_back(next);
  }
  return axes;
}

}  // namespace

bool run_matmul_on(const DeviceOpCall& call) {
  const node *result = call.result, *left = call.in[0], *right = call.in[1];
  if (result->size == 0) return true;
  if (numjit::detail::may_overlap(left, result) || numjit::detail::may_overlap(right, result)) return false;
  const dtype_id type = result->type;
  const char kind = dtype(type).kind();
  if ((left->rank == 1 && right->rank == 1) || kind == 'i' || kind == 'u' || kind == 'b') return run_by_sums(call);
  if (type == dtype_id::float16 || left->size == 0 || !result->is(node::c_contiguous)) return false;
  devices::Products* library = call.context.products();
  if (!library) return false;
  const auto a = stack_of(left, type, true, call), b = stack_of(right, type, false, call);
  if (!a || !b) return false;
  devices::Product p{type, is_fast(), a->rows(), b->columns(), a->columns(), 1, *stored(*a), *stored(*b), 0};
  dims batches[2];
  for (int i = 0; i + 2 < a->shape.size(); ++i) batches[0].push_back(a->shape[i]);
  for (int i = 0; i + 2 < b->shape.size(); ++i) batches[1].push_back(b->shape[i]);
  std::vector<BatchAxis> axes = batch_axes(*a, *b, broadcast_shapes("matmul", batches));
  if (!axes.empty() && axes.back().a >= 0 && axes.back().b >= 0) {
    p.count = axes.back().extent, p.a.batch = axes.back().a, p.b.batch = axes.back().b;
    axes.pop_back();
  }
  std::int64_t outer = 1;
  for (const BatchAxis& axis : axes) outer *= axis.extent;
  const devices::address first_a = address_of(a->place, false, call.context), first_b = address_of(b->place, false, call.context),
                         first_c = call.context.place(result->data, true);
  for (std::int64_t o = 0; o < outer; ++o) {
    std::int64_t rest = o, at_a = 0, at_b = 0;
    for (std::size_t k = axes.size(); k-- > 0; rest /= axes[k].extent) {
      at_a += rest % axes[k].extent * axes[k].a;
      at_b += rest % axes[k].extent * axes[k].b;
    }
    auto shifted = [&](devices::address at, std::int64_t elements) {
      return at + static_cast<devices::address>(elements * size_of(type));
    };
    p.a.at = shifted(first_a, at_a), p.b.at = shifted(first_b, at_b);
    p.c = shifted(first_c, o * p.count * p.m * p.n);
    if (!library->multiply(p)) return false;
  }
  return true;
}

}  // namespace numjit::runtime::detail
