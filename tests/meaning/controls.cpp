// Programs with black boxes, floating-point error states, profilers, budgets, constants and settings.
#include "harness.h"

#define SUITE Controls

using meaning::ramp;
using meaning::wave;
namespace np = numjit;

namespace {

np::array_spec same(np::array_spec x) { return x; }

}  // namespace

PROGRAM(black_boxes_keep_order_with_stores_and_each_other) {
  auto first = np::allow_in_graph([&](const np::array& x) {
    p.out << "first " << np::sum(x).item<double>() << "; ";
    return x * 2;
  }, same);
  auto second = np::allow_in_graph([&](const np::array& x) {
    p.out << "second " << x(0).item<double>() << "; ";
    return x + 100;
  }, same);
  auto f = p.compile([&](np::array x) {
    x += 1;
    auto a = first(x);
    x *= 3;
    auto b = second(x);
    x(0) = -1.0;
    auto c = first(second(x + 0.5));
    return std::tuple(a, b, c, x * 1);
  });
  auto x = wave(4);
  p.show("all", f(x));
  p.show("x", x);
  p.show("small", f(np::ones(1)));
}

PROGRAM(black_box_whose_result_is_unused) {
  auto log = np::allow_in_graph([&](const np::array& x) {
    p.out << "seen " << x.shape() << "\n";
    return x;
  }, same);
  auto f = p.compile([&](const np::array& x) {
    auto y = x + 1;
    log(y);
    log(y(np::slice(1, np::none)));
    return y * 2;
  });
  for (int n : {3, 1, 4}) p.show("y", f(ramp(n)));
}

PROGRAM(black_box_that_throws) {
  auto box = np::allow_in_graph([&](const np::array& x) {
    p.out << "box\n";
    if (bool(np::any(x < 0))) throw std::domain_error("negative");
    return np::sqrt(x);
  }, same);
  auto f = p.compile([&](np::array x) {
    x += 1;
    auto y = box(x);
    return y * 2;
  });
  for (double first : {3.0, -4.0, 3.0}) {
    auto x = ramp(3) + first;
    p.catches("f", [&] { p.show("y", f(x)); });
    p.show("x", x);
  }
}

PROGRAM(black_box_between_breaks_and_views) {
  auto reversed = np::allow_in_graph([](const np::array& x) { return x(np::slice(np::none, np::none, -1)).copy(); }, same);
  auto f = p.compile([&](np::array x) {
    auto t = x * 2, part = t(np::slice(1, np::none));
    auto y = reversed(part);
    part += y;
    if (bool(np::sum(t) > 0)) t += 1;
    auto z = reversed(t);
    t *= 0;
    return std::tuple(z, y, part, t);
  });
  p.show("a", f(wave(5)));
  p.show("b", f(wave(5) * -1));
}

PROGRAM(float_errors_are_raised_where_they_happen) {
  auto f = p.compile([&](np::array x, const np::array& y) {
    x += 1;
    p.out << "before\n";
    {
      np::errstate scope({.divide = "raise"});
      x /= y;
    }
    p.out << "after\n";
    x *= 2;
  });
  for (double zero : {1.0, 0.0, 2.0}) {
    auto x = ramp(3);
    p.catches("f", [&] { f(x, np::array{1.0, zero, 3.0}); });
    p.show("x", x);
  }
}

PROGRAM(float_errors_are_ignored_or_raised_outside) {
  auto f = p.compile([](const np::array& x) { return np::log(x) + 1 / x; });
  auto x = ramp(4) - 1;
  p.show("ignored", f(x));
  {
    np::errstate scope({.all = "raise"});
    p.catches("raised", [&] { f(x); });
    p.show("fine", f(ramp(3) + 1));
  }
  p.show("ignored", f(x));
}

PROGRAM(profiler_and_budget_change_nothing) {
  auto f = p.compile([&](np::array x) {
    x += 1;
    p.out << np::sum(x).item<double>() << "\n";
    return x * 2;
  });
  auto x = ramp(3);
  np::profiler profile;
  np::budget limit({.max_breaks = 1000, .max_recompiles = 1000});
  for (int i = 0; i < 3; ++i) p.show("y", f(x));
  auto report = profile.report();
  if (p.records()) p.equal(report.calls, 3u, "calls");
  p.check(!report.str().empty() && report.json().front() == '{', "text and JSON");
  p.show("x", x);
}

