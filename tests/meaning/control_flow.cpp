// Programs whose path changes: loops of many lengths, branches on plain values, early returns, switches, state.
#include "harness.h"

#include <algorithm>
#include <random>

#define SUITE ControlFlow

using meaning::ramp;
using meaning::wave;
namespace np = numjit;

PROGRAM(loop_lengths_change) {
  auto f = p.compile([](np::array x, int n) {
    for (int i = 0; i < n; ++i) x = x * 0.5 + i;
    return x;
  });
  for (int n : {3, 0, 10, 1, 3, 40}) p.show("x", f(wave(3), n));
}

PROGRAM(early_returns) {
  auto f = p.compile([](const np::array& x, int stop) {
    auto y = x + 1;
    if (stop == 0) return y;
    y = y * 2;
    if (stop == 1) return y;
    for (int i = 0; i < 5; ++i) {
      y = y - i;
      if (stop == i + 2) return y;
    }
    return y / 3.0;
  });
  for (int stop : {0, 5, 1, 3, 9, 0, 2}) p.show("y", f(wave(3), stop));
}

PROGRAM(switch_in_a_loop) {
  auto f = p.compile([](np::array x, const std::string& program) {
    for (char c : program) switch (c) {
        case 'a': x = x + 1; break;
        case 'b': x *= 2; break;
        case 'c': x = x(np::slice(np::none, np::none, -1)); break;
        case 'd': x = np::concatenate({x, x(np::slice(0, 1))}); break;
        case 'e': x(0) = 0.5; break;
        default: return x;
      }
    return x;
  });
  for (const char* text : {"abc", "cba", "ddd", "abXab", "", "edcba", "aaaaaaaaaa", "abc"}) {
    auto x = wave(4);
    p.show(text, f(x, text));
    p.show("x", x);
  }
}

PROGRAM(time_loop_with_two_buffers) {
  auto f = p.compile([](np::array u, np::array v, int steps) {
    for (int s = 0; s < steps; ++s) {
      v(np::slice(1, -1)) = u(np::slice(1, -1)) +
                            0.1 * (u(np::slice(2, np::none)) - 2.0 * u(np::slice(1, -1)) + u(np::slice(np::none, -2)));
      std::swap(u, v);
    }
    return u;
  });
  for (int steps : {1, 7, 150, 0, 2}) {
    auto u = wave(9), v = u.copy();
    p.show("result", f(u, v, steps));
    p.show("u", u);
    p.show("v", v);
  }
}

PROGRAM(time_loop_that_takes_two_branches_in_turn) {
  auto f = p.compile([](np::array x, np::array y, int steps) {
    for (int s = 0; s < steps; ++s) {
      if (s % 2) {
        x(np::slice(1, np::none)) += 0.5 * y(np::slice(np::none, -1));
      } else {
        y(np::slice(np::none, -1)) -= 0.25 * x(np::slice(1, np::none));
        y *= 1.01;
      }
    }
  });
  for (int steps : {3, 200, 201}) {
    auto x = wave(6), y = wave(6, 1);
    f(x, y, steps);
    p.show("x", x);
    p.show("y", y);
  }
}

PROGRAM(long_loop_with_a_break_in_each_step) {
  auto f = p.compile([&](np::array x, int steps) {
    double energy = 0;
    for (int s = 0; s < steps; ++s) {
      x(np::slice(1, -1)) = 0.5 * (x(np::slice(2, np::none)) + x(np::slice(np::none, -2)));
      energy = np::sum(x * x).item<double>();
      if (energy < 1) break;
    }
    p.out << energy << "\n";
  });
  auto x = wave(8);
  f(x, 60);
  p.show("x", x);
  auto y = wave(8) * 0.1;
  f(y, 60);
  p.show("y", y);
}

PROGRAM(nested_loops_over_blocks) {
  auto f = p.compile([](const np::array& a, const np::array& b, int block) {
    const std::int64_t n = a.shape(0);
    auto c = np::zeros({n, n});
    for (std::int64_t i = 0; i < n; i += block)
      for (std::int64_t j = 0; j < n; j += block)
        for (std::int64_t k = 0; k < n; k += block) {
          auto rows = np::slice(i, i + block), columns = np::slice(j, j + block), inside = np::slice(k, k + block);
          c(rows, columns) += np::matmul(a(rows, inside), b(inside, columns));
        }
    return c;
  });
  p.show("c", f(np::arange(36).reshape(6, 6) * 1.0, np::arange(36).reshape(6, 6) - 9.0, 2));
  p.show("c", f(np::arange(25).reshape(5, 5) * 1.0, np::arange(25).reshape(5, 5) - 9.0, 2));
}

PROGRAM(row_loop_with_in_place_rows) {
  auto f = p.compile([](np::array m) {
    for (std::int64_t i = 1; i < m.len(); ++i) {
      m(i) += m(i - 1);
      if (i % 3 == 0) m(i, 0) = 1.0;
    }
    for (std::int64_t j = m.shape(1) - 2; j >= 0; --j) m(np::_, j) -= m(np::_, j + 1) * 0.5;
  });
  for (int rows : {7, 1, 30, 4}) {
    auto m = wave(rows * 3).reshape(rows, 3);
    f(m);
    p.show("m", m);
  }
}

PROGRAM(more_operations_than_a_segment_holds) {
  auto f = p.compile([](const np::array& x) {
    auto y = x, kept = x;
    for (int i = 0; i < 700; ++i) {
      y = y + (i % 5);
      if (i == 255 || i == 256 || i == 600) kept = y * 2 + kept;
      if (i % 100 == 0) y = y(np::slice(np::none, np::none, -1));
    }
    return std::pair(y, kept);
  });
  p.show("y", f(wave(4)));
}

