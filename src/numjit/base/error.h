// The error family: NumPy's exception names plus numjit's own, all below numjit::error.
#pragma once

#include <exception>
#include <string>
#include <string_view>
#include <utility>

namespace numjit {

/// Base of every error numjit throws. `what()` is "[op] text", `op()` the operation ("" if none),
/// `code()` a stable identifier: the class name, or a break's id such as "NJ0012".
class error : public std::exception {
 public:
  error(std::string code, std::string op, std::string text)
      : code_(std::move(code)), op_(std::move(op)) {
    what_ = op_.empty() ? std::move(text) : "[" + op_ + "] " + text;
  }
  const char* what() const noexcept override { return what_.c_str(); }
  const std::string& code() const noexcept { return code_; }
  const std::string& op() const noexcept { return op_; }

 private:
  std::string code_, op_, what_;
};

#define NUMJIT_ERROR_CLASS(Name, Base)                                                   \
  class Name : public Base {                                                             \
   public:                                                                               \
    Name(std::string op, std::string text) : Base(#Name, std::move(op), std::move(text)) {} \
                                                                                         \
   protected:                                                                            \
    Name(std::string code, std::string op, std::string text)                             \
        : Base(std::move(code), std::move(op), std::move(text)) {}                       \
  };

NUMJIT_ERROR_CLASS(TypeError, error)
NUMJIT_ERROR_CLASS(ValueError, error)
NUMJIT_ERROR_CLASS(IndexError, error)
NUMJIT_ERROR_CLASS(OverflowError, error)
NUMJIT_ERROR_CLASS(ZeroDivisionError, error)
NUMJIT_ERROR_CLASS(FloatingPointError, error)
NUMJIT_ERROR_CLASS(AssertionError, error)
NUMJIT_ERROR_CLASS(NotImplementedError, error)
NUMJIT_ERROR_CLASS(OSError, error)
NUMJIT_ERROR_CLASS(MemoryError, error)
NUMJIT_ERROR_CLASS(CompileError, error)
NUMJIT_ERROR_CLASS(RecompileError, error)
NUMJIT_ERROR_CLASS(DeviceError, error)
NUMJIT_ERROR_CLASS(InternalError, error)

/// NumPy's AxisError is both a ValueError and an IndexError; C++ users catch it as either one's
/// nearest relative, ValueError.
NUMJIT_ERROR_CLASS(AxisError, ValueError)
NUMJIT_ERROR_CLASS(LinAlgError, ValueError)

#undef NUMJIT_ERROR_CLASS

/// A graph break that may not happen; `code()` is the row's id in breaks.def.
class GraphBreakError : public error {
 public:
  GraphBreakError(std::string id, std::string op, std::string text)
      : error(std::move(id), std::move(op), std::move(text)) {}
};

namespace detail {

/// IndexError of an op: "index 7 is out of bounds for axis 0 with size 5".
template <class Index, class Size>
[[noreturn]] void throw_out_of_bounds(std::string op, Index index, int axis, Size size) {
  throw IndexError(std::move(op), "index " + std::to_string(index) + " is out of bounds for axis " + std::to_string(axis) +
                                      " with size " + std::to_string(size));
}

}  // namespace detail
}  // namespace numjit
