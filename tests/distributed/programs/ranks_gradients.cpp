// Derivatives of operations between ranks: of the sum of what all ranks return.
#include <cmath>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <string>
#include <vector>

#include <numjit/np.h>
#include <numjit/np_distributed.h>

#include "ranks_expect.h"

namespace np = numjit;
namespace nd = np::distributed;

namespace {

np::array random_of_rank(std::uint64_t seed, np::dims shape) {
  auto random = np::random::default_rng(1000 * seed + static_cast<std::uint64_t>(nd::world().rank()));
  return random.standard_normal({.size = shape});
}

double over_ranks(const np::array& x) { return nd::all_reduce(np::sum(x)).item<double>(); }
bool near(double a, double b, double tolerance) { return std::abs(a - b) <= tolerance * (1 + std::abs(a)); }

using Function = std::function<np::array(const np::array&)>;

/// Of all ranks together: a change in every rank's input changes the results as the tangents say, what pull gives is the other
/// side of it, and both are differences of values.
void check(const std::string& what, const Function& f, const np::array& x) {
  const np::array dx = random_of_rank(2, x.shape());
  const auto [y, pull] = np::vjp(f, x);
  const np::array g = random_of_rank(3, y.shape());
  const np::array back = pull(g);
  const auto [again, dy] = np::jvp(f, std::tuple(x), std::tuple(dx));
  const double forward = over_ranks(g * dy), backward = over_ranks(back * dx);
  const double step = 1e-6;
  const double difference = over_ranks(g * (f(x + step * dx) - f(x - step * dx))) / (2 * step);
  expect(near(forward, backward, 1e-10),
         what + ": forward " + std::to_string(forward) + ", backward " + std::to_string(backward));
  expect(near(difference, backward, 1e-6),
         what + ": differences " + std::to_string(difference) + ", backward " + std::to_string(backward));
  const auto gradient = np::compile([&](const np::array& at) { return np::vjp(f, at).second(g); });
  for (int i = 0; i < 3; ++i)
    expect(np::allclose(gradient(x), back, {.rtol = 1e-13}), what + ": compiled, the gradient is another one");
}

void check_operations() {
  const std::int64_t size = nd::world().size();
  const np::array x = random_of_rank(1, {2 * size, 3});
  for (const char* op : {"sum", "mean", "prod", "max", "min"}) {
    check(
        std::string("all_reduce ") + op, [=](const np::array& v) { return nd::all_reduce(v, {.op = op}); }, x);
    check(
        std::string("reduce_scatter ") + op, [=](const np::array& v) { return nd::reduce_scatter(v, {.op = op}); }, x);
  }
  check(
      "all_gather", [](const np::array& v) { return nd::all_gather(v, {.axis = 1}); }, x);
  check(
      "broadcast", [=](const np::array& v) { return nd::broadcast(v, {.root = size - 1}); }, x);
  check(
      "all_to_all", [](const np::array& v) { return nd::all_to_all(v); }, x);
  std::vector<std::pair<std::int64_t, std::int64_t>> shift;
  for (std::int64_t r = 0; r + 1 < size; ++r) shift.emplace_back(r, r + 1);
  check(
      "permute", [=](const np::array& v) { return nd::permute(v, shift); }, x);
  for (const bool periodic : {false, true})
    check(
        "exchange_halo", [=](const np::array& v) { return nd::exchange_halo(v, 2, {.periodic = periodic}); }, x);
  check(
      "sum", [](const np::array& v) { return nd::sum(v, {.axis = 0}); }, x);
  check(
      "sum of all", [](const np::array& v) { return nd::sum(v * v); }, x);
}

// An extreme that several ranks have: each gets its share.
void check_ties() {
  const np::array x = np::array{1.0, static_cast<double>(nd::world().rank())};
  auto slope = np::grad([](const np::array& v) { return np::sum(nd::all_reduce(v, {.op = "max"})); });
  const double last = nd::world().rank() + 1 == nd::world().size() ? static_cast<double>(nd::world().size()) : 0.0;
  expect(np::array_equal(slope(x), np::array{1.0, last}), "ties: got " + np::array_str(slope(x)));
}

void check_batches() {
  const std::int64_t size = nd::world().size();
  const np::array x = random_of_rank(4, {3, 2 * size, 2});
  const std::vector<Function> functions{
      [](const np::array& v) { return nd::all_reduce(v); },       [](const np::array& v) { return nd::all_gather(v); },
      [](const np::array& v) { return nd::reduce_scatter(v); },   [](const np::array& v) { return nd::exchange_halo(v, 1); },
      [](const np::array& v) { return nd::sum(v, {.axis = 0}); },
  };
  for (const Function& f : functions) {
    const np::array got = np::vmap(f)(x), expected = np::stack({f(np::array(x(0))), f(np::array(x(1))), f(np::array(x(2)))});
    expect(np::array_equal(got, expected), "vmap: got " + np::array_str(got) + "\nexpected " + np::array_str(expected));
  }
}

np::array loss(const np::array& w, const np::array& b, const np::array& unused, const np::array& x) {
  const np::array hidden = np::tanh(np::matmul(x, w) + b);
  return np::mean(hidden * hidden) + 0 * np::sum(b) + 0.0 * np::sum(np::zeros_like(unused));
}

// The mean over the ranks of losses of equally many examples is the loss of all examples.
void check_training() {
  const std::int64_t size = nd::world().size();
  auto random = np::random::default_rng(5);
  const np::array w = random.standard_normal({.size = {4, 3}}), b = random.standard_normal({.size = 3}), unused = np::zeros({2});
  const np::array all = random.standard_normal({.size = {8 * size, 4}});
  const np::array mine = all(nd::part(8 * size));
  const auto whole = np::value_and_grad<0, 1, 2>(loss)(w, b, unused, all);
  for (const std::int64_t bytes : {1, 50, 1 << 20}) {
    auto step = nd::value_and_grad<0, 1, 2>(loss, {.bucket_bytes = bytes});
    const auto check_step = [&](const auto& made) {
      expect(np::allclose(made.first, whole.first), "value_and_grad: another loss");
      expect(np::allclose(std::get<0>(made.second), std::get<0>(whole.second)), "value_and_grad: another gradient of w");
      expect(np::allclose(std::get<1>(made.second), std::get<1>(whole.second)), "value_and_grad: another gradient of b");
      expect(np::array_equal(std::get<2>(made.second), np::zeros({2})), "value_and_grad: the unused one's gradient is not 0");
      expect(np::array_equal(std::get<0>(made.second), nd::broadcast(std::get<0>(made.second))),
             "gradients differ between ranks");
    };
    check_step(step(w, b, unused, mine));
    const auto compiled =
        np::compile([&](const np::array& w2, const np::array& b2, const np::array& x) { return step(w2, b2, unused, x); });
    for (int i = 0; i < 3; ++i) check_step(compiled(w, b, mine));
  }
  const auto own = nd::value_and_grad<0, 3>(loss, {.parted = {3}})(w, b, unused, mine);
  expect(np::allclose(std::get<1>(own.second), np::grad<3>(loss)(w, b, unused, mine)),
         "the parted argument's gradient is not its own");
}

// The gradient of the last layer is sent before the way back computes those of the layers before it.
void check_order() {
  const auto layers = [](const np::array& a, const np::array& b, const np::array& c, const np::array& x) {
    return np::mean(np::matmul(np::tanh(np::matmul(np::tanh(np::matmul(x, a)), b)), c));
  };
  auto step = nd::value_and_grad<0, 1, 2>(layers, {.bucket_bytes = 1});
  auto compiled = np::compile([&](const np::array& w, const np::array& x) { return step(w, w + 1, w + 2, x); });
  const np::explain_report report = np::explain(compiled)(random_of_rank(6, {8, 8}), random_of_rank(7, {16, 8}));
  expect(report.graphs.size() == 1 && report.graph_break_count == 0, "order: expected one graph\n" + report.str());
  const std::string& text = report.graphs[0].text;
  expect(text.find(", all_reduce) : float64[?, ?]") < text.rfind("matmul("), "order: gradients are sent at the end\n" + text);
}

}  // namespace

int main() {
  np::config().compile = np::compile_mode::sync;
  check_operations();
  check_ties();
  check_batches();
  check_training();
  check_order();
  return finished();
}
