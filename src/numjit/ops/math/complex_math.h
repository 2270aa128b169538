// Functions of complex elements: exp, log, sqrt, power, circular and hyperbolic functions and their
// inverses, with C99's values at zeros, infinities and NaNs. complex64 goes through complex128.
// The inverse functions follow Hull, Fairgrieve and Tang (ACM TOMS 23, 1997), as FreeBSD's libm
// does.
//
// Parts are scalars or hx<T>: what is chosen by a value is written with pick and choose
// (ops/math/complex.h). A kernel computes all branches; calls that differ only in their argument are
// therefore made once, with an argument that was picked.
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

inline constexpr double c_nan = __builtin_nan(""), c_inf = __builtin_inf();
inline constexpr double c_epsilon = 0x1p-52;

template <double_value V>
NUMJIT_M complex<V> z_of(V re, V im) {
  return {re, im};
}
template <double_value V>
NUMJIT_M V signed_as(V a, V b) {
  return with_sign(a, b);
}
template <double_value V>
NUMJIT_M complex<V> two_nan() {
  return {V(c_nan), V(c_nan)};
}

/// by e^x (cos y, sin y) for finite y, also where e^x alone overflows; `by` is 1 or 1/2.
template <double_value V>
NUMJIT_M_FAR complex<V> exp_polar(V x, V y, double by = 1.0) {
  const V limit = V(709.0), step = V(700.0), big = V(m::exp(700.0)), once = x - step;
  const auto large = x > limit;
  const auto huge = both(large, once > limit);
  V c = V(by) * m::cos(y), s = V(by) * m::sin(y);
  c = pick(large, c * big, c);
  s = pick(large, s * big, s);
  c = pick(huge, c * big, c);
  s = pick(huge, s * big, s);
  const V twice = pick(once > V(1409.0), limit, once - step);
  const V e = m::exp(pick(huge, twice, pick(large, once, x)));
  return {c * e, s * e};
}

/// log(hypot(x, y)), accurate also where the hypotenuse is near 1.
template <double_value V>
NUMJIT_M_FAR V log_modulus(V x, V y) {
  const auto swapped_parts = magnitude(x) < magnitude(y);
  const V a = pick(swapped_parts, magnitude(y), magnitude(x));
  const V b = pick(swapped_parts, magnitude(x), magnitude(y));
  const auto plain = [&] {
    const auto far = a > V(0x1p1000);
    const V by = pick(far, V(0.5), V(1.0));
    const V result = m::log(m::hypot(a * by, b * by));
    return pick(a == V(c_inf), V(c_inf), pick(far, result + V(ln2), result));
  };
  const auto exact = [&] {
    const auto a2 = exact_square(a), b2 = exact_square(b);
    const V rest = a2.lo + b2.lo;
    return choose(
        magnitude(a2.hi + b2.hi - V(1.0)) > V(0.125),
        [&] {
          const auto size = exact_sum_ordered(a2.hi, b2.hi);
          const auto result = log_extended<V>({size.hi, size.lo + rest});
          return V(0.5) * (result.hi + result.lo);
        },
        [&] {
          const auto sum = exact_sum(a2.hi - V(1.0), b2.hi);
          return V(0.5) * m::log1p(sum.hi + (sum.lo + rest));
        });
  };
  return choose(both(a >= V(0x1p-400), a <= V(0x1p400)), exact, plain);
}

template <double_value V>
NUMJIT_M_FAR complex<V> log_d(complex<V> z) {
  const V angle = m::arctan2(z.im, z.re);
  return choose(
      either(m::isinf(z.re), m::isinf(z.im)), [&] { return z_of(V(c_inf), angle); },
      [&] { return z_of(log_modulus(z.re, z.im), angle); });
}

