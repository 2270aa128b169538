// Programs over values at the edges: signed zeros, NaN, infinities, extreme integers, casts that don't fit.
#include "harness.h"

#include <limits>

#define SUITE SpecialValues

using meaning::ramp;
using meaning::wave;
namespace np = numjit;

namespace {

constexpr double inf = std::numeric_limits<double>::infinity();

/// Every kind of double that arithmetic treats in its own way.
np::array edges() {
  return np::array{0.0, -0.0, 1.0, -1.0, 0.5, -2.5, inf, -inf, np::nan, 1e308, -1e308, 5e-324, 1e-310, 3.0, 1e16, -0.1};
}
/// The same as a column against a row: one of the two is broadcast in each kernel's innermost loop.
np::array column(const np::array& x) { return x(np::_, np::newaxis); }
/// Each element against each other one.
std::pair<np::array, np::array> pairs(const np::array& x) {
  auto left = np::repeat(x, x.size());
  return {left, np::tile(x, x.size())};
}
np::array extremes(np::dtype type) {
  const np::iinfo limits(type);
  auto x = np::zeros(9, type);
  const std::int64_t few[] = {0, 1, 2, 3, 7};
  for (int i = 0; i < 5; ++i) x(i) = few[i];
  x(5) = limits.max;
  x(6) = limits.max - 1;
  x(7) = limits.min;
  if (limits.min < 0) x(8) = -3;
  return x;
}

}  // namespace

PROGRAM(identities_that_do_not_hold) {
  auto f = p.compile([](const np::array& x) {
    return std::tuple(std::tuple(x + 0, 0 + x, x - 0, 0 - x, x * 1, x * 0, x / 1, 1 / x, -(-x), +x),
                      std::tuple(x - x, x / x, x * -1, np::power(x, 1), np::power(x, 2), np::power(x, 0.5),
                                 np::power(x, -1), np::power(x, 0), np::abs(-x), np::maximum(x, x)),
                      std::tuple(x + -0.0, x * 2 / 2, (x + 1) - 1, x == x, x != x, !(np::any(x == x)), np::where(x == x, x, x)));
  });
  p.show("float64", f(edges()));
  p.show("float32", f(edges().astype(np::float32)));
}

PROGRAM(sums_of_selections_between_zeros) {
  auto f = p.compile([](const np::array& x) {
    const auto chosen = np::where(x > 1, 0.0, x), other = np::where(x > 1, -0.0, np::where(x < -1, 0.0, x));
    return std::tuple(std::tuple(np::sum(chosen), np::sum(other), np::sum(np::where(x != 0, x, -0.0)), np::sum(x * -0.0)),
                      std::tuple(np::sum(chosen, {.axis = 0}), np::sum(other, {.axis = -1}), np::sum(x, {.where = x < 1})),
                      std::tuple(chosen + -0.0, np::where(x > 1, 0.0, np::where(x < 1, -0.0, x)), -np::where(x > 1, 0.0, -x)));
  });
  for (const int n : {1, 3, 8, 13, 67}) {
    const auto x = np::full({2, n}, -0.0);
    p.show("float64", f(x));
    p.show("float32", f(x.astype(np::float32)));
    p.show("complex128", f(x + np::array(std::complex<double>(-0.0, -0.0))));
  }
}

PROGRAM(equal_expressions_are_separate_arrays) {
  auto f = p.compile([](const np::array& x) {
    auto a = x + 1, b = x + 1, c = x * 1, d = +x, e = x.copy(), g = x.astype(x.dtype()), h = x.copy();
    auto z = np::zeros(3), w = np::zeros(3);
    a += 5;
    z(0) = 1.0;
    return std::vector<np::array>{a, b, c, d, e, g, h, z, w};
  });
  auto x = ramp(3);
  auto all = f(x);
  for (std::size_t i = 0; i < all.size(); ++i) {
    p.shared("x and " + std::to_string(i), x, all[i]);
    for (std::size_t k = 0; k < i; ++k) p.shared(std::to_string(i) + " and " + std::to_string(k), all[i], all[k]);
  }
  for (auto& a : all) a += 1;
  p.show("all", all);
  p.show("x", x);
}

