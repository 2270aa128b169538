// One thread runs for another what that has pending.
#pragma once

#include <numjit/base/thread_context.h>

namespace numjit::tracing {

/// The context of another thread, which waits, is that of this one while it lives; operations run eagerly meanwhile.
class BorrowedContext {
 public:
  explicit BorrowedContext(const thread_context& of);
  ~BorrowedContext();
  BorrowedContext(const BorrowedContext&) = delete;
  BorrowedContext& operator=(const BorrowedContext&) = delete;

 private:
  const thread_context_scope context_;
  const bool recording_;
};

}  // namespace numjit::tracing
