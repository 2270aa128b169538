// Discrete Fourier transforms of one line: plans for any length, in float32 and float64.
//
// Written here and not taken from a library so that the bits are the same on every machine and thread
// count: there is no call of the C library in it, and no state that threads would share.
#pragma once

#include <cstdint>
#include <memory>
#include <type_traits>
#include <vector>

namespace numjit::fft::detail {

/// A complex number; of vectors, one for each lane, which numbers multiply lane by lane.
template <class T>
struct cpx {
  T re, im;
  friend cpx operator+(cpx a, cpx b) { return {a.re + b.re, a.im + b.im}; }
  friend cpx operator-(cpx a, cpx b) { return {a.re - b.re, a.im - b.im}; }
};
template <class E, class T>
requires std::is_arithmetic_v<T> cpx<E>
operator*(cpx<E> a, T by) { return {a.re * by, a.im * by}; }
template <class E, class T>
cpx<E> operator*(cpx<E> a, cpx<T> b) {
  return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
template <class T>
cpx<T> conj(cpx<T> a) { return {a.re, -a.im}; }

/// The transform of n complex numbers: by passes of its factors (Stockham's order, after Temperton, J. Comp.
/// Phys. 52, 1983), or where a prime factor is large by Bluestein's convolution (1970).
template <class T>
class Plan {
 public:
  explicit Plan(std::int64_t n);
  std::int64_t length() const { return n_; }
  /// Elements of scratch that transform() needs.
  std::int64_t scratch() const { return scratch_; }
  /// In place: data[k] = sum of data[j] e^(-+ 2 pi i j k / n), minus for forward. Not scaled. E is T, or a vector of
  /// T, each of whose lanes is a line of its own and gets what it would get alone.
  template <class E>
  void transform(cpx<E>* data, cpx<E>* scratch, bool forward) const;

 private:
  struct Pass {
    std::int64_t factor, before, after;  // product of the factors before, and of those after
    std::size_t twiddles, roots;         // where they begin in table_
  };
  template <bool Forward, class E>
  void run(cpx<E>* data, cpx<E>* scratch) const;
  template <class E>
  void convolve(cpx<E>* data, cpx<E>* scratch, bool forward) const;

  std::int64_t n_, scratch_;
  std::vector<Pass> passes_;
  std::vector<cpx<T>> table_;
  std::unique_ptr<Plan> inner_;         // Bluestein's, of a length that has small factors
  std::vector<cpx<T>> chirp_, filter_;
};

/// The plan of a length; the last few are kept.
template <class T>
std::shared_ptr<const Plan<T>> plan_of(std::int64_t n);

/// Real to complex and back: n real numbers and n/2 + 1 complex ones. `work` has room() elements.
template <class T>
class RealPlan {
 public:
  explicit RealPlan(std::int64_t n);
  std::int64_t length() const { return n_; }
  std::int64_t room() const;
  template <class E>
  void forward(const E* from, cpx<E>* to, cpx<E>* work) const;
  template <class E>
  void backward(const cpx<E>* from, E* to, cpx<E>* work) const;

 private:
  std::int64_t n_;
  std::shared_ptr<const Plan<T>> half_;  // of n/2 for an even n, else of n
  std::vector<cpx<T>> twiddles_;
};

template <class T>
std::shared_ptr<const RealPlan<T>> real_plan_of(std::int64_t n);

}  // namespace numjit::fft::detail
