// Programs whose segments end at values: in loops, calls, constructors, lambdas, recursion, destructors.
#include "harness.h"

#include <algorithm>
#include <numeric>

#define SUITE Breaks

using meaning::ramp;
using meaning::wave;
namespace np = numjit;

PROGRAM(halved_until_small) {
  auto f = p.compile([&](np::array x) {
    int steps = 0;
    while (bool(np::max(x) > 1)) {
      x = x / 2;
      p.out << "step " << ++steps << "\n";
    }
    return x;
  });
  p.show("x", f(ramp(9) + p.round));
  p.show("y", f(ramp(3)));
}

PROGRAM(break_in_each_branch) {
  auto f = p.compile([&](const np::array& x) {
    auto y = x + 1;
    if (bool(np::sum(y) > 10)) {
      p.out << "big\n";
      if (bool(np::any(y > 8))) return y * 2;
      return y * 3;
    }
    p.out << "small\n";
    return y - 1;
  });
  for (int n : {2, 4, 5, 9, 4, 2}) p.show("y", f(ramp(n)));
}

PROGRAM(nested_call_breaks) {
  auto innermost = [&](np::array x) {
    x = x + 1;
    np::graph_break("innermost");
    p.out << "innermost\n";
    return x + 2;
  };
  auto middle = [&](const np::array& x) { return innermost(x + 4) + 8; };
  auto f = p.compile([&](const np::array& x) { return middle(x + 16) + 32; });
  p.show("y", f(np::zeros(3)));
  p.prints(f(np::zeros(3)), "[63. 63. 63.]");
  p.explain(f, [&](const np::explain_report& r) {
    p.equal(r.graph_count, 2, "graphs");
    p.equal(r.op_count, 6, "ops");
    p.equal(r.graph_break_count, 1, "breaks");
  }, np::zeros(3));
}

PROGRAM(same_inner_function_breaks_twice) {
  auto inner = [](np::array x) {
    x = x + 1;
    np::graph_break();
    return x + 2;
  };
  auto f = p.compile([&](const np::array& x) {
    auto a = inner(x + 4);
    auto b = inner(x + 8) << 4;
    return a + b + 512;
  });
  p.show("y", f(np::zeros(3, np::int64)));
  p.show("z", f(np::arange(5)));
  p.explain(f, [&](const np::explain_report& r) {
    p.equal(r.graph_count, 3, "graphs");
    p.equal(r.graph_break_count, 2, "breaks");
  }, np::arange(3));
}

PROGRAM(locals_live_across_a_nested_break) {
  auto inner = [](const np::array& x) {
    auto local = x + 1;
    np::graph_break();
    return local + 2;
  };
  auto middle = [&](const np::array& x) {
    auto one = x + 4, two = x * 8;
    return inner(x) + one + two;
  };
  auto f = p.compile([&](const np::array& x) {
    auto a = x + 16, b = x - 32, c = a * b, unused = x * 1000;
    auto y = middle(x);
    return y + a + b + c;
  });
  p.show("y", f(wave(7, p.round)));
}

namespace {

struct Normaliser {
  np::array mean, scale;
  bool flat;
  explicit Normaliser(const np::array& x) : mean(np::mean(x)), scale(np::std(x)), flat(!bool(scale > 0.5)) {}
  np::array operator()(const np::array& x) const { return flat ? x - mean : (x - mean) / scale; }
};

}  // namespace

PROGRAM(break_in_a_constructor) {
  auto f = p.compile([&](const np::array& x) {
    auto y = x * 2;
    Normaliser n(y);
    p.out << (n.flat ? "flat\n" : "wide\n");
    return n(y) + x;
  });
  p.show("wide", f(wave(10)));
  p.show("flat", f(np::ones(10)));
}