PROGRAM(minima_maxima_and_signs) {
  auto f = p.compile([](const np::array& x, const np::array& y) {
    return std::tuple(np::maximum(x, y), np::minimum(x, y), np::fmax(x, y), np::fmin(x, y), np::copysign(x, y),
                      np::heaviside(x, y), np::nextafter(x, y), np::hypot(x, y));
  });
  auto [x, y] = pairs(edges());
  p.show("float64", f(x, y));
  p.show("float32", f(x.astype(np::float32), y.astype(np::float32)));
  p.show("broadcast", f(column(edges()), edges()));
  p.show("the other", f(edges(), column(edges()(np::slice(np::none, np::none, -1)))));
}

PROGRAM(nan_of_an_operand_broadcast_along_rows) {
  auto f = p.compile([](const np::array& x, const np::array& y) {
    auto t = np::sqrt(x);
    return std::tuple(np::maximum(t, y), np::heaviside(t, y), np::where(t != t, y, t), np::clip(y, t, 2), t == t,
                      np::minimum(np::arctanh(x + 3), y), np::isnan(t) | (y > 1), np::sign(t) * y);
  });
  for (int n : {1, 3, 8, 17}) p.show("columns", f(column(edges()), wave(n)));
  p.show("float32", f(column(edges()).astype(np::float32), wave(5).astype(np::float32)));
}

PROGRAM(division_and_remainders) {
  auto f = p.compile([](const np::array& x, const np::array& y) {
    return std::tuple(x / y, np::floor_divide(x, y), x % y, np::fmod(x, y), np::power(x, y), np::arctan2(x, y));
  });
  auto [x, y] = pairs(edges());
  p.show("float64", f(x, y));
  p.show("broadcast", f(column(edges()), edges()));
}

PROGRAM(rounding_and_classes) {
  auto f = p.compile([](const np::array& x) {
    return std::tuple(np::floor(x), np::ceil(x), np::trunc(x), np::rint(x), np::sign(x), np::signbit(x), np::isnan(x),
                      np::isinf(x), np::isfinite(x), np::sqrt(x), np::cbrt(x), np::square(x), np::reciprocal(x),
                      np::logical_not(x));
  });
  auto halves = np::concatenate({edges(), ramp(9) - 4.5, ramp(9) - 4});
  p.show("float64", f(halves));
  p.show("float32", f(halves.astype(np::float32)));
}

PROGRAM(transcendental_edges) {
  auto f = p.compile([](const np::array& x) {
    return std::tuple(np::exp(x), np::log(x), np::sin(x), np::tanh(x), np::expm1(x), np::log1p(x), np::arcsin(x));
  });
  p.show("float64", f(edges()));
  p.show("float32", f(edges().astype(np::float32)));
}

PROGRAM(comparisons_and_logic) {
  auto f = p.compile([](const np::array& x, const np::array& y) {
    return std::tuple(x < y, x <= y, x > y, x >= y, x == y, x != y, np::logical_and(x, y), np::logical_or(x, y),
                      np::logical_xor(x, y));
  });
  auto [x, y] = pairs(edges());
  p.show("float64", f(x, y));
  p.show("broadcast", f(column(edges()), edges()));
}

PROGRAM(integers_at_their_limits) {
  auto f = p.compile([](const np::array& x, const np::array& y) {
    return std::tuple(std::tuple(x + y, x - y, x * y, np::floor_divide(x, y), x % y, np::fmod(x, y), x & y, x | y),
                      std::tuple(x ^ y, x << y, x >> y, np::maximum(x, y), np::gcd(x, y), np::lcm(x, y), -x, ~x),
                      std::tuple(np::abs(x), np::sign(x), np::square(x), x / y, x < y, x == y));
  });
  for (auto type : {np::int8, np::uint8, np::int32, np::int64, np::uint64}) {
    auto [x, y] = pairs(extremes(type));
    p.show(std::string(type.name()), f(x, y));
  }
}

