// float_mode = fast: results within the documented distance of the exact ones, special values kept.
#include <algorithm>
#include <bit>
#include <cmath>

#include <kernels/kernel_fixture.h>

namespace numjit::testing {
namespace {

class FastMath : public KernelTest {
 protected:
  static bool has_fma() { return __builtin_cpu_supports("fma"); }
};

/// Steps between neighbouring values from a to b; 0 for two NaNs.
template <class T>
double ulps_between(T a, T b) {
  if (a != a || b != b) return a != a && b != b ? 0 : 1e300;
  using I = std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>;
  auto line = [](T v) {
    const I bits = std::bit_cast<I>(v);
    return static_cast<double>(bits < 0 ? std::numeric_limits<I>::min() - bits : bits);
  };
  if (std::abs(line(a)) < 1e15 && std::abs(line(b)) < 1e15) return std::abs(line(a) - line(b));
  const I x = std::bit_cast<I>(a), y = std::bit_cast<I>(b);
  return (x < 0) == (y < 0) ? std::abs(static_cast<double>(x - y)) : 1e300;
}

/// Random values of many magnitudes between the special ones.
template <class T>
std::vector<T> samples(std::size_t n, unsigned seed) {
  using L = std::numeric_limits<T>;
  std::vector<T> v;
  for (T x : {T(0), L::denorm_min(), L::min(), T(0.5), T(1), T(2), L::max(), L::infinity(), L::quiet_NaN()})
    for (T sign : {T(1), T(-1)}) v.push_back(sign * x);
  std::mt19937_64 random(seed);
  while (v.size() < n) {
    const double unit = static_cast<double>(random() >> 11) * 0x1p-53 * 2 - 1;
    const int range = static_cast<int>(random() % 4);
    v.push_back(static_cast<T>(range == 0   ? unit
                               : range == 1 ? unit * 30
                               : range == 2 ? unit * 700
                                            : std::ldexp(unit, static_cast<int>(random() % 200) - 100)));
  }
  return v;
}

template <class T>
std::vector<T> run(const graph::KernelSpec& spec, const std::vector<std::vector<T>>& in, float_mode mode) {
  config_scope scope({.float_mode = mode});
  runtime::FusedCall call(spec);
  const dims shape{static_cast<std::int64_t>(in[0].size())}, step{static_cast<std::int64_t>(sizeof(T))};
  std::vector<T> out(in[0].size());
  Runner runner(shape);
  for (const auto& a : in) runner.raw(reinterpret_cast<char*>(const_cast<T*>(a.data())), step);
  EXPECT_TRUE(runner.raw(reinterpret_cast<char*>(out.data()), step).run(call));
  return out;
}

template <class T>
void check_fused() {
  SpecBuilder b;
  int x = b.operand(dtype_of<T>), y = b.operand(dtype_of<T>), z = b.operand(dtype_of<T>);
  int plus = b.op("add", b.op("multiply", x, y), z);
  auto spec = b.outputs({plus});
  auto difference = SpecBuilder();
  x = difference.operand(dtype_of<T>), y = difference.operand(dtype_of<T>), z = difference.operand(dtype_of<T>);
  auto minus = difference.outputs({difference.op("subtract", z, difference.op("multiply", x, y))});
  std::vector<std::vector<T>> in = {samples<T>(5000, 1), samples<T>(5000, 2), samples<T>(5000, 3)};
  std::shuffle(in[1].begin(), in[1].end(), std::mt19937_64(4));
  std::shuffle(in[2].begin(), in[2].end(), std::mt19937_64(5));
  const std::vector<T> sum = run<T>(spec, in, float_mode::fast), rest = run<T>(minus, in, float_mode::fast);
  const std::vector<T> exact = run<T>(spec, in, float_mode::exact);
  std::size_t differ = 0;
  for (std::size_t i = 0; i < sum.size(); ++i) {
    ASSERT_TRUE(same_bits(sum[i], std::fma(in[0][i], in[1][i], in[2][i]))) << i;
    ASSERT_TRUE(same_bits(rest[i], std::fma(-in[0][i], in[1][i], in[2][i]))) << i;
    ASSERT_TRUE(same_bits(exact[i], static_cast<T>(static_cast<T>(in[0][i] * in[1][i]) + in[2][i]))) << i;
    differ += !same_bits(sum[i], exact[i]);
  }
  EXPECT_GT(differ, 100u);
}

TEST_F(FastMath, ProductsAndSumsHaveOneRounding) {
  if (!has_fma()) GTEST_SKIP() << "no fused multiply-add here";
  check_fused<double>();
  check_fused<float>();
}

/// Largest distance between the two modes over the samples.
template <class T>
double distance_of(const char* op, int arity) {
  SpecBuilder b;
  int x = b.operand(dtype_of<T>), y = arity == 2 ? b.operand(dtype_of<T>) : -1;
  auto spec = b.outputs({b.op(op, x, y)});
  std::vector<std::vector<T>> in = {samples<T>(20000, 7)};
  if (arity == 2) in.push_back(samples<T>(20000, 8)), std::shuffle(in[1].begin(), in[1].end(), std::mt19937_64(9));
  const auto exact = run<T>(spec, in, float_mode::exact), fast = run<T>(spec, in, float_mode::fast);
  double most = 0;
  for (std::size_t i = 0; i < exact.size(); ++i) {
    const double d = ulps_between(exact[i], fast[i]);
    most = std::max(most, d);
    if (d > 4) {
      ADD_FAILURE() << op << "(" << in[0][i] << (arity == 2 ? ", " + std::to_string(in[1][i]) : "")
                    << "): exact " << exact[i] << ", fast " << fast[i] << ", " << d << " ulp";
      break;
    }
  }
  return most;
}

TEST_F(FastMath, FunctionsStayWithinFourUlpOfExact) {
  for (const char* op : {"exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "sin", "cos", "tan", "arcsin",
                         "arccos", "arctan", "sinh", "cosh", "tanh", "arcsinh", "arccosh", "arctanh", "sqrt", "cbrt"}) {
    const double wide = distance_of<double>(op, 1), narrow = distance_of<float>(op, 1);
    RecordProperty(op, std::to_string(wide) + " " + std::to_string(narrow));
  }
  for (const char* op : {"power", "arctan2", "hypot"}) {
    const double wide = distance_of<double>(op, 2), narrow = distance_of<float>(op, 2);
    RecordProperty(op, std::to_string(wide) + " " + std::to_string(narrow));
  }
}

TEST_F(FastMath, NansAndInfinitiesKeepTheirMeaning) {
  SpecBuilder b;
  int x = b.operand(dtype_id::float64), y = b.operand(dtype_id::float64);
  int value = b.op("add", b.op("multiply", x, y), x);
  auto spec = b.outputs({b.op("isnan", value), b.op("isfinite", value), b.op("signbit", value)});
  config_scope scope({.float_mode = float_mode::fast});
  runtime::FusedCall call(spec);
  const double inf = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
  double a[] = {1, nan, inf, -inf, 0, -0.0, inf, 1e308, -1e308}, c[] = {2, 1, 1, -1, nan, 1, 0, 10, 10};
  bool is_nan[9], finite[9], sign[9];
  ASSERT_TRUE(Runner({9})
                  .raw(reinterpret_cast<char*>(a), {8})
                  .raw(reinterpret_cast<char*>(c), {8})
                  .raw(reinterpret_cast<char*>(is_nan), {1})
                  .raw(reinterpret_cast<char*>(finite), {1})
                  .raw(reinterpret_cast<char*>(sign), {1})
                  .run(call));
  for (int i = 0; i < 9; ++i) {
    const double v = std::fma(a[i], c[i], a[i]);
    EXPECT_EQ(is_nan[i], std::isnan(v)) << i;
    EXPECT_EQ(finite[i], std::isfinite(v)) << i;
    if (!is_nan[i]) {
      EXPECT_EQ(sign[i], std::signbit(v)) << i;
    }
  }
}

TEST_F(FastMath, SumsOfProductsStayClose) {
  SpecBuilder b;
  int x = b.operand(dtype_id::float64), y = b.operand(dtype_id::float64);
  auto spec = b.outputs({b.reduce("sum", b.op("multiply", x, y))});
  const std::int64_t n = 100000;
  TestArray<double> p({n}, Layout::c, 1), q({n}, Layout::c, 2);
  double result[2], magnitude = 0;
  for (std::int64_t i = 0; i < n; ++i) magnitude += std::abs(p.at({i}) * q.at({i}));
  for (float_mode mode : {float_mode::exact, float_mode::fast}) {
    config_scope scope({.float_mode = mode});
    runtime::FusedCall call(spec);
    char* to = reinterpret_cast<char*>(&result[mode == float_mode::fast]);
    ASSERT_TRUE(Runner({n}).array(p).array(q).raw(to, {0}).reduced(0).run(call));
  }
  if (has_fma()) {
    EXPECT_NE(result[0], result[1]);
  }
  EXPECT_NEAR(result[0], result[1], 1e-15 * magnitude);
}

/// One FusedCall follows the setting from call to call, also where the caller promises the layout.
TEST_F(FastMath, TheModeIsPartOfThePlan) {
  if (!has_fma()) GTEST_SKIP() << "no fused multiply-add here";
  SpecBuilder b;
  int x = b.operand(dtype_id::float64);
  auto spec = b.outputs({b.op("subtract", b.op("multiply", x, x), x)});
  runtime::FusedCall call(spec);
  double v = 1.1, out = 0;
  const double exact = v * v - v, fast = std::fma(v, v, -v);
  ASSERT_NE(exact, fast);
  for (int round = 0; round < 3; ++round)
    for (float_mode mode : {float_mode::exact, float_mode::fast}) {
      config_scope scope({.float_mode = mode});
      ASSERT_TRUE(Runner({1})
                      .raw(reinterpret_cast<char*>(&v), {8})
                      .raw(reinterpret_cast<char*>(&out), {8})
                      .run(call, round == 0 && mode == float_mode::exact));
      EXPECT_EQ(out, mode == float_mode::fast ? fast : exact);
    }
}

}  // namespace
}  // namespace numjit::testing
