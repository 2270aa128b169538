// Programs for replay: bodies that do nothing but array work on their arguments, with every relation among
// arguments and results that replay must see.
#include "harness.h"

#define SUITE Replay

using meaning::ramp;
using meaning::wave;
namespace np = numjit;

PURE_PROGRAM(results_that_are_arguments) {
  auto f = p.compile([](const np::array& x, np::array y) {
    y += x;
    return std::tuple(x, y, y(np::slice(1, 3)), x + y, x.T());
  });
  for (int i = 0; i < 3; ++i) {
    auto x = wave(4, i), y = ramp(4);
    auto [same, written, part, sum, turned] = f(x, y);
    p.shared("x", x, same);
    p.shared("y", y, written);
    p.shared("part", y, part);
    p.shared("turned", x, turned);
    part(0) = 50.0;
    p.show("y", y);
    p.show("sum", sum);
  }
}

PURE_PROGRAM(same_array_in_two_places) {
  auto f = p.compile([](np::array a, np::array b) {
    a += 1;
    b *= 2;
    return a + b;
  });
  auto x = ramp(3), y = wave(3);
  for (int i = 0; i < 2; ++i) {
    p.show("x, y", f(x, y));
    p.show("x, x", f(x, x));
    p.show("y, x", f(y, x));
    p.show("y, y", f(y, y));
    p.show("view", f(x, x(np::slice(np::none, np::none, -1))));
    p.show("copy", f(x, x.copy()));
  }
}

PURE_PROGRAM(one_result_in_two_places) {
  auto f = p.compile([](const np::array& x) {
    auto y = x * 2;
    return std::vector<np::array>{y, y, y(np::slice(0, 1)), x};
  });
  for (int i = 0; i < 3; ++i) {
    auto x = ramp(3) + i;
    auto all = f(x);
    p.shared("twice", all[0], all[1]);
    p.shared("view", all[0], all[2]);
    all[1](0) = -1.0;
    p.show("all", all);
  }
}

PURE_PROGRAM(results_are_fresh) {
  auto f = p.compile([](const np::array& x) { return std::pair(np::zeros_like(x), x + 1); });
  auto x = ramp(3);
  auto [zeros, one] = f(x);
  zeros += 7;
  one *= -1;
  for (int i = 0; i < 2; ++i) {
    auto [again, other] = f(x);
    p.shared("zeros", zeros, again);
    p.show("again", again);
    p.show("other", other);
  }
  p.show("zeros", zeros);
}

PURE_PROGRAM(plain_values_change) {
  auto f = p.compile([](const np::array& x, double a, int n, bool up, const std::string& mode) {
    auto y = x * a + n;
    if (up) y = np::maximum(y, 0);
    return mode == "sum" ? np::sum(y) : y;
  });
  for (int i = 0; i < 2; ++i) {
    p.show("a", f(wave(3), 0.5, 1, false, "all"));
    p.show("b", f(wave(3), 0.5, 2, false, "all"));
    p.show("c", f(wave(3), 0.25, 1, false, "all"));
    p.show("d", f(wave(3), 0.5, 1, true, "all"));
    p.show("e", f(wave(3), 0.5, 1, false, "sum"));
  }
}

PURE_PROGRAM(sizes_dtypes_and_layouts_change) {
  auto f = p.compile([](const np::array& x) { return std::pair(x * 2 + 1, np::sum(x)); });
  for (int i = 0; i < 2; ++i) {
    for (int n : {3, 1, 0, 4}) p.show("size", f(wave(n)));
    p.show("float32", f(wave(3).astype(np::float32)));
    p.show("matrix", f(wave(6).reshape(2, 3)));
    p.show("transposed", f(wave(6).reshape(3, 2).T()));
    p.show("strided", f(wave(6)(np::slice(np::none, np::none, 2))));
    p.show("reversed", f(wave(3)(np::slice(np::none, np::none, -1))));
  }
}

PURE_PROGRAM(branch_on_the_shape) {
  auto f = p.compile([](const np::array& x) {
    if (x.size() > 3) return x(np::slice(0, 3)) * 2;
    return x + static_cast<double>(x.size());
  });
  for (int n : {2, 5, 3, 4, 2, 5}) p.show("y", f(ramp(n)));
}

PURE_PROGRAM(handle_of_the_caller_is_rebound) {
  auto f = p.compile([](np::array& x, np::array& y) {
    x = x + 1;
    std::swap(x, y);
  });
  auto x = ramp(3), y = wave(3);
  for (int i = 0; i < 4; ++i) {
    auto old = y;
    f(x, y);
    p.shared("x is old y", x, old);
  }
  p.show("x", x);
  p.show("y", y);
}

