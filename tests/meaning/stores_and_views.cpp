// Programs that write in place: slices, steps, masks, index arrays, out=, where=, views of pending values.
#include "harness.h"

#define SUITE StoresAndViews

using meaning::ramp;
using meaning::wave;
namespace np = numjit;

PROGRAM(slices_with_steps_both_ways) {
  auto f = p.compile([](np::array x) {
    x(np::slice(np::none, np::none, 2)) = x(np::slice(np::none, np::none, -2)) + 100;
    x(np::slice(-2, 0, -3)) *= -1;
    x(np::slice(1, 4)) = x(np::slice(2, 5));
    return x(np::slice(np::none, np::none, -1));
  });
  auto x = ramp(9);
  auto y = f(x);
  p.show("y", y);
  p.show("x", x);
  p.shared("x, y", x, y);
}

PROGRAM(shift_onto_itself) {
  auto f = p.compile([](const np::array& x) {
    x(np::slice(1, np::none)) = x(np::slice(np::none, -1));
    x(np::slice(np::none, -1)) = x(np::slice(1, np::none));
    x(np::_) = x(np::slice(np::none, np::none, -1));
  });
  auto x = wave(8 + p.round);
  f(x);
  p.show("x", x);
}

PROGRAM(matrix_plus_its_transpose_in_place) {
  auto f = p.compile([](np::array m) {
    m += m.T();
    auto before = m.copy();
    m(np::_) = m.T() * 2;
    m(0) = m(np::_, 1);
    m(np::_, -1) += m(0, np::_);
    return before;
  });
  auto m = wave(9).reshape(3, 3);
  p.show("before", f(m));
  p.show("m", m);
}

PROGRAM(one_row_onto_all_rows) {
  auto f = p.compile([](np::array m, int row) {
    m(np::_) = m(row);
    m(np::slice(1, np::none)) += m(0);
    m -= m(0);
  });
  auto m = ramp(12).reshape(4, 3);
  f(m, p.round);
  p.show("m", m);
}

PROGRAM(store_casts_to_the_target) {
  auto f = p.compile([](np::array x) {
    x(np::slice(0, 2)) = 2.9;
    x(np::slice(2, 4)) = np::array{-3.7, 1e3};
    x(4) = true;
    x(5) = np::array(260, {.dtype = np::int16});
    return x + 0.5;
  });
  for (auto type : {np::int32, np::float32, np::int8, np::bool_}) {
    auto x = np::zeros(6, type);
    p.show("y", f(x));
    p.show("x", x);
  }
}

PROGRAM(in_place_operators) {
  auto f = p.compile([](np::array x, const np::array& y) {
    x += y;
    x *= 2;
    x -= y * 0.5;
    x /= 4.0;
    x %= 3.0;
    return x;
  });
  auto x = ramp(6), y = f(x, wave(6));
  p.show("x", x);
  p.shared("x, y", x, y);
  auto g = p.compile([](np::array n) {
    n <<= 2;
    n |= 1;
    n ^= 12;
    n &= 30;
    n >>= 1;
  });
  auto n = np::arange(8);
  g(n);
  p.show("n", n);
}

PROGRAM(in_place_on_a_slice_keeps_the_rest) {
  auto f = p.compile([](const np::array& x) {
    x(np::slice(1, -1)) += 10;
    x(np::slice(1, -1)) *= x(np::slice(2, np::none));
    x(0) -= 1;
    x(-1) /= 2.0;
  });
  auto x = ramp(6 + p.round);
  f(x);
  p.show("x", x);
}

PROGRAM(masked_stores) {
  auto f = p.compile([](np::array x) {
    x(x > 3) = 0.0;
    x(x < -1) *= -1;
    x((x > 0.5) & (x < 2)) = np::array(9.0);
    auto mask = np::isnan(x);
    x(mask) = -1.0;
    x(~mask) += 0.25;
    return np::sum(x);
  });
  auto x = wave(12) * 2;
  x(3) = np::nan;
  p.show("sum", f(x));
  p.show("x", x);
  p.explain(f, [&](const np::explain_report& r) { p.equal(r.graph_break_count, 0, "breaks"); }, wave(5));
}

PROGRAM(masked_store_of_selected_values) {
  auto f = p.compile([](np::array x, const np::array& y) {
    auto mask = x > y;
    x(mask) = y(mask) * 10;
    return x;
  });
  p.show("x", f(wave(8), wave(8, 2)));
  p.show("none", f(np::zeros(3), np::ones(3)));
  p.show("all", f(np::ones(3), np::zeros(3)));
}

