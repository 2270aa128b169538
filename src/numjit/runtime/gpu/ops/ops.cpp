// Which operations that are steps by themselves have a form for devices, and what the forms share.
#include <numjit/runtime/gpu/ops/ops.h>

#include <algorithm>

#include <numjit/ops/param_layout.h>
#include <numjit/runtime/plan/number_scalar.h>

namespace numjit::runtime::detail {

using graph::KernelNodeKind;
using graph::KernelSpec;

DeviceOp device_op(op_id op) {
  if (info(op).kind == op_kind::scan) return run_scan_on;
  if (facts_of(op).iterates) return run_looping_on;
  switch (op) {
#define NUMJIT_ON_DEVICE_view(name)
#define NUMJIT_ON_DEVICE_kernel(name)
#define NUMJIT_ON_DEVICE_host(name)
#define NUMJIT_ON_DEVICE_step(name) \
  case op_id::name:                 \
    return run_##name##_on;
#define NUMJIT_ON_DEVICE_library(name) NUMJIT_ON_DEVICE_step(name)
#define STRUCTURAL(name, kind, inputs, device, ...) NUMJIT_ON_DEVICE_##device(name)
#include <numjit/ops/all_rows.inc>
    default: return nullptr;
  }
}

bool takes_numbers(op_id op) { return info(op).kind == op_kind::ufunc || op == op_id::store || op == op_id::masked_store; }

DeviceForm device_form_of(op_id op) {
  constexpr DeviceForm kernel = DeviceForm::kernel, step = DeviceForm::step;
  static constexpr DeviceForm forms[op_count] = {
#define UFUNC1(name, ...) facts_of(op_id::name).iterates ? step : kernel,
#define UFUNC2(name, ...) facts_of(op_id::name).iterates ? step : kernel,
#define UFUNC3(name, ...) facts_of(op_id::name).iterates ? step : kernel,
#define REDUCTION(...) kernel,
#define ARGREDUCTION(...) kernel,
#define SCAN(...) step,
#define STRUCTURAL(name, kind, inputs, device, ...) DeviceForm::device,
#include <numjit/ops/all_rows.inc>
  };
  return forms[static_cast<int>(op)];
}

DeviceElements elements_of(const node* n) { return {{n->data, 0}, n->type, dims(n->shape, n->rank), dims(n->strides, n->rank)}; }

DeviceElements packed_elements(devices::address memory, dtype_id type, const dims& shape) {
  return {{nullptr, memory}, type, shape, contiguous_strides(shape, size_of(type))};
}

DeviceElements with_last(DeviceElements e, int axis) {
  const std::int64_t extent = e.shape[axis], stride = e.strides[axis];
  e.shape.erase(axis), e.strides.erase(axis);
  e.shape.push_back(extent), e.strides.push_back(stride);
  return e;
}

DeviceElements parts_along_last(DeviceElements e) {
  if (dtype(e.type).kind() != 'c') return e;
  e.type = part_type(e.type);
  e.shape.push_back(2), e.strides.push_back(size_of(e.type));
  return e;
}

bool apply_on(const KernelSpec& spec, const std::vector<DeviceElements>& arrays, const DeviceOpCall& call,
              const void* const* scalars) {
  const dims& shape = arrays.back().shape;
  std::vector<LaunchOperand> operands;
  std::vector<DevicePlace> places;
  for (const DeviceElements& a : arrays) {
    operands.push_back({const_cast<char*>(a.place.host), a.strides.data()});
    places.push_back(a.place);
  }
  Launch launch;
  launch.rank = shape.size();
  launch.extent = shape.data();
  launch.operands = operands.data();
  launch.scalars = scalars;
  Space space;
  if (!make_space(spec, launch, space)) return false;
  if (space.empty) return true;
  auto plan = plan_elementwise_on(spec, space, call.target, call.kernels);
  if (!plan) return false;
  plan->run(places, scalars, call.context);
  return true;
}

bool apply_on(const NumbersBody& body, const std::vector<DeviceElements>& arrays, const DeviceOpCall& call) {
  return apply_on(body.spec, arrays, call, body.scalars().data());
}

bool fill_on(const DeviceElements& elements, std::int64_t with, const DeviceOpCall& call) {
  KernelSpec spec;
  spec.scalar_types = {elements.type};
  spec.nodes = {{KernelNodeKind::scalar, {}, 0, elements.type, 0, {}}};
  spec.outputs = {0};
  std::array<std::uint64_t, 2> value{};
  write_scalar(scalar_of(layout::number::of(with)), elements.type, value.data());
  const void* const scalars[] = {value.data()};
  return apply_on(spec, {elements}, call, scalars);
}

bool copy_on(const DeviceElements& from, const DeviceElements& to, const DeviceOpCall& call) {
  KernelSpec spec = copying(from.type);
  if (from.type != to.type) {
    spec.nodes.push_back({KernelNodeKind::cast, {}, 0, to.type, 0, {0, 0, 0}});
    spec.outputs = {1};
  }
  return apply_on(spec, {from, to}, call);
}

std::optional<devices::address> contiguous_on(const node* n, dtype_id type, const DeviceOpCall& call) {
  if (n->type == type && n->is(node::c_contiguous)) return call.context.place(n->data, false);
  const devices::address memory = call.context.scratch(static_cast<std::size_t>(n->size * size_of(type)));
  const DeviceElements from = elements_of(n);
  if (!copy_on(from, packed_elements(memory, type, from.shape), call)) return std::nullopt;
  return memory;
}

KernelSpec choosing(dtype_id type) {
  const auto loops = info(op_id::where).loops;
  std::size_t l = 0;
  while (loops[l].in[1] != type) ++l;
  KernelSpec spec;
  spec.operand_types = {dtype_id::bool_, type, type};
  for (std::uint16_t i = 0; i < 3; ++i) spec.nodes.push_back({KernelNodeKind::operand, {}, 0, spec.operand_types[i], i, {}});
  spec.nodes.push_back({KernelNodeKind::op, op_id::where, static_cast<std::uint8_t>(l), type, 0, {0, 1, 2}});
  spec.outputs = {3};
  return spec;
}

std::optional<DeviceElements> broadcast_elements(const DeviceElements& elements, const dims& shape) {
  DeviceElements wide = elements;
  while (wide.shape.size() > shape.size()) {
    if (wide.shape[0] != 1) return std::nullopt;
    wide.shape.erase(0), wide.strides.erase(0);
  }
  while (wide.shape.size() < shape.size()) wide.shape.insert(0, 1), wide.strides.insert(0, 0);
  for (int axis = 0; axis < shape.size(); ++axis) {
    if (wide.shape[axis] != shape[axis] && wide.shape[axis] != 1) return std::nullopt;
    if (wide.shape[axis] == 1) wide.strides[axis] = 0;
    wide.shape[axis] = shape[axis];
  }
  return wide;
}

namespace {

/// A number as a value of the dtype that a literal has by itself, cast to another one.
NumbersBody number_body(const ScalarValue& number, dtype_id type) {
  const dtype_id own = number.kind == weak_kind::bool_    ? dtype_id::bool_
                       : number.kind == weak_kind::float_ ? dtype_id::float64
                       : number.kind != weak_kind::int_   ? dtype_id::complex128
                       : number.above_int64               ? dtype_id::uint64
                                                          : dtype_id::int64;
  NumbersBody body;
  body.spec = {};
  body.spec.outputs = {body.cast(body.scalar(own, number), type)};
  return body;
}

/// What is stored, as an array of the target's shape and dtype that shares no memory with it.
std::optional<DeviceElements> stored_value(const DeviceOpCall& call, const node* target, bool of_its_type) {
  const node* value = call.in[1];
  if (!value) {
    const DeviceElements one = packed_elements(call.context.scratch(16), target->type, {1});
    if (!apply_on(number_body(*call.numbers[1], target->type), {one}, call)) return std::nullopt;
    return broadcast_elements(one, dims(target->shape, target->rank));
  }
  DeviceElements given = elements_of(value);
  if (numjit::detail::may_overlap(value, target) || (of_its_type && value->type != target->type)) {
    const devices::address memory = call.context.scratch(static_cast<std::size_t>(value->size * size_of(target->type)));
    const DeviceElements copy = packed_elements(memory, target->type, given.shape);
    if (!copy_on(given, copy, call)) return std::nullopt;
    given = copy;
  }
  return broadcast_elements(given, dims(target->shape, target->rank));
}

}  // namespace

bool run_looping_on(const DeviceOpCall& call) {
  const node* result = call.result;
  const op_loop& loop = info(call.op).loops[static_cast<std::size_t>(call.loop)];
  const dims shape(result->shape, result->rank);
  NumbersBody body(loop.in[0]);
  body.spec = {};
  std::vector<DeviceElements> arrays;
  std::array<std::uint16_t, 3> in{};
  for (std::size_t k = 0; k < call.in.size(); ++k) {
    if (!call.in[k]) {
      in[k] = body.scalar(loop.in[k], *call.numbers[k]);
      continue;
    }
    const auto elements = broadcast_elements(elements_of(call.in[k]), shape);
    if (!elements) return false;
    arrays.push_back(*elements);
    in[k] = body.cast(body.operand(elements->type), loop.in[k]);
  }
  arrays.push_back(elements_of(result));
  body.spec.outputs = {body.op(call.op, in)};
  if (loop.out != result->type) body.spec.outputs = {body.cast(body.spec.outputs[0], result->type)};
  return apply_on(body, arrays, call);
}

bool run_store_on(const DeviceOpCall& call) {
  const node* target = call.result;
  if (target->is(node::readonly)) return false;
  if (target->size == 0) return true;
  if (!call.in[1]) return apply_on(number_body(*call.numbers[1], target->type), {elements_of(target)}, call);
  const auto value = stored_value(call, target, false);
  return value && copy_on(*value, elements_of(target), call);
}

bool run_masked_store_on(const DeviceOpCall& call) {
  const node *target = call.result, *mask = call.in[2];
  if (target->is(node::readonly) || mask->type != dtype_id::bool_) return false;
  if (target->size == 0) return true;
  if (numjit::detail::may_overlap(mask, target)) return false;
  const auto value = stored_value(call, target, true);
  const auto chosen = broadcast_elements(elements_of(mask), dims(target->shape, target->rank));
  const DeviceElements to = elements_of(target);
  return value && chosen && apply_on(choosing(target->type), {*chosen, *value, to, to}, call);
}

bool run_axis_length_on(const DeviceOpCall& call) {
  const node* of = call.in[0];
  if (call.result->type != dtype_id::int64) return false;
  const std::int64_t word = layout::axis_of(call.params);
  const std::int64_t length = word == layout::none ? of->size : of->shape[normalize_axis("axis_length", word, of->rank)];
  call.context.write(call.context.place(call.result->data, true), &length, sizeof length);
  return true;
}

}  // namespace numjit::runtime::detail
