// Checks of values as operations of graphs.
#include "checks.h"

#include <cstring>

#include <numjit/ops/routine.h>

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
  add_routine(routine_id::check, {"check", 2, 1, false, false, infer_check, run_check});
  return true;
}();

}  // namespace

placed checked(const placed& x, const placed& bad, value_check what) {
  const placed found = x.with(cast(x.with(any(bad)), dtype_id::float64));
  const placed one = x.with(reshape_view(found, {1}));
  op_params params;
  params.push(static_cast<std::int64_t>(routine_id::check)).push(static_cast<std::int64_t>(what));
  const placed nothing = x.with(call(op_id::routine, {one}, params));
  // Less nothing: -0.0 stays what it is.
  const placed zero = x.with(cast(x.with(reshape_view(nothing, dims{})), x->dtype().id()));
  return x - zero;
}

array places_along(const array& rows, std::int64_t length, int axis, const location& where) {
  // Taken from 0, 1, ...: taking is what checks. Lengths that are open stay so along the first axis only.
  const int k = is_unsized(rows) ? 0 : axis;
  dims shape;
  shape.resize(k + 1, 1);
  shape[k] = length;
  const array all = reshape_view(at(arange(at(length, where)), where), shape);
  const array whole = cast(at(rows, where), dtype_id::int64);
  const array found = call(op_id::take, {at(all, where), at(whole, where)}, layout::take_params(k));
  return k == 0 ? found : reshape_view(at(found, where), rows.shape());
}

}  // namespace numjit::detail
