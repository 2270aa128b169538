// Errors and the operations they come from: a few of each thread, kept beside them, so that their classes stay as they are.
#include <numjit/base/error_location.h>

#include <cstddef>
#include <iterator>

#include <numjit/base/error.h>

namespace numjit {
namespace detail {
namespace {

struct Noted {
  std::exception_ptr error;  // held, so that its address is nobody else's
  OfOperation operation;
};
/// Several, as an error may be kept while others come and go.
struct Notes {
  Noted last[4];
  std::size_t next = 0;
};
/// Made with the first error of a thread, and never destroyed: statics may compute after the thread's own state is gone.
constinit thread_local Notes* notes = nullptr;

}  // namespace

const OfOperation* operation_of(const std::exception_ptr& error) {
  if (!notes || !error) return nullptr;
  for (const Noted& noted : notes->last)
    if (noted.error == error) return &noted.operation;
  return nullptr;
}

void rethrow_as_of(const location& where, int node) {
  try {
    throw;
  } catch (const error&) {
    const std::exception_ptr current = std::current_exception();
    if (operation_of(current)) throw;  // a graph that an operation of this one ran has named its own
    if (!notes) notes = new Notes;
    notes->last[notes->next++ % std::size(notes->last)] = {current, {where, node}};
    throw;
  }
}

}  // namespace detail

location error_location(const std::exception& e) {
  if (!detail::notes) return {};
  for (const detail::Noted& noted : detail::notes->last) {
    if (!noted.error) continue;
    try {
      std::rethrow_exception(noted.error);
    } catch (const std::exception& known) {
      if (&known == &e) return noted.operation.where;
    }
  }
  return {};
}

}  // namespace numjit
