// Programs whose arrays share memory: the same one twice, overlapping views, results that are arguments, statics.
#include "harness.h"

#define SUITE Aliasing

using meaning::ramp;
using meaning::wave;
namespace np = numjit;

PROGRAM(same_array_twice) {
  auto f = p.compile([](np::array a, np::array b) {
    a += 1;
    b *= 2;
    return a + b;
  });
  auto x = ramp(4), y = wave(4);
  p.show("x, x", f(x, x));
  p.show("x, y", f(x, y));
  p.show("y, y", f(y, y));
  p.show("y, x", f(y, x));
  p.show("x", x);
  p.show("y", y);
}

PROGRAM(same_array_twice_without_writes) {
  auto f = p.compile([](const np::array& a, const np::array& b) { return a * b + a - b; });
  auto x = wave(4), y = wave(4, 1);
  p.show("x, x", f(x, x));
  p.show("x, y", f(x, y));
  p.show("y, x", f(y, x));
  p.show("x, copy", f(x, x.copy()));
  p.show("x, x", f(x, x));
}

PROGRAM(overlap_changes_from_call_to_call) {
  auto f = p.compile([](np::array a, const np::array& b) { a(np::_) = b * 2 + a; });
  auto base = ramp(12);
  auto part = [&](int start, int stop) { return base(np::slice(start, stop)); };
  f(part(0, 4), part(6, 10));
  p.show("apart", base);
  f(part(1, 5), part(0, 4));
  p.show("behind", base);
  f(part(0, 4), part(1, 5));
  p.show("ahead", base);
  f(part(2, 6), part(2, 6));
  p.show("same", base);
  f(part(0, 4), ramp(4));
  p.show("other", base);
}

PROGRAM(two_targets_overlap) {
  auto f = p.compile([](np::array a, np::array b, const np::array& x) {
    a(np::_) = x;
    b += a;
    a -= b;
    return a * b;
  });
  auto base = ramp(10);
  p.show("y", f(base(np::slice(0, 5)), base(np::slice(3, 8)), wave(5)));
  p.show("base", base);
  p.show("y", f(base(np::slice(0, 5)), base(np::slice(5, 10)), wave(5)));
  p.show("base", base);
  p.show("y", f(base(np::slice(0, 10, 2)), base(np::slice(1, 10, 2)), wave(5)));
  p.show("base", base);
}

PROGRAM(reversed_view_of_the_target) {
  auto f = p.compile([](np::array a, const np::array& b) {
    a += b;
    a(np::slice(0, 2)) = b(np::slice(0, 2));
  });
  auto x = ramp(6);
  f(x, x(np::slice(np::none, np::none, -1)));
  p.show("x", x);
  f(x(np::slice(np::none, np::none, -1)), x);
  p.show("x", x);
}

PROGRAM(transpose_of_the_target) {
  auto f = p.compile([](np::array a, const np::array& b) { np::multiply(a, b, {.out = a}); });
  auto m = wave(9).reshape(3, 3);
  f(m, m.T());
  p.show("m", m);
  f(m.T(), m);
  p.show("m", m);
  f(m, m);
  p.show("m", m);
}

PROGRAM(row_of_the_target) {
  auto f = p.compile([](np::array m, const np::array& row) {
    m += row;
    m(1) *= row;
  });
  auto m = ramp(12).reshape(3, 4);
  f(m, m(0));
  p.show("m", m);
  f(m, m(1));
  p.show("m", m);
  f(m, wave(4));
  p.show("m", m);
}

PROGRAM(returns_its_argument_unchanged) {
  auto f = p.compile([](const np::array& x, const np::array& y) { return std::pair(x, y + 1); });
  auto x = ramp(3);
  auto [same, other] = f(x, x);
  p.shared("x, same", x, same);
  p.shared("x, other", x, other);
  same(0) = 9.0;
  p.show("x", x);
  p.show("other", other);
}

PROGRAM(returns_a_view_of_its_argument) {
  auto f = p.compile([](const np::array& x) {
    auto inside = x(np::slice(1, -1));
    auto pairs = x.reshape(-1, 2);
    inside += 5;
    return std::tuple(inside, pairs, x.T());
  });
  auto x = ramp(6);
  auto [inside, pairs, turned] = f(x);
  p.shared("x, inside", x, inside);
  p.shared("x, pairs", x, pairs);
  pairs(0, 1) = -50.0;
  p.show("inside", inside);
  p.show("turned", turned);
  p.check(!inside.base().empty_handle(), "a view has a base");
}

