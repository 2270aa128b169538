// Programs whose sizes, ranks and dtypes change from call to call, through 0 and 1, and shapes that depend on data.
#include "harness.h"

#define SUITE Sizes

using meaning::ramp;
using meaning::wave;
namespace np = numjit;

PROGRAM(through_zero_and_one) {
  auto f = p.compile([](const np::array& x, const np::array& y) { return std::pair(x * y + 1, np::sum(x + y)); });
  for (int n : {4, 1, 0, 3, 0, 1, 1, 5}) p.show("same", f(wave(n), ramp(n)));
  for (int n : {4, 1, 0, 1, 6}) p.show("against one", f(wave(n), ramp(1)));
  for (int n : {1, 3, 0}) p.show("one against", f(ramp(1), wave(n)));
}

PROGRAM(matrices_through_zero_and_one) {
  auto f = p.compile([](const np::array& m) {
    return std::tuple(np::sum(m, {.axis = 0}), np::sum(m, {.axis = 1, .keepdims = true}), m - np::sum(m, {.axis = 0}),
                      m.T() * 2);
  });
  for (int rows : {3, 1, 0, 2})
    for (int columns : {2, 1, 0, 4}) p.show("m", f(wave(rows * columns).reshape(rows, columns)));
}

PROGRAM(in_place_through_zero_and_one) {
  auto f = p.compile([](np::array x) {
    x(np::slice(1, np::none)) += x(np::slice(np::none, -1)).copy();
    x *= 2;
    x(np::slice(np::none, 1)) = -1.0;
  });
  for (int n : {5, 0, 1, 2, 1, 0, 7}) {
    auto x = ramp(n);
    f(x);
    p.show("x", x);
  }
}

PROGRAM(many_sizes_few_graphs) {
  if (p.records()) np::reset();
  auto f = p.compile([](const np::array& x) { return np::sqrt(x * x + 1) - np::mean(x); });
  double checksum = 0;
  for (int n = 2; n < 120; ++n) checksum += np::sum(f(wave(n))).item<double>();
  p.show("checksum", checksum);
  if (p.records()) p.check(np::counters().graphs <= 2, "at most two graphs");
}

PROGRAM(ranks_change) {
  auto f = p.compile([](const np::array& x) { return np::exp(x * -0.5) + np::max(x); });
  for (auto x : {np::array(2.0), ramp(4), ramp(4).reshape(2, 2), ramp(8).reshape(2, 2, 2), np::array(1.0), ramp(3)})
    p.show("y", f(x));
}

PROGRAM(dtypes_change) {
  auto f = p.compile([](const np::array& x) { return (x + x) * 2 + 1; });
  for (auto type : {np::float64, np::float32, np::int64, np::uint8, np::float64, np::complex64, np::int16, np::float16,
                    np::int8, np::uint32, np::complex128, np::float32})
    p.show(std::string(type.name()), f(np::arange(5).astype(type)));
}

PROGRAM(dtypes_of_two_arguments) {
  auto f = p.compile([](const np::array& x, const np::array& y) {
    return std::tuple(x + y, x / (y + 1), x > y, np::maximum(x, y));
  });
  const np::dtype types[] = {np::int32, np::float32, np::uint8};
  for (auto a : types)
    for (auto b : types) p.show("all", f(np::arange(4).astype(a), (np::arange(4) * 2).astype(b)));
}

PROGRAM(dtype_changes_inside) {
  auto f = p.compile([](np::array x) {
    x = x + 1;
    x = x / 2;
    x = x.astype(np::float32) * 3;
    x = x.astype(np::int16) << 1;
    return x > 4;
  });
  p.show("y", f(np::arange(6)));
  p.show("y", f(np::arange(6).astype(np::uint8)));
}

PROGRAM(axis_arrives_as_argument) {
  auto f = p.compile([](const np::array& x, int axis, bool keep) {
    return np::sum(x * 2, {.axis = axis, .keepdims = keep});
  });
  auto x = wave(24).reshape(2, 3, 4);
  for (int axis : {0, 1, 2, -1, 0, -3}) p.show("sum", f(x, axis, axis > 0));
}

PROGRAM(slice_bounds_arrive_as_arguments) {
  auto f = p.compile([](const np::array& x, int start, int stop, int step) {
    auto y = x * 2;
    return y(np::slice(start, stop, step)) + 1;
  });
  p.show("a", f(ramp(9), 0, 9, 1));
  p.show("b", f(ramp(9), 2, 7, 2));
  p.show("c", f(ramp(9), -1, 0, -1));
  p.show("d", f(ramp(9), 5, 5, 1));
  p.show("e", f(ramp(9), 8, 2, -3));
  p.show("f", f(ramp(9), -100, 100, 4));
  p.show("g", f(ramp(1), 0, 9, 1));
  p.catches("zero", [&] { f(ramp(9), 0, 9, 0); });
}

PROGRAM(window_moves_over_an_array) {
  auto f = p.compile([](const np::array& x, int at) {
    auto window = x(np::slice(at, at + 3));
    window += 10;
    return np::sum(window);
  });
  auto x = ramp(8);
  for (int at = 0; at < 8; ++at) p.show("sum", f(x, at));
  p.show("x", x);
}