PROGRAM(signed_against_unsigned) {
  auto f = p.compile([](const np::array& x, const np::array& y) {
    return std::tuple(x < y, x == y, y <= x, x + y, np::maximum(x, y), x * y);
  });
  auto [x, y] = pairs(extremes(np::int64));
  p.show("with uint64", f(x, y.astype(np::uint64)));
  p.show("with uint8", f(x, y.astype(np::uint8)));
  p.show("with float32", f(x, y.astype(np::float32)));
}

PROGRAM(casts_of_floats_to_integers) {
  auto f = p.compile([](const np::array& x) {
    auto y = x * 1;
    return std::tuple(y.astype(np::int64), y.astype(np::int32), y.astype(np::int16), y.astype(np::int8),
                      y.astype(np::uint64), y.astype(np::uint32), y.astype(np::uint8), y.astype(np::bool_));
  });
  auto x = np::concatenate({edges(), np::array{3e9, -3e9, 1e19, 2e19, 255.9, 256.0, -129.5, 65536.5, 2147483647.5}});
  p.show("float64", f(x));
  p.show("float32", f(x.astype(np::float32)));
}

PROGRAM(casts_between_widths) {
  auto f = p.compile([](const np::array& n) {
    auto m = n + 0;
    return std::tuple(m.astype(np::float64), m.astype(np::float32), m.astype(np::float16), m.astype(np::int8),
                      m.astype(np::uint16), m.astype(np::uint64), m.astype(np::bool_));
  });
  for (auto type : {np::int64, np::uint64, np::int16}) p.show(std::string(type.name()), f(extremes(type)));
  p.show("odd", f(np::array{16777217, 9007199254740993, -16777219, 65519, 65520}));
}

PROGRAM(reductions_of_edges) {
  auto f = p.compile([](const np::array& x) {
    return std::tuple(np::sum(x), np::prod(x), np::max(x), np::min(x), np::argmax(x), np::argmin(x), np::any(x),
                      np::all(x), np::mean(x), np::cumsum(x));
  });
  p.show("all", f(edges()));
  for (int n : {8, 6, 2, 1}) p.show("some", f(edges()(np::slice(n))));
  p.show("zeros", f(np::array{-0.0, -0.0}));
  p.show("nan late", f(np::array{1.0, np::nan, 3.0, np::nan}));
}

PROGRAM(literal_at_the_limits_of_the_dtype) {
  auto f = p.compile([&](np::array x, std::int64_t n) {
    auto attempt = [&](const char* name, auto g) { p.catches(name, [&] { p.show(name, np::array(g())); }); };
    attempt("add", [&] { return x + n; });
    attempt("in place", [&] { x += n; return x; });
    attempt("maximum", [&] { return np::maximum(x, n); });
    attempt("clip", [&] { return np::clip(x, 0, n); });
    attempt("where", [&] { return np::where(x > 1, x, n); });
    attempt("full_like", [&] { return np::full_like(x, n); });
    attempt("full", [&] { return np::full(2, n, {.dtype = x.dtype()}); });
    attempt("store", [&] { x(0) = n; return x; });
    attempt("masked store", [&] { x(x > 1) = n; return x; });
    attempt("fill", [&] { return x.fill(n); });
    attempt("copyto", [&] { np::copyto(x, n); return x; });
  });
  for (std::int64_t n : {3, 255, 256, -1, 300, 7}) {
    auto x = np::array{1, 2, 200}.astype(np::uint8);
    p.note("uint8 with " + std::to_string(n));
    f(x, n);
  }
  for (std::int64_t n : {3, 127, 128, -128, -129}) {
    auto x = np::array{1, 2, -100}.astype(np::int8);
    p.note("int8 with " + std::to_string(n));
    f(x, n);
  }
}

