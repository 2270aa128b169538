// np::linalg: norms and what is made of ops; decompositions are not there yet.
#pragma once

#include <numjit/np_reductions.h>

namespace numjit::linalg {

struct norm_options {
  std::optional<double> ord{};  // none: 2-norm of all elements; inf, -inf, 0, 1, 2 for vectors
  axis_list axis{};
  bool keepdims = false;
};
/// Norm of vectors along `axis`, or of all elements. Matrix norms: Frobenius (no ord), 1, inf, -1, -inf.
array norm(const operand& a, const norm_options& options = {});
/// a multiplied by itself n >= 0 times, as matrix product.
array matrix_power(const operand& a, int n);
using numjit::matmul;
using numjit::outer;

}  // namespace numjit::linalg
