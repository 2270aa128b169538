// A network with one hidden layer learns to read the digits: minibatches, cross entropy, Adam.
#include "digits.h"
#include "expect.h"
#include "optimisers.h"

namespace mlp {

struct network {
  np::array w1, b1, w2, b2;
  NUMJIT_FIELDS(network, w1, b1, w2, b2)
};

std::tuple<network, np::array, np::array, np::array, np::array> inputs() {
  auto rng = np::random::default_rng(5);
  auto w1 = rng.normal(0, 0.1, {144, 32}), w2 = rng.normal(0, 0.2, {32, 10});
  auto [x, labels] = digits::make(2000, 1);
  auto [test, truth] = digits::make(200, 2);
  return {network{w1, np::zeros(32), w2, np::zeros(10)}, x, labels, test, truth};
}

np::array scores(const network& p, const np::array& x) {
  auto hidden = np::tanh(np::matmul(x.reshape(x.len(), -1), p.w1) + p.b1);
  return np::matmul(hidden, p.w2) + p.b2;
}

std::tuple<np::array, np::array, np::array> run(network p, const np::array& x,
                                                const np::array& labels, const np::array& test,
                                                const np::array& truth) {
  const int steps = 250, batch = 80;
  auto loss = [](const network& p, const np::array& x, const np::array& labels) {
    return digits::cross_entropy(scores(p, x), labels);
  };
  const optimisers::adam adam{0.01};
  auto state = adam.start(p);
  auto losses = np::empty(steps);
  for (int i = 0; i < steps; ++i) {
    const auto part = np::slice(i * batch % x.len(), i * batch % x.len() + batch);
    auto [value, g] = np::value_and_grad(loss)(p, x(part), labels(part));
    losses(i) = value;
    p = adam.step(p, g, state);
  }
  auto found = np::argmax(scores(p, test), {.axis = 1});
  return {losses, np::mean(found == truth), p.w1};
}

void check(const np::array& losses, const np::array& accuracy, const np::array&) {
  expect(np::abs(losses(0) - std::log(10)) < 0.5, "at first it knows nothing");
  expect(losses(-1) < 0.1 * losses(0), "it learns");
  expect(accuracy > 0.92, "it reads digits that it has not seen");
}

}  // namespace mlp
