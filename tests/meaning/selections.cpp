// Programs that select by masks: lengths that depend on data flow through graphs, meet stores, breaks and errors.
#include "harness.h"

#define SUITE Selections

using meaning::ramp;
using meaning::wave;
namespace np = numjit;

PURE_PROGRAM(statistics_of_a_selection) {
  auto f = p.compile([](const np::array& x, const np::array& limit) {
    auto m = x > limit;
    np::array y = x(m);
    return std::tuple(np::sum(y), np::mean(y), np::var(y), np::std(y, {.ddof = 1}), y * 2 + 1, np::any(y > 1),
                      np::count_nonzero(m));
  });
  for (double limit : {0.0, 5.0, -5.0, 2.9, 2.95}) p.show("all", f(wave(17), np::array(limit)));
  p.show("empty", f(ramp(0), np::array(1.0)));
  p.show("one", f(ramp(1) + 3, np::array(1.0)));
}

PURE_PROGRAM(counts_through_zero_and_one) {
  auto f = p.compile([](const np::array& x, const np::array& below) {
    np::array y = x(x < below);
    auto places = np::flatnonzero(x < below);
    return std::tuple(y + 1, y * y, places * 2, np::sum(y * 3), y(np::_, np::newaxis) * np::array{1.0, 2.0},
                      np::cumsum(y), np::sort(-y));
  });
  for (double count : {3.0, 0.0, 1.0, 7.0, 1.0, 0.0, 2.0}) p.show("all", f(ramp(7), np::array(count)));
}

PURE_PROGRAM(dtypes_of_selections) {
  auto f = p.compile([](const np::array& x) {
    np::array y = x(x > 1);
    return std::tuple(y, y + 1, np::sum(y), np::mean(y), np::prod(y), np::cumsum(y));
  });
  for (auto type : {np::float64, np::float32, np::float16, np::int8, np::uint8, np::int64, np::uint64, np::complex64,
                    np::complex128})
    p.show(std::string(type.name()), f((ramp(9) - 2).astype(type)));
}

PURE_PROGRAM(two_arrays_one_mask) {
  auto f = p.compile([](const np::array& x, const np::array& y) {
    auto m = np::logical_and(x > 0, y < 1);
    np::array a = x(m), b = y(m);
    return std::tuple(a * b - a, np::dot(a, b), np::where(a > b, a, b), np::maximum(a, b), np::stack({a, b}));
  });
  for (int n : {13, 2, 1, 0, 40}) p.show("all", f(wave(n), wave(n, 1)));
}

PURE_PROGRAM(rows_of_matrices) {
  auto f = p.compile([](const np::array& m) {
    np::array rows = m(m(np::_, 0) > 0);
    return std::tuple(rows, np::sum(rows, {.axis = 0}), np::sum(rows, {.axis = 1}), np::mean(rows, {.axis = 0}),
                      rows - np::mean(rows, {.axis = 0}), rows.T() * 2, rows(np::_, 1), np::argwhere(m > 1),
                      np::nonzero(m > 1), m(m > 1) * 2);
  });
  for (int rows : {7, 1, 0, 3, 12}) p.show("all", f(wave(rows * 3).reshape(rows, 3)));
}

PURE_PROGRAM(partition) {
  auto f = p.compile([](const np::array& x) {
    auto pivot = np::mean(x);
    auto low = x < pivot;
    return np::concatenate({x(low) * 2, x(np::logical_not(low))});
  });
  for (int n : {9, 1, 2, 30}) p.show("x", f(wave(n)));
}

PURE_PROGRAM(selections_of_selections) {
  auto f = p.compile([](const np::array& x) {
    np::array y = x(x > -1);
    np::array z = y(y < 1);
    np::array w = z(np::flatnonzero(z > 0));
    return std::tuple(y, z, w * 2, np::unique(np::floor(z)), np::sum(w));
  });
  for (int n : {20, 3, 1, 0}) p.show("all", f(wave(n)));
}

