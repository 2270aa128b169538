// Derivatives of systems, decompositions and Fourier transforms: first and second order, real and complex, of stacks.
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include <numjit/np.h>

#include "support/error_text.h"

namespace np = numjit;

namespace {

using np::array;
using Function = std::function<array(const array&)>;

/// Numbers without a pattern.
array numbers(const np::dims& shape, bool is_complex, double seed = 1.0) {
  std::int64_t n = 1;
  for (const std::int64_t extent : shape) n *= extent;
  const auto part = [&](double s) {
    const array mixed = np::sin(np::arange(static_cast<double>(n)) * 12.9898 + s) * 437.585;
    return np::reshape(3.0 * (mixed - np::floor(mixed)) - 1.5, shape);
  };
  return is_complex ? part(seed) + std::complex(0.0, 1.0) * part(seed + 0.7) : part(seed);
}
array up(const array& a) { return np::conjugate(np::swapaxes(a, -1, -2)); }
array sum_of_squares(const array& a) {
  return np::sum(np::square(np::real(a)) * 0.5) + np::sum(np::square(np::imag(a))) + np::sum(np::real(a));
}

struct Case {
  const char* name;
  np::dims shape;
  Function f;              // its result does not depend on the choice of a basis
  bool hermitian = false;  // what is given, and what it changes by
};

const std::vector<Case>& cases() {
  static const std::vector<Case> all{
      {"inv", {3, 3}, [](const array& a) { return np::linalg::inv(a); }},
      {"solve", {3, 3}, [](const array& a) { return np::linalg::solve(a, np::cos(a)); }},
      {"solve of a vector",
       {3, 3},
       [](const array& a) {
         return np::linalg::solve(a, np::array{1.0, 2.0, 3.0});
       }},
      {"det", {3, 3}, [](const array& a) { return np::linalg::det(a); }},
      {"slogdet",
       {3, 3},
       [](const array& a) {
         const auto [sign, log] = np::linalg::slogdet(a);
         return sign * 2.0 + log;
       }},
      {"cholesky", {3, 3}, [](const array& a) { return np::linalg::cholesky(a + 9.0 * np::eye(3)); }, true},
      {"cholesky, upper",
       {3, 3},
       [](const array& a) { return np::linalg::cholesky(a + 9.0 * np::eye(3), {.upper = true}); },
       true},
      {"qr, tall",
       {4, 3},
       [](const array& a) {
         const auto [q, r] = np::linalg::qr(a);
         return np::concatenate({q, r}, {.axis = -2});
       }},
      {"qr, wide",
       {3, 4},
       [](const array& a) {
         const auto [q, r] = np::linalg::qr(a);
         return np::concatenate({q, r}, {.axis = -1});
       }},
      {"qr, r", {4, 3}, [](const array& a) { return np::linalg::qr(a, "r").R; }},
      {"eigh",
       {3, 3},
       [](const array& a) {
         const auto [w, v] = np::linalg::eigh(a);
         return np::matmul(v * np::expand_dims(np::exp(w * 0.1), -2), up(v));
       },
       true},
      {"eigvalsh", {3, 3}, [](const array& a) { return np::linalg::eigvalsh(a); }, true},
      {"svd, tall",
       {4, 3},
       [](const array& a) {
         const auto [u, s, vh] = np::linalg::svd(a, {.full_matrices = false});
         return np::matmul(u * np::expand_dims(np::cos(s), -2), vh);
       }},
      {"svd, wide",
       {3, 4},
       [](const array& a) {
         const auto [u, s, vh] = np::linalg::svd(a, {.full_matrices = false});
         return np::matmul(u * np::expand_dims(np::cos(s), -2), vh);
       }},
      {"singular values", {3, 4}, [](const array& a) { return np::linalg::svdvals(a); }},
      {"nuclear norm",
       {3, 4},
       [](const array& a) {
         return np::linalg::norm(a, {.ord = "nuc", .axis = np::axis_list(np::dims{-2, -1})});
       }},
      {"pinv, tall", {4, 3}, [](const array& a) { return np::linalg::pinv(a); }},
      {"pinv, wide", {3, 4}, [](const array& a) { return np::linalg::pinv(a); }},
      {"matrix_power", {3, 3}, [](const array& a) { return np::linalg::matrix_power(a, -2); }},
      {"fft", {4, 6}, [](const array& a) { return np::fft::fft(a, {.n = 5}); }},
      {"ifft", {4, 6}, [](const array& a) { return np::fft::ifft(a, {.n = 9, .axis = -2}); }},
      {"irfft, even", {4, 6}, [](const array& a) { return np::fft::irfft(a, {.n = 8}); }},
      {"irfft, odd", {4, 6}, [](const array& a) { return np::fft::irfft(a, {.n = 9}); }},
      {"fft2", {4, 6}, [](const array& a) { return np::fft::fft2(a); }},
  };
  return all;
}

class Linalg : public ::testing::TestWithParam<bool> {};

TEST_P(Linalg, DerivativesAreThoseOfDifferences) {
  for (const Case& c : cases())
    for (const bool stacked : {false, true}) {
      SCOPED_TRACE(std::string(c.name) + (stacked ? ", stacked" : ""));
      np::dims shape = c.shape;
      if (stacked) shape.insert(0, 2);
      const auto f = [&](const array& x) { return sum_of_squares(c.f(c.hermitian ? x + up(x) : x)); };
      const array x = numbers(shape, GetParam(), 1.0);
      np::testing::check_grads(f, std::tuple(x));
      np::testing::check_grads([&](const array& a) { return np::grad(f)(a) * numbers(shape, false, 3.0); }, std::tuple(x));
    }
}
INSTANTIATE_TEST_SUITE_P(Of, Linalg, ::testing::Values(false, true), [](const auto& i) { return i.param ? "Complex" : "Real"; });

TEST(LinalgGradients, OfMatricesWithEigenvalues) {
  const array a = numbers({3, 3}, false);
  const auto values = [](const array& x) {
    return np::sum(np::abs(np::linalg::eig(x + 0.0 * std::complex(0.0, 1.0)).eigenvalues));
  };
  np::testing::check_grads(values, std::tuple(a));
  const auto vectors = [](const array& x) {
    const auto [w, v] = np::linalg::eig(x + 0.0 * std::complex(0.0, 1.0));
    return np::sum(np::abs(v) * np::array{1.0, 2.0, 3.0});
  };
  np::testing::check_grads(vectors, std::tuple(a));
}

TEST(LinalgGradients, OfLeastSquares) {
  const auto f = [](const array& a, const array& b) {
    const auto r = np::linalg::lstsq(a, b);
    return np::sum(np::square(r.x)) + np::sum(r.residuals * 0.3);
  };
  np::testing::check_grads(f, std::tuple(numbers({5, 3}, false), numbers({5, 2}, false, 2.0)));
  np::testing::check_grads([](const array& a, const array& b) { return np::sum(np::square(np::linalg::lstsq(a, b).x)); },
                           std::tuple(numbers({3, 5}, false), numbers({3}, false, 2.0)));
}

// Points where formulas by the parts fail: singular, all values equal.
TEST(LinalgGradients, AtSpecialPoints) {
  const auto det = [](const array& a) { return np::linalg::det(a); };
  const array cofactors = np::grad(det)(np::array{{1.0, 2.0}, {2.0, 4.0}});
  EXPECT_TRUE(np::allclose(cofactors, np::array{{4.0, -2.0}, {-2.0, 1.0}})) << cofactors;
  EXPECT_TRUE(np::allclose(
      np::hessian(det)(np::eye(2)),
      np::reshape(np::array{{0.0, 0.0, 0.0, 1.0}, {0.0, 0.0, -1.0, 0.0}, {0.0, -1.0, 0.0, 0.0}, {1.0, 0.0, 0.0, 0.0}},
                  {2, 2, 2, 2})));
  const array d{{1.0, 2.0}, {3.0, 4.0}};
  EXPECT_TRUE(np::allclose(
      np::jvp([](const array& a) { return np::linalg::pinv(a); }, std::tuple(np::eye(2)), std::tuple(d)).second, -d));
  const auto energy = [](const array& a) { return np::sum(np::square(np::linalg::eigvalsh(a))); };
  EXPECT_TRUE(np::allclose(np::grad(energy)(2.0 * np::eye(3)), 4.0 * np::eye(3)));
  EXPECT_TRUE(np::all(np::isnan(np::grad([](const array& a) { return np::linalg::slogdet(a).logabsdet; })(np::ones({2, 2}))))
                  .item<bool>());
}

TEST(LinalgGradients, SecondDerivativesOfTheDeterminantOfSingularMatrices) {
  const auto det = [](const array& a) { return np::linalg::det(a); };
  const array regular = numbers({3, 3}, false), once = np::reshape(np::array{1.0, 2.0, 3.0}, {3, 1}) * np::array{1.0, 1.0, 2.0};
  // Of a determinant of three rows they are linear in the matrix.
  for (const array& singular : {once, once * 0.0, np::array{{1.0, 2.0, 3.0}, {2.0, 4.0, 7.0}, {3.0, 6.0, 10.0}}}) {
    const array expected = np::hessian(det)(singular + regular) - np::hessian(det)(regular);
    EXPECT_TRUE(np::allclose(np::hessian(det)(singular), expected)) << np::hessian(det)(singular) - expected;
    EXPECT_TRUE(np::allclose(np::jacrev(np::grad(det))(singular), expected)) << np::jacrev(np::grad(det))(singular) - expected;
  }
  EXPECT_EQ(np::hessian([](const array& a) { return np::square(np::linalg::det(a)); })(np::array{{0.0}}).item<double>(), 2.0);
  const auto third = np::hessian([&](const array& a) { return np::sum(np::grad(det)(a)); })(once);
  EXPECT_TRUE(np::all(np::isnan(third)).item<bool>()) << "not known, and said";
}

TEST(LinalgGradients, SecondDerivativesWhereSingularValuesAreEqual) {
  const auto second = [](auto f, const array& at) { return np::hessian(f)(at); };
  const array by_inverse = second([](const array& a) { return np::linalg::inv(a)(0, 1); }, 2.0 * np::eye(2));
  EXPECT_TRUE(np::allclose(second([](const array& a) { return np::linalg::pinv(a)(0, 1); }, 2.0 * np::eye(2)), by_inverse));
  const array a{{1.0, 1.0}, {1.0, -1.0}, {1.0, 1.0}, {1.0, -1.0}}, b{1.0, 2.0, 3.0, 5.0};
  const auto normal = [&](const array& x) {
    const array t = np::transpose(x);
    return np::sum(np::square(np::linalg::solve(np::matmul(t, x), np::matmul(t, b))));
  };
  const array expected = second(normal, a);
  EXPECT_TRUE(np::allclose(second([&](const array& x) { return np::sum(np::square(np::linalg::lstsq(x, b).x)); }, a), expected));
  EXPECT_TRUE(
      np::allclose(second([&](const array& x) { return np::sum(np::square(np::matmul(np::linalg::pinv(x), b))); }, a), expected));
}

TEST(LinalgGradients, CompiledAndBatchedAreTheSame) {
  const auto f = [](const array& a) {
    return np::sum(np::square(np::linalg::solve(a, np::ones({3})))) + np::linalg::slogdet(a).logabsdet +
           np::sum(np::real(np::fft::fft(a)) * a);
  };
  const array stack = numbers({4, 3, 3}, false);
  auto compiled = np::compile([&](const array& a) { return np::grad(f)(a); });
  array one_by_one = np::zeros_like(stack);
  for (int i = 0; i < 4; ++i) {
    one_by_one(i) = np::grad(f)(stack(i));
    EXPECT_TRUE(np::array_equal(compiled(stack(i)), one_by_one(i))) << i;
  }
  EXPECT_TRUE(np::allclose(np::vmap(np::grad(f))(stack), one_by_one));
}

TEST(LinalgGradients, NotUnique) {
  const array a = numbers({4, 3}, false);
  const auto text = [&](const auto& f) {
    return numjit::text_of<np::NotImplementedError>([&] { np::grad([&](const array& x) { return np::sum(f(x)); })(a); });
  };
  EXPECT_EQ(
      text([](const array& x) { return np::linalg::svd(x).U; }),
      "[linalg] no derivative of svd with full_matrices of a matrix that is not square is known: a part of it is any basis of a "
      "space. Use the reduced form.");
  EXPECT_EQ(
      text([](const array& x) { return np::linalg::qr(x, "complete").Q; }),
      "[linalg] no derivative of qr with mode='complete' and more rows than columns is known: a part of it is any basis of a "
      "space. Use the reduced form.");
}

}  // namespace
