// Programs that call compiled functions from several threads, and functions whose bodies start threads.
#include "harness.h"

#include <atomic>
#include <barrier>
#include <future>
#include <mutex>
#include <thread>

#define SUITE Threads

using meaning::ramp;
using meaning::wave;
namespace np = numjit;

namespace {

/// Runs work(0), ..., work(n-1) on a thread each.
template <class F>
void on_threads(int n, F work) {
  std::vector<std::thread> threads;
  std::barrier start(n);
  for (int t = 0; t < n; ++t)
    threads.emplace_back([&, t] {
      start.arrive_and_wait();
      work(t);
    });
  for (auto& t : threads) t.join();
}

}  // namespace

PROGRAM(one_function_own_arrays) {
  auto f = p.compile([](np::array x, double by) {
    x *= by;
    return np::sum(x) + x;
  });
  std::vector<np::array> results(4), inputs;
  for (int t = 0; t < 4; ++t) inputs.push_back(wave(5, t));
  on_threads(4, [&](int t) {
    for (int i = 0; i < 20; ++i) results[static_cast<std::size_t>(t)] = f(inputs[static_cast<std::size_t>(t)], 1.0 + 0.01 * t);
  });
  p.show("results", results);
  p.show("inputs", inputs);
}

PROGRAM(one_function_shared_input) {
  auto shared = wave(100);
  auto f = p.compile([](const np::array& x, int power) { return np::mean(np::power(x, power)) + x(0); });
  std::vector<np::array> results(4);
  on_threads(4, [&](int t) {
    for (int i = 0; i < 20; ++i) results[static_cast<std::size_t>(t)] = f(shared, 1 + t);
  });
  p.show("results", results);
}

PROGRAM(breaks_on_several_threads) {
  auto f = p.compile([](np::array x) {
    int steps = 0;
    while (bool(np::max(x) > 1)) {
      x = x * 0.8;
      ++steps;
    }
    return std::pair(x, steps);
  });
  std::vector<np::array> results(3);
  std::vector<int> steps(3);
  on_threads(3, [&](int t) {
    const auto at = static_cast<std::size_t>(t);
    std::tie(results[at], steps[at]) = f(ramp(4 + t));
  });
  p.show("results", results);
  p.show("steps", steps);
}

PROGRAM(exceptions_on_several_threads) {
  auto f = p.compile([](np::array x, const np::array& y) {
    x += 1;
    return x + y;
  });
  std::vector<std::string> texts(4);
  std::vector<np::array> arrays;
  for (int t = 0; t < 4; ++t) arrays.push_back(ramp(3));
  on_threads(4, [&](int t) {
    const auto at = static_cast<std::size_t>(t);
    for (int i = 0; i < 10; ++i) {
      try {
        f(arrays[at], ramp(3 + t % 2));
        texts[at] = "fine";
      } catch (...) {
        texts[at] = meaning::Trial::describe_current_exception();
      }
    }
  });
  p.show("texts", texts);
  p.show("arrays", arrays);
}

PROGRAM(body_starts_a_thread_that_computes) {
  auto f = p.compile([&](const np::array& x) {
    auto y = x * 2;
    y.eval();
    np::array other;
    std::thread([&] { other = np::sqrt(np::abs(y)) + 1; }).join();
    return y + other;
  });
  p.show("y", f(wave(4)));
}

PROGRAM(body_starts_a_thread_that_calls_compiled) {
  auto g = p.compile([](const np::array& x) { return np::exp(-x * x); });
  auto f = p.compile([&](const np::array& x) {
    auto pending = std::async(std::launch::async, [&] { return g(x); });
    auto y = x + 1;
    return y * pending.get();
  });
  p.show("y", f(wave(4)));
  p.show("g", g(wave(4)));
}

PROGRAM(body_calls_itself_on_another_thread) {
  std::function<np::array(const np::array&, int)> self;
  auto f = p.compile([&](const np::array& x, int depth) -> np::array {
    if (depth == 0) return x + 1;
    np::array deeper;
    std::thread([&] { deeper = self(x, depth - 1); }).join();
    return deeper * 2 + x;
  });
  self = f;
  p.show("y", f(ramp(3), 3));
}

