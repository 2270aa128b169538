// Errors that depend on values: which operations have them, who watches for them, and errors that wait.
#pragma once

#include <cstdint>

#include <numjit/ops/bind.h>

namespace numjit {
namespace detail {

/// Would code between the operation that is called and the compiled call see an error of it (a `try`, a `with`)? Set where
/// a language can tell; null: nobody can, and nobody is asked for.
extern bool (*errors_are_watched)();

/// Did the error that keep_error() got last reach nobody? Null: it did not.
extern bool (*kept_error_was_swallowed)();

}  // namespace detail

namespace tracing {

/// Can an operation fail for values that are not known when it is called?
enum class value_errors : std::uint8_t {
  none,
  possible,    // it runs at once where its error is watched for
  of_library,  // a library call between kernels, from which nothing is gained by waiting: it always runs at once
};
value_errors value_errors_of(const op_call& call);

/// Left in place of an error whose operation stands where nobody watches for errors, while the code that would meet it is
/// watched: handlers there are for other errors. The compiled call throws the error itself.
struct LeavesCall {};

/// The error in flight was thrown to code that may ignore it, as NumPy does when it asks for a buffer: the next operation of
/// the compiled call, or its end, throws it again if that code did. No effect outside a compiled call.
void keep_error();

}  // namespace tracing
}  // namespace numjit