PROGRAM(masked_rows) {
  auto f = p.compile([](np::array m) {
    auto big = np::sum(m, {.axis = 1}) > 5;
    m(big) = 0.0;
    m(~big) += 1;
    return big;
  });
  auto m = ramp(12).reshape(4, 3);
  p.show("big", f(m));
  p.show("m", m);
}

PROGRAM(mask_of_another_shape_is_an_error) {
  auto f = p.compile([&](np::array x, const np::array& mask) {
    x += 1;
    x(mask) = 7.0;
    x += 1;
  });
  auto x = ramp(4);
  p.catches("short mask", [&] { f(x, np::array{true, false}); });
  p.show("x", x);
  f(x, np::array{true, false, true, false});
  p.show("x", x);
}

PROGRAM(index_array_reads_and_stores) {
  auto f = p.compile([](np::array x, const np::array& rows) {
    auto picked = x(rows);
    x(rows) = picked * 10;
    x(np::array{0, 2}) += 0.5;
    return picked;
  });
  auto x = ramp(6);
  p.show("picked", f(x, np::array{4, 1, 1}));
  p.show("x", x);
  auto m = ramp(12).reshape(4, 3);
  p.show("picked", f(m, np::array{3, 0}));
  p.show("m", m);
}

PROGRAM(repeated_indices_count_once) {
  auto f = p.compile([](np::array x) { x(np::array{1, 1, 2, 1}) += np::array{1.0, 10.0, 100.0, 1000.0}; });
  auto x = np::zeros(4);
  f(x);
  p.show("x", x);
}

PROGRAM(index_out_of_bounds_caught_inside) {
  auto f = p.compile([&](np::array x, const np::array& rows) {
    x += 1;
    try {
      x(rows) = -5.0;
      p.out << "stored\n";
    } catch (const np::IndexError& e) {
      p.out << "caught " << e.what() << "\n";
    }
    x *= 2;
  });
  for (int index : {2, 7, -3, -9, 1}) {
    auto x = ramp(3);
    f(x, np::array{0, index});
    p.show("x", x);
  }
}

PROGRAM(integer_index_out_of_bounds) {
  auto f = p.compile([&](const np::array& x, int i) {
    auto y = x * 2;
    auto element = y(i);
    y(i) = -1.0;
    return std::pair(y, element + 1);
  });
  p.show("in", f(ramp(4), 3));
  p.catches("out", [&] { f(ramp(4), 4); });
  p.show("negative", f(ramp(4), -4));
  p.catches("too negative", [&] { f(ramp(4), -5); });
  p.catches("shorter array", [&] { f(ramp(2), 3); });
}

PROGRAM(element_view_follows_its_array) {
  auto f = p.compile([](const np::array& x) {
    auto t = x * 1;
    auto first = t(0);
    t += 5;
    auto after = first + 0;
    first *= 100;
    return std::tuple(t, first, after);
  });
  p.show("all", f(ramp(3) + 1));
}

PROGRAM(copy_does_not_follow) {
  auto f = p.compile([](np::array x) {
    auto c = x.copy();
    auto d = x + 0;
    x *= -1;
    c(0) = 50.0;
    return std::tuple(c, d, x);
  });
  auto x = ramp(4);
  p.show("all", f(x));
  p.show("x", x);
}

PROGRAM(out_argument) {
  auto f = p.compile([](const np::array& a, const np::array& b, np::array out) {
    auto r = np::multiply(a, b, {.out = out});
    np::add(r, 1, {.out = out});
    np::sqrt(np::abs(out), {.out = out});
    return r;
  });
  auto out = np::zeros(5);
  auto r = f(ramp(5), wave(5), out);
  p.show("out", out);
  p.shared("r, out", r, out);
}

PROGRAM(out_is_an_input) {
  auto f = p.compile([](np::array x, np::array y) {
    np::add(x, y, {.out = x});
    np::subtract(y, x, {.out = y});
    np::multiply(x(np::slice(1, np::none)), y(np::slice(np::none, -1)), {.out = x(np::slice(np::none, -1))});
  });
  auto x = ramp(6), y = wave(6);
  f(x, y);
  p.show("x", x);
  p.show("y", y);
}