template <double_value V>
NUMJIT_M_FAR complex<V> exp_d(complex<V> z) {
  const V x = z.re, y = z.im, zero = V(0.0);
  const auto bounded = [&] {
    const auto infinite = [&] {
      const V e = pick(x > zero, V(c_inf), zero);
      return z_of(e * m::cos(y), e * m::sin(y));
    };
    return choose(
        x == zero, [&] { return z_of(m::cos(y), m::sin(y)); },
        [&] { return choose(m::isinf(x), infinite, [&] { return exp_polar(x, y); }); });
  };
  const auto unbounded = [&] {
    return pick(x == V(-c_inf), z_of(zero, signed_as(zero, y)),
                pick(x == V(c_inf), z_of(V(c_inf), V(c_nan)), two_nan<V>()));
  };
  return choose(
      y == zero, [&] { return z_of(m::exp(x), y); },
      [&] { return choose(m::isfinite(y), bounded, unbounded); });
}

template <double_value V>
NUMJIT_M_FAR complex<V> sqrt_d(complex<V> z) {
  const V zero = V(0.0);
  const auto a_nan = m::isnan(z.re), b_nan = m::isnan(z.im);
  const auto usual = [&] {
    const V size = pick(magnitude(z.re) > magnitude(z.im), magnitude(z.re), magnitude(z.im));
    const auto large = size > V(0x1p1020), small = size < V(0x1p-960);
    const V by = pick(large, V(0.25), pick(small, V(0x1p108), V(1.0)));
    const V back = pick(large, V(2.0), pick(small, V(0x1p-54), V(1.0)));
    const V a = z.re * by, b = z.im * by;
    const V t = sqrt_of((magnitude(a) + m::hypot(a, b)) * V(0.5));
    const auto right = a >= zero;
    const V other = pick(right, b, magnitude(b)) / (V(2.0) * t) * back;
    return z_of(pick(right, t * back, other), pick(right, other, signed_as(t, b) * back));
  };
  const auto infinite = [&] {  // the real part is
    return pick(z.re < zero, z_of(pick(b_nan, V(c_nan), zero), signed_as(V(c_inf), z.im)),
                z_of(z.re, pick(b_nan, V(c_nan), signed_as(zero, z.im))));
  };
  const auto special = [&] {
    const auto rest = pick(m::isinf(z.re), infinite(), two_nan<V>());
    return pick(both(z.re == zero, z.im == zero), z_of(zero, z.im),
                pick(m::isinf(z.im), z_of(V(c_inf), z.im), pick(a_nan, two_nan<V>(), rest)));
  };
  const auto is_usual = both(both(m::isfinite(z.re), m::isfinite(z.im)),
                             either(z.re != zero, z.im != zero));
  return choose(is_usual, usual, special);
}

template <double_value V>
NUMJIT_M_FAR complex<V> sinh_d(complex<V> z) {
  const V x = z.re, y = z.im, zero = V(0.0);
  const auto far = [&] {
    const auto e = exp_polar(magnitude(x), y, 0.5);
    return z_of(pick(x < zero, negated(e.re), e.re), e.im);
  };
  const auto near = [&] { return z_of(m::sinh(x) * m::cos(y), m::cosh(x) * m::sin(y)); };
  const auto usual = [&] {
    return choose(
        y == zero, [&] { return z_of(m::sinh(x), y); },
        [&] { return choose(magnitude(x) < V(22.0), near, far); });
  };
  const auto special = [&] {
    const auto rest = choose(
        m::isinf(x),
        [&] {
          return choose(
              m::isfinite(y), [&] { return z_of(x * m::cos(y), V(c_inf) * m::sin(y)); },
              [&] { return z_of(V(c_inf), V(c_nan)); });
        },
        [&] { return two_nan<V>(); });
    return pick(x == zero, z_of(signed_as(zero, x), V(c_nan)), pick(y == zero, z_of(x, y), rest));
  };
  return choose(both(m::isfinite(x), m::isfinite(y)), usual, special);
}

