// Programs whose C++ numbers change from call to call: kinds, ranges, signs of zero, 0-D arrays, values read back.
#include "harness.h"

#include <limits>

#define SUITE Scalars

using meaning::ramp;
using meaning::wave;
namespace np = numjit;

PROGRAM(numbers_change_graph_does_not) {
  if (p.records()) np::reset();
  auto f = p.compile([](const np::array& x, double a, int n) { return x * a + n - a / (x + 1.5); });
  for (int i = 0; i < 20; ++i) p.show("y", f(ramp(3), 0.3 * i, i - 7));
  if (p.records()) p.equal(np::counters().graphs, 1u, "graphs");
}

PROGRAM(kinds_of_numbers) {
  auto f = p.compile([](const np::array& x, auto n) { return std::pair(x + n, n * x); });
  for (auto type : {np::float32, np::int16, np::bool_, np::uint8}) {
    auto x = np::arange(3).astype(type);
    p.show("int", f(x, 2));
    p.show("double", f(x, 2.5));
    p.show("float", f(x, 2.5f));
    p.show("bool", f(x, true));
    p.show("complex", f(x, std::complex<double>(1, 2)));
    p.show("unsigned", f(x, 3u));
    p.show("int", f(x, 100));
  }
}

PROGRAM(zeros_nans_and_infinities) {
  auto f = p.compile([](const np::array& x, double a) {
    return std::tuple(x * a, x / a, np::copysign(x, a), np::maximum(x, a), np::minimum(x, a), x == a);
  });
  const double inf = std::numeric_limits<double>::infinity();
  for (double a : {0.0, -0.0, 1.0, np::nan, inf, -inf, 5e-324, 1e308}) p.show("all", f(np::array{1.0, 0.0, -2.0}, a));
}

PROGRAM(exponents_change) {
  auto f = p.compile([](const np::array& x, auto n) { return np::power(x, n) + 1; });
  auto x = wave(5);
  for (double n : {2.0, 0.5, -1.0, 1.0, 3.0, 0.0, 2.5, -0.5, 2.0}) p.show("double", f(x, n));
  for (int n : {2, -1, 1, 3, 0, 5, 2}) p.show("int", f(x, n));
  for (int n : {2, 1, 3, 0, 5, 2}) p.show("integers", f(np::arange(5), n));
}

PROGRAM(integer_division_and_shifts) {
  auto f = p.compile([](const np::array& x, int n) {
    return std::tuple(np::floor_divide(x, n), x % n, x << (n & 7), x >> (n & 7), np::gcd(x, n));
  });
  for (int n : {3, -3, 1, 0, 7, -1}) p.show("int64", f(np::arange(-4, 5), n));
  for (int n : {3, 1, 0, 7}) p.show("uint8", f((np::arange(9) * 28).astype(np::uint8), n));
}

PROGRAM(extreme_integers) {
  const auto lowest = std::numeric_limits<std::int64_t>::min();
  const auto highest = std::numeric_limits<std::int64_t>::max();
  auto f = p.compile([](const np::array& x, std::int64_t n) { return std::tuple(x + n, x * n, x < n, -x, np::abs(x)); });
  auto x = np::array{0, 1, -1};
  x(1) = lowest;
  x(2) = highest;
  for (auto n : {std::int64_t{1}, lowest, highest, std::int64_t{-1}}) p.show("all", f(x, n));
  auto g = p.compile([](const np::array& u, std::uint64_t n) { return std::tuple(u + n, u > n, u ^ n); });
  auto u = np::arange(3).astype(np::uint64);
  for (std::uint64_t n : {std::uint64_t{1}, std::uint64_t{0xffffffffffffffff}, std::uint64_t{1} << 63})
    p.show("uint64", g(u, n));
}

PROGRAM(number_out_of_range_for_a_comparison) {
  auto f = p.compile([](const np::array& x, std::int64_t n) { return std::tuple(x < n, x == n, n >= x); });
  for (std::int64_t n : {5, 300, -1, 255, 256, 5}) p.show("uint8", f(np::array{0, 5, 255}.astype(np::uint8), n));
  for (std::int64_t n : {5, 128, -129, -128}) p.show("int8", f(np::array{0, 5, -128}.astype(np::int8), n));
}

PROGRAM(value_read_and_used_as_number) {
  auto f = p.compile([&](const np::array& x) {
    const double largest = np::max(np::abs(x)).item<double>();
    p.out << (largest > 2 ? "large\n" : "small\n");
    auto y = x / largest;
    const auto count = static_cast<int>(np::sum(y > 0).item<std::int64_t>());
    return y * count;
  });
  p.show("y", f(wave(6)));
  p.show("y", f(wave(6) * 0.1));
  p.show("y", f(wave(9)));
}

