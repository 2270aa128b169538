// Reductions and scans as docs/numerics.md defines them, and nothing else: plain loops over elements in
// logical order, written from that page alone. They share no code with the library, whose every engine is
// compared with them bit by bit.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <numjit/np.h>

namespace reference {

namespace np = numjit;

/// An array of values: elements in C order, no strides.
struct Tensor {
  np::dtype_id type{};
  std::vector<std::int64_t> shape;
  std::string bytes;
};

Tensor tensor_of(const np::array& a);
std::int64_t element_count(const std::vector<std::int64_t>& shape);

/// What a call of a reduction says besides its input.
struct Options {
  std::optional<std::vector<std::int64_t>> axes = {};  // none: all; negative ones count from the end
  bool keepdims = false;
  std::optional<np::dtype_id> dtype = {};
  std::optional<double> initial = {};
  const Tensor* where = nullptr;                       // bool, of the input's shape
  double ddof = 0;                                     // var and std
};

/// sum, prod, max, min, any, all; mean, var, std; norm (2), norm1, norm_inf, norm_low, norm0;
/// nansum, nanmean, nanmax, nanmin of floats.
Tensor reduce(const std::string& name, const Tensor& x, const Options& options = {});
/// argmax, argmin; no axis: index into the flattened array.
Tensor arg_reduce(const std::string& name, const Tensor& x, std::optional<std::int64_t> axis, bool keepdims);
/// cumsum, cumprod; no axis: of the flattened array.
Tensor scan(const std::string& name, const Tensor& x, std::optional<std::int64_t> axis);
/// dot (which is also inner) and vdot of vectors of one dtype.
Tensor dot(const std::string& name, const Tensor& x, const Tensor& y);

/// Empty if both have the same dtype, shape and bits (all NaN are one), else what differs first.
std::string difference(const Tensor& expected, const Tensor& got);

}  // namespace reference
