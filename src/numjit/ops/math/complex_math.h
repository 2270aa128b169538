// Functions of complex elements: exp, log, sqrt, power, circular and hyperbolic functions and their
// inverses, with C99's values at zeros, infinities and NaNs. complex64 goes through complex128.
// The inverse functions follow Hull, Fairgrieve and Tang (ACM TOMS 23, 1997), as FreeBSD's libm
// does.
//
// Scalars only (kernels have no complex type), so plain branches are fine and nothing is forced
// inline.
#pragma once

#include <numjit/ops/math/complex.h>
#include <numjit/ops/math/exp.h>
#include <numjit/ops/math/hyperbolic.h>
#include <numjit/ops/math/inverse_trig.h>
#include <numjit/ops/math/log.h>
#include <numjit/ops/math/special.h>
#include <numjit/ops/math/trig.h>

namespace numjit::m {

namespace detail {

using complex_d = numjit::complex<double>;
using complex_f = numjit::complex<float>;

inline constexpr double c_nan = __builtin_nan(""), c_inf = __builtin_inf();
inline constexpr double c_epsilon = 0x1p-52;

NUMJIT_M_FAR bool finite(double v) { return m::isfinite(v); }
NUMJIT_M_FAR double signed_as(double a, double b) { return with_sign(a, b); }

/// by e^x (cos y, sin y) for finite y, also where e^x alone overflows; `by` is 1 or 1/2.
NUMJIT_M_FAR complex_d exp_polar(double x, double y, double by = 1.0) {
  double c = by * m::cos(y), s = by * m::sin(y);
  if (x > 709.0) {
    const double big = m::exp(700.0);
    c *= big;
    s *= big;
    x -= 700.0;
    if (x > 709.0) {
      c *= big;
      s *= big;
      x = x > 1409.0 ? 709.0 : x - 700.0;
    }
  }
  const double e = m::exp(x);
  return {c * e, s * e};
}

/// log(hypot(x, y)), accurate also where the hypotenuse is near 1.
NUMJIT_M_FAR double log_modulus(double x, double y) {
  double a = magnitude(x), b = magnitude(y);
  if (a < b) {
    const double t = a;
    a = b;
    b = t;
  }
  if (a > 0x1p1000) return a == c_inf ? c_inf : m::log(m::hypot(a * 0.5, b * 0.5)) + ln2;
  if (!(a >= 0x1p-400 && a <= 0x1p400)) return m::log(m::hypot(a, b));
  const auto a2 = exact_square(a), b2 = exact_square(b);
  if (magnitude(a2.hi + b2.hi - 1.0) > 0.125) {
    const auto size = exact_sum_ordered(a2.hi, b2.hi);
    const auto result = log_extended<double>({size.hi, size.lo + (a2.lo + b2.lo)});
    return 0.5 * (result.hi + result.lo);
  }
  const auto sum = exact_sum(a2.hi - 1.0, b2.hi);
  return 0.5 * m::log1p(sum.hi + (sum.lo + (a2.lo + b2.lo)));
}

NUMJIT_M_FAR complex_d log_d(complex_d z) {
  if (m::isinf(z.re) || m::isinf(z.im)) return {c_inf, m::arctan2(z.im, z.re)};
  return {log_modulus(z.re, z.im), m::arctan2(z.im, z.re)};
}

NUMJIT_M_FAR complex_d exp_d(complex_d z) {
  const double x = z.re, y = z.im;
  if (y == 0.0) return {m::exp(x), y};
  if (!finite(y)) {
    if (x == -c_inf) return {0.0, signed_as(0.0, y)};
    if (x == c_inf) return {c_inf, c_nan};
    return {c_nan, c_nan};
  }
  if (x == 0.0) return {m::cos(y), m::sin(y)};
  if (x == c_inf || x == -c_inf) {
    const double e = x > 0 ? c_inf : 0.0;
    return {e * m::cos(y), e * m::sin(y)};
  }
  return exp_polar(x, y);
}

NUMJIT_M_FAR complex_d sqrt_d(complex_d z) {
  double a = z.re, b = z.im;
  if (a == 0.0 && b == 0.0) return {0.0, b};
  if (m::isinf(b)) return {c_inf, b};
  if (a != a) return {c_nan, c_nan};
  if (m::isinf(a)) {
    if (a < 0) return {b != b ? c_nan : 0.0, signed_as(c_inf, b)};
    return {a, b != b ? c_nan : signed_as(0.0, b)};
  }
  if (b != b) return {c_nan, c_nan};
  double back = 1.0;
  const double size = magnitude(a) > magnitude(b) ? magnitude(a) : magnitude(b);
  if (size > 0x1p1020) {
    a *= 0.25;
    b *= 0.25;
    back = 2.0;
  } else if (size < 0x1p-960) {
    a *= 0x1p108;
    b *= 0x1p108;
    back = 0x1p-54;
  }
  const double t = sqrt_of((magnitude(a) + m::hypot(a, b)) * 0.5);
  if (a >= 0) return {t * back, b / (2.0 * t) * back};
  return {magnitude(b) / (2.0 * t) * back, signed_as(t, b) * back};
}

NUMJIT_M_FAR complex_d sinh_d(complex_d z) {
  const double x = z.re, y = z.im;
  if (finite(x) && finite(y)) {
    if (y == 0.0) return {m::sinh(x), y};
    if (magnitude(x) < 22.0) return {m::sinh(x) * m::cos(y), m::cosh(x) * m::sin(y)};
    const complex_d e = exp_polar(magnitude(x), y, 0.5);
    return {x < 0 ? negated(e.re) : e.re, e.im};
  }
  if (x == 0.0) return {signed_as(0.0, x), c_nan};
  if (y == 0.0) return {x, y};
  if (!finite(x) && x == x) {
    if (!finite(y)) return {c_inf, c_nan};
    return {x * m::cos(y), c_inf * m::sin(y)};
  }
  return {c_nan, c_nan};
}

NUMJIT_M_FAR complex_d cosh_d(complex_d z) {
  const double x = z.re, y = z.im;
  if (finite(x) && finite(y)) {
    if (y == 0.0) return {m::cosh(x), signed_as(0.0, x) * y};
    if (magnitude(x) < 22.0) return {m::cosh(x) * m::cos(y), m::sinh(x) * m::sin(y)};
    const complex_d e = exp_polar(magnitude(x), y, 0.5);
    return {e.re, x < 0 ? negated(e.im) : e.im};
  }
  if (x == 0.0) return {c_nan, signed_as(0.0, x)};
  if (y == 0.0) return {x * x, signed_as(0.0, x) * y};
  if (!finite(x) && x == x) {
    if (!finite(y)) return {c_inf, c_nan};
    return {c_inf * m::cos(y), x * m::sin(y)};
  }
  return {c_nan, c_nan};
}

NUMJIT_M_FAR complex_d tanh_d(complex_d z) {
  const double x = z.re, y = z.im;
  if (!finite(x)) {
    if (x != x) return {x, y == 0.0 ? y : c_nan};
    return {signed_as(1.0, x), signed_as(0.0, finite(y) ? m::sin(y) * m::cos(y) : y)};
  }
  if (!finite(y)) return {x == 0.0 ? x : c_nan, c_nan};
  if (magnitude(x) >= 22.0) {
    const double e = m::exp(negated(magnitude(x)));
    return {signed_as(1.0, x), 4.0 * m::sin(y) * m::cos(y) * e * e};
  }
  const double t = m::tan(y), beta = 1.0 + t * t;
  const double s = m::sinh(x), rho = sqrt_of(1.0 + s * s);
  const double denominator = 1.0 + beta * s * s;
  return {(beta * rho * s) / denominator, t / denominator};
}

// ---- inverses
// ---------------------------------------------------------------------------------------

/// (hypot(a, b) - b) / 2 without cancellation, given hypot(a, b).
NUMJIT_M_FAR double half_excess(double a, double b, double hypotenuse) {
  if (b < 0) return (hypotenuse - b) / 2;
  if (b == 0) return a / 2;
  return a * a / (hypotenuse + b) / 2;
}

/// For x, y >= 0: rx = Re casinh(x + iy); Im is arcsin(b) if usable, else arctan2(y, root).
struct inverse_parts {
  double rx, b, root, y;
  bool usable;
};
NUMJIT_M_FAR inverse_parts inverse_work(double x, double y) {
  inverse_parts p{0, 0, 0, y, false};
  const double r = m::hypot(x, y + 1), s = m::hypot(x, y - 1);
  double a = (r + s) / 2;
  if (a < 1) a = 1;
  const bool off_axis = x >= c_epsilon * magnitude(y - 1);
  if (a < 10) {
    if (y == 1 && x < c_epsilon * c_epsilon / 128) {
      p.rx = sqrt_of(x);
    } else if (off_axis) {
      const double excess = half_excess(x, 1 + y, r) + half_excess(x, 1 - y, s);
      p.rx = m::log1p(excess + sqrt_of(excess * (a + 1)));
    } else if (y < 1) {
      p.rx = x / sqrt_of((1 - y) * (1 + y));
    } else {
      p.rx = m::log1p((y - 1) + sqrt_of((y - 1) * (y + 1)));
    }
  } else {
    p.rx = m::log(a + sqrt_of(a * a - 1));
  }
  if (y < 0x1p-509) {
    p.root = a * (2 / c_epsilon);
    p.y = y * (2 / c_epsilon);
    return p;
  }
  p.b = y / a;
  p.usable = p.b <= 0.6417;
  if (p.usable) return p;
  if (y == 1 && x < c_epsilon / 128) {
    p.root = sqrt_of(x) * sqrt_of((a + y) / 2);
  } else if (off_axis) {
    p.root = sqrt_of((half_excess(x, y + 1, r) + half_excess(x, y - 1, s)) * (a + y));
  } else if (y > 1) {
    const double up = 4 / c_epsilon / c_epsilon;
    p.root = x * up * y / sqrt_of((y + 1) * (y - 1));
    p.y = y * up;
  } else {
    p.root = sqrt_of((1 - y) * (1 + y));
  }
  return p;
}

NUMJIT_M_FAR complex_d arcsinh_d(complex_d z) {
  const double x = z.re, y = z.im, ax = magnitude(x), ay = magnitude(y);
  if (x != x || y != y) {
    if (m::isinf(x)) return {x, c_nan};
    if (m::isinf(y)) return {c_inf, c_nan};
    if (y == 0) return {c_nan, y};
    return {c_nan, c_nan};
  }
  if (ax > 1 / c_epsilon || ay > 1 / c_epsilon) {
    const complex_d w = log_d({ax, ay});
    return {signed_as(w.re + ln2, x), signed_as(w.im, y)};
  }
  if (ax < 0x1p-27 && ay < 0x1p-27) return z;
  const inverse_parts p = inverse_work(ax, ay);
  const double ry = p.usable ? m::arcsin(p.b) : m::arctan2(p.y, p.root);
  return {signed_as(p.rx, x), signed_as(ry, y)};
}

NUMJIT_M_FAR complex_d arccos_d(complex_d z) {
  const double x = z.re, y = z.im, ax = magnitude(x), ay = magnitude(y);
  const bool below = m::signbit(y);
  if (x != x || y != y) {
    if (m::isinf(x)) return {c_nan, -c_inf};
    if (m::isinf(y)) return {c_nan, negated(y)};
    if (x == 0) return {pio2_hi, c_nan};
    return {c_nan, c_nan};
  }
  if (ax > 1 / c_epsilon || ay > 1 / c_epsilon) {
    const complex_d w = log_d(z);
    const double ry = w.re + ln2;
    return {magnitude(w.im), below ? ry : negated(ry)};
  }
  if (x == 1 && y == 0) return {0.0, negated(y)};
  if (ax < 0x1p-27 && ay < 0x1p-27) return {pio2_hi - (x - pio2_lo), negated(y)};
  const inverse_parts p = inverse_work(ay, ax);
  const bool left = m::signbit(x);
  const double rx = p.usable ? m::arccos(left ? negated(p.b) : p.b)
                             : m::arctan2(p.root, left ? negated(p.y) : p.y);
  return {rx, below ? p.rx : negated(p.rx)};
}

NUMJIT_M_FAR complex_d arccosh_d(complex_d z) {
  const complex_d w = arccos_d(z);
  if (w.re != w.re && w.im != w.im) return {c_nan, c_nan};
  if (w.re != w.re) return {magnitude(w.im), w.re};
  if (w.im != w.im) return {c_nan, z.re == 0 ? w.re : c_nan};
  return {magnitude(w.im), signed_as(w.re, z.im)};
}

NUMJIT_M_FAR complex_d arctanh_d(complex_d z) {
  const double x = z.re, y = z.im, ax = magnitude(x), ay = magnitude(y);
  if (y == 0 && ax <= 1) return {m::arctanh(x), y};
  if (x == 0) return {x, m::arctan(y)};
  if (x != x || y != y) {
    if (m::isinf(x)) return {signed_as(0.0, x), c_nan};
    if (m::isinf(y)) return {signed_as(0.0, x), signed_as(pio2_hi, y)};
    return {c_nan, c_nan};
  }
  if (ax > 1 / c_epsilon || ay > 1 / c_epsilon) {
    double part = 0.0;  // Re 1/z
    if (!m::isinf(x) && !m::isinf(y))
      part = ax >= ay ? 1.0 / (x + y * (y / x)) : (x / y) / (y + x * (x / y));
    return {signed_as(part, x), signed_as(pio2_hi, y)};
  }
  if (ax < 0x1p-28 && ay < 0x1p-28) return z;
  const double u = ax - 1;
  const double rx = ax == 1 && ay < c_epsilon
                        ? (ln2 - m::log(ay)) / 2
                        : m::log1p(4 * ax / (ay < 0x1p-511 ? u * u : u * u + ay * ay)) / 4;
  double ry = 0.0;
  if (ax == 1)
    ry = m::arctan2(2.0, negated(ay)) / 2;
  else if (ay < c_epsilon)
    ry = m::arctan2(2 * ay, (1 - ax) * (1 + ax)) / 2;
  else
    ry = m::arctan2(2 * ay, (1 - ax) * (1 + ax) - ay * ay) / 2;
  return {signed_as(rx, x), signed_as(ry, y)};
}

// sin z = -i sinh(iz) and so on: turn by i, apply, turn back.
NUMJIT_M_FAR complex_d turned(complex_d z) { return {negated(z.im), z.re}; }
NUMJIT_M_FAR complex_d turned_back(complex_d z) { return {z.im, negated(z.re)}; }
NUMJIT_M_FAR complex_d swapped(complex_d z) { return {z.im, z.re}; }

NUMJIT_M_FAR complex_d sin_d(complex_d z) {
  if (m::isinf(z.im) && !finite(z.re))
    return {c_nan, c_inf};  // C leaves the sign open, NumPy's is +
  return turned_back(sinh_d(turned(z)));
}
NUMJIT_M_FAR complex_d cos_d(complex_d z) { return cosh_d(turned(z)); }
NUMJIT_M_FAR complex_d tan_d(complex_d z) { return turned_back(tanh_d(turned(z))); }
NUMJIT_M_FAR complex_d arcsin_d(complex_d z) { return swapped(arcsinh_d(swapped(z))); }
NUMJIT_M_FAR complex_d arctan_d(complex_d z) { return swapped(arctanh_d(swapped(z))); }

NUMJIT_M_FAR complex_d expm1_d(complex_d z) {
  const double half = m::sin(z.im / 2);
  return {m::expm1(z.re) * m::cos(z.im) - 2 * half * half, m::exp(z.re) * m::sin(z.im)};
}
NUMJIT_M_FAR complex_d log1p_d(complex_d z) {
  const double angle = m::arctan2(z.im, z.re + 1);
  if (!(magnitude(z.re) < 0.5 && magnitude(z.im) < 0.5) || z.re == 0)
    return {m::log(m::hypot(z.re + 1, z.im)), angle};
  // |1 + z|^2 - 1 = 2x + x^2 + y^2
  const auto x2 = exact_square(z.re), y2 = exact_square(z.im);
  const auto first = exact_sum(2.0 * z.re, y2.hi), sum = exact_sum(first.hi, x2.hi);
  return {0.5 * m::log1p(sum.hi + (sum.lo + (first.lo + (x2.lo + y2.lo)))), angle};
}
NUMJIT_M_FAR complex_d scaled(complex_d z, double by) { return {z.re * by, z.im * by}; }
NUMJIT_M_FAR complex_d exp2_d(complex_d z) {
  if (!(magnitude(z.re) < 1000.0 && magnitude(z.im) < 0x1p30) || z.im == 0)
    return z.im == 0 ? complex_d{m::exp2(z.re), z.im} : exp_d(scaled(z, ln2));
  const auto angle = product_of<double>({z.im, 0.0}, {ln2, 0x1.abc9e3b39803fp-56});
  const double e = m::exp2(z.re), c = m::cos(angle.hi), s = m::sin(angle.hi);
  return {e * (c - angle.lo * s), e * (s + angle.lo * c)};
}
NUMJIT_M_FAR complex_d log2_d(complex_d z) {
  return scaled(log_d(z), 1.442695040888963407359924681001892137);
}
NUMJIT_M_FAR complex_d log10_d(complex_d z) {
  return scaled(log_d(z), 0.434294481903251827651128918916605082);
}

/// C99's product (Annex G): where the plain formula gives two NaNs, infinities are recovered.
NUMJIT_M_FAR complex_d multiply_c99(complex_d p, complex_d q) {
  double a = p.re, b = p.im, c = q.re, d = q.im;
  const double ac = a * c, bd = b * d, ad = a * d, bc = b * c;
  const complex_d plain_product{ac - bd, ad + bc};
  if (plain_product.re == plain_product.re || plain_product.im == plain_product.im)
    return plain_product;
  const auto unit = [](double& v) { v = signed_as(m::isinf(v) ? 1.0 : 0.0, v); };
  const auto tidy = [](double& v) { v = v != v ? signed_as(0.0, v) : v; };
  bool again = false;
  if (m::isinf(a) || m::isinf(b)) {
    unit(a);
    unit(b);
    tidy(c);
    tidy(d);
    again = true;
  }
  if (m::isinf(c) || m::isinf(d)) {
    unit(c);
    unit(d);
    tidy(a);
    tidy(b);
    again = true;
  }
  if (!again && (m::isinf(ac) || m::isinf(bd) || m::isinf(ad) || m::isinf(bc))) {
    tidy(a);
    tidy(b);
    tidy(c);
    tidy(d);
    again = true;
  }
  if (!again) return plain_product;
  return {c_inf * (a * c - b * d), c_inf * (a * d + b * c)};
}

/// NumPy's npy_cpow: small integer exponents by multiplication, the rest exp(b log a).
template <class T>
NUMJIT_M_FAR complex<T> power_integral(complex<T> a, int n) {
  if (n == 1) return a;
  if (n == 2) return m::multiply(a, a);
  if (n == 3) return m::multiply(a, m::multiply(a, a));
  complex<T> result(T(1), T(0)), base = a;
  for (int left = n < 0 ? -n : n;;) {
    if (left & 1) result = m::multiply(result, base);
    left >>= 1;
    if (left == 0) break;
    base = m::multiply(base, base);
  }
  return n < 0 ? m::divide(complex<T>(T(1), T(0)), result) : result;
}

}  // namespace detail

#define NUMJIT_COMPLEX_FUNCTION(name)                                                  \
  NUMJIT_M_FAR complex<double> name(complex<double> z) { return detail::name##_d(z); } \
  NUMJIT_M_FAR complex<float> name(complex<float> z) {                                 \
    const auto r = detail::name##_d(detail::complex_d(z.re, z.im));                    \
    return {static_cast<float>(r.re), static_cast<float>(r.im)};                       \
  }
NUMJIT_COMPLEX_FUNCTION(exp)
NUMJIT_COMPLEX_FUNCTION(exp2)
NUMJIT_COMPLEX_FUNCTION(expm1)
NUMJIT_COMPLEX_FUNCTION(log)
NUMJIT_COMPLEX_FUNCTION(log2)
NUMJIT_COMPLEX_FUNCTION(log10)
NUMJIT_COMPLEX_FUNCTION(log1p)
NUMJIT_COMPLEX_FUNCTION(sqrt)
NUMJIT_COMPLEX_FUNCTION(sin)
NUMJIT_COMPLEX_FUNCTION(cos)
NUMJIT_COMPLEX_FUNCTION(tan)
NUMJIT_COMPLEX_FUNCTION(arcsin)
NUMJIT_COMPLEX_FUNCTION(arccos)
NUMJIT_COMPLEX_FUNCTION(arctan)
NUMJIT_COMPLEX_FUNCTION(sinh)
NUMJIT_COMPLEX_FUNCTION(cosh)
NUMJIT_COMPLEX_FUNCTION(tanh)
NUMJIT_COMPLEX_FUNCTION(arcsinh)
NUMJIT_COMPLEX_FUNCTION(arccosh)
NUMJIT_COMPLEX_FUNCTION(arctanh)
#undef NUMJIT_COMPLEX_FUNCTION

/// a to the b; 1 for b = 0, products for small integral b.
template <class T>
NUMJIT_M_FAR complex<T> power(complex<T> a, complex<T> b) {
  if (b.re == 0 && b.im == 0) return {T(1), T(0)};
  if (a.re == 0 && a.im == 0) {
    if (b.re > 0) return {T(0), T(0)};
    return {nan<T>(), nan<T>()};
  }
  if (b.im == 0 && magnitude(b.re) < T(100) && trunc_of(b.re) == b.re)
    return detail::power_integral(a, static_cast<int>(b.re));
  const auto l = detail::log_d({static_cast<double>(a.re), static_cast<double>(a.im)});
  const auto r = detail::exp_d(detail::multiply_c99(
      detail::complex_d(static_cast<double>(b.re), static_cast<double>(b.im)), l));
  return {static_cast<T>(r.re), static_cast<T>(r.im)};
}

}  // namespace numjit::m