PROGRAM(zero_dimensional_results_as_operands) {
  auto f = p.compile([](const np::array& x) {
    auto total = np::sum(x), mean = total / x.size(), centre = x - mean;
    auto scale = np::sqrt(np::sum(centre * centre) / (x.size() - 1));
    return std::tuple(centre / scale, total, scale, mean + total);
  });
  p.show("all", f(wave(7)));
  p.show("single", f(wave(7).astype(np::float32)));
  p.explain(f, [&](const np::explain_report& r) { p.equal(r.graph_break_count, 0, "breaks"); }, wave(7));
}

PROGRAM(zero_dimensional_arguments) {
  auto f = p.compile([](const np::array& x, const np::array& a) { return std::pair(x * a + 1, a * 2); });
  p.show("float64", f(ramp(3).astype(np::float32), np::array(2.5)));
  p.show("float32", f(ramp(3).astype(np::float32), np::array(2.5, {.dtype = np::float32})));
  p.show("int", f(ramp(3).astype(np::float32), np::array(2)));
  p.show("both", f(np::array(1.5), np::array(2)));
  p.show("empty", f(ramp(0), np::array(2)));
}

PROGRAM(zero_dimensional_target) {
  auto f = p.compile([](np::array total, const np::array& x) {
    total += np::sum(x);
    total *= 2;
    total(np::ellipsis) = total - 1;
    return total;
  });
  auto total = np::array(0.0);
  for (int i = 0; i < 3; ++i) f(total, wave(4, i));
  p.show("total", total);
  p.catches("grows", [&] { total += np::ones(2); });
}

PROGRAM(weak_numbers_keep_narrow_dtypes) {
  auto f = p.compile([](const np::array& x, double a, int n) {
    return std::tuple(x * a, x + n, np::where(x > n, x, a), np::clip(x, n, 3), np::maximum(x, n), x * np::sum(x));
  });
  for (auto type : {np::float32, np::float16, np::int8, np::uint16}) p.show("all", f(np::arange(4).astype(type), 0.1, 1));
}

PROGRAM(bounds_of_clip_change) {
  auto f = p.compile([](const np::array& x, double low, double high) { return np::clip(x * 2, low, high) + 1; });
  for (double low : {-1.0, 0.5, 4.0}) p.show("y", f(wave(6), low, 2));
  auto g = p.compile([](const np::array& x, const np::array& low) { return np::clip(x, low, np::max(x) / 2); });
  p.show("y", g(wave(6), wave(6, 1) / 2));
}

PROGRAM(choice_between_numbers_and_arrays) {
  auto f = p.compile([](const np::array& x, auto a, auto b) { return np::where(x > 0, a, b); });
  auto x = wave(5);
  p.show("numbers", f(x, 1, 2));
  p.show("other numbers", f(x, -1, 7));
  p.show("mixed", f(x, 1, 2.5));
  p.show("array and number", f(x, x, 0));
  p.show("number and array", f(x, 0, x));
  p.show("arrays", f(x, x * 2, x - 1));
}

PROGRAM(parameter_of_the_closure_changes) {
  double rate = 0.1;
  int power = 2;
  auto f = p.compile([&](const np::array& x) { return np::power(x, power) * rate; });
  for (int i = 0; i < 5; ++i) {
    p.show("y", f(wave(4)));
    rate *= 2;
    power = 1 + (power + 1) % 4;
  }
}

PROGRAM(counter_in_the_closure) {
  int calls = 0;
  auto f = p.compile([&](const np::array& x) {
    ++calls;
    return x + calls * 10 + calls % 3;
  });
  for (int i = 0; i < 7; ++i) p.show("y", f(ramp(2)));
  p.show("calls", calls);
}

PROGRAM(strings_and_enums_decide) {
  enum class Norm { one, two, largest };
  auto f = p.compile([](const np::array& x, Norm norm, const std::string& mode) {
    auto y = mode == "centred" ? x - np::mean(x) : x;
    switch (norm) {
      case Norm::one: return np::sum(np::abs(y));
      case Norm::two: return np::sqrt(np::sum(y * y));
      case Norm::largest: break;
    }
    return np::max(np::abs(y));
  });
  for (auto norm : {Norm::one, Norm::largest, Norm::two})
    for (const char* mode : {"centred", "plain"}) p.show("norm", f(wave(5), norm, mode));
}

PROGRAM(float16_and_float32_rounding) {
  auto f = p.compile([](const np::array& x) {
    auto y = x * x + x / 3 - 0.1;
    return std::tuple(y, np::sum(y), np::sqrt(np::abs(y)), np::exp(-np::abs(x)));
  });
  for (auto type : {np::float32, np::float16, np::float64}) p.show(std::string(type.name()), f(wave(9).astype(type)));
}

PROGRAM(casts_of_values_that_do_not_fit) {
  auto f = p.compile([](const np::array& x) {
    return std::tuple(x.astype(np::int32), x.astype(np::bool_), x.astype(np::float32), x.astype(np::complex64));
  });
  p.show("all", f(np::array{1.9, -1.9, 0.0, 1e9}));
  auto g =
      p.compile([](const np::array& n) { return std::tuple(n.astype(np::int8), n.astype(np::uint16), n.astype(np::float16)); });
  p.show("all", g(np::array{1, 255, 300, -1, 70000}));
}
