// Plans of Fourier transforms, and carrying them out.
#include "transform.h"

#include <algorithm>
#include <mutex>

#include <numjit/ops/math/trig.h>

namespace numjit::fft::detail {
namespace {

/// e^(-2 pi i k / n), from an angle of at most an eighth of the circle.
cpx<double> root(std::int64_t k, std::int64_t n) {
  constexpr double pi = 3.14159265358979323846;
  k %= n;
  const std::int64_t octant = 8 * k / n;
  // The angle's distance from the nearest multiple of a quarter, in units of 1 / (4 n) of the circle.
  const std::int64_t quarter = (octant + 1) / 2, rest = 4 * k - quarter * n;
  const double angle = 2 * pi * (static_cast<double>(rest) / static_cast<double>(4 * n));
  const double c = m::cos(angle), s = m::sin(angle);
  switch (quarter & 3) {
    case 0: return {c, -s};
    case 1: return {-s, -c};
    case 2: return {-c, s};
    default: return {s, c};
  }
}

template <class T>
cpx<T> rounded(cpx<double> a) { return {static_cast<T>(a.re), static_cast<T>(a.im)}; }

std::vector<std::int64_t> factors_of(std::int64_t n) {
  std::vector<std::int64_t> factors;
  for (std::int64_t p : {4, 2, 3, 5})
    for (; n % p == 0; n /= p) factors.push_back(p);
  for (std::int64_t p = 7; p * p <= n; p += 2)
    for (; n % p == 0; n /= p) factors.push_back(p);
  if (n > 1) factors.push_back(n);
  return factors;
}

/// The next length with no factors but 2, 3 and 5.
std::int64_t good_length(std::int64_t n) {
  std::int64_t best = 1;
  while (best < n) best *= 2;
  for (std::int64_t five = 1; five < best; five *= 5)
    for (std::int64_t three = five; three < best; three *= 3) {
      std::int64_t x = three;
      while (x < n) x *= 2;
      best = std::min(best, x);
    }
  return best;
}

/// Factors beyond cost their square.
constexpr std::int64_t largest_factor = 50;

/// i a (forward) or -i a: a quarter turn, the other way round.
template <bool Forward, class T>
cpx<T> turned(cpx<T> a) {
  if constexpr (Forward) return {a.im, -a.re};
  return {-a.im, a.re};
}

/// One pass. In: element (i, j, k) at i + after (j + p k); out: (i, k, j) at i + after (k + before j).
template <bool Forward, class T, class Butterfly>
void pass(std::int64_t p, std::int64_t before, std::int64_t after, const cpx<T>* in, cpx<T>* out, const cpx<T>* twiddles,
          Butterfly butterfly) {
  for (std::int64_t k = 0; k < before; ++k) {
    butterfly(in + after * p * k, out + after * k, twiddles, std::false_type());
    for (std::int64_t i = 1; i < after; ++i)
      butterfly(in + i + after * p * k, out + i + after * k, twiddles + i * (p - 1), std::true_type());
  }
}

template <bool Forward, class T, bool Twist>
cpx<T> twisted(cpx<T> a, cpx<T> by, std::bool_constant<Twist>) {
  if constexpr (!Twist) return a;
  else return a * (Forward ? by : conj(by));
}

}  // namespace

template <class T>
Plan<T>::Plan(std::int64_t n) : n_(n), scratch_(n) {
  const std::vector<std::int64_t> factors = factors_of(n);
  if (!factors.empty() && *std::max_element(factors.begin(), factors.end()) > largest_factor) {
    const std::int64_t size = good_length(2 * n - 1);
    inner_ = std::make_unique<Plan>(size);
    scratch_ = size + inner_->scratch();
    filter_.assign(static_cast<std::size_t>(size), {0, 0});
    for (std::int64_t k = 0; k < n; ++k) {
      const auto square = static_cast<std::int64_t>(static_cast<unsigned long long>(k) * static_cast<unsigned long long>(k) %
                                                    static_cast<unsigned long long>(2 * n));
      const cpx<T> w = rounded<T>(root(square, 2 * n));
      chirp_.push_back(w);
      filter_[static_cast<std::size_t>(k)] = conj(w);
      if (k > 0) filter_[static_cast<std::size_t>(size - k)] = conj(w);
    }
    std::vector<cpx<T>> scratch(static_cast<std::size_t>(inner_->scratch()));
    inner_->transform(filter_.data(), scratch.data(), true);
    const T by = T(1) / static_cast<T>(size);
    for (cpx<T>& f : filter_) f = f * by;
    return;
  }
  std::int64_t before = 1;
  for (std::int64_t p : factors) {
    const std::int64_t after = n / (before * p);
    Pass made{p, before, after, table_.size(), 0};
    for (std::int64_t i = 0; i < after; ++i)
      for (std::int64_t j = 1; j < p; ++j) table_.push_back(rounded<T>(root(j * before * i, n)));
    made.roots = table_.size();
    if (p > 5)
      for (std::int64_t j = 0; j < p; ++j) table_.push_back(rounded<T>(root(j, p)));
    passes_.push_back(made);
    before *= p;
  }
}

template <class T>
template <bool Forward>
void Plan<T>::run(cpx<T>* data, cpx<T>* scratch) const {
  cpx<T>*in = data, *out = scratch;
  for (const Pass& s : passes_) {
    const std::int64_t a = s.after, b = s.after * s.before, p = s.factor;  // steps of j: in and out
    const cpx<T>* twiddles = table_.data() + s.twiddles;
    const cpx<T>* roots = table_.data() + s.roots;
    auto turn = [](cpx<T> x, cpx<T> w, auto twist) { return twisted<Forward>(x, w, twist); };
    if (p == 2) {
      pass<Forward>(p, s.before, a, in, out, twiddles, [=](const cpx<T>* x, cpx<T>* y, const cpx<T>* w, auto twist) {
        y[0] = x[0] + x[a];
        y[b] = turn(x[0] - x[a], w[0], twist);
      });
    } else if (p == 4) {
      pass<Forward>(p, s.before, a, in, out, twiddles, [=](const cpx<T>* x, cpx<T>* y, const cpx<T>* w, auto twist) {
        const cpx<T> t0 = x[0] + x[2 * a], t1 = x[0] - x[2 * a], t2 = x[a] + x[3 * a];
        const cpx<T> t3 = turned<Forward>(x[a] - x[3 * a]);
        y[0] = t0 + t2;
        y[b] = turn(t1 + t3, w[0], twist);
        y[2 * b] = turn(t0 - t2, w[1], twist);
        y[3 * b] = turn(t1 - t3, w[2], twist);
      });
    } else if (p == 3) {
      pass<Forward>(p, s.before, a, in, out, twiddles, [=](const cpx<T>* x, cpx<T>* y, const cpx<T>* w, auto twist) {
        constexpr T half_root = static_cast<T>(0.86602540378443864676);
        const cpx<T> sum = x[a] + x[2 * a], middle = x[0] - sum * T(0.5);
        const cpx<T> side = turned<Forward>((x[a] - x[2 * a]) * half_root);
        y[0] = x[0] + sum;
        y[b] = turn(middle + side, w[0], twist);
        y[2 * b] = turn(middle - side, w[1], twist);
      });
    } else if (p == 5) {
      pass<Forward>(p, s.before, a, in, out, twiddles, [=](const cpx<T>* x, cpx<T>* y, const cpx<T>* w, auto twist) {
        constexpr T c1 = static_cast<T>(0.30901699437494742410), s1 = static_cast<T>(0.95105651629515357212);
        constexpr T c2 = static_cast<T>(-0.80901699437494742410), s2 = static_cast<T>(0.58778525229247312917);
        const cpx<T> p1 = x[a] + x[4 * a], m1 = x[a] - x[4 * a], p2 = x[2 * a] + x[3 * a], m2 = x[2 * a] - x[3 * a];
        const cpx<T> a1 = x[0] + (p1 * c1 + p2 * c2), a2 = x[0] + (p1 * c2 + p2 * c1);
        const cpx<T> b1 = turned<Forward>(m1 * s1 + m2 * s2), b2 = turned<Forward>(m1 * s2 - m2 * s1);
        y[0] = x[0] + (p1 + p2);
        y[b] = turn(a1 + b1, w[0], twist);
        y[2 * b] = turn(a2 + b2, w[1], twist);
        y[3 * b] = turn(a2 - b2, w[2], twist);
        y[4 * b] = turn(a1 - b1, w[3], twist);
      });
    } else {
      pass<Forward>(p, s.before, a, in, out, twiddles, [=](const cpx<T>* x, cpx<T>* y, const cpx<T>* w, auto twist) {
        for (std::int64_t k = 0; k < p; ++k) {
          cpx<T> sum = x[0];
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
void Plan<T>::convolve(cpx<T>* data, cpx<T>* scratch, bool forward) const {
  const auto size = static_cast<std::int64_t>(filter_.size());
  cpx<T>* more = scratch + size;
  auto side = [forward](cpx<T> a) { return forward ? a : conj(a); };
  for (std::int64_t k = 0; k < n_; ++k) scratch[k] = side(data[k]) * chirp_[static_cast<std::size_t>(k)];
  std::fill(scratch + n_, scratch + size, cpx<T>{0, 0});
  inner_->transform(scratch, more, true);
  for (std::int64_t k = 0; k < size; ++k) scratch[k] = scratch[k] * filter_[static_cast<std::size_t>(k)];
  inner_->transform(scratch, more, false);
  for (std::int64_t k = 0; k < n_; ++k) data[k] = side(scratch[k] * chirp_[static_cast<std::size_t>(k)]);
}

template <class T>
void Plan<T>::transform(cpx<T>* data, cpx<T>* scratch, bool forward) const {
  if (inner_) return convolve(data, scratch, forward);
  forward ? run<true>(data, scratch) : run<false>(data, scratch);
}

namespace {

/// The plan of a length among the last few, or a new one.
template <class Made>
std::shared_ptr<const Made> kept(std::int64_t n) {
  static auto& mutex = *new std::mutex;
  static auto& known = *new std::vector<std::shared_ptr<const Made>>;  // the latest first
  {
    std::lock_guard lock(mutex);
    for (auto it = known.begin(); it != known.end(); ++it)
      if ((*it)->length() == n) {
        std::rotate(known.begin(), it, it + 1);
        return known.front();
      }
  }
  auto made = std::make_shared<const Made>(n);
  std::lock_guard lock(mutex);
  known.insert(known.begin(), made);
  if (known.size() > 16) known.pop_back();
  return made;
}

}  // namespace

template <class T>
std::shared_ptr<const Plan<T>> plan_of(std::int64_t n) { return kept<Plan<T>>(n); }
template <class T>
std::shared_ptr<const RealPlan<T>> real_plan_of(std::int64_t n) { return kept<RealPlan<T>>(n); }

template <class T>
RealPlan<T>::RealPlan(std::int64_t n) : n_(n), half_(plan_of<T>(n % 2 == 0 ? n / 2 : n)) {
  for (std::int64_t k = 0; n % 2 == 0 && k <= n / 4; ++k) twiddles_.push_back(rounded<T>(root(k, n)));
}

template <class T>
std::int64_t RealPlan<T>::room() const { return half_->length() + half_->scratch(); }

/// For an even n: the even elements as real, the odd ones as imaginary parts, taken apart afterwards.
template <class T>
void RealPlan<T>::forward(const T* from, cpx<T>* to, cpx<T>* work) const {
  const std::int64_t h = half_->length();
  cpx<T>* scratch = work + h;
  if (n_ % 2 != 0) {
    for (std::int64_t k = 0; k < n_; ++k) work[k] = {from[k], T(0)};
    half_->transform(work, scratch, true);
    std::copy_n(work, n_ / 2 + 1, to);
    return;
  }
  for (std::int64_t k = 0; k < h; ++k) work[k] = {from[2 * k], from[2 * k + 1]};
  half_->transform(work, scratch, true);
  to[0] = {work[0].re + work[0].im, T(0)};
  to[h] = {work[0].re - work[0].im, T(0)};
  for (std::int64_t k = 1; 2 * k <= h; ++k) {
    const cpx<T> a = work[k], b = conj(work[h - k]);
    const cpx<T> even = (a + b) * T(0.5), odd = turned<true>((a - b) * T(0.5)) * twiddles_[static_cast<std::size_t>(k)];
    to[k] = even + odd;
    to[h - k] = conj(even - odd);
  }
}

template <class T>
void RealPlan<T>::backward(const cpx<T>* from, T* to, cpx<T>* work) const {
  const std::int64_t h = half_->length();
  cpx<T>* scratch = work + h;
  if (n_ % 2 != 0) {
    work[0] = {from[0].re, T(0)};
    for (std::int64_t k = 1; k <= n_ / 2; ++k) {
      work[k] = from[k];
      work[n_ - k] = conj(from[k]);
    }
    half_->transform(work, scratch, false);
    for (std::int64_t k = 0; k < n_; ++k) to[k] = work[k].re;
    return;
  }
  const T first = from[0].re, last = from[h].re;
  work[0] = {first + last, first - last};
  for (std::int64_t k = 1; 2 * k <= h; ++k) {
    const cpx<T> a = from[k], b = conj(from[h - k]);
    const cpx<T> even = a + b, odd = turned<false>((a - b) * conj(twiddles_[static_cast<std::size_t>(k)]));
    work[k] = even + odd;
    work[h - k] = conj(even - odd);
  }
  half_->transform(work, scratch, false);
  for (std::int64_t k = 0; k < h; ++k) {
    to[2 * k] = work[k].re;
    to[2 * k + 1] = work[k].im;
  }
}

template class Plan<float>;
template class Plan<double>;
template class RealPlan<float>;
template class RealPlan<double>;
template std::shared_ptr<const RealPlan<float>> real_plan_of<float>(std::int64_t);
template std::shared_ptr<const RealPlan<double>> real_plan_of<double>(std::int64_t);
template std::shared_ptr<const Plan<float>> plan_of<float>(std::int64_t);
template std::shared_ptr<const Plan<double>> plan_of<double>(std::int64_t);

}  // namespace numjit::fft::detail
