// Reductions over one axis: every op, dtype, size and layout against the canonical reference, bit by bit.
#include <kernels/kernel_fixture.h>
#include <support/canonical.h>

namespace numjit::testing {
namespace {

const std::int64_t sizes[] = {0, 1, 2, 3, 8, 31, 32, 33, 63, 64, 65, 1000, 1023, 1024, 1025, 2048, 5000, 100000};

template <class R>
struct Reference {
  const char* op;
  R (*of)(const R*, std::int64_t);
};

template <class R>
R wrapping_sum(const R* x, std::int64_t n) {
  if constexpr (std::is_floating_point_v<R>) {
    return canonical_sum(x, n);
  } else {
    std::make_unsigned_t<R> sum = 0;
    for (std::int64_t i = 0; i < n; ++i) sum += static_cast<std::make_unsigned_t<R>>(x[i]);
    return static_cast<R>(sum);
  }
}
template <class R>
R reference_prod(const R* x, std::int64_t n) {
  if constexpr (std::is_floating_point_v<R>) {
    return canonical_reduce(x, n, R(1), R(1), [](R a, R b) { return static_cast<R>(a * b); });
  } else {
    std::uint64_t product = 1;
    for (std::int64_t i = 0; i < n; ++i) product *= static_cast<std::uint64_t>(x[i]);
    return static_cast<R>(product);
  }
}
template <class R>
R reference_max(const R* x, std::int64_t n) {
  return x[first_best(x, n, [](R a, R b) { return a > b; })];
}
template <class R>
R reference_min(const R* x, std::int64_t n) {
  return x[first_best(x, n, [](R a, R b) { return a < b; })];
}
template <class R>
R reference_any(const R* x, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i)
    if (x[i]) return true;
  return false;
}
template <class R>
R reference_all(const R* x, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i)
    if (!x[i]) return false;
  return true;
}

/// Reduces `shape` over `axis` in each layout and compares.
template <class T, class R>
void check(const Reference<R>& reference, const dims& shape, int axis) {
  SpecBuilder b;
  auto spec = b.outputs({b.reduce(reference.op, b.operand(dtype_of<T>))});
  ASSERT_EQ(spec.nodes.back().type, dtype_of<R>);
  ASSERT_TRUE(runtime::FusedCall::can_express(spec));
  runtime::FusedCall call(spec);
  for (Layout layout : all_layouts) {
    TestArray<T> in(shape, layout, 7);
    const dims rest = without(shape, axis);
    TestArray<R> out(rest, Layout::c, 1);
    ASSERT_TRUE(Runner(shape).array(in).raw(out.data, spread(out.strides, axis)).reduced(axis).run(call));
    std::int64_t wrong = 0;
    for_each_index(rest, [&](const dims& index) {
      std::unique_ptr<R[]> values(new R[static_cast<std::size_t>(shape[axis]) + 1]);
      for (std::int64_t i = 0; i < shape[axis]; ++i)
        values[static_cast<std::size_t>(i)] = static_cast<R>(in.at(with(index, axis, i)));
      const R expected = reference.of(values.get(), shape[axis]);
      if (!same_bits(out.at(index), expected) && wrong++ == 0)
        ADD_FAILURE() << reference.op << " " << dtype(dtype_of<T>).name() << " " << shape.str() << " axis "
                      << axis << " " << name_of(layout) << " at " << index.str() << ": got "
                      << +out.at(index) << ", expected " << +expected;
    });
    EXPECT_EQ(wrong, 0);
  }
}

template <class T, class R>
void check_all(const Reference<R>& reference, bool empty_allowed) {
  for (std::int64_t n : sizes) {
    if (n == 0 && !empty_allowed) continue;
    check<T, R>(reference, {n}, 0);
    const std::int64_t others = n > 10000 ? 3 : 7;
    check<T, R>(reference, {others, n}, 1);
    check<T, R>(reference, {n, others}, 0);
    if (n <= 1025) {
      check<T, R>(reference, {n, 130}, 0);
      check<T, R>(reference, {3, n, 5}, 1);
      check<T, R>(reference, {2, 3, 4, n}, 2);
    }
  }
}

class Reduce : public KernelTest {};

TEST_F(Reduce, SumFloat32) { check_all<float, float>({"sum", wrapping_sum<float>}, true); }
TEST_F(Reduce, SumFloat64) { check_all<double, double>({"sum", wrapping_sum<double>}, true); }
TEST_F(Reduce, SumInt64) { check_all<std::int64_t, std::int64_t>({"sum", wrapping_sum<std::int64_t>}, true); }
TEST_F(Reduce, SumInt32) { check_all<std::int32_t, std::int64_t>({"sum", wrapping_sum<std::int64_t>}, true); }
TEST_F(Reduce, SumUint8) { check_all<std::uint8_t, std::uint64_t>({"sum", wrapping_sum<std::uint64_t>}, true); }
TEST_F(Reduce, SumBool) { check_all<bool, std::int64_t>({"sum", wrapping_sum<std::int64_t>}, true); }
TEST_F(Reduce, ProdFloat64) { check_all<double, double>({"prod", reference_prod<double>}, true); }
TEST_F(Reduce, ProdInt32) { check_all<std::int32_t, std::int64_t>({"prod", reference_prod<std::int64_t>}, true); }
TEST_F(Reduce, MaxFloat32) { check_all<float, float>({"max", reference_max<float>}, false); }
TEST_F(Reduce, MinFloat64) { check_all<double, double>({"min", reference_min<double>}, false); }
TEST_F(Reduce, MaxInt32) { check_all<std::int32_t, std::int32_t>({"max", reference_max<std::int32_t>}, false); }
TEST_F(Reduce, MinUint8) { check_all<std::uint8_t, std::uint8_t>({"min", reference_min<std::uint8_t>}, false); }
TEST_F(Reduce, AnyBool) { check_all<bool, bool>({"any", reference_any<bool>}, true); }
TEST_F(Reduce, AllBool) { check_all<bool, bool>({"all", reference_all<bool>}, true); }
TEST_F(Reduce, AnyFloat64) { check_all<double, bool>({"any", reference_any<bool>}, true); }

}  // namespace
}  // namespace numjit::testing
