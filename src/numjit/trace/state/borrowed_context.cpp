// The context of one thread on another.
#include <numjit/trace/state/borrowed_context.h>

#include <utility>

#include <numjit/array/array.h>

namespace numjit::tracing {
namespace {

// Where that thread is in its code, and for whom it asks for kernels there, stays with it.
thread_context eager(thread_context context) {
  context.top_interpreter = nullptr;
  context.base_interpreter = nullptr;
  context.levels = 0;
  context.scope_location = detail::own_context.scope_location;
  context.kernel_requests = detail::own_context.kernel_requests;
  return context;
}

}  // namespace

BorrowedContext::BorrowedContext(const thread_context& of)
    : context_(eager(of)), recording_(std::exchange(detail::recording, false)) {}

BorrowedContext::~BorrowedContext() { detail::recording = recording_; }

}  // namespace numjit::tracing
