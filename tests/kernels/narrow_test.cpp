// Integers in narrower types: what the pass rewrites, what it must leave, and that no value changes.
#include <gtest/gtest.h>

#include <functional>
#include <vector>

#include <kernels/kernel_fixture.h>
#include <numjit/array/same_bits.h>
#include <numjit/graph/narrow.h>
#include <numjit/np.h>

#include "support/compiled_kernels.h"

namespace numjit::testing {
namespace {

using graph::narrow_integers;
using graph::ScalarBound;

TEST(Narrow, SumsOfPixels) {
  SpecBuilder b;
  const int p = b.cast(dtype_id::int64, b.operand(dtype_id::uint8)), s = b.scalar(dtype_id::int64);
  const auto narrow = narrow_integers(b.outputs({b.cast(dtype_id::uint8, b.op("floor_divide", b.op("add", p, p), s))}));
  ASSERT_TRUE(narrow);
  EXPECT_EQ(to_text(narrow->spec),
            "operands B\n"
            "scalars l\n"
            "%0 = operand 0\n"
            "%1 = cast.H(%0)\n"
            "%2 = add.HH->H(%1, %1)\n"
            "%3 = scalar 0\n"
            "%4 = cast.H(%3)\n"
            "%5 = floor_divide.HH->H(%2, %4)\n"
            "%6 = cast.B(%5)\n"
            "outputs %6\n");
  EXPECT_EQ(narrow->bounds, (std::vector<ScalarBound>{{0, 0, 16383}}));
}

TEST(Narrow, ResultsKeepTheirTypes) {
  SpecBuilder b;
  const int x = b.cast(dtype_id::int64, b.operand(dtype_id::int8)), y = b.cast(dtype_id::int64, b.operand(dtype_id::uint8));
  const int difference = b.op("subtract", x, y);
  const auto narrow = narrow_integers(b.outputs({difference, b.op("less", difference, x)}));
  ASSERT_TRUE(narrow);
  EXPECT_EQ(to_text(narrow->spec),
            "operands bB\n"
            "scalars \n"
            "%0 = operand 0\n"
            "%1 = cast.h(%0)\n"
            "%2 = operand 1\n"
            "%3 = cast.h(%2)\n"
            "%4 = subtract.hh->h(%1, %3)\n"
            "%5 = cast.l(%4)\n"
            "%6 = less.hh->?(%4, %1)\n"
            "outputs %5 %6\n");
  EXPECT_TRUE(narrow->bounds.empty());
}

// Type of the op that makes the first output of op(op(x, x), s), s a scalar, or '-' if it stays as it is.
char type_of_sum(dtype_id operand, dtype_id wide, const char* op, const char* with_scalar) {
  SpecBuilder b;
  const int x = b.cast(wide, b.operand(operand));
  const int value = b.op(with_scalar, b.op(op, x, x), b.scalar(wide));
  const auto narrow = narrow_integers(b.outputs({b.cast(dtype_id::uint8, value)}));
  if (!narrow) return '-';
  const graph::KernelSpec& spec = narrow->spec;
  return dtype(spec.nodes[spec.nodes[spec.outputs[0]].in[0]].type).character();
}

TEST(Narrow, TakesTheNarrowestType) {
  EXPECT_EQ(type_of_sum(dtype_id::uint8, dtype_id::int64, "add", "add"), 'H');
  EXPECT_EQ(type_of_sum(dtype_id::uint8, dtype_id::int64, "add", "subtract"), 'h');
  EXPECT_EQ(type_of_sum(dtype_id::int8, dtype_id::int64, "multiply", "minimum"), 'h');
  EXPECT_EQ(type_of_sum(dtype_id::uint8, dtype_id::int64, "multiply", "multiply"), 'i');
  EXPECT_EQ(type_of_sum(dtype_id::uint16, dtype_id::int64, "add", "maximum"), 'i');
  EXPECT_EQ(type_of_sum(dtype_id::uint8, dtype_id::uint32, "add", "right_shift"), 'H');
  EXPECT_EQ(type_of_sum(dtype_id::bool_, dtype_id::int32, "add", "bitwise_xor"), 'H');
}

TEST(Narrow, LeavesWhatMayWrapOrIsUnknown) {
  EXPECT_EQ(type_of_sum(dtype_id::uint8, dtype_id::uint64, "subtract", "minimum"), '-');  // below 0 it wraps
  EXPECT_EQ(type_of_sum(dtype_id::int32, dtype_id::int64, "add", "add"), '-');
  EXPECT_EQ(type_of_sum(dtype_id::uint16, dtype_id::int64, "multiply", "add"), '-');
  EXPECT_EQ(type_of_sum(dtype_id::uint8, dtype_id::int64, "left_shift", "add"), '-');
  EXPECT_EQ(type_of_sum(dtype_id::uint8, dtype_id::int64, "power", "add"), '-');
  EXPECT_EQ(type_of_sum(dtype_id::float32, dtype_id::int64, "add", "add"), '-');
  EXPECT_EQ(type_of_sum(dtype_id::int64, dtype_id::int64, "add", "add"), '-');
  EXPECT_EQ(type_of_sum(dtype_id::uint8, dtype_id::int16, "add", "add"), '-');  // nothing narrower
}

// Programs on all pairs of bytes, with scalars on both sides of what the narrow form assumes.
class NarrowValues : public numjit::testing::CompiledKernels {
 protected:
  using Program = std::function<array(const array&, const array&, std::int64_t)>;

