// np.linalg, as JavaScript calls it. What needs LAPACK runs once the part of the package is loaded that has it
// (js/linalg.js).
#include <numjit/np_linalg.h>

#include <numjit/base/error.h>

#include "rows.h"

namespace numjit::js {
namespace {

linalg::norm_order order_of(Call& c, int i) {
  if (!c.has(i)) return {};
  return c[i].tag == Tag::text ? linalg::norm_order(c[i].as_text("ord").c_str()) : linalg::norm_order(c[i].as_number("ord"));
}

char half_of(Call& c, int i) {
  const std::string half = c.has(i) ? c[i].as_text("UPLO") : "L";
  if (half.size() != 1) throw ValueError(c.name(), "UPLO: got '" + half + "', expected 'L' or 'U'.");
  return half[0];
}

linalg::norm_options norm_of(Call& c) { return {.ord = order_of(c, 1), .axis = c.axes(2), .keepdims = c.flag(3)}; }

Result decomposed(linalg::eig_result r) { return give_list(std::move(r.eigenvalues), std::move(r.eigenvectors)); }

Result factored_qr(Call& c) {
  const std::string mode = c.has(1) ? c[1].as_text("mode") : "reduced";
  linalg::qr_result r = linalg::qr(c[0], mode.c_str());
  return r.Q.empty_handle() ? give(std::move(r.R)) : give_list(std::move(r.Q), std::move(r.R));
}

Result factored_svd(Call& c) {
  linalg::svd_result r =
      linalg::svd(c[0], {.full_matrices = c.flag(1, true), .compute_uv = c.flag(2, true), .hermitian = c.flag(3)});
  return r.U.empty_handle() ? give(std::move(r.S)) : give_list(std::move(r.U), std::move(r.S), std::move(r.Vh));
}

Result fitted(Call& c) {
  linalg::lstsq_result r = linalg::lstsq(c[0], c[1], c.has(2) ? std::optional(c[2].as_number("rcond")) : std::nullopt);
  return give_list(std::move(r.x), std::move(r.residuals), r.rank, std::move(r.s));
}

}  // namespace

void add_linalg(std::vector<Function>& table) {
  static constexpr Function rows[] = {
      row<"linalg.norm">([](Call& c) { return give(linalg::norm(c[0], norm_of(c))); }),
      row<"linalg.solve">([](Call& c) { return give(linalg::solve(c[0], c[1])); }),
      row<"linalg.inv">([](Call& c) { return give(linalg::inv(c[0])); }),
      row<"linalg.pinv">([](Call& c) {
        linalg::pinv_options o;
        if (c.has(1)) o.rcond = c[1].as_operand();
        o.hermitian = c.flag(2);
        if (c.has(3)) o.rtol = c[3].as_operand();
        return give(linalg::pinv(c[0], o));
      }),
      row<"linalg.det">([](Call& c) { return give(linalg::det(c[0])); }),
      row<"linalg.slogdet">([](Call& c) {
        linalg::slogdet_result r = linalg::slogdet(c[0]);
        return give_list(std::move(r.sign), std::move(r.logabsdet));
      }),
      row<"linalg.eig">([](Call& c) { return decomposed(linalg::eig(c[0])); }),
      row<"linalg.eigvals">([](Call& c) { return give(linalg::eigvals(c[0])); }),
      row<"linalg.eigh">([](Call& c) { return decomposed(linalg::eigh(c[0], half_of(c, 1))); }),
      row<"linalg.eigvalsh">([](Call& c) { return give(linalg::eigvalsh(c[0], half_of(c, 1))); }),
      row<"linalg.svd">(factored_svd),
      row<"linalg.svdvals">([](Call& c) { return give(linalg::svdvals(c[0])); }),
      row<"linalg.qr">(factored_qr),
      row<"linalg.cholesky">([](Call& c) { return give(linalg::cholesky(c[0], {.upper = c.flag(1)})); }),
      row<"linalg.lstsq">(fitted),
      row<"linalg.matrix_rank">([](Call& c) {
        linalg::rank_options o;
        if (c.has(1)) o.tol = c[1].as_operand();
        o.hermitian = c.flag(2);
        if (c.has(3)) o.rtol = c[3].as_operand();
        return give(linalg::matrix_rank(c[0], o));
      }),
      row<"linalg.matrix_power">([](Call& c) { return give(linalg::matrix_power(c[0], c[1].as_integer("n"))); }),
      row<"linalg.cond">([](Call& c) { return give(linalg::cond(c[0], order_of(c, 1))); }),
      row<"linalg.multi_dot">([](Call& c) { return give(linalg::multi_dot(c.arrays(0), {.out = c.array_or_none(1)})); }),
      row<"linalg.cross">([](Call& c) { return give(linalg::cross(c[0], c[1], c.integer(2, -1))); }),
      row<"linalg.matmul">([](Call& c) { return give(matmul(c[0], c[1])); }),
      row<"linalg.outer">([](Call& c) { return give(linalg::outer(c[0], c[1])); }),
      row<"linalg.trace">([](Call& c) { return give(linalg::trace(c[0], {.offset = c.integer(1, 0), .dtype = c.type(2)})); }),
      row<"linalg.diagonal">([](Call& c) { return give(linalg::diagonal(c[0], c.integer(1, 0))); }),
      row<"linalg.vecdot">([](Call& c) { return give(linalg::vecdot(c[0], c[1], c.integer(2, -1))); }),
      row<"linalg.matrix_transpose">([](Call& c) { return give(linalg::matrix_transpose(c[0])); }),
      row<"linalg.vector_norm">([](Call& c) {
        return give(linalg::vector_norm(c[0], {.axis = c.axes(1), .keepdims = c.flag(2), .ord = order_of(c, 3)}));
      }),
      row<"linalg.matrix_norm">([](Call& c) {
        linalg::matrix_norm_options o{.keepdims = c.flag(1)};
        if (c.has(2)) o.ord = order_of(c, 2);
        return give(linalg::matrix_norm(c[0], o));
      }),
      row<"linalg.tensorsolve">([](Call& c) {
        return give(linalg::tensorsolve(c[0], c[1], c.has(2) ? std::optional(c[2].as_dims("axes")) : std::nullopt));
      }),
      row<"linalg.tensorinv">([](Call& c) { return give(linalg::tensorinv(c[0], static_cast<int>(c.integer(1, 2)))); }),
  };
  table.insert(table.end(), std::begin(rows), std::end(rows));
}

}  // namespace numjit::js