PURE_PROGRAM(errors_come_at_every_call) {
  auto f = p.compile([](np::array x, const np::array& y) {
    x += 1;
    return x + y;
  });
  auto x = ramp(3);
  for (int n : {3, 4, 3, 4, 1}) {
    p.catches("f", [&] { p.show("y", f(x, ramp(n))); });
    p.show("x", x);
  }
}

PURE_PROGRAM(body_with_a_break) {
  auto f = p.compile([](const np::array& x) {
    auto y = x * 2;
    if (bool(np::sum(y) > 3)) return y - 1;
    return y + 1;
  });
  for (int n : {2, 4, 2, 4}) p.show("y", f(ramp(n)));
  p.show("y", f(ramp(4) * -1));
}

PURE_PROGRAM(containers_in_and_out) {
  auto f =
      p.compile([](std::vector<np::array> in, const std::map<std::string, np::array>& by, const std::optional<np::array>& bias) {
        std::map<std::string, np::array> out;
        for (std::size_t i = 1; i < in.size(); ++i) in[0] = in[0] + in[i];
        for (const auto& [name, array] : by) out[name] = array * in[0];
        if (bias) out["bias"] = *bias;
        return out;
      });
  for (int i = 0; i < 2; ++i) {
    p.show("a", f({ramp(2), wave(2)}, {{"x", wave(2)}}, std::nullopt));
    p.show("b", f({ramp(2)}, {{"x", wave(2)}, {"y", ramp(2)}}, ramp(2)));
    p.show("c", f({ramp(2), wave(2), wave(2, 1)}, {{"z", wave(2)}}, std::nullopt));
    p.show("d", f({ramp(2)}, {}, std::nullopt));
  }
}

namespace {

struct Grid {
  np::array u, v;
  double spacing = 1;
  NUMJIT_FIELDS(Grid, u, v, spacing)
};

}  // namespace

PURE_PROGRAM(struct_with_fields) {
  auto f = p.compile([](Grid& g, double dt) {
    auto slope = (g.u(np::slice(2, np::none)) - g.u(np::slice(np::none, -2))) / (2 * g.spacing);
    g.v(np::slice(1, -1)) -= slope * dt;
    g.u = g.u + g.v * dt;
    return Grid{slope, g.u, g.spacing / 2};
  });
  Grid g{wave(5), np::zeros(5), 0.5};
  for (int i = 0; i < 4; ++i) {
    auto h = f(g, 0.1);
    p.show("slope", h.u);
    p.shared("u", g.u, h.v);
    p.show("spacing", h.spacing);
    if (i == 2) g.spacing = 0.25;
  }
  p.show("u", g.u);
  p.show("v", g.v);
}

PURE_PROGRAM(read_only_argument) {
  auto f = p.compile([](np::array x) {
    x += 1;
    return x * 2;
  });
  auto x = ramp(3);
  p.show("y", f(x));
  p.catches("read-only", [&] { f(np::broadcast_to(np::array(1.0), {3})); });
  p.show("y", f(x));
  p.catches("read-only", [&] { f(np::broadcast_to(np::array(1.0), {3})); });
}

PURE_PROGRAM(nested_in_rerun) {
  auto inner = p.compile([](np::array x, double by) {
    x *= by;
    return x + 1;
  });
  auto x = ramp(3);
  p.show("alone", inner(x, 2));
  p.show("again", inner(x, 2));
  auto outer = p.compile([](np::array y, const np::array& z) {
    y += z;
    return y * 1;
  });
  p.show("outer", outer(inner(x, 2), x));
  p.show("outer", outer(x, inner(x, 2)));
  p.show("x", x);
}

// What x(rows) and x(mask) give is an array to everyone but the compiler.
PURE_PROGRAM(gathered_elements_as_results) {
  auto both = p.compile([](const np::array& x) { return std::tuple(x(np::array{1, 2}), x + 1, x(x > 1)); });
  auto one = p.compile([](const np::array& x) { return x(np::array{0, -1}); });
  for (int i = 0; i < 3; ++i) {
    auto x = ramp(4) + i;
    auto [rows, more, chosen] = both(x);
    rows(0) = 50.0;
    p.show("rows", rows);
    p.show("more", more);
    p.show("chosen", chosen);
    p.show("one", one(x));
    p.show("x", x);
  }
}
