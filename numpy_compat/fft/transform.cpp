// Plans of Fourier transforms, and carrying them out.
#include "transform_impl.h"

#include <algorithm>
#include <mutex>

#include <numjit/base/check_interrupt.h>
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
      numjit::detail::check_interrupt_at(k);
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
    for (std::int64_t i = 0; i < after; ++i) {
      numjit::detail::check_interrupt_at(i);
      for (std::int64_t j = 1; j < p; ++j) table_.push_back(rounded<T>(root(j * before * i, n)));
    }
    made.roots = table_.size();
    if (p > 5)
      for (std::int64_t j = 0; j < p; ++j) table_.push_back(rounded<T>(root(j, p)));
    passes_.push_back(made);
    before *= p;
  }
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
  for (std::int64_t k = 0; n % 2 == 0 && k <= n / 4; ++k) {
    numjit::detail::check_interrupt_at(k);
    twiddles_.push_back(rounded<T>(root(k, n)));
  }
}

template <class T>
std::int64_t RealPlan<T>::room() const { return half_->length() + half_->scratch(); }

template class Plan<float>;
template class Plan<double>;
template class RealPlan<float>;
template class RealPlan<double>;
#define NUMJIT_OF_NUMBERS(T)                                            \
  template void Plan<T>::transform(cpx<T>*, cpx<T>*, bool) const;       \
  template void RealPlan<T>::forward(const T*, cpx<T>*, cpx<T>*) const; \
  template void RealPlan<T>::backward(const cpx<T>*, T*, cpx<T>*) const;
NUMJIT_OF_NUMBERS(float)
NUMJIT_OF_NUMBERS(double)
#undef NUMJIT_OF_NUMBERS
template std::shared_ptr<const RealPlan<float>> real_plan_of<float>(std::int64_t);
template std::shared_ptr<const RealPlan<double>> real_plan_of<double>(std::int64_t);
template std::shared_ptr<const Plan<float>> plan_of<float>(std::int64_t);
template std::shared_ptr<const Plan<double>> plan_of<double>(std::int64_t);

}  // namespace numjit::fft::detail
