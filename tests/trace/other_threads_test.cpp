// C++ threads that meet arrays on which a compiled call of another thread has operations pending: never a stale value.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <numjit/interop.h>
#include <numjit/np.h>

#include <array>
#include <atomic>
#include <functional>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "support/trace_values.h"

namespace np = numjit;

namespace {

using list = std::vector<double>;
using np::testing::message;
using np::testing::ramp;
using np::testing::values;

void on_thread(const std::function<void()>& work) { std::thread(work).join(); }

std::string on_thread_text(const std::function<void()>& work) {
  std::string text;
  on_thread([&] { text = message(work); });
  return text;
}

using Use = std::function<void(np::array&)>;
struct Case {
  const char* name;
  Use use;
};

double first_of(std::span<const double> s) { return s[0]; }

const std::vector<Case> reads = {
    {"ufunc", [](np::array& x) { np::add(x, 1); }},
    {"operator", [](np::array& x) { (void)(2.0 * x); }},
    {"small sum", [](np::array& x) { np::sum(x); }},
    {"where",
     [](np::array& x) {
       np::where(np::array({true, false, true, false}), 1.0, x);
     }},
    {"mask", [](np::array& x) { np::add(np::ones(4), 1.0, {.where = x.view(np::uint8)(np::slice(0, 4)).astype(np::bool_)}); }},
    {"item", [](np::array& x) { x.item(1); }},
    {"tolist", [](np::array& x) { x.tolist<double>(); }},
    {"data", [](np::array& x) { (void)x.data<double>()[0]; }},
    {"span", [](np::array& x) { first_of(np::as_span<const double>(x)); }},
    {"view", [](np::array& x) { np::array(x(np::slice(1, 3))) + 1.0; }},
    {"view of a view", [](np::array& x) { np::array(np::array(x(np::slice(1, 4)))(np::slice(1, 2))) + 1.0; }},
    {"reshape", [](np::array& x) { x.reshape(2, 2) + 1.0; }},
    {"text", [](np::array& x) { np::array2string(x); }},
    {"copy", [](np::array& x) { x.copy(); }},
    {"astype", [](np::array& x) { x.astype(np::float32); }},
    {"places",
     [](np::array& x) {
       np::array(x(np::array({0, 2}))) + 1.0;
     }},
    {"take",
     [](np::array& x) {
       np::take(x, np::array({0, 2}));
     }},
    {"sort", [](np::array& x) { np::sort(x); }},
    {"matmul",
     [](np::array& x) {
       np::matmul(np::ones({4, 4}), x);
     }},
    {"concatenate",
     [](np::array& x) {
       np::concatenate({np::ones(2), x});
     }},
    {"histogram", [](np::array& x) { np::histogram(x); }},
    {"equal", [](np::array& x) { np::array_equal(x, np::ones(4)); }},
    {"truth", [](np::array& x) { static_cast<void>(np::all(x)); }},
    {"compiled", [](np::array& x) { np::compile([](const np::array& a) { return a * 3.0; })(x); }},
    {"compiled again",
     [](np::array& x) {
       auto f = np::compile([](const np::array& a) { return np::sum(a * 3.0 + a); });
       const np::array other = ramp(4);
       for (int i = 0; i < 4; ++i) f(other);
       f(x);
     }},
    {"replayed",
     [](np::array& x) {
       auto f = np::compile([](const np::array& a) { return a * 3.0 + 1.0; }, {.mode = np::mode::replay});
       const np::array other = ramp(4);
       for (int i = 0; i < 6; ++i) f(other);
       f(x);
     }},
    {"replayed view",
     [](np::array& x) {
       auto f =
           np::compile([](const np::array& a) { return np::array(a(np::slice(1, 3))) * 3.0 + 1.0; }, {.mode = np::mode::replay});
       const np::array other = ramp(4);
       for (int i = 0; i < 6; ++i) f(other);
       f(x);
     }},
};

const std::vector<Case> stores = {
    {"in place", [](np::array& x) { x += 1.0; }},
    {"slice", [](np::array& x) { x(np::slice(0, 2)) = 7.0; }},
    {"element", [](np::array& x) { x(1) = 7.0; }},
    {"view",
     [](np::array& x) {
       np::array v = x(np::slice(1, 3));
       v *= 2.0;
     }},
    {"out", [](np::array& x) { np::add(np::ones(4), 1.0, {.out = x}); }},
    {"masked",
     [](np::array& x) {
       x(np::array({true, false, true, false})) = 7.0;
     }},
    {"places",
     [](np::array& x) {
       x(np::array({0, 2})) = 7.0;
     }},
    {"at",
     [](np::array& x) {
       np::add.at(x, np::array({0, 0}), 1.0);
     }},
    {"put", [](np::array& x) { np::put(x, np::array({0}), np::array({7.0})); }},
    {"copyto", [](np::array& x) { np::copyto(x, 7.0); }},
    {"fill", [](np::array& x) { x.fill(7.0); }},
    {"sort in place", [](np::array& x) { x.sort(); }},
    {"data", [](np::array& x) { x.data<double>()[0] = 7.0; }},
    {"compiled", [](np::array& x) { np::compile([](np::array& a) { a += 1.0; })(x); }},
    {"replayed",
     [](np::array& x) {
       auto f = np::compile([](np::array& a) { a += 1.0; }, {.mode = np::mode::replay});
       np::array other = ramp(4);
       for (int i = 0; i < 6; ++i) f(other);
       f(x);
     }},
};

TEST(OtherThreads, AStoreThatIsPendingIsNeverReadStale) {
  for (const Case& c : reads) {
    np::array x = ramp(4);
    const np::array before = ramp(4);
    std::string text;
    auto f = np::compile([&](np::array& a) {
      a += 1.0;
      text = on_thread_text([&] { c.use(a); });
      return np::sum(a);
    });
    EXPECT_EQ(f(x).item(), 10.0) << c.name;
    EXPECT_NE(text.find("has a store pending that a compiled function on another thread made at "), std::string::npos)
        << c.name << ": " << text;
    EXPECT_EQ(on_thread_text([&] { c.use(x); }), "no error") << c.name << ", behind the call";
  }
}

TEST(OtherThreads, NorIsAStoreSeenByWhatWasBeforeIt) {
  for (const Case& c : stores) {
    np::array x = ramp(4);
    std::string text;
    auto f = np::compile([&](np::array& a) {
      np::array y = a * 2.0;
      text = on_thread_text([&] { c.use(a); });
      return y;
    });
    EXPECT_EQ(values(f(x)), (list{0, 2, 4, 6})) << c.name;
    EXPECT_NE(text.find("by a compiled function on another thread, where the operation is pending."), std::string::npos)
        << c.name << ": " << text;
    EXPECT_EQ(values(x), (list{0, 1, 2, 3})) << c.name;
    EXPECT_EQ(on_thread_text([&] { c.use(x); }), "no error") << c.name << ", behind the call";
  }
}

TEST(OtherThreads, TextsNameBothLines) {
  np::array x = ramp(4);
  std::string of_read, of_item, of_store;
  int line = 0;
  auto f = np::compile([&](np::array& a) {
    line = __LINE__;
    np::array y = a * 2.0;
    of_store = on_thread_text([&] { np::add(np::ones(4), 2.0, {.out = a}); });
    np::flush();
    np::add(a, 1.0, {.out = a});
    of_read = on_thread_text([&] { np::negative(a); });
    of_item = on_thread_text([&] { a.item(1); });
    return y;
  });
  f(x);
  const auto at = [&](int n) { return std::string(__FILE__) + ":" + std::to_string(line + n); };
  EXPECT_EQ(of_store, "[add] an array that is stored to at " + at(2) + " is used at " + at(1) +
                          " by a compiled function on another thread, where the operation is pending. Call np::flush() on "
                          "that thread before others store to the array.");
  const auto read = [&](const std::string& op, int n) {
    return "[" + op + "] an array that is used at " + at(n) +
           " has a store pending that a compiled function on another thread made at " + at(4) +
           ". Call np::flush() on that thread before others use the array.";
  };
  EXPECT_EQ(of_read, read("negative", 5));
  EXPECT_EQ(of_item, read("item", 6));
}

TEST(OtherThreads, WhatIsNotPendingMayBeUsed) {
  np::array x = ramp(4), other = ramp(4), flushed = ramp(4), shared = ramp(4);
  np::share(shared);
  std::string text;
  auto f = np::compile([&](np::array& a) {
    np::array y = a * 2.0;  // x is read only
    flushed += 1.0;
    shared += 1.0;  // runs at its line
    np::flush();
    np::array z = a + y;
    text = on_thread_text([&] {
      EXPECT_EQ(values(a + 1.0), (list{1, 2, 3, 4}));  // two threads read
      other += 1.0;
      flushed *= 2.0;
      shared *= 2.0;
      EXPECT_EQ(np::compile([](const np::array& b) { return np::sum(b); })(a).item(), 6.0);
    });
    return z;
  });
  EXPECT_EQ(values(f(x)), (list{0, 3, 6, 9}));
  EXPECT_EQ(text, "no error");
  EXPECT_EQ(values(other), (list{1, 2, 3, 4}));
  EXPECT_EQ(values(flushed), (list{2, 4, 6, 8}));
  EXPECT_EQ(values(shared), (list{2, 4, 6, 8}));
}

TEST(OtherThreads, AFunctionMayHandItsArraysOnAfterItsStores) {
  np::array x = ramp(4);
  auto f = np::compile([](np::array& a) {
    a += 1.0;
    np::flush();
    double sum = 0;
    on_thread([&] { sum = np::sum(a).item(); });
    a(0) = sum;
  });
  for (int i = 0; i < 3; ++i) f(x);
  EXPECT_EQ(values(x), (list{39, 4, 5, 6}));
}

TEST(OtherThreads, ThreadsOfABoxBelongToItsCall) {
  np::array x = ramp(4);
  auto halves = [](const np::array& a) {
    np::array result = np::zeros_like(a);
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) threads.emplace_back([&, i] { result(i) = np::array(a(i)) / 2.0; });
    for (std::thread& t : threads) t.join();
    return result;
  };
  auto box = np::allow_in_graph(halves, [](const np::array_spec& a) { return a; });
  auto f = np::compile([&](np::array& a) {
    a += 1.0;
    return box(a) + a;
  });
  for (int i = 0; i < 3; ++i) f(x);
  EXPECT_EQ(values(x), (list{3, 4, 5, 6}));
  EXPECT_EQ(values(f(x)), (list{6, 7.5, 9, 10.5}));
  EXPECT_EQ(on_thread_text([&] { x += 1.0; }), "no error");
}

