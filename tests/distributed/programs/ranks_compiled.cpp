// Operations between ranks in compiled functions: one graph, in the program's order, with the values of the plain program.
#include <algorithm>
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

// A long body is cut behind the first reader of what travels, unless that is too far away, or there was one before.
void check_cuts() {
  const auto is_one_graph = [](int operations, bool reads_at_once) {
    const auto f = np::compile([=](const np::array& x) {
      np::array y = x;
      const auto go_on = [&](int n) {
        for (int i = 0; i < n; i += 2) y = y * 0.5 + 0.25 * static_cast<double>(i % 7);
      };
      go_on(40);
      const np::array came = nd::all_reduce(y);
      if (reads_at_once) y = y + came(np::slice(0, 1));
      go_on(operations);
      y = np::concatenate({y + came(np::slice(0, 1)), y});
      go_on(40);
      return y;
    });
    const np::array x = np::ones({5, 1}), expected = np::disable(f)(x);
    for (int i = 0; i < 3; ++i) same("cuts", f(x), expected);
    const np::explain_report report = np::explain(f)(x);
    return std::any_of(report.graphs.begin(), report.graphs.end(), [](const np::graph_report& g) {
      return g.text.find("all_reduce") != std::string::npos && g.text.find("concatenate") != std::string::npos;
    });
  };
  expect(is_one_graph(60, false) && is_one_graph(200, false), "cuts: what travels was waited for before its reader");
  expect(!is_one_graph(400, false), "cuts: put off without end");
  expect(!is_one_graph(200, true), "cuts: put off although the result was read");
}

// What explain and a timeline say of communication: an exchange of known size, hidden behind a product, and one that is waited
// for.
void check_reports() {
  const std::int64_t size = nd::world().size(), rank = nd::world().rank();
  const auto f = np::compile([](const np::array& u, const np::array& w) {
    const np::array around = nd::exchange_halo(u, 1);
    const np::array product = np::matmul(w, w);
    return std::pair(around, nd::exchange_halo(product, 2));
  });
  const np::array u = np::ones({50, 1000}), w = mine(200, 200);
  f(u, w);
  np::report_scope scope;
  f(u, w);
  f(u, w);
  const np::explain_report report = scope.report();
  const np::communication_report& all = report.communication;
  const std::string text = report.str();
  if (size == 1) return expect(all.operations == 0 && text.find("communication") == std::string::npos, "alone: told of\n" + text);
  const std::int64_t neighbours = (rank > 0) + (rank + 1 < size), sent = neighbours * (1000 + 2 * 200) * 8;
  expect(all.operations == 4 && all.bytes == 2 * sent, "reports: expected 4 operations and their bytes\n" + text);
  expect(text.find("communication: 4 operations, ") != std::string::npos, "reports: no line on communication\n" + text);
  expect(all.ns > 0 && all.hidden_ns >= 0 && all.hidden_ns <= all.ns, "reports: times do not fit\n" + text);
  std::int64_t operations = 0, ns = 0, hidden = 0;
  for (const np::kernel_report& kernel : report.kernels) {
    if (kernel.hidden_ns < 0) continue;
    ++operations;
    ns += kernel.ns;
    hidden += kernel.hidden_ns;
    expect(kernel.schedule == "sent" && kernel.ops == std::vector<std::string>{"exchange_halo"}, "reports: " + kernel.ops[0]);
  }
  expect(operations == 2 && ns == all.ns && hidden == all.hidden_ns, "reports: the sum is another one\n" + text);
  std::int64_t travelled = 0, waited = 0;
  for (const np::timeline_event& event : report.timeline) {
    if (event.kind == "wait") waited += event.ns;
    if (event.kind != "communication") continue;
    travelled += event.ns;
    expect(event.begin_ns >= 0 && event.name.starts_with("exchange_halo: ") && event.name.ends_with("% hidden"),
           "timeline: " + event.name);
  }
  expect(travelled == all.ns && waited >= all.ns - all.hidden_ns, "timeline: other times than explain's");
  expect(report.json().find("\"hidden_ns\": " + std::to_string(all.hidden_ns)) != std::string::npos, "json: " + report.json());
}

}  // namespace

int main() {
  np::config().compile = np::compile_mode::sync;
  check("mixed", mixed, mine(60, 50), mine(40, 40));
  check("much", mixed, mine(2000, 60), mine(30, 30));
  check("stores", stores, mine(4, 3));
  check_cuts();
  check_reports();
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
