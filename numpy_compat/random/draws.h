// The table of distributions: what their parameters are called and may be, and what draws one number.
#pragma once

#include <cstdint>
#include <string>

#include <numjit/np_random.h>
#include <numjit/ops/random_draw.h>

#include "engines.h"

namespace numjit::random::detail {

/// What is drawn. Of some there are two: the second is RandomState's.
enum class distribution : std::int64_t {
  // fills
  random,
  standard_normal,
  standard_exponential,
  standard_exponential_inverse,
  // by the table
  standard_gamma,
  legacy_standard_gamma,
  legacy_gauss,
  legacy_standard_exponential,
  standard_cauchy,
  legacy_standard_cauchy,
  chisquare,
  legacy_chisquare,
  standard_t,
  legacy_standard_t,
  pareto,
  legacy_pareto,
  weibull,
  legacy_weibull,
  power,
  legacy_power,
  exponential,
  legacy_exponential,
  rayleigh,
  legacy_rayleigh,
  beta,
  legacy_beta,
  f,
  legacy_f,
  noncentral_chisquare,
  legacy_noncentral_chisquare,
  vonmises,
  legacy_vonmises,
  wald,
  legacy_wald,
  normal,
  legacy_normal,
  uniform,
  legacy_uniform,
  laplace,
  gumbel,
  logistic,
  lognormal,
  legacy_lognormal,
  gamma,
  legacy_gamma,
  noncentral_f,
  legacy_noncentral_f,
  triangular,
  zipf,
  legacy_zipf,
  geometric,
  legacy_geometric,
  logseries,
  legacy_logseries,
  poisson,
  binomial,
  legacy_binomial,
  negative_binomial,
  legacy_negative_binomial,
  hypergeometric,
  legacy_hypergeometric,
  // with routines of their own
  integers,
  tomaxint,
  order,
  orders_along_axis,
  choice_by_p,
  choice_without_p,
  choice_without_replacement,
  legacy_choice_without_p,
  multinomial,
  legacy_multinomial,
  dirichlet,
  legacy_dirichlet,
  by_counts,
  by_marginals,
  // the words of the state, which stays
  state,
};

/// Options beyond the bits that say which parameters are arrays.
enum draw_option : std::int64_t {
  masked = 16,          // integers by masks and rejection, as RandomState
  closed = 32,          // high is drawn too
  low_unsigned = 64,    // the words of low and high are uint64
  high_unsigned = 128,
  unshuffled = 256,
  single_p = 512,       // p was float32 or float16
};

enum class constraint : std::uint8_t {
  none, non_negative, positive, positive_not_nan, bounded_0_1, bounded_gt_0_1, bounded_lt_0_1, gt_1, gte_1,
  poisson, count, range, legacy_range,
};

/// One parameter's value: a double, or an integer where the table says so.
union number {
  double d;
  std::int64_t i;
};

struct parameter {
  const char* name;
  constraint rule;
  bool whole = false;
};

struct draw_row {
  const char* name;
  int count;
  parameter parameters[3];
  bool whole;                                            // draws integers
  double (*real)(bits&, const number*);
  std::int64_t (*integer)(bits&, const number*);
  void (*together)(const char* op, const number*) = nullptr;  // what parameters must be to each other
};

/// The row of a distribution of the table.
const draw_row& row_of(distribution d);

/// Is it, with the parameters (location, scale), a location and a number that is drawn by the scale?
bool has_location(distribution d);

/// ValueError in NumPy's words if a parameter is not what it must be. `of_array`: the texts for arrays.
void check_parameter(const char* op, const parameter& p, number value, bool of_array);

/// Draws with routines of their own; see selections.cpp.
void draw_selection(distribution d, const numjit::detail::draw_call& c);
void draw_integers(const numjit::detail::draw_call& c);
/// The words of a range between two numbers: low and what is drawn beyond it. ValueError in NumPy's words.
void scalar_range(const char* op, dtype_id type, const operand& low, const operand& high, bool is_closed,
                  std::int64_t (&words)[3]);

/// Reads element by element an array of the result's shape, broadcast and of any real dtype.
class reader {
 public:
  explicit reader(const node* n) : n_(n), at_(n->data) {}
  double real() const;
  std::int64_t integer() const { return integer_of(at_, n_->type); }
  const char* at() const { return at_; }
  /// To the next element in C order.
  void next() {
    for (int axis = n_->rank - 1; axis >= 0; --axis) {
      at_ += n_->strides[axis];
      if (++index_[axis] < n_->shape[axis]) return;
      at_ -= n_->strides[axis] * n_->shape[axis];
      index_[axis] = 0;
    }
  }
  static std::int64_t integer_of(const char* at, dtype_id type);

 private:
  const node* n_;
  const char* at_;
  std::int64_t index_[max_rank] = {};
};

/// The elements of a vector as doubles.
std::vector<double> vector_of(const node* n);
/// Kahan's sum of the first n.
double kahan_sum(const double* values, std::int64_t n);

/// Uniform numbers of [0, 1) in float64.
void fill_random(void* state, double* to, std::int64_t n);

}  // namespace numjit::random::detail