PROGRAM(disabled_on_one_thread_only) {
  auto f = p.compile([&](const np::array& x) { return std::pair(x + 1, np::is_compiling()); });
  np::disable_scope off;
  bool here = true, there = false;
  np::array y, z;
  std::tie(y, here) = f(ramp(3));
  std::thread([&] { std::tie(z, there) = f(ramp(3)); }).join();
  p.check(!here, "eager under the scope");
  p.equal(there, p.records(), "recorded on the other thread");
  p.show("y", y);
  p.show("z", z);
}

PROGRAM(stance_of_one_thread) {
  auto f = p.compile([](np::array x) {
    x += 1;
    return x * 3;
  });
  std::vector<np::array> results(2);
  on_threads(2, [&](int t) {
    np::stance_scope scope(t ? "force_eager" : "default");
    for (int i = 0; i < 5; ++i) results[static_cast<std::size_t>(t)] = f(wave(3, t));
  });
  p.show("results", results);
}

PROGRAM(results_travel_between_threads) {
  auto produce = p.compile([](int i) { return np::arange(4) * i + 0.5; });
  auto consume = p.compile([](np::array total, const np::array& x) { total += x * x; });
  std::vector<np::array> queue;
  std::mutex mutex;
  std::thread producer([&] {
    for (int i = 0; i < 10; ++i) {
      auto x = produce(i);
      std::lock_guard lock(mutex);
      queue.push_back(x);
    }
  });
  producer.join();
  auto total = np::zeros(4);
  std::thread([&] {
    for (const auto& x : queue) consume(total, x);
  }).join();
  p.show("total", total);
}

PROGRAM(arrays_die_on_another_thread) {
  auto f = p.compile([](const np::array& x) { return std::vector<np::array>{x + 1, x * 2, x(np::slice(0, 2))}; });
  auto x = ramp(50);
  for (int i = 0; i < 5; ++i) {
    auto results = f(x);
    std::thread([moved = std::move(results)]() mutable { moved.clear(); }).join();
  }
  p.show("last", f(x));
}

PROGRAM(threads_that_come_and_go) {
  auto f = p.compile([](const np::array& x) { return np::cumsum(x * x + 1); });
  np::array last;
  for (int i = 0; i < 12; ++i) std::thread([&] { last = f(wave(6, i)); }).join();
  p.show("last", last);
}

PROGRAM(array_pending_on_another_thread_is_refused_inside_a_compiled_function) {
  auto f = p.compile([&](const np::array& x) {
    auto y = x * 2;
    std::vector<std::string> texts(3, "fine");
    std::thread([&] {
      auto g = np::compile([&](const np::array& z) {
        auto attempt = [&](std::size_t i, auto use) {
          try {
            use();
          } catch (const np::ValueError& e) {
            texts[i] = e.what();
          }
        };
        attempt(0, [&] { np::array w = z + y; });
        attempt(1, [&] { y.item<double>(); });
        if (p.records()) attempt(2, [&] { np::add(z, 1, {.out = y}); });
        return z * 3;
      });
      g(x);
    }).join();
    if (p.records())
      for (const auto& text : texts)
        p.check(text.find("x.eval()") != std::string::npos, "text names the remedy: got " + text);
    return y * 1;
  });
  p.show("y", f(ramp(1)));
}

PROGRAM(array_pending_on_another_thread_is_refused) {
  auto f = p.compile([&](const np::array& x) {
    auto y = x * 2;
    std::string text = "fine";
    std::thread([&] {
      try {
        np::array z = y + 1;
      } catch (const np::ValueError& e) {
        text = e.what();
      }
    }).join();
    if (p.records())
      p.check(text.find("x.eval()") != std::string::npos, "text names the remedy: got " + text);
    return y;
  });
  p.show("y", f(ramp(3)));
}
