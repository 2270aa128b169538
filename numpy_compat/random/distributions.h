// One number of each distribution, over any bit generator. Those named legacy_ are RandomState's, whose
// streams NumPy keeps as they were in 1.16; the others are Generator's.
#pragma once

#include <cstdint>

#include "engines.h"

namespace numjit::random::detail {

double gamma_of(bits& g, double shape);
float gamma_single(bits& g, float shape);
double beta(bits& g, double a, double b);
double chisquare(bits& g, double df);
double f(bits& g, double dfnum, double dfden);
double noncentral_chisquare(bits& g, double df, double nonc);
double noncentral_f(bits& g, double dfnum, double dfden, double nonc);
double standard_cauchy(bits& g);
double standard_t(bits& g, double df);
double pareto(bits& g, double a);
double weibull(bits& g, double a);
double power(bits& g, double a);
double laplace(bits& g, double loc, double scale);
double gumbel(bits& g, double loc, double scale);
double logistic(bits& g, double loc, double scale);
double lognormal(bits& g, double mean, double sigma);
double rayleigh(bits& g, double scale);
double wald(bits& g, double mean, double scale);
double vonmises(bits& g, double mu, double kappa);
double triangular(bits& g, double left, double mode, double right);
double normal(bits& g, double loc, double scale);
double exponential(bits& g, double scale);
double uniform(bits& g, double low, double range);

std::int64_t poisson(bits& g, double lam);
std::int64_t binomial(bits& g, std::int64_t n, double p);
std::int64_t negative_binomial(bits& g, double n, double p);
std::int64_t geometric(bits& g, double p);
std::int64_t hypergeometric(bits& g, std::int64_t good, std::int64_t bad, std::int64_t sample);
std::int64_t logseries(bits& g, double p);
std::int64_t zipf(bits& g, double a);

double legacy_gauss(bits& g);
double legacy_normal(bits& g, double loc, double scale);
double legacy_standard_exponential(bits& g);
double legacy_exponential(bits& g, double scale);
double legacy_gamma(bits& g, double shape);
double legacy_beta(bits& g, double a, double b);
double legacy_chisquare(bits& g, double df);
double legacy_f(bits& g, double dfnum, double dfden);
double legacy_noncentral_chisquare(bits& g, double df, double nonc);
double legacy_noncentral_f(bits& g, double dfnum, double dfden, double nonc);
double legacy_standard_cauchy(bits& g);
double legacy_standard_t(bits& g, double df);
double legacy_pareto(bits& g, double a);
double legacy_weibull(bits& g, double a);
double legacy_power(bits& g, double a);
double legacy_lognormal(bits& g, double mean, double sigma);
double legacy_rayleigh(bits& g, double scale);
double legacy_wald(bits& g, double mean, double scale);
double legacy_vonmises(bits& g, double mu, double kappa);

std::int64_t legacy_binomial(bits& g, std::int64_t n, double p);
std::int64_t legacy_negative_binomial(bits& g, double n, double p);
std::int64_t legacy_geometric(bits& g, double p);
std::int64_t legacy_hypergeometric(bits& g, std::int64_t good, std::int64_t bad, std::int64_t sample);
std::int64_t legacy_logseries(bits& g, double p);
std::int64_t legacy_zipf(bits& g, double a);

/// An integer in [0, max], by masks and rejection: what shuffles and legacy code draw.
std::uint64_t interval(bits& g, std::uint64_t max);
/// An integer in [0, range] by Lemire's method, of 32 bits where they suffice.
std::uint64_t bounded(bits& g, std::uint64_t range);

}  // namespace numjit::random::detail
