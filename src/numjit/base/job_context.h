// What a job takes along that runs elsewhere, or later, for the thread that made it.
#pragma once

#include <numjit/base/config.h>
#include <numjit/base/thread_context.h>

namespace numjit {

/// A copy of a thread's context that points to nothing: its settings, stance, device and reactions to floating-point errors. The
/// job carries out operations eagerly, as an interpreter belongs to its thread; their locations and the accounting of kernels
/// are the job's own, as those point into the call that made it.
class job_context {
 public:
  /// That of the calling thread.
  static job_context here() { return {}; }

 private:
  friend class job_context_scope;
  job_context() : settings_(detail::captured_config()), plain_(detail::own_context) {
    plain_.top_interpreter = nullptr;
    plain_.base_interpreter = nullptr;
    plain_.levels = 0;
    plain_.overlay = nullptr;
    plain_.scope_location = nullptr;
    plain_.kernel_requests = {};
  }

  detail::config_overlay settings_;
  thread_context plain_;
};

/// Has this thread run under the context of a job while it lives. Scopes of settings may be opened meanwhile.
class [[nodiscard]] job_context_scope {
 public:
  explicit job_context_scope(const job_context& context) : context_(context.plain_), settings_(context.settings_) {}

 private:
  const thread_context_scope context_;
  const config_scope settings_;
};

}  // namespace numjit
