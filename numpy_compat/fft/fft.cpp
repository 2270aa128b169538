// np::fft: arguments as NumPy takes them, one transform after the other along the axes.
#include <cmath>

#include <numjit/np_fft.h>
#include <numjit/ops/routine.h>
#include <surface.h>

#include "kinds.h"

namespace numjit::fft {

using detail::Kind;

namespace {

/// "backward" and "forward" change places for transforms back.
const char* swapped(const char* norm) {
  const std::string_view name(norm);
  if (name == "backward") return "forward";
  if (name == "forward") return "backward";
  if (name == "ortho") return "ortho";
  throw ValueError("fft", "Invalid norm value " + std::string(name) + "; should be \"backward\", \"ortho\" or \"forward\".");
}

double factor_of(const char* norm, std::int64_t n, bool single) {
  const std::string_view name(norm);
  if (name == "backward") return 1;
  if (name == "ortho") return single ? 1 / std::sqrt(static_cast<float>(n)) : 1 / std::sqrt(static_cast<double>(n));
  if (name == "forward") return single ? 1 / static_cast<float>(n) : 1 / static_cast<double>(n);
  throw ValueError("fft", "Invalid norm value " + std::string(name) + "; should be \"backward\",\"ortho\" or \"forward\".");
}

array floating(const operand& a) {
  const array x = numjit::detail::to_array(a);
  return x.dtype() == float16 ? numjit::detail::as_type(x, dtype_id::float32) : numjit::detail::as_floating(x);
}

std::int64_t length_of(const array& x, std::int64_t axis) {
  const int rank = x.ndim();
  if (axis < -rank || axis >= rank) throw IndexError("fft", "tuple index out of range");
  return x.shape(static_cast<int>(axis));
}

void store_to(const array& target, const array& value) {
  if (!target.writeable()) throw ValueError("fft", "output array is read-only");
  if (!(target.shape() == value.shape())) throw ValueError("fft", "output array has wrong shape.");
  if (!can_cast(value.get()->type, target.get()->type, casting::same_kind))
    throw TypeError("fft", "Cannot cast ufunc 'fft' output from dtype('" + std::string(value.dtype().name()) + "') to dtype('" +
                               std::string(target.dtype().name()) + "') with casting rule 'same_kind'");
  numjit::detail::before_write();
  numjit::detail::call(op_id::store, {target, value});
}

array transform(const array& x, Kind kind, std::int64_t n, std::int64_t axis, const char* norm, const array& out = {}) {
  if (n < 1) throw ValueError("fft", "Invalid number of FFT data points (" + std::to_string(n) + ") specified.");
  const bool back = kind == Kind::backward || kind == Kind::to_real;
  const bool single = x.dtype() == float32 || x.dtype() == complex64;
  const double factor = factor_of(back ? swapped(norm) : norm, n, single);
  if (kind == Kind::from_real && x.dtype().kind() == 'c')
    throw TypeError("rfft", std::string("ufunc 'rfft_n_") + (n % 2 == 0 ? "even" : "odd") +
                                "' not supported for the input types, and the inputs could not be safely coerced to any "
                                "supported types according to the casting rule ''safe''");
  const array result = numjit::detail::along_memory("fft", x, axis, [&](const operand& from, std::int64_t along) {
    op_params p;
    p.push(static_cast<std::int64_t>(numjit::detail::routine_id::fft)).push(static_cast<std::int64_t>(kind)).push(n);
    p.push(static_cast<std::int64_t>(normalize_axis("fft", along, x.ndim()))).push(factor);
    return numjit::detail::call(op_id::routine, {from}, p);
  });
  if (out.empty_handle()) return result;
  store_to(out, result);
  return out;
}

array one(const operand& a, Kind kind, const options& o) {
  const location_scope scope(a.where());
  const array x = floating(a);
  const std::int64_t n = o.n ? *o.n : kind == Kind::to_real ? 2 * (length_of(x, o.axis) - 1) : length_of(x, o.axis);
  return transform(x, kind, n, o.axis, o.norm, o.out);
}

struct Axes {
  dims s, axes;
};
Axes axes_of(const array& x, const many_options& o, bool to_real) {
  Axes r;
  if (o.axes) {
    r.axes = *o.axes;
  } else {
    const int count = o.s ? (*o.s).size() : x.ndim();
    for (int i = -count; i < 0; ++i) r.axes.push_back(i);
  }
  if (o.s) {
    r.s = *o.s;
    if (r.s.size() != r.axes.size()) throw ValueError("fftn", "Shape and axes have different lengths.");
    for (int i = 0; i < r.s.size(); ++i)
      if (r.s[i] == -1) r.s[i] = length_of(x, r.axes[i]);
    return r;
  }
  for (std::int64_t axis : r.axes) r.s.push_back(length_of(x, axis));
  if (to_real && !r.s.empty()) r.s[r.s.size() - 1] = 2 * (length_of(x, r.axes.back()) - 1);
  return r;
}

array finished(const array& result, const many_options& o) {
  if (o.out.empty_handle()) return result;
  store_to(o.out, result);
  return o.out;
}

array many(const operand& a, Kind kind, const many_options& o) {
  const location_scope scope(a.where());
  array x = floating(a);
  const Axes r = axes_of(x, o, false);
  for (int i = r.axes.size() - 1; i >= 0; --i) x = transform(x, kind, r.s[i], r.axes[i], o.norm);
  return finished(x, o);
}

many_options two(const many_options& o) {
  many_options last = o;
  if (!last.axes) last.axes = {-2, -1};
  return last;
}

}  // namespace

array fft(const operand& a, const options& o) { return one(a, Kind::forward, o); }
array ifft(const operand& a, const options& o) { return one(a, Kind::backward, o); }
array rfft(const operand& a, const options& o) { return one(a, Kind::from_real, o); }
array irfft(const operand& a, const options& o) { return one(a, Kind::to_real, o); }

array hfft(const operand& a, const options& o) {
  const location_scope scope(a.where());
  options back = o;
  back.norm = swapped(o.norm);
  const array x = floating(a);
  if (!back.n) back.n = 2 * (length_of(x, o.axis) - 1);
  return irfft(x.dtype().kind() == 'c' ? conjugate(x) : x, back);
}

array ihfft(const operand& a, const options& o) {
  const location_scope scope(a.where());
  options forward = o;
  forward.norm = swapped(o.norm);
  forward.out = array();
  const array half = rfft(a, forward), result = conjugate(half);
  if (o.out.empty_handle()) return result;
  store_to(o.out, result);
  return o.out;
}

array fftn(const operand& a, const many_options& o) { return many(a, Kind::forward, o); }
array ifftn(const operand& a, const many_options& o) { return many(a, Kind::backward, o); }

array rfftn(const operand& a, const many_options& o) {
  const location_scope scope(a.where());
  array x = floating(a);
  const Axes r = axes_of(x, o, false);
  if (r.axes.empty()) throw IndexError("rfftn", "list index out of range");
  const int last = r.axes.size() - 1;
  x = transform(x, Kind::from_real, r.s[last], r.axes[last], o.norm);
  for (int i = last - 1; i >= 0; --i) x = transform(x, Kind::forward, r.s[i], r.axes[i], o.norm);
  return finished(x, o);
}

array irfftn(const operand& a, const many_options& o) {
  const location_scope scope(a.where());
  array x = floating(a);
  const Axes r = axes_of(x, o, true);
  if (r.axes.empty()) throw IndexError("irfftn", "list index out of range");
  const int last = r.axes.size() - 1;
  for (int i = 0; i < last; ++i) x = transform(x, Kind::backward, r.s[i], r.axes[i], o.norm);
  return finished(transform(x, Kind::to_real, r.s[last], r.axes[last], o.norm), o);
}

array fft2(const operand& a, const many_options& o) { return fftn(a, two(o)); }
array ifft2(const operand& a, const many_options& o) { return ifftn(a, two(o)); }
array rfft2(const operand& a, const many_options& o) { return rfftn(a, two(o)); }
array irfft2(const operand& a, const many_options& o) { return irfftn(a, two(o)); }

namespace {

double duration(const char* op, std::int64_t n, double d) {
  const double all = static_cast<double>(n) * d;
  if (all == 0) throw ZeroDivisionError(op, "float division by zero");
  return all;
}

}  // namespace

array fftfreq(std::int64_t n, double d, location where) {
  const location_scope scope(where);
  if (n < 0) throw ValueError("fftfreq", "negative dimensions are not allowed");
  const double step = 1.0 / duration("fftfreq", n, d);
  const array up = arange((n - 1) / 2 + 1), down = arange(-(n / 2), 0);
  return concatenate({up, down}) * step;
}
array rfftfreq(std::int64_t n, double d, location where) {
  const location_scope scope(where);
  return arange(n / 2 + 1) * (1.0 / duration("rfftfreq", n, d));
}

namespace {

array shifted(const operand& x, const axis_list& axes, bool back) {
  const location_scope scope(x.where());
  const array given = numjit::detail::to_array(x);
  dims list = axes.list(), halves;
  if (axes.all())
    for (int i = 0; i < given.ndim(); ++i) list.push_back(i);
  for (std::int64_t axis : list) halves.push_back((back ? -1 : 1) * (length_of(given, axis) / 2));
  return list.empty() ? given : roll(given, halves, list);
}

}  // namespace

array fftshift(const operand& x, const shift_options& o) { return shifted(x, o.axes, false); }
array ifftshift(const operand& x, const shift_options& o) { return shifted(x, o.axes, true); }

}  // namespace numjit::fft
