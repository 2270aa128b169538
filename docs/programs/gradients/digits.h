// Pictures of digits, 12 x 12: a font of 5 x 7 dots, shifted, of uneven strength, with noise.
#pragma once

#include <numjit/np.h>

namespace np = numjit;

namespace digits {

/// (10, 7, 5). A digit is seven rows of five dots, each row a number in binary.
inline np::array font() {
  const np::array rows{{14, 17, 19, 21, 25, 17, 14}, {4, 12, 4, 4, 4, 4, 14},
                       {14, 17, 1, 2, 4, 8, 31},     {31, 2, 4, 2, 1, 17, 14},
                       {2, 6, 10, 18, 31, 2, 2},     {31, 16, 30, 1, 1, 17, 14},
                       {6, 8, 16, 30, 17, 17, 14},   {31, 1, 2, 4, 8, 8, 8},
                       {14, 17, 17, 14, 17, 17, 14}, {14, 17, 17, 15, 1, 2, 12}};
  return ((rows(np::ellipsis, np::newaxis) >> np::arange(4, -1, -1)) & 1).astype(np::float64);
}

/// (pictures, labels).
inline std::pair<np::array, np::array> make(int count, int seed, double noise = 0.15) {
  auto rng = np::random::default_rng(seed);
  auto labels = rng.integers(0, 10, count);
  auto top = rng.integers(2, 4, count), left = rng.integers(2, 5, count);
  auto pictures = np::zeros({count, 12, 12});
  auto rows = top(np::_, np::newaxis) + np::arange(7);
  auto columns = left(np::_, np::newaxis) + np::arange(5);
  pictures(np::arange(count)(np::_, np::newaxis, np::newaxis), rows(np::_, np::_, np::newaxis),
           columns(np::_, np::newaxis)) = font()(labels);
  pictures *= rng.uniform(0.6, 1.2, {count, 1, 1});
  return {pictures + rng.normal(0, noise, pictures.shape()), labels};
}

/// Of scores for each digit, before softmax.
inline np::array cross_entropy(const np::array& scores, const np::array& labels) {
  auto s = scores - np::max(scores, {.axis = 1, .keepdims = true});
  return np::mean(np::log(np::sum(np::exp(s), {.axis = 1})) - s(np::arange(labels.len()), labels));
}

}  // namespace digits