  static void expect_same(const char* name, const Program& program, const array& a, const array& b) {
    auto compiled = compile([&](const array& x, const array& y, std::int64_t s) { return program(x, y, s); });
    for (std::int64_t s : {0L, 1L, -1L, 2L, 3L, 9L, 15L, 16L, 17L, -7L, 63L, 64L, 255L, -256L, 1023L, 16383L, 16384L,
                           32767L, -32768L, 65536L, 1L << 31, -(1L << 31), (1L << 40) + 5}) {
      const array expected = program(a, b, s);
      const auto difference = detail::first_difference(expected.get(), compiled(a, b, s).get());
      ASSERT_FALSE(difference) << name << ", scalar " << s << ", element " << *difference;
    }
  }
};

TEST_F(NarrowValues, AreThoseOfTheWideType) {
  const array bytes = arange(256);
  const array all = broadcast_to(bytes, {256, 256});
  const array a = all.astype(uint8), b = transpose(all).astype(uint8), c = (transpose(all) - 128).astype(int8);
  const std::vector<std::pair<const char*, Program>> programs = {
      {"quotient", [](auto& x, auto& y, auto s) { return floor_divide(x.astype(int64) + y.astype(int64), s); }},
      {"quotient of differences",
       [](auto& x, auto& y, auto s) { return floor_divide(x.astype(int64) - y.astype(int64), s).astype(int8); }},
      {"quotient by elements",
       [](auto& x, auto& y, auto s) { return floor_divide(x.astype(int64) + s, y.astype(int64)); }},
      {"remainder", [](auto& x, auto& y, auto s) { return remainder(x.astype(int64) - y.astype(int64), s); }},
      {"fmod", [](auto& x, auto& y, auto s) { return fmod(x.astype(int64) - y.astype(int64), s); }},
      {"products", [](auto& x, auto& y, auto s) { return (x.astype(int64) * s - y.astype(int64)).astype(float32); }},
      {"bits",
       [](auto& x, auto& y, auto s) { return ((x.astype(int64) ^ s) & ~y.astype(int64)) | (y.astype(int64) >> 2); }},
      {"shift", [](auto& x, auto& y, auto s) { return (x.astype(int64) - y.astype(int64)) >> s; }},
      {"where",
       [](auto& x, auto& y, auto s) {
         return where(x.astype(int64) + y.astype(int64) > s, clip(x.astype(int64), y.astype(int64), s), -3);
       }},
      {"truth",
       [](auto& x, auto& y, auto s) {
         return (x.astype(int64) == y.astype(int64)).astype(int64) + logical_and(x.astype(int64), s).astype(int64);
       }},
      {"signs",
       [](auto& x, auto& y, auto s) {
         return abs(negative(square(x.astype(int64)))) * sign(y.astype(int64)) + minimum(x.astype(int64), s);
       }},
  };
  for (const auto& [name, program] : programs) {
    expect_same(name, program, a, b);
    expect_same(name, program, a, c);
  }
}

}  // namespace
}  // namespace numjit::testing