namespace {

// Reads a value while it is constructed as a member, between two members that hold pending arrays.
struct Middle {
  double value;
  explicit Middle(const np::array& x) : value(np::max(x).item<double>()) {}
};
struct Sandwich {
  np::array first;
  Middle middle;
  np::array last;
  explicit Sandwich(const np::array& x) : first(x + 1), middle(first), last(first * middle.value) {}
};

}  // namespace

PROGRAM(break_between_two_members) {
  auto f = p.compile([](const np::array& x) {
    Sandwich s(x);
    return s.last - s.first;
  });
  p.show("y", f(ramp(5) + p.round));
}

namespace {

struct LogsItsArray {
  meaning::Trial& p;
  np::array a;
  ~LogsItsArray() { p.out << "gone with " << np::sum(a) << "\n"; }
};

}  // namespace

PROGRAM(break_in_a_destructor) {
  auto f = p.compile([&](const np::array& x) {
    auto y = x + 1;
    {
      LogsItsArray guard{p, y * 2};
      y = y * 3;
      p.out << "inside\n";
    }
    return y;
  });
  p.show("y", f(ramp(4)));
}

PROGRAM(break_in_the_destructor_of_a_parameter) {
  // By-value parameters die after the body: what they read there still belongs to the call.
  auto f = p.compile([&](const np::array& x, std::unique_ptr<LogsItsArray>) { return x * 2 + 1; });
  p.show("y", f(ramp(4), std::unique_ptr<LogsItsArray>(new LogsItsArray{p, wave(3)})));
}

PROGRAM(lambda_by_reference_breaks) {
  auto f = p.compile([&](const np::array& x) {
    np::array total = np::zeros_like(x);
    int calls = 0;
    auto add = [&](double weight) {
      ++calls;
      total = total + x * weight;
      if (bool(np::max(total) > 5)) total = total / 2;
    };
    for (double w : {0.5, 1.0, 2.0}) add(w);
    p.out << "calls " << calls << "\n";
    return total;
  });
  p.show("y", f(ramp(6) * (p.round + 1)));
}

PROGRAM(lambda_updates_a_captured_array_in_place_around_a_break) {
  np::array state = np::zeros(4);
  auto f = p.compile([&](const np::array& x) {
    state += x;
    np::graph_break();
    state *= 2;
    return state + x;
  });
  p.show("a", f(ramp(4)));
  p.show("state", state);
  p.show("b", f(wave(4)));
  p.show("state", state);
}

PROGRAM(recursion_breaks_on_the_way_down) {
  std::function<np::array(np::array, int)> halve = [&](np::array x, int depth) -> np::array {
    p.out << depth << " ";
    if (depth == 0 || !bool(np::max(x) > 1)) return x;
    return halve(x / 2, depth - 1) + 1;
  };
  auto f = p.compile([&](const np::array& x) { return halve(x, 6); });
  p.show("y", f(ramp(9)));
  p.show("z", f(ramp(2)));
}

PROGRAM(recursion_breaks_on_the_way_up) {
  std::function<np::array(const np::array&)> merge = [&](const np::array& x) -> np::array {
    if (x.size() <= 1) return x * 10;
    auto half = x.size() / 2;
    auto left = merge(x(np::slice(half))), right = merge(x(np::slice(half, np::none)));
    p.out << np::sum(left).item<double>() << " ";
    return np::concatenate({left + 1, right - 1});
  };
  auto f = p.compile([&](const np::array& x) { return merge(x); });
  p.show("y", f(ramp(5)));
}

PROGRAM(after_a_store_to_an_argument) {
  auto f = p.compile([&](np::array x) {
    x(np::slice(1, 3)) = -1.0;
    p.out << "sum " << np::sum(x).item<double>() << "\n";
    x(0) = 7.0;
    return x * 2;
  });
  auto x = ramp(5);
  p.show("y", f(x));
  p.show("x", x);
}

