// A convolutional network reads the digits, in float32: 3 x 3 kernels over windows, the largest of
// 2 x 2, twice.
#include "digits.h"
#include "expect.h"
#include "optimisers.h"

namespace convolutional_network {

struct network {
  std::vector<np::array> kernels, shifts;
  np::array w, b;
  NUMJIT_FIELDS(network, kernels, shifts, w, b)
};

std::tuple<network, np::array, np::array, np::array, np::array> inputs() {
  auto rng = np::random::default_rng(6);
  network p{{rng.normal(0, 0.3, {3, 3, 1, 8}), rng.normal(0, 0.15, {3, 3, 8, 16})},
            {np::zeros(8), np::zeros(16)},
            rng.normal(0, 0.1, {64, 10}),
            np::zeros(10)};
  p = np::tree::map([](auto& a) { return a.astype(np::float32); }, p);
  auto [x, labels] = digits::make(900, 1);
  auto [test, truth] = digits::make(200, 2);
  return {p, x.astype(np::float32), labels, test.astype(np::float32), truth};
}

/// x (n, rows, columns, channels), kernel (3, 3, channels, new channels).
np::array convolve(const np::array& x, const np::array& kernel) {
  auto windows = np::lib::stride_tricks::sliding_window_view(x, {3, 3}, {.axis = {1, 2}});
  return np::tensordot(windows, kernel, {4, 5, 3}, {0, 1, 2});
}

np::array pool(const np::array& x) {
  const auto n = x.shape()[0], rows = x.shape()[1], columns = x.shape()[2], channels = x.shape()[3];
  return np::max(x.reshape(n, rows / 2, 2, columns / 2, 2, channels), {.axis = {2, 4}});
}

np::array scores(const network& p, const np::array& pictures) {
  // 14 x 14, to 12 and 6, to 4 and 2.
  auto x = np::pad(pictures(np::ellipsis, np::newaxis), {{0, 0}, {1, 1}, {1, 1}, {0, 0}});
  for (std::size_t i = 0; i < p.kernels.size(); ++i)
    x = pool(np::maximum(convolve(x, p.kernels[i]) + p.shifts[i], 0));
  return np::matmul(x.reshape(x.len(), -1), p.w) + p.b;
}

std::tuple<np::array, np::array, np::array> run(network p, const np::array& x,
                                                const np::array& labels, const np::array& test,
                                                const np::array& truth) {
  const int steps = 120, batch = 60;
  auto loss = [](const network& p, const np::array& x, const np::array& labels) {
    return digits::cross_entropy(scores(p, x), labels);
  };
  const optimisers::adam adam{0.01};
  auto state = adam.start(p);
  auto losses = np::empty(steps, np::float32);
  for (int i = 0; i < steps; ++i) {
    const auto part = np::slice(i * batch % x.len(), i * batch % x.len() + batch);
    auto [value, g] = np::value_and_grad(loss)(p, x(part), labels(part));
    losses(i) = value;
    p = adam.step(p, g, state);
  }
  auto found = np::argmax(scores(p, test), {.axis = 1});
  return {losses, np::mean(found == truth), p.kernels[0]};
}

void check(const np::array& losses, const np::array& accuracy, const np::array& kernels) {
  expect(losses.dtype() == np::float32 && kernels.dtype() == np::float32, "float32 all through");
  expect(losses(-1) < 0.1 * losses(0), "it learns");
  expect(accuracy > 0.95, "it reads digits that it has not seen");
}

}  // namespace convolutional_network