PROGRAM(out_of_reductions) {
  auto f = p.compile([](const np::array& m, np::array sums, np::array flags) {
    np::sum(m, {.axis = 0, .out = sums});
    np::any(m > 4, {.axis = 0, .out = flags});
    np::max(m, {.axis = 0, .out = sums(np::slice(np::none, np::none, -1))});
    return sums * 2;
  });
  auto sums = np::zeros(3), flags = np::zeros(3, np::bool_);
  p.show("y", f(ramp(6).reshape(2, 3), sums, flags));
  p.show("sums", sums);
  p.show("flags", flags);
}

PROGRAM(out_that_does_not_fit) {
  auto f = p.compile([](np::array x, np::array out) {
    x += 1;
    np::add(x, 0.5, {.out = out});
    x += 1;
  });
  auto x = ramp(3);
  p.catches("integer out", [&] { f(x, np::zeros(3, np::int64)); });
  p.show("x", x);
  p.catches("short out", [&] { f(x, np::zeros(2)); });
  p.show("x", x);
  auto wide = np::zeros({2, 3});
  f(x, wide);
  p.show("wide", wide);
  auto single = np::zeros(3, np::float32);
  f(x, single);
  p.show("single", single);
}

PROGRAM(where_argument) {
  auto f = p.compile([](const np::array& x, const np::array& mask, np::array out) {
    np::divide(1.0, x, {.out = out, .where = mask});
    np::negative(out, {.out = out, .where = x > 2});
    return np::sum(x, {.initial = 100.0, .where = mask});
  });
  auto out = np::full(5, 7.0);
  p.show("sum", f(ramp(5), ramp(5) > 0, out));
  p.show("out", out);
}

PROGRAM(copyto_put_and_fill) {
  auto f = p.compile([](np::array x) {
    np::copyto(x, x * 2, x > 1);
    np::put(x, np::array{0, 3}, np::array{-1.0, -2.0});
    x(np::slice(4, np::none)).fill(8);
    return x.reshape(2, 3);
  });
  auto x = ramp(6);
  auto y = f(x);
  p.show("x", x);
  p.shared("x, y", x, y);
}

PROGRAM(views_of_views_of_a_pending_value) {
  auto f = p.compile([](const np::array& x) {
    auto t = x.reshape(4, 6) + 0.5;
    auto a = t(np::slice(1, np::none));
    auto b = a.T();
    auto c = b(np::slice(np::none, np::none, -2), np::newaxis);
    auto d = c(np::ellipsis, 0);
    d *= 2;
    a(0) = -1.0;
    return std::tuple(t, b, c, d);
  });
  auto [t, b, c, d] = f(ramp(24));
  p.show("t", t);
  p.show("b", b);
  p.show("c", c);
  p.show("d", d);
  p.shared("t, c", t, c);
  d(0, 0) = 1e6;
  p.show("t", t);
}

PROGRAM(view_outlives_its_pending_base) {
  np::array kept;
  auto f = p.compile([&](const np::array& x) {
    auto t = x + 1;
    kept = t(np::slice(1, 3));
    t *= 3;
    return np::sum(t);
  });
  p.show("sum", f(ramp(5)));
  p.show("kept", kept);
  kept += 1;
  p.show("sum", f(ramp(4)));
  p.show("kept", kept);
}

PROGRAM(reshape_is_a_view_or_a_copy) {
  auto f = p.compile([](const np::array& x) {
    auto flat = x.reshape(-1);
    flat += 100;
    auto ravelled = x.ravel();
    ravelled(0) = -7.0;
    return std::pair(flat, ravelled);
  });
  for (auto x : {ramp(6).reshape(2, 3), ramp(6).reshape(3, 2).T(), ramp(12).reshape(2, 6)(np::_, np::slice(0, 6, 2)),
                 ramp(6).reshape(2, 3)}) {
    auto [flat, ravelled] = f(x);
    p.show("x", x);
    p.show("flat", flat);
    p.shared("x, flat", x, flat);
    p.shared("x, ravelled", x, ravelled);
  }
}

PROGRAM(diagonal_and_broadcast_views_are_read_only) {
  auto f = p.compile([&](const np::array& x) {
    auto t = x * 2;
    auto wide = np::broadcast_to(t(0), {2, 3});
    auto diagonal = np::diagonal(t);
    p.catches("wide", [&] { wide(0) = 1.0; });
    p.catches("diagonal", [&] { diagonal(np::_) = 1.0; });
    p.catches("in place", [&] { wide += 1; });
    p.catches("out", [&] { np::add(wide, 1, {.out = wide}); });
    t += 1;
    return std::tuple(wide, diagonal, t);
  });
  auto [wide, diagonal, t] = f(ramp(9).reshape(3, 3));
  p.show("wide", wide);
  p.show("diagonal", diagonal);
  p.show("t", t);
  p.catches("outside", [&wide = wide] { wide(0, 0) = 2.0; });
}