template <double_value V>
NUMJIT_M_FAR complex<V> cosh_d(complex<V> z) {
  const V x = z.re, y = z.im, zero = V(0.0);
  const auto far = [&] {
    const auto e = exp_polar(magnitude(x), y, 0.5);
    return z_of(e.re, pick(x < zero, negated(e.im), e.im));
  };
  const auto near = [&] { return z_of(m::cosh(x) * m::cos(y), m::sinh(x) * m::sin(y)); };
  const auto usual = [&] {
    return choose(
        y == zero, [&] { return z_of(m::cosh(x), signed_as(zero, x) * y); },
        [&] { return choose(magnitude(x) < V(22.0), near, far); });
  };
  const auto special = [&] {
    const auto rest = choose(
        m::isinf(x),
        [&] {
          return choose(
              m::isfinite(y), [&] { return z_of(V(c_inf) * m::cos(y), x * m::sin(y)); },
              [&] { return z_of(V(c_inf), V(c_nan)); });
        },
        [&] { return two_nan<V>(); });
    return pick(x == zero, z_of(V(c_nan), signed_as(zero, x)),
                pick(y == zero, z_of(x * x, signed_as(zero, x) * y), rest));
  };
  return choose(both(m::isfinite(x), m::isfinite(y)), usual, special);
}

template <double_value V>
NUMJIT_M_FAR complex<V> tanh_d(complex<V> z) {
  const V x = z.re, y = z.im, zero = V(0.0), one = V(1.0);
  const auto far = [&] {
    const V e = m::exp(negated(magnitude(x)));
    return z_of(signed_as(one, x), V(4.0) * m::sin(y) * m::cos(y) * e * e);
  };
  const auto near = [&] {
    const V t = m::tan(y), beta = one + t * t;
    const V s = m::sinh(x), rho = sqrt_of(one + s * s);
    const V denominator = one + beta * s * s;
    return z_of((beta * rho * s) / denominator, t / denominator);
  };
  const auto usual = [&] { return choose(magnitude(x) >= V(22.0), far, near); };
  const auto infinite = [&] {
    const V slope = choose(
        m::isfinite(y), [&] { return m::sin(y) * m::cos(y); }, [&] { return y; });
    return z_of(signed_as(one, x), signed_as(zero, slope));
  };
  const auto special = [&] {
    return choose(
        m::isfinite(x), [&] { return z_of(pick(x == zero, x, V(c_nan)), V(c_nan)); },
        [&] {
          return choose(
              m::isnan(x), [&] { return z_of(x, pick(y == zero, y, V(c_nan))); }, infinite);
        });
  };
  return choose(both(m::isfinite(x), m::isfinite(y)), usual, special);
}

// ---- inverses
// ---------------------------------------------------------------------------------------

/// (hypot(a, b) - b) / 2 without cancellation, given hypot(a, b).
template <double_value V>
NUMJIT_M_FAR V half_excess(V a, V b, V hypotenuse) {
  return pick(b < V(0.0), hypotenuse - b, pick(b == V(0.0), a, a * a / (hypotenuse + b))) / V(2.0);
}

