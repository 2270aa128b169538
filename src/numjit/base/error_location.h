// Where the operation stands that an error comes from: an operation of a graph fails when the graph runs, elsewhere.
#pragma once

#include <exception>

#include <numjit/base/location.h>

namespace numjit {

/// The place in user code of the operation that raised an error while a graph ran; `line` is 0 for errors that
/// were thrown by the call itself, and for others than numjit's.
///   try { f(x); } catch (const np::IndexError& e) { std::cerr << np::error_location(e).line; }
location error_location(const std::exception& e);

namespace detail {

/// What errors of graphs are besides errors.
class OfOperation {
 public:
  OfOperation(const location& where, int node) : where(where), node(node) {}
  virtual ~OfOperation() = default;
  OfOperation(const OfOperation&) = default;
  OfOperation& operator=(const OfOperation&) = default;

  location where;
  int node;  // of the graph
};

/// The operation of a graph that an error comes from; null for other errors.
const OfOperation* operation_of(const std::exception_ptr& error);

/// Throws the exception in flight again: an error of ours as one of the same class that knows its operation.
[[noreturn]] void rethrow_as_of(const location& where, int node);

}  // namespace detail
}  // namespace numjit
