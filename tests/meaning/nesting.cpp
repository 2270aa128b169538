// Programs that nest: compiled in compiled, recursion, disable, breaks as errors, fullgraph, explain.
#include "harness.h"

#define SUITE Nesting

using meaning::ramp;
using meaning::wave;
namespace np = numjit;

namespace {

/// A checks that hold where functions record; texts of plain runs can't be compared with GraphBreakErrors,
/// so programs of this file note "refused" or "passed" by what is expected of each way.
template <class F>
void expect_refusal(meaning::Trial& p, const std::string& label, const std::string& id, F&& f) {
  if (!p.records()) return;
  try {
    f();
    p.check(false, label + ": no GraphBreakError");
  } catch (const np::GraphBreakError& e) {
    p.equal(e.code(), id, label + ": id");
    p.check(std::string(e.what()).find("Graph break in user code at") == 0, label + ": text");
    p.check(std::string(e.what()).find("nesting.cpp:") != std::string::npos, label + ": place");
  }
}

}  // namespace

PROGRAM(compiled_in_compiled) {
  auto inner = p.compile([](const np::array& x) { return x + 1; });
  auto middle = p.compile([&](const np::array& x) { return inner(x) * inner(x * 2); });
  auto f = p.compile([&](const np::array& x) { return middle(x) - inner(x); });
  p.show("f", f(ramp(4)));
  p.show("inner", inner(wave(3)));
  p.show("f", f(wave(4)));
  p.explain(f, [&](const np::explain_report& r) { p.equal(r.graph_count, 1, "graphs"); }, ramp(4));
}

PROGRAM(compiled_twice) {
  auto once = p.compile([](np::array x) {
    x += 1;
    return x * 2;
  });
  auto twice = p.compile(once);
  auto x = ramp(3);
  p.show("y", twice(x));
  p.show("x", x);
}

PROGRAM(inner_break_in_outer) {
  auto inner = p.compile([&](const np::array& x) {
    auto y = x * 3;
    if (bool(np::max(y) > 6)) {
      p.out << "inner clips\n";
      y = np::minimum(y, 6);
    }
    return y;
  });
  auto f = p.compile([&](np::array x) {
    x += 0.5;
    auto y = inner(x);
    x += 0.5;
    return y + inner(x * 10);
  });
  for (int n : {2, 5}) {
    auto x = ramp(n);
    p.show("y", f(x));
    p.show("x", x);
  }
}

PROGRAM(calls_itself) {
  std::function<np::array(const np::array&, int)> self;
  auto f = p.compile([&](const np::array& x, int depth) -> np::array {
    if (depth == 0) return x + 1;
    return self(x * 2, depth - 1) + x;
  });
  self = f;
  for (int depth : {0, 1, 4, 2}) p.show("y", f(ramp(3), depth));
}

PROGRAM(calls_itself_with_breaks_and_stores) {
  std::function<void(np::array, int)> self;
  auto f = p.compile([&](np::array x, int depth) {
    x += depth;
    p.out << depth << ":" << np::sum(x).item<double>() << " ";
    if (depth > 0) {
      self(x(np::slice(1, np::none)), depth - 1);
      self(x(np::slice(np::none, -1)), depth - 1);
    }
    x *= 1.5;
  });
  self = f;
  auto x = ramp(4);
  f(x, 2);
  p.show("x", x);
}

PROGRAM(two_functions_call_each_other) {
  std::function<np::array(const np::array&, int)> even_call;
  auto odd = p.compile([&](const np::array& x, int n) { return n == 0 ? x * 0 : even_call(x + n, n - 1); });
  auto even = p.compile([&](const np::array& x, int n) { return n == 0 ? x : odd(x * 2, n - 1); });
  even_call = even;
  for (int n : {0, 1, 2, 5}) p.show("y", even(ramp(3), n));
  p.show("odd", odd(ramp(2), 3));
}

PROGRAM(function_compiled_inside_the_body) {
  auto f = p.compile([&](const np::array& x) {
    auto g = p.compile([&](const np::array& y) { return y * np::sum(x); });
    return g(x) + g(x + 1);
  });
  p.show("y", f(ramp(3)));
  p.show("y", f(wave(5)));
}

