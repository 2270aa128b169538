// Products of matrices by a library of a device's maker: what runtime/ asks for, and cublas.cpp does.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include <numjit/array/dtype.h>
#include <numjit/device/device.h>

namespace numjit::devices {

/// A factor: rows of elements side by side, or, `turned`, columns. `lead` elements from one to the next; `batch` elements
/// from one matrix to the next, 0 where they all have the same one.
struct Factor {
  address at = 0;
  bool turned = false;
  std::int64_t lead = 0, batch = 0;
};

/// c = a b, `count` times: (m, k) by (k, n), with the rows of each c side by side, and so the matrices. No length is 0.
struct Product {
  dtype_id type{};  // float32, float64, complex64, complex128
  bool fast = false;  // float32 may be rounded on the way (TF32)
  std::int64_t m = 0, n = 0, k = 0, count = 1;
  Factor a, b;
  address c = 0;
};

class Products {
 public:
  virtual ~Products() = default;
  /// Gives the work to the stream that this belongs to. False: it can't (a length beyond 32 bits). DeviceError with the
  /// library's own error.
  virtual bool multiply(const Product& product) = 0;
};

/// cuBLAS for a CUDA stream, whose context is current; null where it is not there: `why` says so.
std::unique_ptr<Products> open_cublas(const std::string& device, void* stream, std::string& why);

}  // namespace numjit::devices