PROGRAM(argument_written_and_returned) {
  auto f = p.compile([](np::array x) {
    x *= 2;
    return x;
  });
  auto x = ramp(4), y = f(x), z = f(y);
  p.shared("x, y", x, y);
  p.shared("x, z", x, z);
  p.show("z", z);
}

PROGRAM(two_results_are_one_array) {
  auto f = p.compile([](const np::array& x) {
    auto y = x + 1;
    return std::array{y, y, y(np::slice(0, 2)), y.copy()};
  });
  auto all = f(ramp(4));
  for (int i : {1, 2, 3}) p.shared("0 and " + std::to_string(i), all[0], all[static_cast<std::size_t>(i)]);
  all[1](0) = 77.0;
  p.show("all", all);
}

PROGRAM(results_are_fresh_each_call) {
  auto f = p.compile([](const np::array& x) { return std::pair(np::zeros(3), x + 1); });
  auto x = ramp(3);
  auto [z1, y1] = f(x);
  z1 += 5;
  y1 *= -1;
  auto [z2, y2] = f(x);
  p.show("z1", z1);
  p.show("z2", z2);
  p.show("y1", y1);
  p.show("y2", y2);
  p.shared("y1, y2", y1, y2);
}

PROGRAM(result_is_next_argument) {
  auto f = p.compile([](const np::array& x, const np::array& y) { return std::pair(y, x + y); });
  auto a = ramp(3), b = np::ones(3);
  for (int i = 0; i < 6; ++i) std::tie(a, b) = f(a, b);
  p.show("a", a);
  p.show("b", b);
}

PROGRAM(arrays_kept_in_a_static) {
  static std::vector<np::array> history;
  history.clear();
  auto f = p.compile([](const np::array& x) {
    history.push_back(x * 2);
    if (history.size() > 1) history.back() += history[history.size() - 2];
    return np::sum(history.back());
  });
  for (int i = 0; i < 4; ++i) p.show("sum", f(ramp(3) + i));
  p.show("history", history);
  history[0](0) = -1.0;
  p.show("sum", f(ramp(3)));
  p.show("history", history);
  history.clear();
}

PROGRAM(constant_in_a_static_inside_the_body) {
  // Made at the first call of the process, whichever way that was: only its values are promised.
  auto f = p.compile([](const np::array& x) {
    static const np::array weights = np::linspace(0, 1, 4);
    return x * weights + np::sum(weights);
  });
  p.show("y", f(ramp(4)));
  p.show("z", f(wave(4)));
}

PROGRAM(cached_value_in_the_closure) {
  std::optional<np::array> cache;
  auto f = p.compile([&](const np::array& x) {
    if (!cache) {
      p.out << "filling\n";
      cache = np::exp(x);
    }
    return *cache + x;
  });
  p.show("a", f(ramp(3)));
  p.show("b", f(ramp(3) + 1));
  cache.reset();
  p.show("c", f(ramp(3) + 1));
  p.show("cache", cache);
}

PROGRAM(global_like_state_of_several_functions) {
  struct World {
    np::array position = np::zeros(3), speed = np::ones(3);
    double time = 0;
  } world;
  auto push = p.compile([&](const np::array& force) { world.speed = world.speed + force * 0.1; });
  auto move = p.compile([&](double dt) {
    world.position += world.speed * dt;
    world.time += dt;
  });
  for (int i = 0; i < 4; ++i) {
    push(wave(3, i));
    move(0.5);
  }
  p.show("position", world.position);
  p.show("speed", world.speed);
  p.show("time", world.time);
}

PROGRAM(argument_handle_is_rebound) {
  auto f = p.compile([](np::array& x, np::array& y) {
    x = x + 1;
    std::swap(x, y);
    x *= 2;
  });
  auto x = ramp(3), y = wave(3), old_x = x, old_y = y;
  f(x, y);
  p.show("x", x);
  p.show("y", y);
  p.show("old x", old_x);
  p.show("old y", old_y);
  p.shared("x, old y", x, old_y);
}

PROGRAM(by_value_parameter_is_rebound) {
  auto f = p.compile([](np::array x) {
    x += 1;
    x = x * 2;
    x += 1;
    return x;
  });
  auto x = ramp(3), y = f(x);
  p.show("x", x);
  p.show("y", y);
  p.shared("x, y", x, y);
}

