// Routines of libraries (LAPACK, an FFT) as operations of one row: a table of them, by number.
#pragma once

#include <cstdint>
#include <string>

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

/// What a routine is: its name in errors, how many words its parameters have (the first is its number), what
/// its inputs must be, its shape rule, and what it does. Graphs may come from files: infer() holds them to
/// this before it asks the shape rule.
struct routine {
  const char* name;
  int words;
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

/// Puts a routine into the table; numpy_compat and eager/ do so before main.
void add_routine(routine_id id, const routine& what);
/// The routine of a number, or null.
const routine* find_routine(std::int64_t id);

}  // namespace numjit::detail