PROGRAM(stored_back) {
  auto f = p.compile([](np::array x) {
    auto m = x > 0;
    x(m) = np::sqrt(x(m));
    x(np::logical_not(m)) -= x(np::logical_not(m)) * 2;
    x(np::flatnonzero(x > 1.5)) = -1.0;
  });
  for (int n : {11, 1, 0, 4}) {
    auto x = wave(n);
    auto part = x(np::slice(np::none, np::none, 2));
    f(x);
    p.show("x", x);
    p.show("part", part);
    f(part);
    p.show("x again", x);
  }
}

PROGRAM(mask_changes_between_uses) {
  auto f = p.compile([](const np::array& x) {
    auto m = x > 0;
    np::array before = x(m);
    m(np::slice(0, 2)) = true;
    np::array after = x(m);
    m(np::_) = false;
    return std::tuple(before, after, x(m), before * 2, after * 2);
  });
  for (int n : {9, 4, 2}) p.show("all", f(wave(n)));
}

PROGRAM(source_changes_between_uses) {
  auto f = p.compile([](np::array x) {
    auto m = x > 0;
    np::array before = x(m);
    x *= 2;
    np::array after = x(m);
    x(m) = before + after;
    return std::tuple(before + after, x);
  });
  for (int n : {9, 1, 0}) p.show("all", f(wave(n)));
}

PROGRAM(selection_updated_in_place) {
  auto f = p.compile([](const np::array& x) {
    np::array y = x(x > 0);
    np::array view = y(np::_, np::newaxis);
    y += 1;
    y(y > 2) = 0;
    view *= 3;
    return std::tuple(y, view, np::sum(y));
  });
  for (int n : {9, 1, 0, 5}) p.show("all", f(wave(n)));
}

PROGRAM(length_asked_for) {
  auto f = p.compile([&](const np::array& x) {
    np::array y = x(x > 0);
    p.out << "selected " << y.size() << " of " << x.size() << "\n";
    np::array z = y * 2;
    for (std::int64_t i = 0; i < z.len() && i < 2; ++i) z = z + z(i);
    return z;
  });
  for (int n : {9, 1, 0, 5}) p.show("z", f(wave(n)));
}

PROGRAM(lengths_that_do_not_fit) {
  auto f = p.compile([&](const np::array& x, double a, double b) {
    np::array y = x(x > a), z = x(x > b);
    p.out << "selected\n";
    try {
      return y + z;
    } catch (const np::ValueError& e) {
      p.out << e.what() << "\n";
      return y - 1;
    }
  });
  for (auto [a, b] : {std::pair(0.0, 0.0), {1.0, 4.0}, {5.0, 1.0}, {4.5, 1.0}, {7.0, 1.0}, {0.0, 4.5}})
    p.show("y", f(ramp(6), a, b));
}

PROGRAM(known_length_against_a_selection) {
  auto f = p.compile([](const np::array& x, const np::array& w) { return x(x > 2) * w; });
  for (int n : {1, 3}) p.show("y", f(ramp(6), ramp(n)));
  p.show("one selected", f(ramp(4), ramp(5)));
  p.catches("other lengths", [&] { f(ramp(6), ramp(2)); });
  p.show("again", f(ramp(6), ramp(3)));
}

PROGRAM(nothing_selected_to_reduce) {
  auto f = p.compile([](np::array x) {
    x += 1;
    return np::max(x(x > 3)) * 2;
  });
  auto x = ramp(6);
  p.show("y", f(x));
  auto small = ramp(2);
  p.catches("max", [&] { f(small); });
  p.show("stored before", small);
  p.show("y", f(x));
}

PROGRAM(wrong_masks) {
  auto f = p.compile([](const np::array& x, const np::array& m) { return x(m) + 1; });
  p.show("y", f(ramp(4), ramp(4) > 1));
  p.catches("length", [&] { f(ramp(4), ramp(5) > 1); });
  p.catches("rank", [&] { f(ramp(4), np::ones({4, 1}) > 0); });
  auto g = p.compile([](const np::array& x) { return np::nonzero(np::sum(x)); });
  p.catches("0-D", [&] { g(ramp(3)); });
}