PROGRAM(function_passed_as_argument) {
  auto apply_twice = p.compile([](const auto& g, const np::array& x) { return g(g(x)); });
  auto square = p.compile([](const np::array& x) { return x * x; });
  p.show("plain lambda", apply_twice([](const np::array& x) { return x + 1; }, ramp(3)));
  p.show("compiled", apply_twice(square, ramp(3)));
  p.show("plain lambda", apply_twice([](const np::array& x) { return x + 1; }, wave(3)));
}

PROGRAM(is_compiling_tells) {
  auto f = p.compile([&](const np::array& x) {
    const bool inside = np::is_compiling();
    bool disabled;
    {
      np::disable_scope off;
      disabled = np::is_compiling();
    }
    p.equal(inside, p.records(), "inside");
    p.equal(disabled, false, "disabled");
    return x + 1;
  });
  p.show("y", f(ramp(2)));
  p.check(!np::is_compiling(), "outside");
}

PROGRAM(disable_worked_example) {
  auto inner = [](const np::array& x) {
    np::graph_break();
    return x + 1;
  };
  auto outer = np::disable([&](const np::array& x) { return inner(x + 2); });
  auto f = p.compile([&](const np::array& x) { return outer(x) + 4; });
  p.show("y", f(np::ones(3)));
  p.prints(f(np::ones(3)), "[8. 8. 8.]");
  p.explain(f, [&](const np::explain_report& r) {
    p.equal(r.graph_count, 1, "graphs");
    p.equal(r.op_count, 1, "ops");
  }, np::ones(3));
}

namespace {

np::array named_inner(const np::array& x) { return x + 1; }
np::array named_outer(const np::array& x) { return named_inner(x + 2); }

}  // namespace

PROGRAM(disable_not_recursive_worked_example) {
  auto outer = np::disable(named_outer, {.recursive = false});
  auto f = p.compile([&](const np::array& x) { return outer(x) + 4; });
  p.show("y", f(np::ones(3)));
  p.prints(f(np::ones(3)), "[8. 8. 8.]");
  p.explain(f, [&](const np::explain_report& r) { p.equal(r.graphs.at(0).runs, 2u, "graphs: inner's and f's, which are equal"); },
            np::ones(3));
}

PROGRAM(disabled_part_in_the_middle) {
  auto f = p.compile([&](np::array x) {
    x += 1;
    auto y = x * 2;
    {
      np::disable_scope off({.reason = "debugging"});
      p.out << "sum " << np::sum(y).item<double>() << "\n";
      y += 100;
      x(0) = -1.0;
    }
    y += x;
    return y;
  });
  auto x = ramp(3);
  p.show("y", f(x));
  p.show("x", x);
}

PROGRAM(compiled_called_from_disabled) {
  auto g = p.compile([](np::array x) {
    x += 1;
    return x * 3;
  });
  auto off = np::disable([&](np::array x) { return g(x) - 1; });
  auto f = p.compile([&](np::array x) {
    x *= 2;
    auto y = off(x);
    return y + x;
  });
  auto x = ramp(3);
  p.show("y", f(x));
  p.show("x", x);
  p.show("g", g(x));
}

PROGRAM(exception_leaves_a_disabled_part) {
  auto off = np::disable([&](np::array x) {
    x += 10;
    if (x.size() > 2) throw std::runtime_error("disabled");
    return x;
  });
  auto f = p.compile([&](np::array x) {
    x += 1;
    try {
      off(x);
    } catch (const std::runtime_error& e) {
      p.out << e.what() << "\n";
    }
    x *= 2;
    return np::is_compiling() == p.records();
  });
  for (int n : {2, 3, 2}) {
    auto x = ramp(n);
    p.check(f(x), "recording goes on after the scope");
    p.show("x", x);
  }
}

