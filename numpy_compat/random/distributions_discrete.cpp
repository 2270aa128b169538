// Discrete distributions, Generator's and RandomState's.
#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

#include "distributions.h"
#include "ziggurat.h"

namespace numjit::random::detail {
namespace {

constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();

/// A double's integer part; what int64 can't hold becomes the lowest int64, as on x86.
std::int64_t whole(double x) {
  const double down = std::floor(x);
  return down >= -0x1p63 && down < 0x1p63 ? static_cast<std::int64_t>(down)
                                          : std::numeric_limits<std::int64_t>::min();
}

/// log Gamma(x) as Zhang and Jin compute it (Computation of Special Functions, 1996): Stirling's series
/// from 7 on, the recurrence below.
double loggam(double x) {
  if (x == 1.0 || x == 2.0) return 0.0;
  constexpr double series[] = {8.333333333333333e-02, -2.777777777777778e-03, 7.936507936507937e-04,
                               -5.952380952380952e-04, 8.417508417508418e-04, -1.917526917526918e-03,
                               6.410256410256410e-03, -2.955065359477124e-02, 1.796443723688307e-01,
                               -1.39243221690590e+00};
  const std::int64_t n = x < 7.0 ? static_cast<std::int64_t>(7 - x) : 0;
  double at = x + static_cast<double>(n);
  const double square = (1.0 / at) * (1.0 / at);
  double sum = series[9];
  for (int k = 8; k >= 0; --k) {
    sum *= square;
    sum += series[k];
  }
  constexpr double log_2pi = 1.8378770664093453e+00;
  double result = sum / at + 0.5 * log_2pi + (at - 0.5) * exact::log(at) - at;
  if (x < 7.0)
    for (std::int64_t k = 1; k <= n; ++k) {
      result -= exact::log(at - 1.0);
      at -= 1.0;
    }
  return result;
}

/// log(k!), correctly rounded up to 125, by Stirling's series beyond.
double log_factorial(std::int64_t k) {
  constexpr int known = 126;
  static const auto table = [] {
    struct Table {
      double v[known];
    } t{};
    m::detail::extended<double> sum{0, 0};
    for (int i = 2; i < known; ++i) {
      const auto l = exact::log_of({static_cast<double>(i), 0});
      const auto s = m::detail::exact_sum(sum.hi, l.hi);
      sum = m::detail::exact_sum_ordered(s.hi, s.lo + (sum.lo + l.lo));
      t.v[i] = sum.hi;
    }
    return t;
  }();
  if (k < known) return table.v[k];
  const double x = static_cast<double>(k);
  return (x + 0.5) * exact::log(x) - x + (0.9189385332046728 + (1.0 / x) * (1 / 12.0 - 1 / (360.0 * x * x)));
}

/// What a distribution computes from its parameters, kept for the next number, which mostly has the same.
template <class Value, class Make, class... P>
const Value& kept(Make make, P... parameters) {
  struct Kept {
    bool any = false;
    std::tuple<P...> of{};
    Value value{};
  };
  static thread_local Kept last;
  if (!last.any || last.of != std::tuple(parameters...)) last = {true, std::tuple(parameters...), make()};
  return last.value;
}

std::int64_t poisson_by_products(bits& g, double lam) {
  const double end = kept<double>([=] { return exact::exp(-lam); }, lam);
  std::int64_t n = 0;
  for (double product = g.next_double(); product > end; product *= g.next_double()) ++n;
  return n;
}

/// Transformed rejection (Hörmann, Insurance: Mathematics and Economics 12, 1993).
std::int64_t poisson_ptrs(bits& g, double lam) {
  const double log_lam = kept<double>([=] { return exact::log(lam); }, lam);
  const double b = 0.931 + 2.53 * std::sqrt(lam), a = -0.059 + 0.02483 * b;
  const double inverse_alpha = 1.1239 + 1.1328 / (b - 3.4), v_r = 0.9277 - 3.6224 / (b - 2);
  for (;;) {
    const double u = g.next_double() - 0.5, v = g.next_double();
    const double us = 0.5 - std::fabs(u);
    const std::int64_t k = whole((2 * a / us + b) * u + lam + 0.43);
    if (us >= 0.07 && v <= v_r) return k;
    if (k < 0 || (us < 0.013 && v > us)) continue;
    const double x = static_cast<double>(k);
    if (exact::log(v) + exact::log(inverse_alpha) - exact::log(a / (us * us) + b) <=
        -lam + x * log_lam - loggam(x + 1))
      return k;
  }
}

std::int64_t binomial_by_inversion(bits& g, std::int64_t n, double p, bool legacy) {
  const double count = static_cast<double>(n), q = 1.0 - p;
  const double none = kept<double>(
      [=] { return exact::exp(count * (legacy ? exact::log(q) : exact::log1p(-p))); }, count, p, legacy);
  const double mean = count * p;
  const auto bound = static_cast<std::int64_t>(std::min(count, mean + 10.0 * std::sqrt(mean * q + 1)));
  std::int64_t x = 0;
  double px = none, u = g.next_double();
  while (u > px) {
    if (++x > bound) {
      x = 0;
      px = none;
      u = g.next_double();
    } else {
      u -= px;
      px = (static_cast<double>(n - x + 1) * p * px) / (static_cast<double>(x) * q);
    }
  }
  return x;
}

/// BTPE (Kachitvichyanukul and Schmeiser, Comm. ACM 31, 1988), p <= 1/2. The series of step 5.3 is NumPy's
/// up to 2.4, with 13680 where the paper has 13860 and four sums.
class Btpe {
 public:
  Btpe() = default;
  Btpe(std::int64_t n, double p) : n_(n), r_(std::min(p, 1.0 - p)), q_(1.0 - r_) {
    const double count = static_cast<double>(n), fm = count * r_ + r_;
    m_ = whole(fm);
    const double m = static_cast<double>(m_);
    nrq_ = count * r_ * q_;
    p1_ = std::floor(2.195 * std::sqrt(nrq_) - 4.6 * q_) + 0.5;
    xm_ = m + 0.5;
    xl_ = xm_ - p1_;
    xr_ = xm_ + p1_;
    c_ = 0.134 + 20.5 / (15.3 + m);
    double a = (fm - xl_) / (fm - xl_ * r_);
    lambda_l_ = a * (1.0 + a / 2.0);
    a = (xr_ - fm) / (xr_ * q_);
    lambda_r_ = a * (1.0 + a / 2.0);
    p2_ = p1_ * (1.0 + 2.0 * c_);
    p3_ = p2_ + c_ / lambda_l_;
    p4_ = p3_ + c_ / lambda_r_;
  }