/// For x, y >= 0: rx = Re casinh(x + iy); Im is arcsin(b) if usable, else arctan2(y, root).
template <class V>
struct inverse_parts {
  V rx, b, root, y;
  bool_of<V> usable;
};
template <double_value V>
NUMJIT_M_FAR inverse_parts<V> inverse_work(V x, V y) {
  const V one = V(1.0);
  const V r = m::hypot(x, y + one), s = m::hypot(x, y - one);
  const V mean = (r + s) / V(2.0), a = pick(mean < one, one, mean);
  const auto off_axis = x >= V(c_epsilon) * magnitude(y - one);
  const auto at_one = y == one;
  inverse_parts<V> p;
  p.rx = choose(
      a < V(10.0),
      [&] {
        return choose(
            both(at_one, x < V(c_epsilon * c_epsilon / 128)), [&] { return sqrt_of(x); },
            [&] {
              return choose(
                  either(off_axis, y >= one),
                  [&] {
                    const V excess = half_excess(x, one + y, r) + half_excess(x, one - y, s);
                    const V off = excess + sqrt_of(excess * (a + one));
                    const V on = (y - one) + sqrt_of((y - one) * (y + one));
                    return m::log1p(pick(off_axis, off, on));
                  },
                  [&] { return x / sqrt_of((one - y) * (one + y)); });
            });
      },
      [&] { return m::log(a + sqrt_of(a * a - one)); });
  const auto tiny = y < V(0x1p-509);
  p.b = y / a;
  p.usable = both(!tiny, p.b <= V(0.6417));
  const auto rest = choose(
      p.usable, [&] { return z_of(V(0.0), y); },
      [&] {
        const auto above = y > one;
        const auto is_at = both(at_one, x < V(c_epsilon / 128));
        const V up = V(4 / c_epsilon / c_epsilon);
        const V excess = half_excess(x, y + one, r) + half_excess(x, y - one, s);
        const V at = sqrt_of(x) * sqrt_of((a + y) / V(2.0)), off = sqrt_of(excess * (a + y));
        const auto on = pick(above, z_of(x * up * y / sqrt_of((y + one) * (y - one)), y * up),
                             z_of(sqrt_of((one - y) * (one + y)), y));
        return pick(tiny, z_of(a * V(2 / c_epsilon), y * V(2 / c_epsilon)),
                    pick(is_at, z_of(at, y), pick(off_axis, z_of(off, y), on)));
      });
  p.root = rest.re;
  p.y = rest.im;
  return p;
}

template <double_value V>
NUMJIT_M_FAR complex<V> arcsinh_d(complex<V> z) {
  const V x = z.re, y = z.im, ax = magnitude(x), ay = magnitude(y);
  const auto far = [&] {
    const auto w = log_d(z_of(ax, ay));
    return z_of(signed_as(w.re + V(ln2), x), signed_as(w.im, y));
  };
  const auto usual = [&] {
    const auto p = inverse_work(ax, ay);
    const V ry = choose(
        p.usable, [&] { return m::arcsin(p.b); }, [&] { return m::arctan2(p.y, p.root); });
    return z_of(signed_as(p.rx, x), signed_as(ry, y));
  };
  const auto special = [&] {
    const auto rest = pick(y == V(0.0), z_of(V(c_nan), y), two_nan<V>());
    return pick(m::isinf(x), z_of(x, V(c_nan)), pick(m::isinf(y), z_of(V(c_inf), V(c_nan)), rest));
  };
  const auto numbers = [&] {
    return choose(
        either(ax > V(1 / c_epsilon), ay > V(1 / c_epsilon)), far, [&] {
          return choose(
              both(ax < V(0x1p-27), ay < V(0x1p-27)), [&] { return z; }, usual);
        });
  };
  return choose(either(m::isnan(x), m::isnan(y)), special, numbers);
}

template <double_value V>
NUMJIT_M_FAR complex<V> arccos_d(complex<V> z) {
  const V x = z.re, y = z.im, ax = magnitude(x), ay = magnitude(y);
  const auto below = m::signbit(y);
  const auto far = [&] {
    const auto w = log_d(z);
    const V ry = w.re + V(ln2);
    return z_of(magnitude(w.im), pick(below, ry, negated(ry)));
  };
  const auto usual = [&] {
    const auto p = inverse_work(ay, ax);
    const auto left = m::signbit(x);
    const V rx = choose(
        p.usable, [&] { return m::arccos(pick(left, negated(p.b), p.b)); },
        [&] { return m::arctan2(p.root, pick(left, negated(p.y), p.y)); });
    return z_of(rx, pick(below, p.rx, negated(p.rx)));
  };
  const auto special = [&] {
    const auto rest = pick(x == V(0.0), z_of(V(pio2_hi), V(c_nan)), two_nan<V>());
    return pick(m::isinf(x), z_of(V(c_nan), V(-c_inf)),
                pick(m::isinf(y), z_of(V(c_nan), negated(y)), rest));
  };
  const auto tiny = [&] { return z_of(V(pio2_hi) - (x - V(pio2_lo)), negated(y)); };
  const auto near = [&] {
    return choose(
        both(x == V(1.0), y == V(0.0)), [&] { return z_of(V(0.0), negated(y)); },
        [&] { return choose(both(ax < V(0x1p-27), ay < V(0x1p-27)), tiny, usual); });
  };
  const auto numbers = [&] {
    return choose(either(ax > V(1 / c_epsilon), ay > V(1 / c_epsilon)), far, near);
  };
  return choose(either(m::isnan(x), m::isnan(y)), special, numbers);
}

