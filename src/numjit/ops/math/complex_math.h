// Functions of complex elements: exp, log, sqrt, power, circular and hyperbolic functions and their
// inverses, with C99's values at zeros, infinities and NaNs. complex64 goes through complex128.
// The inverse functions follow Kahan (Branch Cuts for Complex Elementary Functions, 1987), whose sums cancel nothing.
//
// Parts are scalars or hx<T>: what is chosen by a value is written with pick and choose
// (ops/math/complex.h). A kernel computes all branches; calls that differ only in their argument are
// therefore made once, with an argument that was picked.
#pragma once

#include <numjit/ops/math/complex_parts.h>
#include <numjit/ops/math/special.h>

namespace numjit::m {

namespace detail {

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
/// Both parts smaller than `size`.
template <double_value V>
NUMJIT_M auto within(complex<V> z, double size) {
  return both(magnitude(z.re) < V(size), magnitude(z.im) < V(size));
}
template <double_value V>
NUMJIT_M auto all_finite(complex<V> z) {
  return both(m::isfinite(z.re), m::isfinite(z.im));
}

/// a 2^n; a double comes without n.
template <double_value V>
NUMJIT_M V finished(extended<V> a, V n) {
  return scaled_up(a, n);
}
template <double_value V>
NUMJIT_M V finished(V a, V) {
  return a;
}

// ---- exponential, logarithm, root
// ---------------------------------------------------------------------------------------

/// e^x (cos y, sin y) for finite y, also where e^x alone overflows.
template <class W, class V = under<W>>
NUMJIT_M_FAR complex<V> exp_polar(W x, W y) {
  const auto e = exp_of<W>(head(x));
  auto turn = circular_pair<W>(head(y));
  if constexpr (is_extended<W>) {
    const auto power = e.value * exact_sum_ordered(V(1.0), x.lo);
    turn = turned_by(turn, y.lo);
    // A product by what is tiny would be rounded among the subnormals
    const auto tiny = magnitude(y.hi) < V(0x1p-500);
    const W sine = pick(tiny, exactly<W>(y.hi * V(0x1p540)), turn.sin);
    return {finished(power * turn.cos, e.n), finished(power * sine, pick(tiny, e.n - V(540.0), e.n))};
  } else {
    return {e.value * turn.cos, e.value * turn.sin};
  }
}

template <class W, class V = under<W>>
NUMJIT_M_FAR complex<V> exp_by(complex<V> z) {
  const V x = z.re, y = z.im, zero = V(0.0);
  const auto bounded = [&] {
    const auto infinite = [&] {
      const V e = pick(x > zero, V(c_inf), zero);
      return z_of(e * m::cos(y), e * m::sin(y));
    };
    return choose(m::isinf(x), infinite, [&] { return exp_polar<W>(exactly<W>(x), exactly<W>(y)); });
  };
  const auto unbounded = [&] {
    return pick(x == V(-c_inf), z_of(zero, signed_as(zero, y)),
                pick(x == V(c_inf), z_of(V(c_inf), V(c_nan)), two_nan<V>()));
  };
  return choose(
      y == zero, [&] { return z_of(m::exp(x), y); },
      [&] { return choose(m::isfinite(y), bounded, unbounded); });
}

template <class W, class V = under<W>>
NUMJIT_M_FAR complex<V> expm1_by(complex<V> z) {
  const V x = z.re, y = z.im, two = V(2.0);
  const auto usual = [&] {
    // e^x - 1 - 2 e^x sin^2(y/2) and 2 e^x sin(y/2) cos(y/2)
    const auto half = circular_pair<W>(y * V(0.5));
    W power = exactly<W>(V(0.0)), less = power;
    if constexpr (is_extended<W>) {
      const auto e = exp_of<W>(hold(x, -700.0, 50.0));
      power = scaled_by(e.value, power_of_two(e.n));
      less = power - exactly<W>(V(1.0));
    } else {
      power = m::exp(x);
      less = m::expm1(x);
    }
    const W twice = scaled_by(power * half.sin, two);
    return z_of(value_of(less - twice * half.sin), value_of(twice * half.cos));
  };
  const auto specials = [&] {
    const V half = m::sin(y * V(0.5));
    return z_of(m::expm1(x) * m::cos(y) - two * half * half, m::exp(x) * m::sin(y));
  };
  const auto numbers = [&] {
    return choose(x > V(45.0), [&] { return exp_polar<W>(exactly<W>(x), exactly<W>(y)); }, usual);
  };
  return choose(
      both(y == V(0.0), m::isfinite(x)), [&] { return z_of(m::expm1(x), y); },
      [&] {
        return choose(
            all_finite(z),
            [&] { return choose(within(z, 0x1p-54), [&] { return z; }, numbers); }, specials);
      });
}

template <class W, class V = under<W>>
NUMJIT_M_FAR complex<V> exp2_by(complex<V> z) {
  const W by = constant<W>(ln2, ln2_rest);
  return choose(
      z.im == V(0.0), [&] { return z_of(m::exp2(z.re), z.im); },
      [&] {
        return choose(
            within(z, 0x1p30), [&] { return exp_polar<W>(exactly<W>(z.re) * by, exactly<W>(z.im) * by); },
            [&] { return exp_by<W>(z_of(z.re * V(ln2), z.im * V(ln2))); });
      });
}

/// Parts of a logarithm.
template <class W>
struct log_parts {
  W re, im;
};
template <class W, class V = under<W>>
NUMJIT_M_FAR log_parts<W> log_of_complex(complex<V> z) {
  const V x = magnitude(z.re), y = magnitude(z.im);
  const auto steep = x < y;
  const V large = pick(steep, y, x), small = pick(steep, x, y), one = V(1.0);
  const W excess = exact_sum_as<W>(large, negated(one)) * exact_sum_as<W>(large, one) + exact_square_as<W>(small);
  const W re = exactly<W>(z.re);
  return {log_modulus<W>(re, z.im, excess), angle_of_point<W>(exactly<W>(z.im), re)};
}

template <class W, class V = under<W>>
NUMJIT_M_FAR complex<V> log_by(complex<V> z) {
  const auto l = log_of_complex<W>(z);
  return {value_of(l.re), value_of(l.im)};
}
template <class W, class V = under<W>>
NUMJIT_M complex<V> log_to_base(complex<V> z, double by, double by_rest) {
  const auto l = log_of_complex<W>(z);
  const W factor = constant<W>(by, by_rest);
  const V size = head(l.re);
  return {pick(m::isfinite(size), value_of(l.re * factor), size), value_of(l.im * factor)};
}
template <class W, class V = under<W>>
NUMJIT_M_FAR complex<V> log2_by(complex<V> z) {
  return log_to_base<W>(z, 0x1.71547652b82fep+0, 0x1.777d0ffda0d24p-56);
}
template <class W, class V = under<W>>
NUMJIT_M_FAR complex<V> log10_by(complex<V> z) {
  return log_to_base<W>(z, 0x1.bcb7b1526e50ep-2, 0x1.95355baaafad3p-57);
}
template <class W, class V = under<W>>
NUMJIT_M_FAR complex<V> log1p_by(complex<V> z) {
  const W re = exact_sum_as<W>(V(1.0), z.re);
  const W excess = exactly<W>(z.re) * exact_sum_as<W>(z.re, V(2.0)) + exact_square_as<W>(z.im);
  return {value_of(log_modulus<W>(re, z.im, excess)), value_of(angle_of_point<W>(exactly<W>(z.im), re))};
}

template <class W, class V = under<W>>
NUMJIT_M_FAR complex<V> sqrt_by(complex<V> z) {
  const V zero = V(0.0);
  const auto a_nan = m::isnan(z.re), b_nan = m::isnan(z.im);
  const auto usual = [&] {
    const auto r = complex_root<W>(exactly<W>(z.re), magnitude(z.im));
    return z_of(value_of(r.re), signed_as(value_of(r.im), z.im));
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
  return choose(both(all_finite(z), either(z.re != zero, z.im != zero)), usual, special);
}

// ---- hyperbolic functions; circular ones are theirs, turned
// ---------------------------------------------------------------------------------------

template <class W, class V = under<W>>
NUMJIT_M_FAR complex<V> sinh_by(complex<V> z) {
  const V x = z.re, y = z.im, zero = V(0.0);
  const auto usual = [&] {
    const auto h = hyperbolic_of<W>(magnitude(x));
    const auto turn = circular_pair<W>(y);
    const V re = finished(h.sinh * turn.cos, h.n);  // of a zero the sum of two has lost the sign
    return z_of(pick(x == zero, x * head(turn.cos), pick(m::signbit(x), negated(re), re)),
                finished(h.cosh * turn.sin, h.n));
  };
  const auto numbers = [&] {
    return choose(
        y == zero, [&] { return z_of(m::sinh(x), y); },
        [&] { return choose(within(z, 0x1p-30), [&] { return z; }, usual); });
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
  return choose(all_finite(z), numbers, special);
}

template <class W, class V = under<W>>
NUMJIT_M_FAR complex<V> cosh_by(complex<V> z) {
  const V x = z.re, y = z.im, zero = V(0.0);
  const auto usual = [&] {
    const auto h = hyperbolic_of<W>(magnitude(x));
    const auto turn = circular_pair<W>(y);
    const V im = finished(h.sinh * turn.sin, h.n);  // as above
    return z_of(finished(h.cosh * turn.cos, h.n),
                pick(x == zero, x * head(turn.sin), pick(m::signbit(x), negated(im), im)));
  };
  const auto numbers = [&] {
    return choose(y == zero, [&] { return z_of(m::cosh(x), signed_as(zero, x) * y); }, usual);
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
  return choose(all_finite(z), numbers, special);
}

/// (sinh x cosh x + i sin y cos y) / (sinh^2 x + cos^2 y)
template <class W, class V = under<W>>
NUMJIT_M_FAR complex<V> tanh_by(complex<V> z) {
  const V x = z.re, y = z.im, zero = V(0.0), one = V(1.0);
  const auto turn = circular_pair<W>(pick(m::isfinite(y), y, zero));
  const auto far = [&] {
    const auto e = exp_of<W>(V(-2.0) * magnitude(x));
    return z_of(signed_as(one, x), finished(turn.sin * turn.cos * scaled_by(e.value, V(4.0)), e.n));
  };
  const auto near = [&] {
    const auto h = hyperbolic_of<W>(pick(magnitude(x) < V(25.0), magnitude(x), one));
    const V up = power_of_two(h.n);
    const W s = scaled_by(h.sinh, up), c = scaled_by(h.cosh, up);
    const W den = s * s + turn.cos * turn.cos;
    return z_of(signed_as(value_of(s * c / den), x), value_of(turn.sin * turn.cos / den));
  };
  const auto usual = [&] {
    return choose(
        magnitude(x) >= V(22.0), far,
        [&] { return choose(within(z, 0x1p-30), [&] { return z; }, near); });
  };
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
  return choose(all_finite(z), usual, special);
}

// ---- inverses
// ---------------------------------------------------------------------------------------

/// For x, y >= 0 and z = x + iy: the parts of sqrt(1 - conj z) and of sqrt(1 + z), none of them negative.
/// arcsin z is arctan2(x, across) + i arcsinh(along), arccos z is 2 arctan2(less.re, more.re) - i arcsinh(along).
template <class W>
struct inverse_parts {
  root_parts<W> less, more;
  W across, along;
};
template <class W, class V = under<W>>
NUMJIT_M_FAR inverse_parts<W> inverse_work(V x, V y) {
  const auto less = complex_root<W>(exact_sum_as<W>(V(1.0), negated(x)), y);
  const auto more = complex_root<W>(exact_sum_as<W>(V(1.0), x), y);
  return {less, more, less.re * more.re + less.im * more.im, less.re * more.im + less.im * more.re};
}
/// From here on log(2z) is what the inverses are.
inline constexpr double inverses_are_logarithms = 0x1p52;

template <class W, class V = under<W>>
NUMJIT_M log_parts<W> log_of_double(complex<V> z) {
  const auto l = log_of_complex<W>(z);
  return {l.re + constant<W>(ln2, ln2_rest), l.im};
}

template <class W, class V = under<W>>
NUMJIT_M_FAR complex<V> arcsinh_by(complex<V> z) {
  const V x = z.re, y = z.im, ax = magnitude(x), ay = magnitude(y);
  const auto far = [&] {
    const auto w = log_of_double<W>(z_of(ax, ay));
    const V re = pick(either(m::isinf(x), m::isinf(y)), V(c_inf), value_of(w.re));
    return z_of(signed_as(re, x), signed_as(value_of(w.im), y));
  };
  const auto usual = [&] {
    const auto p = inverse_work<W>(ay, ax);
    const V re = value_of(arcsinh_of<W>(p.along)), im = value_of(angle_of_point<W>(exactly<W>(ay), p.across));
    return z_of(signed_as(re, x), signed_as(im, y));
  };
  const auto special = [&] {
    const auto rest = pick(y == V(0.0), z_of(V(c_nan), y), two_nan<V>());
    return pick(m::isinf(x), z_of(x, V(c_nan)), pick(m::isinf(y), z_of(V(c_inf), V(c_nan)), rest));
  };
  const auto numbers = [&] {
    return choose(
        within(z, inverses_are_logarithms),
        [&] { return choose(within(z, 0x1p-27), [&] { return z; }, usual); }, far);
  };
  return choose(either(m::isnan(x), m::isnan(y)), special, numbers);
}

template <class W, class V = under<W>>
NUMJIT_M_FAR complex<V> arccos_by(complex<V> z) {
  const V x = z.re, y = z.im, ax = magnitude(x), ay = magnitude(y);
  const auto below = m::signbit(y);
  const auto far = [&] {
    const auto w = log_of_double<W>(z);
    const V size = pick(either(m::isinf(x), m::isinf(y)), V(c_inf), value_of(w.re));
    return z_of(magnitude(value_of(w.im)), pick(below, size, negated(size)));
  };
  const auto usual = [&] {
    const auto p = inverse_work<W>(ax, ay);
    const auto left = m::signbit(x);
    const W half = angle_of_point<W>(pick(left, p.more.re, p.less.re), pick(left, p.less.re, p.more.re));
    const V im = value_of(arcsinh_of<W>(p.along));
    return z_of(V(2.0) * value_of(half), pick(below, im, negated(im)));
  };
  const auto special = [&] {
    const auto rest = pick(x == V(0.0), z_of(V(pio2_hi), V(c_nan)), two_nan<V>());
    return pick(m::isinf(x), z_of(V(c_nan), V(-c_inf)),
                pick(m::isinf(y), z_of(V(c_nan), negated(y)), rest));
  };
  const auto tiny = [&] { return z_of(V(pio2_hi) - (x - V(pio2_lo)), negated(y)); };
  const auto numbers = [&] {
    return choose(
        within(z, inverses_are_logarithms),
        [&] { return choose(within(z, 0x1p-27), tiny, usual); }, far);
  };
  return choose(either(m::isnan(x), m::isnan(y)), special, numbers);
}

template <class W, class V = under<W>>
NUMJIT_M_FAR complex<V> arccosh_by(complex<V> z) {
  const auto w = arccos_by<W>(z);
  const auto re_nan = m::isnan(w.re), im_nan = m::isnan(w.im);
  const auto half_nan = pick(re_nan, z_of(magnitude(w.im), w.re),
                             z_of(V(c_nan), pick(z.re == V(0.0), w.re, V(c_nan))));
  return pick(both(re_nan, im_nan), two_nan<V>(),
              pick(either(re_nan, im_nan), half_nan, z_of(magnitude(w.im), signed_as(w.re, z.im))));
}

/// log(1 + 4x / ((1 - x)^2 + y^2)) / 4 + i/2 arctan2(2y, (1 - x)(1 + x) - y^2) for x, y >= 0
template <class W, class V = under<W>>
NUMJIT_M_FAR complex<V> arctanh_by(complex<V> z) {
  const V x = z.re, y = z.im, ax = magnitude(x), ay = magnitude(y);
  const V zero = V(0.0), one = V(1.0);
  const auto far = [&] {
    const auto huge = !within(z, 0x1p400);
    const V by = pick(huge, V(0x1p-600), one);
    const W u = exactly<W>(ax * by), v = exactly<W>(ay * by);
    const V inverse = value_of(u / (u * u + v * v)) * by;  // Re 1/z
    const V part = pick(either(m::isinf(x), m::isinf(y)), zero, inverse);
    return z_of(signed_as(part, x), signed_as(V(pio2_hi), y));
  };
  const auto usual = [&] {
    const W less = exact_sum_as<W>(one, negated(ax)), more = exact_sum_as<W>(one, ax);
    const W height = exactly<W>(ay), y2 = exact_square_as<W>(ay);
    const auto pole = both(ax == one, ay < V(0x1p-60));
    const W excess = scaled_by(exactly<W>(ax), V(4.0)) / pick(pole, more, less * less + y2);
    const W argument = pick(pole, height, excess + exactly<W>(one));
    const W l = log_of<W>(both(!pole, head(excess) < V(0.25)), excess, argument);
    const W half = scaled_by(constant<W>(ln2, ln2_rest) - l, V(0.5));
    const V re = value_of(pick(pole, half, scaled_by(l, V(0.25))));
    const W rise = pick(pole, exactly<W>(V(2.0)), scaled_by(height, V(2.0)));
    const W angle = angle_of_point<W>(rise, pick(pole, exactly<W>(negated(ay)), less * more - y2));
    return z_of(signed_as(re, x), signed_as(V(0.5) * value_of(angle), y));
  };
  const auto special = [&] {
    return pick(m::isinf(x), z_of(signed_as(zero, x), V(c_nan)),
                pick(m::isinf(y), z_of(signed_as(zero, x), signed_as(V(pio2_hi), y)),
                     two_nan<V>()));
  };
  const auto numbers = [&] {
    return choose(
        within(z, 0x1p60), [&] { return choose(within(z, 0x1p-28), [&] { return z; }, usual); }, far);
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

template <class W, class V = under<W>>
NUMJIT_M_FAR complex<V> sin_by(complex<V> z) {
  return choose(  // C leaves the sign open, NumPy's is +
      both(m::isinf(z.im), !m::isfinite(z.re)), [&] { return z_of(V(c_nan), V(c_inf)); },
      [&] { return turned_back(sinh_by<W>(turned(z))); });
}
template <class W, class V = under<W>>
NUMJIT_M_FAR complex<V> cos_by(complex<V> z) {
  return cosh_by<W>(turned(z));
}
template <class W, class V = under<W>>
NUMJIT_M_FAR complex<V> tan_by(complex<V> z) {
  return turned_back(tanh_by<W>(turned(z)));
}
template <class W, class V = under<W>>
NUMJIT_M_FAR complex<V> arcsin_by(complex<V> z) {
  return swapped(arcsinh_by<W>(swapped(z)));
}
template <class W, class V = under<W>>
NUMJIT_M_FAR complex<V> arctan_by(complex<V> z) {
  return swapped(arctanh_by<W>(swapped(z)));
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

/// e^(b log a) for a that is not 0.
template <class W, class V = under<W>>
NUMJIT_M_FAR complex<V> power_by(complex<V> a, complex<V> b) {
  const auto l = log_of_complex<W>(a);
  const W c = exactly<W>(b.re), d = exactly<W>(b.im);
  const W re = c * l.re - d * l.im, im = c * l.im + d * l.re;
  const auto usual = both(both(all_finite(a), all_finite(b)), both(m::isfinite(head(re)), m::isfinite(head(im))));
  return choose(
      usual, [&] { return exp_polar<W>(re, im); },
      [&] { return exp_by<W>(multiply_c99(b, z_of(value_of(l.re), value_of(l.im)))); });
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
    return detail::name##_by<detail::work_of<V>>(z);             \
  }                                                               \
  template <single_value V>                                       \
  NUMJIT_M_FAR complex<V> name(complex<V> z) {                    \
    using W = detail::work_of<V>;                                \
    const auto r = detail::name##_by<W>(m::cast<complex<double>>(z)); \
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
    using W = detail::work_of<V>;
    return m::cast<complex<elem_of<V>>>(detail::power_by<W>(m::cast<complex<double>>(a), m::cast<complex<double>>(b)));
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