PROGRAM(captured_by_value_and_written) {
  auto weights = ramp(3);
  auto f = p.compile([weights](const np::array& x) mutable {
    weights += 1;
    weights = weights * 2;
    weights += x;
    return weights;
  });
  p.show("a", f(ramp(3)));
  p.show("b", f(ramp(3)));
  p.show("weights", weights);
}

PROGRAM(argument_is_a_view_of_a_capture) {
  auto base = ramp(8);
  auto f = p.compile([&](np::array part) {
    part += base(np::slice(2, 6));
    base *= 2;
    return part + base(np::slice(0, 4));
  });
  p.show("y", f(base(np::slice(1, 5))));
  p.show("base", base);
  p.show("y", f(wave(4)));
  p.show("base", base);
}

PROGRAM(layouts_change_from_call_to_call) {
  auto f = p.compile([](const np::array& a, const np::array& b) {
    auto c = a + b * 2;
    return std::pair(c, np::sum(c, {.axis = 0}));
  });
  auto m = wave(16).reshape(4, 4), n = wave(16, 1).reshape(4, 4);
  p.show("contiguous", f(m, n));
  p.show("transposed", f(m.T(), n));
  p.show("both transposed", f(m.T(), n.T()));
  p.show("reversed", f(m(np::_, np::slice(np::none, np::none, -1)), n));
  p.show("strided", f(m(np::slice(0, 4, 2)), n(np::slice(0, 2))));
  p.show("broadcast", f(np::broadcast_to(m(0), {4, 4}), n));
  p.show("column", f(m(np::_, np::slice(0, 1)), n));
  p.show("contiguous", f(m, n));
}

PROGRAM(strided_target_stays_strided) {
  auto f = p.compile([](np::array x, const np::array& y) {
    x += y;
    return x * 1;
  });
  auto m = ramp(12).reshape(3, 4);
  p.show("column", f(m(np::_, 1), ramp(3)));
  p.show("transposed", f(m.T(), wave(12).reshape(4, 3)));
  p.show("steps", f(m(np::slice(0, 3, 2), np::slice(1, 4, 2)), np::ones({2, 2})));
  p.show("m", m);
}

PROGRAM(view_keeps_memory_of_a_dead_array) {
  auto f = p.compile([](np::array x) {
    auto y = x + 1;
    x = np::zeros(1);
    auto z = y(np::slice(1, np::none));
    y = np::zeros(1);
    return z;
  });
  auto z = f(ramp(5));
  p.show("z", z);
  z *= 2;
  p.show("z", z);
}

PROGRAM(no_write_means_no_change) {
  auto f = p.compile([](const np::array& x) {
    auto y = x;
    y = y + 1;
    y += 1;
    auto z = x(np::slice(0, 2)).copy();
    z *= 100;
    return std::pair(y, z);
  });
  auto x = ramp(4);
  p.show("results", f(x));
  p.show("x", x);
}

PROGRAM(masked_gather_is_a_copy) {
  auto f = p.compile([](np::array x) {
    auto positive = x(x > 0);
    auto rows = x(np::array{0, 1});
    x *= 0;
    positive += 1;
    return std::pair<np::array, np::array>(positive, rows);
  });
  auto x = wave(6);
  p.show("results", f(x));
  p.show("x", x);
}

PROGRAM(asarray_of_an_array_is_the_array) {
  auto f = p.compile([](const np::array& x) {
    auto a = np::asarray(x), b = np::ascontiguousarray(x), c = np::atleast_1d(x);
    a += 1;
    b *= 2;
    c -= 3;
    return std::tuple(a, b, c);
  });
  auto x = ramp(4), strided = ramp(8)(np::slice(0, 8, 2));
  p.show("contiguous", f(x));
  p.show("x", x);
  p.show("strided", f(strided));
  p.show("strided", strided);
}

PROGRAM(split_parts_are_views) {
  auto f = p.compile([](np::array x) {
    auto parts = np::split(x, 3);
    parts[0] += 10;
    parts[1](np::_) = parts[0];
    std::swap(parts[0], parts[2]);
    parts[0] *= -1;
    return parts;
  });
  auto x = ramp(6);
  auto parts = f(x);
  p.show("parts", parts);
  p.show("x", x);
  p.shared("x, last", x, parts[2]);
}
