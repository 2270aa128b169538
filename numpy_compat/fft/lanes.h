// Lines transformed side by side, one in each lane of the processor's vectors: with the bits of each line alone.
#pragma once

#include <cstdint>
#include <memory>

#include "kinds.h"
#include "transform.h"

namespace numjit::fft::detail {

/// What becomes of each line: its kind, and the plan that does it.
template <class T>
struct LineTransform {
  Kind kind;
  bool from_reals;  // forward or backward, of real numbers: half of it is computed, the rest are its conjugates
  std::int64_t n;
  std::shared_ptr<const Plan<T>> plan;      // of complex lines
  std::shared_ptr<const RealPlan<T>> real;  // of all others

  LineTransform(Kind k, bool of_reals, std::int64_t length)
      : kind(k), from_reals(of_reals && (k == Kind::forward || k == Kind::backward)), n(length) {
    if (from_reals || k == Kind::from_real || k == Kind::to_real)
      real = real_plan_of<T>(n);
    else
      plan = plan_of<T>(n);
  }
  bool is_complex_in() const { return !from_reals && kind != Kind::from_real; }
  bool is_complex_out() const { return kind != Kind::to_real; }
  /// How many numbers a line has before and after, and how many complex ones its scratch.
  std::int64_t n_in() const { return kind == Kind::to_real ? n / 2 + 1 : n; }
  std::int64_t n_out() const { return kind == Kind::from_real ? n / 2 + 1 : n; }
  std::int64_t room() const { return real ? real->room() : plan->scratch(); }
};

inline constexpr int most_lanes = 16;

/// Lines that are transformed together, and where they are in memory.
template <class T>
struct LineGroup {
  int count = 0;
  const char* begins[most_lanes];
  T* places[most_lanes];
  bool complex_elements;    // of what `begins` leads to
  std::int64_t step, have;  // bytes between these, and how many there are: zeros follow
  std::int64_t step_out;    // numbers of T from one element of a result to the next
  T factor;
  T *in, *out, *work;  // scratch for as many lines as there are lanes
};

/// What is compiled for each instruction set.
struct LaneFunctions {
  int bytes;  // of a vector
  void (*of_floats)(const LineTransform<float>&, const LineGroup<float>&);
  void (*of_doubles)(const LineTransform<double>&, const LineGroup<double>&);
};

}  // namespace numjit::fft::detail
