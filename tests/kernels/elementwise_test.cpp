// Elementwise kernels: layouts, sizes, ranks, several outputs, in place, against plain loops.
#include <sys/mman.h>

#include <kernels/guarded_memory.h>
#include <kernels/kernel_fixture.h>

namespace numjit::testing {
namespace {

class Elementwise : public KernelTest {};

/// a * b + a over dtype T in each pair of layouts.
template <class T>
void check_layouts(const dims& shape) {
  SpecBuilder b;
  int x = b.operand(dtype_of<T>), y = b.operand(dtype_of<T>);
  auto spec = b.outputs({b.op("add", b.op("multiply", x, y), x)});
  runtime::FusedCall call(spec);
  for (Layout left : all_layouts)
    for (Layout right : {Layout::c, Layout::transposed, Layout::broadcast}) {
      TestArray<T> a(shape, left, 1), c(shape, right, 2), out(shape, left == Layout::broadcast ? Layout::c : left, 3);
      ASSERT_TRUE(Runner(shape).array(a).array(c).array(out).run(call));
      for_each_index(shape, [&](const dims& i) {
        const T product = static_cast<T>(a.at(i) * c.at(i));
        ASSERT_TRUE(same_bits(out.at(i), static_cast<T>(product + a.at(i))))
            << shape.str() << " " << name_of(left) << " " << name_of(right) << " at " << i.str();
      });
    }
}

template <class T>
void check_shapes() {
  for (std::int64_t n : {0, 1, 2, 3, 31, 32, 33, 1000, 1023, 1025, 100000}) check_layouts<T>({n});
  for (dims shape : {dims{1, 1}, dims{5, 7}, dims{33, 65}, dims{300, 3}, dims{2, 1000}, dims{3, 4, 5},
                     dims{2, 1, 3, 1, 2, 3}, dims{2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 1, 1, 1, 1, 2, 3}})
    check_layouts<T>(shape);
}

TEST_F(Elementwise, Float32) { check_shapes<float>(); }
TEST_F(Elementwise, Float64) { check_shapes<double>(); }
TEST_F(Elementwise, UnsignedWraps) { check_shapes<std::uint32_t>(); }
TEST_F(Elementwise, Bytes) { check_shapes<std::uint8_t>(); }

TEST_F(Elementwise, BoolResults) {
  SpecBuilder b;
  int x = b.operand(dtype_id::float64), s = b.scalar(dtype_id::float64);
  int less = b.op("less", x, s);
  auto spec = b.outputs({less, b.op("logical_not", less)});
  runtime::FusedCall call(spec);
  for (std::int64_t n : {1, 8, 9, 1000}) {
    TestArray<double> a({n}, Layout::c, 5);
    TestArray<std::uint8_t> below({n}, Layout::c, 6), above({n}, Layout::step2, 7);
    const double limit = 0.25;
    ASSERT_TRUE(Runner({n}).array(a).array(below).array(above).scalar(&limit).run(call));
    for (std::int64_t i = 0; i < n; ++i) {
      ASSERT_EQ(below.at({i}), a.at({i}) < limit ? 1 : 0);
      ASSERT_EQ(above.at({i}), a.at({i}) < limit ? 0 : 1);
    }
  }
}

TEST_F(Elementwise, BoolOperandsAndCasts) {
  SpecBuilder b;
  int flag = b.operand(dtype_id::bool_), x = b.operand(dtype_id::int32);
  auto spec = b.outputs({b.op("where", flag, b.cast(dtype_id::float64, x), b.cast(dtype_id::float64, flag))});
  runtime::FusedCall call(spec);
  TestArray<bool> f({100}, Layout::c, 1);
  TestArray<std::int32_t> a({100}, Layout::c, 2);
  TestArray<double> out({100}, Layout::c, 3);
  ASSERT_TRUE(Runner({100}).array(f).array(a).array(out).run(call));
  for (std::int64_t i = 0; i < 100; ++i) ASSERT_EQ(out.at({i}), f.at({i}) ? double(a.at({i})) : 0.0);
}

TEST_F(Elementwise, InPlace) {
  SpecBuilder b;
  int x = b.operand(dtype_id::float64), y = b.operand(dtype_id::float64);
  runtime::FusedCall call(b.outputs({b.op("subtract", b.op("multiply", x, y), y)}));
  for (std::int64_t n : {1, 7, 13, 1000, 100000}) {
    TestArray<double> a({n}, Layout::c, 1), before({n}, Layout::c, 1), c({n}, Layout::c, 2);
    ASSERT_TRUE(Runner({n}).array(a).array(c).array(a).run(call));
    for (std::int64_t i = 0; i < n; ++i) ASSERT_EQ(a.at({i}), before.at({i}) * c.at({i}) - c.at({i})) << i;
  }
}

/// Both outputs overwrite inputs that both expressions read: (u, v) = (u + v, u - v).
TEST_F(Elementwise, SeveralOutputsInPlace) {
  SpecBuilder b;
  int u = b.operand(dtype_id::float64), v = b.operand(dtype_id::float64);
  runtime::FusedCall call(b.outputs({b.op("add", u, v), b.op("subtract", u, v)}));
  for (Layout layout : {Layout::c, Layout::step2})
    for (std::int64_t n : {1, 7, 13, 1000, 100000}) {
      TestArray<double> a({n}, layout, 1), a0({n}, layout, 1), c({n}, layout, 2), c0({n}, layout, 2);
      ASSERT_TRUE(Runner({n}).array(a).array(c).array(a).array(c).run(call));
      for (std::int64_t i = 0; i < n; ++i) {
        ASSERT_EQ(a.at({i}), a0.at({i}) + c0.at({i}));
        ASSERT_EQ(c.at({i}), a0.at({i}) - c0.at({i}));
      }
    }
}

/// Shared nodes must not multiply: 60 doublings of x + x would be 2^60 nodes as a tree.
TEST_F(Elementwise, SharedNodesStayShared) {
  SpecBuilder b;
  int x = b.operand(dtype_id::float64), s = b.scalar(dtype_id::float64);
  for (int i = 0; i < 60; ++i) x = b.op("multiply", b.op("add", x, x), s);
  runtime::FusedCall call(b.outputs({x}));
  TestArray<double> a({100}, Layout::c, 1), out({100}, Layout::c, 2);
  const double half = 0.5;
  ASSERT_TRUE(Runner({100}).array(a).array(out).scalar(&half).run(call));
  for (std::int64_t i = 0; i < 100; ++i) ASSERT_EQ(out.at({i}), a.at({i}));
}

TEST_F(Elementwise, TwoHundredNodes) {
  SpecBuilder b;
  int x = b.operand(dtype_id::float32), y = b.operand(dtype_id::float32), v = x;
  for (int i = 0; i < 100; ++i) v = b.op("subtract", b.op("add", v, y), x);
  runtime::FusedCall call(b.outputs({v}));
  TestArray<float> a({1000}, Layout::c, 1), c({1000}, Layout::c, 2), out({1000}, Layout::c, 3);
  ASSERT_TRUE(Runner({1000}).array(a).array(c).array(out).run(call));
  for (std::int64_t i = 0; i < 1000; ++i) {
    float expected = a.at({i});
    for (int k = 0; k < 100; ++k) expected = (expected + c.at({i})) - a.at({i});
    ASSERT_TRUE(same_bits(out.at({i}), expected));
  }
}

TEST_F(Elementwise, SameLayoutAgainWithOtherData) {
  SpecBuilder b;
  int x = b.operand(dtype_id::float64), s = b.scalar(dtype_id::float64);
  runtime::FusedCall call(b.outputs({b.op("multiply", x, s)}));
  TestArray<double> a({10}, Layout::c, 1), c({10}, Layout::c, 2), out({10}, Layout::c, 3);
  double factor = 2;
  ASSERT_TRUE(Runner({10}).array(a).array(out).scalar(&factor).run(call));
  double other = 3;
  ASSERT_TRUE(Runner({10}).array(c).array(out).scalar(&other).run(call, false));
  for (std::int64_t i = 0; i < 10; ++i) ASSERT_EQ(out.at({i}), c.at({i}) * 3);
}

/// More layouts in turn than are remembered.
TEST_F(Elementwise, LayoutsInTurn) {
  SpecBuilder b;
  runtime::FusedCall call(b.outputs({b.op("negative", b.operand(dtype_id::float64))}));
  for (int round = 0; round < 3; ++round)
    for (std::int64_t n = 0; n < 12; ++n) {
      TestArray<double> a({n}, n % 2 ? Layout::c : Layout::step2, 1), out({n}, Layout::c, 2);
      ASSERT_TRUE(Runner({n}).array(a).array(out).run(call));
      ASSERT_TRUE(Runner({n}).array(a).array(out).run(call, false));
      for (std::int64_t i = 0; i < n; ++i) ASSERT_EQ(out.at({i}), -a.at({i})) << n;
    }
}

/// Strides and extents that 32 bits can't count, in memory that is reserved but hardly touched.
TEST_F(Elementwise, FarApart) {
  const std::int64_t pitch = (std::int64_t(1) << 31) + 7, bytes = 2 * pitch + 100;
  char* far = static_cast<char*>(mmap(nullptr, static_cast<std::size_t>(bytes), PROT_READ | PROT_WRITE,
                                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
  if (far == MAP_FAILED) GTEST_SKIP() << "no address space";
  for (std::int64_t r = 0; r < 3; ++r)
    for (std::int64_t i = 0; i < 100; ++i) far[r * pitch + i] = static_cast<char>(10 * r + i);
  SpecBuilder b;
  runtime::FusedCall call(b.outputs({b.op("add", b.operand(dtype_id::uint8), b.operand(dtype_id::uint8))}));
  TestArray<std::uint8_t> out({3, 100}, Layout::c, 1), out_t({100, 3}, Layout::c, 1);
  ASSERT_TRUE(Runner({3, 100}).raw(far, {pitch, 1}).raw(far, {pitch, 1}).array(out).run(call));
  ASSERT_TRUE(Runner({100, 3}).raw(far, {1, pitch}).raw(far, {1, pitch}).array(out_t).run(call));
  SpecBuilder r;
  runtime::FusedCall sum(r.outputs({r.reduce("max", r.operand(dtype_id::uint8))}));
  TestArray<std::uint8_t> rows({3}, Layout::c, 1);
  ASSERT_TRUE(Runner({3, 100}).raw(far, {pitch, 1}).raw(rows.data, {1, 0}).reduced(1).run(sum));
  for (std::int64_t k = 0; k < 3; ++k) {
    for (std::int64_t i = 0; i < 100; ++i) {
      ASSERT_EQ(out.at({k, i}), 2 * (10 * k + i));
      ASSERT_EQ(out_t.at({i, k}), 2 * (10 * k + i));
    }
    ASSERT_EQ(rows.at({k}), 10 * k + 99);
  }
  munmap(far, static_cast<std::size_t>(bytes));
}

/// One channel of a picture: vectors are loaded whole, but nothing before its first element or behind its last one.
template <class T>
void check_channels() {
  SpecBuilder b;
  int x = b.operand(dtype_of<T>), y = b.operand(dtype_of<T>);
  runtime::FusedCall call(b.outputs({b.op("subtract", x, y)}));
  const auto size = static_cast<std::int64_t>(sizeof(T));
  for (const std::int64_t channels : {3, 4})
    for (const std::int64_t n : {1, 2, 3, 5, 7, 8, 9, 15, 16, 17, 31, 33, 64, 65, 100, 127, 1000})
      for (const auto side : {GuardedMemory::Side::after, GuardedMemory::Side::before}) {
        const auto bytes = static_cast<std::size_t>(((n - 1) * channels + 1) * size);
        GuardedMemory a(bytes, side), c(bytes, side), out(static_cast<std::size_t>(n * size), side);
        T *left = reinterpret_cast<T*>(a.data), *right = reinterpret_cast<T*>(c.data), *result = reinterpret_cast<T*>(out.data);
        for (std::int64_t i = 0; i < n; ++i) {
          left[i * channels] = static_cast<T>(i * 7 % 101 + 1);
          right[i * channels] = static_cast<T>(i % 13);
        }
        ASSERT_TRUE(Runner({n}).raw(a.data, {channels * size}).raw(c.data, {channels * size}).raw(out.data, {size}).run(call));
        for (std::int64_t i = 0; i < n; ++i)
          ASSERT_EQ(result[i], static_cast<T>(left[i * channels] - right[i * channels]))
              << channels << " channels, " << i << " of " << n;
      }
}

TEST_F(Elementwise, ChannelsOfPictures) {
  check_channels<std::uint8_t>();
  check_channels<std::uint16_t>();
  check_channels<std::int32_t>();
  check_channels<float>();
  check_channels<double>();
}

TEST_F(Elementwise, UnalignedStridesAreLeftToTheEagerEngine) {
  SpecBuilder b;
  int x = b.operand(dtype_id::float64);
  runtime::FusedCall call(b.outputs({b.op("negative", x)}));
  char bytes[64] = {};
  double out[2];
  EXPECT_FALSE(Runner({2}).raw(bytes, {9}).raw(reinterpret_cast<char*>(out), {8}).run(call));
}

TEST(CanExpress, SaysNoToEuclidChainsAndSumsInFloat16) {
  SpecBuilder half;
  int h = half.operand(dtype_id::float16);
  EXPECT_FALSE(runtime::FusedCall::can_express(half.outputs({half.reduce("sum", h)})));
  SpecBuilder euclid;
  int a = euclid.operand(dtype_id::int32);
  EXPECT_FALSE(runtime::FusedCall::can_express(euclid.outputs({euclid.op("gcd", a, a)})));
  SpecBuilder chain;
  int x = chain.operand(dtype_id::float32);
  int largest = chain.reduce("max", x);
  EXPECT_FALSE(runtime::FusedCall::can_express(chain.outputs({chain.reduce("sum", chain.op("subtract", x, largest))})));
}

}  // namespace
}  // namespace numjit::testing
