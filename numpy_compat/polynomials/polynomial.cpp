// Polynomials by their coefficients, windows, phases: composites of elementwise operations.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include <at_hand.h>

namespace numjit {

using detail::pick_axis;
using detail::slice_axis;

// ---- polynomials ----

namespace {

array coefficients(const char* name, const operand& p) {
  const array x = detail::to_array(p);
  if (x.ndim() > 1) throw ValueError(name, "Polynomial must be 1d only.");
  return atleast_1d(x);
}

// Coefficients along the first axis: with further axes, one polynomial for each place of theirs.
array leading(const operand& p) {
  const array x = detail::to_array(p);
  return x.ndim() > 0 ? x : atleast_1d(x);
}

// What has a length.
array sized(const char* name, const operand& p) {
  const array x = detail::to_array(p);
  if (x.ndim() == 0) throw TypeError(name, "len() of unsized object");
  return x;
}

bool is_single(const dtype& type) { return type == float32 || type == complex64; }

// Both with zeros in front, so that they have one length.
std::pair<array, array> aligned(const operand& a, const operand& b) {
  const array x = leading(a), y = leading(b);
  auto filled = [](const array& p, std::int64_t n) {
    if (p.shape(0) >= n) return p;
    return concatenate({zeros({n - p.shape(0)}, p.dtype()), p});
  };
  return {filled(x, y.shape(0)), filled(y, x.shape(0))};
}

}  // namespace

array polyval(const operand& p, const operand& x) {
  const location_scope scope(p.where());
  const array c = detail::to_array(p);
  if (c.ndim() == 0) throw TypeError("polyval", "iteration over a 0-d array");
  const array places = detail::to_array(x);
  array y = zeros_like(places);
  for (std::int64_t i = 0; i < c.shape(0); ++i) y = y * places + pick_axis(c, 0, i);
  return y;
}

array polyadd(const operand& a, const operand& b) {
  const location_scope scope(a.where());
  const auto [x, y] = aligned(a, b);
  return x + y;
}
array polysub(const operand& a, const operand& b) {
  const location_scope scope(a.where());
  const auto [x, y] = aligned(a, b);
  return x - y;
}

array polymul(const operand& a, const operand& b) {
  const location_scope scope(a.where());
  const auto trimmed = [](const operand& p) { return poly1d(coefficients("polymul", p)).coeffs(); };
  return convolve(trimmed(a), trimmed(b));
}

namespace {

/// Without the leading zeros of a remainder, as far as they are zero to rounding.
array significant(array rest) {
  while (allclose(pick_axis(rest, 0, 0), 0.0, {.rtol = 1e-14}) && rest.shape(-1) > 1) rest = slice_axis(rest, 0, 1, layout::none);
  return detail::contiguous_copy(rest);
}

}  // namespace

std::pair<array, array> polydiv(const operand& u, const operand& v) {
  const location_scope scope(u.where());
  const array given = leading(u) + 0.0, divisor = leading(v) + 0.0;
  const dtype type = (pick_axis(given, 0, 0) + pick_axis(divisor, 0, 0)).dtype();
  const std::int64_t n = divisor.shape(0), length = given.shape(0) - n + 1;
  if (length < 1) return {zeros({1}, type), significant(detail::as_type(given, type.id()))};
  const array scale = 1.0 / pick_axis(divisor, 0, 0);
  array rest = detail::as_type(given, type.id());
  array_list quotient;
  for (std::int64_t k = 0; k < length; ++k) {
    const array factor = scale * pick_axis(rest, 0, k);
    if (factor.ndim() > 0 && type.kind() == 'c')  // as NumPy refuses to store it
      throw TypeError("polydiv", "only 0-dimensional arrays can be converted to Python scalars");
    if (factor.ndim() > 0) throw ValueError("polydiv", "setting an array element with a sequence.");
    quotient.push_back(reshape(factor, {1}));
    const array left = slice_axis(rest, 0, k, k + n) - factor * divisor;
    rest = concatenate({slice_axis(rest, 0, 0, k), left, slice_axis(rest, 0, k + n, layout::none)});
  }
  return {concatenate(quotient), significant(rest)};
}

array polyder(const operand& p, int m) {
  const location_scope scope(p.where());
  if (m < 0) throw ValueError("polyder", "Order of derivative must be positive (see polyint)");
  array c = sized("polyder", p);
  const auto derived = [&] {  // powers go along the last axis, as products broadcast
    const array powers = arange(c.shape(0) - 1, 0, -1);
    return slice_axis(c, 0, 0, -1) * powers;
  };
  for (; m > 0; --m) {
    if (c.ndim() == 1 && c.size() < 2) return zeros({0}, dtype(promote_types(c.dtype().id(), dtype_id::int64)));
    c = derived();
  }
  if (c.ndim() > 1) derived();  // NumPy's recursion ends with one more product: it has to broadcast too
  return c;
}

array polyint(const operand& p, int m, const integration_constants& given) {
  const location_scope scope(p.where());
  if (m < 0) throw ValueError("polyint", "Order of integral must be positive (see polyder)");
  array k = given.values().empty_handle() ? zeros({m}, float64) : atleast_1d(given.values());
  if (k.shape(0) == 1 && m > 1) k = pick_axis(k, 0, 0) * ones({m});
  if (k.shape(0) < m) throw ValueError("polyint", "k must be a scalar or a rank-1 array of length 1 or >m.");
  if (m == 0) return detail::to_array(p);
  array c = sized("polyint", p);
  for (int i = 0; i < m; ++i) c = concatenate({c / arange(c.shape(0), 0, -1), slice_axis(k, 0, i, i + 1)});
  return c;
}

array poly(const operand& zeros) {
  const location_scope scope(zeros.where());
  array z = leading(zeros);
  if (z.ndim() == 2 && z.shape(0) == z.shape(1) && z.shape(0) != 0)
    z = linalg::eigvals(z);
  else if (z.ndim() != 1)
    throw ValueError("poly", "input must be 1d or non-empty square 2d array.");
  if (z.size() == 0) return array(1.0);
  array c = ones({1}, is_single(z.dtype()) ? z.dtype() : dtype(promote_types(z.dtype().id(), dtype_id::float64)));
  for (std::int64_t i = 0; i < z.size(); ++i) {
    const array shifted = -(c * pick_axis(z, 0, i));
    const array none = numjit::zeros({1}, c.dtype());
    c = concatenate({c, none}) + concatenate({none, shifted});
  }
  if (z.dtype().kind() != 'c') return c;
  // Zeros in conjugate pairs make real coefficients.
  const bool paired = array_equal(sort(z), sort(conjugate(z)));
  return paired ? copy(c.real()) : c;
}

array roots(const operand& p) {
  const location_scope scope(p.where());
  const array c = leading(p);
  if (c.ndim() > 1) throw ValueError("roots", "Input must be a rank-1 array.");
  const array places = flatnonzero(c);
  if (places.size() == 0) return zeros({0}, float64);
  // Zeros at the end are zeros of the polynomial.
  const std::int64_t first = places.item<std::int64_t>(0), last = places.item<std::int64_t>(places.size() - 1);
  const std::int64_t at_zero = c.size() - 1 - last, n = last - first + 1;
  const array used = detail::as_floating(slice_axis(c, 0, first, last + 1));
  if (n == 1) return zeros({at_zero}, used.dtype());
  const array top = -slice_axis(used, 0, 1, layout::none) / pick_axis(used, 0, 0);
  const array below = eye(n - 2, {.M = n - 1, .dtype = top.dtype()});
  const array companion = concatenate({expand_dims(top, 0), below}, {.axis = 0});
  const array values = linalg::eigvals(companion);
  return at_zero == 0 ? values : concatenate({values, zeros({at_zero}, values.dtype())});
}

namespace {

/// The equations of a fit: columns of one length are solved for, which keeps the conditions small.
struct Equations {
  Equations(const operand& x_given, const operand& y_given, int deg, const polyfit_options& o)
      : y(detail::to_array(y_given) + 0.0) {
    const array x = detail::to_array(x_given) + 0.0;
    if (deg < 0) throw ValueError("polyfit", "expected deg >= 0");
    if (x.ndim() != 1) throw TypeError("polyfit", "expected 1D vector for x");
    if (x.size() == 0) throw TypeError("polyfit", "expected non-empty vector for x");
    if (y.ndim() < 1 || y.ndim() > 2) throw TypeError("polyfit", "expected 1D or 2D array for y");
    if (x.shape(0) != y.shape(0)) throw TypeError("polyfit", "expected x and y to have same length");
    left = vander(x, deg + 1);
    right = y;
    if (!o.w.empty_handle()) {
      const array w = o.w + 0.0;
      if (w.ndim() != 1) throw TypeError("polyfit", "expected a 1-d array for weights");
      if (w.shape(0) != y.shape(0)) throw TypeError("polyfit", "expected w and y to have the same length");
      const array column = expand_dims(w, 1);
      left = left * column;
      right = right * (y.ndim() == 2 ? column : w);
    }
    lengths = sqrt(sum(left * left, {.axis = 0}));
    left = left / lengths;
    const double unit = is_single(x.dtype()) ? std::numeric_limits<float>::epsilon() : std::numeric_limits<double>::epsilon();
    rcond = o.rcond.value_or(static_cast<double>(x.size()) * unit);
    spare = x.size() - (deg + 1);
  }
  polyfit_full_result solved() const {
    const linalg::lstsq_result fit = linalg::lstsq(left, right, rcond);
    return {transpose(transpose(fit.x) / lengths), fit.residuals, fit.rank, fit.s, rcond};
  }

