// Where the operation stands that an error comes from: an operation of a graph fails when the graph runs, elsewhere.
#pragma once

#include <exception>

#include <numjit/base/location.h>

namespace numjit {

/// The place in user code of the operation that raised an error while a graph ran; `line` is 0 for errors that
/// were thrown by the call itself, for others than numjit's, for copies, and for all but the last few of a thread.
///   try { f(x); } catch (const np::IndexError& e) { std::cerr << np::error_location(e).line; }
location error_location(const std::exception& e);

namespace detail {

/// The operation of a graph that an error comes from.
struct OfOperation {
  location where;
  int node = 0;  // of the graph
};

/// Null for other errors.
const OfOperation* operation_of(const std::exception_ptr& error);

/// Throws the exception in flight again, itself, and notes of an error of ours which operation it comes from.
[[noreturn]] void rethrow_as_of(const location& where, int node);

}  // namespace detail
}  // namespace numjit
