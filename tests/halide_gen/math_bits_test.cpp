// Every function of the math vocabulary, lowered by Halide for three instruction sets, against the
// scalar loop: the same bits (any NaN equals any NaN).
#include <cstring>
#include <map>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include <expr_value.h>
#include <numjit/ops/math/vocabulary.h>

namespace {

using namespace numjit;
using halide_gen::hx;

template <class T>
using storage = std::conditional_t<std::is_same_v<T, bool>, std::uint8_t, T>;

template <class T>
const std::vector<storage<T>>& interesting() {
  static const std::vector<storage<T>> values = [] {
    std::vector<storage<T>> v;
    if constexpr (std::is_same_v<T, bool>) {
      v = {0, 1};
    } else if constexpr (std::is_integral_v<T>) {
      using L = std::numeric_limits<T>;
      v = {T(0),
           T(1),
           T(2),
           T(3),
           T(7),
           T(10),
           T(63),
           T(64),
           T(100),
           L::max(),
           L::min(),
           T(L::max() - 1),
           T(L::min() + 1),
           T(-1),
           T(-2),
           T(-7),
           T(L::max() / 2)};
    } else {
      using L = std::numeric_limits<T>;
      for (T x : {T(0),
                  L::denorm_min(),
                  L::min(),
                  L::min() / 3,
                  T(1e-30),
                  T(1e-9),
                  T(0.1),
                  T(0.25),
                  T(0.5),
                  T(0.6251),
                  T(0.7),
                  T(0.70710678),
                  T(0.99999),
                  T(1),
                  T(1.00001),
                  T(1.41421356),
                  T(1.5),
                  T(2),
                  T(2.5),
                  T(3),
                  T(3.14159265358979),
                  T(1.5707963267948966),
                  T(10),
                  T(22),
                  T(88.8),
                  T(104),
                  T(709.9),
                  T(745.2),
                  T(1023.5),
                  T(1e5),
                  T(1647099.2),
                  T(2147483648.0),
                  T(4294967296.0),
                  T(9223372036854775808.0),
                  T(1e15),
                  T(1e30),
                  L::max() / 3,
                  L::max(),
                  L::infinity(),
                  L::quiet_NaN()})
        for (T s : {T(1), T(-1)}) v.push_back(s * x);
    }
    return v;
  }();
  return values;
}

template <class T>
class Source {
 public:
  explicit Source(unsigned seed) : rng_(seed) {}
  T operator()() {
    const auto r = rng_();
    if constexpr (std::is_same_v<T, bool>) {
      return (r & 1) != 0;
    } else if constexpr (std::is_integral_v<T>) {
      return (r & 7) < 4 ? static_cast<T>(r >> 8)
                         : static_cast<T>(static_cast<int>((r >> 8) % 40) - 20);
    } else {
      switch (r & 3) {
        case 0: return std::bit_cast<T>(static_cast<m::uint_of<T>>(rng_()));
        case 1: return static_cast<T>((static_cast<double>(rng_() >> 11) * 0x1p-53 - 0.5) * 4);
        case 2: return static_cast<T>((static_cast<double>(rng_() >> 11) * 0x1p-53 - 0.5) * 1500);
        default: {
          const int e = static_cast<int>((r >> 8) % 120) - 60;
          return static_cast<T>(std::ldexp(static_cast<double>(rng_() >> 11) * 0x1p-53 - 0.5, e));
        }
      }
    }
  }