// A scope that `open` opens inside of a compiled function, and that is still open at its end.
template <class Open>
void outlives_its_call(meaning::Trial& p, const std::string& name, Open open) {
  decltype(open()) kept;
  auto f = p.compile([&](np::array x) {
    x += 1;
    kept = open();
    x *= 2;
  });
  auto g = p.compile([](const np::array& x) { return x + 1; });
  auto x = ramp(2);
  std::string text;
  try {
    f(x);
  } catch (const np::ValueError& e) {
    text = e.what();
  }
  if (p.records())
    p.check(text.find("[" + name + "] a scope that was opened inside the compiled function is still open") == 0,
            "refused at the end of the call: got " + text);
  p.check(!np::is_compiling(), "nothing is recorded");
  p.show("x", x);
  p.show("while it is open", g(x));
  kept.reset();
  p.check(!np::is_compiling(), "nothing is open");
  p.show("after it", g(x) * 2);
}

PROGRAM(disable_scope_outlives_its_call) {
  outlives_its_call(p, "disable_scope", [] { return std::make_unique<np::disable_scope>(); });
}

PROGRAM(errstate_outlives_its_call) {
  outlives_its_call(p, "errstate", [] {
    return std::make_unique<np::errstate>(np::errstate_options{.divide = "raise"});
  });
}

PROGRAM(dont_skip_tracing_scope_outlives_its_call) {
  outlives_its_call(p, "dont_skip_tracing_scope", [] { return std::make_unique<np::dont_skip_tracing_scope>(); });
}

PROGRAM(nested_disable_scopes) {
  auto f = p.compile([&](np::array x) {
    x += 1;
    {
      np::disable_scope outer;
      x *= 2;
      {
        np::disable_scope inner({.recursive = false});
        x += named_inner(x);
      }
      x -= 3;
    }
    {
      np::disable_scope outer({.recursive = false});
      x = named_outer(x);
      {
        np::disable_scope inner;
        x = named_outer(x);
      }
      x = x * 2;
    }
    return x + 1;
  });
  p.show("y", f(ramp(3)));
}

PROGRAM(fullgraph_refuses_before_anything_changed) {
  np::array captured = ramp(3);
  auto f = p.compile([&](np::array x) {
    x += 1;
    captured(0) = 50.0;
    if (bool(np::sum(x) > 0)) x *= 2;
    return x;
  }, {.fullgraph = true});
  auto x = ramp(4);
  expect_refusal(p, "branch", "NJ0001", [&] { f(x); });
  if (!p.records()) {
    x = ramp(4);
    captured = ramp(3);
  }
  p.show("x", x);
  p.show("captured", captured);
}

PROGRAM(fullgraph_function_without_breaks) {
  auto f = p.compile([&](np::array x, const np::array& y) {
    x(x > y) = 0.0;
    auto z = np::where(y > 1, y, -y);
    z(np::slice(0, 2)) += x(np::slice(1, 3));
    return std::pair(z, np::sum(z * x));
  }, {.nopython = true});
  auto x = wave(5);
  p.show("y", f(x, wave(5, 1)));
  p.show("x", x);
}

PROGRAM(fullgraph_inside_keeps_what_came_before) {
  auto strict = p.compile([&](np::array x) {
    x *= 10;
    if (bool(np::sum(x) > 0)) x += 1;
  }, {.fullgraph = true});
  auto f = p.compile([&](np::array x) {
    x += 1;
    auto y = x * 2;
    bool refused = !p.records();
    try {
      if (p.records()) strict(x);
    } catch (const np::GraphBreakError&) {
      refused = true;
    }
    p.check(refused, "the inner break is refused");
    x += 0.25;
    return y;
  });
  auto x = ramp(3);
  p.show("y", f(x));
  p.show("x", x);
}

PROGRAM(fullgraph_in_fullgraph) {
  auto inner = p.compile([&](np::array x) {
    x *= 10;
    np::graph_break();
    x += 1;
  }, {.fullgraph = true});
  np::array kept;
  auto f = p.compile([&](np::array x) {
    x += 1;
    auto y = x * 2;
    if (p.records()) {
      try {
        inner(x);
      } catch (const np::GraphBreakError&) {
      }
    }
    kept = y + x;
    return np::sum(x, {.axis = 0}) + y;
  }, {.fullgraph = true});
  auto x = ramp(3);
  p.show("y", f(x));
  p.show("x", x);
  p.show("kept", kept);
}