PROGRAM(budget_that_is_exceeded_throws_after_the_call) {
  auto f = p.compile([&](np::array x) {
    x += 1;
    np::graph_break();
    x *= 2;
    p.out << "done\n";
  });
  auto x = ramp(3);
  {
    np::budget limit({.max_breaks = 0});
    bool thrown = false;
    try {
      f(x);
    } catch (const np::GraphBreakError&) {
      thrown = true;
    }
    p.equal(thrown, p.records(), "over budget");
  }
  p.show("x", x);
  f(x);
  p.show("x", x);
}

PROGRAM(assumed_constants) {
  int made = 0;
  auto table = np::assume_constant([&](int n) {
    ++made;
    return np::cos(np::arange(n) * 0.5);
  });
  auto f = p.compile([&](np::array x) {
    x += 1;
    auto y = x * table(4);
    return y + table(4)(0);
  });
  auto x = ramp(4);
  for (int i = 0; i < 3; ++i) p.show("y", f(x));
  p.show("made", made);
  p.show("x", x);
}

PROGRAM(tracing_goes_on_inside_disabled_code) {
  auto traced = np::dont_skip_tracing([](const np::array& x) { return x * x + 1; });
  auto off = np::disable([&](np::array x) {
    x += 1;
    auto y = traced(x);
    x *= 2;
    return y - x;
  }, {.recursive = false});
  auto f = p.compile([&](np::array x) {
    x *= 10;
    return off(x) * 3;
  });
  auto x = ramp(3);
  p.show("y", f(x));
  p.show("x", x);
}

PROGRAM(same_bits_are_checked_while_running) {
  np::config_scope scope({.check_same_bits = true});
  auto f = p.compile([](np::array x, const np::array& y) {
    x(np::slice(1, np::none)) += y(np::slice(np::none, -1));
    auto t = np::exp(x) / np::sum(np::exp(x));
    t(t > 0.5) = 0.0;
    return std::pair(t, np::cumsum(t));
  });
  auto x = wave(6);
  p.show("y", f(x, ramp(6)));
  p.show("y", f(x, x));
  p.show("x", x);
}

PROGRAM(backend_exception_passes_unchanged) {
  // Only where functions record is there a backend to fail; the arrays are then as before the segment.
  auto body = [](np::array x) {
    x += 1;
    return x * 2;
  };
  auto x = ramp(3);
  if (p.records()) {
    auto f = np::compile(body, {.backend = [](const np::graph::Graph&) -> np::graph_runner {
                           throw std::logic_error("no backend today");
                         }});
    try {
      f(x);
      p.check(false, "the backend's exception arrives");
    } catch (const std::logic_error& e) {
      p.equal(std::string(e.what()), "no backend today", "text");
    }
  }
  auto y = ramp(3);
  p.show("y", p.compile(body)(y));
  p.show("y", y);
}

PROGRAM(limits_of_scopes_that_nest) {
  auto f = p.compile([&](np::array x) {
    np::errstate outer({.divide = "ignore"});
    x += 1;
    {
      np::disable_scope off;
      x /= 2;
      {
        np::error_on_graph_break_scope strict(true);
        np::stance_scope stance("force_eager");
        x -= np::sum(x).item<double>();
      }
      x *= 3;
    }
    x = x + 0.5;
    np::config_scope config({.threads = 1});
    return np::max(x) - x;
  });
  auto x = wave(4);
  p.show("y", f(x));
  p.show("x", x);
}

PROGRAM(sets_of_settings_through_exceptions) {
  auto f = p.compile([&](np::array x, int depth) {
    std::function<void(int)> down = [&](int d) {
      np::disable_scope off({.recursive = d % 2 == 0});
      x += d;
      if (d == 0) throw std::runtime_error("bottom");
      try {
        down(d - 1);
      } catch (const std::runtime_error&) {
        x *= 2;
        if (d == 2) throw;
      }
    };
    try {
      down(depth);
    } catch (const std::runtime_error& e) {
      p.out << e.what() << "\n";
    }
    x -= 1;
    return x * 2;
  });
  for (int depth : {0, 1, 2, 4}) {
    auto x = ramp(3);
    p.show("y", f(x, depth));
    p.show("x", x);
  }
  p.check(!np::is_compiling(), "nothing is left open");
}