  std::int64_t operator()(bits& g) const {
    for (;;) {
      const double u = g.next_double() * p4_;
      double v = g.next_double();
      if (u <= p1_) return whole(xm_ - p1_ * v + u);  // the triangle
      std::int64_t y;
      if (u <= p2_) {  // parallelograms
        const double x = xl_ + (u - p1_) / c_;
        v = v * c_ + 1.0 - std::fabs(static_cast<double>(m_) - x + 0.5) / p1_;
        if (v > 1.0) continue;
        y = whole(x);
      } else if (u <= p3_) {  // the left tail
        y = whole(xl_ + exact::log(v) / lambda_l_);
        if (y < 0 || v == 0.0) continue;
        v = v * (u - p2_) * lambda_l_;
      } else {
        y = whole(xr_ - exact::log(v) / lambda_r_);
        if (y > n_ || v == 0.0) continue;
        v = v * (u - p3_) * lambda_r_;
      }
      if (accepts(y, v)) return y;
    }
  }

 private:
  bool accepts(std::int64_t y, double v) const {
    const std::int64_t k = std::abs(y - m_);
    const double distance = static_cast<double>(k);
    if (k <= 20 || distance >= nrq_ / 2.0 - 1) {
      const double s = r_ / q_, a = s * static_cast<double>(n_ + 1);
      double f = 1.0;
      for (std::int64_t i = m_ + 1; i <= y; ++i) f *= a / static_cast<double>(i) - s;
      for (std::int64_t i = y + 1; i <= m_; ++i) f /= a / static_cast<double>(i) - s;
      return v <= f;
    }
    const double rho = (distance / nrq_) *
                       ((distance * (distance / 3.0 + 0.625) + 0.16666666666666666) / nrq_ + 0.5);
    const auto steps = static_cast<std::uint64_t>(k);  // its square may wrap, as NumPy's does
    const double t = static_cast<double>(static_cast<std::int64_t>(0 - steps * steps)) / (2 * nrq_), a = exact::log(v);
    if (a < t - rho) return true;
    if (a > t + rho) return false;
    const double n = static_cast<double>(n_), m = static_cast<double>(m_), yd = static_cast<double>(y);
    const double x1 = yd + 1, f1 = m + 1, z = n + 1 - m, w = n - yd + 1;
    auto rest = [](double x) {
      const double square = x * x;
      return (13680. - (462. - (132. - (99. - 140. / square) / square) / square) / square) / x / 166320.;
    };
    return a <= xm_ * exact::log(f1 / x1) + (static_cast<double>(n_ - m_) + 0.5) * exact::log(z / w) +
                    static_cast<double>(y - m_) * exact::log(w * r_ / (x1 * q_)) + rest(f1) + rest(z) +
                    rest(x1) + rest(w);
  }

