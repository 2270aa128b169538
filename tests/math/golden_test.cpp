// The vocabulary's scalar form against NumPy: special values, casts, and all pairs of 8-bit
// integers. make_golden.py writes golden.txt and says what its lines mean.
#include <cstring>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <numjit/array/dtype.h>
#include <numjit/ops/math/vocabulary.h>

namespace {

using namespace numjit;

using Key = std::string;
using Words = std::vector<std::uint64_t>;

const std::map<Key, Words>& golden() {
  static const std::map<Key, Words> table = [] {
    std::map<Key, Words> t;
    std::ifstream file(std::string(NUMJIT_TEST_SOURCE_DIR) + "/tests/math/golden.txt");
    for (std::string line; std::getline(file, line);) {
      std::istringstream in(line);
      Key key, word;
      in >> key;
      const int names = key == "in" || key == "clip" ? 1 : 2;
      for (int i = 0; i < names; ++i) in >> word, key += " " + word;
      Words& words = t[key];
      while (in >> word) words.push_back(std::stoull(word, nullptr, 16));
    }
    return t;
  }();
  return table;
}

template <class T>
struct element {
  static T from(const Words& w, std::size_t i) {
    if constexpr (std::is_same_v<T, bool>)
      return w[i] != 0;
    else
      return std::bit_cast<T>(static_cast<m::uint_of<T>>(w[i]));
  }
  static constexpr std::size_t words = 1;
};
template <class T>
struct element<complex<T>> {
  static complex<T> from(const Words& w, std::size_t i) {
    return {element<T>::from(w, 2 * i), element<T>::from(w, 2 * i + 1)};
  }
  static constexpr std::size_t words = 2;
};

template <class T>
std::vector<T> decode(const Key& key) {
  const auto found = golden().find(key);
  if (found == golden().end()) {
    ADD_FAILURE() << "golden.txt has no line \"" << key << "\"";
    return {};
  }
  std::vector<T> v;
  for (std::size_t i = 0; i < found->second.size() / element<T>::words; ++i)
    v.push_back(element<T>::from(found->second, i));
  return v;
}

template <class T>
std::string text(T v) {
  std::ostringstream s;
  s.precision(17);
  s << +v;
  return s.str();
}
template <class T>
std::string text(complex<T> v) {
  return text(v.re) + "+" + text(v.im) + "j";
}

/// For results whose zero has a sign that changes between NumPy's own loops.
constexpr int any_zero = -1;

/// Equal bits; with `ulps`, floats that are neither special nor zero may differ by as many.
template <class T>
bool agrees(T got, T want, int ulps, T size) {
  if constexpr (std::is_floating_point_v<T>) {
    if (got != got || want != want) return got != got && want != want;
    if (ulps == any_zero) return got == want;
    if (ulps == 0 || m::isinf(want) || m::isinf(got) || (want == 0 && got == 0))
      return std::memcmp(&got, &want, sizeof(T)) == 0;
    return m::magnitude(got - want) <=
           static_cast<T>(ulps) * std::numeric_limits<T>::epsilon() * m::magnitude(size) +
               static_cast<T>(ulps) * std::numeric_limits<T>::denorm_min();
  } else {
    return got == want;
  }
}
template <class T>
bool agrees(T got, T want, int ulps) {
  return agrees(got, want, ulps, want);
}
/// Complex parts are compared against the modulus, and zeros without their sign where libm computes
/// them.
template <class T>
bool agrees(complex<T> got, complex<T> want, int ulps) {
  if (ulps == 0) return agrees(got.re, want.re, 0) && agrees(got.im, want.im, 0);
  T size = m::hypot(want.re, want.im);
  if (!m::isfinite(size)) size = 1;
  return agrees(got.re + T(0), want.re + T(0), ulps, size) &&
         agrees(got.im + T(0), want.im + T(0), ulps, size);
}

template <class T>
char code() {
  for (int i = 0; i < dtype_count; ++i) {
    const auto id = static_cast<dtype_id>(i);
    bool same = false;
    visit_dtype(id, [&]<class U>() { same = std::is_same_v<T, U>; });
    if (same) return dtype(id).character();
  }
  return '!';
}

template <class T, class F>
void check_unary(const std::string& name, F f, int ulps = 0) {
  using R = decltype(f(T()));
  const auto in = decode<T>(std::string("in ") + code<T>());
  const auto want = decode<R>("unary " + name + " " + code<T>());
  ASSERT_EQ(in.size(), want.size());
  for (std::size_t i = 0; i < in.size(); ++i)
    EXPECT_TRUE(agrees(f(in[i]), want[i], ulps))
        << name << "(" << text(in[i]) << ") of " << code<T>() << ": got " << text(f(in[i]))
        << ", NumPy " << text(want[i]);
}

template <class A, class B, class F>
void check_binary(const std::string& kind, const std::string& name, F f, int ulps = 0) {
  using R = decltype(f(A(), B()));
  auto a = decode<A>(std::string("in ") + code<A>());
  auto b = decode<B>(std::string("in ") + code<B>());
  if constexpr (m::is_complex_type<A>) {
    std::vector<A> thin;
    for (std::size_t i = 0; i < a.size(); i += 7) thin.push_back(a[i]);
    a = b = thin;
  }
  if (a.size() > 18) a.resize(18);
  if (b.size() > 18) b.resize(18);
  const auto want =
      decode<R>(kind + " " + name + " " +
                (kind == "mixed" ? std::string{code<A>(), code<B>()} : std::string{code<A>()}));
  ASSERT_EQ(a.size() * b.size(), want.size());
  for (std::size_t i = 0; i < want.size(); ++i) {
    const A x = a[i / b.size()];
    const B y = b[i % b.size()];
    EXPECT_TRUE(agrees(f(x, y), want[i], ulps))
        << name << "(" << text(x) << ", " << text(y) << ") of " << code<A>() << code<B>()
        << ": got " << text(f(x, y)) << ", NumPy " << text(want[i]);
  }
}

#define UNARY(T, name, ...) \
  check_unary<T>(#name, [](T a) { return m::name(a); } __VA_OPT__(, ) __VA_ARGS__)
#define BINARY(T, name, ...)          \
  check_binary<T, T>("binary", #name, \
                     [](T a, T b) { return m::name(a, b); } __VA_OPT__(, ) __VA_ARGS__)

template <class T>
class FloatGolden : public testing::Test {};
using Floats = testing::Types<float, double>;
TYPED_TEST_SUITE(FloatGolden, Floats);

TYPED_TEST(FloatGolden, Exact) {
  using T = TypeParam;
  UNARY(T, sqrt);
  UNARY(T, square);
  UNARY(T, reciprocal);
  UNARY(T, sign);
  UNARY(T, negative);
  UNARY(T, absolute);
  UNARY(T, fabs);
  UNARY(T, rint);
  UNARY(T, floor);
  UNARY(T, ceil);
  UNARY(T, trunc);
  UNARY(T, isnan);
  UNARY(T, isinf);
  UNARY(T, isfinite);
  UNARY(T, signbit);
  UNARY(T, logical_not);
  UNARY(T, degrees);
  UNARY(T, radians);
  BINARY(T, add);
  BINARY(T, subtract);
  BINARY(T, multiply);
  BINARY(T, divide);
  BINARY(T, floor_divide);
  BINARY(T, remainder);
  BINARY(T, fmod);
  BINARY(T, copysign);
  BINARY(T, nextafter);
  BINARY(T, heaviside);
  BINARY(T, maximum);
  BINARY(T, minimum);
  BINARY(T, fmax, any_zero);
  BINARY(T, fmin, any_zero);
  BINARY(T, equal);
  BINARY(T, not_equal);
  BINARY(T, less);
  BINARY(T, less_equal);
  BINARY(T, greater);
  BINARY(T, greater_equal);
}

TYPED_TEST(FloatGolden, Transcendental) {
  using T = TypeParam;
  const int ulps = sizeof(T) == 4 ? 6 : 5;  // ours, and NumPy's own up to 4
  UNARY(T, exp, ulps);
  UNARY(T, exp2, ulps);
  UNARY(T, expm1, ulps);
  UNARY(T, log, ulps);
  UNARY(T, log2, ulps);
  UNARY(T, log10, ulps);
  UNARY(T, log1p, ulps);
  UNARY(T, cbrt, ulps);
  UNARY(T, sin, ulps);
  UNARY(T, cos, ulps);
  UNARY(T, tan, ulps);
  UNARY(T, arcsin, ulps);
  UNARY(T, arccos, ulps);
  UNARY(T, arctan, ulps);
  UNARY(T, sinh, ulps);
  UNARY(T, cosh, ulps);
  UNARY(T, tanh, ulps);
  UNARY(T, arcsinh, ulps);
  UNARY(T, arccosh, ulps);
  UNARY(T, arctanh, ulps);
  BINARY(T, power, ulps);
  BINARY(T, arctan2, ulps);
  BINARY(T, hypot, ulps);
  BINARY(T, logaddexp, ulps);
  BINARY(T, logaddexp2, ulps);
}

TYPED_TEST(FloatGolden, Clip) {
  using T = TypeParam;
  const auto in = decode<T>(std::string("in ") + code<T>());
  const auto want = decode<T>(std::string("clip ") + code<T>());
  ASSERT_EQ(want.size(), 729u);
  for (std::size_t i = 0; i < want.size(); ++i) {
    const T a = in[i / 81 * 2], lo = in[i / 9 % 9 * 2], hi = in[i % 9 * 2];
    EXPECT_TRUE(agrees(m::clip(a, lo, hi), want[i], 0))
        << "clip(" << a << ", " << lo << ", " << hi << "): got " << m::clip(a, lo, hi) << ", NumPy "
        << want[i];
  }
}

template <class T>
class ComplexGolden : public testing::Test {};
using Complexes = testing::Types<complex<float>, complex<double>>;
TYPED_TEST_SUITE(ComplexGolden, Complexes);

TYPED_TEST(ComplexGolden, Exact) {
  using T = TypeParam;
  // NumPy's vector loops for these two use fused multiply-add where the machine has it
  UNARY(T, square, 2);
  BINARY(T, multiply, 2);
  UNARY(T, reciprocal);
  UNARY(T, negative);
  UNARY(T, conjugate);
  UNARY(T, rint);
  UNARY(T, isnan);
  UNARY(T, isinf);
  UNARY(T, isfinite);
  UNARY(T, logical_not);
  BINARY(T, add);
  BINARY(T, subtract);
  BINARY(T, divide);
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
}

TYPED_TEST(ComplexGolden, Functions) {
  using T = TypeParam;
  UNARY(T, absolute, 4);
  UNARY(T, sign, 4);
  UNARY(T, exp, 8);
  UNARY(T, exp2, 64);
  UNARY(T, expm1, 8);
  UNARY(T, log, 8);
  UNARY(T, log2, 8);
  UNARY(T, log10, 8);
  // NumPy's log(hypot(1 + x, y)) loses a tiny x, ours gives it back
  check_unary<T>("log1p", [](T z) {
    T result = m::log1p(z);
    if (m::hypot(z.re, z.im) < 1e-10 && z.re != 0) {
      EXPECT_EQ(result.re, z.re);
      result.re = 0;
    }
    return result;
  }, 8);
  UNARY(T, sqrt, 8);
  UNARY(T, sin, 8);
  UNARY(T, cos, 8);
  UNARY(T, tan, 8);
  UNARY(T, arcsin, 8);
  UNARY(T, arccos, 8);
  UNARY(T, arctan, 8);
  UNARY(T, sinh, 8);
  UNARY(T, cosh, 8);
  UNARY(T, tanh, 8);
  UNARY(T, arcsinh, 8);
  UNARY(T, arccosh, 8);
  UNARY(T, arctanh, 8);
  // NumPy computes exp(b log a) in the element's own precision, and is off by as many
  BINARY(T, power, sizeof(T) == 8 ? 4096 : 256);
}

template <class T>
class IntGolden : public testing::Test {};
using Ints = testing::Types<std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t,
                            std::uint16_t, std::uint32_t, std::uint64_t>;
TYPED_TEST_SUITE(IntGolden, Ints);

TYPED_TEST(IntGolden, Special) {
  using T = TypeParam;
  UNARY(T, negative);
  UNARY(T, absolute);
  UNARY(T, sign);
  UNARY(T, square);
  UNARY(T, reciprocal);
  UNARY(T, invert);
  UNARY(T, bitwise_count);
  UNARY(T, logical_not);
  BINARY(T, add);
  BINARY(T, subtract);
  BINARY(T, multiply);
  BINARY(T, floor_divide);
  BINARY(T, remainder);
  BINARY(T, fmod);
  BINARY(T, maximum);
  BINARY(T, minimum);
  BINARY(T, bitwise_and);
  BINARY(T, bitwise_or);
  BINARY(T, bitwise_xor);
  BINARY(T, left_shift);
  BINARY(T, right_shift);
  BINARY(T, gcd);
  BINARY(T, lcm);
  BINARY(T, equal);
  BINARY(T, not_equal);
  BINARY(T, less);
  BINARY(T, less_equal);
  BINARY(T, greater);
  BINARY(T, greater_equal);
}

TEST(MixedGolden, SignedWithUnsigned) {
#define MIXED(name)                                                                        \
  check_binary<std::int64_t, std::uint64_t>("mixed", #name,                                \
                                            [](auto a, auto b) { return m::name(a, b); }); \
  check_binary<std::uint64_t, std::int64_t>("mixed", #name,                                \
                                            [](auto a, auto b) { return m::name(a, b); })
  MIXED(equal);
  MIXED(not_equal);
  MIXED(less);
  MIXED(less_equal);
  MIXED(greater);
  MIXED(greater_equal);
}

TEST(CastGolden, EveryPairOfTypes) {
  for (int i = 0; i < dtype_count; ++i)
    visit_dtype(static_cast<dtype_id>(i), []<class From>() {
      if constexpr (!std::is_same_v<From, half>)
        for (int j = 0; j < dtype_count; ++j)
          visit_dtype(static_cast<dtype_id>(j), []<class To>() {
            if constexpr (!std::is_same_v<To, half>) {
              const auto in = decode<From>(std::string("in ") + code<From>());
              const auto want = decode<To>(std::string("cast ") + code<From>() + " " + code<To>());
              ASSERT_EQ(in.size(), want.size());
              for (std::size_t k = 0; k < in.size(); ++k)
                EXPECT_TRUE(agrees(m::cast<To>(in[k]), want[k], 0))
                    << "cast of " << text(in[k]) << " from " << code<From>() << " to " << code<To>()
                    << ": got " << text(m::cast<To>(in[k])) << ", NumPy " << text(want[k]);
            }
          });
    });
}

/// make_golden.py's digest.
template <class R>
std::uint64_t digest(const std::vector<R>& v) {
  std::uint64_t sum = 0, factor = 1;
  const auto* bytes = reinterpret_cast<const unsigned char*>(v.data());
  for (std::size_t i = 0; i < v.size() * sizeof(R); ++i)
    sum += bytes[i] * (factor *= 0x9E3779B97F4A7C15u);
  return sum;
}
template <class R>
using stored = std::conditional_t<std::is_same_v<R, bool>, unsigned char, R>;

template <class T, class F>
void check_all_pairs(const std::string& name, F f) {
  std::vector<stored<decltype(f(T(), T()))>> results;
  for (int a = 0; a < 256; ++a)
    for (int b = 0; b < 256; ++b) results.push_back(f(static_cast<T>(a), static_cast<T>(b)));
  const Words& want = golden().at("exhaustive " + name + " " + code<T>());
  EXPECT_EQ(digest(results), want.at(0)) << name << " of " << code<T>();
}
template <class T, class F>
void check_all(const std::string& name, F f) {
  std::vector<stored<decltype(f(T()))>> results;
  for (int a = 0; a < 256; ++a) results.push_back(f(static_cast<T>(a)));
  const Words& want = golden().at("exhaustive " + name + " " + code<T>());
  EXPECT_EQ(digest(results), want.at(0)) << name << " of " << code<T>();
}

template <class T>
class ByteGolden : public testing::Test {};
using Bytes = testing::Types<std::int8_t, std::uint8_t>;
TYPED_TEST_SUITE(ByteGolden, Bytes);

TYPED_TEST(ByteGolden, AllPairs) {
  using T = TypeParam;
#define ALL(name) check_all<T>(#name, [](T a) { return m::name(a); })
#define ALL_PAIRS(name) check_all_pairs<T>(#name, [](T a, T b) { return m::name(a, b); })
  ALL(negative);
  ALL(absolute);
  ALL(sign);
  ALL(square);
  ALL(reciprocal);
  ALL(invert);
  ALL(bitwise_count);
  ALL(logical_not);
  ALL_PAIRS(add);
  ALL_PAIRS(subtract);
  ALL_PAIRS(multiply);
  ALL_PAIRS(floor_divide);
  ALL_PAIRS(remainder);
  ALL_PAIRS(fmod);
  ALL_PAIRS(maximum);
  ALL_PAIRS(minimum);
  ALL_PAIRS(bitwise_and);
  ALL_PAIRS(bitwise_or);
  ALL_PAIRS(bitwise_xor);
  ALL_PAIRS(left_shift);
  ALL_PAIRS(right_shift);
  ALL_PAIRS(gcd);
  ALL_PAIRS(lcm);
  ALL_PAIRS(equal);
  ALL_PAIRS(not_equal);
  ALL_PAIRS(less);
  ALL_PAIRS(less_equal);
  ALL_PAIRS(greater);
  ALL_PAIRS(greater_equal);
  check_all_pairs<T>("power", [](T a, T b) { return m::power(a, b < 0 ? T(0) : b); });
}

}  // namespace
