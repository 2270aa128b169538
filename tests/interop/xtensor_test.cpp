// xtensor's containers and numjit's arrays on the same memory.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numjit/np.h>

#if __has_include(<xtensor/xarray.hpp>)
#include <numjit/xtensor.h>
#include <xtensor/xadapt.hpp>
#include <xtensor/xmath.hpp>
#include <xtensor/xstrided_view.hpp>
#include <xtensor/xview.hpp>

namespace np = numjit;
using testing::HasSubstr;

TEST(Xtensor, containers_are_taken_over) {
  xt::xarray<double> x{{1, 2, 3}, {4, 5, 6}};
  const double* memory = x.data();
  np::array a = np::from_xtensor(std::move(x));
  EXPECT_EQ(a.data<double>(), memory);
  EXPECT_EQ(a.str(), "[[1. 2. 3.]\n [4. 5. 6.]]");
  xt::xtensor<float, 1> y{1.5F, 2.5F};
  EXPECT_EQ(np::from_xtensor(std::move(y)).repr(), "array([1.5, 2.5], dtype=float32)");
  xt::xarray<bool> flags{true, false};
  EXPECT_EQ(np::from_xtensor(std::move(flags)).str(), "[ True False]");
  xt::xarray<std::complex<double>> z = xt::ones<std::complex<double>>({2});
  EXPECT_EQ(np::from_xtensor(std::move(z)).dtype(), np::complex128);
}

TEST(Xtensor, containers_that_stay_are_shown) {
  xt::xarray<double, xt::layout_type::column_major> x{{1, 2, 3}, {4, 5, 6}};
  np::array a = np::from_xtensor(x);
  EXPECT_TRUE(a.is_f_contiguous());
  a += 1.0;
  EXPECT_EQ(x(1, 0), 5);
  auto shared = std::make_shared<xt::xtensor<int, 2>>(xt::xtensor<int, 2>{{1, 2}, {3, 4}});
  np::array held = np::from_xtensor(shared);
  shared.reset();
  EXPECT_EQ(held.str(), "[[1 2]\n [3 4]]");
  const xt::xarray<double> fixed{1, 2};
  EXPECT_FALSE(np::from_xtensor(fixed).writeable());
  auto view = xt::strided_view(x, {xt::range(xt::placeholders::_, xt::placeholders::_, -1), xt::range(1, 3)});
  EXPECT_EQ(np::from_xtensor(view).str(), "[[6. 7.]\n [3. 4.]]");
  auto columns = xt::view(x, xt::all(), 1);
  EXPECT_EQ(np::from_xtensor(columns).str(), "[3. 6.]");
  std::vector<double> mine{1, 2, 3, 4};
  auto adapted = xt::adapt(mine, std::vector<std::size_t>{2, 2});
  np::array b = np::from_xtensor(adapted);
  b(0, 0) = 9.0;
  EXPECT_EQ(mine[0], 9);
}

TEST(Xtensor, expressions_are_computed) {
  xt::xarray<double> x{1, 4, 9};
  EXPECT_EQ(np::from_xtensor(xt::sqrt(x) + 1.0).str(), "[2. 3. 4.]");
}

TEST(Xtensor, arrays_are_shown_and_held) {
  np::array a = np::arange(12.0).reshape(3, 4);
  auto v = np::to_xarray<double>(a);
  EXPECT_EQ(v.dimension(), 2U);
  EXPECT_EQ(v(2, 1), 9);
  v(0, 0) = -1;
  EXPECT_EQ(a(0, 0).item(), -1);
  v = xt::ones<double>({3, 4}) * 2.0;
  EXPECT_EQ(np::sum(a).item(), 24);
  v += xt::xarray<double>{0, 1, 2, 3};
  EXPECT_EQ(a(2).str(), "[2. 3. 4. 5.]");
  a = np::array();
  EXPECT_EQ(xt::sum(v)(), 42);  // the view holds the memory
  auto copy = v;                // shares it
  copy(0, 0) = 0;
  EXPECT_EQ(v(0, 0), 0);
  v = 7.0;
  EXPECT_EQ(xt::sum(copy)(), 84);
  v *= 2.0;
  EXPECT_EQ(copy(2, 3), 14);
}

TEST(Xtensor, strides_of_any_kind) {
  const np::array a = np::arange(24.0).reshape(4, 6);
  const np::array views[] = {a.T(),
                             a(np::slice(np::none, np::none, -1)),
                             a(np::slice(np::none, np::none, 2), np::slice(np::none, np::none, -3)),
                             a(np::newaxis, np::_, 2),
                             np::array(a(1, 1)),
                             a(np::slice(0, 0))};
  for (const np::array& n : views) {
    const auto v = np::to_xarray<double>(n);
    const xt::xarray<double> copied = v;
    EXPECT_EQ(np::from_xtensor(copied).str(), n.str());
  }
  np::array back = a(np::slice(np::none, np::none, -1), 0);
  auto v = np::to_xtensor<double, 1>(back);
  v = xt::xtensor<double, 1>{1, 2, 3, 4};
  EXPECT_EQ(a(np::_, 0).str(), "[4. 3. 2. 1.]");
  v = v + v;
  EXPECT_EQ(back.str(), "[2. 4. 6. 8.]");
  // A view of xtensor's on a view of ours, and back.
  auto part = xt::view(v, xt::range(1, 3));
  EXPECT_EQ(part(0), 4);
  EXPECT_EQ(np::from_xtensor(v).str(), back.str());
  EXPECT_EQ(np::from_xtensor(v).strides(), (np::dims{-48}));
}

TEST(Xtensor, read_only_and_other_dtypes) {
  const np::array a = np::broadcast_to(np::arange(3.0), {2, 3});
  const auto v = np::to_xarray<const double>(a);
  EXPECT_EQ(v(1, 2), 2);
  auto text = [](auto&& f) -> std::string {
    try {
      f();
    } catch (const np::error& e) {
      return e.what();
    }
    return "no error";
  };
  EXPECT_THAT(text([&] { np::to_xarray<double>(a); }), HasSubstr("[to_xarray] assignment destination is read-only"));
  EXPECT_THAT(text([&] { np::to_xarray<const float>(a); }),
              HasSubstr("[to_xarray] the dtype differs: got float64, expected float32."));
  EXPECT_THAT(text([&] { (np::to_xtensor<const double, 3>(a)); }),
              HasSubstr("[to_xtensor] the number of axes differs: got 2, expected 3."));
}

#else

TEST(Xtensor, is_not_installed) { GTEST_SKIP() << "no <xtensor/xarray.hpp>: apt-get install libxtensor-dev"; }

#endif
