// Shapes: text, counts, broadcasting, axis numbers.
#include <gtest/gtest.h>

#include <numjit/array/dims.h>

namespace numjit {
namespace {

template <class F>
std::string text_of(F&& f) {
  try {
    f();
  } catch (const error& e) {
    return e.code() + ": " + e.what();
  }
  return "no error";
}

TEST(Dims, Text) {
  EXPECT_EQ(dims{}.str(), "()");
  EXPECT_EQ(dims{4}.str(), "(4,)");
  EXPECT_EQ((dims{2, 3}.str()), "(2, 3)");
  EXPECT_EQ((dims{2, 3}.compact_str()), "(2,3)");
  EXPECT_EQ(dims{4}.compact_str(), "(4,)");
  EXPECT_EQ((dims{-1, 0}.str()), "(-1, 0)");
}

TEST(Dims, ListOperations) {
  dims d{1, 2, 3};
  d.insert(1, 7);
  EXPECT_EQ(d, (dims{1, 7, 2, 3}));
  d.erase(0);
  EXPECT_EQ(d, (dims{7, 2, 3}));
  d.push_back(4);
  EXPECT_EQ(d.back(), 4);
  d.resize(6, 9);
  EXPECT_EQ(d, (dims{7, 2, 3, 4, 9, 9}));
  d.resize(1);
  EXPECT_EQ(d, dims{7});
  const std::int64_t values[] = {5, 6};
  d.assign(values, 2);
  EXPECT_EQ(d, (dims{5, 6}));
  EXPECT_NE(d, (dims{5}));
}

TEST(Dims, HoldSixteenAxes) {
  dims d;
  for (int i = 0; i < 16; ++i) d.push_back(i);
  const char* text = "ValueError: maximum supported dimension for an array is 16, found 17.";
  EXPECT_EQ(text_of([&] { d.push_back(1); }), text);
  EXPECT_EQ(text_of([&] { d.insert(0, 1); }), text);
  EXPECT_EQ(text_of([&] { d.resize(17); }), text);
  const std::int64_t many[17] = {};
  EXPECT_EQ(text_of([&] { dims(many, 17); }), text);
  EXPECT_EQ(d.size(), 16);
}

TEST(Dims, ElementCount) {
  EXPECT_EQ(element_count({}), 1);
  EXPECT_EQ(element_count({3, 0, 5}), 0);
  EXPECT_EQ(element_count({2, 3, 4}), 24);
  EXPECT_EQ(element_count({std::int64_t(1) << 62}), std::int64_t(1) << 62);
  const char* too_big =
      "ValueError: array is too big; `arr.size * arr.dtype.itemsize` is larger than the maximum "
      "possible size.";
  EXPECT_EQ(text_of([] { element_count({std::int64_t(1) << 62, 2}); }), too_big);
  EXPECT_EQ(text_of([] { element_count({0, std::int64_t(1) << 62, 2}); }), too_big);
  EXPECT_EQ(text_of([] { element_count({2, -1}); }),
            "ValueError: negative dimensions are not allowed");
  EXPECT_EQ(text_of([] { contiguous_strides({4, std::int64_t(1) << 60}, 8); }), too_big);
}

TEST(Dims, Broadcast) {
  auto of = [](std::initializer_list<dims> list) {
    return broadcast_shapes("add", {list.begin(), list.size()});
  };
  EXPECT_EQ(of({}), dims{});
  EXPECT_EQ(of({{}, {}}), dims{});
  EXPECT_EQ(of({{3}, {2, 1}}), (dims{2, 3}));
  EXPECT_EQ(of({{0}, {1}}), dims{0});
  EXPECT_EQ(of({{1, 5}, {4, 1}, {3, 1, 1}}), (dims{3, 4, 5}));
  EXPECT_EQ(text_of([&] { of({{2, 3}, {4}}); }),
            "ValueError: [add] operands could not be broadcast together with shapes (2,3) (4,)");
  EXPECT_EQ(text_of([&] { of({{2, 0}, {3, 2}, {}}); }),
            "ValueError: [add] operands could not be broadcast together with shapes (2,0) (3,2) ()");
}

TEST(Dims, Axes) {
  EXPECT_EQ(normalize_axis("sum", 0, 2), 0);
  EXPECT_EQ(normalize_axis("sum", -1, 2), 1);
  EXPECT_EQ(normalize_axis("sum", -2, 2), 0);
  EXPECT_EQ(text_of([] { normalize_axis("sum", 2, 2); }),
            "AxisError: [sum] axis 2 is out of bounds for array of dimension 2");
  EXPECT_EQ(text_of([] { normalize_axis("sum", -3, 2); }),
            "AxisError: [sum] axis -3 is out of bounds for array of dimension 2");
  EXPECT_EQ(text_of([] { normalize_axis("sum", 0, 0); }),
            "AxisError: [sum] axis 0 is out of bounds for array of dimension 0");
}

}  // namespace
}  // namespace numjit
