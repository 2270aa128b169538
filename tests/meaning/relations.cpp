// Programs about what is alive, shared or left unread when a segment ends, and about paths that share records.
#include "harness.h"

#define SUITE Relations

using meaning::ramp;
using meaning::wave;
namespace np = numjit;

PROGRAM(every_subset_of_results_is_kept) {
  std::vector<np::array> kept;
  auto f = p.compile([&](const np::array& x, unsigned which) {
    const np::array all[] = {x + 1, x * 2, np::sum(x), x(np::slice(1, np::none)) + 0, x - 3};
    kept.clear();
    for (unsigned i = 0; i < 5; ++i)
      if (which >> i & 1) kept.push_back(all[i]);
    return np::max(all[4] * all[0]);
  });
  for (unsigned which = 0; which < 32; which += 1 + which % 3) {
    p.show("result", f(wave(4), which));
    p.show("kept", kept);
  }
}

PROGRAM(views_of_one_value_are_kept_or_not) {
  auto f = p.compile([](const np::array& x, unsigned which) {
    auto t = x * 2;
    auto head = t(np::slice(0, 2)), tail = t(np::slice(2, np::none)), back = t(np::slice(np::none, np::none, -1));
    head += 1;
    back *= 3;
    std::vector<np::array> kept;
    if (which & 1) kept.push_back(t);
    if (which & 2) kept.push_back(head);
    if (which & 4) kept.push_back(tail);
    if (which & 8) kept.push_back(back);
    return kept;
  });
  for (unsigned which = 0; which < 16; ++which) {
    auto kept = f(ramp(5), which);
    for (std::size_t i = 1; i < kept.size(); ++i) p.shared("kept", kept[0], kept[i]);
    p.show("kept", kept);
  }
}

PROGRAM(one_prefix_many_ends) {
  auto f = p.compile([](np::array x, int length, bool stores) {
    auto y = x;
    for (int i = 0; i < length; ++i) {
      y = y * 1.5 + i;
      if (stores && i % 2) x(0) = static_cast<double>(i);
    }
    return y + x;
  });
  for (int length : {0, 1, 2, 3, 2, 1, 0, 3})
    for (bool stores : {false, true})
      for (int n : {3, 2}) {
        auto x = ramp(n);
        p.show("y", f(x, length, stores));
        p.show("x", x);
      }
}

PROGRAM(selection_returned_unread) {
  auto f = p.compile([](const np::array& x) { return x(x > 0); });
  auto g = p.compile([](const np::array& x) {
    auto t = x * 2;
    return t(np::array{2, 0});
  });
  auto x = wave(6);
  np::array y = f(x), z = g(x);
  x += 100;
  p.show("y", y);
  p.show("z", z);
}

PROGRAM(selection_given_unread) {
  auto f = p.compile([](np::array x, const np::array& part) {
    x *= 10;
    return part + 1;
  });
  auto x = wave(6);
  p.show("mask", f(x, x(x > 0)));
  p.show("rows", f(x, x(np::array{1, 1, 4})));
  p.show("x", x);
}

PROGRAM(selection_kept_across_stores_and_breaks) {
  auto f = p.compile([&](np::array x) {
    auto positive = x(x > 0);
    auto rows = x(np::array{0, 1});
    x(0) = 99.0;
    np::graph_break();
    p.out << positive.size() << "\n";
    x(1) = 77.0;
    np::array twice = x(x > 50);
    x *= 0;
    return std::tuple<np::array, np::array, np::array>(positive, rows, twice);
  });
  auto x = wave(6);
  p.show("all", f(x));
  p.show("x", x);
}

PROGRAM(parts_of_a_complex_argument_overlap_it) {
  auto f = p.compile([](np::array part, const np::array& z) {
    part += np::abs(z);
    return z * 2;
  });
  auto z = wave(4) + wave(4, 1) * std::complex<double>(0, 1);
  p.show("real", f(np::real(z), z));
  p.show("imag", f(np::imag(z), z));
  p.show("z", z);
  auto g = p.compile([](np::array re, const np::array& im) {
    re += im;
    re *= 2;
  });
  g(np::real(z), np::imag(z));
  p.show("z", z);
}