PROGRAM(stored_literals_change_without_a_read) {
  // No value is read between, so that each call matches the record of the one before.
  auto f = p.compile([](np::array x, std::int64_t n) {
    x(np::slice(1, np::none)) = n;
    return x + 1;
  });
  for (std::int64_t n : {3, 255, 256, -1, 7}) {
    auto x = np::array{1, 2, 200}.astype(np::uint8);
    p.catches("store", [&] { p.show("y", f(x, n)); });
    p.show("x", x);
  }
  auto g = p.compile([](const np::array& x, std::int64_t n) { return np::full_like(x, n) + x; });
  for (std::int64_t n : {3, 255, 256, -1, 7})
    p.catches("full_like", [&] { p.show("y", g(np::array{1, 2}.astype(np::uint8), n)); });
  auto h = p.compile([](np::array x, const np::array& mask, std::int64_t n) {
    x(mask) = n;
    return x * 1;
  });
  for (std::int64_t n : {3, 128, -128, -129, 7})
    p.catches("masked", [&] { p.show("y", h(np::array{1, 2}.astype(np::int8), np::array{true, false}, n)); });
  auto k = p.compile([](int n, double value) { return np::full(n, value, {.dtype = np::int16}) * 2; });
  for (double value : {1.5, -2.5, 1e6, 3.0}) p.catches("full", [&] { p.show("y", k(2, value)); });
}

PROGRAM(large_literals_beside_floats) {
  auto f = p.compile([](const np::array& x, std::uint64_t n) { return std::tuple(x + n, x < n, np::where(x > 1, x, n)); });
  for (std::uint64_t n : {std::uint64_t{1}, ~std::uint64_t{0}, std::uint64_t{1} << 63, std::uint64_t{9007199254740993}}) {
    p.show("float64", f(ramp(3), n));
    p.show("float32", f(ramp(3).astype(np::float32), n));
  }
  auto g = p.compile([](const np::array& x, double a) { return std::tuple(x * a, x + a, x == a); });
  for (double a : {0.1, 1e300, 16777217.0, 65520.0, 1e-46}) {
    p.show("float32", g(ramp(3).astype(np::float32), a));
    p.show("float16", g(ramp(3).astype(np::float16), a));
  }
}

PROGRAM(truth_values_as_numbers) {
  auto f = p.compile([](const np::array& a, const np::array& b, bool t) {
    return std::tuple(std::tuple(a + b, a * b, a & b, a | b, a ^ b, ~a, a < b, np::maximum(a, b)),
                      std::tuple(a + t, a * t, np::where(t, a, b), np::where(a, 1, 2), a * 3, a * 0.5, np::sum(a),
                                 np::cumsum(b)));
  });
  auto a = np::array{true, true, false, false}, b = np::array{true, false, true, false};
  for (bool t : {true, false, true}) p.show("all", f(a, b, t));
  auto g = p.compile([](const np::array& a, const np::array& b) { return a - b; });
  p.catches("subtract", [&] { g(a, b); });
  auto h = p.compile([](const np::array& a) { return -a; });
  p.catches("negative", [&] { h(a); });
}

PROGRAM(half_precision_chain) {
  auto f = p.compile([](const np::array& x) {
    auto y = x * x + x;
    return std::tuple(y, y / 3, np::sqrt(np::abs(y)), np::sum(y), np::exp(x), y.astype(np::float32) * 2, y > 1);
  });
  p.show("all", f(edges().astype(np::float16)));
  p.show("many", f((wave(300) * 100).astype(np::float16)));
}

PROGRAM(complex_edges) {
  auto f = p.compile([](const np::array& z, const np::array& w) {
    return std::tuple(z + w, z * w, z / w, np::abs(z), np::sqrt(z), np::exp(z), np::conj(z), z == w, np::isnan(z),
                      np::sum(z), np::real(z) * np::imag(w));
  });
  auto x = np::array{0.0, -0.0, 1.0, -2.0, inf, np::nan};
  auto z = x + np::array{1.0, -1.0, 0.0, -0.0, 2.0, 1.0} * std::complex<double>(0, 1);
  p.show("all", f(z, z(np::slice(np::none, np::none, -1))));
}