PROGRAM(created_sizes_change) {
  auto f = p.compile([](int n, double value) {
    auto a = np::zeros(n), b = np::full(n, value), c = np::arange(n), d = np::eye(n);
    a += b;
    return std::tuple(a + c, np::matmul(d, b), np::linspace(0, value, n));
  });
  for (int n : {3, 1, 0, 4, 2}) p.show("all", f(n, n * 0.5));
}

PROGRAM(ranges_change) {
  auto f = p.compile([](int start, int stop, int step) { return np::arange(start, stop, step) * 2; });
  p.show("a", f(0, 5, 1));
  p.show("b", f(5, 0, -2));
  p.show("c", f(0, 5, -1));
  p.show("d", f(3, 4, 10));
  p.catches("zero", [&] { p.show("e", f(0, 5, 0)); });
  auto g = p.compile([](double start, double stop, double step) { return np::arange(start, stop, step) + 1; });
  p.show("g", g(0, 1, 0.25));
  p.show("h", g(0, 1, 0.3));
}

PROGRAM(reshape_follows_the_size) {
  auto f = p.compile([](const np::array& x, int columns) {
    auto t = (x + 1).reshape(-1, columns);
    return np::sum(t, {.axis = 0}) * t.shape(0);
  });
  p.show("a", f(ramp(12), 3));
  p.show("b", f(ramp(12), 4));
  p.show("c", f(ramp(12), 12));
  p.show("d", f(ramp(12), 1));
  p.show("e", f(ramp(20), 5));
}

PROGRAM(mask_selection) {
  auto f = p.compile([](const np::array& x, double limit) {
    auto y = x * 2;
    np::array big = y(y > limit);
    return std::tuple(big, np::sum(big), y(y <= limit) + 1);
  });
  for (double limit : {0.0, 100.0, -100.0, 3.0}) p.show("all", f(wave(9), limit));
  p.show("empty", f(ramp(0), 1));
}

PROGRAM(nonzero_unique_and_compress) {
  auto f = p.compile([](const np::array& x) {
    auto y = np::floor(x);
    auto places = np::nonzero(y > 0);
    auto distinct = np::unique(y);
    return std::tuple(places, distinct, np::compress(y > 1, x), np::argwhere(y > 1), distinct * 2,
                      np::count_nonzero(y));
  });
  p.show("wave", f(wave(10)));
  p.show("zeros", f(np::zeros(4)));
  p.show("empty", f(np::zeros(0)));
}

PROGRAM(selected_values_are_scattered_back) {
  auto f = p.compile([](np::array x) {
    auto where = np::flatnonzero(x < 0);
    x(where) = x(where) * -10;
    return where.size();
  });
  for (int n : {6, 3, 0}) {
    auto x = wave(n);
    p.show("count", f(x));
    p.show("x", x);
  }
}

PROGRAM(shape_decides_the_path) {
  auto f = p.compile([&](const np::array& x) {
    if (x.ndim() == 0) return x + 100;
    if (x.shape(0) > 3) {
      p.out << "long\n";
      return np::sum(x, {.axis = 0});
    }
    auto y = x;
    for (std::int64_t i = 0; i < x.shape(0); ++i) y = y + i;
    return y;
  });
  for (int n : {2, 4, 3, 9, 1, 0}) p.show("y", f(ramp(n)));
  p.show("scalar", f(np::array(1.0)));
}

PROGRAM(padding_and_tiling_change) {
  auto f = p.compile([](const np::array& x, int n) {
    return std::tuple(np::pad(x, n), np::tile(x, n), np::repeat(x * 2, n), np::roll(x, n));
  });
  for (int n : {1, 2, 0, 3}) p.show("all", f(ramp(3), n));
}

PROGRAM(growing_problem_with_state) {
  np::array state = np::zeros(1);
  auto f = p.compile([&](const np::array& x) {
    state = np::concatenate({state, x * 2});
    state -= np::mean(state);
    return state.size();
  });
  for (int n : {1, 2, 0, 3, 1}) p.show("size", f(ramp(n)));
  p.show("state", state);
}

PROGRAM(broadcast_pattern_changes) {
  auto f = p.compile([](const np::array& a, const np::array& b, const np::array& c) { return a * b + c; });
  p.show("a", f(wave(6).reshape(2, 3), wave(3), np::array(1.0)));
  p.show("b", f(wave(3), wave(2).reshape(2, 1), wave(6).reshape(2, 3)));
  p.show("c", f(wave(2).reshape(2, 1), wave(3).reshape(1, 3), wave(3)));
  p.show("d", f(wave(4).reshape(4, 1), wave(1).reshape(1, 1), wave(4).reshape(4, 1)));
  p.show("e", f(np::array(2.0), np::array(3.0), np::array(4.0)));
  p.catches("f", [&] { f(wave(3), wave(2), wave(1)); });
  p.show("a", f(wave(6).reshape(2, 3), wave(3), np::array(1.0)));
}

PROGRAM(beyond_one_chunk) {
  auto f = p.compile([](const np::array& x) { return std::tuple(np::sum(x * x), np::mean(x), np::cumsum(x)); });
  for (int n : {10, 1024, 1025, 3000}) p.show("all", f(wave(n)));
}
