// Data-parallel training of a network with one hidden layer: each rank has its part of the examples, gradients are averaged in
// buckets while the way back goes on.
#include <numjit/np.h>
#include <numjit/np_distributed.h>

namespace np = numjit;
namespace nd = np::distributed;

namespace ranks::training {

struct network {
  np::array w1, b1, w2, b2;
  NUMJIT_FIELDS(network, w1, b1, w2, b2)
};

np::array loss(const network& p, const np::array& x, const np::array& target) {
  auto hidden = np::tanh(np::matmul(x, p.w1) + p.b1);
  return np::mean(np::square(np::matmul(hidden, p.w2) + p.b2 - target));
}

std::pair<network, np::array> step(const network& p, const np::array& x, const np::array& target) {
  const double rate = 0.2;
  auto [value, g] = nd::value_and_grad(loss, {.bucket_bytes = 1024})(p, x, target);
  return {network{p.w1 - rate * g.w1, p.b1 - rate * g.b1, p.w2 - rate * g.w2, p.b2 - rate * g.b2}, value};
}

std::vector<np::array> run() {
  const std::int64_t examples = 480, width = 24;
  auto rng = np::random::default_rng(8);
  auto x = rng.uniform(-1, 1, {examples, 2});
  auto target = np::sin(3 * x(np::_, np::slice(1))) * x(np::_, np::slice(1, np::none));
  auto w1 = rng.normal({.size = {2, width}}), w2 = 0.2 * rng.normal({.size = {width, 1}});
  network weights{w1, np::zeros(width), w2, np::zeros(1)};
  auto learn = np::compile(step);
  const auto mine = nd::part(examples);  // equally many on each rank, so that the mean of means is the mean
  std::vector<np::array> losses;
  for (int i = 0; i < 30; ++i) {
    auto [better, value] = learn(weights, x(mine), target(mine));
    weights = better;
    losses.push_back(value);
  }
  return {np::stack(losses), weights.w1};
}

}  // namespace ranks::training