PROGRAM(between_two_views_of_one_base) {
  auto f = p.compile([&](const np::array& base) {
    auto left = base(np::slice(0, 4)), right = base(np::slice(2, 6));
    left += 10;
    p.out << right(0).item<double>() << "\n";
    right *= 2;
    p.out << left(3).item<double>() << "\n";
    left -= right;
    return np::sum(left);
  });
  auto base = ramp(7);
  p.show("sum", f(base));
  p.show("base", base);
}

PROGRAM(between_two_views_of_a_temporary) {
  auto f = p.compile([&](const np::array& x) {
    auto t = x * 2;
    auto even = t(np::slice(np::none, np::none, 2)), odd = t(np::slice(1, np::none, 2));
    even += 1;
    if (bool(odd(0) > 1)) odd -= 1;
    even *= odd;
    return std::pair(t, even);
  });
  auto [t, even] = f(ramp(6) + p.round);
  p.show("t", t);
  p.show("even", even);
  p.shared("t, even", t, even);
  even(0) = 99.0;
  p.show("t", t);
}

PROGRAM(while_an_exception_is_in_flight) {
  auto f = p.compile([&](np::array x) {
    struct Undo {
      meaning::Trial& p;
      np::array x;
      ~Undo() {
        x -= 1;
        p.out << "undo " << np::sum(x).item<double>() << "\n";
      }
    };
    x += 1;
    Undo undo{p, x};
    x *= 2;
    throw std::runtime_error("in flight");
  });
  auto x = ramp(4);
  p.catches("f", [&] { f(x); });
  p.show("x", x);
}

PROGRAM(truth_of_a_chain_of_conditions) {
  auto f = p.compile([&](const np::array& x, const np::array& y) {
    auto both = np::all(x > 0) && np::all(y > 0);
    auto one = np::all(x > 0) || np::all(y > 0);
    auto none = !np::any(x > 0);
    p.out << both << one << none << "\n";
    return both ? x + y : one ? x - y : x * y;
  });
  p.show("a", f(ramp(3) + 1, ramp(3) + 2));
  p.show("b", f(ramp(3) + 1, ramp(3) - 2));
  p.show("c", f(ramp(3) - 5, ramp(3) - 2));
}

PROGRAM(printing_inside) {
  auto f = p.compile([&](const np::array& x) {
    auto y = x * 2;
    p.out << "y = " << y << ", shape " << y.shape() << ", dtype " << y.dtype() << "\n";
    y += 1;
    p.out << y.repr() << "\n";
    return y;
  });
  p.show("y", f(ramp(4).reshape(2, 2)));
  p.show("z", f(np::arange(3)));
}

PROGRAM(shapes_do_not_break) {
  auto f = p.compile([&](const np::array& x) {
    auto y = x(np::slice(1, np::none)) + 1;
    p.out << y.shape() << y.size() << y.ndim() << y.len() << y.dtype() << y.nbytes() << "\n";
    return y.reshape(y.size()) * static_cast<double>(y.shape(0));
  });
  p.show("y", f(ramp(6).reshape(3, 2)));
  p.explain(f, [&](const np::explain_report& r) {
    p.equal(r.graph_break_count, 0, "breaks");
    p.equal(r.graph_count, 1, "graphs");
  }, ramp(6).reshape(3, 2));
}

PROGRAM(iteration_over_elements) {
  auto f = p.compile([&](const np::array& x) {
    auto y = x + 1;
    double product = 1;
    for (std::int64_t i = 0; i < y.len(); ++i) product *= y(i).item<double>();
    return y * product;
  });
  p.show("y", f(ramp(4) + p.round));
}

PROGRAM(values_as_list_then_back) {
  auto f = p.compile([&](const np::array& x) {
    auto values = (x * 3).tolist<double>();
    std::reverse(values.begin(), values.end());
    return np::from_values(values) + x;
  });
  p.show("y", f(wave(5)));
}

PROGRAM(pointer_is_read_and_written) {
  auto f = p.compile([&](np::array x) {
    auto y = x * 2;
    double* data = y.data<double>();
    std::partial_sum(data, data + y.size(), data);
    x += y;
    return y + 1;
  });
  auto x = ramp(5);
  p.show("y", f(x));
  p.show("x", x);
}

