// np::linalg against NumPy: values, stacks, dtypes, empty arrays, errors, and as part of graphs.
#include <gtest/gtest.h>

#include <complex>

#include <numjit/np.h>

#include "against_numpy.h"

namespace np = numjit;
using namespace np::linalg;

namespace {

// The matrices a, s, m, c of the Python side.
np::array a() { return np::sin(np::square(np::arange(16.0)) * 1.7).reshape(4, 4); }
np::array s() { return np::cos(np::square(np::arange(36.0)) * 0.9).reshape(2, 2, 3, 3); }
np::array m() { return np::sin(np::square(np::arange(12.0)) * 1.3).reshape(4, 3); }
np::array c() {
  return np::sin(np::arange(9.0)).reshape(3, 3) + np::cos(np::arange(9.0) * 2).reshape(3, 3) * std::complex<double>(0, 1);
}
np::array hermitian(const np::array& x) { return np::matmul(x, np::conj(np::swapaxes(x, -1, -2))) + np::eye(x.shape(-1)); }

TEST(linalg, systems) {
  VALUE_CLOSE("a = np.sin(np.arange(16.0)**2 * 1.7).reshape(4, 4); np.linalg.solve(a, np.arange(4.0))", 1e-11,
              solve(a(), np::arange(4.0)));
  VALUE_CLOSE("a = np.sin(np.arange(16.0)**2 * 1.7).reshape(4, 4); np.linalg.solve(a, np.arange(8.0).reshape(4, 2))", 1e-11,
              solve(a(), np::arange(8.0).reshape(4, 2)));
  VALUE_CLOSE("s = np.cos(np.arange(36.0)**2 * 0.9).reshape(2, 2, 3, 3); np.linalg.solve(s, np.arange(6.0).reshape(3, 2))", 1e-11,
              solve(s(), np::arange(6.0).reshape(3, 2)));
  VALUE_CLOSE(
      "s = np.cos(np.arange(36.0)**2 * 0.9).reshape(2, 2, 3, 3); np.linalg.solve(s[0, 0].T, np.arange(12.0).reshape(2, 2, 3, 1))",
      1e-11, solve(s()(0, 0).T(), np::arange(12.0).reshape(2, 2, 3, 1)));
  VALUE_CLOSE(
      "c = np.sin(np.arange(9.0)).reshape(3, 3) + 1j * np.cos(np.arange(9.0) * 2).reshape(3, 3); np.linalg.solve(c, "
      "np.arange(3))",
      1e-11, solve(c(), np::arange(3)));
  VALUE_CLOSE(
      "a = np.sin(np.arange(16.0)**2 * 1.7).reshape(4, 4); np.linalg.solve(a.astype(np.float32), np.arange(4, dtype=np.float32))",
      2e-4, solve(a().astype(np::float32), np::arange(4).astype(np::float32)));
  VALUE_CLOSE("s = np.cos(np.arange(36.0)**2 * 0.9).reshape(2, 2, 3, 3); np.linalg.inv(s)", 1e-11, inv(s()));
  VALUE_CLOSE("c = np.sin(np.arange(9.0)).reshape(3, 3) + 1j * np.cos(np.arange(9.0) * 2).reshape(3, 3); np.linalg.inv(c)", 1e-11,
              inv(c()));
  VALUE_CLOSE("np.linalg.inv(np.array([[1, 2], [3, 4]]))", 1e-11, inv(np::array{{1, 2}, {3, 4}}));
  VALUE_CLOSE("s = np.cos(np.arange(36.0)**2 * 0.9).reshape(2, 2, 3, 3); np.linalg.det(s)", 1e-11, det(s()));
  VALUE_CLOSE("c = np.sin(np.arange(9.0)).reshape(3, 3) + 1j * np.cos(np.arange(9.0) * 2).reshape(3, 3); np.linalg.det(c)", 1e-11,
              det(c()));
  VALUE_CLOSE("np.linalg.det(np.ones((2, 2)))", 1e-11, det(np::ones({2, 2})));
  VALUE_CLOSE("s = np.cos(np.arange(36.0)**2 * 0.9).reshape(2, 2, 3, 3); np.linalg.slogdet(s)[0]", 1e-11, slogdet(s()).sign);
  VALUE_CLOSE("s = np.cos(np.arange(36.0)**2 * 0.9).reshape(2, 2, 3, 3); np.linalg.slogdet(s)[1]", 1e-11, slogdet(s()).logabsdet);
  VALUE_CLOSE("c = np.sin(np.arange(9.0)).reshape(3, 3) + 1j * np.cos(np.arange(9.0) * 2).reshape(3, 3); np.linalg.slogdet(c)[1]",
              1e-11, slogdet(c()).logabsdet);
  VALUE_CLOSE("np.linalg.slogdet(np.zeros((2, 2)))[1]", 1e-11, slogdet(np::zeros({2, 2})).logabsdet);
  VALUE_CLOSE("m = np.sin(np.arange(12.0)**2 * 1.3).reshape(4, 3); np.linalg.pinv(m)", 1e-11, pinv(m()));
  VALUE_CLOSE("s = np.cos(np.arange(36.0)**2 * 0.9).reshape(2, 2, 3, 3); np.linalg.pinv(s, rcond=0.3)", 1e-11,
              pinv(s(), {.rcond = 0.3}));
  VALUE_CLOSE("np.linalg.pinv(np.ones((3, 3)), hermitian=True)", 1e-11, pinv(np::ones({3, 3}), {.hermitian = true}));
  VALUE_CLOSE("m = np.sin(np.arange(12.0)**2 * 1.3).reshape(4, 3); np.linalg.lstsq(m, np.arange(4.0))[0]", 1e-11,
              lstsq(m(), np::arange(4.0)).x);
  VALUE_CLOSE("m = np.sin(np.arange(12.0)**2 * 1.3).reshape(4, 3); np.linalg.lstsq(m, np.arange(8.0).reshape(4, 2))[1]", 1e-11,
              lstsq(m(), np::arange(8.0).reshape(4, 2)).residuals);
  VALUE_CLOSE("m = np.sin(np.arange(12.0)**2 * 1.3).reshape(4, 3); np.linalg.lstsq(m, np.arange(4.0))[3]", 1e-11,
              lstsq(m(), np::arange(4.0)).s);
  VALUE_CLOSE("m = np.sin(np.arange(12.0)**2 * 1.3).reshape(4, 3); np.linalg.lstsq(m.T, np.arange(3.0))[0]", 1e-11,
              lstsq(m().T(), np::arange(3.0)).x);
  EXPECT_EQ(lstsq(m(), np::arange(4.0)).rank, 3);
  EXPECT_EQ(lstsq(np::ones({3, 2}), np::arange(3.0)).rank, 1);
}

TEST(linalg, decompositions) {
  for (const np::array& x : {a(), s(), m(), np::swapaxes(m(), 0, 1), c(), a().astype(np::float32)}) {
    const double close = x.dtype() == np::float32 ? 1e-5 : 1e-12;
    for (bool full : {true, false}) {
      const auto [u, values, vh] = svd(x, {.full_matrices = full});
      const std::int64_t k = values.shape(-1);
      const np::array left = u(np::ellipsis, np::slice(0, k)) * values(np::ellipsis, np::newaxis, np::_);
      const np::array right = np::swapaxes(np::swapaxes(vh, -1, -2)(np::ellipsis, np::slice(0, k)), -1, -2);
      EXPECT_TRUE(np::allclose(np::matmul(left, right), x, {.atol = close}));
      EXPECT_EQ(u.dtype(), x.dtype());
      EXPECT_EQ(u.shape(-1), full ? x.shape(-2) : k);
    }
    for (const char* mode : {"reduced", "complete"}) {
      const auto [q, r] = qr(x, mode);
      EXPECT_TRUE(np::allclose(np::matmul(q, r), x, {.atol = close}));
      EXPECT_TRUE(np::allclose(np::matmul(np::conj(np::swapaxes(q, -1, -2)), q), np::eye(q.shape(-1)), {.atol = close}));
    }
  }
  VALUE_CLOSE("s = np.cos(np.arange(36.0)**2 * 0.9).reshape(2, 2, 3, 3); np.linalg.svd(s, compute_uv=False)", 1e-11,
              svdvals(s()));
  VALUE_CLOSE("c = np.sin(np.arange(9.0)).reshape(3, 3) + 1j * np.cos(np.arange(9.0) * 2).reshape(3, 3); np.linalg.svdvals(c)",
              1e-11, svdvals(c()));
  VALUE_CLOSE("m = np.sin(np.arange(12.0)**2 * 1.3).reshape(4, 3); np.abs(np.linalg.qr(m, mode='r'))", 1e-11,
              np::abs(qr(m(), "r").R));
  VALUE_CLOSE("m = np.sin(np.arange(12.0)**2 * 1.3).reshape(4, 3); np.linalg.qr(m, mode='raw')[0]", 1e-11, qr(m(), "raw").Q);
  VALUE_CLOSE("m = np.sin(np.arange(12.0)**2 * 1.3).reshape(4, 3); np.linalg.qr(m, mode='raw')[1]", 1e-11, qr(m(), "raw").R);
  VALUE_CLOSE("m = np.sin(np.arange(12.0)**2 * 1.3).reshape(4, 3); np.linalg.qr(m, mode='economic')", 1e-11, qr(m(), "e").R);
  EXPECT_EQ(qr(m(), "full").Q.shape(), (np::dims{4, 3}));
  VALUE_CLOSE("np.linalg.svd(np.array([[1.0, 2.0], [2.0, -3.0]]), compute_uv=False, hermitian=True)", 1e-11,
              svd(np::array{{1.0, 2.0}, {2.0, -3.0}}, {.compute_uv = false, .hermitian = true}).S);
  EXPECT_TRUE(svd(m(), {.compute_uv = false}).U.empty_handle());
  VALUE_CLOSE("np.linalg.cholesky(np.array([[4.0, 2.0], [2.0, 3.0]]))", 1e-11, cholesky(np::array{{4.0, 2.0}, {2.0, 3.0}}));
  VALUE_CLOSE("np.linalg.cholesky(np.array([[4.0, 2.0], [2.0, 3.0]]), upper=True)", 1e-11,
       cholesky(np::array{{4.0, 2.0}, {2.0, 3.0}}, {.upper = true}));
  VALUE_CLOSE(
      "c = np.sin(np.arange(9.0)).reshape(3, 3) + 1j * np.cos(np.arange(9.0) * 2).reshape(3, 3); np.linalg.cholesky(c @ "
      "c.conj().T + np.eye(3))",
      1e-11, cholesky(hermitian(c())));
}

TEST(linalg, eigenvalues) {
  VALUE_CLOSE("np.linalg.eigvals(np.array([[2.0, 1.0], [1.0, 3.0]]))", 1e-11, eigvals(np::array{{2.0, 1.0}, {1.0, 3.0}}));
  VALUE_CLOSE("np.linalg.eigvals(np.array([[0.0, -1.0], [1.0, 0.0]]))", 1e-11, eigvals(np::array{{0.0, -1.0}, {1.0, 0.0}}));
  VALUE_CLOSE("s = np.cos(np.arange(36.0)**2 * 0.9).reshape(2, 2, 3, 3); np.linalg.eigvalsh(s)", 1e-11, eigvalsh(s()));
  VALUE_CLOSE("s = np.cos(np.arange(36.0)**2 * 0.9).reshape(2, 2, 3, 3); np.linalg.eigvalsh(s, UPLO='U')", 1e-11,
              eigvalsh(s(), 'U'));
  VALUE_CLOSE("c = np.sin(np.arange(9.0)).reshape(3, 3) + 1j * np.cos(np.arange(9.0) * 2).reshape(3, 3); np.linalg.eigvalsh(c)",
              1e-11, eigvalsh(c()));
  for (const np::array& x : {a(), s(), c()}) {
    const auto [w, v] = eig(x);
    EXPECT_TRUE(np::allclose(np::matmul(x, v), v * w(np::ellipsis, np::newaxis, np::_)));
    const np::array h = hermitian(x);
    const auto [values, vectors] = eigh(h);
    EXPECT_TRUE(np::allclose(np::matmul(h, vectors), vectors * values(np::ellipsis, np::newaxis, np::_)));
    EXPECT_EQ(values.dtype(), np::float64);
    const auto [u, sizes, vh] = svd(h, {.hermitian = true});
    EXPECT_TRUE(np::allclose(np::matmul(u * sizes(np::ellipsis, np::newaxis, np::_), vh), h));
  }
  EXPECT_EQ(eig(np::eye(2)).eigenvectors.dtype(), np::float64);
}

TEST(linalg, norms) {
  VALUE_CLOSE("a = np.sin(np.arange(16.0)**2 * 1.7).reshape(4, 4); np.linalg.norm(a)", 1e-11, norm(a()));
  VALUE_CLOSE("a = np.sin(np.arange(16.0)**2 * 1.7).reshape(4, 4); np.linalg.norm(a, 'fro')", 1e-11, norm(a(), {.ord = "fro"}));
  VALUE_CLOSE("a = np.sin(np.arange(16.0)**2 * 1.7).reshape(4, 4); np.linalg.norm(a, 'nuc')", 1e-11, norm(a(), {.ord = "nuc"}));
  VALUE_CLOSE("a = np.sin(np.arange(16.0)**2 * 1.7).reshape(4, 4); np.linalg.norm(a, 2)", 1e-11, norm(a(), {.ord = 2}));
  VALUE_CLOSE("a = np.sin(np.arange(16.0)**2 * 1.7).reshape(4, 4); np.linalg.norm(a, -2)", 1e-11, norm(a(), {.ord = -2}));
  VALUE_CLOSE("a = np.sin(np.arange(16.0)**2 * 1.7).reshape(4, 4); np.linalg.norm(a, 1)", 1e-11, norm(a(), {.ord = 1}));
  VALUE_CLOSE("a = np.sin(np.arange(16.0)**2 * 1.7).reshape(4, 4); np.linalg.norm(a, -np.inf)", 1e-11,
              norm(a(), {.ord = -np::inf}));
  VALUE_CLOSE("a = np.sin(np.arange(16.0)**2 * 1.7).reshape(4, 4); np.linalg.norm(a, 3, axis=1)", 1e-11,
              norm(a(), {.ord = 3, .axis = 1}));
  VALUE_CLOSE("a = np.sin(np.arange(16.0)**2 * 1.7).reshape(4, 4); np.linalg.norm(a, 0, axis=0, keepdims=True)", 1e-11,
              norm(a(), {.ord = 0, .axis = 0, .keepdims = true}));
  VALUE_CLOSE("s = np.cos(np.arange(36.0)**2 * 0.9).reshape(2, 2, 3, 3); np.linalg.norm(s, 2, axis=(1, 3), keepdims=True)", 1e-11,
              norm(s(), {.ord = 2, .axis = {1, 3}, .keepdims = true}));
  VALUE_CLOSE("s = np.cos(np.arange(36.0)**2 * 0.9).reshape(2, 2, 3, 3); np.linalg.norm(s, 'nuc', axis=(-2, -1))", 1e-11,
              norm(s(), {.ord = "nuc", .axis = {-2, -1}}));
  VALUE_CLOSE("s = np.cos(np.arange(36.0)**2 * 0.9).reshape(2, 2, 3, 3); np.linalg.norm(s)", 1e-11, norm(s()));
  VALUE_CLOSE("s = np.cos(np.arange(36.0)**2 * 0.9).reshape(2, 2, 3, 3); np.linalg.matrix_norm(s, ord=1)", 1e-11,
              matrix_norm(s(), {.ord = 1}));
  VALUE_CLOSE("s = np.cos(np.arange(36.0)**2 * 0.9).reshape(2, 2, 3, 3); np.linalg.vector_norm(s, axis=(0, 1), ord=1)", 1e-11,
              vector_norm(s(), {.axis = {0, 1}, .ord = 1}));
  VALUE_CLOSE("c = np.sin(np.arange(9.0)).reshape(3, 3) + 1j * np.cos(np.arange(9.0) * 2).reshape(3, 3); np.linalg.norm(c)",
              1e-11, norm(c()));
  VALUE_CLOSE("a = np.sin(np.arange(16.0)**2 * 1.7).reshape(4, 4); np.linalg.cond(a)", 1e-11, cond(a()));
  VALUE_CLOSE("a = np.sin(np.arange(16.0)**2 * 1.7).reshape(4, 4); np.linalg.cond(a, 1)", 1e-11, cond(a(), 1));
  VALUE_CLOSE("a = np.sin(np.arange(16.0)**2 * 1.7).reshape(4, 4); np.linalg.cond(a, 'fro')", 1e-11, cond(a(), "fro"));
  VALUE_CLOSE("a = np.sin(np.arange(16.0)**2 * 1.7).reshape(4, 4); np.linalg.cond(a, -2)", 1e-11, cond(a(), -2));
  VALUE("a = np.sin(np.arange(16.0)**2 * 1.7).reshape(4, 4); np.linalg.matrix_rank(a)", matrix_rank(a()));
  VALUE("np.linalg.matrix_rank(np.ones((2, 4, 4)))", matrix_rank(np::ones({2, 4, 4})));
  VALUE("a = np.sin(np.arange(16.0)**2 * 1.7).reshape(4, 4); np.linalg.matrix_rank(a, tol=1.0)", matrix_rank(a(), {.tol = 1.0}));
  VALUE("np.linalg.matrix_rank(np.zeros(3))", matrix_rank(np::zeros(3)));
}

TEST(linalg, products) {
  VALUE_CLOSE("s = np.cos(np.arange(36.0)**2 * 0.9).reshape(2, 2, 3, 3); np.linalg.matrix_power(s, 5)", 1e-11,
              matrix_power(s(), 5));
  VALUE_CLOSE("a = np.sin(np.arange(16.0)**2 * 1.7).reshape(4, 4); np.linalg.matrix_power(a, -3)", 1e-11, matrix_power(a(), -3));
  VALUE("np.linalg.matrix_power(np.array([[1, 1], [1, 0]]), 30)", matrix_power(np::array{{1, 1}, {1, 0}}, 30));
  VALUE_CLOSE("np.linalg.multi_dot([np.arange(20.0).reshape(10, 2), np.arange(200.0).reshape(2, 100), np.arange(100.0)])", 1e-11,
       multi_dot({np::arange(20.0).reshape(10, 2), np::arange(200.0).reshape(2, 100), np::arange(100.0)}));
  VALUE("np.linalg.multi_dot([np.arange(3), np.ones((2, 3, 4))])", multi_dot({np::arange(3), np::ones({2, 3, 4})}));
  const np::array rows = np::zeros({2, 4}), row = np::zeros({1, 4}), vector = np::zeros(4);
  VALUE("np.linalg.multi_dot([np.ones((2, 3)), np.ones((3, 5)), np.ones((5, 4))], out=np.zeros((2, 4)))",
        multi_dot({np::ones({2, 3}), np::ones({3, 5}), np::ones({5, 4})}, {.out = rows}));
  EXPECT_TRUE(np::array_equal(rows, np::full({2, 4}, 15.0)));
  VALUE("np.linalg.multi_dot([np.ones(3), np.ones((3, 5)), np.ones((5, 4))], out=np.zeros((1, 4)))",
        multi_dot({np::ones(3), np::ones({3, 5}), np::ones({5, 4})}, {.out = row}));
  VALUE("np.linalg.multi_dot([np.ones(3), np.ones((3, 4))], out=np.zeros(4))",
        multi_dot({np::ones(3), np::ones({3, 4})}, {.out = vector}));
  VALUE("np.linalg.matrix_power(np.array([[0, 1, 0], [0, 0, 1], [1, 0, 0]]), 2**40 + 1)",
        matrix_power(np::array{{0, 1, 0}, {0, 0, 1}, {1, 0, 0}}, (std::int64_t(1) << 40) + 1));
  VALUE_CLOSE("np.linalg.tensorsolve(np.eye(24).reshape(6, 4, 2, 3, 4) + 1, np.ones((6, 4)))", 1e-11,
       tensorsolve(np::eye(24).reshape(6, 4, 2, 3, 4) + 1, np::ones({6, 4})));
  VALUE_CLOSE("np.linalg.tensorinv(np.eye(24).reshape(4, 6, 8, 3), ind=2)", 1e-11, tensorinv(np::eye(24).reshape(4, 6, 8, 3), 2));
  VALUE("np.linalg.cross(np.arange(6).reshape(3, 2), np.ones((3, 2)), axis=0)",
        np::linalg::cross(np::arange(6).reshape(3, 2), np::ones({3, 2}), 0));
  VALUE("np.linalg.outer(np.arange(3), np.arange(2))", np::linalg::outer(np::arange(3), np::arange(2)));
  VALUE("np.linalg.trace(np.arange(12).reshape(2, 2, 3), offset=1)",
        np::linalg::trace(np::arange(12).reshape(2, 2, 3), {.offset = 1}));
  VALUE("np.trace(np.arange(12).reshape(2, 2, 3))", np::trace(np::arange(12).reshape(2, 2, 3)));
  VALUE("np.linalg.diagonal(np.arange(12).reshape(2, 2, 3))", np::linalg::diagonal(np::arange(12).reshape(2, 2, 3)));
  VALUE("np.linalg.matrix_transpose(np.arange(12).reshape(2, 2, 3))", np::matrix_transpose(np::arange(12).reshape(2, 2, 3)));
  VALUE("np.linalg.vecdot(np.arange(6).reshape(2, 3), np.arange(3))", np::vecdot(np::arange(6).reshape(2, 3), np::arange(3)));
  VALUE_CLOSE("c = np.sin(np.arange(9.0)).reshape(3, 3) + 1j * np.cos(np.arange(9.0) * 2).reshape(3, 3); np.vecdot(c, c, axis=0)",
              1e-11, np::vecdot(c(), c(), 0));
}

TEST(linalg, empty_arrays) {
  VALUE("np.linalg.inv(np.zeros((0, 0)))", inv(np::zeros({0, 0})));
  VALUE("np.linalg.inv(np.zeros((0, 3, 3)))", inv(np::zeros({0, 3, 3})));
  VALUE("np.linalg.det(np.zeros((2, 0, 0)))", det(np::zeros({2, 0, 0})));
  VALUE("np.linalg.solve(np.zeros((0, 0)), np.zeros((0, 2)))", solve(np::zeros({0, 0}), np::zeros({0, 2})));
  VALUE("np.linalg.svd(np.zeros((0, 3)))[2]", svd(np::zeros({0, 3})).Vh);
  VALUE("np.linalg.svd(np.zeros((0, 3)), compute_uv=False)", svdvals(np::zeros({0, 3})));
  VALUE("np.linalg.qr(np.zeros((3, 0)), mode='complete')[0]", qr(np::zeros({3, 0}), "complete").Q);
  VALUE("np.linalg.eigh(np.zeros((0, 0)))[0]", eigh(np::zeros({0, 0})).eigenvalues);
  VALUE("np.linalg.eigvals(np.zeros((2, 0, 0)))", eigvals(np::zeros({2, 0, 0})));
  VALUE("np.linalg.cholesky(np.zeros((0, 0)))", cholesky(np::zeros({0, 0})));
  VALUE("np.linalg.pinv(np.zeros((0, 2)))", pinv(np::zeros({0, 2})));
  VALUE("np.linalg.norm(np.zeros((0, 3)), np.inf)", norm(np::zeros({0, 3}), {.ord = np::inf}));
  VALUE("np.linalg.matrix_norm(np.zeros((2, 0)), ord=2)", matrix_norm(np::zeros({2, 0}), {.ord = 2}));
  VALUE("np.linalg.vector_norm(np.zeros(0), ord=np.inf)", vector_norm(np::zeros(0), {.ord = np::inf}));
  ERROR("np.linalg.vector_norm(np.zeros(0), ord=-np.inf)", vector_norm(np::zeros(0), {.ord = -np::inf}));
  VALUE("np.linalg.matrix_rank(np.zeros((2, 0, 3)))", matrix_rank(np::zeros({2, 0, 3})));
  VALUE("np.linalg.lstsq(np.zeros((4, 0)), np.arange(4.0))[1]", lstsq(np::zeros({4, 0}), np::arange(4.0)).residuals);
  VALUE("np.linalg.lstsq(np.zeros((0, 3)), np.zeros((0, 2)))[0]", lstsq(np::zeros({0, 3}), np::zeros({0, 2})).x);
  const lstsq_result none = lstsq(np::arange(8.0).reshape(4, 2), np::zeros({4, 0}));
  EXPECT_EQ(none.rank, 2);
  VALUE("np.linalg.lstsq(np.arange(8.0).reshape(4, 2), np.zeros((4, 0)))[0]", none.x);
  VALUE_CLOSE("np.linalg.lstsq(np.arange(8.0).reshape(4, 2), np.zeros((4, 0)))[3]", 1e-11, none.s);
}

TEST(linalg, singular_matrices) {
  VALUE("np.linalg.cond(np.zeros((2, 2)))", cond(np::zeros({2, 2})));
  VALUE("np.linalg.cond(np.zeros((2, 2)), -2)", cond(np::zeros({2, 2}), -2));
  VALUE("np.linalg.cond(np.array([[[1.0, 0.0], [0.0, 2.0]], [[0.0, 0.0], [0.0, 0.0]]]), 1)",
        cond(np::array{{{1.0, 0.0}, {0.0, 2.0}}, {{0.0, 0.0}, {0.0, 0.0}}}, 1));
  VALUE("np.linalg.cond(np.array([[np.nan, 1.0], [1.0, 1.0]]), 1)", cond(np::array{{np::nan, 1.0}, {1.0, 1.0}}, 1));
  VALUE_CLOSE("np.linalg.svd(np.array([[1.0, 1.0], [1.0, 1.0]]), hermitian=True)[2]", 1e-11,
              svd(np::array{{1.0, 1.0}, {1.0, 1.0}}, {.hermitian = true}).Vh);
}

TEST(linalg, narrow_types_are_computed_in_wide_ones) {
  // Of float32 results that were computed in float64, the last bit is right.
  VALUE("np.linalg.inv(np.sin(np.arange(16.0)**2 * 1.7).reshape(4, 4).astype(np.float32))",
        inv(np::sin(np::power(np::arange(16.0), 2) * 1.7).reshape(4, 4).astype(np::float32)));
  VALUE("np.linalg.det(np.sin(np.arange(16.0)**2 * 1.7).reshape(4, 4).astype(np.float32))",
        det(np::sin(np::power(np::arange(16.0), 2) * 1.7).reshape(4, 4).astype(np::float32)));
  VALUE("np.linalg.lstsq(np.arange(8, dtype=np.float32).reshape(4, 2), np.array([1, 2, 4, 7], np.float32))[0]",
        lstsq(np::arange(8, {.dtype = np::float32}).reshape(4, 2), np::array{1, 2, 4, 7}.astype(np::float32)).x);
  VALUE("np.linalg.svd(np.sin(np.arange(12.0)**2 * 1.3).reshape(4, 3).astype(np.complex64), compute_uv=False)",
        svdvals(np::sin(np::power(np::arange(12.0), 2) * 1.3).reshape(4, 3).astype(np::complex64)));
}

TEST(linalg, errors) {
  ERROR("np.linalg.inv(np.zeros((2, 2)))", inv(np::zeros({2, 2})));
  ERROR("np.linalg.solve(np.zeros((2, 2)), np.ones(2))", solve(np::zeros({2, 2}), np::ones(2)));
  ERROR("np.linalg.inv(np.zeros((2, 3)))", inv(np::zeros({2, 3})));
  ERROR("np.linalg.inv(np.zeros(3))", inv(np::zeros(3)));
  ERROR("np.linalg.det(np.zeros(3))", det(np::zeros(3)));
  ERROR("np.linalg.inv(np.eye(2, dtype=np.float16))", inv(np::eye(2, {.dtype = np::float16})));
  ERROR("np.linalg.cholesky(-np.eye(2))", cholesky(-np::eye(2)));
  ERROR("np.linalg.eig(np.array([[np.nan, 1.0], [1.0, 1.0]]))", eig(np::array{{np::nan, 1.0}, {1.0, 1.0}}));
  ERROR("np.linalg.eigh(np.eye(2), UPLO='x')", eigh(np::eye(2), 'x'));
  ERROR("np.linalg.qr(np.eye(2), mode='nothing')", qr(np::eye(2), "nothing"));
  ERROR("np.linalg.norm(np.eye(2), 3)", norm(np::eye(2), {.ord = 3}));
  ERROR("np.linalg.norm(np.ones((2, 2, 2)), 1)", norm(np::ones({2, 2, 2}), {.ord = 1}));
  ERROR("np.linalg.norm(np.ones(3), 'nuc')", norm(np::ones(3), {.ord = "nuc"}));
  ERROR("np.linalg.norm(np.ones(3), 'nothing')", norm(np::ones(3), {.ord = "nothing"}));
  ERROR("np.linalg.norm(np.eye(2), 'nothing')", norm(np::eye(2), {.ord = "nothing"}));
  ERROR("np.linalg.multi_dot([np.ones(2)])", multi_dot({np::ones(2)}));
  ERROR("np.linalg.multi_dot([np.ones((2, 3)), np.ones((3, 2))], out=np.zeros((2, 2), np.float32))",
        multi_dot({np::ones({2, 3}), np::ones({3, 2})}, {.out = np::zeros({2, 2}, np::float32)}));
  ERROR("np.linalg.vecdot(np.ones(2), 1)", np::linalg::vecdot(np::ones(2), 1));
  ERROR("np.linalg.tensorinv(np.ones((2, 2)), ind=0)", tensorinv(np::ones({2, 2}), 0));
  ERROR("np.linalg.outer(np.ones((2, 2)), np.ones(2))", np::linalg::outer(np::ones({2, 2}), np::ones(2)));
  ERROR("np.linalg.lstsq(np.ones((2, 2)), np.ones(3))", lstsq(np::ones({2, 2}), np::ones(3)));
  ERROR("np.linalg.solve(np.eye(2), np.ones(3))", solve(np::eye(2), np::ones(3)));
  ERROR("np.linalg.matrix_power(np.ones((2, 3)), 2)", matrix_power(np::ones({2, 3}), 2));
}

TEST(linalg, is_part_of_graphs) {
  auto body = [](const np::array& x, const np::array& b) {
    const np::array spd = np::matmul(x, x.T()) + np::eye(x.shape(0));
    const auto [u, values, vh] = svd(x * 2);
    const auto [q, r] = qr(x + 1);
    const auto [w, v] = eigh(spd);
    return solve(spd, b) + inv(spd)(0) + det(spd) + np::sum(np::abs(q)) + values(0) + w(1) + norm(x, {.ord = 2}) +
           np::sum(cholesky(spd)) + np::matmul(pinv(x), b);
  };
  auto f = np::compile(body, {.fullgraph = true});
  for (int n : {3, 3, 4, 5, 3}) {
    const np::array x = np::sin(np::square(np::arange(double(n * n))) * 1.9).reshape(n, n), b = np::arange(double(n));
    EXPECT_TRUE(np::array_equal(f(x, b), body(x, b))) << n;
  }
  auto g = np::compile([](const np::array& x) { return inv(x * 1.0) + 1; });
  EXPECT_THROW(g(np::zeros({2, 2})), np::LinAlgError);
  EXPECT_TRUE(np::array_equal(g(np::eye(2)), np::eye(2) + 1));
  auto h = np::compile([](const np::array& x) { return np::sum(eigvals(x * 1.0)); });
  EXPECT_TRUE(np::allclose(h(np::eye(3) * 2), 6.0));
}

}  // namespace
