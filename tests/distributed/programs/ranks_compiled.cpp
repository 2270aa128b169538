// Operations between ranks in compiled functions: one graph, in the program's order, with the values of the plain program.
#include <cstdlib>
#include <iostream>
#include <string>

#include <numjit/np.h>
#include <numjit/np_distributed.h>

#include "ranks_expect.h"

namespace np = numjit;
namespace nd = np::distributed;

namespace {

void same(const std::string& what, const np::array& got, const np::array& expected) {
  if (got.dtype() == expected.dtype() && np::array_equal(got, expected)) return;
  expect(false, what + "\n" + np::array_str(got) + "\nexpected\n" + np::array_str(expected));
}

np::array mine(std::int64_t n, std::int64_t columns) {
  auto random = np::random::default_rng(static_cast<std::uint64_t>(nd::world().rank()));
  return random.standard_normal({.size = {n, columns}});
}

// Elementwise work, a product that does not need what travels, and several operations on the way.
np::array mixed(const np::array& x, const np::array& w) {
  const np::array y = np::exp(x * 0.1);
  const np::array total = nd::all_reduce(y);
  const np::array product = np::matmul(w, w);
  const np::array around = nd::exchange_halo(y * 2, 1, {.periodic = true});
  const np::array parted = nd::sum(y, {.axis = 0});
  return np::sum(total) * product + np::sum(around) + np::sum(parted) * np::sum(np::sin(product));
}

// What is sent is overwritten behind it, and its view is read; what came is overwritten, too.
np::array stores(const np::array& x) {
  np::array y = x + 1;
  np::array total = nd::all_reduce(y);
  y(0) = 100;
  y += 1;
  total(np::slice(1, 2)) = 0;
  return np::concatenate({y, total, nd::all_reduce(y)});
}

// The argument itself is sent, and then stored into.
void steps(np::array& u) {
  for (int i = 0; i < 3; ++i) {
    const np::array v = nd::exchange_halo(u, 1);
    u += 0.25 * (v(np::slice(np::none, -2)) - 2 * u + v(np::slice(2, np::none)));
  }
}

template <class F, class... X>
void check(const std::string& what, F f, const X&... x) {
  const np::array expected = f(x...);
  const auto compiled = np::compile(f, {.fullgraph = true});
  for (int i = 0; i < 4; ++i) same(what + ", call " + std::to_string(i), compiled(x...), expected);
  const np::explain_report report = np::explain(compiled)(x...);
  expect(report.graphs.size() == 1 && report.graph_break_count == 0,
         what + ": expected one graph without breaks\n" + report.str());
  expect(report.graphs[0].text.find(", all_reduce) : float64") != std::string::npos,
         what + ": no all_reduce\n" + report.graphs[0].text);
  expect(nd::world().size() == 1 || report.str().find("% hidden") != std::string::npos, what + ": not told of\n" + report.str());
}

}  // namespace

int main() {
  np::config().compile = np::compile_mode::sync;
  check("mixed", mixed, mine(60, 50), mine(40, 40));
  check("much", mixed, mine(2000, 60), mine(30, 30));
  check("stores", stores, mine(4, 3));
  np::array plain = mine(50, 20), compiled = plain.copy();
  steps(plain);
  np::compile(steps)(compiled);
  same("steps", compiled, plain);
  const auto loop = np::compile([](np::array& u) { steps(u); });
  for (int i = 0; i < 5; ++i) {
    steps(plain);
    loop(compiled);
    same("steps again", compiled, plain);
  }
  return finished();
}