  array left, right, y, lengths;
  double rcond;
  std::int64_t spare;  // points beyond those that determine the polynomial
};

}  // namespace

array polyfit(const operand& x, const operand& y, int deg, const polyfit_options& o) { return polyfit_full(x, y, deg, o).c; }

polyfit_full_result polyfit_full(const operand& x, const operand& y, int deg, const polyfit_options& o) {
  const location_scope scope(x.where());
  return Equations(x, y, deg, o).solved();
}

polyfit_cov_result polyfit_cov(const operand& x, const operand& y, int deg, const polyfit_options& o, bool is_scaled) {
  const location_scope scope(x.where());
  const Equations e(x, y, deg, o);
  const polyfit_full_result fit = e.solved();
  array V = linalg::inv(matmul(transpose(e.left), e.left)) / outer(e.lengths, e.lengths);
  if (e.y.ndim() == 2) V = expand_dims(V, -1);
  if (!is_scaled) return {fit.c, V, fit.rank};
  if (e.spare <= 0) throw ValueError("polyfit", "the number of data points must exceed order to scale the covariance matrix");
  return {fit.c, V * (fit.residuals / static_cast<double>(e.spare)), fit.rank};
}

// ---- windows ----

namespace {

// 1 - M, 3 - M, ..., M - 1: twice the distance from the middle.
array window_places(std::int64_t M) { return arange(1.0 - static_cast<double>(M), static_cast<double>(M), 2.0); }
array short_window(std::int64_t M) { return M < 1 ? zeros({0}, float64) : ones({1}, float64); }

array cosine(const array& n, double turns, std::int64_t M) { return cos(n * (turns * pi) / static_cast<double>(M - 1)); }

// Sum of a Chebyshev series, by Clenshaw's recurrence.
template <std::size_t N>
array chebyshev(const array& x, const std::array<double, N>& series) {
  array b0 = full_like(x, series[0]), b1 = b0 * 0.0, b2 = b1;
  for (std::size_t i = 1; i < N; ++i) {
    b2 = b1;
    b1 = b0;
    b0 = x * b1 - b2 + series[i];
  }
  return (b0 - b2) * 0.5;
}

// exp(-x) I0(x) on [0, 8], and exp(-x) sqrt(x) I0(x) on [8, inf): the series that NumPy takes from Cephes.
constexpr std::array<double, 30> series_below_8 = {
    -4.41534164647933937950E-18, 3.33079451882223809783E-17, -2.43127984654795469359E-16, 1.71539128555513303061E-15,
    -1.16853328779934516808E-14, 7.67618549860493561688E-14, -4.85644678311192946090E-13, 2.95505266312963983461E-12,
    -1.72682629144155570723E-11, 9.67580903537323691224E-11, -5.18979560163526290666E-10, 2.65982372468238665035E-9,
    -1.30002500998624804212E-8,  6.04699502254191894932E-8,  -2.67079385394061173391E-7,  1.11738753912010371815E-6,
    -4.41673835845875056359E-6,  1.64484480707288970893E-5,  -5.75419501008210370398E-5,  1.88502885095841655729E-4,
    -5.76375574538582365885E-4,  1.63947561694133579842E-3,  -4.32430999505057594430E-3,  1.05464603945949983183E-2,
    -2.37374148058994688156E-2,  4.93052842396707084878E-2,  -9.49010970480476444210E-2,  1.71620901522208775349E-1,
    -3.04682672343198398683E-1,  6.76795274409476084995E-1};
constexpr std::array<double, 25> series_above_8 = {
    -7.23318048787475395456E-18, -4.83050448594418207126E-18, 4.46562142029675999901E-17,  3.46122286769746109310E-17,
    -2.82762398051658348494E-16, -3.42548561967721913462E-16, 1.77256013305652638360E-15,  3.81168066935262242075E-15,
    -9.55484669882830764870E-15, -4.15056934728722208663E-14, 1.54008621752140982691E-14,  3.85277838274214270114E-13,
    7.18012445138366623367E-13,  -1.79417853150680611778E-12, -1.32158118404477131188E-11, -3.14991652796324136454E-11,
    1.18891471078464383424E-11,  4.94060238822496958910E-10,  3.39623202570838634515E-9,   2.26666899049817806459E-8,
    2.04891858946906374183E-7,   2.89137052083475648297E-6,   6.88975834691682398426E-5,   3.36911647825569408990E-3,
    8.04490411014108831608E-1};

constexpr std::int64_t bessel_piece = 256;

/// The values of chebyshev() for up to bessel_piece elements, by the same operations: element beside element, since each
/// operation of one waits for the one before.
template <std::size_t N>
void chebyshev_of(const double* x, std::int64_t count, const std::array<double, N>& series, double* to) {
  double last[bessel_piece], before_last[bessel_piece];
  double *p = last, *q = before_last;
  std::fill_n(p, count, series[0]);
  std::fill_n(q, count, series[0] * 0.0);
  for (std::size_t i = 1; i + 1 < N; ++i) {
    for (std::int64_t k = 0; k < count; ++k) q[k] = x[k] * p[k] - q[k] + series[i];
    std::swap(p, q);
  }
  for (std::int64_t k = 0; k < count; ++k) to[k] = ((x[k] * p[k] - q[k] + series[N - 1]) - q[k]) * 0.5;
}

/// i0 in one pass: of both series only those that some element near by asks for.
array bessel_at_hand(const array& size, const array& exponential) {
  constexpr std::int64_t piece = bessel_piece;
  const array made = detail::fresh(dtype_id::float64, size.shape());
  const double *const x = detail::data_of<const double>(size), *const e = detail::data_of<const double>(exponential);
  double* const to = detail::data_of<double>(made);
  const auto work = [&](std::int64_t from, std::int64_t count) {
    double place[piece], value[piece];
    const double *const xs = x + from, *const es = e + from;
    const std::int64_t below = std::count_if(xs, xs + count, [](double v) { return v <= 8.0; });
    if (below > 0) {
      for (std::int64_t i = 0; i < count; ++i) place[i] = xs[i] / 2.0 - 2.0;
      chebyshev_of(place, count, series_below_8, value);
      for (std::int64_t i = 0; i < count; ++i) to[from + i] = es[i] * value[i];
    }
    if (below == count) return;
    for (std::int64_t i = 0; i < count; ++i) place[i] = 32.0 / xs[i] - 2.0;
    chebyshev_of(place, count, series_above_8, value);
    for (std::int64_t i = 0; i < count; ++i)
      if (!(xs[i] <= 8.0)) to[from + i] = es[i] * value[i] / std::sqrt(xs[i]);
  };
  detail::for_elements(made, 20, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t from = begin; from < end; from += piece) work(from, std::min(piece, end - from));
  });
  return made;
}

}  // namespace

