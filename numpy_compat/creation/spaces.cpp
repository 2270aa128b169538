// Evenly spaced values: linspace, logspace, geomspace, between numbers and between arrays.
#include <math/checks.h>
#include <surface.h>

namespace numjit {

using detail::on_device;

namespace {

bool is_integer(dtype_id t) { return dtype(t).kind() == 'i' || dtype(t).kind() == 'u'; }

/// The places 0, 1, ... as a column in front of the axes of `like`.
array places_for(const array& like, std::int64_t num, dtype_id type) {
  dims column{num};
  column.resize(1 + like.ndim(), 1);
  return detail::reshape_view(arange(num, {dtype(type)}), column);
}

/// Between arrays, or numbers that a graph will compute, in the arithmetic that the op has for numbers.
array linspace_of_arrays(const operand& start, const operand& stop, std::int64_t num, const linspace_options& o) {
  const dtype_id work = result_type(start, stop, 1.0).id();
  const array first = detail::as_type(start, work), last = detail::as_type(stop, work);
  const array range = last - first;
  const array places = places_for(range, num, work);
  const std::int64_t parts = o.endpoint ? num - 1 : num;
  array y = places * range;
  if (parts > 0) {
    const double n = static_cast<double>(parts);
    const array step = range / n;  // where one underflows, all are computed the other way
    y = where(any(step == 0.0), places / n * range, places * step);
  }
  y = y + first;
  if (o.endpoint && num > 1) y = where(places == static_cast<double>(num - 1), last, y);
  if (o.axis != 0) y = moveaxis(y, 0, o.axis);
  if (!o.dtype) return y;
  if (is_integer(o.dtype->id())) y = floor(y);
  return detail::cast(y, o.dtype->id());
}

}  // namespace

array linspace(const operand& start, const operand& stop, std::int64_t num, const linspace_options& o) {
  const location_scope scope(start.where());
  if (num < 0) throw ValueError("linspace", "Number of samples, " + std::to_string(num) + ", must be non-negative.");
  if (start.is_array() || stop.is_array()) return on_device(linspace_of_arrays(start, stop, num, o), o);
  normalize_axis("linspace", o.axis, 1);
  const auto a = layout::number::of_literal(start), b = layout::number::of_literal(stop);
  const bool is_complex = a.kind == layout::number::complex_ || b.kind == layout::number::complex_;
  if (is_complex && o.dtype && is_integer(o.dtype->id())) return linspace_of_arrays(start, stop, num, o);  // its error
  const dtype_id t = o.dtype ? o.dtype->id() : is_complex ? dtype_id::complex128 : dtype_id::float64;
  return on_device(detail::create(op_id::linspace, layout::linspace_params(a, b, num, o.endpoint, t)), o);
}

linspace_result linspace_retstep(const operand& start, const operand& stop, std::int64_t num, const linspace_options& o) {
  const location_scope scope(start.where());
  const array samples = linspace(start, stop, num, o);
  const std::int64_t parts = o.endpoint ? num - 1 : num;
  if (parts <= 0) return {samples, full({}, nan)};
  const dtype_id work = result_type(start, stop, 1.0).id();
  return {samples, (detail::as_type(stop, work) - detail::as_type(start, work)) / static_cast<double>(parts)};
}

array logspace(const operand& start, const operand& stop, std::int64_t num, double base) {
  return logspace(start, stop, num, logspace_options{.base = base});
}
array logspace(const operand& start, const operand& stop, std::int64_t num, const logspace_options& o) {
  const location_scope scope(start.where());
  const int rank = detail::rank_of(o.base);
  const linspace_options even{.endpoint = o.endpoint, .axis = o.axis};
  array y;
  if (rank == 0) {
    y = power(o.base, linspace(start, stop, num, even));
  } else {  // as if all three had the same number of axes
    const int most = std::max({rank, detail::rank_of(start), detail::rank_of(stop)});
    auto widened = [&](const operand& v) {
      const array x = detail::to_array(v);
      dims shape = x.shape();
      while (shape.size() < most) shape.insert(0, 1);
      return detail::reshape_view(x, shape);
    };
    const array exponents = linspace(widened(start), widened(stop), num, even);
    y = power(expand_dims(widened(o.base), o.axis), exponents);
  }
  return o.dtype ? detail::cast(y, o.dtype->id()) : y;
}

array geomspace(const operand& start, const operand& stop, std::int64_t num, const geomspace_options& o) {
  const location_scope scope(start.where());
  const array typed = zeros({}, o.dtype ? *o.dtype : float64);
  const operand all[] = {start, stop, 1.0, typed};
  const dtype_id work = result_type(all);
  auto not_zero = [&](const operand& v) -> array {
    const array x = detail::as_type(v, work);
    if (!v.is_array() && v.real() == 0 && v.imag() == 0) throw ValueError("geomspace", "Geometric sequence cannot include zero");
    return detail::checked(x, x == 0.0, detail::value_check::geometric_zero);
  };
  // Turned to where the first value is positive and real, and back.
  const array given = not_zero(start), sign = numjit::sign(given);
  const array first = given / sign, last = not_zero(stop) / sign;
  const array places = places_for(broadcast_arrays({first, last})[0], num, dtype_id::int64);
  array y = logspace(log10(first), log10(last), num, {.endpoint = o.endpoint});
  y = where(places == 0, first, y);
  if (num > 1 && o.endpoint) y = where(places == num - 1, last, y);
  y = y * sign;
  if (o.axis != 0) y = moveaxis(y, 0, o.axis);
  return on_device(o.dtype && o.dtype->id() != work ? detail::cast(y, o.dtype->id()) : y, o);
}

}  // namespace numjit