template <double_value V>
NUMJIT_M_FAR complex<V> arccosh_d(complex<V> z) {
  const auto w = arccos_d(z);
  const auto re_nan = m::isnan(w.re), im_nan = m::isnan(w.im);
  const auto half_nan = pick(re_nan, z_of(magnitude(w.im), w.re),
                             z_of(V(c_nan), pick(z.re == V(0.0), w.re, V(c_nan))));
  return pick(both(re_nan, im_nan), two_nan<V>(),
              pick(either(re_nan, im_nan), half_nan, z_of(magnitude(w.im), signed_as(w.re, z.im))));
}

template <double_value V>
NUMJIT_M_FAR complex<V> arctanh_d(complex<V> z) {
  const V x = z.re, y = z.im, ax = magnitude(x), ay = magnitude(y);
  const V zero = V(0.0), one = V(1.0), two = V(2.0), four = V(4.0);
  const auto far = [&] {
    const auto flat = ax >= ay;
    const V ratio = pick(flat, y, x) / pick(flat, x, y);
    const V inverse = pick(flat, one, ratio) / pick(flat, x + y * ratio, y + x * ratio);  // Re 1/z
    const V part = pick(either(m::isinf(x), m::isinf(y)), zero, inverse);
    return z_of(signed_as(part, x), signed_as(V(pio2_hi), y));
  };
  const auto at_one = ax == one;
  const auto usual = [&] {
    const V u = ax - one;
    const V rx = choose(
        both(at_one, ay < V(c_epsilon)), [&] { return (V(ln2) - m::log(ay)) / two; },
        [&] {
          const V squares = pick(ay < V(0x1p-511), u * u, u * u + ay * ay);
          return m::log1p(four * ax / squares) / four;
        });
    const V product = (one - ax) * (one + ax);
    const V over = pick(at_one, two, two * ay);
    const V under = pick(at_one, negated(ay), pick(ay < V(c_epsilon), product, product - ay * ay));
    return z_of(signed_as(rx, x), signed_as(m::arctan2(over, under) / two, y));
  };
  const auto special = [&] {
    return pick(m::isinf(x), z_of(signed_as(zero, x), V(c_nan)),
                pick(m::isinf(y), z_of(signed_as(zero, x), signed_as(V(pio2_hi), y)),
                     two_nan<V>()));
  };
  const auto numbers = [&] {
    return choose(
        either(ax > V(1 / c_epsilon), ay > V(1 / c_epsilon)), far, [&] {
          return choose(
              both(ax < V(0x1p-28), ay < V(0x1p-28)), [&] { return z; }, usual);
        });
  };
  const auto off_imaginary = [&] {
    return choose(either(m::isnan(x), m::isnan(y)), special, numbers);
  };
  return choose(
      both(y == zero, ax <= one), [&] { return z_of(m::arctanh(x), y); },
      [&] { return choose(x == zero, [&] { return z_of(x, m::arctan(y)); }, off_imaginary); });
}

// sin z = -i sinh(iz) and so on: turn by i, apply, turn back.
template <double_value V>
NUMJIT_M complex<V> turned(complex<V> z) {
  return {negated(z.im), z.re};
}
template <double_value V>
NUMJIT_M complex<V> turned_back(complex<V> z) {
  return {z.im, negated(z.re)};
}
template <double_value V>
NUMJIT_M complex<V> swapped(complex<V> z) {
  return {z.im, z.re};
}
template <double_value V>
NUMJIT_M complex<V> scaled(complex<V> z, double by) {
  return {z.re * V(by), z.im * V(by)};
}