array bartlett(std::int64_t M, location where) {
  const location_scope scope(where);
  if (M <= 1) return short_window(M);
  const array n = window_places(M);
  const array slope = n / static_cast<double>(M - 1);
  return numjit::where(n <= 0, slope + 1.0, 1.0 - slope);
}
array blackman(std::int64_t M, location where) {
  const location_scope scope(where);
  if (M <= 1) return short_window(M);
  const array n = window_places(M);
  return cosine(n, 1, M) * 0.5 + 0.42 + cosine(n, 2, M) * 0.08;
}
array hamming(std::int64_t M, location where) {
  const location_scope scope(where);
  return M <= 1 ? short_window(M) : cosine(window_places(M), 1, M) * 0.46 + 0.54;
}
array hanning(std::int64_t M, location where) {
  const location_scope scope(where);
  return M <= 1 ? short_window(M) : cosine(window_places(M), 1, M) * 0.5 + 0.5;
}
array kaiser(std::int64_t M, double beta, location where) {
  const location_scope scope(where);
  if (M <= 1) return short_window(M);
  const array n = arange(0.0, static_cast<double>(M));
  const double alpha = static_cast<double>(M - 1) / 2.0;
  const array distance = (n - alpha) / alpha;
  const array root = sqrt(1.0 - distance * distance);
  return i0(root * beta) / i0(beta);
}

