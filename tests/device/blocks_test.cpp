// The shapes of a device's blocks: many points, rows that share a block, rows of a few elements. Bits are the host's.
#include <cstdint>
#include <iterator>
#include <string>

#include <device/on_device.h>

namespace {

namespace np = numjit;

using numjit::testing::expect_there;

class OpenClBlocks : public numjit::testing::OnOpenCl {};

/// Numbers of the dtype with signs, zeros of both signs, and in floats NaN here and there.
np::array values(np::dtype type, const np::dims& shape) {
  std::int64_t n = 1;
  for (std::int64_t extent : shape) n *= extent;
  const np::array at = np::arange(static_cast<double>(n));
  np::array x = np::rint(np::sin(at * 1.7) * 90.0);
  if (type.kind() == 'b') x = np::greater(x, 40.0);
  if (type.kind() == 'u') x = np::absolute(x);
  if (type.kind() == 'f' || type.kind() == 'c') x = np::where(np::equal(np::remainder(at, 997.0), 500.0), np::nan, x * 0.37);
  if (type.kind() == 'f') x = np::where(np::equal(np::remainder(at, 11.0), 3.0), -0.0, x);
  return np::reshape(x.astype(type), shape);
}

constexpr np::dtype_id types[] = {np::dtype_id::bool_,     np::dtype_id::int8,      np::dtype_id::uint16,  np::dtype_id::int32,
                                  np::dtype_id::int64,     np::dtype_id::float16,   np::dtype_id::float32, np::dtype_id::float64,
                                  np::dtype_id::complex64, np::dtype_id::complex128};

TEST_F(OpenClBlocks, ManyPoints) {
  const auto f = [](const np::array& a, const np::array& b) { return a * b + np::sqrt(np::absolute(a)) - b; };
  for (const np::dims& shape :
       {np::dims{1 << 20}, np::dims{(1 << 20) + 1}, np::dims{1048999}, np::dims{1030, 1021}, np::dims{3, 700, 513}}) {
    expect_there(f, values(np::float32, shape), values(np::float32, shape) + 1.0f);
    expect_there(f, values(np::float64, shape), np::array(values(np::float64, shape)(np::newaxis))(0));
  }
  // Views: with steps, backwards, turned, and one that stands still.
  const np::array a = values(np::float32, {1100, 2100}), b = values(np::float32, {1050, 1100});
  const np::array every(a(np::_, np::slice(0, np::none, 2))), back(a(np::_, np::slice(1049, np::none, -1)));
  expect_there(f, every, b.T());
  expect_there(f, back, every);
  expect_there(f, every, np::array(b(0, np::slice(0, 1050))));
}

TEST_F(OpenClBlocks, RowsThatShareABlock) {
  const auto f = [](const np::array& a, const np::array& b) { return a * 2 - b; };
  for (const np::dims& shape : {np::dims{9001, 120}, np::dims{32769, 32}, np::dims{4200, 255}, np::dims{33, 1000, 40}}) {
    expect_there(f, values(np::float32, shape), values(np::float32, {shape.back()}));
    expect_there(f, values(np::int16, shape), values(np::int16, shape) + 1);
  }
  expect_there(f, values(np::float64, {300000, 5}), values(np::float64, {300000, 1}));  // short ones do as before
}

template <class F>
void on_all_dtypes(const F& f, const np::dims& shape) {
  for (const np::dtype_id type : types) {
    SCOPED_TRACE(std::string(np::dtype(type).name()));
    expect_there(f, values(np::dtype(type), shape));
  }
}
/// Each kernel takes half a second to be made: the others of a function's shapes meet one dtype each.
template <class F>
void on_a_dtype(const F& f, const np::dims& shape) {
  static std::size_t next = 0;
  const np::dtype type(types[next++ % std::size(types)]);
  SCOPED_TRACE(std::string(type.name()));
  expect_there(f, values(type, shape));
}

TEST_F(OpenClBlocks, ShortRows) {
  const auto sums = [](const np::array& a) { return np::sum(a, {.axis = -1}); };
  const auto largest = [](const np::array& a) { return np::max(a, {.axis = -1}); };
  const auto where = [](const np::array& a) { return np::argmin(a, {.axis = -1}); };
  for (const std::int64_t m : {1, 2, 3, 8, 15, 31, 32}) {
    SCOPED_TRACE(m);
    on_a_dtype(sums, {1000 / m + 200, m});
    on_a_dtype(largest, {300, m});
    on_a_dtype(where, {300, m});
  }
  on_all_dtypes(sums, {300, 5});
  on_all_dtypes(largest, {300, 6});
  on_all_dtypes(where, {300, 7});
  const auto products = [](const np::array& a) { return np::prod(a, {.axis = -1}); };
  on_a_dtype(products, {257, 7});
  on_a_dtype([](const np::array& a) { return np::any(a, {.axis = -1}); }, {257, 7});
  // Few columns and many of them; along another axis; two at once; with ops behind.
  on_a_dtype(sums, {100, 5, 9});
  on_a_dtype(where, {70, 17, 16});
  on_a_dtype([](const np::array& a) { return np::sum(a, {.axis = 0}); }, {20, 500});
  on_a_dtype([](const np::array& a) { return np::min(a, {.axis = 1}); }, {50, 6, 40});
  expect_there([](const np::array& a) { return np::sum(a, {.axis = 1, .keepdims = true}) * 2 + a; },
               values(np::float32, {400, 12}));
  expect_there(
      [](const np::array& a) { return (np::max(a, {.axis = 1}) - np::min(a, {.axis = 1})) / np::sum(a * a, {.axis = 1}); },
      values(np::float64, {400, 12}));
}

/// The nearest of some centres: sums of short rows in columns of a few, then the least of each row.
TEST_F(OpenClBlocks, NearestOfSome) {
  const auto assign = [](const np::array& p, const np::array& c) {
    const np::array d = p(np::_, np::newaxis) - c(np::newaxis);
    return np::argmin(np::sum(d * d, {.axis = -1}), {.axis = 1});
  };
  for (const auto& [points, axes, centres] : {std::tuple{5000, 8, 16}, {3001, 3, 5}, {70000, 2, 3}, {129, 32, 32}, {300, 33, 40}})
    expect_there(assign, np::sin(values(np::float32, {points, axes}) + 0.5f), np::cos(values(np::float32, {centres, axes})));
}

TEST_F(OpenClBlocks, RowsOfSomeLength) {
  const auto sums = [](const np::array& a) { return np::sum(a, {.axis = -1}); };
  const auto where = [](const np::array& a) { return np::argmax(a, {.axis = -1}); };
  for (const std::int64_t m : {33, 64, 100, 511, 512, 513}) {
    SCOPED_TRACE(m);
    on_a_dtype(sums, {19, m});
    on_a_dtype(where, {8, m});
  }
  on_all_dtypes(sums, {19, 45});
  on_all_dtypes(where, {9, 45});
  on_a_dtype(sums, {7, 11, 40});
  on_a_dtype(sums, {7, 40});
  expect_there([](const np::array& a) { return a - np::max(a, {.axis = 1, .keepdims = true}); }, values(np::float32, {1001, 77}));
}

}  // namespace