// Readers in many threads at once, then one that stores: the notes of all have gone.
TEST(OtherThreads, ManyReadersLeaveNoNotes) {
  np::array x = ramp(64);
  const np::array tail = x(np::slice(1, np::none));
  auto f = np::compile([](const np::array& a, const np::array& b) { return np::sum(a) + np::sum(b * 2.0); });
  std::vector<std::thread> threads;
  std::atomic<int> right{0};
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 300; ++i) right += f(x, tail).item() == 3.0 * 2016.0;
    });
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(right, 8 * 300);
  EXPECT_EQ(on_thread_text([&] { x += 1.0; }), "no error");
  EXPECT_EQ(message([&] { x += 1.0; }), "no error");
}

// What threads of the parent had pending does not concern a child, which has not got them.
TEST(OtherThreads, AForkedChildHasOneThread) {
  np::array x = ramp(4);
  int status = -1;
  auto f = np::compile([&](np::array& a) {
    a += 1.0;
    on_thread([&] {
      const pid_t child = fork();
      if (child == 0) _exit(message([&] { x += 1.0; }) == "no error" ? 0 : 1);
      waitpid(child, &status, 0);
    });
  });
  f(x);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(values(x), (list{1, 2, 3, 4}));
}

// Whatever a compiled function does with its arrays, when it has ended other threads may store to all of them, and while it
// runs they read what a plain program would, or get the error.
TEST(OtherThreads, RandomProgramsLeaveNoNotes) {
  std::mt19937 random(20261126);
  const auto pick = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  int refused = 0, seen = 0;
  for (int program = 0; program < 60; ++program) {
    std::vector<np::array> arrays;
    for (int i = 0; i < 4; ++i) arrays.push_back(ramp(6) + i);
    std::vector<std::array<int, 3>> steps;
    for (int i = 0; i < 12; ++i) steps.push_back({pick(9), pick(4), pick(4)});
    // Each step at once, beside it: what a thread that looks should see.
    std::vector<list> expected;
    const auto body = [&](std::vector<np::array>& of, bool looks) {
      std::size_t looked = 0;
      for (const std::array<int, 3>& step : steps) {
        const int what = step[0], a = step[1], b = step[2];
        np::array &x = of[static_cast<std::size_t>(a)], &y = of[static_cast<std::size_t>(b)];
        switch (what) {
          case 0: x += y; break;
          case 1: x(np::slice(1, 4)) = np::array(y(np::slice(2, 5))) * 0.5; break;
          case 2: {
            np::array v = x(np::slice(np::none, np::none, 2));
            v *= 1.5;
          } break;
          case 3: np::add(x, y, {.out = y}); break;
          case 4: np::flush(); break;
          case 5:
            if (np::sum(x) > 1e9) x = y;
            break;
          case 6: (void)(x * y + 1.0); break;
          case 7:
            if (!looks) {
              expected.push_back(values(x));
              break;
            }
            on_thread([&] {
              list got;
              const bool ran = message([&] { got = values(x * 1.0); }) == "no error";
              EXPECT_TRUE(!ran || got == expected[looked]) << "program " << program;
              ++(ran ? seen : refused);
            });
            ++looked;
            break;
          default:
            if (b == 0) throw std::runtime_error("leaves");
        }
      }
    };
    auto f = np::compile([&](std::vector<np::array>& of) { body(of, true); });
    for (int call = 0; call < 4; ++call) {
      std::vector<np::array> copies;
      for (const np::array& x : arrays) copies.push_back(x.copy());
      expected.clear();
      const std::string plain = message([&] { body(copies, false); });
      EXPECT_EQ(message([&] { f(arrays); }), plain);
      for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(values(arrays[i]), values(copies[i])) << "program " << program;
      for (np::array& x : arrays) EXPECT_EQ(on_thread_text([&] { x *= 0.5; }), "no error") << "program " << program;
    }
  }
  EXPECT_GT(refused, 0);
  EXPECT_GT(seen, 0);
}

}  // namespace
