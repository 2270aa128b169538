// What the planner joins: reductions that share a pass, steps that go through their arrays block by
// block, narrow arrays. Each program gives eager bits, and is seen to be joined.
#include <functional>
#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include <numjit/array/same_bits.h>
#include <numjit/np.h>

#include "support/compiled_kernels.h"

namespace np = numjit;

namespace {

using np::array;

/// Numbers without pattern in [-1, 1).
array noise(const np::dims& shape, np::dtype type = np::float64) {
  array x = np::sin(np::arange(static_cast<double>(np::element_count(shape))) * 12.9898) * 43758.5453;
  return np::reshape((x - np::floor(x)) * 2 - 1, np::shape_list(shape)).astype(type);
}

using program = std::function<std::vector<array>(const array&)>;

class Fusion : public numjit::testing::CompiledKernels {
 protected:
  /// Bits of calls with 1, 2 and 7 threads; returns what explain says of the kernels.
  static std::string same_as_eager(const std::string& what, const program& f, const array& x) {
    const std::vector<array> expected = f(x);
    auto fast = np::compile(f);
    for (int threads : {1, 2, 7}) {
      np::config().threads = threads;
      for (int call = 0; call < 3; ++call) {
        const std::vector<array> got = fast(x);
        for (std::size_t i = 0; i < expected.size(); ++i) {
          EXPECT_EQ(got[i].shape(), expected[i].shape()) << what << " result " << i;
          const auto difference = np::detail::first_difference(expected[i].get(), got[i].get());
          EXPECT_FALSE(difference) << what << " result " << i << " element " << difference.value_or(0) << ", "
                                   << threads << " threads, call " << call;
        }
      }
    }
    return np::explain(fast)(x).str();
  }
};

array softmax(const array& x) {
  auto e = np::exp(x - np::max(x, {.axis = -1, .keepdims = true}));
  return e / np::sum(e, {.axis = -1, .keepdims = true});
}

array layer_norm(const array& x) {
  auto d = x - np::mean(x, {.axis = -1, .keepdims = true});
  return d / np::sqrt(np::mean(d * d, {.axis = -1, .keepdims = true}) + 1e-5);
}

TEST_F(Fusion, RowChainsRunInBlocks) {
  struct Case {
    std::string name;
    program f;
    np::dims shape;
  };
  const std::vector<Case> cases = {
      {"softmax", [](auto& x) { return std::vector{softmax(x)}; }, {1001, 300}},
      {"softmax of long rows", [](auto& x) { return std::vector{softmax(x)}; }, {67, 2500}},
      {"softmax of short rows", [](auto& x) { return std::vector{softmax(x)}; }, {50001, 3}},
      {"softmax of three axes", [](auto& x) { return std::vector{softmax(x)}; }, {33, 40, 100}},
      {"layer norm", [](auto& x) { return std::vector{layer_norm(x)}; }, {1000, 300}},
      {"kept and dropped axes",
       [](auto& x) {
         auto s = np::sum(x, {.axis = 1});
         return std::vector{x / s(np::_, np::newaxis), s};
       },
       {999, 300}},
      {"an intermediate that is a result",
       [](auto& x) {
         auto e = np::exp(x);
         return std::vector{e / np::sum(e, {.axis = -1, .keepdims = true}), e};
       },
       {999, 300}},
      {"half of an intermediate's columns",
       [](auto& x) {
         auto e = np::exp(x);
         auto s = np::sum(e, {.axis = -1, .keepdims = true});
         return std::vector{e(np::_, np::slice(0, 150)) / s + s};
       },
       {999, 300}},
  };
  for (const Case& c : cases)
    for (np::dtype type : {np::float32, np::float64}) {
      const std::string report = same_as_eager(c.name, c.f, noise(c.shape, type));
      EXPECT_NE(report.find("row blocks"), std::string::npos) << c.name << "\n" << report;
    }
}

TEST_F(Fusion, RowsThatLookAtOtherRowsDoNot) {
  // Reversed, shifted and transposed reads of what the same graph computes, and sums over rows.
  const std::vector<std::pair<std::string, program>> programs = {
      {"reversed",
       [](auto& x) {
         auto e = np::exp(x);
         auto s = np::sum(e, {.axis = -1, .keepdims = true});
         return std::vector{e / s, e(np::slice(np::none, np::none, -1)) * s};
       }},
      {"shifted",
       [](auto& x) {
         auto e = np::exp(x);
         auto s = np::sum(e, {.axis = -1, .keepdims = true});
         return std::vector{e / s, e(np::slice(1, np::none)) - e(np::slice(0, -1))};
       }},
      {"columns",
       [](auto& x) {
         auto e = np::exp(x);
         return std::vector{e / np::sum(e, {.axis = 0, .keepdims = true})};
       }},
      {"transposed",
       [](auto& x) {
         auto e = np::exp(x);
         auto s = np::sum(e, {.axis = -1, .keepdims = true});
         return std::vector{e / s + np::transpose(e)};
       }},
  };
  for (const auto& [name, f] : programs) same_as_eager(name, f, noise({400, 400}));
}

TEST_F(Fusion, ReductionsOfOneArrayShareAPass) {
  const program stats = [](auto& x) {
    return std::vector{np::mean(x), np::std(x), np::min(x), np::max(x), np::asarray(np::argmax(x))};
  };
  for (np::dtype type : {np::float32, np::float64, np::int32}) {
    const std::string report = same_as_eager("statistics", stats, noise({100003}, type));
    EXPECT_NE(report.find("rows                   sum"), std::string::npos) << report;
    EXPECT_NE(report.find("min, max"), std::string::npos) << report;
  }
  for (std::int64_t axis : {0, 1}) {
    const program along = [axis](auto& x) {
      return std::vector{np::sum(x, {.axis = axis}), np::max(x, {.axis = axis, .keepdims = true}),
                         np::prod(x, {.axis = axis}), np::argmin(x, {.axis = axis})};
    };
    for (const np::dims& shape : {np::dims{50, 2100}, np::dims{2100, 50}, np::dims{7, 9}})
      same_as_eager("along an axis", along, noise(shape));
  }
  const program both = [](auto& x) { return std::vector{np::sum(x), np::max(x), np::sum(x * x)}; };
  same_as_eager("two axes", both, noise({130, 1100}));
}

// Of equal zeros the canonical order decides which one is the largest.
TEST_F(Fusion, ExtremaOfZerosOfBothSigns) {
  for (const np::dims& shape : {np::dims{5, 70}, np::dims{70, 5}, np::dims{300, 40}, np::dims{40, 1500}, np::dims{1500, 40}})
    for (np::dtype type : {np::float32, np::float64}) {
      const program extrema = [](auto& x) {
        return std::vector{np::max(x, {.axis = 0}), np::min(x, {.axis = 0}), np::max(x, {.axis = 1}),
                           np::min(x, {.axis = 1})};
      };
      same_as_eager("zeros of " + shape.str(), extrema, np::copysign(0.0, noise(shape)).astype(type));
    }
}

TEST_F(Fusion, SharedPartsOfReducedExpressionsAreComputedOnce) {
  const program forces = [](auto& x) {
    auto dx = x(np::newaxis) - x(np::_, np::newaxis), dy = dx * 0.5, r2 = dx * dx + dy * dy + 0.01;
    auto w = 1 / (r2 * np::sqrt(r2));
    return std::vector{np::sum(dx * w, {.axis = 1}), np::sum(dy * w, {.axis = 1})};
  };
  const std::string report = same_as_eager("forces", forces, noise({300}));
  EXPECT_NE(report.find("sum x2"), std::string::npos) << report;
  EXPECT_EQ(report.find("elementwise"), std::string::npos) << report;
}

TEST_F(Fusion, MasksAndInitialValuesAreInTheKernel) {
  for (np::dtype type : {np::float32, np::int16}) {
    const bool real = type.kind() == 'f';
    const program masked = [real](auto& x) {
      auto mask = x > 3, column = np::asarray(x(np::_, np::slice(0, 1)) > 1), nothing = x > 1000;
      std::vector<array> all{np::sum(x, {.axis = 1, .where = mask}),
                             np::sum(x, {.axis = 0, .initial = 5, .where = mask}),
                             np::sum(x, {.initial = 7, .where = column}),
                             np::prod(x, {.axis = 1, .keepdims = true, .where = mask}),
                             np::sum(x, {.axis = 1, .where = nothing}),
                             np::mean(x, {.axis = 1, .where = column}),
                             np::any(x, {.axis = 1, .where = mask}),
                             np::max(x, {.axis = 1, .initial = 2}),
                             np::prod(x, {.axis = 0, .initial = 3})};
      if (real) {
        all.push_back(np::max(x, {.axis = 1, .initial = 2, .where = mask}));
        all.push_back(np::min(x, {.initial = 100, .where = nothing}));
        all.push_back(np::std(x, {.axis = 1, .where = column}));
      }
      return all;
    };
    for (const np::dims& shape : {np::dims{40, 70}, np::dims{3, 2500}}) {
      const std::string report = same_as_eager(std::string(type.name()), masked, (noise(shape) * 6 + 6).astype(type));
      EXPECT_EQ(report.find("(no kernel)"), std::string::npos) << report;
    }
  }
}

// Views of a cast image are taken of the image: the cast is not stored.
TEST_F(Fusion, ViewsMoveBelowCheapExpressions) {
  const np::slice in(1, -1), up(0, -2), down(2, np::none), back(np::none, np::none, -1);
  const np::ellipsis_t all = np::ellipsis;
  struct Case {
    std::string name;
    program f;
    bool one_kernel;
  };
  const std::vector<Case> cases = {
      {"sobel",
       [=](auto& x) {
         const array p = x.astype(np::int32);
         auto gx = p(up, down) - p(up, up) + 2 * (p(in, down) - p(in, up)) + p(down, down) - p(down, up);
         return std::vector{np::minimum(np::abs(gx), 255).astype(np::uint8)};
       },
       true},
      {"strided, reversed, transposed",
       [=](auto& x) {
         const array p = x.astype(np::float64);
         auto t = p.transpose();
         return std::vector<array>{p(np::slice(0, np::none, 2), back) * 2 + p(np::slice(1, np::none, 2)),
                                   t(in, back) - t(up, all)};
       },
       false},
      {"an integer index, a new axis, a view of a view",
       [=](auto& x) {
         const array p = x + 1;
         auto row = p(3, in);
         return std::vector<array>{p(all, in) * row(np::newaxis) + p(in)(0, down)};
       },
       true},
      {"reductions of views",
       [=](auto& x) {
         const array p = x.astype(np::int64);
         return std::vector<array>{np::sum(p(in, in), {.axis = 1}), np::max(p(all, back), {.axis = 0})};
       },
       false},
      {"the cast is a result as well",
       [=](auto& x) {
         const array p = x.astype(np::int64);
         return std::vector<array>{p, p(in) + p(up)};
       },
       false},
      {"a view that is a result",
       [=](auto& x) {
         const array p = x.astype(np::int64);
         return std::vector<array>{p(in) + 1, p(up)};
       },
       false},
      {"a store into what the cast reads",
       [=](auto& x) {
         array own = x.copy();
         const array p = own.astype(np::int64);
         auto before = p(in, in) + p(up, up);
         own(in, in) = 7;
         return std::vector<array>{before, own, p(down, down) + 0};
       },
       false},
      {"a store of what is read through a view",
       [=](auto& x) {
         array own = x.copy();
         own(in) = own.astype(np::uint16)(up) + 1;
         own(back, all) = (own + 1)(all, back);
         return std::vector<array>{own};
       },
       false},
      {"a store into a view of the cast",
       [=](auto& x) {
         const array p = x.astype(np::int64);
         auto left = p(all, up), right = p(all, down);
         left += right;
         return std::vector<array>{left + 1, right * 2};
       },
       false},
      {"where the views are read again later",
       [=](auto& x) {
         const array p = x.astype(np::float32);
         auto a = p(in, all), b = p(up, all);
         auto rows = np::sum(a - b, {.axis = 1, .keepdims = true});
         return std::vector<array>{(a - rows) / (b + 1), np::concatenate({a, b})};
       },
       false},
  };
  for (const Case& c : cases)
    for (const np::dims& shape : {np::dims{40, 70}, np::dims{300, 400}, np::dims{4, 4}}) {
      const array image = (noise(shape) * 100 + 100).astype(np::uint8);
      for (const array& x : {image, image.transpose(), array(image(np::_, np::slice(np::none, np::none, -1)))}) {
        const std::string report = same_as_eager(c.name, c.f, x);
        if (!c.one_kernel) continue;
        EXPECT_EQ(report.find("elementwise"), report.rfind("elementwise")) << report;
      }
    }
}

// The same plan with other sizes, empty views included; checked against the ops one by one; and run by them, while
// kernels are compiled behind the program's back.
TEST_F(Fusion, MovedViewsInOtherSizes) {
  for (np::compile_mode mode : {np::compile_mode::sync, np::compile_mode::async}) {
    np::config().compile = mode;
    np::config().check_same_bits = mode == np::compile_mode::sync;
    const np::dtype wide = mode == np::compile_mode::sync ? np::int16 : np::int32;
    const program differences = [wide](auto& x) {
      const array p = x.astype(wide);
      return std::vector<array>{p(np::slice(1, np::none)) - p(np::slice(0, -1)),
                                np::any(p(np::slice(2, np::none, 2)) > 3)};
    };
    auto fast = np::compile(differences);
    for (std::int64_t rows : {50, 7, 2, 1, 50, 0, 3}) {
      const array x = (noise({rows, 9}) * 9 + 9).astype(np::uint8);
      const auto expected = differences(x), got = fast(x);
      for (std::size_t i = 0; i < expected.size(); ++i)
        EXPECT_FALSE(np::detail::first_difference(expected[i].get(), got[i].get())) << rows << " rows, result " << i;
    }
  }
  np::config().check_same_bits = false;
}

// Kernels divide integers as floats where that is exact: small ones, large ones, zeros, the least ones.
TEST_F(Fusion, IntegerQuotients) {
  for (np::dtype type : {np::int8, np::uint8, np::int16, np::uint16, np::int32, np::uint32, np::int64, np::uint64}) {
    const program divide = [](auto& x) {
      auto a = x(0), b = x(1);
      return std::vector{np::floor_divide(a, b), np::remainder(a, b), np::fmod(a, b), np::floor_divide(a, 7)};
    };
    const program by_one_number = [](auto& x) {
      return std::vector{np::floor_divide(x(0), x(1, 7)), np::remainder(x(0), x(1, 8)), np::fmod(x(0), x(1, 9)),
                         np::floor_divide(x(0), 1), np::floor_divide(x(0), 3), np::remainder(x(0), 127)};
    };
    for (double size : {3.0, 300.0, 5e4, 4e9, 1e15, 4.5e15, 9e18}) {
      array x = (noise({2, 5000}) * size).astype(np::int64).astype(type);
      x(1, np::slice(0, np::none, 3)) = np::floor_divide(x(1, np::slice(0, np::none, 3)), 100);
      x(0, 0) = type.kind() == 'i' ? np::asarray(-1).astype(np::int64) * (std::int64_t{1} << (type.itemsize() * 8 - 2)) * 2
                                   : np::asarray(-1).astype(type);
      x(1, 0) = np::asarray(-1).astype(type);
      same_as_eager(std::string(type.name()) + " up to " + std::to_string(size), divide, x);
      same_as_eager(std::string(type.name()) + " by one number, up to " + std::to_string(size), by_one_number, x);
    }
  }
}

// A nested reduction stays one kernel where other reductions read its result, and so does a cheap mask.
TEST_F(Fusion, NestedReductionsBelowOthers) {
  const program step = [](auto& x) {
    auto diff = x(np::_, np::newaxis) - x(np::slice(0, 8))(np::newaxis);
    auto labels = np::argmin(np::sum(diff * diff, {.axis = -1}), {.axis = 1});
    auto member = labels == np::arange(8)(np::_, np::newaxis);
    return std::vector{np::sum(member, {.axis = 1}), np::sum(np::where(member, labels * 2, 0), {.axis = 1})};
  };
  const std::string report = same_as_eager("k-means", step, noise({5000, 3}, np::float32));
  EXPECT_NE(report.find("broadcast product      subtract, multiply, sum, argmin"), std::string::npos) << report;
  EXPECT_NE(report.find("sum x2"), std::string::npos) << report;
  const program error = [](auto& x) {
    auto diff = x(np::_, np::newaxis) - x(np::slice(0, 16))(np::newaxis);
    return std::vector<array>{np::mean(np::min(np::sum(diff * diff, {.axis = -1}), {.axis = 1}))};
  };
  same_as_eager("three reductions", error, noise({20000, 3}, np::float32));
}

TEST_F(Fusion, NarrowArrays) {
  for (std::int64_t width : {2, 3, 5, 8})
    for (np::dtype type : {np::float32, np::float64, np::uint16}) {
      const program moved = [](auto& x) {
        auto centre = x(0), row = x(np::_, np::slice(0, 1));
        return std::vector{x - centre, x * row + centre, np::exp(np::abs(x - row) * 0.1) * x};
      };
      same_as_eager("width " + std::to_string(width), moved, noise({3001, width}, type));
      same_as_eager("every second row", moved, noise({6001, width}, type)(np::slice(0, np::none, 2)));
      same_as_eager("three axes", moved, noise({11, 300, width}, type));
    }
}

}  // namespace
