// Bodies of the transforms, over numbers and over vectors of them: included where these are compiled.
#pragma once

#include <algorithm>

#include <numjit/base/check_interrupt.h>

#include "transform.h"

namespace numjit::fft::detail {

/// i a (forward) or -i a: a quarter turn, the other way round.
template <bool Forward, class T>
cpx<T> turned(cpx<T> a) {
  if constexpr (Forward) return {a.im, -a.re};
  return {-a.im, a.re};
}

/// One pass. In: element (i, j, k) at i + after (j + p k); out: (i, k, j) at i + after (k + before j).
template <class E, class T, class Butterfly>
void pass(std::int64_t p, std::int64_t before, std::int64_t after, const cpx<E>* in, cpx<E>* out, const cpx<T>* twiddles,
          Butterfly butterfly) {
  constexpr std::int64_t at_once = 1 << 15;
  for (std::int64_t k = 0; k < before; ++k) {
    butterfly(in + after * p * k, out + after * k, twiddles, std::false_type());
    for (std::int64_t i = 1, end; i < after; i = end) {
      end = std::min(after, i + at_once);
      for (std::int64_t at = i; at < end; ++at)
        butterfly(in + at + after * p * k, out + at + after * k, twiddles + at * (p - 1), std::true_type());
      if (end - i == at_once) numjit::detail::check_interrupt();
    }
    numjit::detail::check_interrupt_at(k);
  }
}

template <bool Forward, class E, class T, bool Twist>
cpx<E> twisted(cpx<E> a, cpx<T> by, std::bool_constant<Twist>) {
  if constexpr (!Twist)
    return a;
  else
    return a * (Forward ? by : conj(by));
}

template <class T>
template <bool Forward, class E>
void Plan<T>::run(cpx<E>* data, cpx<E>* scratch) const {
  cpx<E>*in = data, *out = scratch;
  for (const Pass& s : passes_) {
    const std::int64_t a = s.after, b = s.after * s.before, p = s.factor;  // steps of j: in and out
    const cpx<T>* twiddles = table_.data() + s.twiddles;
    const cpx<T>* roots = table_.data() + s.roots;
    auto turn = [](cpx<E> x, cpx<T> w, auto twist) { return twisted<Forward>(x, w, twist); };
    if (p == 2) {
      pass(p, s.before, a, in, out, twiddles, [=](const cpx<E>* x, cpx<E>* y, const cpx<T>* w, auto twist) {
        y[0] = x[0] + x[a];
        y[b] = turn(x[0] - x[a], w[0], twist);
      });
    } else if (p == 4) {
      pass(p, s.before, a, in, out, twiddles, [=](const cpx<E>* x, cpx<E>* y, const cpx<T>* w, auto twist) {
        const cpx<E> t0 = x[0] + x[2 * a], t1 = x[0] - x[2 * a], t2 = x[a] + x[3 * a];
        const cpx<E> t3 = turned<Forward>(x[a] - x[3 * a]);
        y[0] = t0 + t2;
        y[b] = turn(t1 + t3, w[0], twist);
        y[2 * b] = turn(t0 - t2, w[1], twist);
        y[3 * b] = turn(t1 - t3, w[2], twist);
      });
    } else if (p == 3) {
      pass(p, s.before, a, in, out, twiddles, [=](const cpx<E>* x, cpx<E>* y, const cpx<T>* w, auto twist) {
        constexpr T half_root = static_cast<T>(0.86602540378443864676);
        const cpx<E> sum = x[a] + x[2 * a], middle = x[0] - sum * T(0.5);
        const cpx<E> side = turned<Forward>((x[a] - x[2 * a]) * half_root);
        y[0] = x[0] + sum;
        y[b] = turn(middle + side, w[0], twist);
        y[2 * b] = turn(middle - side, w[1], twist);
      });
    } else if (p == 5) {
      pass(p, s.before, a, in, out, twiddles, [=](const cpx<E>* x, cpx<E>* y, const cpx<T>* w, auto twist) {
        constexpr T c1 = static_cast<T>(0.30901699437494742410), s1 = static_cast<T>(0.95105651629515357212);
        constexpr T c2 = static_cast<T>(-0.80901699437494742410), s2 = static_cast<T>(0.58778525229247312917);
        const cpx<E> p1 = x[a] + x[4 * a], m1 = x[a] - x[4 * a], p2 = x[2 * a] + x[3 * a], m2 = x[2 * a] - x[3 * a];
        const cpx<E> a1 = x[0] + (p1 * c1 + p2 * c2), a2 = x[0] + (p1 * c2 + p2 * c1);
        const cpx<E> b1 = turned<Forward>(m1 * s1 + m2 * s2), b2 = turned<Forward>(m1 * s2 - m2 * s1);
        y[0] = x[0] + (p1 + p2);
        y[b] = turn(a1 + b1, w[0], twist);
        y[2 * b] = turn(a2 + b2, w[1], twist);
        y[3 * b] = turn(a2 - b2, w[2], twist);
        y[4 * b] = turn(a1 - b1, w[3], twist);
      });
    } else {
      pass(p, s.before, a, in, out, twiddles, [=](const cpx<E>* x, cpx<E>* y, const cpx<T>* w, auto twist) {
        for (std::int64_t k = 0; k < p; ++k) {
          cpx<E> sum = x[0];
          std::int64_t at = 0;
          for (std::int64_t j = 1; j < p; ++j) {
            at = at + k < p ? at + k : at + k - p;
            sum = sum + x[j * a] * (Forward ? roots[at] : conj(roots[at]));
          }
          y[k * b] = k == 0 ? sum : turn(sum, w[k - 1], twist);
        }
      });
    }
    std::swap(in, out);
  }
  if (in != data) std::copy_n(in, n_, data);
}

/// jk = (j^2 + k^2 - (k - j)^2) / 2: a product with the chirp, a convolution with it, a product.
template <class T>
template <class E>
void Plan<T>::convolve(cpx<E>* data, cpx<E>* scratch, bool forward) const {
  const auto size = static_cast<std::int64_t>(filter_.size());
  cpx<E>* more = scratch + size;
  auto side = [forward](cpx<E> a) { return forward ? a : conj(a); };
  for (std::int64_t k = 0; k < n_; ++k) scratch[k] = side(data[k]) * chirp_[static_cast<std::size_t>(k)];
  std::fill(scratch + n_, scratch + size, cpx<E>{});
  inner_->transform(scratch, more, true);
  for (std::int64_t k = 0; k < size; ++k) scratch[k] = scratch[k] * filter_[static_cast<std::size_t>(k)];
  inner_->transform(scratch, more, false);
  for (std::int64_t k = 0; k < n_; ++k) data[k] = side(scratch[k] * chirp_[static_cast<std::size_t>(k)]);
}

template <class T>
template <class E>
void Plan<T>::transform(cpx<E>* data, cpx<E>* scratch, bool forward) const {
  if (inner_) return convolve(data, scratch, forward);
  forward ? run<true>(data, scratch) : run<false>(data, scratch);
}

/// For an even n: the even elements as real, the odd ones as imaginary parts, taken apart afterwards.
template <class T>
template <class E>
void RealPlan<T>::forward(const E* from, cpx<E>* to, cpx<E>* work) const {
  const std::int64_t h = half_->length();
  cpx<E>* scratch = work + h;
  if (n_ % 2 != 0) {
    for (std::int64_t k = 0; k < n_; ++k) work[k] = {from[k], E{}};
    half_->transform(work, scratch, true);
    std::copy_n(work, n_ / 2 + 1, to);
    return;
  }
  for (std::int64_t k = 0; k < h; ++k) work[k] = {from[2 * k], from[2 * k + 1]};
  half_->transform(work, scratch, true);
  to[0] = {work[0].re + work[0].im, E{}};
  to[h] = {work[0].re - work[0].im, E{}};
  for (std::int64_t k = 1; 2 * k <= h; ++k) {
    const cpx<E> a = work[k], b = conj(work[h - k]);
    const cpx<E> even = (a + b) * T(0.5), odd = turned<true>((a - b) * T(0.5)) * twiddles_[static_cast<std::size_t>(k)];
    to[k] = even + odd;
    to[h - k] = conj(even - odd);
  }
}

template <class T>
template <class E>
void RealPlan<T>::backward(const cpx<E>* from, E* to, cpx<E>* work) const {
  const std::int64_t h = half_->length();
  cpx<E>* scratch = work + h;
  if (n_ % 2 != 0) {
    work[0] = {from[0].re, E{}};
    for (std::int64_t k = 1; k <= n_ / 2; ++k) {
      work[k] = from[k];
      work[n_ - k] = conj(from[k]);
    }
    half_->transform(work, scratch, false);
    for (std::int64_t k = 0; k < n_; ++k) to[k] = work[k].re;
    return;
  }
  const E first = from[0].re, last = from[h].re;
  work[0] = {first + last, first - last};
  for (std::int64_t k = 1; 2 * k <= h; ++k) {
    const cpx<E> a = from[k], b = conj(from[h - k]);
    const cpx<E> even = a + b, odd = turned<false>((a - b) * conj(twiddles_[static_cast<std::size_t>(k)]));
    work[k] = even + odd;
    work[h - k] = conj(even - odd);
  }
  half_->transform(work, scratch, false);
  for (std::int64_t k = 0; k < h; ++k) {
    to[2 * k] = work[k].re;
    to[2 * k + 1] = work[k].im;
  }
}

}  // namespace numjit::fft::detail
