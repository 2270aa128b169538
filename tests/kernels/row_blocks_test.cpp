// Elements taken at indices and arrays put side by side, block by block with the kernels around them.
#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <numjit/array/same_bits.h>
#include <numjit/np.h>

#include "support/compiled_kernels.h"
#include "support/trace_values.h"

namespace np = numjit;

namespace {

using np::array;
using numjit::testing::message;

array noise(std::int64_t n) {
  const array x = np::sin(np::arange(static_cast<double>(n)) * 12.9898) * 43758.5453;
  return x - np::floor(x);
}
array places(std::int64_t n, std::int64_t of) { return np::floor(noise(n) * static_cast<double>(of)).astype(np::int64); }

class RowBlocks : public numjit::testing::CompiledKernels {
 protected:
  /// Bits of calls with 1, 2 and 7 threads; returns what explain says of the kernels.
  template <class F>
  static std::string same_as_eager(F f, const array& from, const array& index) {
    const array expected = f(from, index);
    auto fast = np::compile(f);
    for (int threads : {1, 2, 7}) {
      np::config().threads = threads;
      for (int call = 0; call < 3; ++call) {
        const array got = fast(from, index);
        EXPECT_EQ(got.shape(), expected.shape());
        const auto difference = np::detail::first_difference(expected.get(), got.get());
        EXPECT_FALSE(difference) << "element " << difference.value_or(0) << ", " << threads << " threads, call " << call;
      }
    }
    return np::explain(fast)(from, index).str();
  }
};

array mixed(const array& from, const array& index) {
  const array twice = np::take(from, index) * 2;
  return twice + np::take(from, index + 1, {.axis = 0});
}

TEST_F(RowBlocks, TakesAndKernelsRunTogether) {
  const array from = noise(5000);
  for (const np::dtype& type : {np::float64, np::float32, np::complex128, np::int16}) {
    const std::string report = same_as_eager(mixed, (from * 1000).astype(type), places(200003, 4999));
    EXPECT_NE(report.find("row blocks"), std::string::npos) << type.name() << report;
  }
}

TEST_F(RowBlocks, IndicesOfEveryIntegerTypeAndFromTheEnd) {
  const array from = noise(100);
  for (const np::dtype& type : {np::int8, np::uint8, np::int16, np::uint16, np::int32, np::uint32, np::uint64})
    same_as_eager([](const array& v, const array& i) { return np::take(v, i) + 1; }, from, places(150000, 100).astype(type));
  const std::string report = same_as_eager([](const array& v, const array& i) { return np::take(v, i) + 1; }, from,
                                           places(150000, 200) - 100);
  EXPECT_NE(report.find("row blocks"), std::string::npos) << report;
}

TEST_F(RowBlocks, RowsAreTaken) {
  const array rows = np::reshape(noise(600), {100, 6});
  const std::string report = same_as_eager(
      [](const array& v, const array& i) { return np::exp(np::take(v, i, {.axis = 0})) - 1; }, rows, places(50001, 100));
  EXPECT_NE(report.find("row blocks"), std::string::npos) << report;
  same_as_eager([](const array& v, const array& i) { return np::exp(np::take(v, i, {.axis = 0})) - 1; }, rows,
                np::reshape(places(50002, 100), {25001, 2}));
}

TEST_F(RowBlocks, SmallStepsBetweenGoFirst) {
  // Bilinear interpolation: indices of rows and columns are computed between the gathers.
  auto bilinear = [](const array& image, const array& scale) {
    auto y = np::arange(301.0)(np::_, np::newaxis) * scale(0), x = np::arange(500.0)(np::newaxis, np::_) * scale(1);
    auto row = np::floor(y).astype(np::int64), column = np::floor(x).astype(np::int64);
    auto dy = y - np::floor(y), dx = x - np::floor(x);
    auto at = [&](int i, int j) { return np::take(image, (row + i) * 100 + (column + j)); };
    return at(0, 0) * (1 - dy) * (1 - dx) + at(0, 1) * (1 - dy) * dx + at(1, 0) * dy * (1 - dx) + at(1, 1) * dy * dx;
  };
  const std::string report = same_as_eager(bilinear, np::reshape(noise(10000), {100, 100}), array{0.32, 0.19});
  EXPECT_NE(report.find("row blocks"), std::string::npos) << report;
}

TEST_F(RowBlocks, ArraysArePutSideBySide) {
  auto sepia = [](const array& image, const array& weights) {
    auto channel = [&](int c) { return image(np::ellipsis, c) * weights(c); };
    auto mixed = np::stack({channel(0) + channel(1), channel(1) - channel(2), channel(2)}, {.axis = -1});
    return np::clip(mixed * 300, 0, 255).astype(np::uint8);
  };
  const array image = np::reshape(noise(180000), {200, 300, 3}), weights{0.4, 0.7, 0.2};
  const std::string report = same_as_eager(sepia, image, weights);
  EXPECT_NE(report.find("row blocks"), std::string::npos) << report;
  EXPECT_NE(report.find("concatenate"), std::string::npos) << report;
  // Of several lengths and more than one run in a row; and one that is an argument of the function.
  auto wide = [](const array& a, const array& b) {
    return np::sqrt(np::concatenate({a * 2, b, a(np::ellipsis, np::slice(0, 1)) + 1}, {.axis = 2}) + 1);
  };
  same_as_eager(wide, np::reshape(noise(120000), {100, 3, 400}), np::reshape(noise(60000), {100, 3, 200}));
  auto kept = [](const array& a, const array& b) { return np::concatenate({a + 1, a * b}, {.axis = 1}); };
  same_as_eager(kept, np::reshape(noise(200000), {1000, 200}), np::reshape(noise(200000), {1000, 200}));
}

using arrays = std::vector<array>;

/// A function of two arrays with several results; whether its rows may be of any length, and whether all of it is one step.
struct Ended {
  const char* name;
  std::function<arrays(const array&, const array&)> f;
  bool of_any_rows, is_one_step;
};

const Ended ended[] = {
    {"sum",
     [](const array& x, const array& y) {
       const array z = np::sqrt(x * x + y * y);
       return arrays{z, np::sum(z)};
     },
     true, true},
    {"several",
     [](const array& x, const array& y) {
       const array z = np::sqrt(x * x + y * y);
       return arrays{z, np::sum(z), np::max(z), np::argmax(z, {.axis = -1}), np::sum(x)};
     },
     true, false},
    {"of what is not stored",
     [](const array& x, const array& y) {
       const array z = np::tanh(x * x + y * y), w = np::exp(z) * z;
       return arrays{w, np::sum(z), np::sum(w)};
     },
     true, false},
    {"kept axes",
     [](const array& x, const array& y) {
       const array z = x * y + 1;
       return arrays{z, np::sum(z, {.keepdims = true}), np::min(z, {.keepdims = true})};
     },
     true, true},
    {"of columns",
     [](const array& x, const array& y) {
       const array z = x * y + 1;
       return arrays{z, np::sum(z, {.axis = 0}), np::max(z, {.axis = 0}), np::sum(np::sum(z, {.axis = -1}))};
     },
     false, false},
    {"read again",
     [](const array& x, const array& y) {
       const array z = x * y + 1, centred = z - np::mean(z);
       return arrays{z, centred, np::sum(centred * centred)};
     },
     true, false},
    {"with a mask",
     [](const array& x, const array& y) {
       const array z = x * y + 1;
       return arrays{z, np::sum(z, {.initial = 3, .where = z > 1.5}), np::any(z > 1.99), np::count_nonzero(z > 1.5)};
     },
     true, false},
};

TEST_F(RowBlocks, WhatReducesAllRowsEndsBehindThem) {
  const array arguments[] = {noise(250000),
                             noise(200003),
                             np::reshape(noise(301000), {1000, 301}),
                             np::reshape(noise(301000), {43000, 7}),
                             np::reshape(noise(301000), {3010, 100}),
                             np::reshape(noise(336000), {60, 70, 80})};
  for (const array& argument : arguments)
    for (const np::dtype& type : {np::float64, np::float32, np::int16}) {
      const array x = (argument * 9).astype(type), y = (argument * argument * 7).astype(type);
      for (const Ended& e : ended) {
        SCOPED_TRACE(std::string(e.name) + " of " + std::string(type.name()) + ", axes: " + std::to_string(x.ndim()));
        const arrays expected = e.f(x, y);
        auto fast = np::compile(e.f);
        for (int threads : {1, 2, 7}) {
          np::config().threads = threads;
          for (int call = 0; call < 3; ++call) {
            const arrays got = fast(x, y);
            ASSERT_EQ(got.size(), expected.size());
            for (std::size_t i = 0; i < got.size(); ++i) {
              EXPECT_EQ(got[i].shape(), expected[i].shape());
              EXPECT_FALSE(np::detail::first_difference(expected[i].get(), got[i].get())) << i << ", " << threads << " threads";
            }
          }
        }
        const std::string report = np::explain(fast)(x, y).str();
        if (type != np::float64 || (!e.of_any_rows && x.shape().back() > 20)) continue;
        EXPECT_NE(report.find("row blocks"), std::string::npos) << report;
        EXPECT_TRUE(!e.is_one_step || report.find("rows  ") == std::string::npos) << report;
      }
    }
}

TEST_F(RowBlocks, WhatReadsInPiecesGoesOnToDoSo) {
  auto step = [](const array& u, const array&) {
    auto at = [&](std::int64_t shift, std::int64_t axis) { return np::roll(u, shift, {.axis = axis}); };
    const array v = u + 0.1 * (at(1, 0) + at(-1, 0) + at(1, 1) + at(-1, 1) - 4 * u);
    return np::concatenate({np::ravel(v), np::reshape(np::sum(v), {1})});
  };
  const std::string report = same_as_eager(step, np::reshape(noise(360000), {600, 600}), array{0.0});
  EXPECT_NE(report.find("in pieces"), std::string::npos) << report;
}

array bilinear(const array& image, const array& at) {
  const array row = at * 0.013, column = at - np::floor(at), i = np::floor(row).astype(np::int64),
              j = (column * 90).astype(np::int32);
  const array down = row - i, here = image(i, j) * (1 - down);  // C++ does not say which of two operands is read first
  return here + image(i + 1, j - 100) * down;
}

TEST_F(RowBlocks, ElementsAtSeveralIndicesAreTaken) {
  const array at = noise(70000).reshape({350, 200}) * 4000;
  for (const np::dtype& type : {np::float64, np::float32, np::uint8, np::complex128}) {
    const array image = (noise(6000).reshape({60, 100}) * 1000).astype(type);
    const std::string report = same_as_eager(bilinear, image, at);
    EXPECT_NE(report.find("row blocks"), std::string::npos) << type.name() << report;
    same_as_eager(bilinear, image(np::slice(np::none, np::none, -1)), at);
  }
  const auto rows = [](const array& colours, const array& at) {
    return np::sqrt(colours(np::floor(at * 0.013).astype(np::int64), np::full(at.shape(), 5))) + 1;
  };
  same_as_eager(rows, noise(60 * 10 * 3).reshape({60, 10, 3}), at);
}

TEST_F(RowBlocks, AnIndexOutOfBoundsOfSeveralIsTheErrorOfTheStep) {
  auto fast = np::compile(bilinear);
  const array image = noise(6000).reshape({60, 100}), good = noise(70000).reshape({350, 200}) * 4000;
  array bad = good.copy();
  bad(200, 7) = 1e5;
  for (int call = 0; call < 4; ++call) {
    EXPECT_FALSE(np::detail::first_difference(bilinear(image, good).get(), fast(image, good).get()));
    const std::string text = message([&] { fast(image, bad).tolist<double>(); });
    EXPECT_EQ(text, "[index] index 1300 is out of bounds for axis 0 with size 60");
    EXPECT_EQ(text, message([&] { bilinear(image, bad); }));
  }
  auto inner = np::compile([](const array& x, const array& i, const array& j) { return x(2, np::newaxis, i + 0, j + 0) + 1; });
  const array x = np::zeros({3, 4, 5}), zero = np::array({0, 0});
  EXPECT_EQ(message([&] {
              inner(x, zero, np::array({1, -6})).tolist<double>();
            }),
            "[index] index -6 is out of bounds for axis 2 with size 5");
}

TEST_F(RowBlocks, AnIndexOutOfBoundsIsTheErrorOfTheStep) {
  auto fast = np::compile(mixed);
  const array from = noise(5000), good = places(200003, 4999);
  array bad = good.copy();
  bad(150000) = 5000;
  bad(160000) = -6000;
  for (int call = 0; call < 4; ++call) {
    EXPECT_FALSE(np::detail::first_difference(mixed(from, good).get(), fast(from, good).get()));
    const std::string text = message([&] { fast(from, bad).tolist<double>(); });
    EXPECT_EQ(text, message([&] { mixed(from, bad); }));
    EXPECT_EQ(text, "[take] index 5000 is out of bounds for axis 0 with size 5000");
  }
}

}  // namespace
