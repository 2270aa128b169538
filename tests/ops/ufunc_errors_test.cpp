// Wrong calls of elementwise ops: the exact texts, against NumPy's; and the shapes of right ones.
#include <gtest/gtest.h>

#include <cstring>
#include <limits>

#include <numjit/ops/promotion.h>

#include "golden_file.h"

namespace numjit::test {
namespace {

using t = dtype_id;


/// The golden's words for a call's answer.
std::string words_of(const answer& a) {
  if (!a.error.empty()) return a.error;
  return "ok " + std::string(dtype(a.result.type).name()) + ' ' + a.result.shape.str();
}

std::map<std::string, std::string> golden_cases() {
  std::map<std::string, std::string> cases;
  for (const std::string& line : golden_lines("errors.txt")) {
    const std::size_t colon = line.find(": ");
    cases[line.substr(0, colon)] = line.substr(colon + 2);
  }
  return cases;
}

template <class F>
std::string error_of(F&& call) {
  try {
    call();
  } catch (const error& e) {
    return error_line(e);
  }
  return "no error";
}

TEST(UfuncErrors, TextsAreNumPys) {
  array a23 = zeros({2, 3}), a24 = zeros({2, 4}), a4 = zeros({4}), a3 = zeros({3}), a14 = zeros({1, 4});
  array a20 = zeros({2, 0}), a32 = zeros({3, 2}), one = zeros({1}, t::int64), empty = zeros({0}, t::int64);
  array i23 = zeros({2, 3}, t::int64), z3 = zeros({3}, t::complex128), b3 = zeros({3}, t::bool_);
  array u3 = zeros({3}, t::uint8), i3 = zeros({3}, t::int64), m2 = zeros({2}, t::bool_);
  array m23 = zeros({2, 3}, t::bool_), readonly = zeros({3});
  readonly.get()->flags |= node::readonly;
  op_params as_int32, as_float32;
  as_int32.type(t::int32);
  as_float32.type(t::float32);
  const operand big(std::uint64_t(1) << 63);

  std::map<std::string, std::string> got;
  auto add = [&](const char* name, const answer& a) { got[name] = words_of(a); };
  add("broadcast", ask(op_id::add, {a23, a4}));
  add("broadcast_scalar", ask(op_id::clip, {a23, a4, 0}));
  add("broadcast_0d", ask(op_id::add, {a20, a32}));
  add("out_small", ask(op_id::add, {a23, 1}, nullptr, &a3));
  add("out_ones", ask(op_id::add, {a24, 1}, nullptr, &a14));
  add("out_differs", ask(op_id::add, {a24, 1}, nullptr, &a23));
  add("out_cast", ask(op_id::add, {a23, 1}, nullptr, &i23));
  add("out_cast_complex", ask(op_id::sin, {z3}, nullptr, &a3));
  add("out_readonly", ask(op_id::add, {a3, 1}, nullptr, &readonly));
  add("mask_differs", ask(op_id::add, {a3, 1}, nullptr, &a3, &m2));
  add("mask_grows", ask(op_id::add, {a3, 1}, nullptr, &a3, &m23));
  add("mask_dtype", ask(op_id::add, {a3, 1}, nullptr, &a3, &i3));
  add("bool_subtract", ask(op_id::subtract, {b3, b3}));
  add("bool_negative", ask(op_id::negative, {b3}));
  add("bool_positive", ask(op_id::positive, {b3}));
  add("float_and", ask(op_id::bitwise_and, {a3, 1}));
  add("float_invert", ask(op_id::invert, {a3}));
  add("complex_arctan2", ask(op_id::arctan2, {z3, 1.0}));
  add("complex_floor", ask(op_id::floor, {z3}));
  add("int_literal", ask(op_id::add, {u3, 300}));
  add("int_literal_negative", ask(op_id::add, {u3, -1}));
  add("int_literal_shift", ask(op_id::left_shift, {u3, 300}));
  add("int_literal_long", ask(op_id::add, {i3, big}));
  add("negative_power", ask(op_id::power, {i3, -1}));
  add("negative_power_bool", ask(op_id::power, {b3, -1}));
  add("negative_power_unsigned", ask(op_id::power, {u3, -1}));
  add("negative_power_empty", ask(op_id::power, {empty, -1}));
  add("forced_input", ask(op_id::add, {a3, 1}, &as_int32));
  add("forced_unary", ask(op_id::sin, {z3}, &as_float32));
  add("forced_none", ask(op_id::sin, {i3}, &as_int32));
  got["element_count"] = error_of([] { zeros({std::int64_t(1) << 62, 8}); });
  got["negative_extent"] = error_of([] { zeros({-2, 1}); });
  got["axis"] = error_of([] { normalize_axis("sum", 5, 2); });
  got["axis_negative"] = error_of([] { normalize_axis("sum", -3, 2); });
  got["len_0d"] = error_of([] { zeros({}).len(); });
  // Behind NumPy's words stands why the memory can't be had.
  std::string memory = error_of([] { zeros({1000000, 1000000, 1000}); });
  got["memory"] = memory.substr(0, memory.find("float64") + 7);
  EXPECT_NE(memory.find("float64: "), std::string::npos) << memory;

  for (const auto& [name, want] : golden_cases()) {
    ASSERT_TRUE(got.contains(name)) << name << " is in the golden and not called here";
    EXPECT_EQ(got[name], want) << name;
  }
  EXPECT_EQ(got.size(), golden_cases().size());
}

TEST(UfuncErrors, NameTheOp) {
  array a = zeros({2, 3}), b = zeros({4});
  const operand in[] = {a, b};
  inference result;
  try {
    infer_ufunc({op_id::add, in}, result);
    FAIL();
  } catch (const ValueError& e) {
    EXPECT_STREQ(e.what(), "[add] operands could not be broadcast together with shapes (2,3) (4,)");
    EXPECT_EQ(e.op(), "add");
    EXPECT_EQ(e.code(), "ValueError");
  }
}

TEST(UfuncShapes, Broadcast) {
  auto shape = [](std::initializer_list<dims> list) {
    std::vector<array> held;
    std::vector<operand> in;
    for (const dims& d : list) held.push_back(zeros(d));
    for (const array& a : held) in.push_back(a);
    return ask(list.size() == 3 ? op_id::clip : op_id::add, in).result.shape;
  };
  EXPECT_EQ(shape({{2, 3}, {3}}), (dims{2, 3}));
  EXPECT_EQ(shape({{3}, {2, 1}}), (dims{2, 3}));
  EXPECT_EQ(shape({{}, {2, 1}}), (dims{2, 1}));
  EXPECT_EQ(shape({{}, {}}), dims{});
  EXPECT_EQ(shape({{1}, {0}}), dims{0});
  EXPECT_EQ(shape({{2, 0}, {2, 1}}), (dims{2, 0}));
  EXPECT_EQ(shape({{5, 1, 1}, {4, 1}, {3}}), (dims{5, 4, 3}));
  const dims deep = {1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2};
  EXPECT_EQ(shape({deep, {1}}), deep);
  EXPECT_EQ(shape({{1}, deep}), deep);
  EXPECT_EQ(ask(op_id::add, {1, 2.5}).result.shape, dims{});
}

TEST(UfuncShapes, OutAndMaskTakePart) {
  array a = zeros({3}), out = zeros({4, 2, 3}), mask = zeros({2, 1}, t::bool_);
  EXPECT_EQ(ask(op_id::add, {a, 1}, nullptr, &out).result.shape, (dims{4, 2, 3}));
  EXPECT_EQ(ask(op_id::add, {a, 1}, nullptr, nullptr, &mask).result.shape, (dims{2, 3}));
  array narrow = zeros({3}, t::float32);
  EXPECT_EQ(ask(op_id::add, {a, 1}, nullptr, &narrow).result.type, t::float64);
}

TEST(UfuncLiterals, ElementsOfEveryDtype) {
  alignas(16) char e[16];
  auto at = [&]<class T>(T) {
    T v;
    std::memcpy(&v, e, sizeof v);
    return v;
  };
  literal_element(3, t::int8, e);
  EXPECT_EQ(at(std::int8_t{}), 3);
  literal_element(std::uint64_t(1) << 63, t::uint64, e);
  EXPECT_EQ(at(std::uint64_t{}), std::uint64_t(1) << 63);
  literal_element(std::uint64_t(1) << 63, t::float64, e);
  EXPECT_EQ(at(double{}), 9223372036854775808.0);
  literal_element(0.1, t::float16, e);
  EXPECT_EQ(at(half{}).bits, 0x2e66);
  literal_element(0.1, t::float32, e);
  EXPECT_EQ(at(float{}), 0.1f);
  literal_element(std::complex<double>(1, -2), t::complex64, e);
  EXPECT_EQ(at(complex<float>{}), complex<float>(1, -2));
  literal_element(std::complex<double>(0, -2), t::bool_, e);
  EXPECT_EQ(at(bool{}), true);
  literal_element(std::numeric_limits<double>::quiet_NaN(), t::bool_, e);
  EXPECT_EQ(at(bool{}), true);
  literal_element(true, t::complex128, e);
  EXPECT_EQ(at(complex<double>{}), complex<double>(1, 0));
  literal_element(-1, t::uint16, e);
  EXPECT_EQ(at(std::uint16_t{}), 65535);
}

TEST(UfuncLiterals, ClipBoundsEndAtTheDtype) {
  array u16 = zeros({1}, t::uint16), i16 = zeros({1}, t::int16), f = zeros({1});
  EXPECT_EQ(clip_bound(u16, -1, true).int_value(), 0);
  EXPECT_EQ(clip_bound(i16, 70000, false).int_value(), 32767);
  EXPECT_EQ(clip_bound(i16, 70000, true).int_value(), 70000);  // an error of infer()
  EXPECT_EQ(clip_bound(u16, 7, true).int_value(), 7);
  EXPECT_EQ(clip_bound(f, -1, true).kind(), weak_kind::int_);
  EXPECT_TRUE(clip_bound(u16, i16, true).is_array());
  EXPECT_EQ(error_of([&] {
              const operand in[] = {i16, clip_bound(i16, 70000, true), clip_bound(i16, 9, false)};
              inference result;
              infer_ufunc({op_id::clip, in}, result);
            }),
            "OverflowError|Python integer 70000 out of bounds for int16");
}

TEST(UfuncLiterals, CheckTexts) {
  EXPECT_EQ(error_of([] { check_literal("add", 300, t::uint8); }),
            "OverflowError|Python integer 300 out of bounds for uint8");
  EXPECT_EQ(error_of([] { check_literal("add", 300.5, t::uint8); }), "no error");
  EXPECT_EQ(error_of([] { check_literal("add", 300, t::float16); }), "no error");
  EXPECT_EQ(error_of([] { check_literal("add", 255, t::uint8); }), "no error");
}

}  // namespace
}  // namespace numjit::test
