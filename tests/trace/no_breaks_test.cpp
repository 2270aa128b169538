// Every function of the public headers on arrays that are pending, in one graph; those that must end
// it are listed with their reason.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <regex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include <numjit/np.h>
#include <numjit/ops/bind.h>
#include <numjit/ops/location_of.h>

#include "support/trace_values.h"

namespace np = numjit;

namespace {

using np::testing::message;

/// Arrays that a segment still has to compute.
struct Pending {
  np::array v;      // 6 elements, some equal
  np::array w;      // 6 elements, all positive
  np::array m;      // (3, 4)
  np::array q;      // (3, 3)
  np::array i;      // 6 places from 0 to 5
  np::array rows;   // int64 (3, 1), 0 or 1
  np::array b;      // 6 bools
  np::array c;      // 6 complex
  np::array s;      // a number
  np::array n;      // an integer
};

Pending pending(const np::array& zero) {
  const np::array none = zero.astype(np::int64);
  Pending p;
  p.v = np::array{1.5, -2.0, 0.25, 4.0, -2.0, 3.0} + zero;
  p.w = np::array{1.0, 2.0, 0.5, 4.0, 3.0, 2.5} + zero;
  p.m = np::arange(12.0).reshape(3, 4) + zero;
  p.q = np::array{{2.0, 1.0, 0.0}, {1.0, 3.0, 1.0}, {0.0, 1.0, 4.0}} + zero;
  p.i = np::array{0, 3, 2, 5, 2, 1} + none;
  p.rows = np::array{{0}, {1}, {1}} + none;
  p.b = p.v > 0;
  p.c = p.v + np::array(std::complex<double>(0, 1)) * p.w;
  p.s = zero + 2.5;
  p.n = none + 3;
  return p;
}

using results = np::array_list;
using function = std::function<results(const Pending&)>;

struct Row {
  const char* name;      // as in the header
  function run;
  const char* ends = ""; // the row of breaks.def, if the function must end the graph
};

#define F(...) [](const Pending& p) -> results { (void)p; return __VA_ARGS__; }

std::string path_of_scratch() { return (std::filesystem::temp_directory_path() / "numjit_no_breaks.npy").string(); }

std::vector<Row> table() {
  using np::slice;
  return {
      // creation
      {"zeros", F({np::zeros(3) + p.s})},
      {"ones", F({np::ones({2, 3}) + p.s})},
      {"empty", F({np::empty(3) * 0 + p.s})},
      {"full", F({np::full({2, 3}, p.s)})},
      {"zeros_like", F({np::zeros_like(p.m)})},
      {"ones_like", F({np::ones_like(p.m)})},
      {"empty_like", F({np::empty_like(p.m) * 0})},
      {"full_like", F({np::full_like(p.m, p.s)})},
      {"arange", F({np::arange(5) + p.n})},
      {"arange", F({np::arange(p.n)}), "scalar_read"},
      {"linspace", F({np::linspace(0, 1, 5) + p.s})},
      {"linspace", F({np::linspace(0, p.s, 5), np::linspace(p.s, p.s, 4), np::linspace(p.n, p.s, 1)})},
      {"linspace", F({np::linspace(np::min(p.v), np::max(p.v), 7, {.endpoint = false})})},
      {"linspace", F({np::linspace(p.n, 9, 7, {.dtype = np::int32})})},
      {"logspace", F({np::logspace(0, 1, 5) + p.s})},
      {"logspace", F({np::logspace(p.s, 1, 5)})},
      {"geomspace", F({np::geomspace(1, 8, 4) + p.s})},
      {"logspace", F({np::logspace(p.v, p.w, 3, {.base = p.w})})},
      {"geomspace", F({np::geomspace(p.w, 8, 4), np::geomspace(p.s, p.n, 3, {.endpoint = false})})},
      {"linspace", F({np::linspace(p.v, p.w, 4, {.axis = 1}), np::linspace(p.s, p.v, 3)})},
      {"eye", F({np::eye(3) + p.s})},
      {"identity", F({np::identity(3) + p.s})},
      {"diag", F({np::diag(p.v), np::diag(p.m, 1)})},
      {"tri", F({np::tri(3) + p.s})},
      {"tril", F({np::tril(p.m)})},
      {"triu", F({np::triu(p.m, 1)})},
      {"vander", F({np::vander(p.v), np::vander(p.v, 3)})},
      {"meshgrid", F(np::meshgrid({p.v, p.w}))},
      {"indices", F({np::indices({2, 3}) + p.n})},
      {"indices_sparse", [](const Pending& p) -> results {
         auto r = np::indices_sparse({2, 3}); return {r[0] + p.n, r[1] * p.s};
       }},
      {"linspace_retstep", [](const Pending& p) -> results {
         auto r = np::linspace_retstep(p.s, p.n, 4); return {r.samples, r.step};
       }},
      {"asarray", F({np::asarray(p.v), np::asarray(p.v, {np::float32})})},
      {"astype", F({np::astype(p.v, np::float32), np::astype(p.v, np::float64, {.copy = false})})},
      {"ascontiguousarray", F({np::ascontiguousarray(p.m.T())})},
      {"asfortranarray", F({np::asfortranarray(p.m)})},
      {"asanyarray", F({np::asanyarray(p.v)})},
      {"asarray_chkfinite", F({np::asarray_chkfinite(p.v)})},
      {"require", F({np::require(p.m.T(), "C")})},
      {"isfortran", F({np::array(np::isfortran(p.m)) + p.s})},
      {"fromiter", F({np::fromiter(std::vector<double>{1, 2}, np::float64) + p.s})},
      {"join_parts", F({np::r_(p.v, 0, np::slice(1, 3)), np::c_(p.v, p.w)})},
      {"copy", F({np::copy(p.m)})},
      {"from_values", F({np::from_values(std::vector<double>{1, 2}) + p.s})},
      {"fromfunction", F({np::fromfunction([](auto a, auto b) { return a + b; }, {2, 2}) + p.s})},
      // shapes
      {"reshape", F({np::reshape(p.m, {4, -1}), np::reshape(p.m.T(), {2, 6})})},
      {"ravel", F({np::ravel(p.m), np::ravel(p.m.T())})},
      {"transpose", F({np::transpose(p.m)})},
      {"swapaxes", F({np::swapaxes(p.m, 0, 1)})},
      {"moveaxis", F({np::moveaxis(p.m, 0, 1)})},
      {"rollaxis", F({np::rollaxis(p.m, 1)})},
      {"squeeze", F({np::squeeze(p.rows)})},
      {"expand_dims", F({np::expand_dims(p.v, 0)})},
      {"atleast_1d", F({np::atleast_1d(p.s)})},
      {"atleast_2d", F({np::atleast_2d(p.v)})},
      {"atleast_3d", F({np::atleast_3d(p.v)})},
      {"broadcast_to", F({np::broadcast_to(p.v, {2, 6})})},
      {"broadcast_arrays", F(np::broadcast_arrays({p.v, p.rows}))},
      {"diagonal", F({np::diagonal(p.m)})},
      {"real", F({np::real(p.c), np::real(p.v)})},
      {"imag", F({np::imag(p.c), np::imag(p.v)})},
      {"angle", F({np::angle(p.c), np::angle(p.v, true)})},
      {"concatenate", F({np::concatenate({p.v, p.w})})},
      {"stack", F({np::stack({p.v, p.w})})},
      {"row_stack", F({np::row_stack({p.v, p.w})})},
      {"vstack", F({np::vstack({p.v, p.w})})},
      {"hstack", F({np::hstack({p.v, p.w})})},
      {"dstack", F({np::dstack({p.v, p.w})})},
      {"column_stack", F({np::column_stack({p.v, p.w})})},
      {"append", F({np::append(p.v, p.s), np::append(p.m, p.m, 0)})},
      {"delete_", F({np::delete_(p.v, 2)})},
      {"split", F(np::split(p.v, 3))},
      {"split", F(np::split(p.v, np::dims{1, 4}))},
      {"array_split", F(np::array_split(p.v, 4))},
      {"hsplit", F(np::hsplit(p.m, 2))},
      {"vsplit", F(np::vsplit(p.m, 3))},
      {"tile", F({np::tile(p.v, 2), np::tile(p.v, {2, 2})})},
      {"repeat", F({np::repeat(p.v, 2), np::repeat(p.m, 2, 1)})},
      {"repeat", F({np::repeat(p.v, p.i), np::repeat(p.m, np::array{2, 0, 1}, 0), np::repeat(p.v, p.n)})},
      {"roll", F({np::roll(p.v, 2), np::roll(p.m, 1, 1)})},
      {"flip", F({np::flip(p.m)})},
      {"flipud", F({np::flipud(p.m)})},
      {"fliplr", F({np::fliplr(p.m)})},
      {"rot90", F({np::rot90(p.m)})},
      {"pad", F({np::pad(p.v, 2), np::pad(p.v, 2, {.mode = "edge"}), np::pad(p.m, 1, {.mode = "reflect"})})},
      {"pad", F({np::pad(p.m, 1, {.mode = "wrap"}), np::pad(p.m, 1, {.mode = "symmetric"})})},
      {"pad", F({np::pad(p.m, 1, {.constant_values = {1, 2}}), np::pad(p.m, 3, {.mode = "linear_ramp"}),
                 np::pad(p.m, 2, {.mode = "median", .stat_length = 2}),
                 np::pad(p.m, 5, {.mode = "symmetric", .reflect_type = "odd"})})},
      {"sliding_window_view", F({np::lib::sliding_window_view(p.v, 3), np::lib::sliding_window_view(p.m, {2, 2})})},
      {"sliding_window_view", F({np::sum(np::lib::sliding_window_view(p.m.T(), {2, 2}), {.axis = {2, 3}})})},
      // searching and sorting
      {"nonzero", F(np::nonzero(p.m > 3))},
      {"where", F(np::where(p.b))},
      {"where", F({np::where(p.b, p.v, p.w)})},
      {"flatnonzero", F({np::flatnonzero(p.b)})},
      {"argwhere", F({np::argwhere(p.m > 3)})},
      {"argwhere", F({np::argwhere(p.s)}), "data_dependent_shape"},
      {"take", F({np::take(p.v, p.i), np::take(p.m, p.rows, {.axis = 0, .mode = "wrap"})})},
      {"put", [](const Pending& p) -> results { auto y = p.v * 1; np::put(y, p.i, p.w); return {y}; }},
      {"take_along_axis", F({np::take_along_axis(p.v, p.i, 0), np::take_along_axis(p.m, p.rows, 1)})},
      {"compress", F({np::compress(p.b, p.v)})},
      {"extract", F({np::extract(p.b, p.v)})},
      {"copyto", [](const Pending& p) -> results { auto y = p.v * 1; np::copyto(y, p.w, p.b); return {y}; }},
      {"select", F({np::select({p.b, p.v < -1}, {p.v, p.w}, p.s)})},
      {"sort", F({np::sort(p.v), np::sort(p.m, np::none)})},
      {"argsort", F({np::argsort(p.v), np::argsort(p.m, np::none)})},
      {"unique", F({np::unique(p.v), np::unique(p.v(p.b)), np::unique(p.v(p.v < 0) / 0.0 * 0.0)})},
      {"unique", F({np::unique(np::floor(p.m / 5), {.axis = 0}), np::unique(p.v, {.equal_nan = false})})},
      {"unique_all", [](const Pending& p) -> results {
         auto u = np::unique_all(p.v);
         auto s = np::unique_all(p.v(p.v < 2));
         return {u.values, u.indices, u.inverse_indices, u.counts, u.values * u.counts,
                 s.values, s.indices, s.inverse_indices, s.counts};
       }},
      {"searchsorted", F({np::searchsorted(np::sort(p.v), p.w), np::searchsorted(np::sort(p.i), p.n, "right")})},
      {"digitize", F({np::digitize(p.v, np::sort(p.w)), np::digitize(p.v, np::array{3.0, 0.0, -1.0}, true)})},
      {"bincount", F({np::bincount(p.i), np::bincount(p.i, p.w), np::bincount(p.i, {}, 9)})},
      {"histogram", [](const Pending& p) -> results {
         auto a = np::histogram(p.v, 5), b = np::histogram(p.v, 4, {{-1, 3}}, true, p.w);
         auto c = np::histogram(p.v, np::sort(p.w)), d = np::histogram(p.i, 3);
         return {a.counts, a.edges, b.counts, b.edges, c.counts, c.edges, d.counts, d.edges};
       }},
      {"histogram2d", [](const Pending& p) -> results {
         auto a = np::histogram2d(p.v, p.w, {3, 2}), b = np::histogram2d(p.v, p.w, {3, 2}, {{{-1, 3}}, {}}, true, p.w);
         return {a.counts, a.x_edges, a.y_edges, b.counts};
       }},
      {"isin", F({np::isin(p.v, p.w), np::isin(p.i, np::array{2, 5}), np::isin(p.v, np::unique(p.v(p.b)))})},
      {"unravel_index", F(np::unravel_index(p.i, {2, 3}))},
      {"ravel_multi_index", F({np::ravel_multi_index({p.rows, p.rows}, {2, 3})})},
      {"ix_", F(np::ix_({p.i, p.rows.ravel()}))},
      {"ix_", [](const Pending& p) -> results { auto g = np::ix_({p.b}); return {p.v(g[0])}; }},
      // reductions and what is made of them
      {"mean", F({np::mean(p.m), np::mean(p.m, {.axis = 0}), np::mean(p.v, {.where = p.b})})},
      {"var", F({np::var(p.m), np::var(p.m, {.axis = 0}), np::var(p.v, {.where = p.b})})},
      {"std", F({np::std(p.m, {.axis = 1})})},
      {"average", F({np::average(p.v), np::average(p.v, {.weights = p.w})})},
      {"average_returned", [](const Pending& p) -> results {
         auto r = np::average_returned(p.m, {.axis = 1, .weights = p.w(np::slice(4))}); return {r.average, r.sum_of_weights};
       }},
      {"ptp", F({np::ptp(p.m, 0)})},
      {"count_nonzero", F({np::count_nonzero(p.m)})},
      {"median", F({np::median(p.v), np::median(p.m, 1), np::median(p.v(p.b))})},
      {"quantile", F({np::quantile(p.v, 0.3), np::quantile(p.m, p.w / 8, {.axis = 0, .method = "hazen"})})},
      {"quantile", F({np::quantile(p.v, 0.3, {.method = "inverted_cdf", .weights = p.w}), np::quantile(p.v(p.b), 0.3)})},
      {"percentile", F({np::percentile(p.v, 30), np::percentile(p.v, np::array{25, 75})})},
      {"nansum", F({np::nansum(p.m)})},
      {"nanmean", F({np::nanmean(p.m)})},
      {"nanmax", F({np::nanmax(p.m)})},
      {"nanmin", F({np::nanmin(p.m)})},
      {"diff", F({np::diff(p.v), np::diff(p.m, 2)})},
      {"gradient", F({np::gradient(p.v)})},
      {"gradients", F(np::gradients(p.m, {.edge_order = 2}))},
      {"diff", F({np::diff(p.m, {.axis = 0, .prepend = p.s})})},
      {"trapezoid", F({np::trapezoid(p.v, {.x = p.w}), np::trapezoid(p.v)})},
      {"round", F({np::round(p.v, 1)})},
      {"around", F({np::around(p.v)})},
      {"clip", F({np::clip(p.v, 0, p.s), np::clip(p.v, np::none, p.s), np::clip(p.v, p.s, np::none)})},
      {"nan_to_num", F({np::nan_to_num(p.v)})},
      {"interp", F({np::interp(p.v, p.w, p.c, {.period = 3.0}), np::interp(p.v, np::sort(p.w), p.w)})},
      {"dot", F({np::dot(p.v, p.w), np::dot(p.q, p.m)})},
      {"vdot", F({np::vdot(p.c, p.c)})},
      {"inner", F({np::inner(p.v, p.w)})},
      {"outer", F({np::outer(p.v, p.w)})},
      {"matmul", F({np::matmul(p.q, p.m)})},
      {"tensordot", F({np::tensordot(p.q, p.m, 1), np::tensordot(p.q, p.q, np::dims{0}, np::dims{1})})},
      {"kron", F({np::kron(p.v, p.w)})},
      {"einsum", F({np::einsum("...j,j", {p.m, p.w(slice(4))}), np::einsum("ij,jk->ik", {p.q, p.m}), np::einsum("ii", {p.q}),
                      np::einsum("ij,jk,kl->il", {p.q, p.q, p.m}, {.optimize = "greedy"})})},
      {"einsum_path", [](const Pending& p) -> results { np::einsum_path("ij,jk", {p.q, p.m}); return {}; }},
      {"cross", F({np::cross(p.q, p.q + 1)})},
      {"isclose", F({np::isclose(p.v, p.w)})},
      {"allclose", F({np::array(np::allclose(p.v, p.w))}), "scalar_read"},
      {"array_equal", F({np::array(np::array_equal(p.v, p.w))}), "scalar_read"},
      {"array_equiv", F({np::array(np::array_equiv(p.v, p.w))}), "scalar_read"},
      {"norm", F({np::linalg::norm(p.v), np::linalg::norm(p.m, {.axis = 1}), np::linalg::norm(p.q, {.ord = 1.0})})},
      {"matrix_power", F({np::linalg::matrix_power(p.q, 3)})},
      {"vector_norm", F({np::linalg::vector_norm(p.v)})},
      {"matrix_norm", F({np::linalg::matrix_norm(p.q)})},
      {"solve", F({np::linalg::solve(p.q, p.m)})},
      {"inv", F({np::linalg::inv(p.q)})},
      {"pinv", F({np::linalg::pinv(p.m)})},
      {"det", F({np::linalg::det(p.q)})},
      {"slogdet", [](const Pending& p) -> results {
         auto r = np::linalg::slogdet(p.q); return {r.sign, r.logabsdet};
       }},
      {"eig", [](const Pending& p) -> results {
         auto r = np::linalg::eig(p.q); return {r.eigenvalues, r.eigenvectors};
       },
       "scalar_read"},  // real or complex: the values decide
      {"eigvals", F({np::linalg::eigvals(p.q)}), "scalar_read"},
      {"eigh", [](const Pending& p) -> results {
         auto r = np::linalg::eigh(p.q); return {r.eigenvalues, r.eigenvectors};
       }},
      {"eigvalsh", F({np::linalg::eigvalsh(p.q)})},
      {"svd", [](const Pending& p) -> results { auto r = np::linalg::svd(p.m); return {r.U, r.S, r.Vh}; }},
      {"svdvals", F({np::linalg::svdvals(p.m)})},
      {"qr", [](const Pending& p) -> results { auto r = np::linalg::qr(p.q); return {r.Q, r.R}; }},
      {"cholesky", F({np::linalg::cholesky(p.q)})},
      {"lstsq", [](const Pending& p) -> results { return {np::linalg::lstsq(p.q, p.m).x}; },
       "scalar_read"},  // the rank is a C++ integer
      {"matrix_rank", F({np::linalg::matrix_rank(p.q)})},
      {"cond", F({np::linalg::cond(p.q)})},
      {"multi_dot", F({np::linalg::multi_dot({p.q, p.q, p.m})})},
      {"tensorsolve", F({np::linalg::tensorsolve(p.q, p.q(0))})},
      {"tensorinv", F({np::linalg::tensorinv(p.q, 1)})},
      {"cross", F({np::linalg::cross(p.q, p.q + 1)})},
      {"outer", F({np::linalg::outer(p.v, p.w)})},
      {"trace", F({np::linalg::trace(p.q), np::trace(p.m)})},
      {"diagonal", F({np::linalg::diagonal(p.m)})},
      {"matrix_transpose", F({np::linalg::matrix_transpose(p.m)})},
      {"vecdot", F({np::linalg::vecdot(p.v, p.w)})},
      {"fft", F({np::fft::fft(p.v)})},
      {"ifft", F({np::fft::ifft(p.v)})},
      {"rfft", F({np::fft::rfft(p.v)})},
      {"irfft", F({np::fft::irfft(p.v)})},
      {"hfft", F({np::fft::hfft(p.v)})},
      {"ihfft", F({np::fft::ihfft(p.v)})},
      {"fftn", F({np::fft::fftn(p.m)})},
      {"ifftn", F({np::fft::ifftn(p.m)})},
      {"rfftn", F({np::fft::rfftn(p.m)})},
      {"irfftn", F({np::fft::irfftn(p.m)})},
      {"fft2", F({np::fft::fft2(p.m)})},
      {"ifft2", F({np::fft::ifft2(p.m)})},
      {"rfft2", F({np::fft::rfft2(p.m)})},
      {"irfft2", F({np::fft::irfft2(p.m)})},
      {"fftshift", F({np::fft::fftshift(p.m)})},
      {"ifftshift", F({np::fft::ifftshift(p.m)})},
      // random numbers
      {"permutation", F({np::random::default_rng(7).permutation(p.v)})},
      {"choice", F({np::random::default_rng(7).choice(p.v, {.size = {3}})})},
      {"randint", F({np::random::default_rng(7).integers(p.n, p.i + 9)})},
      {"multivariate_normal", F({np::random::default_rng(7).multivariate_normal(np::zeros(3) + p.s, p.q)})},
      {"shuffle", [](const Pending& p) -> results {
         auto y = p.v * 1;
         np::random::default_rng(7).shuffle(y);
         return {y};
       }},
      // files and text
      {"save", [](const Pending& p) -> results { np::save(path_of_scratch(), p.v); return {}; }, "input_output"},
      {"load", F({np::load(path_of_scratch()) + p.s})},
      {"npy_bytes", [](const Pending& p) -> results { np::npy_bytes(p.v); return {}; }, "input_output"},
      {"savez", [](const Pending& p) -> results { np::savez(path_of_scratch(), {{"v", p.v}}); return {}; }, "input_output"},
      {"savez_compressed", [](const Pending& p) -> results {
         np::savez_compressed(path_of_scratch(), {{"v", p.v}});
         return {};
       }, "input_output"},
      {"savetxt", [](const Pending& p) -> results { np::savetxt(path_of_scratch(), p.v); return {}; }, "input_output"},
      {"share", [](const Pending& p) -> results { np::share(p.v); return {}; }, "memory_access"},
      {"as_strided", F({np::lib::stride_tricks::as_strided(p.v, {2}, {8})}), "memory_access"},
      {"logn", F({np::emath::logn(2, p.v + 1)}), "scalar_read"},
      {"savetxt_string", [](const Pending& p) -> results { np::savetxt_string(p.v); return {}; }, "input_output"},
      {"tobytes", [](const Pending& p) -> results { np::tobytes(p.v); return {}; }, "input_output"},
      {"tofile", [](const Pending& p) -> results { np::tofile(p.v, path_of_scratch()); return {}; }, "input_output"},
      {"array_str", [](const Pending& p) -> results { np::array_str(p.v); return {}; }, "printing"},
      {"array_repr", [](const Pending& p) -> results { np::array_repr(p.v); return {}; }, "printing"},
      {"array2string", [](const Pending& p) -> results { np::array2string(p.v); return {}; }, "printing"},
      // methods that read
      {"", [](const Pending& p) -> results { if (p.s) return {p.v}; return {}; }, "data_dependent_branch"},
      {"", F({np::array(p.s.item())}), "scalar_read"},
      {"", F({np::array(*p.v.data<double>())}), "memory_access"},
      {"", F({np::array(p.v.tolist<double>()[0])}), "memory_access"},
      {"", [](const Pending& p) -> results { p.v.str(); return {}; }, "printing"},
      {"", [](const Pending& p) -> results { p.v.eval(); return {p.v}; }, "evaluation"},
      {"", F({np::array(static_cast<double>(p.v(p.b).size()))}), "data_dependent_shape"},
      {"", F({np::power(p.i, p.i)}), "checked_value"},
      // indexing
      {"", F({p.m(1), p.m(np::_, 2), p.m(slice(0, 2), slice(np::none, np::none, -1)), p.m(np::ellipsis, 0)})},
      {"", F({p.v(p.b), p.v(p.i), p.m(p.rows), p.m(p.rows, np::_), p.m(np::_, p.i(slice(0, 2)) % 4)})},
      {"", F({p.m(p.rows.ravel(), p.rows.ravel()), p.m(p.m > 4)})},
      {"", [](const Pending& p) -> results { const np::array m = p.b(slice(3)); return {p.q(m, m)}; }},
      {"", [](const Pending& p) -> results {
         auto y = p.v * 1, z = p.m * 1;
         y(p.b) = 0, y(p.i) += 1, y(slice(1, 3)) *= p.s;
         z(np::_, 1) = p.s, z(z > 7) = p.s, z(p.rows.ravel(), p.rows.ravel()) = 5;
         return {y, z};
       }},
      {"", [](const Pending& p) -> results { auto y = p.v * 1; y(p.b) = p.w(p.b); return {y}; }},
  };
}

/// Index tricks, polynomials, sets, statistics.
std::vector<Row> table_of_more() {
  return {
      {"diag_indices_from", F(np::diag_indices_from(p.q))},
      {"tril_indices_from", F(np::tril_indices_from(p.q))},
      {"triu_indices_from", F(np::triu_indices_from(p.q))},
      {"diagflat", F({np::diagflat(p.m)})},
      {"fill_diagonal", [](const Pending& p) -> results { auto y = p.q * 1; np::fill_diagonal(y, p.s); return {y}; }},
      {"place", [](const Pending& p) -> results { auto y = p.v * 1; np::place(y, p.b, p.w); return {y}; }},
      {"putmask", [](const Pending& p) -> results { auto y = p.v * 1; np::putmask(y, p.b, p.w); return {y}; }},
      {"put_along_axis", [](const Pending& p) -> results {
         auto y = p.m * 1;
         np::put_along_axis(y, p.rows, np::asarray(9.0), 1);
         return {y};
       }},
      {"choose", F({np::choose(p.b.astype(np::int64), {p.v, p.w})})},
      {"piecewise", F({np::piecewise(p.v, {p.b}, {[](const np::array& x) { return x * 2; }})})},
      {"block", F({np::block({{p.q, p.q}, {p.q, p.q}})})},
      {"insert", F({np::insert(p.v, 2, p.s)})},
      {"resize", F({np::resize(p.v, {2, 4})})},
      {"dsplit", F(np::dsplit(p.m.reshape(1, 3, 4), 2))},
      {"unstack", F(np::unstack(p.m))},
      {"concat", F({np::concat({p.v, p.w})})},
      {"permute_dims", F({np::permute_dims(p.m, {1, 0})})},
      {"apply_along_axis", F({np::apply_along_axis([](const np::array& x) { return np::sum(x); }, 1, p.m)})},
      {"apply_over_axes",
       F({np::apply_over_axes([](const np::array& x, std::int64_t k) { return np::sum(x, {.axis = k}); }, p.m, {0})})},
      {"matvec", F({np::matvec(p.q, p.q(0))})},
      {"vecmat", F({np::vecmat(p.q(0), p.q)})},
      {"shares_memory", F({np::array(np::shares_memory(p.v, p.w))}),
       "scalar_read"},  // of what memory?
      {"may_share_memory", F({np::array(np::may_share_memory(p.v, p.w))}), "scalar_read"},
      {"polyval", F({np::polyval(p.w, p.v)})},
      {"polyadd", F({np::polyadd(p.w, p.v)})},
      {"polysub", F({np::polysub(p.w, p.v)})},
      {"polymul", F({np::polymul(p.w, p.v)}), "data_dependent_shape"},  // leading zeros go
      {"polyder", F({np::polyder(p.w)})},
      {"polyint", F({np::polyint(p.w)})},
      {"poly", F({np::poly(p.w)})},
      {"roots", F({np::roots(p.w)}), "data_dependent_shape"},  // leading zeros do not count
      {"polyfit", F({np::polyfit(np::arange(6.0), p.v, 2)}), "scalar_read"},  // by lstsq
      {"polyfit_full", F({np::polyfit_full(np::arange(6.0), p.v, 2).residuals}), "scalar_read"},
      {"polyfit_cov", F({np::polyfit_cov(np::arange(6.0), p.v, 2).V}), "scalar_read"},
      {"i0", F({np::i0(p.v)})},
      {"sinc", F({np::sinc(p.v)})},
      {"unwrap", F({np::unwrap(p.v)})},
      {"intersect1d", F({np::intersect1d(p.v, p.w)})},
      {"intersect1d_all", [](const Pending& p) -> results {
         auto r = np::intersect1d_all(p.v, p.w); return {r.values, r.a_indices, r.b_indices};
       }},
      {"union1d", F({np::union1d(p.v, p.w)})},
      {"setdiff1d", F({np::setdiff1d(p.v, p.w)})},
      {"setxor1d", F({np::setxor1d(p.v, p.w)})},
      {"unique_values", F({np::unique_values(p.v)})},
      {"unique_counts", [](const Pending& p) -> results {
         auto u = np::unique_counts(p.v); return {u.values, u.counts};
       }},
      {"unique_inverse", [](const Pending& p) -> results { return {np::unique_inverse(p.v).values}; }},
      {"ediff1d", F({np::ediff1d(p.v)})},
      {"trim_zeros", F({np::trim_zeros(p.i)}), "data_dependent_shape"},
      {"lexsort", F({np::lexsort({p.v, p.w})})},
      {"partition", F({np::partition(p.v, {2, -1}), np::partition(p.m, 1, 0)})},
      {"argpartition", F({np::argpartition(p.v, 2), np::argpartition(p.m, 3, np::none)})},
      {"sort_complex", F({np::sort_complex(p.c)})},
      {"ldexp", F({np::ldexp(p.v, p.i)})},
      {"spacing", F({np::spacing(p.v)})},
      {"fix", F({np::fix(p.v)})},
      {"isposinf", F({np::isposinf(p.v)})},
      {"isneginf", F({np::isneginf(p.v)})},
      {"iscomplex", F({np::iscomplex(p.c)})},
      {"isreal", F({np::isreal(p.c)})},
      {"iscomplexobj", F({np::array(np::iscomplexobj(p.c))})},
      {"isrealobj", F({np::array(np::isrealobj(p.c))})},
      {"real_if_close", F({np::real_if_close(p.c)}),
       "data_dependent_branch"},  // real or complex: the values decide
      {"packbits", F({np::packbits(p.b)})},
      {"unpackbits", F({np::unpackbits(p.i.astype(np::uint8))})},
      {"nanprod", F({np::nanprod(p.m)})},
      {"nancumsum", F({np::nancumsum(p.v)})},
      {"nancumprod", F({np::nancumprod(p.v)})},
      {"nanvar", F({np::nanvar(p.m)})},
      {"nanstd", F({np::nanstd(p.m)})},
      {"nanargmax", F({np::nanargmax(p.m)})},
      {"nanargmin", F({np::nanargmin(p.m, {.axis = 1})})},
      {"nanmedian", F({np::nanmedian(p.v), np::nanmedian(np::sqrt(p.m - 3), {.axis = 1, .keepdims = true})})},
      {"nanquantile", F({np::nanquantile(p.v, 0.3), np::nanquantile(np::sqrt(p.m - 3), p.w / 9, {.axis = 1})})},
      {"nanpercentile", F({np::nanpercentile(p.v, 30)})},
      {"cumulative_sum", F({np::cumulative_sum(p.v)})},
      {"cumulative_prod", F({np::cumulative_prod(p.v)})},
      {"cov", F({np::cov(p.m), np::cov(p.v, p.w)})},
      {"corrcoef", F({np::corrcoef(p.q), np::corrcoef(p.v, p.w)})},
      {"convolve", F({np::convolve(p.v, p.w)})},
      {"correlate", F({np::correlate(p.v, p.w)})},
      {"histogram_bin_edges", F({np::histogram_bin_edges(p.v, 5)})},
      {"histogram", F({np::histogram(p.v, "sqrt").counts}), "scalar_read"},  // the number of bins is a shape
      {"histogram_bin_edges", F({np::histogram_bin_edges(p.v, "auto")}), "scalar_read"},
      {"histogramdd", [](const Pending& p) -> results { return {np::histogramdd(p.m.T(), {2, 2, 2}).counts}; }},
      {"ufunc::reduce", F({np::ufunc("subtract").reduce(p.m, {.axis = 1}), np::ufunc("bitwise_or").reduce(p.i),
                           np::ufunc("fmax").reduce(p.v, {.initial = 3, .where = p.b}), np::ufunc("add").reduce(p.m)})},
      {"ufunc::accumulate", F({np::ufunc("maximum").accumulate(p.m, {.axis = 1}), np::ufunc("add").accumulate(p.v)})},
      {"ufunc::reduceat", F({np::ufunc("add").reduceat(p.m, np::array{0, 2}, {.axis = 1}),
                             np::ufunc("divide").reduceat(p.w, np::array{3, 0})})},
      {"ufunc::outer", F({np::ufunc("hypot").outer(p.v, p.w)})},
      {"ufunc::at", [](const Pending& p) -> results {
         np::array sums = np::zeros(6), signs = p.v + 0;
         np::ufunc("add").at(sums, p.i, p.w);
         np::ufunc("negative").at(signs, p.i);
         return {sums, signs};
       }},
  };
}

/// Every ufunc and reduction, on floats where it has a loop for them.
std::vector<Row> table_of_rows() {
  std::vector<Row> rows;
  auto add = [&](const char* name, auto call) {
    const bool floats = message([&] { call(np::array{0.5, 0.25}); }) == "no error";
    rows.push_back({name, [call, floats](const Pending& p) -> results { return {call(floats ? p.w : p.i.astype(np::uint8))}; }});
  };
#define UFUNC1(name, ...) add(#name, [](const np::array& a) { return np::name(a); });
#define POWER1(...)
#define LINEAR2(...)
#define SPECIAL1(name, ...) add(#name, [](const np::array& a) { return np::special::name(a); });
#define UFUNC2(name, ...) add(#name, [](const np::array& a) { return np::name(a, a); });
#define UFUNC3(name, ...) add(#name, [](const np::array& a) { return np::name(a, a, a); });
#define REDUCTION(name, ...) add(#name, [](const np::array& a) { return np::name(a); });
#define ARGREDUCTION(name, ...) add(#name, [](const np::array& a) { return np::name(a); });
#define SCAN(name, ...) add(#name, [](const np::array& a) { return np::name(a); });
#include <numjit/ops/all_rows.inc>
  return rows;
}

/// The reason in the error of a function compiled with fullgraph, "" if there is no error.
std::string reason(const std::string& error) {
  static const std::regex page("help\\(.(NJ[0-9]+)");
  std::smatch found;
  if (std::regex_search(error, found, page)) return found[1];
  return error == "no error" ? "" : error;
}

/// Identifier of a row of breaks.def, "" for "".
std::string break_id(const std::string& name) {
#define BREAK(row, id, ...) \
  if (name == #row) return id;
#include <numjit/trace/state/breaks.def>
#undef BREAK
  return name;
}

std::vector<Row> all_rows() {
  std::vector<Row> rows = table();
  for (Row& r : table_of_more()) rows.push_back(std::move(r));
  for (Row& r : table_of_rows()) rows.push_back(std::move(r));
  return rows;
}

TEST(NoBreaks, EveryFunctionIsOneGraphOrSaysWhyNot) {
  const std::vector<Row> rows = all_rows();
  np::save(path_of_scratch(), np::arange(3.0));
  const np::array zero(0.0);
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const Row& row = rows[k];
    SCOPED_TRACE("row " + std::to_string(k) + ": " + row.name);
    auto body = [&](const np::array& z) { return row.run(pending(z)); };
    auto fast = np::compile(body, {.fullgraph = true, .backend = "graph"});
    results got;
    EXPECT_EQ(reason(message([&] { got = fast(zero); })), break_id(row.ends));
    if (*row.ends) continue;
    const results expected = body(zero);
    EXPECT_EQ(got.size(), expected.size());
    for (std::size_t i = 0; i < std::min(got.size(), expected.size()); ++i) {
      EXPECT_EQ(got[i].dtype(), expected[i].dtype()) << i;
      EXPECT_EQ(got[i].shape(), expected[i].shape()) << i;
      EXPECT_EQ(np::npy_bytes(got[i]), np::npy_bytes(expected[i])) << i << "\n" << got[i] << "\n" << expected[i];
    }
  }
}

/// Hands calls to the eager engine, and notes the files they come from.
class Listener final : public np::interpreter {
 public:
  np::array apply(const np::op_call& call) override {
    const np::location place = np::location_of(call);
    const std::string_view file = place.file;
    // Functions that are rows are called from the rows here, and to templates of any number of arguments and to assignments C++
    // gives no place to say where they are called: they have that of their header.
    if (file != __FILE__ && !file.ends_with(".def") && !file.ends_with(".h"))
      elsewhere.insert(fmt::format("{} at {}:{}", np::info(call.op).name, place.file, place.line));
    return np::detail::eager_interpreter->apply(call);
  }
  std::set<std::string> elsewhere;
};

TEST(NoBreaks, OperationsOfEveryFunctionReportTheUsersLine) {
  const Pending p = pending(np::array(0.0));
  np::save(path_of_scratch(), np::arange(3.0));
  for (const Row& row : all_rows()) {
    Listener listener;
    {
      const np::interpreter_scope scope(&listener);
      row.run(p);
    }
    EXPECT_EQ(listener.elsewhere, std::set<std::string>()) << row.name;
  }
}

/// Names of the functions that the public headers declare, but for those of namespace detail.
std::set<std::string> declared_functions() {
  std::set<std::string> names;
  const std::regex declaration(
      "(?:inline )?(?:array|array_list|std::vector<array>|bool|void|[a-z0-9_]+_result|std::string) ([a-z0-9_]+)\\(.*");
  for (const auto& file : std::filesystem::directory_iterator(NUMJIT_TEST_SOURCE_DIR "/numpy_compat/numjit")) {
    const std::string name = file.path().filename().string();
    // Operations between ranks are held to it by tests/distributed.
    if (!name.starts_with("np_") || name == "np_distributed.h") continue;
    std::ifstream in(file.path());
    bool internal = false;
    for (std::string line; std::getline(in, line);) {
      if (line.starts_with("namespace detail {")) internal = true;
      if (line.starts_with("}  // namespace detail")) internal = false;
      std::smatch found;
      if (!internal && std::regex_match(line, found, declaration)) names.insert(found[1]);
    }
  }
  return names;
}

TEST(NoBreaks, NoFunctionIsLeftOut) {
  // Nothing that takes an array.
  const std::set<std::string> others = {"can_cast",
                                        "isdtype",
                                        "issubdtype",
                                        "mintypecode",
                                        "isscalar",
                                        "memmap",
                                        "flush_file",
                                        "format_float_positional",
                                        "format_float_scientific",
                                        "base_repr",
                                        "binary_repr",
                                        "from_npy_bytes",
                                        "set_printoptions",
                                        "seed",
                                        "set_state",
                                        "set_bit_generator",
                                        "ranf",
                                        "sample",
                                        "random_integers",
                                        "rand",
                                        "randn",
                                        "bytes",
                                        "diag_indices",
                                        "tril_indices",
                                        "triu_indices",
                                        "mask_indices",
                                        "loadtxt",
                                        "loadtxt_string",
                                        "genfromtxt",
                                        "genfromtxt_string",
                                        "frombuffer",
                                        "fromfile",
                                        "fromstring",
                                        "set_device_memory_limit",
                                        "trim_device_memory",
                                        "use_graphs",
                                        "uses_graphs",
                                        "get",  // of structured bindings
                                        "fftfreq",
                                        "rfftfreq",
                                        "bartlett",
                                        "blackman",
                                        "hamming",
                                        "hanning",
                                        "kaiser"};
  std::set<std::string> listed;
  for (const Row& row : all_rows()) listed.insert(row.name);
  for (const std::string& name : declared_functions())
    EXPECT_EQ(listed.count(name) + others.count(name), 1u)
        << name << ": the table at the head of this file needs a row that calls it on arrays that are pending.";
}

}  // namespace
