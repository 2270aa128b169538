// Evenly spaced values: linspace, logspace, geomspace, between numbers and between arrays.
#include <math/checks.h>

namespace numjit {

using detail::at;
using detail::checked;
using detail::place;
using detail::placed;

namespace {

bool is_integer(dtype_id t) { return dtype(t).kind() == 'i' || dtype(t).kind() == 'u'; }

/// The places 0, 1, ... as a column in front of the axes of `like`.
placed places_for(const placed& like, std::int64_t num, dtype_id type) {
  dims column{num};
  column.resize(1 + like->ndim(), 1);
  const placed places = like.with(arange(at(num, like.where()), {dtype(type)}));
  return like.with(detail::reshape_view(places, column));
}

/// Between arrays, or numbers that a graph will compute, in the arithmetic that the op has for numbers.
array linspace_of_arrays(const operand& start, const operand& stop, std::int64_t num, const linspace_options& o) {
  const location& w = start.where();
  const dtype_id work = result_type(start, stop, at(1.0, w)).id();
  const placed first = detail::place_as(start, work), last = detail::place_as(at(detail::to_array(stop), w), work);
  const placed range = last - first;
  const placed places = places_for(range, num, work);
  const std::int64_t parts = o.endpoint ? num - 1 : num;
  placed y = places * range;
  if (parts > 0) {
    const double n = static_cast<double>(parts);
    const placed step = range / n;  // where one underflows, all are computed the other way
    y = range.with(where(range.with(any(step == 0.0)), places / n * range, places * step));
  }
  y = y + first;
  if (o.endpoint && num > 1) y = y.with(where(places == static_cast<double>(num - 1), last, y));
  if (o.axis != 0) y = y.with(moveaxis(y, 0, o.axis));
  if (!o.dtype) return y;
  if (is_integer(o.dtype->id())) y = y.with(floor(y));
  return detail::cast(y, o.dtype->id());
}

}  // namespace

array linspace(const operand& start, const operand& stop, std::int64_t num, const linspace_options& o) {
  if (num < 0) throw ValueError("linspace", "Number of samples, " + std::to_string(num) + ", must be non-negative.");
  if (start.is_array() || stop.is_array()) return linspace_of_arrays(start, stop, num, o);
  normalize_axis("linspace", o.axis, 1);
  const auto a = layout::number::of_literal(start), b = layout::number::of_literal(stop);
  const bool is_complex = a.kind == layout::number::complex_ || b.kind == layout::number::complex_;
  if (is_complex && o.dtype && is_integer(o.dtype->id())) return linspace_of_arrays(start, stop, num, o);  // its error
  const dtype_id t = o.dtype ? o.dtype->id() : is_complex ? dtype_id::complex128 : dtype_id::float64;
  return detail::create(op_id::linspace, layout::linspace_params(a, b, num, o.endpoint, t), start.where());
}

array logspace(const operand& start, const operand& stop, std::int64_t num, double base) {
  return logspace(start, stop, num, logspace_options{.base = at(base, start.where())});
}
array logspace(const operand& start, const operand& stop, std::int64_t num, const logspace_options& o) {
  const location& w = start.where();
  const int rank = detail::rank_of(o.base);
  const linspace_options even{.endpoint = o.endpoint, .axis = o.axis};
  array y;
  if (rank == 0) {
    y = power(o.base, at(linspace(start, stop, num, even), w));
  } else {  // as if all three had the same number of axes
    const int most = std::max({rank, detail::rank_of(start), detail::rank_of(stop)});
    auto widened = [&](const operand& v) {
      const placed x = place(at(detail::to_array(v), w));
      dims shape = x->shape();
      while (shape.size() < most) shape.insert(0, 1);
      return x.with(detail::reshape_view(x, shape));
    };
    const placed exponents = place(linspace(widened(start), widened(stop), num, even), w);
    y = power(exponents.with(expand_dims(widened(o.base), o.axis)), exponents);
  }
  return o.dtype ? detail::cast(at(y, w), o.dtype->id()) : y;
}

array geomspace(const operand& start, const operand& stop, std::int64_t num, const geomspace_options& o) {
  const location& w = start.where();
  const array typed = zeros({}, o.dtype ? *o.dtype : float64);
  const operand all[] = {start, stop, at(1.0, w), at(typed, w)};
  const dtype_id work = result_type(all);
  auto not_zero = [&](const operand& v) {
    const placed x = detail::place_as(at(detail::to_array(v), w), work);
    if (!v.is_array() && v.real() == 0 && v.imag() == 0) throw ValueError("geomspace", "Geometric sequence cannot include zero");
    return checked(x, x == 0.0, detail::value_check::geometric_zero);
  };
  // Turned to where the first value is positive and real, and back.
  const placed given = not_zero(start), sign = given.with(numjit::sign(given));
  const placed first = given / sign, last = not_zero(stop) / sign;
  const placed places = places_for(last.with(broadcast_arrays({first, last})[0]), num, dtype_id::int64);
  placed y = first.with(logspace(first.with(log10(first)), last.with(log10(last)), num, {.endpoint = o.endpoint}));
  y = y.with(where(places == 0, first, y));
  if (num > 1 && o.endpoint) y = y.with(where(places == num - 1, last, y));
  y = y * sign;
  if (o.axis != 0) y = y.with(moveaxis(y, 0, o.axis));
  return o.dtype && o.dtype->id() != work ? detail::cast(y, o.dtype->id()) : array(y);
}

}  // namespace numjit