array i0(const operand& a) {
  const location_scope scope(a.where());
  if (dtype(detail::type_of(a)).kind() == 'c') throw TypeError("i0", "i0 not supported for complex values");
  const array x = detail::as_floating(a);
  const array size = abs(x);
  if (detail::is_at_hand(size) && size.dtype() == float64) return bessel_at_hand(size, exp(size));
  const array below = exp(size) * chebyshev(size / 2.0 - 2.0, series_below_8);
  const array above = exp(size) * chebyshev(32.0 / size - 2.0, series_above_8) / sqrt(size);
  const array made = where(size <= 8.0, below, above);
  // At 0 its series: the modulus has no second derivative there.
  return detail::levels_are_open() ? where(x == 0, 1.0 + square(x) / 4.0 + square(square(x)) / 64.0, made) : made;
}

array sinc(const operand& a) {
  const location_scope scope(a.where());
  const array x = detail::as_floating(a);
  const array y = x * pi;
  // Where sin(e) / e is 1 in the dtype, as in NumPy.
  const dtype_id t = y.dtype().id();
  const double e = t == dtype_id::float16   ? 0x1p-10
                   : t == dtype_id::float32 ? 0x1p-23
                   : t == dtype_id::float64 ? 0x1p-52
                                            : 1.0e-20;
  const array safe = where(x == 0, e, y);
  const array made = sin(safe) / safe;
  // At 0 its series, which has the derivatives of the function where a constant has none.
  return detail::levels_are_open() ? where(x == 0, 1.0 - square(y) / 6.0 + square(square(y)) / 120.0, made) : made;
}

