// The derivative columns of the rows: against central differences at points of each row's domain, and by a table at special ones.
#include <cmath>
#include <complex>
#include <limits>

#include <gtest/gtest.h>

#include <numjit/np.h>
#include <numjit/ops/bind.h>

namespace np = numjit;

namespace {

using np::op_id;

np::array result_of(op_id op, const std::vector<np::array>& in) {
  std::vector<np::operand> operands;
  for (const np::array& a : in) operands.emplace_back(a);
  return np::bind({op, operands});
}

/// Points of the domain that tests of a row draw from, away from those where it has a corner or a jump.
np::array points_of(std::string_view domain, int number) {
  const np::array any{-2.37, -1.21, -0.43, 0.31, 0.83, 1.27, 2.71};
  const np::array unit{-0.91, -0.57, -0.13, 0.22, 0.48, 0.66, 0.87};
  const np::array base = domain == "unit" ? unit : any;
  const np::array moved = number == 0 ? base : np::roll(base, number * 2) * (1.0 - 0.1 * number);
  if (domain == "positive" || domain == "nonnegative") return np::abs(moved) + 0.1;
  if (domain == "above_one") return np::abs(moved) + 1.1;
  return moved;
}

bool is_real_ufunc(op_id op) {
  if (np::kind_of(op) != np::op_kind::ufunc) return false;
  return np::info(op).loops_text.find("d:d") != std::string_view::npos;
}

/// By central differences of the fourth order.
np::array difference(const std::function<np::array(const np::array&)>& f, const np::array& x) {
  const double h = 1e-3;
  return (8.0 * (f(x + h) - f(x - h)) - (f(x + 2 * h) - f(x - 2 * h))) / (12 * h);
}

TEST(DerivativeColumns, AgreeWithDifferencesInFirstAndSecondOrder) {
  int checked = 0;
  for (int i = 0; i < np::op_count; ++i) {
    const auto op = static_cast<op_id>(i);
    // nextafter: what it adds is no function of the difference's step.
    if (!is_real_ufunc(op) || op == op_id::nextafter) continue;
    const int arity = np::info(op).arity;
    std::vector<np::array> in;
    for (int k = 0; k < arity; ++k) in.push_back(points_of(np::info(op).domain, k));
    if (op == op_id::where) in[0] = in[0] > 0;
    if (op == op_id::clip) in = {in[0], np::full({7}, -1.0), np::full({7}, 1.0)};
    for (std::size_t k = op == op_id::where ? 1 : 0; k < in.size(); ++k) {
      const auto f = [&](const np::array& x) {
        std::vector<np::array> at = in;
        at[k] = x;
        return result_of(op, at);
      };
      const auto slope = [&](const np::array& x) { return np::grad([&](const np::array& a) { return np::sum(f(a)); })(x); };
      const auto curvature = [&](const np::array& x) {
        return np::grad([&](const np::array& a) { return np::sum(slope(a)); })(x);
      };
      const np::array first = slope(in[k]), second = curvature(in[k]);
      EXPECT_TRUE(np::allclose(first, difference(f, in[k]), {.rtol = 1e-6, .atol = 1e-7}))
          << np::info(op).name << " by operand " << k << ": " << first << " " << difference(f, in[k]);
      EXPECT_TRUE(np::allclose(second, difference(slope, in[k]), {.rtol = 1e-6, .atol = 1e-6}))
          << np::info(op).name << " twice by operand " << k << ": " << second << " " << difference(slope, in[k]);
      const auto [y, change] = np::jvp(f, std::tuple(in[k]), std::tuple(np::ones_like(in[k])));
      EXPECT_TRUE(np::array_equal(change, first))
          << np::info(op).name << " forward, by operand " << k << ": " << change << " " << first;
      ++checked;
    }
  }
  EXPECT_GT(checked, 90);
}

// Expected: mpmath's psi(0, x), psi(1, x), psi(2, x).
TEST(DerivativeColumns, OfTheGammaFunction) {
  const np::array x{0.001, 0.25, 1.4616321449683622, 3.0, 12.5, 1e8, -0.75, -20.3};
  const auto log_gamma = [](const np::array& a) { return np::sum(np::special::gammaln(a)); };
  auto first = np::grad(log_gamma);
  auto second = np::grad([first](const np::array& a) mutable { return np::sum(first(a)); });
  auto third = np::grad([second](const np::array& a) mutable { return np::sum(second(a)); });
  const np::array psi{-1000.5755719318103, -4.2274535333762654, -9.2412655217294275e-17, 0.92278433509846714,
                      2.485195651274912,   18.420680738952365,  -2.8941202000429321,     5.3175499242397496},
      psi1{1000001.6425331958,  17.197329154507111, 0.96767224544762125, 0.39493406684822644,
           0.08328522460157837, 1.000000005e-8,     18.975106932284889,  15.031346032626231},
      psi2{-2000000002.3976322,    -129.32773993753692, -0.88552633796718436, -0.15411380631918857,
           -0.0069324365857882408, -1.00000001e-16,     -124.58699919679618,  68.835233657837308};
  EXPECT_TRUE(np::allclose(np::grad(log_gamma)(x), psi, {.rtol = 2e-15, .atol = 1e-15})) << np::grad(log_gamma)(x) - psi;
  EXPECT_TRUE(np::allclose(np::hessian(log_gamma)(x), np::diag(psi1), {.rtol = 1e-14}))
      << np::diag(np::hessian(log_gamma)(x)) / psi1;
  EXPECT_TRUE(np::allclose(third(x), psi2, {.rtol = 1e-13})) << third(x) / psi2;
  const np::array few{0.5, 2.0, -1.5};
  EXPECT_TRUE(np::allclose(np::grad([](const np::array& a) { return np::sum(np::special::gamma(a)); })(few),
                           np::special::gamma(few) * np::grad(log_gamma)(few), {.rtol = 1e-14}));
  EXPECT_TRUE(np::allclose(np::grad(log_gamma)(few.astype(np::float32)), np::grad(log_gamma)(few), {.rtol = 1e-6}));
}

/// f'(z) of complex functions, and what R says of those that have none: <g, J t> = <J^H g, t>.
TEST(DerivativeColumns, OfComplexNumbers) {
  const np::array z = np::array{0.3, -0.7, 0.55} + np::array{0.4, 0.2, -0.6} * std::complex<double>(0, 1);
  const np::array w = np::array{1.1, 0.4, -0.8} + np::array{-0.3, 0.9, 0.5} * std::complex<double>(0, 1);
  int checked = 0;
  for (int i = 0; i < np::op_count; ++i) {
    const auto op = static_cast<op_id>(i);
    if (np::kind_of(op) != np::op_kind::ufunc || np::info(op).loops_text.find("D:D") == std::string_view::npos) {
      if (op != op_id::absolute) continue;
    }
    if (np::group_of(op) == np::op_group::comparison || np::group_of(op) == np::op_group::logic) continue;
    const int arity = np::info(op).arity;
    for (int k = arity == 3 ? 1 : 0; k < (arity == 3 ? 2 : arity); ++k) {
      const auto f = [&](const np::array& x) {
        std::vector<np::array> in(static_cast<std::size_t>(arity), w);
        in[static_cast<std::size_t>(k)] = x;
        if (op == op_id::where) in[0] = np::array{true, false, true};
        return result_of(op, in);
      };
      const np::array t = w * std::complex<double>(0.2, 0.5), h(1e-5);
      const np::array expected = (f(z + h * t) - f(z - h * t)) / (2 * h);
      const auto [y, change] = np::jvp(f, std::tuple(z), std::tuple(t));
      EXPECT_TRUE(np::allclose(change, expected, {.rtol = 1e-6, .atol = 1e-7}))
          << np::info(op).name << " by operand " << k << ": " << change << " " << expected;
      const auto [same, pull] = np::vjp(f, z);
      const np::array g = same.dtype().kind() == 'c' ? np::array(w * std::complex<double>(0, 1)) : np::array(np::real(w));
      const np::array left = np::sum(np::real(np::conj(g) * change)), right = np::sum(np::real(np::conj(pull(g)) * t));
      EXPECT_TRUE(np::allclose(left, right)) << np::info(op).name << " by operand " << k << ": " << left << " " << right;
      ++checked;
    }
  }
  EXPECT_GT(checked, 40);
}

// ---- special points ----

constexpr double inf = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();

struct Point {
  op_id op;
  std::vector<double> at;
  std::vector<double> first;
};

TEST(DerivativeColumns, AtSpecialPoints) {
  const Point points[] = {
      {op_id::maximum, {1, 1}, {0.5, 0.5}},
      {op_id::minimum, {1, 1}, {0.5, 0.5}},
      {op_id::maximum, {nan, 1}, {1, 0}},
      {op_id::maximum, {1, nan}, {0, 1}},
      {op_id::maximum, {nan, nan}, {1, 0}},
      {op_id::fmax, {nan, 1}, {0, 1}},
      {op_id::fmax, {1, nan}, {1, 0}},
      {op_id::fmin, {2, 2}, {0.5, 0.5}},
      {op_id::clip, {1, 1, 2}, {1, 0, 0}},
      {op_id::clip, {2, 1, 2}, {1, 0, 0}},
      {op_id::clip, {0, 1, 2}, {0, 1, 0}},
      {op_id::clip, {3, 1, 2}, {0, 0, 1}},
      {op_id::clip, {0, 2, 1}, {0, 0, 1}},  // bounds the wrong way round: the upper one is the result
      {op_id::absolute, {0}, {0}},
      {op_id::fabs, {0}, {0}},
      {op_id::sign, {0}, {0}},
      {op_id::sqrt, {0}, {inf}},
      {op_id::log, {0}, {inf}},
      {op_id::hypot, {0, 0}, {0, 0}},
      {op_id::arctan2, {0, 0}, {0, 0}},
      {op_id::power, {0, 0}, {0, 0}},
      {op_id::power, {0, 2}, {0, 0}},
      {op_id::power, {2, 0}, {0, std::log(2)}},
      {op_id::power, {-2, 3}, {12, nan}},
      {op_id::power, {0, -1}, {-inf, -inf}},
      {op_id::logaddexp, {inf, inf}, {0.5, 0.5}},
      {op_id::logaddexp, {-inf, -inf}, {0.5, 0.5}},
      {op_id::logaddexp, {-inf, 1}, {0, 1}},
      {op_id::logaddexp2, {2, 2}, {0.5, 0.5}},
      {op_id::copysign, {-2, 3}, {-1, 0}},
      {op_id::copysign, {0, 3}, {0, 0}},
      {op_id::floor_divide, {7, 2}, {0, 0}},
      {op_id::remainder, {7, 2}, {1, -3}},
      {op_id::fmod, {-7, 2}, {1, 3}},
      {op_id::heaviside, {0, 0.5}, {0, 1}},
      {op_id::heaviside, {1, 0.5}, {0, 0}},
      {op_id::floor, {1.5}, {0}},
      {op_id::rint, {1.5}, {0}},
      {op_id::nextafter, {1, 2}, {1, 0}},
      {op_id::scale, {0, inf}, {inf, 0}},
      {op_id::unscale, {0, 0}, {inf, 0}},
      {op_id::scale2, {0, inf}, {inf, 0}},
  };
  for (const Point& p : points) {
    for (std::size_t k = 0; k < p.at.size(); ++k) {
      std::vector<np::array> in;
      for (const double v : p.at) in.emplace_back(v);
      const np::array slope = np::grad([&](const np::array& x) {
        std::vector<np::array> at = in;
        at[k] = x;
        return result_of(p.op, at);
      })(in[k]);
      const double found = slope.item();
      const bool equal = std::isnan(p.first[k]) ? std::isnan(found) : found == p.first[k];
      EXPECT_TRUE(equal) << np::info(p.op).name << " by operand " << k << " at " << p.at[0] << ": " << found << ", expected "
                         << p.first[k];
    }
  }
}

TEST(DerivativeColumns, SignAndAbsoluteOfComplexZeroHaveNone) {
  const np::array z{std::complex(0.0, 0.0), std::complex(3.0, 4.0)};
  const np::array of_sign = np::grad([](const np::array& x) { return np::sum(np::real(np::sign(x))); })(z);
  EXPECT_EQ(of_sign(0).item<std::complex<double>>(), std::complex(0.0, 0.0));
  // Across the circle alone: (1 - y * real(y)) / |z| where y = 0.6 + 0.8i.
  EXPECT_TRUE(np::allclose(of_sign(1), std::complex(0.128, -0.096))) << of_sign;
  const np::array of_absolute = np::grad([](const np::array& x) { return np::sum(np::abs(x)); })(z);
  EXPECT_EQ(of_absolute(0).item<std::complex<double>>(), std::complex(0.0, 0.0));
  const np::array second = np::grad([](const np::array& x) {
    return np::sum(np::abs(np::grad([](const np::array& a) { return np::sum(np::abs(a)); })(x)));
  })(z);
  EXPECT_TRUE(np::all(np::isfinite(second)).item<bool>()) << second;
}

// ---- zero stays zero ----

TEST(DerivativeColumns, OfInterpAtItsPoints) {
  const np::array xp{0.0, 1.0, 2.0}, fp{-0.0, 10.0, 40.0}, at{0.0, 1.0, 2.0, 0.5};
  const auto sum_at = [&](const np::array& x, const np::array& points, const np::array& values) {
    return np::sum(np::interp(x, points, values) * np::array{1.0, 1.0, 1.0, 1.0});
  };
  const auto [value, slopes] = np::value_and_grad([&](const np::array& x) { return sum_at(x, xp, fp); })(at);
  EXPECT_EQ(value.item<double>(), 55.0);
  EXPECT_TRUE(np::array_equal(slopes, np::array{10.0, 30.0, 30.0, 10.0})) << slopes;
  const np::array by_points = np::grad([&](const np::array& points) { return sum_at(np::array{1.0}, points, fp); })(xp);
  EXPECT_TRUE(np::array_equal(by_points, np::array{0.0, -120.0, 0.0})) << by_points;
  const np::array by_values = np::grad([&](const np::array& values) { return sum_at(np::array{1.0}, xp, values); })(fp);
  EXPECT_TRUE(np::array_equal(by_values, np::array{0.0, 4.0, 0.0})) << by_values;
  // The sign of a zero at a point is that of its value, also compiled.
  const auto compiled = np::compile([&](const np::array& x) { return np::interp(x, xp, fp); });
  for (int i = 0; i < 4; ++i) EXPECT_TRUE(std::signbit(compiled(at)(0).item<double>()));
}

TEST(ZeroStaysZero, WhatIsNotTakenHasNoInfinities) {
  const np::array x{-1.0, 0.0, 4.0};
  EXPECT_TRUE(np::array_equal(np::grad([](const np::array& a) { return np::sum(np::where(a > 0, np::sqrt(a), 0.0)); })(x),
                              np::array{0.0, 0.0, 0.25}));
  EXPECT_TRUE(np::array_equal(np::grad([](const np::array& a) { return np::sum(np::square(np::sqrt(a))); })(np::array{0.0}),
                              np::array{0.0}));
}

// A mask over a finished derivative would make these 0: whether g is 0 decides nothing but the product's value.
TEST(ZeroStaysZero, IsARuleOfValuesOnly) {
  const auto squares = [](const np::array& x) { return np::sum(np::square(np::tanh(x))); };
  EXPECT_TRUE(np::array_equal(np::hessian(squares)(np::zeros({2})), 2.0 * np::eye(2)));

  // Gauss-Newton at a perfect fit: residuals are zero, second derivatives are not.
  const np::array t{1.0, 2.0, 3.0};
  const auto fit = [&](const np::array& p) { return np::sum(np::square(np::exp(p(0) * t) - np::exp(0.5 * t))); };
  const double curvature = np::hessian(fit)(np::array{0.5}).item();
  EXPECT_NEAR(curvature, np::sum(2.0 * np::square(t * np::exp(0.5 * t))).item(), 1e-9 * curvature);

  // The derivative in v of jvp at v = 0.
  const np::array x{0.3, 0.7};
  const auto along = [&](const np::array& v) {
    return np::sum(np::jvp([](const np::array& a) { return np::sin(a) * a; }, std::tuple(x), std::tuple(v)).second);
  };
  EXPECT_TRUE(np::allclose(np::grad(along)(np::zeros({2})), np::cos(x) * x + np::sin(x)));

  const np::array finite =
      np::hessian([](const np::array& a) { return np::sum(np::where(a > 0, a * np::sqrt(a), 0.0)); })(np::array{0.0, 1.0, -1.0});
  EXPECT_TRUE(np::all(np::isfinite(finite)).item<bool>()) << finite;
  EXPECT_NEAR(finite(1, 1).item(), 0.75, 1e-12);
}

}  // namespace
