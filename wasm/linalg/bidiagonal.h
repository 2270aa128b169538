// Reflections, and singular values by Golub and Kahan: the matrix becomes bidiagonal by reflections, and diagonal by
// rotations (Golub and Reinsch 1970; the steps as in LINPACK's dsvdc). T: double or complex<double>.
#pragma once

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>

#include <Eigen/Core>

namespace numjit::linalg {

using Eigen::Index;
template <class T> using Matrix = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic>;
using Reals = Eigen::VectorXd;

/// The reflection I - tau v v' that leaves a real number of a column's part from `row` on, and nothing below; applied to
/// the columns behind it. v lies below the number then, its first element, 1, nowhere. Returns tau: LAPACK's larfg.
template <class T>
T reflect_column(Matrix<T>& a, Index row, Index column) {
  const Index below = a.rows() - row - 1, right = a.cols() - column - 1;
  auto v = a.col(column).tail(below);
  const T alpha = a(row, column);
  const double rest = v.stableNorm();
  if (rest == 0 && std::imag(alpha) == 0) return T(0);
  const double beta = -std::copysign(std::hypot(std::abs(alpha), rest), std::real(alpha));
  const T tau = (beta - alpha) / beta;
  v /= alpha - beta;
  a(row, column) = T(1);
  auto whole = a.col(column).tail(below + 1);
  auto others = a.block(row, column + 1, below + 1, right);
  const Eigen::Matrix<T, 1, Eigen::Dynamic> products = whole.adjoint() * others;
  others.noalias() -= Eigen::numext::conj(tau) * whole * products;
  a(row, column) = beta;
  return tau;
}

/// q = (I - tau v v') q, where v lies in column `from` of `a`, below its first element at `row`.
template <class T>
void apply_reflection(const Matrix<T>& a, Index row, Index column, T tau, Matrix<T>& q) {
  if (tau == T(0)) return;
  Eigen::Matrix<T, Eigen::Dynamic, 1> v = a.col(column).tail(a.rows() - row);
  v[0] = T(1);
  auto part = q.bottomRows(a.rows() - row);
  const Eigen::Matrix<T, 1, Eigen::Dynamic> products = v.adjoint() * part;
  part.noalias() -= tau * v * products;
}

/// a = u diag(values) v'. Values fall.
template <class T>
class Svd {
 public:
  Reals values;
  Matrix<T> u, v;

  /// `full`: square u and v. False if it does not converge, or a holds what is not finite.
  bool compute(Matrix<T> a, bool vectors, bool full) {
    if (!a.allFinite()) return false;
    const bool wide = a.cols() > a.rows();
    if (wide) a = a.adjoint().eval();
    scale_ = a.size() ? a.cwiseAbs().maxCoeff() : 0;
    if (scale_ > 0) a /= scale_;  // squares neither overflow nor vanish
    vectors_ = vectors;
    reduce(a, full);
    if (!diagonalise()) return false;
    values *= scale_;
    if (wide) u.swap(v);
    return true;
  }

 private:
  double scale_ = 0;
  bool vectors_ = false;
  Reals next_;  // above the diagonal

  /// To diagonal `values` and `next_`, with real elements; u and v: the products of the reflections.
  void reduce(Matrix<T>& a, bool full) {
    const Index m = a.rows(), n = a.cols();
    values.resize(n);
    next_ = Reals::Zero(n);
    Eigen::Matrix<T, Eigen::Dynamic, 1> left(n), right = Eigen::Matrix<T, Eigen::Dynamic, 1>::Zero(n);
    Matrix<T> rows = Matrix<T>::Zero(n, n);  // reflections of rows, each in a column
    for (Index k = 0; k < n; ++k) {
      left[k] = reflect_column(a, k, k);
      values[k] = std::real(a(k, k));
      if (k + 1 == n) break;
      // The row's conjugate as a column in front of the conjugate of what lies below it.
      Matrix<T> block(n - k - 1, m - k);
      block = a.block(k, k + 1, m - k, n - k - 1).adjoint();
      right[k] = reflect_column(block, 0, 0);
      next_[k] = std::real(block(0, 0));
      a.block(k + 1, k + 1, m - k - 1, n - k - 1) = block.rightCols(m - k - 1).adjoint();
      rows.col(k).tail(n - k - 1) = block.col(0);
    }
    if (!vectors_) return;
    u = Matrix<T>::Identity(m, full ? m : n);
    v = Matrix<T>::Identity(n, n);
    for (Index k = n - 1; k >= 0; --k) {
      apply_reflection(a, k, k, left[k], u);
      if (k + 1 < n) apply_reflection(rows, k + 1, k, right[k], v);
    }
  }