PROGRAM(parts_of_a_complex_array) {
  auto f = p.compile([](np::array z) {
    auto re = np::real(z), im = np::imag(z);
    re += 1;
    im *= 2;
    auto w = z * z;
    np::imag(w)(np::slice(0, 2)) = 0.0;
    return std::pair(w, np::abs(z));
  });
  auto z = wave(4) + wave(4, 1) * std::complex<double>(0, 1);
  p.show("w", f(z));
  p.show("z", z);
}

PROGRAM(store_of_a_shape_that_does_not_broadcast) {
  auto f = p.compile([&](np::array x, const np::array& y) {
    x(0) = 5.0;
    x(np::slice(1, 3)) = y;
    x(0) = 6.0;
  });
  auto x = ramp(4);
  p.catches("too long", [&] { f(x, ramp(3)); });
  p.show("x", x);
  p.catches("two rows", [&] { f(x, np::ones({2, 2})); });
  p.show("x", x);
  f(x, np::ones({1, 2}));
  p.show("x", x);
  p.catches("in place grows", [&] { x += np::ones({2, 4}); });
}

PROGRAM(store_into_zeros_row_by_row) {
  auto f = p.compile([](const np::array& x, int rows) {
    auto table = np::zeros({rows, x.size()});
    table(0) = x;
    for (int i = 1; i < rows; ++i) {
      table(i) = table(i - 1) * 0.5;
      table(i, 0) = static_cast<double>(i);
    }
    return table;
  });
  p.show("table", f(wave(4), 5));
  p.show("table", f(wave(3), 2 + p.round));
}

PROGRAM(element_by_element) {
  auto f = p.compile([](int n) {
    auto x = np::zeros(n);
    x(0) = 1.0;
    x(1) = 1.0;
    for (int i = 2; i < n; ++i) x(i) = x(i - 1) + x(i - 2);
    return x;
  });
  p.show("fibonacci", f(12));
  p.show("fibonacci", f(5 + p.round));
}

PROGRAM(prefix_sums_in_place) {
  auto f = p.compile([](np::array x) {
    for (std::int64_t step = 1; step < x.size(); step *= 2)
      x(np::slice(step, np::none)) += x(np::slice(np::none, -step)).copy();
    return x;
  });
  p.show("sums", f(wave(13)));
  p.show("sums", f(ramp(4)));
}

PROGRAM(store_then_reduce_then_store) {
  auto f = p.compile([](np::array x) {
    x(0) = 10.0;
    auto mean = np::mean(x);
    x -= mean;
    x(-1) = mean;
    auto largest = np::max(x);
    x /= largest;
    return std::pair(mean, largest);
  });
  auto x = wave(7);
  p.show("statistics", f(x));
  p.show("x", x);
}

PROGRAM(old_value_is_read_through_a_name) {
  auto f = p.compile([](np::array x) {
    auto before = x * 2, alias = x;
    x += 1;
    auto between = alias + before;
    alias *= 3;
    return std::tuple(before, between, x - alias);
  });
  auto x = wave(5);
  p.show("all", f(x));
  p.show("x", x);
}

PROGRAM(sliding_windows) {
  auto f = p.compile([](np::array x) {
    auto windows = np::lib::sliding_window_view(x, {3});
    auto means = np::mean(windows, {.axis = -1});
    x += 1;
    return std::pair(means, np::sum(windows, {.axis = 0}));
  });
  auto x = wave(9);
  p.show("both", f(x));
  p.show("x", x);
}

PROGRAM(swapaxes_and_moveaxis_stores) {
  auto f = p.compile([](np::array x) {
    np::swapaxes(x, 0, 2)(0) = -1.0;
    np::moveaxis(x, 0, -1)(1) *= 2;
    np::squeeze(np::expand_dims(x, 1)) += 0.5;
    np::flip(x, 1)(np::_, 0) += 100;
    return np::transpose(x, {1, 2, 0});
  });
  auto x = ramp(24).reshape(2, 3, 4);
  auto y = f(x);
  p.show("x", x);
  p.show("y", y);
  p.shared("x, y", x, y);
}