 private:
  std::mt19937_64 rng_;
};

/// All pairs of interesting values, then random ones; `count` at least.
template <class A, class B>
void draw(std::vector<storage<A>>& a, std::vector<storage<B>>& b, std::size_t count) {
  Source<A> next_a(1);
  Source<B> next_b(2);
  for (auto x : interesting<A>())
    for (auto y : interesting<B>()) a.push_back(x), b.push_back(y);
  while (a.size() < count) a.push_back(next_a()), b.push_back(next_b());
}

template <class T>
hx<T> load(Halide::Buffer<storage<T>>& from, const Halide::Var& i) {
  if constexpr (std::is_same_v<T, bool>)
    return hx<bool>(from(i) != Halide::cast<std::uint8_t>(0));
  else
    return hx<T>(from(i));
}
template <class T>
bool same(T a, T b) {
  if constexpr (std::is_floating_point_v<T>)
    if (a != a && b != b) return true;
  return std::memcmp(&a, &b, sizeof(T)) == 0;
}

// Integers: the oldest and the newest machine only, the suite takes long enough.
std::vector<Halide::Target> targets(bool floats) {
  std::vector<Halide::Target> list;
  for (const char* name : {"x86-64-linux-sse41", "x86-64-linux-avx-avx2-sse41", "host"}) {
    if (!floats && std::string(name).find("avx2") != std::string::npos) continue;
    auto t = std::string(name) == "host" ? Halide::get_host_target() : Halide::Target(name);
    list.push_back(t.with_feature(Halide::Target::StrictFloat));
  }
  return list;
}

/// f(a, b) over arrays in three kernels and in the scalar loop.
template <class A, class B, class F>
void check(const char* name, F f, std::size_t count = 100'000) {
  std::vector<storage<A>> a;
  std::vector<storage<B>> b;
  draw<A, B>(a, b, count);
  Halide::Buffer<storage<A>> buffer_a(a.data(), static_cast<int>(a.size()));
  Halide::Buffer<storage<B>> buffer_b(b.data(), static_cast<int>(b.size()));
  using R = decltype(f(A(), B()));
  constexpr bool floats = m::floating<A>;
  std::vector<storage<R>> want(a.size());
  for (std::size_t i = 0; i < a.size(); ++i)
    want[i] = static_cast<storage<R>>(f(static_cast<A>(a[i]), static_cast<B>(b[i])));
  for (const Halide::Target& target : targets(floats)) {
    Halide::Var i("nj_i");
    Halide::Func out("nj_out");
    auto result = f(load<A>(buffer_a, i), load<B>(buffer_b, i));
    static_assert(std::is_same_v<decltype(result), hx<R>>, "scalar and hx results differ in type");
    out(i) = std::is_same_v<R, bool> ? Halide::cast<storage<R>>(result.e) : result.e;
    out.vectorize(i, target.natural_vector_size<A>());
    Halide::Pipeline pipeline(out);
    halide_gen::add_rare_pass(pipeline);
    Halide::Buffer<storage<R>> got = pipeline.realize({static_cast<int>(a.size())}, target);
    int wrong = 0;
    for (std::size_t k = 0; k < a.size() && wrong < 5; ++k)
      if (!same(got(static_cast<int>(k)), want[k])) {
        ++wrong;
        ADD_FAILURE() << name << " on " << target.to_string() << ": f(" << +a[k] << ", " << +b[k]
                      << ") is " << +got(static_cast<int>(k)) << " in the kernel, " << +want[k]
                      << " in the loop";
      }
  }
}

#define UNARY(T, name) check<T, T>(#name, [](auto a, auto) { return m::name(a); })
#define BINARY(T, name) check<T, T>(#name, [](auto a, auto b) { return m::name(a, b); })

template <class T>
class FloatBits : public testing::Test {};
using Floats = testing::Types<float, double>;
TYPED_TEST_SUITE(FloatBits, Floats);

TYPED_TEST(FloatBits, Arithmetic) {
  using T = TypeParam;
  BINARY(T, add);
  BINARY(T, subtract);
  BINARY(T, multiply);
  BINARY(T, divide);
  UNARY(T, negative);
  UNARY(T, absolute);
  UNARY(T, sign);
  UNARY(T, square);
  UNARY(T, sqrt);
  UNARY(T, reciprocal);
  UNARY(T, degrees);
  UNARY(T, radians);
  BINARY(T, heaviside);
  BINARY(T, copysign);
  BINARY(T, nextafter);
}
TYPED_TEST(FloatBits, Division) {
  using T = TypeParam;
  BINARY(T, floor_divide);
  BINARY(T, remainder);
  BINARY(T, fmod);
}
TYPED_TEST(FloatBits, OrderAndRounding) {
  using T = TypeParam;
  BINARY(T, maximum);
  BINARY(T, minimum);
  BINARY(T, fmax);
  BINARY(T, fmin);
  BINARY(T, equal);
  BINARY(T, not_equal);
  BINARY(T, less);
  BINARY(T, less_equal);
  BINARY(T, greater);
  BINARY(T, greater_equal);
  BINARY(T, logical_and);
  BINARY(T, logical_or);
  BINARY(T, logical_xor);
  UNARY(T, logical_not);
  UNARY(T, isnan);
  UNARY(T, isinf);
  UNARY(T, isfinite);
  UNARY(T, signbit);
  UNARY(T, floor);
  UNARY(T, ceil);
  UNARY(T, trunc);
  UNARY(T, rint);
  check<T, T>("clip", [](auto a, auto b) { return m::clip(a, b, m::square(b)); });
  check<bool, T>("where", [](auto c, auto b) { return m::where(c, b, m::negative(b)); });
}
TYPED_TEST(FloatBits, Exponential) {
  using T = TypeParam;
  UNARY(T, exp);
  UNARY(T, exp2);
  UNARY(T, expm1);
}
TYPED_TEST(FloatBits, Logarithm) {
  using T = TypeParam;
  UNARY(T, log);
  UNARY(T, log2);
  UNARY(T, log10);
  UNARY(T, log1p);
  BINARY(T, logaddexp);
  BINARY(T, logaddexp2);
}
TYPED_TEST(FloatBits, Trigonometric) {
  using T = TypeParam;
  UNARY(T, sin);
  UNARY(T, cos);
  UNARY(T, tan);
}
TYPED_TEST(FloatBits, InverseTrigonometric) {
  using T = TypeParam;
  UNARY(T, arcsin);
  UNARY(T, arccos);
  UNARY(T, arctan);
  BINARY(T, arctan2);
}
TYPED_TEST(FloatBits, Hyperbolic) {
  using T = TypeParam;
  UNARY(T, sinh);
  UNARY(T, cosh);
  UNARY(T, tanh);
  UNARY(T, arcsinh);
  UNARY(T, arccosh);
  UNARY(T, arctanh);
}
TYPED_TEST(FloatBits, Special) {
  using T = TypeParam;
  UNARY(T, erf);
  UNARY(T, erfc);
  UNARY(T, gamma);
  UNARY(T, gammaln);
}
TYPED_TEST(FloatBits, Power) {
  using T = TypeParam;
  BINARY(T, power);
  UNARY(T, cbrt);
  BINARY(T, hypot);
}
TYPED_TEST(FloatBits, Cast) {
  using T = TypeParam;
#define CAST(To) check<T, T>("cast to " #To, [](auto a, auto) { return m::cast<To>(a); })
  CAST(bool);
  CAST(std::int8_t);
  CAST(std::int16_t);
  CAST(std::int32_t);
  CAST(std::int64_t);
  CAST(std::uint8_t);
  CAST(std::uint16_t);
  CAST(std::uint32_t);
  CAST(std::uint64_t);
  CAST(float);
  CAST(double);
}

template <class T>
class IntBits : public testing::Test {};
using Ints = testing::Types<std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t,
                            std::uint16_t, std::uint32_t, std::uint64_t>;
TYPED_TEST_SUITE(IntBits, Ints);

TYPED_TEST(IntBits, Arithmetic) {
  using T = TypeParam;
  BINARY(T, add);
  BINARY(T, subtract);
  BINARY(T, multiply);
  BINARY(T, floor_divide);
  BINARY(T, remainder);
  BINARY(T, fmod);
  UNARY(T, negative);
  UNARY(T, absolute);
  UNARY(T, sign);
  UNARY(T, square);
  UNARY(T, reciprocal);
}
TYPED_TEST(IntBits, Power) {
  using T = TypeParam;
  BINARY(T, power);
}
TYPED_TEST(IntBits, OrderAndBits) {
  using T = TypeParam;
  BINARY(T, maximum);
  BINARY(T, minimum);
  BINARY(T, equal);
  BINARY(T, not_equal);
  BINARY(T, less);
  BINARY(T, less_equal);
  BINARY(T, greater);
  BINARY(T, greater_equal);
  UNARY(T, logical_not);
  BINARY(T, bitwise_and);
  BINARY(T, bitwise_or);
  BINARY(T, bitwise_xor);
  UNARY(T, invert);
  BINARY(T, left_shift);
  BINARY(T, right_shift);
  UNARY(T, bitwise_count);
  check<T, T>("clip", [](auto a, auto b) { return m::clip(a, b, m::square(b)); });
}
TYPED_TEST(IntBits, Cast) {
  using T = TypeParam;
  CAST(bool);
  CAST(std::int8_t);
  CAST(std::int64_t);
  CAST(std::uint16_t);
  CAST(std::uint64_t);
  CAST(float);
  CAST(double);
}

TEST(MixedBits, ComparisonOfSignedAndUnsigned) {
#define MIXED(name)                                                                        \
  check<std::int64_t, std::uint64_t>(#name, [](auto a, auto b) { return m::name(a, b); }); \
  check<std::uint64_t, std::int64_t>(#name, [](auto a, auto b) { return m::name(a, b); })
  MIXED(equal);
  MIXED(not_equal);
  MIXED(less);
  MIXED(less_equal);
  MIXED(greater);
  MIXED(greater_equal);
}

TEST(BoolBits, All) {
  BINARY(bool, add);
  BINARY(bool, multiply);
  BINARY(bool, maximum);
  BINARY(bool, minimum);
  BINARY(bool, bitwise_xor);
  UNARY(bool, invert);
  UNARY(bool, logical_not);
  BINARY(bool, less);
  BINARY(bool, less_equal);
  BINARY(bool, equal);
  BINARY(bool, not_equal);
  BINARY(bool, logical_xor);
  check<bool, bool>("cast", [](auto a, auto) { return m::cast<double>(a); });
}

}  // namespace
