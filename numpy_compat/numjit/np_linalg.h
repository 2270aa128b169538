// np::linalg: NumPy's linear algebra over LAPACK, for stacks of matrices.
//
// float32 and complex64 stay what they are; integers and bools are taken as float64. In compiled functions all
// of it is part of the graph, but for eig and eigvals of real arrays, whose dtype depends on values, and
// lstsq. Errors: LinAlgError in NumPy's words ("Singular matrix", when it runs; "Last 2 dimensions of the array
// must be square", at the call); TypeError for float16.
#pragma once

#include <numjit/np_manipulation.h>
#include <numjit/np_reductions.h>

namespace numjit::linalg {

using numjit::LinAlgError;

/// Order of a norm: a number, np::inf, or "fro" and "nuc", which vectors have not.
class norm_order {
 public:
  norm_order() = default;
  template <class T>
    requires(weak_scalar<T>)
  norm_order(T p) : p_(static_cast<double>(p)), given_(true) {}
  norm_order(const char* name) : name_(name), given_(true), named_(true) {}

  bool given() const { return given_; }
  double p() const { return p_; }
  bool named() const { return named_; }
  const std::string& name() const { return name_; }

 private:
  double p_ = 0;
  std::string name_;
  bool given_ = false, named_ = false;
};

struct norm_options {
  norm_order ord{};  // none: 2-norm of all elements
  axis_list axis{};
  bool keepdims = false;
};
/// Norm of vectors along one axis, of matrices over two, or of all elements.
/// ValueError: "Invalid norm order for matrices.", "Invalid norm order 'fro' for vectors", "Improper number of dimensions to
/// norm."
array norm(const operand& a, const norm_options& options = {});
struct vector_norm_options {
  axis_list axis{};
  bool keepdims = false;
  norm_order ord{2};
};
/// The same for vectors along the axes, taken as one; of matrices over the last two axes ("fro" if none).
array vector_norm(const operand& a, const vector_norm_options& options = {});
struct matrix_norm_options {
  bool keepdims = false;
  norm_order ord{"fro"};
};
array matrix_norm(const operand& a, const matrix_norm_options& options = {});

/// x of a x = b. `b` is a vector if it has one axis, else matrices.
array solve(const operand& a, const operand& b);
array inv(const operand& a);
struct pinv_options {
  std::optional<operand> rcond{};   // 1e-15; singular values below rcond times the largest count as 0
  bool hermitian = false;
  std::optional<operand> rtol{};    // instead of rcond
};
/// The inverse of Moore and Penrose.
array pinv(const operand& a, const pinv_options& options = {});
array det(const operand& a);
struct slogdet_result {
  array sign, logabsdet;
};
slogdet_result slogdet(const operand& a);

struct eig_result {
  array eigenvalues, eigenvectors;
};
/// Of a real array the results are real if all eigenvalues are: a graph break inside a compiled function.
eig_result eig(const operand& a);
array eigvals(const operand& a);
/// Of Hermitian matrices, of which only the lower (UPLO 'L') or upper ('U') half is read.
eig_result eigh(const operand& a, char UPLO = 'L');
array eigvalsh(const operand& a, char UPLO = 'L');

struct svd_options {
  bool full_matrices = true;
  bool compute_uv = true;  // false: S alone
  bool hermitian = false;
};
struct svd_result {
  array U, S, Vh;
};
/// a = U S Vh, S in falling order.
svd_result svd(const operand& a, const svd_options& options = {});
/// S alone: np.linalg.svd(a, compute_uv=False).
array svdvals(const operand& a);

struct qr_result {
  array Q, R;
};
/// mode: "reduced", "complete"; "r": R alone; "raw": Q is what LAPACK leaves, transposed, R the factors. NumPy's older "full" is
/// "reduced", and "economic" gives what LAPACK leaves as R alone.
qr_result qr(const operand& a, const char* mode = "reduced");
struct cholesky_options {
  bool upper = false;
};
array cholesky(const operand& a, const cholesky_options& options = {});

struct lstsq_result {
  array x, residuals;
  std::int64_t rank;
  array s;
};
/// x with the least |b - a x|. Reads the rank: a graph break inside a compiled function.
lstsq_result lstsq(const operand& a, const operand& b, std::optional<double> rcond = {});

struct rank_options {
  std::optional<operand> tol{};
  bool hermitian = false;
  std::optional<operand> rtol{};
};
array matrix_rank(const operand& a, const rank_options& options = {});
/// a multiplied by itself n times, as matrix product; n < 0: its inverse.
array matrix_power(const operand& a, std::int64_t n);
/// |a| |a^-1| in the norm p; the 2-norm if none.
array cond(const operand& a, const norm_order& p = {});
/// The product of all, in the order that costs least.
array multi_dot(const std::vector<array>& arrays, location where = location::here());
struct multi_dot_options {
  array out{};  // of the product's dtype, contiguous; of two axes also where the first or the last array has one
};
array multi_dot(const std::vector<array>& arrays, const multi_dot_options& options, location where = location::here());
array tensorsolve(const operand& a, const operand& b, const std::optional<dims>& axes = {});
array tensorinv(const operand& a, int ind = 2);

/// Vector product along `axis`, where both have length 3.
array cross(const operand& a, const operand& b, std::int64_t axis = -1);
/// Products of two vectors' elements. ValueError: "Input arrays must be one-dimensional, ..."
array outer(const operand& a, const operand& b);
struct trace_options {
  std::int64_t offset = 0;
  optional_dtype dtype{};
};
/// Sums of the diagonals of the last two axes; diagonal: those.
array trace(const operand& a, const trace_options& options = {});
array diagonal(const operand& a, std::int64_t offset = 0);
array matrix_transpose(const operand& a);
/// Sums of products along an axis, the first operand conjugated.
array vecdot(const operand& a, const operand& b, std::int64_t axis = -1);
using numjit::matmul;
using numjit::tensordot;

}  // namespace numjit::linalg

namespace numjit {
using linalg::matrix_transpose;
using linalg::vecdot;
/// Sum of a diagonal of two axes.
array trace(const operand& a, std::int64_t offset = 0, std::int64_t axis1 = 0, std::int64_t axis2 = 1,
            const optional_dtype& dtype = {});
}  // namespace numjit
