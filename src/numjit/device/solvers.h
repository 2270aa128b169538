// Decompositions by a library of a device's maker: what runtime/ asks for, and cusolver.cpp does.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include <numjit/array/dtype.h>
#include <numjit/device/device.h>

namespace numjit::devices {

/// Of matrices whose columns lie one after the other, as in Fortran, all elements of `type`: float32, float64, complex64
/// or complex128. `info` is LAPACK's answer, an int32 on the device: 0 if all is well, above it if the matrix is
/// singular, not positive definite, or nothing converged.
struct Decomposition {
  dtype_id type{};
  std::int64_t rows = 0, columns = 0;
  address a = 0;  // overwritten
  address info = 0;
};

class Solvers {
 public:
  /// Memory of the device that lives as long as the work.
  using Room = std::function<address(std::size_t)>;

  virtual ~Solvers() = default;
  /// All give work to the stream that this belongs to; DeviceError with the library's own error. The first: L and U in
  /// place of a square matrix; `pivots` are int64.
  virtual void lu(const Decomposition& d, address pivots, const Room& room) = 0;
  /// x = a^-1 x for `count` columns x, by what lu() left.
  virtual void solve(const Decomposition& d, address pivots, address x, std::int64_t count) = 0;
  /// One triangle in place of the matrix; the other one is left as it is.
  virtual void cholesky(const Decomposition& d, bool upper, const Room& room) = 0;
  /// Rising eigenvalues `w`, real, of the matrix that one triangle says; its eigenvectors in place of it if `vectors`.
  virtual void eigh(const Decomposition& d, bool vectors, bool upper, address w, const Room& room) = 0;
  /// a = u s v for no fewer rows than columns: `job` 'N' for falling s alone, 'S' for as many columns of u as of a, 'A'
  /// for as many as rows.
  virtual void svd(const Decomposition& d, char job, address s, address u, address v, const Room& room) = 0;
  /// R above the diagonal, in place of a matrix; what makes up Q below it, and in as many `factors` as the shorter side.
  virtual void qr(const Decomposition& d, address factors, const Room& room) = 0;
  /// Q of that: of the first `count` columns and factors, as many columns as the matrix here has.
  virtual void qr_vectors(const Decomposition& d, std::int64_t count, address factors, const Room& room) = 0;
  /// Complex eigenvalues `w` of a square matrix; if `v` is not 0, its eigenvectors: of real matrices, those of a pair of
  /// complex eigenvalues as a column of their real and a column of their imaginary parts. False: the library is too old.
  virtual bool eig(const Decomposition& d, address w, address v, const Room& room) = 0;
};

/// cuSOLVER for a CUDA stream, whose context is current; null where it is not there: `why` says so.
std::unique_ptr<Solvers> open_cusolver(const std::string& device, void* stream, std::string& why);

}  // namespace numjit::devices
