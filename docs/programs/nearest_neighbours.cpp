// Classification by the k nearest neighbours, on standardised data, with a confusion matrix and
// leave-one-out errors.
#include <numjit/np.h>

namespace np = numjit;

namespace nearest_neighbours {

std::tuple<np::array, np::array, np::array, np::array, int> inputs() {
  auto rng = np::random::default_rng(23);
  auto label = rng.permutation(np::repeat(np::arange(3), 25));
  auto centre = np::array{{0.0, 0.0, 5.0}, {2.5, 0.0, 6.0}, {1.0, 2.5, 4.0}};
  auto x = (centre(label) + rng.normal({.size = {75, 3}})) * np::array{1.0, 10.0, 0.1};
  const auto known = np::slice(60), asked = np::slice(60, np::none);
  return {x(known), label(known), x(asked), label(asked), 5};
}

// The class most of the last axis is of, the smallest at a tie.
np::array vote(const np::array& labels, int classes) {
  auto votes = labels(np::ellipsis, np::newaxis) == np::arange(classes);
  return np::argmax(np::sum(votes, {.axis = -2}), {.axis = -1});
}

std::vector<np::array> run(const np::array& known, const np::array& label, const np::array& asked,
                           const np::array& truth, int k) {
  const int classes = 3;
  auto mean = np::mean(known, {.axis = 0}), scale = np::std(known, {.axis = 0});
  auto a = (known - mean) / scale, b = (asked - mean) / scale;
  // |x - y|^2 = |x|^2 - 2 x y + |y|^2
  auto distance = np::sum(np::square(b), {.axis = 1})(np::_, np::newaxis) -
                  2 * np::matmul(b, a.T()) + np::sum(np::square(a), {.axis = 1});
  auto near = np::argsort(distance, 1)(np::_, np::slice(k));
  auto found = vote(label(near), classes);
  auto confusion =
      np::bincount(truth * classes + found, {}, classes * classes).reshape(classes, classes);
  auto own = np::linalg::norm(a(np::_, np::newaxis) - a, {.axis = -1});
  np::fill_diagonal(own, np::inf);
  auto order = np::argsort(own, 1);
  std::vector<np::array> errors;
  for (int m : {1, 3, 5, 9})
    errors.push_back(np::mean(vote(label(order(np::_, np::slice(m))), classes) != label));
  auto radius = np::take_along_axis(np::sort(own, 1), np::full({a.len(), 1}, k - 1), 1);
  return {found, confusion, np::stack(errors), radius};
}

}  // namespace nearest_neighbours
