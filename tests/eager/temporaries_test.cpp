// Temporaries of an expression: their memory becomes that of results, where nobody can see the difference.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <numjit/interop.h>
#include <numjit/np.h>
#include <numjit/ops/op.h>
#include <support/element_bits.h>
#include <support/special_values.h>

#include "helpers.h"

namespace numjit::testing {
namespace {

namespace np = numjit;

constexpr std::int64_t large = 20000;

array ramp(std::int64_t n = large) { return np::arange(n).astype(np::float64); }

TEST(Temporaries, TheirMemoryIsThatOfTheResult) {
  array t = ramp() + 1.0;
  const void* memory = t.raw_data();
  array r = std::move(t) * 2.0;
  EXPECT_EQ(r.raw_data(), memory);
  EXPECT_TRUE(t.empty_handle());
  EXPECT_EQ(r(7).item(), 16);
  r = np::sqrt(3.0 - std::move(r));
  EXPECT_EQ(r.raw_data(), memory);
  array mask = ramp() > 5.0;
  memory = mask.raw_data();
  mask = ~std::move(mask) | (ramp() == 9.0);
  EXPECT_EQ(mask.raw_data(), memory);
  EXPECT_EQ(np::count_nonzero(mask).item(), 7);
}

TEST(Temporaries, OfTheSecondOperandToo) {
  array t = ramp() + 1.0;
  const void* memory = t.raw_data();
  const array r = np::subtract(1.0, std::move(t));
  EXPECT_EQ(r.raw_data(), memory);
  EXPECT_EQ(r(7).item(), -7);
}

TEST(Temporaries, ArraysWithAnotherHandleStay) {
  array t = ramp() + 1.0;
  const array same = t;
  const array r = std::move(t) * 2.0;
  EXPECT_EQ(same(7).item(), 8);
  EXPECT_EQ(r(7).item(), 16);
  array u = ramp() + 1.0;
  const array view = u(np::slice(10, 20));
  const array s = std::move(u) * 2.0;
  EXPECT_EQ(view(0).item(), 11);
  EXPECT_EQ(s(10).item(), 22);
}

TEST(Temporaries, ViewsWriteNothing) {
  const array x = ramp();
  const array r = x(np::slice(0, 15000)) * 2.0 + x.reshape(1, large)(0, np::slice(0, 15000));
  EXPECT_EQ(r(7).item(), 21);
  EXPECT_EQ(x(7).item(), 7);
}

TEST(Temporaries, OtherDtypesAndShapesNeedOtherMemory) {
  EXPECT_EQ((np::arange(large) * 3 / 2)(7).item(), 10.5);
  EXPECT_EQ((np::arange(large) * 3 / 2).dtype(), np::float64);
  const array rows = ramp().reshape(1, large) * 1.0 + np::ones({3, 1}) * 2.0;
  EXPECT_EQ(rows.shape(), (dims{3, large}));
  EXPECT_EQ(rows(2, 7).item(), 9);
  const array wide = (ramp().astype(np::float32) + 1) * ramp();
  EXPECT_EQ(wide.dtype(), np::float64);
  EXPECT_EQ(wide(7).item(), 56);
}

TEST(Temporaries, MemoryOfOthersIsLeftAlone) {
  std::vector<double> theirs(large, 1.0);
  const array r = np::as_array(theirs.data(), {large}) + 2.0;
  EXPECT_EQ(r(7).item(), 3);
  EXPECT_EQ(theirs[7], 1);
}

array read_twice(const operand& a) { return a * 2.0 + a; }

TEST(Temporaries, FunctionsMayReadTheirOperandsAgain) {
  EXPECT_EQ(read_twice(ramp() + 1.0)(7).item(), 24);
  EXPECT_EQ((np::hypot(ramp() * 3.0, ramp() * 4.0))(7).item(), 35);
}

TEST(Temporaries, AnErrorLosesNothing) {
  array t = ramp() + 1.0;
  EXPECT_THROW(std::move(t) + np::ones(3), ValueError);
  EXPECT_EQ(t(7).item(), 8);
}

TEST(Temporaries, BothSidesMayBeOneArray) {
  array t = ramp() + 1.0;
  EXPECT_EQ((std::move(t) * std::move(t))(7).item(), 64);
}

void expect_same(const array& got, const array& want, const std::string& what) {
  ASSERT_EQ(got.dtype(), want.dtype()) << what;
  const auto *g = static_cast<const char*>(got.raw_data()), *w = static_cast<const char*>(want.raw_data());
  const auto item = static_cast<std::int64_t>(got.itemsize());
  for (std::int64_t i = 0; i < got.size(); ++i)
    ASSERT_TRUE(same_element_bits(got.dtype().id(), g + i * item, w + i * item)) << what << ", element " << i;
}

TEST(Temporaries, EveryUfuncGivesTheSameBitsInPlace) {
  int in_place = 0;
  for (int i = 0; i < op_count; ++i) {
    const auto op = static_cast<op_id>(i);
    if (info(op).kind != op_kind::ufunc || info(op).arity > 2) continue;
    for (const op_loop& loop : info(op).loops) {
      const std::string what = std::string(info(op).name) + " of " + std::string(dtype(loop.in[0]).name());
      const array a = fitting(op, loop.in[0], 0, operand_values(loop.in[0], 0));
      array t = a.copy();
      const void* memory = t.raw_data();
      if (info(op).arity == 1) {
        const array r = bind_last(op, std::move(t));
        expect_same(r, bind_ufunc(op, a), what);
        in_place += r.raw_data() == memory;
        continue;
      }
      const array b = fitting(op, loop.in[1], 1, operand_values(loop.in[1], 1));
      const array want = bind_ufunc(op, a, b);
      const array r = bind_last(op, std::move(t), b);
      in_place += r.raw_data() == memory;
      expect_same(r, want, what);
      expect_same(bind_last(op, a, b.copy()), want, what + ", second");
    }
  }
  EXPECT_GT(in_place, 300);
}

}  // namespace
}  // namespace numjit::testing