PROGRAM(loop_of_selections) {
  auto f = p.compile([](np::array x) {
    np::array total = np::zeros(1);
    for (int step = 0; step < 90; ++step) {
      np::array y = x(x > 0);
      total = total + np::sum(y) * 0.5;
      x(x > 0) = y * 0.9 - 0.1;
    }
    return std::pair(total, x);
  });
  for (int n : {7, 1, 0}) p.show("all", f(wave(n)));
}

PROGRAM(loop_that_ends_by_the_selection) {
  auto f = p.compile([](np::array x) {
    int steps = 0;
    while (x.size() > 1 && steps < 20) {
      x = x(x > np::mean(x)) * 1.5;
      ++steps;
    }
    return std::pair(x, steps);
  });
  for (int n : {30, 8, 1, 0}) {
    auto [x, steps] = f(wave(n));
    p.show("x", x);
    p.show("steps", steps);
  }
}

PROGRAM(selection_across_a_break) {
  auto f = p.compile([&](const np::array& x) {
    auto m = x > 0;
    np::array y = x(m) * 2;
    if (np::sum(y) > 10) p.out << "large\n";
    np::array z = x(m) + y;
    return std::tuple(y, z, np::flatnonzero(m));
  });
  for (int n : {30, 8, 1, 0, 2}) p.show("all", f(wave(n)));
}

PROGRAM(selection_in_nested_functions) {
  auto inner = p.compile([](const np::array& x) { return np::array(x(x > 0)); });
  auto outer = p.compile([&](const np::array& x) { return np::sum(inner(x * 2) + 1); });
  for (int n : {9, 1, 0}) p.show("y", outer(wave(n)));
}

PROGRAM(selection_handed_to_disabled_code) {
  auto f = p.compile([&](const np::array& x) {
    np::array y = x(x > 0) * 2;
    {
      np::disable_scope off;
      p.out << y.size() << " " << y << "\n";
      y = y + 1;
    }
    return y * y;
  });
  for (int n : {9, 1, 0, 4}) p.show("y", f(wave(n)));
}

PROGRAM(selection_in_an_exception) {
  auto f = p.compile([&](const np::array& x, np::array& kept) {
    kept = x(x > 0) * 2;
    np::array lost = x(x > 0) + 1;
    if (x.size() > 4) throw std::runtime_error("too many");
    return lost;
  });
  for (int n : {3, 9, 1, 5}) {
    np::array kept;
    p.catches("call", [&] { p.show("y", f(wave(n), kept)); });
    p.show("kept", kept);
  }
}

PROGRAM(selection_kept_outside) {
  std::vector<np::array> kept;
  auto f = p.compile([&](const np::array& x) {
    kept.push_back(x(x > 0));
    kept.push_back(np::flatnonzero(x > 1));
    return kept.back() + 1;
  });
  for (int n : {6, 1, 0, 9}) p.show("y", f(wave(n)));
  p.show("kept", kept);
}

PROGRAM(reshaped_selections) {
  auto f = p.compile([](const np::array& x) {
    np::array y = x(x > -10);
    return std::tuple(y.ravel() + 1, y.reshape(-1, 1) * 2, y.flatten(), np::expand_dims(y, 0), np::atleast_2d(y) * 2,
                      y.reshape(2, -1), np::squeeze(y(np::_, np::newaxis)) + 1);
  });
  for (int n : {8, 2, 4}) p.show("all", f(wave(n)));
}

PROGRAM(large_selections) {
  auto f = p.compile([](const np::array& x) {
    np::array y = x(x > 0.5);
    return std::tuple(np::sum(y), np::mean(y * y), np::min(y), np::argmax(y), y(np::_, np::newaxis).shape(1));
  });
  for (int n : {3000, 200000, 70000}) {
    auto [a, b, c, d, e] = f(wave(n));
    p.show("all", std::tuple(a, b, c, d, e));
  }
}
