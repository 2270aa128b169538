// Trials of calls, recorded and eagerly in turns.
#include <numjit/trace/record/call_weigher.h>

#include <algorithm>
#include <bit>

#include <fmt/format.h>

#ifndef __EMSCRIPTEN__  // pages load no code for trials

namespace numjit::tracing {
namespace {

/// Calls before the first trial: kernels are compiled meanwhile. And before it is tried again.
constexpr int calls_before = 16, calls_between = 512;
constexpr int most_trials = 3;
/// Kinds of arguments that are told apart.
constexpr std::size_t most_kinds = 32;
/// So much longer the guess of an eager call may be than the recorded one took for it to be tried.
constexpr std::int64_t worth_trying = 4;
/// A first eager call that takes longer, and much longer than the recorded one, is the last.
constexpr std::int64_t long_ns = 10'000'000;
/// Pairs after which what is clearly slower is told.
constexpr int early_pairs = 3;

/// Of all but the first: it may be the first use of what others use, too. The shortest, since what disturbs a machine only adds.
std::int64_t shortest(const std::array<std::int64_t, CallWeigher::Trial::pairs>& times, int count) {
  return *std::min_element(times.begin() + 1, times.begin() + count);
}

}  // namespace

// Dtypes, ranks and sizes by powers of two: what the choice depends on, and what it need not be made for again.
std::uint64_t CallWeigher::signature_of(std::span<const node* const> arguments) {
  std::uint64_t hash = 0x9e3779b97f4a7c15;
  for (const node* n : arguments) {
    std::uint64_t word = 0;
    if (n)
      word = 1 + static_cast<std::uint64_t>(n->type) + (std::uint64_t{n->rank} << 8) +
             (static_cast<std::uint64_t>(std::bit_width(static_cast<std::uint64_t>(n->size))) << 16);
    hash = (hash ^ word) * 0xff51afd7ed558ccd;
    hash ^= hash >> 29;
  }
  return hash;
}

CallWeigher::Way CallWeigher::begin(std::span<const node* const> arguments, Trial*& trial) {
  trial = nullptr;
  if (is_off_) return Way::recorded;
  const std::uint64_t signature = signature_of(arguments);
  const auto found = std::find_if(trials_.begin(), trials_.end(), [&](const Trial& t) { return t.signature == signature; });
  if (found == trials_.end()) {
    if (trials_.size() == most_kinds) return Way::recorded;
    if (trials_.empty()) trials_.reserve(most_kinds);  // a trial stays where it is while its call runs
    trials_.push_back({.signature = signature, .next_at = calls_before});
    return Way::recorded;
  }
  ++found->calls;
  if (!found->is_under_way()) return found->settled;
  trial = &*found;
  return found->eager < found->recorded ? Way::eager : Way::recorded;
}

void CallWeigher::Trial::settle(Way way) {
  settled = way;
  recorded = eager = 0;
  ++examined;
  next_at = examined < most_trials ? calls + calls_between * (examined == 1 ? 1 : 16) : 0;
}

bool CallWeigher::end(Trial& trial, Way way, std::int64_t ns, std::int64_t eager_guess) {
  if (!trial.is_under_way()) return false;  // a call inside of this one has made the choice
  if (trial.recorded == 0 && trial.eager == 0 && way == Way::recorded && eager_guess > worth_trying * ns) {
    trial.settle(Way::recorded);
    return true;
  }
  if (way == Way::recorded && trial.recorded < Trial::pairs) trial.recorded_ns[static_cast<std::size_t>(trial.recorded++)] = ns;
  if (way == Way::eager && trial.eager < Trial::pairs) trial.eager_ns[static_cast<std::size_t>(trial.eager++)] = ns;
  if (trial.eager == 0 || trial.eager < trial.recorded) return false;
  if (trial.eager == 1) {
    if (ns <= long_ns || ns <= 8 * trial.recorded_ns[0]) return false;
    trial.settle(Way::recorded);
    return true;
  }
  const std::int64_t recorded = shortest(trial.recorded_ns, trial.recorded), eager = shortest(trial.eager_ns, trial.eager);
  if (trial.eager < Trial::pairs && (trial.eager < early_pairs || eager <= 2 * recorded)) return false;
  trial.recorded_best = recorded;
  trial.eager_best = eager;
  trial.settle(eager < recorded ? Way::eager : Way::recorded);
  return true;
}

std::string CallWeigher::choice_of(std::span<const node* const> arguments) const {
  const std::uint64_t signature = signature_of(arguments);
  for (const Trial& t : trials_)
    if (t.signature == signature && t.settled == Way::eager)
      return fmt::format("{:.3g} ms recorded, {:.3g} ms eagerly", static_cast<double>(t.recorded_best) * 1e-6,
                         static_cast<double>(t.eager_best) * 1e-6);
  return {};
}

}  // namespace numjit::tracing

#endif