PROGRAM(pointer_of_an_argument_is_written_before_it_is_used) {
  auto f = p.compile([&](np::array x) {
    x += 1;
    double* data = x.data<double>();
    data[0] = 50;
    auto y = x + 1;
    np::flush();
    data[1] = 60;
    return y * x;
  });
  auto x = ramp(3);
  p.show("y", f(x));
  p.show("x", x);
}

PROGRAM(eval_and_flush_are_harmless) {
  auto f = p.compile([&](np::array x) {
    auto y = x + 1;
    y.eval();
    np::flush();
    x += y;
    np::flush();
    return y.eval() * 2;
  });
  auto x = ramp(3);
  p.show("y", f(x));
  p.show("x", x);
}

PROGRAM(graph_break_before_and_after_everything) {
  auto f = p.compile([&](const np::array& x) {
    np::graph_break("before");
    auto y = x + 1;
    np::graph_break("after");
    np::graph_break("again");
    return y;
  });
  p.show("y", f(ramp(3)));
  p.explain(f, [&](const np::explain_report& r) { p.equal(r.graph_count, 1, "non-empty graphs"); }, ramp(3));
}

PROGRAM(break_with_nothing_pending_returns_argument) {
  auto f = p.compile([&](const np::array& x) {
    np::graph_break();
    p.out << "nothing recorded\n";
    return x;
  });
  auto x = ramp(3), y = f(x);
  p.shared("x, y", x, y);
}

PROGRAM(alternating_paths) {
  auto f = p.compile([&](const np::array& x, bool left) {
    auto y = x * 2;
    if (left) {
      y = y + 1;
      if (bool(np::sum(y) > 4)) y = y - 10;
    } else {
      y = np::sqrt(y);
      if (bool(np::sum(y) > 4)) y = y * 10;
    }
    return y + x;
  });
  for (int i = 0; i < 6; ++i) p.show("y", f(ramp(2 + i % 3), i % 2 == 0));
}

PROGRAM(loop_with_a_break_in_every_step) {
  auto f = p.compile([&](np::array x, int steps) {
    double last = 0;
    for (int i = 0; i < steps; ++i) {
      x = x + 0.5;
      last = x(0).item<double>();
      if (i % 2) x = x * last;
    }
    p.out << last << "\n";
    return x;
  });
  p.show("y", f(wave(3), 9));
  p.show("z", f(wave(5), 4));
}

PROGRAM(newton_square_root) {
  auto f = p.compile([&](const np::array& a) {
    auto x = np::ones_like(a) * 2;
    int rounds = 0;
    while (rounds < 50) {
      auto next = 0.5 * (x + a / x);
      auto change = np::max(np::abs(next - x));
      x = next;
      ++rounds;
      if (bool(change < 1e-12)) break;
    }
    p.out << "rounds " << rounds << "\n";
    return x;
  });
  p.show("root", f(ramp(6) + 1));
  p.show("root of one", f(np::array{1.0}));
}

PROGRAM(bisection_with_item) {
  auto f = p.compile([&](const np::array& coefficients) {
    auto value = [&](double x) {
      auto powers = np::power(np::array(x), np::arange(coefficients.size()).astype(np::float64));
      return np::sum(coefficients * powers).item<double>();
    };
    double low = 0, high = 4;
    for (int i = 0; i < 20; ++i) {
      const double middle = (low + high) / 2;
      (value(low) * value(middle) <= 0 ? high : low) = middle;
    }
    return np::array{low, high};
  });
  p.show("bracket", f(np::array{-5.0, 0.0, 1.0}));
}

