// What the code of a thread runs under, in one struct: who carries out operations, and what scopes of the thread have set.
#pragma once

#include <cstdint>
#include <string>

namespace numjit {

class interpreter;
struct location;

namespace detail {
struct config_overlay;
}

namespace runtime {
/// Who asks for kernels on a thread, and how.
struct KernelRequests {
  const std::string* owner = nullptr;  // function that compile times are accounted to
  bool defer = false;                  // what would be compiled waits for compile_deferred()
  bool throws = false;                 // what fails is an error, whatever config().suppress_errors says
};
}  // namespace runtime

namespace tracing {
enum class Stance : std::uint8_t;
enum class Reaction : std::uint8_t { ignore, warn, raise };

/// What a thread does about each kind of floating-point error.
struct FloatErrors {
  Reaction divide = Reaction::ignore, over = Reaction::ignore, under = Reaction::ignore, invalid = Reaction::ignore;
  bool any() const {
    return divide != Reaction::ignore || over != Reaction::ignore || under != Reaction::ignore || invalid != Reaction::ignore;
  }
};
}  // namespace tracing

/// Plain data, which the accessors and scopes of each member's header read and set. A copy is good as long as what it points to,
/// on this thread or on one that waits meanwhile; for jobs that run later see job_context.h. What is no setting but a state of
/// the thread itself stays outside: whether it records (array.h), its open scopes (scope_entry.h), its recorder.
struct thread_context {
  interpreter* top_interpreter = nullptr;           // null: eager (ops/bind.h)
  interpreter* base_interpreter = nullptr;          // the one below the open levels of transforms; null: eager
  int levels = 0;                                   // of transforms that are open, hidden ones among them
  bool sweeping_back = false;                       // what is bound is a derivative's way back
  const detail::config_overlay* overlay = nullptr;  // settings of scopes (base/config.h)
  const location* scope_location = nullptr;         // null: each operation has its own (base/location_scope.h)
  runtime::KernelRequests kernel_requests;          // (runtime/kernels/cache.h)
  tracing::Stance stance{};                         // (trace/state/stance.h)
  std::uint8_t scope_device = 0;                    // of the innermost np::device scope; 0: there is no scope (array/remote.h)
  tracing::FloatErrors float_errors;                // of the open errstates together (trace/api/errstate.h)
};

namespace detail {
inline constinit thread_local thread_context own_context [[gnu::tls_model("initial-exec")]] = {};
}

/// Has this thread run under another context while it lives.
class [[nodiscard]] thread_context_scope {
 public:
  explicit thread_context_scope(const thread_context& context) : before_(detail::own_context) { detail::own_context = context; }
  ~thread_context_scope() { detail::own_context = before_; }
  thread_context_scope(const thread_context_scope&) = delete;
  thread_context_scope& operator=(const thread_context_scope&) = delete;

 private:
  const thread_context before_;
};

}  // namespace numjit
