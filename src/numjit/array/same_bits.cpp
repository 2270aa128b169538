// Element by element over any two layouts.
#include <numjit/array/same_bits.h>
#include <numjit/array/remote.h>

#include <cstring>

#include <numjit/array/complex.h>
#include <numjit/array/half.h>

namespace numjit::detail {
namespace {

template <class T>
bool is_nan(const T& v) {
  if constexpr (std::is_same_v<T, half>)
    return static_cast<float>(v) != static_cast<float>(v);
  else
    return v != v;
}

template <class T>
bool same_real(const T& a, const T& b) {
  return std::memcmp(&a, &b, sizeof a) == 0 || (is_nan(a) && is_nan(b));
}

template <class T>
bool same(const char* pa, const char* pb) {
  T a, b;
  std::memcpy(&a, pa, sizeof a);
  std::memcpy(&b, pb, sizeof b);
  if constexpr (std::is_same_v<T, complex<float>> || std::is_same_v<T, complex<double>>)
    return same_real(a.re, b.re) && same_real(a.im, b.im);
  else
    return same_real(a, b);
}

}  // namespace

std::optional<std::int64_t> first_difference(const node* a, const node* b) {
  readable_on_host(a);
  readable_on_host(b);
  std::optional<std::int64_t> found;
  visit_dtype(a->type, [&]<class T>() {
    std::int64_t index[max_rank] = {};
    const char *pa = a->data, *pb = b->data;
    for (std::int64_t i = 0; i < a->size; ++i) {
      if (!same<T>(pa, pb)) {
        found = i;
        return;
      }
      for (int axis = a->rank - 1; axis >= 0; --axis) {
        pa += a->strides[axis];
        pb += b->strides[axis];
        if (++index[axis] < a->shape[axis]) break;
        pa -= a->strides[axis] * a->shape[axis];
        pb -= b->strides[axis] * b->shape[axis];
        index[axis] = 0;
      }
    }
  });
  return found;
}

}  // namespace numjit::detail