PROGRAM(all_close_ends_the_loop) {
  auto f = p.compile([&](const np::array& matrix) {
    auto v = np::ones(matrix.shape(0));
    for (int i = 0; i < 30; ++i) {
      auto w = np::matmul(matrix, v);
      w = w / np::sqrt(np::sum(w * w));
      const bool done = np::allclose(w, v);
      v = w;
      if (done) {
        p.out << "after " << i << "\n";
        break;
      }
    }
    return v;
  });
  p.show("v", f(np::array{{2.0, 1.0, 0.0}, {1.0, 3.0, 1.0}, {0.0, 1.0, 4.0}}));
}

PROGRAM(windows_of_a_pending_value) {
  auto f = p.compile([](const np::array& x) {
    auto t = x * 2;
    auto windows = np::lib::sliding_window_view(t, {3});
    t += 1;
    return std::tuple(np::max(windows, {.axis = -1}), windows, t);
  });
  for (int n : {7, 7, 9}) {
    auto [y, windows, t] = f(wave(n));
    p.show("y", y);
    p.show("windows", windows);
    p.check(!windows.writeable(), "read-only");
    p.shared("t", t, windows);
    t(2) = 50.0;
    p.show("written through t", windows);
  }
  p.explain(f, [&](const np::explain_report& r) { p.equal(r.graph_break_count, 0, "a view breaks nothing"); }, wave(5));
}

PROGRAM(windows_refuse_to_be_written) {
  auto f = p.compile([](np::array x) {
    x += 1;
    auto windows = np::lib::sliding_window_view(x * 2, {2});
    windows += 1;
    return x;
  });
  auto x = wave(4);
  try {
    f(x);
  } catch (const np::ValueError& e) {
    p.show("error", std::string(e.what()));
  }
  p.show("x", x);
}

PROGRAM(saving_and_loading_inside) {
  const std::string path = ::testing::TempDir() + "meaning_saved.npy";
  auto f = p.compile([&](np::array x) {
    x += 1;
    auto y = x * 2;
    np::save(path, y);
    y += 1;
    return np::load(path) + y;
  });
  auto x = ramp(4);
  p.show("y", f(x));
  p.show("x", x);
}

PROGRAM(break_inside_sort_comparator) {
  auto f = p.compile([&](const np::array& rows) {
    std::vector<np::array> all;
    for (std::int64_t i = 0; i < rows.len(); ++i) all.push_back(rows(i) * 2);
    std::sort(all.begin(), all.end(),
              [](const np::array& a, const np::array& b) { return bool(np::sum(a) < np::sum(b)); });
    return np::stack(all);
  });
  p.show("sorted", f(wave(12).reshape(6, 2)));
}

PROGRAM(break_inside_a_callback) {
  auto f = p.compile([&](const np::array& x, const std::function<bool(const np::array&)>& accept) {
    np::array best = x;
    for (int i = 1; i < 5; ++i) {
      auto candidate = x * i - i * i;
      if (accept(candidate)) best = candidate;
    }
    return best;
  });
  p.show("y", f(ramp(4), [](const np::array& c) { return bool(np::sum(c) > 0); }));
  p.show("z", f(ramp(4), [](const np::array&) { return false; }));
}

PROGRAM(stateful_callable_object) {
  struct Accumulator {
    meaning::Trial& p;
    np::array total = np::zeros(3);
    int calls = 0;
    np::array operator()(const np::array& x) {
      ++calls;
      total = total + x;
      if (bool(np::max(total) > 3)) {
        p.out << "reset at call " << calls << "\n";
        total = np::zeros(3);
      }
      return total * calls;
    }
  };
  auto f = p.compile(Accumulator{p});
  for (int i = 0; i < 5; ++i) p.show("y", f(ramp(3)));
}

PROGRAM(unused_results_and_breaks) {
  auto f = p.compile([&](const np::array& x) {
    np::sin(x) + 1;
    auto dead = x * 3;
    dead = x * 4;
    if (bool(np::any(x > 100))) return dead;
    np::cos(x);
    return x + 1;
  });
  p.show("y", f(ramp(4)));
}
