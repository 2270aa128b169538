// Shorthands of the tests of compiled functions: values of arrays, and texts of errors.
#pragma once

#include <exception>
#include <string>
#include <vector>

#include <numjit/np.h>

namespace numjit::testing {

/// Elements as doubles, in C order.
inline std::vector<double> values(const array& a) {
  return a.ravel().astype(float64).tolist<double>();
}

/// 0, 1, ..., n - 1 as float64.
inline array ramp(std::int64_t n) { return arange(n).astype(float64); }

/// what() of the exception that `f` throws, "no error" if it throws none.
template <class F>
std::string message(F&& f) {
  try {
    f();
  } catch (const std::exception& e) {
    return e.what();
  }
  return "no error";
}

}  // namespace numjit::testing
