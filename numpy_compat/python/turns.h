// Python's threads take turns: one may meet arrays on which another, in the middle of a compiled call, has work pending.
#pragma once

#include <vector>

#include <numjit/trace/record/recorder.h>
#include <numjit/trace/state/borrowed_context.h>

#include "module.h"

namespace numjit::py {

/// A compiled call of this thread, noted for other threads while it lives. Inner calls belong to the outermost.
class Turn {
 public:
  Turn();
  ~Turn();
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

 private:
  friend class Running;
  friend void settle_others(node* n, bool writes, std::string_view, const location&);

  bool concerns(const node* n, bool writes) const;
  void wait() const;
  bool is_in_run() const;

  // Read and changed by whoever has the GIL.
  tracing::Recorder* recorder_ = nullptr;  // null: an inner call, or nothing is recorded
  const thread_context* context_ = nullptr;  // of its thread
  bool running_ = false;              // its segment runs, without the GIL
  bool met_ = false;                  // another thread uses its arrays: it keeps the GIL from now on
  std::vector<node*> used_, stored_;  // storage, while it runs
  Turn *next_ = nullptr, **link_ = nullptr;
};

/// Releases the GIL while this thread runs what is pending, if `worth` and no other thread uses its arrays.
class Running {
 public:
  explicit Running(bool worth);
  ~Running();
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;

 private:
  Turn* turn_;
  std::optional<Unlocked> unlocked_;
};

/// What value_hooks::settle_others does here.
void settle_others(node* n, bool writes, std::string_view op, const location& where);
void install_turns();

}  // namespace numjit::py
