// Continuous distributions, Generator's and RandomState's.
#include <cmath>
#include <utility>

#include "distributions.h"
#include "ziggurat.h"

namespace numjit::random::detail {
namespace {

constexpr double pi = 3.14159265358979323846;

/// Marsaglia and Tsang's gamma (2000) for shape > 1, Best's rejection below; Real is double or float.
template <class Real, class Normal, class Exponential, class Uniform>
Real gamma_by(Real shape, Normal next_normal, Exponential next_exponential, Uniform next_uniform) {
  constexpr Real one = 1;
  if (shape == one) return next_exponential();
  if (shape == 0) return 0;
  if (shape < one) {
    for (;;) {
      const Real u = next_uniform(), v = next_exponential();
      if (u <= one - shape) {
        const Real x = exact::pow(u, one / shape);
        if (x <= v) return x;
      } else {
        const Real y = -exact::log((one - u) / shape);
        const Real x = exact::pow(one - shape + shape * y, one / shape);
        if (x <= v + y) return x;
      }
    }
  }
  const Real b = shape - one / Real(3);
  const Real c = one / std::sqrt(Real(9) * b);
  for (;;) {
    Real x, v;
    do {
      x = next_normal();
      v = one + c * x;
    } while (v <= 0);
    v = v * v * v;
    const Real u = next_uniform();
    if (u < one - Real(0.0331) * (x * x) * (x * x)) return b * v;
    if (exact::log(u) < Real(0.5) * x * x + b * (one - v + exact::log(v))) return b * v;
  }
}

/// Jöhnk's beta for parameters up to 1, where logarithms save what underflows; `finish` is what to do then.
template <class Finish>
double beta_johnk(bits& g, double a, double b, bool reject_zeros, Finish finish) {
  for (;;) {
    const double u = g.next_double(), v = g.next_double();
    const double x = exact::pow(u, 1.0 / a), y = exact::pow(v, 1.0 / b), sum = x + y;
    if (!(sum <= 1.0) || (reject_zeros && !(u + v > 0.0))) continue;
    if (reject_zeros ? x > 0 && y > 0 : sum > 0) return x / sum;
    return finish(exact::log(u) / a, exact::log(v) / b);
  }
}

/// Best and Fisher's von Mises (1979), given s; the angle is wrapped into [-pi, pi].
double vonmises_by(bits& g, double mu, double kappa, double s) {
  double w;
  for (;;) {
    const double z = m::cos(pi * g.next_double());
    w = (1 + s * z) / (s + z);
    const double y = kappa * (s - w), v = g.next_double();
    if (y * (2 - y) - v >= 0 || exact::log(y / v) + 1 - y >= 0) break;
  }
  double angle = m::arccos(w);
  if (g.next_double() < 0.5) angle = -angle;
  angle += mu;
  const bool negative = angle < 0;
  const double wrapped = std::fmod(std::fabs(angle) + pi, 2 * pi) - pi;
  return negative ? wrapped * -1 : wrapped;
}
double vonmises_s(double kappa) {
  if (kappa < 1e-5) return 1. / kappa + kappa;
  const double r = 1 + std::sqrt(1 + 4 * kappa * kappa);
  const double rho = (r - std::sqrt(2 * r)) / (2 * kappa);
  return (1 + rho * rho) / (2 * rho);
}

}  // namespace

double normal(bits& g, double loc, double scale) { return loc + scale * standard_normal(g); }
double exponential(bits& g, double scale) { return scale * standard_exponential(g); }
double uniform(bits& g, double low, double range) { return low + range * g.next_double(); }

double gamma_of(bits& g, double shape) {
  return gamma_by<double>(
      shape, [&] { return standard_normal(g); }, [&] { return standard_exponential(g); },
      [&] { return g.next_double(); });
}
float gamma_single(bits& g, float shape) {
  return gamma_by<float>(
      shape, [&] { return standard_normal_single(g); }, [&] { return standard_exponential_single(g); },
      [&] { return g.next_float(); });
}

double beta(bits& g, double a, double b) {
  if (a <= 1.0 && b <= 1.0) {
    constexpr double tiny = 3e-103;  // results are 0 or 1 up to one in 10^100
    if (a < tiny && b < tiny) return (a + b) * g.next_double() < a;
    return beta_johnk(g, a, b, true, [](double log_x, double log_y) {
      const double delta = log_x - log_y;
      if (delta > 0) return exact::exp(-exact::log1p(exact::exp(-delta)));
      return exact::exp(delta - exact::log1p(exact::exp(delta)));
    });
  }
  const double x = gamma_of(g, a), y = gamma_of(g, b);
  return x / (x + y);
}

double chisquare(bits& g, double df) { return 2.0 * gamma_of(g, df / 2.0); }

double f(bits& g, double dfnum, double dfden) {
  const double above = chisquare(g, dfnum) * dfden, below = chisquare(g, dfden) * dfnum;
  return above / below;
}

double noncentral_chisquare(bits& g, double df, double nonc) {
  if (std::isnan(nonc)) return nonc;
  if (nonc == 0) return chisquare(g, df);
  if (1 < df) {
    const double chi2 = chisquare(g, df - 1);
    const double n = standard_normal(g) + std::sqrt(nonc);
    return chi2 + n * n;
  }
  const std::int64_t i = poisson(g, nonc / 2.0);
  return chisquare(g, df + 2 * static_cast<double>(i));
}

double noncentral_f(bits& g, double dfnum, double dfden, double nonc) {
  const double t = noncentral_chisquare(g, dfnum, nonc) * dfden;
  return t / (chisquare(g, dfden) * dfnum);
}

double standard_cauchy(bits& g) {
  const double above = standard_normal(g), below = standard_normal(g);
  return above / below;
}

double standard_t(bits& g, double df) {
  const double above = standard_normal(g), below = gamma_of(g, df / 2);
  return std::sqrt(df / 2) * above / std::sqrt(below);
}

double pareto(bits& g, double a) { return exact::expm1(standard_exponential(g) / a); }
double weibull(bits& g, double a) { return a == 0.0 ? 0.0 : exact::pow(standard_exponential(g), 1. / a); }
double power(bits& g, double a) { return exact::pow(-exact::expm1(-standard_exponential(g)), 1. / a); }

double laplace(bits& g, double loc, double scale) {
  for (;;) {
    const double u = g.next_double();
    if (u >= 0.5) return loc - scale * exact::log(2.0 - u - u);
    if (u > 0.0) return loc + scale * exact::log(u + u);
  }
}

double gumbel(bits& g, double loc, double scale) {
  for (;;) {
    const double u = 1.0 - g.next_double();
    if (u < 1.0) return loc - scale * exact::log(-exact::log(u));
  }
}

double logistic(bits& g, double loc, double scale) {
  for (;;) {
    const double u = g.next_double();
    if (u > 0.0) return loc + scale * exact::log(u / (1.0 - u));
  }
}

double lognormal(bits& g, double mean, double sigma) { return exact::exp(normal(g, mean, sigma)); }
double rayleigh(bits& g, double scale) { return scale * std::sqrt(2.0 * standard_exponential(g)); }

double wald(bits& g, double mean, double scale) {
  double y = standard_normal(g);
  y = mean * y * y;
  const double d = 1 + std::sqrt(1 + 4 * scale / y);
  const double x = mean * (1 - 2 / d);
  return g.next_double() <= mean / (mean + x) ? x : mean * mean / x;
}

double vonmises(bits& g, double mu, double kappa) {
  if (std::isnan(kappa)) return kappa;
  if (kappa < 1e-8) return pi * (2 * g.next_double() - 1);
  if (kappa <= 1e6) return vonmises_by(g, mu, kappa, vonmises_s(kappa));
  double result = mu + std::sqrt(1. / kappa) * standard_normal(g);
  if (result < -pi) result += 2 * pi;
  if (result > pi) result -= 2 * pi;
  return result;
}

double triangular(bits& g, double left, double mode, double right) {
  const double base = right - left, left_base = mode - left;
  const double u = g.next_double();
  if (u <= left_base / base) return left + std::sqrt(u * (left_base * base));
  return right - std::sqrt((1.0 - u) * ((right - mode) * base));
}

// ---- RandomState's ----

double legacy_gauss(bits& g) {
  state_header& h = g.header();
  if (h.has_gauss) {
    h.has_gauss = 0;
    return std::exchange(h.gauss, 0.0);
  }
  double x, y, r2;
  do {
    x = 2.0 * g.next_double() - 1.0;
    y = 2.0 * g.next_double() - 1.0;
    r2 = x * x + y * y;
  } while (r2 >= 1.0 || r2 == 0.0);
  const double by = std::sqrt(-2.0 * exact::log(r2) / r2);  // Marsaglia's polar method
  h.gauss = by * x;
  h.has_gauss = 1;
  return by * y;
}
double legacy_normal(bits& g, double loc, double scale) { return loc + scale * legacy_gauss(g); }
double legacy_standard_exponential(bits& g) { return -exact::log(1.0 - g.next_double()); }
double legacy_exponential(bits& g, double scale) { return scale * legacy_standard_exponential(g); }

double legacy_gamma(bits& g, double shape) {
  return gamma_by<double>(
      shape, [&] { return legacy_gauss(g); }, [&] { return legacy_standard_exponential(g); },
      [&] { return g.next_double(); });
}

double legacy_beta(bits& g, double a, double b) {
  if (a <= 1.0 && b <= 1.0)
    return beta_johnk(g, a, b, false, [](double log_x, double log_y) {
      const double larger = log_x > log_y ? log_x : log_y;
      log_x -= larger;
      log_y -= larger;
      return exact::exp(log_x - exact::log(exact::exp(log_x) + exact::exp(log_y)));
    });
  const double x = legacy_gamma(g, a), y = legacy_gamma(g, b);
  return x / (x + y);
}

double legacy_chisquare(bits& g, double df) { return 2.0 * legacy_gamma(g, df / 2.0); }
double legacy_f(bits& g, double dfnum, double dfden) {
  const double above = legacy_chisquare(g, dfnum) * dfden, below = legacy_chisquare(g, dfden) * dfnum;
  return above / below;
}

double legacy_noncentral_chisquare(bits& g, double df, double nonc) {
  if (nonc == 0) return legacy_chisquare(g, df);
  if (1 < df) {
    const double chi2 = legacy_chisquare(g, df - 1);
    const double n = legacy_gauss(g) + std::sqrt(nonc);
    return chi2 + n * n;
  }
  const std::int64_t i = poisson(g, nonc / 2.0);
  const double out = legacy_chisquare(g, df + 2 * static_cast<double>(i));
  return std::isnan(nonc) ? nonc : out;
}
double legacy_noncentral_f(bits& g, double dfnum, double dfden, double nonc) {
  const double t = legacy_noncentral_chisquare(g, dfnum, nonc) * dfden;
  return t / (legacy_chisquare(g, dfden) * dfnum);
}

double legacy_standard_cauchy(bits& g) {
  const double above = legacy_gauss(g), below = legacy_gauss(g);
  return above / below;
}
double legacy_standard_t(bits& g, double df) {
  const double above = legacy_gauss(g), below = legacy_gamma(g, df / 2);
  return std::sqrt(df / 2) * above / std::sqrt(below);
}
double legacy_pareto(bits& g, double a) { return exact::exp(legacy_standard_exponential(g) / a) - 1; }
double legacy_weibull(bits& g, double a) {
  return a == 0.0 ? 0.0 : exact::pow(legacy_standard_exponential(g), 1. / a);
}
double legacy_power(bits& g, double a) {
  return exact::pow(1 - exact::exp(-legacy_standard_exponential(g)), 1. / a);
}
double legacy_lognormal(bits& g, double mean, double sigma) { return exact::exp(legacy_normal(g, mean, sigma)); }
double legacy_rayleigh(bits& g, double scale) {
  return scale * std::sqrt(-2.0 * exact::log1p(-g.next_double()));
}

double legacy_wald(bits& g, double mean, double scale) {
  const double by = mean / (2 * scale);
  double y = legacy_gauss(g);
  y = mean * y * y;
  const double x = mean + by * (y - std::sqrt(4 * scale * y + y * y));
  return g.next_double() <= mean / (mean + x) ? x : mean * mean / x;
}

double legacy_vonmises(bits& g, double mu, double kappa) {
  if (std::isnan(kappa)) return kappa;
  if (kappa < 1e-8) return pi * (2 * g.next_double() - 1);
  return vonmises_by(g, mu, kappa, vonmises_s(kappa));
}

}  // namespace numjit::random::detail
