// Scopes that watch the compiled calls of a thread: explain, profiler, budget.
#pragma once

#include <memory>
#include <utility>

#include <numjit/base/scope_entry.h>
#include <numjit/trace/api/collector.h>
#include <numjit/trace/api/profiler.h>

namespace numjit::tracing {

/// Such a scope: what it saw, and what it allows. It watches its thread while it is among the open ones.
class CollectorEntry final : public detail::ScopeEntry, public Collector {
 public:
  CollectorEntry(std::string watched, bool sums_only);
  ~CollectorEntry() override;
  const std::string name;                       // of what is watched
  std::unique_ptr<const budget_options> limit;  // of a budget
  bool waits = false;                           // for kernels that are not ready

  explain_report report() const;
  /// Throws if what was seen is over the limit.
  void check() const;

 private:
  void apply() noexcept override;
  void after_call() override { check(); }
};

}  // namespace numjit::tracing