PROGRAM(temporary_bases_die_during_the_call) {
  auto f = p.compile([](np::array x, np::array y) {
    auto z = x(np::slice(0, 2)) + y(np::slice(1, 3));
    x = np::array();
    y = z;
    z = np::zeros(1);
    return y * 2;
  });
  p.show("y", f(ramp(9)(np::slice(2, 6)), wave(9)(np::slice(np::none, np::none, 2))));
  p.show("y", f(ramp(9).reshape(3, 3)(1), wave(3)));
}

PROGRAM(same_input_bound_by_two_views) {
  auto f = p.compile([](const np::array& x) {
    auto a = x(np::slice(0, 3)), b = x(np::slice(0, 3)), c = x(np::slice(1, 4));
    a += 1;
    auto d = b * c;
    b *= 2;
    c(0) = 50.0;
    return d + a;
  });
  auto x = ramp(5);
  p.show("y", f(x));
  p.show("x", x);
  auto t = wave(10)(np::slice(0, 10, 2));
  p.show("y", f(t));
  p.show("t", t);
}

PROGRAM(order_of_first_use_changes) {
  auto f = p.compile([](const np::array& a, const np::array& b, bool turn) {
    auto x = turn ? b + 1 : a + 1;
    auto y = turn ? a * x : b * x;
    return x - y;
  });
  auto a = ramp(3), b = wave(3);
  for (bool turn : {false, true, true, false}) {
    p.show("a, b", f(a, b, turn));
    p.show("a, a", f(a, a, turn));
    p.show("b, a", f(b, a, turn));
  }
}

PROGRAM(failed_operation_between_matching_ones) {
  auto f = p.compile([&](const np::array& x, const np::array& y) {
    auto a = x + 1;
    try {
      a = a * y;
    } catch (const np::ValueError&) {
      p.out << "skipped\n";
    }
    try {
      a = y + x;
    } catch (const np::ValueError&) {
      p.out << "skipped too\n";
      return a - y(0);
    }
    return a * 2 - y(0);
  });
  for (int n : {3, 4, 3, 5, 1, 4, 3}) p.show("y", f(ramp(3), wave(n)));
}

PROGRAM(many_axes) {
  auto f = p.compile([](const np::array& x) {
    auto y = x.reshape(np::dims{1, 2, 1, 2, 1, 2, 1, 2}) + 1;
    auto z = np::transpose(y, {7, 6, 5, 4, 3, 2, 1, 0})(np::newaxis, np::ellipsis, np::newaxis);
    return std::pair(np::sum(z, {.axis = {2, 4}}), np::squeeze(z) * 2);
  });
  p.show("y", f(wave(16)));
  auto g = p.compile([](np::array x, int n) {
    for (int i = 0; i < n; ++i) x = x(np::newaxis);
    return x + 1;
  });
  p.show("16", g(ramp(2), 15));
  p.catches("17", [&] { g(ramp(2), 16); });
}

PROGRAM(axis_lists) {
  auto f = p.compile([&](const np::array& x, const np::dims& axes) {
    auto y = x * 2;
    return std::tuple(np::sum(y, {.axis = axes}), np::max(x, {.axis = axes, .keepdims = true}),
                      np::mean(x + y, {.axis = axes}) + 1);
  });
  auto x = wave(24).reshape(2, 3, 4);
  for (const np::dims& axes : {np::dims{0, 2}, np::dims{1}, np::dims{0, 1}, np::dims{0, 1, 2}, np::dims{0, 0}, np::dims{3},
                               np::dims{0, -3}, np::dims{1, 2}})
    p.catches("axes " + axes.str(), [&] { p.show("sum", f(x, axes)); });
}

