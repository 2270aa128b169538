// infer(): every kind of op reaches its rule.
#include <gtest/gtest.h>

#include <numjit/ops/param_layout.h>

#include "golden_file.h"

namespace numjit::test {
namespace {

using t = dtype_id;

inference infer_of(op_id op, const std::vector<operand>& in, const op_params& params = {}) {
  inference result;
  infer({op, in, &params}, result);
  return result;
}

TEST(Infer, Ufunc) {
  array a = zeros({2, 3}, t::float32);
  const inference r = infer_of(op_id::multiply, {a, 2});
  EXPECT_EQ(r.type, t::float32);
  EXPECT_EQ(r.shape, (dims{2, 3}));
  EXPECT_EQ(info(op_id::multiply).loops[static_cast<std::size_t>(r.loop)].out, t::float32);
  EXPECT_FALSE(r.is_view);
}

TEST(Infer, Reduction) {
  array a = zeros({2, 3}, t::int32);
  layout::reduction over_rows;
  over_rows.axes = dims{0};
  const inference r = infer_of(op_id::sum, {a}, layout::reduction_params(over_rows));
  EXPECT_EQ(r.type, t::int64);
  EXPECT_EQ(r.shape, dims{3});
}

TEST(Infer, ArgReduction) {
  array a = zeros({2, 3}, t::float16);
  const inference r = infer_of(op_id::argmax, {a}, layout::arg_params(1, false));
  EXPECT_EQ(r.type, t::int64);
  EXPECT_EQ(r.shape, dims{2});
}

TEST(Infer, Scan) {
  array a = zeros({2, 3}, t::bool_);
  const inference r = infer_of(op_id::cumsum, {a}, layout::axis_params(1));
  EXPECT_EQ(r.type, t::int64);
  EXPECT_EQ(r.shape, (dims{2, 3}));
}

TEST(Infer, View) {
  array a = zeros({2, 3}, t::float64);
  const inference r = infer_of(op_id::transpose, {a}, layout::axes_params({}));
  EXPECT_TRUE(r.is_view);
  EXPECT_EQ(r.shape, (dims{3, 2}));
  EXPECT_EQ(r.strides, (dims{8, 24}));
}

TEST(Infer, Creation) {
  const inference r = infer_of(op_id::eye, {}, layout::eye_params(2, 4, 0, t::uint8));
  EXPECT_EQ(r.type, t::uint8);
  EXPECT_EQ(r.shape, (dims{2, 4}));
}

TEST(Infer, LeavesNothingOfAnEarlierCall) {
  array a = zeros({2, 3}, t::float64);
  inference r;
  const op_params params = layout::axes_params({});
  const operand one[] = {a}, two[] = {a, a};
  infer({op_id::transpose, one, &params}, r);
  infer({op_id::add, two}, r);
  EXPECT_FALSE(r.is_view);
  EXPECT_FALSE(r.data_dependent);
  EXPECT_EQ(r.shape, (dims{2, 3}));
}

TEST(Infer, RefusesAnUnknownOp) {
  try {
    infer_of(op_id::count_, {});
    FAIL();
  } catch (const InternalError& e) {
    EXPECT_EQ(std::string(e.what()), "[infer] unknown op: got number " + std::to_string(op_count) +
                                         ", expected below " + std::to_string(op_count) + ".");
  }
}

}  // namespace
}  // namespace numjit::test
