// Products of matrices on devices: by the library of the device's maker; of two vectors, by the kernels of sums.
#include <algorithm>

#include <fmt/format.h>

#include <numjit/device/products.h>
#include <numjit/runtime/device_ops.h>

namespace numjit::runtime::detail {

using graph::KernelNodeKind;
using graph::KernelSpec;

namespace {

/// sum(x * y), or any(x & y) of truth, in the canonical order: the bits of the host's.
bool run_vector_product(const DeviceOpCall& call) {
  const dtype_id type = call.result->type;
  const std::int64_t n = call.in[0]->size;
  const op_id reduce = type == dtype_id::bool_ ? op_id::any : op_id::sum;
  const int multiply = loop_over(op_id::multiply, type), sum = loop_over(reduce, type);
  if (n == 0 || multiply < 0 || sum < 0) return false;
  KernelSpec spec;
  spec.operand_types = {type, type};
  spec.nodes = {{KernelNodeKind::operand, {}, 0, type, 0, {}},
                {KernelNodeKind::operand, {}, 0, type, 1, {}},
                {KernelNodeKind::op, op_id::multiply, static_cast<std::uint8_t>(multiply), type, 0, {0, 1, 0}},
                {KernelNodeKind::reduce, reduce, static_cast<std::uint8_t>(sum), type, 0, {2, 0, 0}}};
  spec.outputs = {3};
  spec.reduction_levels = 1;
  std::vector<DevicePlace> places;
  std::int64_t strides[3] = {};
  for (int i = 0; i < 2; ++i) {
    const node* v = call.in[static_cast<std::size_t>(i)];
    if (v->type == type) {
      strides[i] = v->strides[0];
      places.push_back({v->data, 0});
      continue;
    }
    const auto cast = contiguous_on(v, type, call);
    if (!cast) return false;
    strides[i] = size_of(type);
    places.push_back({nullptr, *cast});
  }
  places.push_back({call.result->data, 0});
  const LaunchOperand operands[3] = {{const_cast<char*>(places[0].host), &strides[0]},
                                     {const_cast<char*>(places[1].host), &strides[1]},
                                     {const_cast<char*>(places[2].host), &strides[2]}};
  Launch launch;
  launch.rank = 1;
  launch.extent = &n;
  launch.reduced_axis[0] = 0;
  launch.operands = operands;
  launch.scalars = nullptr;
  Space space;
  if (!make_space(spec, launch, space)) return false;
  auto plan = plan_on_device(spec, space, call.target, call.kernels);
  if (!plan) return false;
  plan->run(places, nullptr, call.context);
  return true;
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

Stack packed_stack(devices::address memory, const dims& shape) { return {{nullptr, memory}, shape, contiguous_strides(shape, 1)}; }

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
  if (left->rank == 1 && right->rank == 1) return run_vector_product(call);
  const dtype_id type = result->type;
  const bool is_libraries = type == dtype_id::float32 || type == dtype_id::float64 || type == dtype_id::complex64 || type == dtype_id::complex128;
  if (!is_libraries || left->size == 0 || !result->is(node::c_contiguous)) return false;
  if (numjit::detail::may_overlap(left, result) || numjit::detail::may_overlap(right, result)) return false;
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
    auto shifted = [&](devices::address at, std::int64_t elements) { return at + static_cast<devices::address>(elements * size_of(type)); };
    p.a.at = shifted(first_a, at_a), p.b.at = shifted(first_b, at_b);
    p.c = shifted(first_c, o * p.count * p.m * p.n);
    if (!library->multiply(p)) return false;
  }
  return true;
}

}  // namespace numjit::runtime::detail