PROGRAM(self_operations) {
  auto f = p.compile([](np::array x) {
    x += x;
    x *= x(np::slice(np::none, np::none, -1));
    auto& same = x;
    x = same;
    x -= x(np::slice(0, 1));
    x(np::_) = x;
    swap(x, x);
    return x / (x + 1.5);
  });
  auto x = wave(5);
  p.show("y", f(x));
  p.show("x", x);
}

PROGRAM(functions_without_arguments_or_operations) {
  auto constants = p.compile([] { return std::pair(np::arange(3) * 2, np::eye(2)); });
  auto nothing = p.compile([] {});
  auto number = p.compile([] { return 3; });
  auto passes = p.compile([](np::array x) { return x; });
  auto makes = p.compile([] { return np::zeros(2); });
  for (int i = 0; i < 2; ++i) {
    auto [a, b] = constants();
    a += 1;
    p.show("a", a);
    p.show("b", b);
    nothing();
    p.show("number", number());
    auto z = makes();
    z += 3;
    p.show("z", passes(z));
  }
}

PROGRAM(results_thrown_away) {
  auto f = p.compile([](np::array x) {
    x += 1;
    return std::tuple(x * 2, np::sum(x), x);
  });
  auto x = ramp(3);
  for (int i = 0; i < 3; ++i) f(x);
  p.show("x", x);
  p.show("again", f(x));
}

PROGRAM(temporary_chain_of_views_and_stores) {
  auto f = p.compile([](const np::array& x) {
    auto board = np::zeros({4, 4});
    board(1)(np::slice(1, 3)) = x;
    board.T()(2)(np::slice(0, 2)) += x * 10;
    np::diagonal(board).copy() += 5;
    board.reshape(2, 2, 4)(1)(0)(np::slice(np::none, np::none, 3)) = -1.0;
    auto row = board(1);
    row.reshape(2, 2)(0) = row.reshape(2, 2)(1) + 0.5;
    return board;
  });
  p.show("board", f(ramp(2) + 1));
}

PROGRAM(empty_selections_and_slices) {
  auto f = p.compile([](np::array x) {
    x(np::slice(3, 1)) = 5.0;
    x(np::slice(0, 0)) += 1;
    x(x > 1000) = -1.0;
    auto none = x(np::slice(100, np::none)) * 2;
    return std::tuple(none, np::sum(none), np::concatenate({none, x}), np::prod(none));
  });
  auto x = ramp(4);
  p.show("all", f(x));
  p.show("x", x);
}

PROGRAM(recompile_limit_falls_back_quietly) {
  np::config_scope scope({.recompile_limit = 2});
  auto f = p.compile([](np::array x) {
    x += 1;
    return x * 2;
  });
  np::set_log_sink([](std::string_view) {});
  for (auto type : {np::float64, np::float32, np::int32, np::int16, np::uint8, np::float64}) {
    auto x = np::arange(3).astype(type);
    p.show("y", f(x));
    p.show("x", x);
  }
  np::set_log_sink({});
}

PROGRAM(few_segments_are_kept) {
  np::config_scope scope({.segment_limit = 2});
  auto f = p.compile([](const np::array& x, int path) {
    auto y = x + 1;
    if (path & 1) y = y * 2;
    if (path & 2) y = y - 3;
    if (bool(np::sum(y) > 2)) y = y + path;
    if (path & 4) y = np::abs(y);
    return y;
  });
  for (int path : {0, 1, 2, 3, 4, 5, 6, 7, 0, 3, 5}) p.show("y", f(wave(3), path));
}

PROGRAM(settings_change_between_calls) {
  auto f = p.compile([](np::array x) {
    x += 1;
    return np::sum(x * x);
  });
  auto x = wave(5);
  p.show("y", f(x));
  {
    np::config_scope scope({.disable = true});
    p.show("disabled", f(x));
  }
  {
    np::config_scope scope({.threads = 1});
    p.show("one thread", f(x));
  }
  {
    np::config_scope scope({.compile = np::compile_mode::async});
    p.show("async", f(x));
  }
  {
    np::disable_scope off;
    p.show("scope", f(x));
  }
  p.show("y", f(x));
  p.show("x", x);
}
