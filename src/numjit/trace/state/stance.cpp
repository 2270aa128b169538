// The process-wide stance and the overlay of each thread.
#include <numjit/trace/state/stance.h>

#include <array>
#include <atomic>

#include <fmt/format.h>

#include <numjit/base/error.h>
#include <numjit/base/scope_entry.h>

namespace numjit {
namespace tracing {
namespace {

struct StanceName {
  Stance stance;
  std::string_view name;
};
constexpr std::array<StanceName, 5> names{{{Stance::default_, "default"},
                                           {Stance::force_eager, "force_eager"},
                                           {Stance::eager_on_recompile, "eager_on_recompile"},
                                           {Stance::fail_on_recompile, "fail_on_recompile"},
                                           {Stance::run_only, "run_only"}}};

}  // namespace

class StanceEntry final : public detail::ScopeEntry {
 public:
  explicit StanceEntry(Stance stance) : ScopeEntry(detail::scope_kind::stance), stance_(stance) {}

 private:
  void apply() noexcept override {
    const auto* innermost = detail::scope_of_kind<StanceEntry>(detail::scope_kind::stance);
    detail::own_context.stance = innermost ? innermost->stance_ : Stance::none;
  }
  Stance stance_;
};

constinit std::atomic<Stance> process_stance{Stance::default_};

Stance parse_stance(std::string_view op, std::string_view name) {
  for (const StanceName& known : names)
    if (known.name == name) return known.stance;
  throw ValueError(std::string(op), fmt::format("unknown stance: got '{}', expected one of 'default', 'force_eager', "
                                                "'eager_on_recompile', 'fail_on_recompile', 'run_only'.",
                                                name));
}

std::string_view stance_name(Stance stance) {
  for (const StanceName& known : names)
    if (known.stance == stance) return known.name;
  return "none";
}

}  // namespace tracing

void set_stance(std::string_view name) { tracing::process_stance.store(tracing::parse_stance("set_stance", name)); }

stance_scope::stance_scope(std::string_view name)
    : entry_(new tracing::StanceEntry(tracing::parse_stance("stance_scope", name))) {
  detail::open_scope(entry_);
}
stance_scope::~stance_scope() { detail::end_scope(entry_); }

}  // namespace numjit