namespace {

/// Half a period in both directions, a number where the period is one, and whether it is exactly that.
struct HalfPeriod {
  HalfPeriod(const operand& period, bool whole) {
    if (period.is_array()) {
      arrays[0] = whole ? floor_divide(period, 2) : divide(period, 2);
      arrays[1] = negative(arrays[0]);
      high = arrays[0], low = arrays[1];
      is_exact = !whole || static_cast<bool>(remainder(period, 2) == 0);
    } else if (whole) {
      const std::int64_t n = period.int_value();
      const std::int64_t half = n / 2 - (n % 2 < 0);
      high = half, low = -half;
      is_exact = n % 2 == 0;
    } else {
      high = period.real() / 2, low = -period.real() / 2;
    }
  }
  array arrays[2];
  operand high = 0, low = 0;
  bool is_exact = true;
};

}  // namespace

array unwrap(const operand& p, const unwrap_options& o) {
  const location_scope scope(p.where());
  const array x = detail::to_array(p);
  const int k = normalize_axis("unwrap", o.axis, x.ndim());
  const array steps = diff(x, 1, k);
  const dtype_id type = result_type({steps, o.period});
  const HalfPeriod half(o.period, detail::is_integral_type(type));
  array folded = remainder(steps - half.low, o.period) + half.low;
  // A step of exactly half a period upwards stays upwards.
  if (half.is_exact) folded = where((folded == half.low) & (steps > 0), half.high, folded);
  const array widest = o.discont || !o.period.is_array() ? array() : divide(o.period, 2);
  const operand bound = o.discont ? *o.discont : widest.empty_handle() ? operand(o.period.real() / 2) : operand(widest);
  const array change = where(abs(steps) < bound, 0, folded - steps);
  const array later = slice_axis(x, k, 1, layout::none) + cumsum(change, {.axis = k});
  return concatenate({detail::as_type(slice_axis(x, k, 0, 1), type), detail::as_type(later, type)}, {.axis = k});
}

}  // namespace numjit