  std::int64_t n_ = 0, m_ = 0;
  double r_ = 0, q_ = 0, nrq_ = 0, p1_ = 0, xm_ = 0, xl_ = 0, xr_ = 0, c_ = 0, lambda_l_ = 0, lambda_r_ = 0, p2_ = 0,
         p3_ = 0, p4_ = 0;
};

std::int64_t binomial_below_half(bits& g, std::int64_t n, double p, bool legacy) {
  if (p * static_cast<double>(n) <= 30.0) return binomial_by_inversion(g, n, p, legacy);
  return kept<Btpe>([=] { return Btpe(n, p); }, n, p)(g);
}

std::int64_t geometric_by_search(bits& g, double p) {
  double product = p, sum = p;
  const double q = 1.0 - p, u = g.next_double();
  std::int64_t x = 1;
  for (; u > sum; ++x) {
    product *= q;
    sum += product;
  }
  return x;
}

/// Picks one by one; fewer than half of all.
std::int64_t hypergeometric_by_sampling(bits& g, std::int64_t good, std::int64_t bad, std::int64_t sample) {
  const std::int64_t total = good + bad;
  const bool complement = sample > total / 2;
  std::int64_t left = complement ? total - sample : sample, remaining = total, remaining_good = good;
  for (; left > 0 && remaining_good > 0 && remaining > remaining_good; --left) {
    --remaining;
    if (static_cast<std::int64_t>(interval(g, static_cast<std::uint64_t>(remaining))) < remaining_good)
      --remaining_good;
  }
  if (remaining == remaining_good) remaining_good -= left;
  return complement ? remaining_good : good - remaining_good;
}

/// HRUA*, the ratio of uniforms (Stadlober, J. Comp. Appl. Math. 31, 1990). `log_of` is log(k!).
template <class LogFactorial>
std::int64_t hypergeometric_hrua(bits& g, std::int64_t good, std::int64_t bad, std::int64_t sample, bool legacy,
                                 LogFactorial log_of) {
  constexpr double d1 = 1.7155277699214135, d2 = 0.8989161620588988;  // 2 sqrt(2/e), 3 - 2 sqrt(3/e)
  const std::int64_t population = good + bad, computed = std::min(sample, population - sample);
  const std::int64_t fewer = std::min(good, bad), more = std::max(good, bad);
  const double all = static_cast<double>(population), n = static_cast<double>(computed);
  const double p = static_cast<double>(fewer) / all;
  const double q = legacy ? 1.0 - p : static_cast<double>(more) / all;
  const double a = n * p + 0.5;
  const double variance = legacy ? static_cast<double>(population - computed) * static_cast<double>(sample) * p * q /
                                       static_cast<double>(population - 1)
                                 : static_cast<double>(population - computed) * n * p * q /
                                       static_cast<double>(population - 1);
  const double c = std::sqrt(variance + 0.5), h = d1 * c + d2;
  const std::int64_t mode = whole(static_cast<double>(computed + 1) * static_cast<double>(fewer + 1) /
                                  static_cast<double>(population + 2));
  auto log_weight = [&](std::int64_t k) {
    return log_of(k) + log_of(fewer - k) + log_of(computed - k) + log_of(more - computed + k);
  };
  const double top = log_weight(mode);
  const double bound = std::min(static_cast<double>(std::min(computed, fewer) + 1), std::floor(a + 16 * c));
  std::int64_t k;
  for (;;) {
    const double u = g.next_double(), v = g.next_double();
    const double x = a + h * (v - 0.5) / u;
    if (x < 0.0 || x >= bound) continue;
    k = whole(x);
    const double t = top - log_weight(k);
    if (u * (4.0 - u) - 3.0 <= t) break;
    if (u * (u - t) >= 1) continue;
    if (2.0 * exact::log(u) <= t) break;
  }
  if (good > bad) k = computed - k;
  if (computed < sample) k = good - k;
  return k;
}

std::int64_t hypergeometric_by_inversion(bits& g, std::int64_t good, std::int64_t bad, std::int64_t sample) {
  const std::int64_t rest = bad + good - sample;
  const double fewer = static_cast<double>(std::min(bad, good));
  double y = fewer;
  for (std::int64_t k = sample; y > 0.0 && k > 0; --k)
    y -= std::floor(g.next_double() + y / static_cast<double>(rest + k));
  const auto z = static_cast<std::int64_t>(fewer - y);
  return good > bad ? sample - z : z;
}

/// Kemp's second accelerated generator (Applied Statistics 30, 1981), given log(1-p) and 1 - (1-p)^u.
template <class Q>
std::int64_t logseries_by(bits& g, double p, Q q_of) {
  for (;;) {
    const double v = g.next_double();
    if (v >= p) return 1;
    const double q = q_of(g.next_double());
    if (v <= q * q) {
      const std::int64_t result = whole(1 + exact::log(v) / exact::log(q));
      if (result < 1 || v == 0.0) continue;
      return result;
    }
    return v >= q ? 1 : 2;
  }
}

/// Devroye's rejection (Non-Uniform Random Variate Generation, 1986, X.6), given the uniform number.
template <class Uniform>
std::int64_t zipf_by(bits& g, double a, Uniform next_uniform) {
  const double am1 = a - 1.0, b = exact::pow(2.0, am1);
  for (;;) {
    const double u = next_uniform(), v = g.next_double();
    const double x = std::floor(exact::pow(u, -1.0 / am1));
    if (x > static_cast<double>(largest) || x < 1.0) continue;
    const double t = exact::pow(1.0 + 1.0 / x, am1);
    if (v * x * (t - 1.0) / (b - 1.0) <= t / b)
      return x >= 0x1p63 ? std::numeric_limits<std::int64_t>::min() : static_cast<std::int64_t>(x);
  }
}

}  // namespace

std::uint64_t interval(bits& g, std::uint64_t max) {
  if (max == 0) return 0;
  const std::uint64_t mask = ~std::uint64_t{0} >> std::countl_zero(max);
  std::uint64_t value;
  if (max <= 0xffffffffu) {
    while ((value = g.next32() & mask) > max) {}
  } else {
    while ((value = g.next64() & mask) > max) {}
  }
  return value;
}

std::uint64_t bounded(bits& g, std::uint64_t range) {
  if (range == 0) return 0;
  if (range == 0xffffffffu) return g.next32();
  if (range == ~std::uint64_t{0}) return g.next64();
  if (range < 0xffffffffu) {
    const auto limit = static_cast<std::uint32_t>(range + 1);
    std::uint64_t product = static_cast<std::uint64_t>(g.next32()) * limit;
    if (static_cast<std::uint32_t>(product) < limit) {
      const std::uint32_t threshold = (0u - limit) % limit;
      while (static_cast<std::uint32_t>(product) < threshold)
        product = static_cast<std::uint64_t>(g.next32()) * limit;
    }
    return product >> 32;
  }
  const std::uint64_t limit = range + 1;
  uint128 product = static_cast<uint128>(g.next64()) * limit;
  if (static_cast<std::uint64_t>(product) < limit) {
    const std::uint64_t threshold = (0u - limit) % limit;
    while (static_cast<std::uint64_t>(product) < threshold)
      product = static_cast<uint128>(g.next64()) * limit;
  }
  return static_cast<std::uint64_t>(product >> 64);
}

std::int64_t poisson(bits& g, double lam) {
  if (lam >= 10) return poisson_ptrs(g, lam);
  return lam == 0 ? 0 : poisson_by_products(g, lam);
}

std::int64_t binomial(bits& g, std::int64_t n, double p) {
  if (n == 0 || p == 0) return 0;
  return p <= 0.5 ? binomial_below_half(g, n, p, false) : n - binomial_below_half(g, n, 1.0 - p, false);
}
std::int64_t legacy_binomial(bits& g, std::int64_t n, double p) {
  return p <= 0.5 ? binomial_below_half(g, n, p, true) : n - binomial_below_half(g, n, 1.0 - p, true);
}

std::int64_t negative_binomial(bits& g, double n, double p) {
  return poisson(g, (1 - p) / p * gamma_of(g, n));
}
std::int64_t legacy_negative_binomial(bits& g, double n, double p) {
  return poisson(g, (1 - p) / p * legacy_gamma(g, n));
}

std::int64_t geometric(bits& g, double p) {
  if (p >= 0.333333333333333333333333) return geometric_by_search(g, p);
  const double z = std::ceil(-standard_exponential(g) / exact::log1p(-p));
  return z >= 0x1p63 ? largest : static_cast<std::int64_t>(z);
}
std::int64_t legacy_geometric(bits& g, double p) {
  if (p >= 0.333333333333333333333333) return geometric_by_search(g, p);
  return whole(std::ceil(exact::log1p(-g.next_double()) / exact::log(1 - p)));
}

std::int64_t hypergeometric(bits& g, std::int64_t good, std::int64_t bad, std::int64_t sample) {
  if (sample < 10 || sample > good + bad - 10) return hypergeometric_by_sampling(g, good, bad, sample);
  return hypergeometric_hrua(g, good, bad, sample, false, [](std::int64_t k) { return log_factorial(k); });
}
std::int64_t legacy_hypergeometric(bits& g, std::int64_t good, std::int64_t bad, std::int64_t sample) {
  if (sample <= 0) return 0;
  if (sample <= 10) return hypergeometric_by_inversion(g, good, bad, sample);
  return hypergeometric_hrua(g, good, bad, sample, true,
                             [](std::int64_t k) { return loggam(static_cast<double>(k + 1)); });
}

std::int64_t logseries(bits& g, double p) {
  const double r = exact::log1p(-p);
  return logseries_by(g, p, [&](double u) { return -exact::expm1(r * u); });
}
std::int64_t legacy_logseries(bits& g, double p) {
  const double r = exact::log(1.0 - p);
  return logseries_by(g, p, [&](double u) { return 1.0 - exact::exp(r * u); });
}

std::int64_t zipf(bits& g, double a) {
  if (a >= 1025) return 1;
  const double lowest = exact::pow(static_cast<double>(largest), -(a - 1.0));
  return zipf_by(g, a, [&] {
    const double u = g.next_double();
    return u * lowest + (1 - u);
  });
}
std::int64_t legacy_zipf(bits& g, double a) {
  return zipf_by(g, a, [&] { return 1.0 - g.next_double(); });
}

}  // namespace numjit::random::detail