PROGRAM(array_of_a_refused_graph_is_not_usable) {
  np::array kept;
  auto f = p.compile([&](const np::array& x) {
    kept = x + 1;
    np::graph_break();
    return kept;
  }, {.fullgraph = true});
  if (p.records()) {
    expect_refusal(p, "break", "NJ0008", [&] { f(ramp(3)); });
    try {
      np::array y = kept + 1;
      p.check(false, "the array has no value");
    } catch (const np::ValueError& e) {
      p.equal(std::string(e.what()),
              "[add] array of a segment that did not complete: its value was never computed.", "text");
    }
  }
  kept = ramp(2);
  p.show("kept", kept);
}

PROGRAM(break_refused_by_scope) {
  auto f = p.compile([&](np::array x, bool strict) {
    x += 1;
    p.out << "first " << np::sum(x).item<double>() << "\n";
    np::error_on_graph_break_scope scope(strict);
    x *= 2;
    if (bool(np::sum(x) > 0)) x += 100;
    return x;
  });
  auto x = ramp(3);
  p.show("lax", f(x, false));
  if (p.records()) {
    auto y = ramp(3);
    expect_refusal(p, "strict", "NJ0001", [&] { f(y, true); });
    p.prints(y, "[2. 4. 6.]");
    p.out.str("");
  }
  p.show("lax", f(x, false));
}

PROGRAM(false_inside_true_and_true_inside_false) {
  auto reads = [&](const np::array& x) { return x + np::sum(x).item<double>(); };
  auto tolerant = np::error_on_graph_break(false, reads);
  auto strict = np::error_on_graph_break(true, reads);
  auto f = p.compile([&](const np::array& x) {
    np::error_on_graph_break_scope on(true);
    auto y = tolerant(x * 2);
    {
      np::error_on_graph_break_scope off(false);
      y = reads(y);
    }
    return y + 1;
  });
  p.show("f", f(ramp(3)));
  auto g = p.compile([&](const np::array& x) {
    auto y = reads(x);
    return strict(y * 2);
  });
  expect_refusal(p, "strict inside", "NJ0002", [&] { g(ramp(3)); });
  p.show("f", f(wave(3)));
}

PROGRAM(refused_break_is_caught_inside_and_the_body_goes_on) {
  auto f = p.compile([&](np::array x) {
    x += 1;
    double factor = 2;
    if (p.records()) {
      try {
        np::error_on_graph_break_scope on(true);
        factor = np::max(x).item<double>() * 100;
      } catch (const np::GraphBreakError&) {
      }
    }
    x *= factor;
    return x + 1;
  });
  auto x = ramp(3);
  p.show("y", f(x));
  p.show("x", x);
}

PROGRAM(third_party_callable_is_wrapped) {
  struct Smoother {
    int window = 3;
    np::array operator()(const np::array& x) const {
      if (x.size() < window) throw np::ValueError("smooth", "too short");
      np::array sum = x(np::slice(0, x.size() - window + 1));
      for (int i = 1; i < window; ++i) sum = sum + x(np::slice(i, x.size() - window + 1 + i));
      return sum / window;
    }
  };
  auto strict = np::error_on_graph_break(true, Smoother{});
  auto off = np::disable(Smoother{2});
  auto f = p.compile([&](const np::array& x) { return std::pair(strict(x * 2), off(x * 2)); });
  p.show("y", f(wave(7)));
  p.catches("short", [&] { f(wave(2)); });
}

PROGRAM(explain_makes_the_call_once) {
  int calls = 0;
  auto f = p.compile([&](np::array x) {
    ++calls;
    x += 1;
    p.out << "called\n";
    return x * np::sum(x).item<double>();
  });
  auto x = ramp(3);
  p.explain(f, [&](const np::explain_report& r) {
    p.equal(r.graph_break_count, 1, "breaks");
    p.equal(r.graph_count, 2, "graphs");
    p.equal(r.break_reasons.at(0).id, "NJ0002", "id");
    p.check(r.break_reasons[0].file.find("nesting.cpp") != std::string::npos, "file");
    p.check(!r.str().empty() && r.json().front() == '{', "text and JSON");
  }, x);
  p.show("calls", calls);
  p.show("x", x);
  p.show("y", f(x));
}

