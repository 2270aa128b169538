// What the accuracy tests share: errors in ULP against MPFR, samples, and the table of figures in
// docs/numerics.md that they are held to or, with NUMJIT_ACCURACY=FILE, make.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <utility>

#include <mpfr.h>

namespace accuracy {

class Number {
 public:
  explicit Number(int precision) { mpfr_init2(v_, precision); }
  ~Number() { mpfr_clear(v_); }
  Number(const Number&) = delete;
  Number& operator=(const Number&) = delete;
  operator mpfr_ptr() { return v_; }

 private:
  mpfr_t v_;
};

/// An error that no rounding explains: a special value or a sign is wrong.
inline constexpr double wrong = 1e9;

/// |got - exact| in units of the last place of the exact value; `wrong` where special values
/// differ.
template <class T>
double error_in_ulps(T got, mpfr_ptr exact) {
  const T want = sizeof(T) == 8 ? static_cast<T>(mpfr_get_d(exact, MPFR_RNDN))
                                : static_cast<T>(mpfr_get_flt(exact, MPFR_RNDN));
  if (std::isnan(want) || std::isnan(got)) return std::isnan(want) && std::isnan(got) ? 0 : wrong;
  if (std::isinf(want) || std::isinf(got)) {
    if (want == got) return 0;
    const T last = std::numeric_limits<T>::max();
    return std::fabs(want) == last || std::fabs(got) == last ? 1 : wrong;
  }
  if (want == 0 && got == 0) return std::signbit(want) == std::signbit(got) ? 0 : wrong;
  int exponent = 0;
  std::frexp(want, &exponent);
  using L = std::numeric_limits<T>;
  const int unit = std::max(exponent - L::digits, L::min_exponent - L::digits);
  Number difference(300);
  mpfr_set_d(difference, static_cast<double>(got), MPFR_RNDN);
  mpfr_sub(difference, difference, exact, MPFR_RNDN);
  mpfr_mul_2si(difference, difference, -unit, MPFR_RNDN);
  return std::fabs(mpfr_get_d(difference, MPFR_RNDN));
}

/// Random values; the same in every run.
class Draw {
 public:
  double uniform(double lo, double hi) {
    return lo + (hi - lo) * static_cast<double>(rng_() >> 11) * 0x1p-53;
  }
  template <class U>
  U any_bits() {
    return static_cast<U>(rng_());
  }
  int below(int n) { return static_cast<int>(rng_() % static_cast<unsigned>(n)); }
  double sign() { return rng_() & 1 ? 1.0 : -1.0; }

 private:
  std::mt19937_64 rng_{20240607};
};

/// The largest error of one function and type.
struct Figure {
  Figure(std::string function_, std::string type_)
      : function(std::move(function_)), type(std::move(type_)) {}
  std::string function, type;
  double ulps = 0;
  std::uint64_t inputs = 0;
  std::string where;

  template <class... T>
  void add(double error, T... at) {
    ++inputs;
    if (error > ulps || (inputs == 1 && error == ulps)) {
      ulps = error;
      where.clear();
      ((where += (where.empty() ? "" : ", ") + text_of(at)), ...);
    }
  }
  static std::string text_of(double v);
};

/// Whether the figures are being measured for the table (NUMJIT_ACCURACY): more samples, and all
/// 2^32 values of float32.
bool full();

/// Holds a figure to the table (a sample can't exceed what is stated) and to `limit`, or takes it
/// for the new table. Shortened figures of `full` runs are rounded up.
void report(const Figure& figure, double limit);

}  // namespace accuracy
