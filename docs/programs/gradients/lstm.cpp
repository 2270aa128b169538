// An LSTM learns to add numbers bit by bit, the lowest first, and then adds numbers three times as
// long.
#include "expect.h"
#include "optimisers.h"

namespace lstm {

struct network {
  np::array w, b, out, shift;
  NUMJIT_FIELDS(network, w, b, out, shift)
};

/// Bits of two numbers and of their sum, each (bits, count, ...).
std::pair<np::array, np::array> numbers(int count, int bits, const np::random::Generator& rng) {
  auto both = rng.integers(0, 1 << (bits - 1), {2, count});
  auto a = both(0), b = both(1);
  auto places = np::arange(bits)(np::_, np::newaxis);
  auto bits_of = [&](const np::array& x) { return ((x >> places) & 1) * 1.0; };
  return {np::stack({bits_of(a), bits_of(b)}, {.axis = 2}), bits_of(a + b)};
}

std::tuple<network, int, np::random::Generator> inputs() {
  auto rng = np::random::default_rng(8);
  const int n = 12;
  auto w = rng.normal(0, 0.4, {2 + n, 4 * n}), out = rng.normal(0, 0.4, n);
  return {network{w, np::zeros(4 * n), out, np::array(0.0)}, 120, rng};
}

np::array logistic(const np::array& x) { return 0.5 + 0.5 * np::tanh(0.5 * x); }

np::array scores(const network& p, const np::array& x) {
  const auto n = p.out.len(), count = x.shape()[1];
  auto h = np::zeros({count, n}), c = np::zeros({count, n});
  std::vector<np::array> found;
  for (int i = 0; i < x.len(); ++i) {
    auto gates = np::matmul(np::concatenate({x(i), h}, {.axis = 1}), p.w) + p.b;
    auto gate = [&](int k) { return gates(np::_, np::slice(k * n, (k + 1) * n)); };
    auto keep = logistic(gate(0) + 1), write = logistic(gate(1)), show = logistic(gate(2));
    c = keep * c + write * np::tanh(gate(3));
    h = show * np::tanh(c);
    found.push_back(np::matmul(h, p.out) + p.shift);
  }
  return np::stack(found);
}

std::tuple<np::array, np::array, np::array> run(network p, int steps, np::random::Generator rng) {
  auto loss = [](const network& p, const np::array& x, const np::array& y) {
    auto s = scores(p, x);
    return np::mean(np::logaddexp(0, s) - y * s);
  };
  const optimisers::adam adam{0.05};
  auto state = adam.start(p);
  auto losses = np::empty(steps);
  for (int i = 0; i < steps; ++i) {
    auto [x, y] = numbers(32, 6, rng);
    auto [value, g] = np::value_and_grad(loss)(p, x, y);
    losses(i) = value;
    p = adam.step(p, g, state);
  }
  auto [x, y] = numbers(100, 18, rng);
  auto right = (scores(p, x) > 0) == (y > 0);
  return {losses, np::mean(right), np::mean(np::all(right, {.axis = 0}))};
}

void check(const np::array& losses, const np::array& bits, const np::array& sums) {
  expect(np::abs(losses(0) - std::log(2)) < 0.2, "at first it guesses");
  expect(losses(-1) < 0.05 * losses(0), "it learns");
  expect(bits > 0.99 && sums > 0.95, "it has found the carry");
}

}  // namespace lstm