PROGRAM(views_and_stores_across_a_cut) {
  auto f = p.compile([](const np::array& x) {
    auto t = x * 1, middle = t(np::slice(1, 3));
    for (int i = 0; i < 400; ++i) middle += 0.5;
    auto late = t(np::slice(np::none, np::none, 2));
    for (int i = 0; i < 300; ++i) late *= 1.001;
    return std::tuple(t, middle, late);
  });
  auto [t, middle, late] = f(wave(5));
  p.show("t", t);
  p.shared("t, middle", t, middle);
  p.show("late", late);
}

PROGRAM(random_walk_over_operations) {
  auto f = p.compile([](np::array x, unsigned seed, int length) {
    std::mt19937 random(seed);
    np::array y = x * 0.5;
    for (int i = 0; i < length; ++i) {
      switch (random() % 7) {
        case 0: x = x + y; break;
        case 1: y -= 0.25; break;
        case 2: std::swap(x, y); break;
        case 3: x = np::maximum(x, y); break;
        case 4: y(np::slice(1, np::none)) = x(np::slice(np::none, -1)); break;
        case 5: x = np::abs(x) - 1; break;
        case 6: y = y.copy(); break;
      }
    }
    return std::pair(x, y);
  });
  for (unsigned seed : {1u, 2u, 1u, 3u, 4u, 2u}) {
    auto x = wave(5);
    p.show("walk", f(x, seed, 25));
    p.show("x", x);
  }
}

PROGRAM(goto_and_labels) {
  auto f = p.compile([&](np::array x) {
    int round = 0;
  again:
    x = x * 0.7;
    if (++round < 4) goto again;
    p.out << round << "\n";
    if (bool(np::max(x) > 0.5) && round < 8) goto again;
    return x;
  });
  p.show("x", f(wave(4)));
}

PROGRAM(short_circuit_skips_work) {
  auto f = p.compile([&](np::array x, bool first) {
    auto touched = [&](const char* name, double by) {
      p.out << name << " ";
      x += by;
      return bool(np::sum(x) > 3);
    };
    const bool result = first && touched("a", 1) && touched("b", 2);
    const bool other = !first || touched("c", 3) || touched("d", 4);
    p.out << result << other << "\n";
    return x * 2;
  });
  for (bool first : {true, false, true}) {
    auto x = wave(3);
    p.show("y", f(x, first));
    p.show("x", x);
  }
}

PROGRAM(order_of_prints_and_stores) {
  auto f = p.compile([&](np::array x, np::array log) {
    for (int i = 0; i < 4; ++i) {
      p.out << "a" << i;
      x(i) = 10.0 * i;
      p.out << "b" << i;
      log(i) = np::sum(x);
      if (i == 2) p.out << "[" << x << log << "]";
    }
    p.out << "end\n";
  });
  auto x = ramp(5), log = np::zeros(4);
  f(x, log);
  p.show("x", x);
  p.show("log", log);
}

PROGRAM(state_machine_across_calls) {
  enum class State { idle, running, done } state = State::idle;
  np::array buffer = np::zeros(3);
  auto f = p.compile([&](const np::array& x) {
    switch (state) {
      case State::idle:
        buffer(np::_) = x;
        state = State::running;
        return buffer * 1;
      case State::running:
        buffer += x;
        if (bool(np::max(buffer) > 4)) state = State::done;
        return buffer * 10;
      case State::done: break;
    }
    return np::zeros_like(x);
  });
  for (int i = 0; i < 6; ++i) p.show("y", f(ramp(3)));
}

PROGRAM(conditional_expression_on_arrays) {
  auto f = p.compile([](const np::array& x, const np::array& y, bool left) {
    const np::array& chosen = left ? x : y;
    np::array target = left ? y : x;
    target += chosen;
    return (left ? x : y) * 2 - chosen;
  });
  for (bool left : {true, false, true}) {
    auto x = ramp(3), y = wave(3);
    p.show("z", f(x, y, left));
    p.show("x", x);
    p.show("y", y);
  }
}

PROGRAM(comma_and_nested_calls_keep_their_order) {
  auto f = p.compile([&](np::array x) {
    auto tag = [&](const char* name, np::array a) {
      p.out << name;
      a += 1;
      return a;
    };
    auto y = (tag("1", x), tag("2", x), x * 10);
    auto z = tag("4", tag("3", y) * 2);
    return z - x;
  });
  auto x = ramp(2);
  p.show("z", f(x));
  p.show("x", x);
}

PROGRAM(algorithms_over_rows) {
  auto f = p.compile([](const np::array& m) {
    std::vector<np::array> rows;
    for (std::int64_t i = 0; i < m.len(); ++i) rows.push_back(m(i));
    std::vector<np::array> doubled(rows.size());
    std::transform(rows.begin(), rows.end(), doubled.begin(), [](const np::array& r) { return r * 2; });
    std::rotate(doubled.begin(), doubled.begin() + 1, doubled.end());
    std::reverse(rows.begin(), rows.end());
    np::array total = np::zeros_like(rows[0]);
    for (const auto& r : rows) total += r * doubled[0];
    const auto positive = std::count_if(rows.begin(), rows.end(), [](const np::array& r) { return bool(np::sum(r) > 0); });
    return total * static_cast<double>(positive);
  });
  p.show("total", f(wave(12).reshape(4, 3)));
  p.show("total", f(wave(6).reshape(2, 3)));
}