template <double_value V>
NUMJIT_M_FAR complex<V> sin_d(complex<V> z) {
  return choose(  // C leaves the sign open, NumPy's is +
      both(m::isinf(z.im), !m::isfinite(z.re)), [&] { return z_of(V(c_nan), V(c_inf)); },
      [&] { return turned_back(sinh_d(turned(z))); });
}
template <double_value V>
NUMJIT_M_FAR complex<V> cos_d(complex<V> z) {
  return cosh_d(turned(z));
}
template <double_value V>
NUMJIT_M_FAR complex<V> tan_d(complex<V> z) {
  return turned_back(tanh_d(turned(z)));
}
template <double_value V>
NUMJIT_M_FAR complex<V> arcsin_d(complex<V> z) {
  return swapped(arcsinh_d(swapped(z)));
}
template <double_value V>
NUMJIT_M_FAR complex<V> arctan_d(complex<V> z) {
  return swapped(arctanh_d(swapped(z)));
}
template <double_value V>
NUMJIT_M_FAR complex<V> expm1_d(complex<V> z) {
  const V half = m::sin(z.im / V(2.0));
  return {m::expm1(z.re) * m::cos(z.im) - V(2.0) * half * half, m::exp(z.re) * m::sin(z.im)};
}
template <double_value V>
NUMJIT_M_FAR complex<V> log1p_d(complex<V> z) {
  const V one_more = z.re + V(1.0), half = V(0.5);
  const auto near = both(both(magnitude(z.re) < half, magnitude(z.im) < half), z.re != V(0.0));
  const V size = choose(
      near,
      [&] {  // |1 + z|^2 - 1 = 2x + x^2 + y^2
        const auto x2 = exact_square(z.re), y2 = exact_square(z.im);
        const auto first = exact_sum(V(2.0) * z.re, y2.hi), sum = exact_sum(first.hi, x2.hi);
        return half * m::log1p(sum.hi + (sum.lo + (first.lo + (x2.lo + y2.lo))));
      },
      [&] { return m::log(m::hypot(one_more, z.im)); });
  return {size, m::arctan2(z.im, one_more)};
}
template <double_value V>
NUMJIT_M_FAR complex<V> exp2_d(complex<V> z) {
  const auto usual = [&] {
    const auto angle = product_of<V>({z.im, V(0.0)}, {V(ln2), V(0x1.abc9e3b39803fp-56)});
    const V e = m::exp2(z.re), c = m::cos(angle.hi), s = m::sin(angle.hi);
    return z_of(e * (c - angle.lo * s), e * (s + angle.lo * c));
  };
  return choose(
      z.im == V(0.0), [&] { return z_of(m::exp2(z.re), z.im); },
      [&] {
        return choose(both(magnitude(z.re) < V(1000.0), magnitude(z.im) < V(0x1p30)), usual,
                      [&] { return exp_d(scaled(z, ln2)); });
      });
}
template <double_value V>
NUMJIT_M_FAR complex<V> log2_d(complex<V> z) {
  return scaled(log_d(z), 1.442695040888963407359924681001892137);
}
template <double_value V>
NUMJIT_M_FAR complex<V> log10_d(complex<V> z) {
  return scaled(log_d(z), 0.434294481903251827651128918916605082);
}

