// Reductions of fused producers, with ops after them, arg reductions, and reads at the end of memory.
#include <kernels/guarded_memory.h>
#include <kernels/kernel_fixture.h>
#include <support/canonical.h>

namespace numjit::testing {
namespace {

class FusedReduce : public KernelTest {};

/// sum((x - y)^2) * s + w: a fused producer, then a scalar and an operand that lies over the rest.
template <class T>
void check_sum(const dims& shape, int axis, Layout layout) {
  SpecBuilder b;
  int x = b.operand(dtype_of<T>), y = b.operand(dtype_of<T>), w = b.operand(dtype_of<T>);
  int s = b.scalar(dtype_of<T>);
  int diff = b.op("subtract", x, y);
  int sum = b.reduce("sum", b.op("multiply", diff, diff));
  auto spec = b.outputs({b.op("add", b.op("multiply", sum, s), w)});
  ASSERT_TRUE(runtime::FusedCall::can_express(spec));
  runtime::FusedCall call(spec);
  const dims rest = without(shape, axis);
  TestArray<T> a(shape, layout, 1), c(shape, Layout::c, 2), weight(rest, Layout::c, 3), out(rest, Layout::c, 4);
  const T scale = T(0.3);
  ASSERT_TRUE(Runner(shape).array(a).array(c).raw(weight.data, spread(weight.strides, axis))
                  .raw(out.data, spread(out.strides, axis)).scalar(&scale).reduced(axis).run(call));
  for_each_index(rest, [&](const dims& i) {
    std::vector<T> terms;
    for (std::int64_t k = 0; k < shape[axis]; ++k) {
      const T d = a.at(with(i, axis, k)) - c.at(with(i, axis, k));
      terms.push_back(d * d);
    }
    const T scaled = canonical_sum(terms.data(), shape[axis]) * scale;
    ASSERT_TRUE(same_bits(out.at(i), static_cast<T>(scaled + weight.at(i))))
        << shape.str() << " axis " << axis << " " << name_of(layout) << " at " << i.str();
  });
}

TEST_F(FusedReduce, ProducerAndOpsAfter) {
  for (Layout layout : all_layouts)
    for (std::int64_t n : {0, 1, 3, 33, 1024, 1025, 3000}) {
      check_sum<float>({5, n}, 1, layout);
      check_sum<double>({n, 5}, 0, layout);
      check_sum<float>({n, 200}, 0, layout);
    }
}

TEST_F(FusedReduce, TwoReductionsInOneKernel) {
  SpecBuilder b;
  int x = b.operand(dtype_id::float64);
  int sum = b.reduce("sum", x), largest = b.reduce("max", x), where = b.reduce("argmax", x);
  runtime::FusedCall call(b.outputs({b.op("divide", sum, largest), largest, where}));
  for (std::int64_t n : {5, 1000, 2500})
    for (int axis : {0, 1}) {
      const dims shape = axis == 1 ? dims{6, n} : dims{n, 6};
      TestArray<double> a(shape, Layout::c, 1), ratio({6}, Layout::c, 1), top({6}, Layout::c, 1);
      TestArray<std::int64_t> at({6}, Layout::c, 1);
      ASSERT_TRUE(Runner(shape).array(a).raw(ratio.data, spread(ratio.strides, axis))
                      .raw(top.data, spread(top.strides, axis)).raw(at.data, spread(at.strides, axis))
                      .reduced(axis).run(call));
      for (std::int64_t i = 0; i < 6; ++i) {
        std::vector<double> v;
        for (std::int64_t k = 0; k < n; ++k) v.push_back(a.at(with({i}, axis, k)));
        const std::int64_t best = first_best(v.data(), n, std::greater<double>());
        ASSERT_EQ(at.at({i}), best);
        ASSERT_EQ(top.at({i}), v[static_cast<std::size_t>(best)]);
        ASSERT_TRUE(same_bits(ratio.at({i}), canonical_sum(v.data(), n) / v[static_cast<std::size_t>(best)]));
      }
    }
}

template <class T>
void check_arg(const char* op, bool largest) {
  SpecBuilder b;
  runtime::FusedCall call(b.outputs({b.reduce(op, b.operand(dtype_of<T>))}));
  for (std::int64_t n : {1, 2, 31, 32, 33, 100, 1024, 1025, 5000})
    for (int axis : {0, 1})
      for (int kind = 0; kind < 4; ++kind) {
        const dims shape = axis == 1 ? dims{3, n} : dims{n, 3};
        TestArray<T> a(shape, kind == 3 ? Layout::negative : Layout::c, 9);
        for_each_index(shape, [&](const dims& i) {
          const std::int64_t k = i[axis];
          if (kind == 0) a.ref(i) = static_cast<T>(k % 5);                      // many equals
          if (kind == 1) a.ref(i) = static_cast<T>(largest ? std::numeric_limits<T>::lowest()
                                                           : std::numeric_limits<T>::max());
          if constexpr (std::is_floating_point_v<T>) {
            if (kind == 1) a.ref(i) = largest ? -std::numeric_limits<T>::infinity() : std::numeric_limits<T>::infinity();
            if (kind == 2 && (k == n / 2 || k == n - 1)) a.ref(i) = std::numeric_limits<T>::quiet_NaN();
          }
        });
        TestArray<std::int64_t> out({3}, Layout::c, 1);
        ASSERT_TRUE(Runner(shape).array(a).raw(out.data, spread(out.strides, axis)).reduced(axis).run(call));
        for (std::int64_t i = 0; i < 3; ++i) {
          std::unique_ptr<T[]> v(new T[static_cast<std::size_t>(n)]);
          for (std::int64_t k = 0; k < n; ++k) v[static_cast<std::size_t>(k)] = a.at(with({i}, axis, k));
          const std::int64_t expected = first_best(v.get(), n, [&](T p, T q) { return largest ? p > q : p < q; });
          ASSERT_EQ(out.at({i}), expected) << op << " n " << n << " axis " << axis << " kind " << kind;
        }
      }
}

TEST_F(FusedReduce, ArgmaxFloat64) { check_arg<double>("argmax", true); }
TEST_F(FusedReduce, ArgminFloat32) { check_arg<float>("argmin", false); }
TEST_F(FusedReduce, ArgmaxInt32) { check_arg<std::int32_t>("argmax", true); }
TEST_F(FusedReduce, ArgminUint8) { check_arg<std::uint8_t>("argmin", false); }
TEST_F(FusedReduce, ArgmaxBool) { check_arg<bool>("argmax", true); }

TEST_F(FusedReduce, NanWinsInMaxAndMin) {
  for (const char* op : {"max", "min"}) {
    SpecBuilder b;
    runtime::FusedCall call(b.outputs({b.reduce(op, b.operand(dtype_id::float32))}));
    for (std::int64_t n : {1, 5, 40, 2000})
      for (std::int64_t at : {std::int64_t(0), n / 2, n - 1}) {
        TestArray<float> a({n}, Layout::c, 1), out({1}, Layout::c, 1);
        a.ref({at}) = std::numeric_limits<float>::quiet_NaN();
        ASSERT_TRUE(Runner({n}).array(a).raw(out.data, {0}).reduced(0).run(call));
        ASSERT_TRUE(std::isnan(out.at({0}))) << op << " " << n << " " << at;
      }
  }
}

TEST_F(FusedReduce, NegativeZeroSurvives) {
  SpecBuilder b;
  runtime::FusedCall call(b.outputs({b.reduce("sum", b.operand(dtype_id::float64))}));
  for (std::int64_t n : {1, 5, 33, 1500}) {
    TestArray<double> a({n}, Layout::c, 1), out({1}, Layout::c, 1);
    for (std::int64_t i = 0; i < n; ++i) a.ref({i}) = -0.0;
    ASSERT_TRUE(Runner({n}).array(a).raw(out.data, {0}).reduced(0).run(call));
    ASSERT_TRUE(same_bits(out.at({0}), -0.0)) << n;
  }
}

template <class T>
void check_guarded(const char* op) {
  SpecBuilder b;
  int x = b.operand(dtype_of<T>), y = b.operand(dtype_of<T>);
  runtime::FusedCall rows(b.outputs({b.reduce(op, b.op("add", x, y))}));
  SpecBuilder e;
  runtime::FusedCall plain(e.outputs({e.op("negative", e.operand(dtype_of<T>))}));
  const auto size = static_cast<std::int64_t>(sizeof(T));
  for (std::int64_t n : {1, 2, 3, 7, 8, 9, 15, 17, 31, 33, 47, 63, 65, 1000, 1023, 1025, 1030}) {
    GuardedMemory a(static_cast<std::size_t>(2 * n * size)), c(static_cast<std::size_t>(2 * n * size));
    GuardedMemory out(static_cast<std::size_t>(2 * n * size)), sums(static_cast<std::size_t>(2 * n * size));
    std::memset(a.data, 0, static_cast<std::size_t>(2 * n * size));
    std::memset(c.data, 0, static_cast<std::size_t>(2 * n * size));
    const dims shape{2, n}, strides{n * size, size};
    ASSERT_TRUE(Runner(shape).raw(a.data, strides).raw(c.data, strides).raw(sums.data, {size, 0}).reduced(1).run(rows));
    ASSERT_TRUE(Runner(shape).raw(a.data, strides).raw(c.data, strides).raw(sums.data, {0, size}).reduced(0).run(rows));
    ASSERT_TRUE(Runner(shape).raw(a.data, strides).raw(out.data, strides).run(plain));
  }
}

TEST(GuardPage, NothingIsReadBeyondTheEnd) {
  config_scope sync({.compile = compile_mode::sync, .suppress_errors = false});
  check_guarded<float>("sum");
  check_guarded<double>("sum");
  check_guarded<std::int8_t>("max");
  check_guarded<std::int64_t>("sum");
}

TEST(GuardPage, ProductTiles) {
  config_scope sync({.compile = compile_mode::sync, .suppress_errors = false});
  SpecBuilder b;
  int p = b.operand(dtype_id::float32), c = b.operand(dtype_id::float32);
  runtime::FusedCall call(b.outputs({b.reduce("argmin", b.reduce("sum", b.op("multiply", p, c), 0), 1)}));
  for (std::int64_t n : {1, 3, 16, 17, 33})
    for (std::int64_t d : {1, 3, 5, 20})
      for (bool transposed : {false, true}) {
        const std::int64_t k = 3;
        GuardedMemory points(static_cast<std::size_t>(n * d * 4)), centres(static_cast<std::size_t>(k * d * 4));
        GuardedMemory out(static_cast<std::size_t>(n * 8));
        std::memset(points.data, 0, static_cast<std::size_t>(n * d * 4));
        std::memset(centres.data, 0, static_cast<std::size_t>(k * d * 4));
        const dims ps = transposed ? dims{4, 0, 4 * n} : dims{4 * d, 0, 4};
        ASSERT_TRUE(Runner({n, k, d}).raw(points.data, ps).raw(centres.data, {0, 4 * d, 4})
                        .raw(out.data, {8, 0, 0}).reduced(2, 1).run(call));
      }
}

}  // namespace
}  // namespace numjit::testing
