// Checks of values as operations of graphs.
#include "checks.h"

#include <cstring>

#include <numjit/ops/routine.h>
#include <numjit/trace/state/pending.h>

namespace numjit::detail {

namespace {

[[noreturn]] void fail(value_check what) {
  switch (what) {
    case value_check::choice: throw ValueError("choose", "invalid entry in choice array");
    case value_check::all_nan_max: throw ValueError("nanargmax", "All-NaN slice encountered");
    case value_check::all_nan_min: throw ValueError("nanargmin", "All-NaN slice encountered");
    case value_check::zero_weights: throw ZeroDivisionError("average", "Weights sum to zero, can't be normalized");
    case value_check::negative_weights: throw ValueError("quantile", "Weights must be non-negative.");
    case value_check::unusable_weights: throw ValueError("quantile", "Weights included NaN, inf or were all zero.");
    case value_check::quantile_range: throw ValueError("quantile", "Quantiles must be in the range [0, 1]");
    case value_check::percentile_range: throw ValueError("percentile", "Percentiles must be in the range [0, 100]");
    case value_check::not_finite: throw ValueError("asarray_chkfinite", "array must not contain infs or NaNs");
    case value_check::coordinates: throw ValueError("ravel_multi_index", "invalid entry in coordinates array");
    case value_check::flat_index: throw ValueError("unravel_index", "invalid entry in index array");
    case value_check::geometric_zero: throw ValueError("geomspace", "Geometric sequence cannot include zero");
    default: throw InternalError("check", "there is no such check");
  }
}

void infer_check(const op_call& call, inference& result) {
  const dims one{1};
  if (call.in[0].n()->type != dtype_id::float64 || !(dims(call.in[0].n()->shape, call.in[0].n()->rank) == one) ||
      call.p()[1] < 0 || call.p()[1] >= static_cast<std::int64_t>(value_check::count_))
    throw InternalError("check", "inputs or parameters are not those of the routine");
  result.type = dtype_id::float64;
  result.shape = one;
}

void run_check(const routine_call& c) {
  double bad;
  std::memcpy(&bad, c.in[0]->data, sizeof bad);
  if (bad != 0) fail(static_cast<value_check>(c.params[1]));
  std::memcpy(c.result->data, &bad, sizeof bad);
}

[[maybe_unused]] const bool installed = [] {
  add_routine(routine_id::check, {"check", "_what:int", 1, false, false, infer_check, run_check});
  return true;
}();

}  // namespace

array checked(const array& x, const array& bad, value_check what) {
  const array found = cast(any(bad), dtype_id::float64);
  op_params params;
  params.push(static_cast<std::int64_t>(routine_id::check)).push(static_cast<std::int64_t>(what));
  const array nothing = call(op_id::routine, {reshape_view(found, {1})}, params);
  // Less nothing: -0.0 stays what it is.
  return x - cast(reshape_view(nothing, dims{}), x.dtype().id());
}

namespace {

array places_by(const op_params& params, const array& rows, std::int64_t length, int axis) {
  // Taken from 0, 1, ...: taking is what checks. Lengths that are open stay so along the first axis only.
  const int k = is_unsized(rows) ? 0 : axis;
  dims shape;
  shape.resize(k + 1, 1);
  shape[k] = length;
  const array all = reshape_view(arange(length), shape);
  const array found = call(op_id::take, {all, cast(rows, dtype_id::int64)}, params);
  return k == 0 ? found : reshape_view(found, rows.shape());
}

}  // namespace

array places_along(const array& rows, std::int64_t length, int axis) {
  if (length > 0) check_known_indices("take", rows, length, axis);
  return places_by(layout::take_params(is_unsized(rows) ? 0 : axis), rows, length, axis);
}

array index_places_along(const array& rows, std::int64_t length, int axis, int source_axis) {
  op_params params = layout::take_params(is_unsized(rows) ? 0 : axis);
  params.push(std::int64_t{source_axis});
  return places_by(params, rows, length, axis);
}

// ---- values that are known ----

namespace {

/// More take as long to look at as the operation does.
constexpr std::int64_t few_values = 4096;

template <class T>
void append_elements(const node* n, const char* from, int axis, std::vector<T>& to) {
  if (axis < n->rank) {
    for (std::int64_t i = 0; i < n->shape[axis]; ++i) append_elements(n, from + i * n->strides[axis], axis + 1, to);
    return;
  }
  visit_dtype(n->type, [&]<class Element>() {
    if constexpr (std::is_convertible_v<Element, T>) {
      Element e;
      std::memcpy(&e, from, sizeof e);
      to.push_back(static_cast<T>(e));
    }
  });
}

}  // namespace

template <class T>
std::vector<T> known_values(const operand& x) {
  if (!recording) return {};
  if (!x.is_array()) {
    if (x.kind() == weak_kind::complex_ || x.above_int64()) return {};
    return {std::is_integral_v<T> ? static_cast<T>(x.int_value()) : static_cast<T>(x.real())};
  }
  node* n = x.n();
  if (n->is(node::lazy) || n->device != 0 || n->size > few_values || tracing::has_pending_stores(n)) return {};
  std::vector<T> values;
  append_elements(n, n->data, 0, values);
  return values;
}
template std::vector<std::int64_t> known_values(const operand& x);
template std::vector<double> known_values(const operand& x);

void throw_for_known(const char* op, const std::string& text) {
  tracing::do_not_replay();
  throw ValueError(op, text);
}

void check_known_indices(const char* op, const operand& indices, std::int64_t length, int axis) {
  if (!recording || !is_integral_type(type_of(indices))) return;
  for (const std::int64_t i : known_values<std::int64_t>(indices)) {
    if (i >= -length && i < length) continue;
    tracing::do_not_replay();
    throw_out_of_bounds(op, i, axis, length);
  }
}

}  // namespace numjit::detail
