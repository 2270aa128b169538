// Eigen's matrices and numjit's arrays on the same memory.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numjit/np.h>

#if __has_include(<Eigen/Core>)
#include <numjit/eigen.h>

namespace np = numjit;
using testing::HasSubstr;

TEST(Eigen, matrices_are_taken_over_or_shown) {
  Eigen::MatrixXd m(2, 3);
  m << 1, 2, 3, 4, 5, 6;
  np::array shown = np::from_eigen(m);
  EXPECT_TRUE(shown.is_f_contiguous());
  shown += 1.0;
  EXPECT_EQ(m(1, 0), 5);
  const double* memory = m.data();
  np::array a = np::from_eigen(std::move(m));
  EXPECT_EQ(a.data<double>(), memory);
  EXPECT_EQ(a.str(), "[[2. 3. 4.]\n [5. 6. 7.]]");
  Eigen::Matrix<float, 2, 2, Eigen::RowMajor> rows;
  rows << 1, 2, 3, 4;
  EXPECT_TRUE(np::from_eigen(rows).is_c_contiguous());
  Eigen::VectorXi v = Eigen::VectorXi::LinSpaced(3, 1, 3);
  EXPECT_EQ(np::from_eigen(v).repr(), "array([1, 2, 3], dtype=int32)");
  const Eigen::VectorXi fixed = v;
  EXPECT_FALSE(np::from_eigen(fixed).writeable());
  EXPECT_EQ(np::from_eigen(v * 2).str(), "[2 4 6]");  // an expression
  Eigen::MatrixXd big = Eigen::MatrixXd::Identity(4, 4);
  auto block = big.block(1, 1, 2, 2);
  np::array b = np::from_eigen(block);
  b(0, 1) = 7.0;
  EXPECT_EQ(big(1, 2), 7);
}

TEST(Eigen, arrays_are_shown_and_held) {
  np::array a = np::arange(6.0).reshape(2, 3);
  auto m = np::to_eigen<double>(a);
  EXPECT_EQ(m.rows(), 2);
  m(0, 1) = 10;
  EXPECT_EQ(a(0, 1).item(), 10);
  m *= 2;
  m = m + Eigen::MatrixXd::Ones(2, 3);
  EXPECT_EQ(a.str(), "[[ 1. 21.  5.]\n [ 7.  9. 11.]]");
  a = np::array();
  EXPECT_EQ(m.sum(), 54);
  const np::array c = np::arange(24.0).reshape(4, 6);
  EXPECT_EQ(np::to_eigen<double>(c.T())(2, 1), 8);
  const auto part = np::to_eigen<double>(c(np::slice(np::none, np::none, 2), np::slice(1, np::none, 3)));
  EXPECT_EQ(part(1, 1), 16);
  auto v = np::to_eigen_vector<double>(c(np::_, 1));
  EXPECT_EQ(v.dot(Eigen::VectorXd::Ones(4)), 40);
  auto w = np::to_eigen_vector<double>(c(np::_, 2));
  w = v;
  EXPECT_EQ(c(3, 2).item(), 19);
}

TEST(Eigen, what_it_cannot_show) {
  auto text = [](auto&& f) -> std::string {
    try {
      f();
    } catch (const np::error& e) {
      return e.what();
    }
    return "no error";
  };
  const np::array a = np::arange(3.0);
  EXPECT_THAT(text([&] { np::to_eigen<double>(a); }), HasSubstr("[to_eigen] the number of axes differs: got 1, expected 2."));
  EXPECT_THAT(text([&] { np::to_eigen_vector<double>(a(np::slice(np::none, np::none, -1))); }),
              HasSubstr("[to_eigen] Eigen has no negative strides: got strides (-8,)."));
  EXPECT_THAT(text([&] { np::to_eigen_vector<float>(a); }), HasSubstr("the dtype differs: got float64, expected float32."));
  const auto fixed = np::to_eigen<const double>(np::broadcast_to(a, {2, 3}));
  EXPECT_EQ(fixed(1, 2), 2);
}

#else

TEST(Eigen, is_not_installed) { GTEST_SKIP() << "no <Eigen/Core>: apt-get install libeigen3-dev"; }

#endif
