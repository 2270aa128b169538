// Routines of libraries (LAPACK, an FFT) as operations of one row: a table of them, by number.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include <numjit/array/node.h>
#include <numjit/ops/bind.h>

namespace numjit::detail {

/// One run of op routine. `result` is contiguous; inputs may have any strides.
struct routine_call {
  const op_params& params;
  node* const* in;
  int n_in;
  node* result;
};

/// What a routine is: its name in errors, the schema of its parameters, a word each behind its number (op_text.h; names that
/// begin with _ are not shown), what its inputs must be, its shape rule, and what it does. Graphs may come from files: infer()
/// holds them to this before it asks the shape rule.
struct routine {
  const char* name;
  std::string_view params;
  int max_inputs;     // arrays of float32, float64, complex64 or complex128, all of the same dtype
  bool matrices;      // of two axes at least
  bool square;        // the first: the last two axes are equal
  void (*infer)(const op_call& call, inference& result);
  void (*run)(const routine_call& call);
  bool any_arrays = false;  // inputs of any dtypes and shapes: `infer` says which fit, or throws InternalError
  std::string (*text)(const op_params& params) = nullptr;  // what graphs call it: "linalg.inv"; null: its name
};

/// Numbers of all routines; they stand in files.
enum class routine_id : std::int64_t {
  solve, inverse, determinant, sign_log_determinant, cholesky, qr_raw, qr, svd, singular_values, eigh,
  eigvalsh, eig, eigvals, lstsq, fft, check, ufunc_reduce, ufunc_accumulate, ufunc_reduceat, ufunc_at, stored_number,
  count_
};

/// How many words the parameters of a routine have, its number included.
inline int words_of(const routine& r) { return 1 + static_cast<int>(std::count(r.params.begin(), r.params.end(), ':')); }

/// Puts a routine into the table; numpy_compat and eager/ do so before main.
void add_routine(routine_id id, const routine& what);
/// The routine of a number, or null.
const routine* find_routine(std::int64_t id);

}  // namespace numjit::detail