PROGRAM(explain_of_a_call_that_throws) {
  auto f = p.compile([&](np::array x) {
    x += 1;
    np::graph_break();
    x += np::ones(7);
  });
  auto x = ramp(3);
  p.catches("explain", [&] { p.explain(f, [](const np::explain_report&) {}, x); });
  p.show("x", x);
  p.catches("call", [&] { f(x); });
  p.show("x", x);
}

PROGRAM(copies_of_a_compiled_function) {
  auto f = p.compile([n = 0](const np::array& x) mutable { return x + ++n; });
  auto g = f;
  p.show("f", f(ramp(2)));
  p.show("g", g(ramp(2)));
  auto h = g;
  p.show("h", h(ramp(2)));
  p.show("f", f(ramp(2)));
}

PROGRAM(reference_results) {
  auto f = p.compile([](np::array& x) -> np::array& {
    x += 1;
    x = x * 2;
    return x;
  });
  auto x = ramp(3), old = x;
  np::array& y = f(x);
  y += 0.5;
  p.show("x", x);
  p.show("old", old);
  p.check(&y == &x, "the reference passes through");
}

PROGRAM(move_only_callable_and_arguments) {
  auto state = std::make_unique<np::array>(ramp(3));
  auto f = p.compile([state = std::move(state)](std::unique_ptr<np::array> x) {
    *state += *x;
    return std::make_unique<np::array>(*state * 2);
  });
  p.show("y", *f(std::make_unique<np::array>(wave(3))));
  p.show("y", *f(std::make_unique<np::array>(ramp(3))));
}

PROGRAM(function_pointers_and_std_function) {
  auto f = p.compile(&named_outer);
  auto g = p.compile(std::function<np::array(const np::array&)>(named_inner));
  auto h = p.compile(std::bind(std::minus<>(), std::placeholders::_2, std::placeholders::_1));
  p.show("f", f(ramp(3)));
  p.show("g", g(ramp(3)));
  p.show("h", h(ramp(3), wave(3)));
}

PROGRAM(stances_keep_the_meaning) {
  auto f = p.compile([&](np::array x, bool twice) {
    x += 1;
    if (twice) x *= 2;
    p.out << np::sum(x).item<double>() << "\n";
    return x + 1;
  });
  auto x = ramp(3);
  p.show("first", f(x, false));
  for (const char* stance : {"force_eager", "eager_on_recompile", "run_only", "default"}) {
    np::stance_scope scope(stance);
    p.show("known", f(x, false));
    p.show("new", f(x, true));
  }
  auto run = np::run(f);
  p.show("run", run(x, true));
  p.show("run", run(wave(4), false));
  p.show("x", x);
}

PROGRAM(disallowed_operation) {
  auto f = p.compile([&](np::array x) {
    x += 1;
    auto y = x - 0.5;
    x *= 2;
    return y - x;
  });
  auto x = ramp(3);
  p.show("before", f(x));
  np::disallow_in_graph("subtract");
  p.show("disallowed", f(x));
  p.explain(f, [&](const np::explain_report& r) { p.equal(r.graph_break_count, 2, "breaks"); }, ramp(3));
  np::allow_in_graph("subtract");
  p.show("allowed", f(x));
  p.show("x", x);
}

PROGRAM(marked_axes_and_static_sizes) {
  auto f = p.compile([](const np::array& x) { return x * 2 + np::sum(x); }, {.dynamic = false});
  auto g = p.compile([](const np::array& x) { return x * 2 + np::sum(x); }, {.dynamic = true});
  for (int n : {3, 4, 3, 5, 0, 1}) {
    auto x = wave(n);
    p.show("f", f(x));
    np::mark_dynamic(x, 0);
    p.show("f", f(x));
    auto y = wave(n, 1);
    np::mark_static(y, 0);
    p.show("g", g(y));
  }
}
