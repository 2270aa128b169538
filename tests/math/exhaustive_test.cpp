// Unary functions of float32 and float16, through the loops that programs use. float32: a sample of
// all 2^32 values, or with NUMJIT_ACCURACY every one; float16: all 65,536. The reference is the
// float64 function, itself held to MPFR by accuracy_test.cpp: it is off by 2^-29 ULP of float32.
#include <gtest/gtest.h>

#if __has_include(<mpfr.h>)
#include <algorithm>
#include <atomic>
#include <bit>
#include <cstring>
#include <thread>
#include <vector>

#include <numjit/np.h>

#include "measure.h"

namespace {

namespace np = numjit;
using accuracy::Figure;
using function = np::array (*)(const np::operand&);

struct Named {
  const char* name;
  function f;
};
#define NAMED(name) Named{#name, [](const np::operand& x) { return np::name(x); }}
#define SPECIAL(name) Named{#name, [](const np::operand& x) { return np::special::name(x); }}
const std::vector<Named>& functions() {
  static const std::vector<Named> all = {
      NAMED(exp),     NAMED(exp2),    NAMED(expm1),   NAMED(log),    NAMED(log2),   NAMED(log10),
      NAMED(log1p),   NAMED(sqrt),    NAMED(cbrt),    NAMED(sin),    NAMED(cos),    NAMED(tan),
      NAMED(arcsin),  NAMED(arccos),  NAMED(arctan),  NAMED(sinh),   NAMED(cosh),   NAMED(tanh),
      NAMED(arcsinh), NAMED(arccosh), NAMED(arctanh), NAMED(floor),  NAMED(ceil),   NAMED(rint),
      NAMED(trunc),   SPECIAL(erf),   SPECIAL(erfc),  SPECIAL(gamma),
      SPECIAL(gammaln)};
  return all;
}

/// |got - want| in units of the last place of `want` rounded to float.
double float_error(float got, double want) {
  const float rounded = static_cast<float>(want);
  if (rounded != rounded || got != got)
    return rounded != rounded && got != got ? 0 : accuracy::wrong;
  constexpr float last = std::numeric_limits<float>::max();
  const float size = std::fabs(rounded), got_size = std::fabs(got);
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(rounded);
  if (rounded == got && (rounded == 0 || size > last))
    return bits == std::bit_cast<std::uint32_t>(got) ? 0 : accuracy::wrong;
  if (size > last || got_size > last) return size == last || got_size == last ? 1 : accuracy::wrong;
  const std::uint64_t exponent = std::max(1u, (bits >> 23) & 255);
  const double units = std::bit_cast<double>((1173 - exponent) << 52);
  return std::fabs(static_cast<double>(got) - want) * units;
}

constexpr std::int64_t block = 1 << 18;

/// The values of block number b: every `step`th bit pattern.
np::array values(std::uint64_t b, std::uint64_t step) {
  np::array x = np::zeros(block, np::float32);
  std::uint32_t* bits = reinterpret_cast<std::uint32_t*>(x.data<float>());
  for (std::int64_t i = 0; i < block; ++i)
    bits[i] = static_cast<std::uint32_t>((b * block + static_cast<std::uint64_t>(i)) * step);
  return x;
}

void check_float(const Named& row) {
  // an odd step, so that all exponents and low bits occur
  const std::uint64_t step = accuracy::full() ? 1 : 3003;
  const std::uint64_t blocks = ((std::uint64_t(1) << 32) / step + block - 1) / block;
  std::atomic<std::uint64_t> next{0};
  const unsigned threads = accuracy::full() ? std::max(1u, std::thread::hardware_concurrency()) : 1;
  std::vector<Figure> figures(threads, Figure(row.name, "float32"));
  const auto work = [&](Figure& figure) {
    for (std::uint64_t b; (b = next.fetch_add(1)) < blocks;) {
      const np::array x = values(b, step), y = row.f(x), z = row.f(x.astype(np::float64));
      const float *in = x.data<float>(), *got = y.data<float>();
      const double* want = z.data<double>();
      for (std::int64_t i = 0; i < block; ++i) {
        const double error = float_error(got[i], want[i]);
        if (error > figure.ulps) figure.add(error, static_cast<double>(in[i])), --figure.inputs;
      }
      figure.inputs += block;
    }
  };
  std::vector<std::thread> others;
  for (unsigned t = 1; t < threads; ++t) others.emplace_back([&, t] { work(figures[t]); });
  work(figures[0]);
  for (std::thread& t : others) t.join();
  Figure& worst =
      *std::max_element(figures.begin(), figures.end(),
                        [](const Figure& a, const Figure& b) { return a.ulps < b.ulps; });
  worst.inputs = blocks * block;
  accuracy::report(worst, 1.0);
}

TEST(Exhaustive, Float32) {
  for (const Named& row : functions()) check_float(row);
}

/// float16 is rounded once, from float32: off by half a unit and what float32 is off.
TEST(Exhaustive, Float16) {
  np::array x = np::zeros(65536, np::float16);
  std::uint16_t* bits = reinterpret_cast<std::uint16_t*>(x.data<np::half>());
  for (int i = 0; i < 65536; ++i) bits[i] = static_cast<std::uint16_t>(i);
  for (const Named& row : functions()) {
    const np::array y = row.f(x), z = row.f(x.astype(np::float64));
    ASSERT_EQ(y.dtype(), np::float16) << row.name;
    Figure figure(row.name, "float16");
    int misrounded = 0;
    for (int i = 0; i < 65536; ++i) {
      const np::half got = y.data<np::half>()[i], want(z.data<double>()[i]);
      const double in = static_cast<double>(x.data<np::half>()[i]), exact = z.data<double>()[i];
      if (got.bits == want.bits || (exact != exact && float(got) != float(got))) {
        const double size = std::fabs(static_cast<double>(want));
        const double unit = std::ldexp(1, std::max(size > 0 ? std::ilogb(size) : -14, -14) - 10);
        figure.add(std::isfinite(size) ? std::fabs(exact - static_cast<double>(got)) / unit : 0, in);
      } else {
        ++misrounded;
        const bool neighbours = std::abs(int(got.bits) - int(want.bits)) == 1;
        figure.add(neighbours ? 0.501 : accuracy::wrong, in);
      }
    }
    // A result of float32 that is off by less than its unit is misrounded about once in 2^12.
    EXPECT_LE(misrounded, 32) << row.name;
    accuracy::report(figure, 0.501);
  }
}

}  // namespace
#else
TEST(Exhaustive, NeedsMpfr) { GTEST_SKIP() << "libmpfr-dev is not installed"; }
#endif
