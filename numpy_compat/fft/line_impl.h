// The transform of one line by its kind, over numbers or over vectors of them.
#pragma once

#include "lanes.h"
#include "transform_impl.h"

namespace numjit::fft::detail {

/// `in` and `out` are numbers of E; of complex ones the real part comes first.
template <class T, class E>
void run_line(const LineTransform<T>& t, const E* in, E* out, cpx<E>* work) {
  const auto* const given = reinterpret_cast<const cpx<E>*>(in);
  auto* const result = reinterpret_cast<cpx<E>*>(out);
  if (t.kind == Kind::to_real) return t.real->backward(given, out, work);
  if (t.kind == Kind::from_real) return t.real->forward(in, result, work);
  if (!t.from_reals) {
    std::copy_n(given, t.n, result);
    return t.plan->transform(result, work, t.kind == Kind::forward);
  }
  t.real->forward(in, result, work);
  for (std::int64_t k = 1; 2 * k < t.n; ++k) result[t.n - k] = conj(result[k]);
  for (std::int64_t k = 0; t.kind == Kind::backward && k < t.n; ++k) result[k] = conj(result[k]);
}

}  // namespace numjit::fft::detail
