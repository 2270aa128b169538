// Stances: what compiled functions do when a call needs a graph that does not exist yet.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string_view>
#include <type_traits>
#include <utility>

#include <numjit/base/thread_context.h>

namespace numjit {

namespace tracing {

enum class Stance : std::uint8_t {
  none,                // of a thread: the process-wide one holds
  default_,            // record and compile as needed
  force_eager,         // compiled functions run as if they were not compiled
  eager_on_recompile,  // what was recorded is used; what would be new runs eagerly
  fail_on_recompile,   // what would be new is a RecompileError
  run_only,            // as eager_on_recompile, and no kernel is compiled either
};

extern constinit std::atomic<Stance> process_stance;

class StanceEntry;

/// The stance in force on this thread.
inline Stance current_stance() {
  const Stance of_thread = detail::own_context.stance;
  return of_thread != Stance::none ? of_thread : process_stance.load(std::memory_order_relaxed);
}

/// The stance of a name; ValueError listing the valid ones.
Stance parse_stance(std::string_view op, std::string_view name);
std::string_view stance_name(Stance stance);

}  // namespace tracing

/// Sets the process-wide stance: "default", "force_eager", "eager_on_recompile", "fail_on_recompile"
/// or "run_only". A stance_scope of a thread goes before it. docs/compile.md has the table of what
/// each does. Errors: ValueError for another name.
///   np::set_stance("fail_on_recompile");   // after warm-up: whatever would compile throws
void set_stance(std::string_view name);

/// Sets the stance of this thread until the scope ends; of open scopes the one opened last holds, and they may end in any order
/// (see config_scope).
///   np::stance_scope scope("force_eager");
class [[nodiscard]] stance_scope {
 public:
  explicit stance_scope(std::string_view name);
  ~stance_scope();
  stance_scope(const stance_scope&) = delete;
  stance_scope& operator=(const stance_scope&) = delete;

 private:
  tracing::StanceEntry* entry_;
};

/// `f` wrapped so that it uses the graphs and kernels that exist and never makes new ones: what has
/// none runs eagerly.
///   auto g = np::run(f);
template <class F>
auto run(F&& f) {
  return [f = std::decay_t<F>(std::forward<F>(f))](auto&&... args) mutable -> decltype(auto) {
    stance_scope scope("run_only");
    return std::invoke(f, std::forward<decltype(args)>(args)...);
  };
}

}  // namespace numjit
