// What reductions are compared on: one case is an input (dtype, shape, kind of values) with axes and options, and
// all the reductions that take them.
#pragma once

#include <string>
#include <vector>

#include "reference.h"

namespace bits {

namespace np = numjit;

struct ReductionCase {
  np::dtype_id type{};
  std::vector<std::int64_t> shape;
  std::optional<std::vector<std::int64_t>> axes;
  bool keepdims = false, where = false, initial = false;
  enum Values { wild, special } values = wild;  // many magnitudes; or NaN, infinities and zeros of both signs
  std::string name() const;
};

/// All cases of a dtype. The long lengths (above 100,000) come last.
std::vector<ReductionCase> reduction_cases(np::dtype_id type);

/// The arguments of the case: the array, its mask (bool), a second array for products.
std::vector<np::array> reduction_arguments(const ReductionCase& c);

/// Names of what is computed: "sum", "cumsum", ...
std::vector<std::string> reduction_names(const ReductionCase& c);
/// The results, in the order of the names, by numjit's functions and by the reference.
std::vector<np::array> run_reductions(const ReductionCase& c, const std::vector<np::array>& arguments);
std::vector<reference::Tensor> reference_reductions(const ReductionCase& c, const std::vector<np::array>& arguments);

}  // namespace bits
