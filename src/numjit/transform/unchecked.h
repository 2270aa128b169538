// What levels share when they bind operations of their own.
#pragma once

#include <numjit/ops/bind.h>

namespace numjit::transform {

/// Errstates do not look at what derivatives compute.
class [[nodiscard]] Unchecked {
 public:
  Unchecked() : base_(detail::own_context.base_interpreter) {
    if (!detail::recording) detail::set_base_interpreter(nullptr);
  }
  ~Unchecked() { detail::set_base_interpreter(base_); }
  Unchecked(const Unchecked&) = delete;
  Unchecked& operator=(const Unchecked&) = delete;

 private:
  interpreter* const base_;
};

/// NotImplementedError: "grad: no derivative of 'poisson' is known. ..."
[[noreturn]] void throw_unknown_derivative(const char* transform, op_id op, const op_params& params);

}  // namespace numjit::transform
