// What a compiled call costs besides its arithmetic, on 10 elements: per op, per call, per break.
// Prints "name nanoseconds limit" lines for run.py.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <vector>

#include <numjit/np.h>

namespace np = numjit;

namespace {

// Nanoseconds per call: the best of many short rounds, as the machine is shared.
template <class F>
double time_of(F&& f) {
  for (int i = 0; i < 200; ++i) f();
  np::wait_for_compiles();
  for (int i = 0; i < 200; ++i) f();
  double best = 1e18;
  for (int round = 0; round < 200; ++round) {
    constexpr int calls = 200;
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < calls; ++i) f();
    const std::chrono::duration<double, std::nano> time = std::chrono::steady_clock::now() - start;
    best = std::min(best, time.count() / calls);
  }
  return best;
}

template <int ops>
np::array chain(const np::array& x, const np::array& y) {
  np::array z = x + y;
  for (int i = 1; i < ops; ++i) z = i % 2 ? z * x : z + y;
  return z;
}

template <int breaks>
np::array broken(const np::array& x, const np::array& y) {
  np::array z = x + y;
  for (int i = 0; i < breaks; ++i) {
    np::graph_break();
    z = z * y;
  }
  return z;
}

// Time loops on small arrays: what a compiled step costs against an eager one. They store into slices.
using Loop = void (*)(np::array& u, np::array& v);
constexpr int steps = 400;

void loop_two_stores(np::array& u, np::array& v) {
  for (int t = 0; t < steps; ++t) {
    u(np::slice(1, -1)) += 0.1 * v(np::slice(2, np::none));
    v(np::slice(1, -1)) -= 0.1 * u(np::slice(np::none, -2));
  }
}
void loop_rows(np::array& u, np::array& v) {
  for (int t = 0; t < steps; ++t) u(t % 20) = u(t % 20) * 0.5 + v(19 - t % 20);
}
void loop_elements(np::array& u, np::array& v) {
  for (int t = 0; t < steps; ++t) u(t / 20, t % 20) = u(t / 20, t % 20) * 0.5 + v(t % 20, t / 20);
}

// Both in turn, as the machine's speed changes.
double loop_ratio(Loop loop) {
  auto compiled = np::compile(loop);
  auto start_at = [] { return np::reshape(np::linspace(0, 1, 400), {20, 20}); };
  np::array u = start_at(), v = start_at(), cu = start_at(), cv = start_at();
  for (int i = 0; i < 5; ++i) compiled(cu, cv);
  np::wait_for_compiles();
  auto time_once = [](auto&& f) {
    const auto start = std::chrono::steady_clock::now();
    f();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  double eager = 1e9, fast = 1e9;
  for (int round = 0; round < 60; ++round) {
    eager = std::min(eager, time_once([&] { loop(u, v); }));
    fast = std::min(fast, time_once([&] { compiled(cu, cv); }));
  }
  return fast / eager;
}

void print(const char* name, double value, double limit) { std::printf("%s %.2f %g\n", name, value, limit); }

}  // namespace

int main() {
  np::config().compile = np::compile_mode::sync;
  const np::array x = np::linspace(0.5, 1, 10), y = np::linspace(0.9, 1.1, 10);
  const np::array x11 = np::linspace(0.5, 1, 11), y11 = np::linspace(0.9, 1.1, 11);

  auto short_chain = np::compile(chain<4>), long_chain = np::compile(chain<32>);
  const double at_4 = time_of([&] { short_chain(x, y); }), at_32 = time_of([&] { long_chain(x, y); });
  const double per_op = (at_32 - at_4) / 28;
  print("rerun_per_op", per_op, 8);
  print("rerun_per_call", at_4 - 4 * per_op, 80);

  auto replayed = np::compile(chain<4>, {.mode = np::mode::replay});
  print("replay_per_call", time_of([&] { replayed(x, y); }), 60);

  auto one = np::compile(broken<1>), five = np::compile(broken<5>);
  print("per_break", (time_of([&] { five(x, y); }) - time_of([&] { one(x, y); })) / 4, 80);

  auto shapes = np::compile(chain<4>);
  int turn = 0;
  print("changing_shapes_per_call", time_of([&] { ++turn % 2 ? shapes(x, y) : shapes(x11, y11); }), 2 * 112);
  print("loop_two_stores_to_eager", loop_ratio(loop_two_stores), 1.3);
  print("loop_rows_to_eager", loop_ratio(loop_rows), 1.3);
  print("loop_elements_to_eager", loop_ratio(loop_elements), 1.3);
  print("eager_per_op", (time_of([&] { chain<32>(x, y); }) - time_of([&] { chain<4>(x, y); })) / 28, 100);
}
