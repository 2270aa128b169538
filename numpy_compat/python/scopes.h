// Scopes of Python, which belong to contexts (contextvars), over the scopes of C++, which belong to threads.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "module.h"

namespace numjit::py {

/// A scope of C++ that is open on this thread.
class Opened {
 public:
  virtual ~Opened() noexcept(false) = default;
  virtual void pause() {}
  virtual void go_on() {}
};
template <class Scope>
class OpenedAs final : public Opened {
 public:
  template <class... A>
  explicit OpenedAs(A&&... arguments) : scope(std::forward<A>(arguments)...) {}
  ~OpenedAs() noexcept(false) override = default;
  void pause() override {
    if constexpr (requires { scope.pause(); })
      scope.pause();
    else if constexpr (requires { scope.watching(); })
      scope.watching().pause();
  }
  void go_on() override {
    if constexpr (requires { scope.go_on(); })
      scope.go_on();
    else if constexpr (requires { scope.watching(); })
      scope.watching().go_on();
  }
  Scope scope;
};

/// What a scope of Python opens on a thread.
struct ScopePlan {
  std::function<Opened*()> open;
  /// It has a memory (what a profiler saw, whose operations are eager): one object, for the thread that began it. Others
  /// are opened anew on each thread whose context has them set.
  bool has_memory = false;
};

/// One scope of Python from its beginning on, shared by the contexts in which it is set. It holds no Python objects: threads
/// that end let go of it.
class PythonScope {
 public:
  explicit PythonScope(ScopePlan plan);
  ~PythonScope();
  PythonScope(const PythonScope&) = delete;
  PythonScope& operator=(const PythonScope&) = delete;

  bool is_over() const {
    return ended.load(std::memory_order_acquire) || (owner && owner->ended.load(std::memory_order_acquire));
  }
  /// Is there anything of it to be set on this thread?
  bool is_for_this_thread() const;
  Opened* open();
  void close(Opened* opened);

  const ScopePlan plan;
  std::atomic<bool> ended{false};
  Opened* kept = nullptr;              // where the scope has a memory
  std::shared_ptr<PythonScope> owner;  // of a seterr: the errstate at whose end it is undone, if there is one
  std::array<std::string, 4> errors;   // of an errstate or seterr: what it gives for each kind, "" for nothing
  bool is_errstate = false, is_seterr = false;

 private:
  std::uint64_t thread_;
};

/// The scopes that are set in a context, from the outermost to the innermost. Contexts share what they were copied from.
using Chain = std::vector<std::shared_ptr<PythonScope>>;
/// Those of the current context; empty where there are none.
Chain current_chain();
/// Sets them in the current context, and on this thread.
void set_chain(Chain chain);

/// A scope as Python sees it: a context manager.
class [[gnu::visibility("hidden")]] ScopeObject {
 public:
  explicit ScopeObject(ScopePlan plan) : plan_(std::move(plan)) {}
  ScopeObject(const ScopeObject&) = delete;
  ScopeObject(ScopeObject &&) = default;
  ~ScopeObject();
  void enter();
  void exit();
  /// Is it set in the current context?
  bool is_set() const;
  /// The open scope of C++ that has a memory, or null.
  Opened* kept() const { return scope_ ? scope_->kept : nullptr; }
  std::array<std::string, 4> errors;
  bool is_errstate = false;

 private:
  ScopePlan plan_;
  std::shared_ptr<PythonScope> scope_;
  nb::object token_;  // tells whether a context is the one that the scope was begun in
};

}  // namespace numjit::py