/// C99's product (Annex G): where the plain formula gives two NaNs, infinities are recovered.
template <double_value V>
NUMJIT_M_FAR complex<V> multiply_c99(complex<V> p, complex<V> q) {
  const V ac = p.re * q.re, bd = p.im * q.im, ad = p.re * q.im, bc = p.im * q.re;
  const complex<V> plain_product{ac - bd, ad + bc};
  const auto recovered = [&] {
    const auto unit = [](V v) { return signed_as(pick(m::isinf(v), V(1.0), V(0.0)), v); };
    const auto tidy = [](V v) { return pick(m::isnan(v), signed_as(V(0.0), v), v); };
    const auto p_inf = m::isinf(p), q_inf = m::isinf(q);
    const auto any_inf = either(p_inf, q_inf);
    const auto overflow = either(either(m::isinf(ac), m::isinf(bd)),
                                 either(m::isinf(ad), m::isinf(bc)));
    const auto part = [&](V v, auto own_inf) {  // infinite numbers become a unit box, NaNs zero
      return tidy(pick(own_inf, unit(v), v));
    };
    const V a = part(p.re, p_inf), b = part(p.im, p_inf);
    const V c = part(q.re, q_inf), d = part(q.im, q_inf);
    const V re = a * c - b * d, im = a * d + b * c;
    const complex<V> large{V(c_inf) * re, V(c_inf) * im};
    return pick(either(any_inf, overflow), large, plain_product);
  };
  return choose(
      both(m::isnan(plain_product.re), m::isnan(plain_product.im)), recovered,
      [&] { return plain_product; });
}

/// NumPy's npy_cpow for integer exponents, |n| < 100. N is an int32 value.
template <class V, class N>
NUMJIT_M_FAR complex<V> power_integral(complex<V> a, N n) {
  const N zero = N(0), left = pick(n < zero, zero - n, n);
  const complex<V> one(V(1), V(0));
  const auto by_squares = [&] {
    complex<V> result = one, base = a;
    for (std::int32_t bit = 1; bit < 128; bit *= 2) {
      result = choose((left & N(bit)) != zero, [&] { return m::multiply(result, base); },
                      [&] { return result; });
      if constexpr (value_traits<V>::scalar)
        if (left < 2 * bit) break;
      base = m::multiply(base, base);
    }
    return choose(n < zero, [&] { return m::divide(one, result); }, [&] { return result; });
  };
  const auto few = [&] {
    const auto square = m::multiply(a, a);
    return pick(n == N(1), a, pick(n == N(2), square, m::multiply(a, square)));
  };
  return choose(both(n >= N(1), n <= N(3)), few, by_squares);
}

}  // namespace detail

#define NUMJIT_COMPLEX_FUNCTION(name)                             \
  template <double_value V>                                       \
  NUMJIT_M_FAR complex<V> name(complex<V> z) {                    \
    return detail::name##_d(z);                                   \
  }                                                               \
  template <single_value V>                                       \
  NUMJIT_M_FAR complex<V> name(complex<V> z) {                    \
    const auto r = detail::name##_d(m::cast<complex<double>>(z)); \
    return m::cast<complex<float>>(r);                            \
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
template <class V>
NUMJIT_M_FAR complex<V> power(complex<V> a, complex<V> b) {
  using Z = complex<V>;
  const V zero = V(0);
  const auto integral = detail::both(
      b.im == zero, detail::both(magnitude(b.re) < V(100), trunc_of(b.re) == b.re));
  const auto by_products = [&] {
    return detail::power_integral(a, convert<std::int32_t>(pick(integral, b.re, zero)));
  };
  const auto by_logarithm = [&] {
    const auto l = detail::log_d(m::cast<complex<double>>(a));
    const auto r = detail::exp_d(detail::multiply_c99(m::cast<complex<double>>(b), l));
    return m::cast<complex<elem_of<V>>>(r);
  };
  const auto of_zero = [&] {
    return pick(b.re > zero, Z(zero, zero), Z(nan<V>(), nan<V>()));
  };
  const auto of_number = [&] { return choose(integral, by_products, by_logarithm); };
  return choose(
      detail::both(b.re == zero, b.im == zero), [&] { return Z(V(1), zero); },
      [&] {
        return choose(detail::both(a.re == zero, a.im == zero), of_zero, of_number);
      });
}

}  // namespace numjit::m