  void rotate(Matrix<T>& q, Index i, Index j, double c, double s) {
    if (!vectors_) return;
    auto x = q.col(i), y = q.col(j);
    for (Index r = 0; r < q.rows(); ++r) {
      const T t = c * x[r] + s * y[r];
      y[r] = c * y[r] - s * x[r];
      x[r] = t;
    }
  }

  /// Of (f, g): length, cosine, sine.
  static double angle(double f, double g, double& c, double& s) {
    const double length = std::hypot(f, g);
    c = length == 0 ? 1 : f / length;
    s = length == 0 ? 0 : g / length;
    return length;
  }

  bool diagonalise() {
    constexpr double eps = std::numeric_limits<double>::epsilon(), tiny = 0x1p-966;
    constexpr int most_steps = 75;
    for (Index p = values.size(), steps = 0; p > 0;) {
      Index k = p - 2;
      for (; k >= 0; --k) {
        if (std::abs(next_[k]) > tiny + eps * (std::abs(values[k]) + std::abs(values[k + 1]))) continue;
        next_[k] = 0;
        break;
      }
      if (k == p - 2) {
        settle(k + 1);
        --p;
        steps = 0;
        continue;
      }
      Index zero = p - 1;
      for (; zero > k; --zero) {
        const double beside = (zero + 1 < p ? std::abs(next_[zero]) : 0) + (zero != k + 1 ? std::abs(next_[zero - 1]) : 0);
        if (std::abs(values[zero]) > tiny + eps * beside) continue;
        values[zero] = 0;
        break;
      }
      if (zero == p - 1) drop_last(k + 1, p);
      else if (zero > k) split(zero + 1, p);
      else {
        if (++steps > most_steps) return false;
        step(k + 1, p);
      }
    }
    return true;
  }

  /// values[p - 1] is 0: so becomes what stands above it.
  void drop_last(Index k, Index p) {
    double f = next_[p - 2], c, s;
    next_[p - 2] = 0;
    for (Index j = p - 2; j >= k; --j) {
      values[j] = angle(values[j], f, c, s);
      if (j != k) {
        f = -s * next_[j - 1];
        next_[j - 1] *= c;
      }
      rotate(v, j, p - 1, c, s);
    }
  }

  /// values[k - 1] is 0: so becomes what stands beside it.
  void split(Index k, Index p) {
    double f = next_[k - 1], c, s;
    next_[k - 1] = 0;
    for (Index j = k; j < p; ++j) {
      values[j] = angle(values[j], f, c, s);
      f = -s * next_[j];
      next_[j] *= c;
      rotate(u, j, k - 1, c, s);
    }
  }

  /// One implicit step of QR over [k, p).
  void step(Index k, Index p) {
    Reals &d = values, &e = next_;
    const double scale = std::max({std::abs(d[p - 1]), std::abs(d[p - 2]), std::abs(e[p - 2]), std::abs(d[k]), std::abs(e[k])});
    const double last = d[p - 1] / scale, before = d[p - 2] / scale, between = e[p - 2] / scale, first = d[k] / scale;
    const double b = ((before + last) * (before - last) + between * between) / 2, q = last * between * (last * between);
    double shift = 0, c, s;
    if (b != 0 || q != 0) shift = q / (b + std::copysign(std::sqrt(b * b + q), b));
    double f = (first + last) * (first - last) + shift, g = first * (e[k] / scale);
    for (Index j = k; j < p - 1; ++j) {
      const double length = angle(f, g, c, s);
      if (j != k) e[j - 1] = length;
      f = c * d[j] + s * e[j];
      e[j] = c * e[j] - s * d[j];
      g = s * d[j + 1];
      d[j + 1] *= c;
      rotate(v, j, j + 1, c, s);
      d[j] = angle(f, g, c, s);
      f = c * e[j] + s * d[j + 1];
      d[j + 1] = c * d[j + 1] - s * e[j];
      g = s * e[j + 1];
      e[j + 1] *= c;
      rotate(u, j, j + 1, c, s);
    }
    e[p - 2] = f;
  }

  /// values[k] is final: positive, and in its place among those behind it.
  void settle(Index k) {
    if (std::signbit(values[k])) {
      values[k] = -values[k];
      if (vectors_) v.col(k) = -v.col(k);
    }
    for (; k + 1 < values.size() && values[k] < values[k + 1]; ++k) {
      std::swap(values[k], values[k + 1]);
      if (!vectors_) continue;
      u.col(k).swap(u.col(k + 1));
      v.col(k).swap(v.col(k + 1));
    }
  }
};

}  // namespace numjit::linalg
