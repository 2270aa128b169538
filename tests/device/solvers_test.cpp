// Decompositions by a library, whose layer and kernels compute on an OpenCL device: the host's answers but for the signs of
// vectors, which are tested by what they have to fulfil.
#include <complex>
#include <string>
#include <vector>

#include <numjit/np_linalg.h>

#include <device/library_device.h>

namespace {

namespace np = numjit;
namespace la = np::linalg;
using numjit::testing::host_ops;
using numjit::testing::host_work;
using numjit::testing::HostSolvers;

class LibrarySolvers : public numjit::testing::OnLibraries {};

const std::vector<np::dtype>& types() {
  static const std::vector<np::dtype> all = {np::float32, np::float64, np::complex64, np::complex128};
  return all;
}

/// Well away from singular ones.
np::array matrices(const std::vector<std::int64_t>& shape, const np::dtype& type) {
  std::int64_t n = 1;
  for (const std::int64_t extent : shape) n *= extent;
  np::array x = np::sin(np::arange(static_cast<double>(n)) * 1.7);
  if (type.kind() == 'c') x = x + np::cos(np::arange(static_cast<double>(n)) * 0.9) * std::complex<double>(0.0, 1.0);
  x = np::reshape(x, np::dims(shape));
  if (shape[shape.size() - 1] == shape[shape.size() - 2]) x = x + np::eye(shape.back()) * 3.0;
  return x.astype(type);
}
np::array hermitian(const np::array& a) { return a + np::conjugate(np::swapaxes(a, -1, -2)); }
np::array positive(const np::array& a) { return np::matmul(a, np::conjugate(np::swapaxes(a, -1, -2))); }

bool is_close(const np::array& got, const np::array& want) {
  const double tolerance = want.dtype() == np::float32 || want.dtype() == np::complex64 ? 1e-4 : 1e-10;
  return np::allclose(got.to("cpu"), want, {.rtol = tolerance, .atol = tolerance});
}

/// On the device, without the host's help.
template <class F, class... Arrays>
np::array there(const F& f, const Arrays&... arrays) {
  auto compiled = np::compile(f);
  const auto moved = std::tuple(np::array(arrays.to(np::testing::library_name()))...);
  const std::int64_t before = host_work();
  HostSolvers::calls = 0;
  const np::array got = std::apply(compiled, moved);
  EXPECT_EQ(got.device(), np::testing::library_name());
  EXPECT_EQ(host_work(), before) << host_ops();
  numjit::testing::expect_library_calls(HostSolvers::calls > 0, true);
  return got.to("cpu");
}
template <class F, class... Arrays>
void expect_there(const F& f, const Arrays&... arrays) {
  const np::array want = f(arrays...), got = there(f, arrays...);
  EXPECT_EQ(got.dtype(), want.dtype());
  EXPECT_EQ(got.shape(), want.shape());
  EXPECT_TRUE(is_close(got, want)) << got.str() << "\nfor\n" << want.str();
}

TEST_F(LibrarySolvers, SolveAndInvert) {
  for (const np::dtype& type : types()) {
    SCOPED_TRACE(std::string(type.name()));
    const np::array a = matrices({2, 5, 5}, type), b = matrices({2, 5, 3}, type);
    expect_there([](const np::array& x, const np::array& y) { return la::solve(x, y); }, a, b);
    expect_there([](const np::array& x) { return la::inv(x); }, a);
  }
  const np::array a = matrices({4, 4}, np::float64), b = matrices({4, 6}, np::float64);
  expect_there([](const np::array& x, const np::array& y) { return la::solve(x.T(), y(np::_, 2)); }, a, b);
}

TEST_F(LibrarySolvers, Determinants) {
  for (const np::dtype& type : types()) {
    SCOPED_TRACE(std::string(type.name()));
    np::array a = matrices({3, 4, 4}, type);
    a(2, 1) = 0.0;  // a singular one, exactly: of two equal rows rounding is left, to each library its own
    expect_there([](const np::array& x) { return la::det(x); }, a);
    expect_there([](const np::array& x) { return la::slogdet(x).sign; }, a);
    expect_there([](const np::array& x) { return la::slogdet(x).logabsdet; }, a);
  }
  const np::array rows = np::eye(4)(np::slice(np::none, np::none, -1));  // two exchanges
  expect_there([](const np::array& x) { return la::det(x); }, rows);
  expect_there([](const np::array& x) { return la::det(x(np::slice(0, 3), np::slice(1, 4))); }, rows);  // one
}

TEST_F(LibrarySolvers, FactorPositiveMatrices) {
  for (const np::dtype& type : types()) {
    SCOPED_TRACE(std::string(type.name()));
    expect_there([](const np::array& x) { return la::cholesky(x); }, positive(matrices({2, 4, 4}, type)));
  }
  expect_there([](const np::array& x) { return la::cholesky(x, {.upper = true}); }, positive(matrices({5, 5}, np::complex128)));
}

TEST_F(LibrarySolvers, FindEigenvalues) {
  for (const np::dtype& type : types()) {
    SCOPED_TRACE(std::string(type.name()));
    const np::array a = hermitian(matrices({2, 4, 4}, type));
    expect_there([](const np::array& x) { return la::eigvalsh(x); }, a);
    expect_there([](const np::array& x) { return la::eigh(x).eigenvalues; }, a);
    const np::array v = there([](const np::array& x) { return la::eigh(x).eigenvectors; }, a);
    const np::array w = np::expand_dims(la::eigvalsh(a), -2);
    EXPECT_TRUE(is_close(np::matmul(a, v), (v * w).astype(type)));
  }
  const np::array a = matrices({4, 4}, np::float64);  // of which one triangle is read
  expect_there([](const np::array& x) { return la::eigvalsh(x, 'U'); }, a);
  expect_there([](const np::array& x) { return la::eigvalsh(x, 'L'); }, a);
}

TEST_F(LibrarySolvers, FindSingularValues) {
  for (const np::dtype& type : types())
    for (const bool wide : {false, true}) {
      SCOPED_TRACE(std::string(type.name()) + (wide ? ", wide" : ", tall"));
      const np::array a = wide ? matrices({2, 3, 5}, type) : matrices({2, 5, 3}, type);
      expect_there([](const np::array& x) { return la::svdvals(x); }, a);
      for (const bool full : {false, true}) {
        if (full && type.itemsize() == 8) continue;
        const np::array u = there([full](const np::array& x) { return la::svd(x, {.full_matrices = full}).U; }, a);
        const np::array v = there([full](const np::array& x) { return la::svd(x, {.full_matrices = full}).Vh; }, a);
        const np::array s = np::expand_dims(la::svdvals(a), -2);
        EXPECT_EQ(u.shape(), la::svd(a, {.full_matrices = full}).U.shape());
        EXPECT_EQ(v.shape(), la::svd(a, {.full_matrices = full}).Vh.shape());
        const np::array product = np::matmul(u(np::ellipsis, np::slice(0, 3)) * s, v(np::ellipsis, np::slice(0, 3), np::_));
        EXPECT_TRUE(is_close(product.astype(type), a)) << product.str();
      }
    }
}

TEST_F(LibrarySolvers, FactorByReflections) {
  for (const np::dtype& type : types())
    for (const auto& shape : {std::vector<std::int64_t>{2, 5, 3}, {2, 3, 5}, {4, 4}}) {
      SCOPED_TRACE(std::string(type.name()) + " " + std::to_string(shape.back()));
      const np::array a = matrices(shape, type);
      const np::array q = there([](const np::array&x) { return la::qr(x).Q; }, a),
                      r = there([](const np::array&x) { return la::qr(x).R; }, a);
      EXPECT_TRUE(is_close(np::matmul(q, r), a));
      const np::array unit = np::eye(q.shape(-1), {.dtype = type}),
                      product = np::matmul(np::conjugate(np::swapaxes(q, -1, -2)), q);
      EXPECT_TRUE(is_close(product, np::broadcast_to(unit, product.shape())));
      if (np::testing::device_kind() != "opencl") continue;  // a library of its own has signs of its own
      expect_there([](const np::array& x) { return la::qr(x).Q; }, a);
      expect_there([](const np::array& x) { return la::qr(x).R; }, a);
      expect_there([](const np::array& x) { return la::qr(x, "r").R; }, a);
      expect_there([](const np::array& x) { return la::qr(x, "complete").Q; }, a);
      expect_there([](const np::array& x) { return la::qr(x, "complete").R; }, a);
      expect_there([](const np::array& x) { return la::qr(x, "raw").Q; }, a);  // h and tau
      expect_there([](const np::array& x) { return la::qr(x, "raw").R; }, a);
    }
}

/// The eigenvalues decide the dtype, so that the host reads them; nothing else.
TEST_F(LibrarySolvers, FindEigenvaluesOfAnyMatrix) {
  for (const np::dtype& type : types()) {
    SCOPED_TRACE(std::string(type.name()));
    const np::array a = matrices({2, 5, 5}, type);  // with pairs of complex ones, and real ones between
    const np::array w = there([](const np::array& x) { return la::eig(x).eigenvalues; }, a);
    const np::array v = there([](const np::array& x) { return la::eig(x).eigenvectors; }, a);
    EXPECT_TRUE(is_close(np::matmul(a.astype(v.dtype()), v), v * np::expand_dims(w, -2)));
    EXPECT_TRUE(is_close(np::sort(w, {.axis = -1}), np::sort(la::eigvals(a), {.axis = -1})));
    if (np::testing::device_kind() != "opencl") continue;  // a library of its own has an order of its own
    expect_there([](const np::array& x) { return la::eigvals(x); }, a);
    expect_there([](const np::array& x) { return la::eig(x).eigenvalues; }, a);
    expect_there([](const np::array& x) { return la::eig(x).eigenvectors; }, a);
  }
  const np::array real = matrices({4, 4}, np::float64);
  const np::array w = there([](const np::array& x) { return la::eig(x + x.T()).eigenvalues; }, real);
  EXPECT_TRUE(is_close(np::sort(w), la::eigvalsh(real + real.T())));
}

/// Sines of squares: sums of angles would be of rank 2.
np::array full_rank(const std::vector<std::int64_t>& shape, const np::dtype& type) {
  const np::array k = np::arange(static_cast<double>(shape[0] * shape[1]));
  np::array x = np::sin(k * k * 0.37 + 1.0);
  if (type.kind() == 'c') x = x + np::cos(k * k * 0.23) * std::complex<double>(0.0, 1.0);
  return np::reshape(x, np::dims(shape)).astype(type);
}

TEST_F(LibrarySolvers, LeastSquares) {
  for (const np::dtype& type : {np::dtype(np::float64), np::dtype(np::complex64)})  // others differ in what compiles, for long
    for (const auto& shape : {std::vector<std::int64_t>{7, 3}, {3, 7}, {4, 4}}) {
      SCOPED_TRACE(std::string(type.name()) + " " + std::to_string(shape.back()));
      const np::array a = full_rank(shape, type), b = matrices({shape[0], 2}, type);
      expect_there([](const np::array& x, const np::array& y) { return la::lstsq(x, y).x; }, a, b);
      expect_there([](const np::array& x, const np::array& y) { return la::lstsq(x, y).s; }, a, b);
      if (shape[0] > shape[1])
        expect_there([](const np::array& x, const np::array& y) { return la::lstsq(x, y).residuals; }, a, b);
      expect_there([](const np::array& x, const np::array& y) { return la::lstsq(x, y(np::_, 0)).x; }, a, b);
    }
  np::array poor = full_rank({6, 4}, np::float64);
  poor(np::_, 3) = poor(np::_, 1) * 2.0;  // of rank 3: the shortest of all solutions
  const np::array b = matrices({6, 2}, np::float64);
  expect_there([](const np::array& x, const np::array& y) { return la::lstsq(x, y).x; }, poor, b);
  expect_there([](const np::array& x, const np::array& y) { return la::lstsq(x, y, 0.9).x; }, poor, b);
}

TEST_F(LibrarySolvers, WhatCannotBeSolvedIsTheHostsError) {
  const np::array singular = np::ones({3, 3}).to(np::testing::library_name());
  const auto message = [&](auto f) -> std::string {
    try {
      np::compile(f)(singular).eval();
    } catch (const np::LinAlgError& e) {
      return e.what();
    }
    return "no error";
  };
  EXPECT_EQ(message([](const np::array& x) { return la::inv(x); }), "[inv] Singular matrix");
  EXPECT_EQ(message([](const np::array& x) { return la::solve(x, x); }), "[solve] Singular matrix");
  EXPECT_EQ(message([](const np::array& x) { return la::cholesky(x - 2.0); }), "[cholesky] Matrix is not positive definite");
}

}  // namespace
