// Reductions and scans, memcmp against the definitions in docs/numerics.md.
#include <cmath>
#include <limits>
#include <random>

#include <gtest/gtest.h>

#include <numjit/base/config.h>
#include <support/canonical.h>

#include "helpers.h"

namespace numjit::testing {
namespace {

/// Values over many magnitudes, so that another order of additions gives other bits.
array wild(std::int64_t n, dtype_id type, unsigned seed = 1) {
  std::mt19937_64 random(seed);
  std::vector<double> v(static_cast<std::size_t>(n));
  for (double& x : v)
    x = std::ldexp(static_cast<double>(random() >> 11) * 0x1p-53 - 0.3, static_cast<int>(random() % 20) - 10);
  return run(op_id::astype, {doubles(v)}, layout::type_params(type));
}

template <class T>
std::string bytes_of(const std::vector<T>& v) {
  return {reinterpret_cast<const char*>(v.data()), v.size() * sizeof(T)};
}

/// Sums along one axis of a matrix by the reference.
template <class T>
std::vector<T> reference_sums(const array& a, int axis) {
  const std::vector<T> v = values<T>(a);
  const std::int64_t rows = a.shape(0), columns = a.shape(1);
  std::vector<T> out;
  if (axis == 1)
    for (std::int64_t i = 0; i < rows; ++i) out.push_back(canonical_sum(&v[static_cast<std::size_t>(i * columns)], columns));
  else
    for (std::int64_t j = 0; j < columns; ++j) {
      std::vector<T> column;
      for (std::int64_t i = 0; i < rows; ++i) column.push_back(v[static_cast<std::size_t>(i * columns + j)]);
      out.push_back(canonical_sum(column.data(), rows));
    }
  return out;
}

template <class T>
void check_matrix(const array& a, const char* what) {
  for (int axis = 0; axis < 2; ++axis) {
    const std::vector<T> want = reference_sums<T>(a, axis);
    ASSERT_EQ(bytes(run(op_id::sum, {a}, over(dims{axis}))), bytes_of(want)) << what << " axis " << axis;
    if (axis == 1) {  // both axes: nested, the last first
      const T all = canonical_sum(want.data(), static_cast<std::int64_t>(want.size()));
      ASSERT_EQ(bytes(run(op_id::sum, {a})), bytes_of(std::vector<T>{all})) << what;
    }
  }
}

template <class T>
void check_sums(dtype_id type) {
  const std::int64_t shapes[][2] = {{1, 1},    {3, 5},   {7, 31},  {33, 8},    {40, 32},   {100, 100},
                                    {1024, 3}, {1025, 2}, {2, 1025}, {5000, 7}, {3, 70000}, {2049, 130}};
  for (const auto& shape : shapes) {
    const array a = reshape(wild(shape[0] * shape[1], type), dims{shape[0], shape[1]});
    const std::string text = dims(shape, 2).str();
    check_matrix<T>(a, text.c_str());
    check_matrix<T>(transpose(a), (text + " transposed").c_str());
    check_matrix<T>(index(a, {layout::index_entry::range(layout::none, layout::none, -1),
                              layout::index_entry::range(layout::none, layout::none, 2)}),
                    (text + " strided").c_str());
  }
}

TEST(Reduce, SumsAreCanonicalInEveryLayout) {
  check_sums<double>(dtype_id::float64);
  check_sums<float>(dtype_id::float32);
}

TEST(Reduce, LongSumsUseTheSameRuleOnTheChunks) {
  const array a = wild(1024 * 1024 + 3000, dtype_id::float32);
  const std::vector<float> v = values<float>(a);
  std::string first;
  for (const int threads : {1, 2, 7}) {
    config().threads = threads;
    EXPECT_EQ(bytes(run(op_id::sum, {a})),
              bytes_of(std::vector<float>{canonical_sum(v.data(), static_cast<std::int64_t>(v.size()))}));
    const array m = reshape(slice(a, 0, 1024 * 1024), dims{4096, 256});
    const std::string got = bytes(run(op_id::sum, {m}, over(dims{0}))) + bytes(run(op_id::max, {m}, over(dims{1})));
    if (first.empty()) first = got;
    EXPECT_EQ(got, first) << threads;
  }
  config().threads = 0;
}

TEST(Reduce, HalfIsSummedInFloatAndRoundedOnce) {
  const array h = wild(3000, dtype_id::float16);
  const std::vector<float> v = values<float>(run(op_id::astype, {h}, layout::type_params(dtype_id::float32)));
  const half want(canonical_sum(v.data(), 3000));
  EXPECT_EQ(values<half>(run(op_id::sum, {h}))[0].bits, want.bits);
}

TEST(Reduce, ComplexSumsItsPartsSeparately) {
  const array re = wild(2500, dtype_id::float64, 1), im = wild(2500, dtype_id::float64, 2);
  const array z = run(op_id::astype, {re}, layout::type_params(dtype_id::complex128));
  run(op_id::store, {run(op_id::imag_view, {z}), im});
  const std::vector<complex<double>> got = values<complex<double>>(run(op_id::sum, {z}));
  EXPECT_EQ(got[0].re, canonical_sum(values<double>(re).data(), 2500));
  EXPECT_EQ(got[0].im, canonical_sum(values<double>(im).data(), 2500));
}

TEST(Reduce, IntegersWrap) {
  EXPECT_EQ(values<std::int64_t>(run(op_id::sum, {of<std::int8_t>(dtype_id::int8, {127, 127, 127})})),
            std::vector<std::int64_t>{381});
  const std::int64_t big = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(values<std::int64_t>(run(op_id::sum, {ints({big, 1})})),
            std::vector<std::int64_t>{std::numeric_limits<std::int64_t>::min()});
}

TEST(Reduce, NanWinsMaxMinAndArgs) {
  const double nan = std::nan("");
  std::vector<double> v(3000, 1.0);
  v[10] = 5, v[20] = -5;
  EXPECT_EQ(values<double>(run(op_id::max, {doubles(v)}))[0], 5);
  EXPECT_EQ(values<std::int64_t>(run(op_id::argmin, {doubles(v)}))[0], 20);
  v[1700] = nan, v[2900] = nan;
  EXPECT_TRUE(std::isnan(values<double>(run(op_id::max, {doubles(v)}))[0]));
  EXPECT_TRUE(std::isnan(values<double>(run(op_id::min, {doubles(v)}))[0]));
  EXPECT_EQ(values<std::int64_t>(run(op_id::argmax, {doubles(v)}))[0], 1700);
  EXPECT_EQ(values<std::int64_t>(run(op_id::argmin, {doubles(v)}))[0], 1700);
}

TEST(Reduce, ArgsTakeTheFirstOfEquals) {
  const array a = run(op_id::remainder, {iota(6000), 1500.0});
  EXPECT_EQ(values<std::int64_t>(run(op_id::argmax, {a}))[0], 1499);
  EXPECT_EQ(values<std::int64_t>(run(op_id::argmin, {a}))[0], 0);
  const array m = reshape(a, dims{60, 100});
  const std::vector<std::int64_t> down = values<std::int64_t>(run(op_id::argmax, {m}, layout::arg_params(0, false)));
  for (std::int64_t i : down) EXPECT_EQ(i, 14);
  EXPECT_EQ(run(op_id::argmax, {m}, layout::arg_params(1, true)).shape(), (dims{60, 1}));
  EXPECT_EQ(run(op_id::argmax, {m}, layout::arg_params(layout::none, true)).shape(), (dims{1, 1}));
}

TEST(Reduce, EmptyInputs) {
  EXPECT_EQ(values<double>(run(op_id::sum, {iota(0)})), std::vector<double>{0});
  EXPECT_FALSE(std::signbit(values<double>(run(op_id::sum, {iota(0)}))[0]));
  EXPECT_EQ(values<double>(run(op_id::prod, {iota(0)})), std::vector<double>{1});
  EXPECT_EQ(values<std::uint8_t>(run(op_id::all, {iota(0)})), std::vector<std::uint8_t>{1});
  EXPECT_EQ(values<double>(run(op_id::sum, {reshape(iota(0), dims{2, 0})}, over(dims{1}))), (std::vector<double>{0, 0}));
  EXPECT_EQ(run(op_id::max, {reshape(iota(0), dims{0, 3})}, over(dims{1})).shape(), dims{0});
  EXPECT_EQ(error_of([] { run(op_id::max, {iota(0)}); }),
            "ValueError: [max] zero-size array to reduction operation maximum which has no identity");
  EXPECT_EQ(error_of([] { run(op_id::argmax, {iota(0)}); }),
            "ValueError: [argmax] attempt to get argmax of an empty sequence");
}

TEST(Reduce, SignOfZero) {
  EXPECT_TRUE(std::signbit(values<double>(run(op_id::sum, {doubles({-0.0})}))[0]));
  EXPECT_TRUE(std::signbit(values<double>(run(op_id::sum, {doubles(std::vector<double>(2000, -0.0))}))[0]));
}

TEST(Reduce, InitialAndWhere) {
  layout::reduction r;
  r.initial = layout::number::of(10.0);
  EXPECT_EQ(values<double>(run(op_id::sum, {iota(4)}, layout::reduction_params(r))), std::vector<double>{16});
  EXPECT_EQ(values<double>(run(op_id::max, {iota(0)}, layout::reduction_params(r))), std::vector<double>{10});
  const array mask = bools({1, 0, 1, 0});
  EXPECT_EQ(
      values<double>(run(op_id::sum, {iota(4)}, op_params().push(std::int64_t{2}).push(std::int64_t{0}), nullptr, mask.get())),
      std::vector<double>{2});
  EXPECT_EQ(values<double>(run(op_id::max, {iota(4)}, layout::reduction_params(r), nullptr, mask.get())),
            std::vector<double>{10});
  EXPECT_EQ(
      error_of([&] { run(op_id::max, {iota(4)}, op_params().push(std::int64_t{2}).push(std::int64_t{0}), nullptr, mask.get()); }),
      "ValueError: [max] reduction operation 'maximum' does not have an identity, so to use a where mask one "
      "has to specify 'initial'");
}

TEST(Reduce, DtypeOutAndErrors) {
  layout::reduction r;
  r.dtype = dtype_id::int8;
  EXPECT_EQ(values<std::int8_t>(run(op_id::sum, {doubles({2.5, 2.5, 2.5})}, layout::reduction_params(r))),
            std::vector<std::int8_t>{6});
  const array m = reshape(iota(6), dims{2, 3});
  array out = run(op_id::full, {}, layout::full_params(dims{2}, layout::number::of(0.0), dtype_id::float32));
  run(op_id::sum, {m}, over(dims{1}), out.get());
  EXPECT_EQ(values<float>(out), (std::vector<float>{3, 12}));
  EXPECT_EQ(error_of([&] { run(op_id::sum, {m}, over(dims{0, 0})); }), "ValueError: [sum] duplicate value in 'axis'");
  EXPECT_EQ(error_of([&] { run(op_id::sum, {m}, over(dims{2})); }),
            "AxisError: [sum] axis 2 is out of bounds for array of dimension 2");
  EXPECT_EQ(error_of([&] { run(op_id::sum, {m}, over(dims{0}), out.get()); }).substr(0, 16), "ValueError: [sum");
}

/// Segments of 128 one after the other; each element joined with the total of the segments before.
template <class T, class Join>
std::vector<T> reference_scan(const std::vector<T>& x, Join join) {
  std::vector<T> out;
  T before{}, local{};
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (i % 128 == 0) {
      if (i == 128) before = local;
      if (i > 128) before = join(before, local);
      local = x[i];
    } else {
      local = join(local, x[i]);
    }
    out.push_back(i < 128 ? local : join(before, local));
  }
  return out;
}

TEST(Scan, IsTheDefinitionInEveryLayout) {
  const auto add = [](double a, double b) { return a + b; };
  for (const std::int64_t n : {1, 127, 128, 129, 256, 257, 3000}) {
    const array a = wild(n, dtype_id::float64);
    const std::string want = bytes_of(reference_scan(values<double>(a), add));
    EXPECT_EQ(bytes(run(op_id::cumsum, {a})), want) << n;
    // The same values as the columns of a matrix, scanned downwards.
    const array columns = contiguous(run(op_id::broadcast_to, {reshape(a, dims{n, 1})}, layout::shape_params(dims{n, 5})));
    const array down = run(op_id::cumsum, {columns}, layout::axis_params(0));
    for (std::int64_t j = 0; j < 5; ++j)
      EXPECT_EQ(bytes(index(down, {layout::index_entry::all(), layout::index_entry::at(j)})), want) << n;
  }
  const array p = run(op_id::full, {}, layout::full_params(dims{500}, layout::number::of(1.001), dtype_id::float64));
  EXPECT_EQ(bytes(run(op_id::cumprod, {p})),
            bytes_of(reference_scan(values<double>(p), [](double a, double b) { return a * b; })));
}

TEST(Scan, InPlaceAndErrors) {
  const array a = iota(300);
  run(op_id::cumsum, {a}, layout::axis_params(0), a.get());
  EXPECT_EQ(values<double>(a)[299], 299.0 * 150);
  EXPECT_EQ(run(op_id::cumsum, {reshape(iota(6), dims{2, 3})}).shape(), dims{6});
  EXPECT_EQ(error_of([] { run(op_id::cumsum, {iota(3)}, layout::axis_params(1)); }),
            "AxisError: [cumsum] axis 1 is out of bounds for array of dimension 1");
}

}  // namespace
}  // namespace numjit::testing
