// Floating-point errors found in results.
#include <numjit/trace/api/errstate.h>

#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

#include <numjit/base/error.h>
#include <numjit/base/log.h>
#include <numjit/ops/param_layout.h>
#include <numjit/trace/record/recorder.h>
#include <numjit/trace/state/interpreter_scope.h>

namespace numjit {
namespace tracing {

namespace {

FloatErrorChecker checker;

template <class... A>
array run(op_id op, const A&... operands) {
  const operand in[] = {operand(operands)...};
  return detail::eager_interpreter->apply({op, in});
}

bool holds_true(const array& mask) {
  const node* n = mask.get();
  if (n->rank == 0) return *reinterpret_cast<const bool*>(n->data);
  const op_params params = layout::reduction_params({});
  const operand in[] = {operand(mask)};
  const array any = detail::eager_interpreter->apply({op_id::any, in, &params});
  return *reinterpret_cast<const bool*>(any.get()->data);
}

bool is_inexact(dtype_id type) { return dtype(type).kind() == 'f' || dtype(type).kind() == 'c'; }

// An operand as an array, weak numbers as 0-D ones.
array as_array(const operand& o) { return o.is_array() ? array::share(o.n()) : array(o, new_array_options{}); }

void react(Reaction reaction, op_id op, std::string_view what) {
  if (reaction == Reaction::ignore) return;
  const op_kind kind = info(op).kind;
  const std::string_view name = is_fixed_power(op) ? "power" : info(op).name;
  const std::string_view where = kind == op_kind::reduction ? "reduce"
                                 : kind == op_kind::scan    ? "accumulate"
                                 : op == op_id::astype      ? "cast"
                                                            : name;
  const std::string text = fmt::format("{} encountered in {}", what, where);
  if (reaction == Reaction::raise) throw FloatingPointError(std::string(name), text);
  detail::warn("RuntimeWarning: " + text);
}

// true where some operand is NaN, or infinite.
struct Inputs {
  array nan, not_finite;  // empty handles: no input is inexact
};
Inputs look_at(const op_call& call) {
  Inputs seen;
  auto merge = [](array& all, array one) { all = all.empty_handle() ? std::move(one) : run(op_id::logical_or, all, one); };
  for (const operand& o : call.in) {
    const array a = as_array(o);
    if (!is_inexact(a.get()->type)) continue;
    merge(seen.nan, run(op_id::isnan, a));
    merge(seen.not_finite, run(op_id::logical_not, run(op_id::isfinite, a)));
  }
  return seen;
}

array is_zero(const operand& o) { return run(op_id::equal, as_array(o), 0); }
array both(const array& a, const array& b) { return run(op_id::logical_and, a, b); }
array without(const array& mask, const array& excluded) {
  return excluded.empty_handle() ? mask : both(mask, run(op_id::logical_not, excluded));
}

// Which of the infinite results lie at a pole of the op; the others overflowed.
array at_pole(const op_call& call, const array& infinite) {
  switch (facts_of(call.op).pole) {
    case op_pole::zero_divisor: return both(infinite, is_zero(call.in[call.in.size() - 1]));
    case op_pole::zero_base: return both(infinite, is_zero(call.in[0]));
    case op_pole::anywhere: return infinite;
    case op_pole::none: break;
  }
  return array();
}

// A product or power that is 0 though no factor is; an exponential that is 0.
void check_underflow(const op_call& call, const array& result, const FloatErrors& errors) {
  const op_underflow rule = facts_of(call.op).underflow;
  if (rule == op_underflow::none || dtype(result.get()->type).kind() != 'f') return;
  array vanished = run(op_id::equal, result, 0);
  for (const operand& o : call.in) {
    const array a = as_array(o);
    if (rule == op_underflow::of_product) vanished = without(vanished, is_zero(o));
    if (is_inexact(a.get()->type)) vanished = without(vanished, run(op_id::isinf, a));
  }
  if (holds_true(vanished)) react(errors.under, call.op, "underflow");
}

// The smallest integer over -1 is one more than the largest.
array leaves_range(const op_call& call, dtype_id type) {
  const std::int64_t smallest = -1 - static_cast<std::int64_t>((std::uint64_t{1} << (8 * dtype(type).itemsize() - 1)) - 1);
  return both(run(op_id::equal, as_array(call.in[0]), smallest), run(op_id::equal, as_array(call.in[1]), -1));
}

void check_ufunc(const op_call& call, const array& result, const FloatErrors& errors) {
  const char kind = dtype(result.get()->type).kind();
  if (kind == 'i' || kind == 'u') {
    if (facts_of(call.op).pole != op_pole::zero_divisor || result.size() == 0) return;
    if (holds_true(is_zero(call.in[call.in.size() - 1]))) react(errors.divide, call.op, "divide by zero");
    if (call.op == op_id::floor_divide && kind == 'i' && holds_true(leaves_range(call, result.get()->type)))
      react(errors.over, call.op, "overflow");
    return;
  }
  if (!is_inexact(result.get()->type)) return;
  const Inputs in = look_at(call);
  const array infinite = without(run(op_id::isinf, result), in.not_finite);
  const array pole = at_pole(call, infinite);
  if (!pole.empty_handle() && holds_true(pole)) react(errors.divide, call.op, "divide by zero");
  if (holds_true(without(infinite, pole))) react(errors.over, call.op, "overflow");
  if (errors.under != Reaction::ignore) check_underflow(call, result, errors);
  if (holds_true(without(run(op_id::isnan, result), in.nan))) react(errors.invalid, call.op, "invalid value");
}

void check_other(const op_call& call, const array& result, const FloatErrors& errors) {
  const op_kind kind = info(call.op).kind;
  if (call.in.empty() || !call.in[0].is_array() || !is_inexact(call.in[0].n()->type)) return;
  const array source = array::share(call.in[0].n());
  if (call.op == op_id::astype && !is_inexact(result.get()->type) && result.get()->type != dtype_id::bool_) {
    if (holds_true(run(op_id::logical_not, run(op_id::isfinite, source)))) react(errors.invalid, call.op, "invalid value");
    return;
  }
  if ((kind != op_kind::reduction && kind != op_kind::scan) || !is_inexact(result.get()->type)) return;
  const bool finite_in = !holds_true(run(op_id::logical_not, run(op_id::isfinite, source)));
  if (finite_in && holds_true(run(op_id::isinf, result))) react(errors.over, call.op, "overflow");
  if (!holds_true(run(op_id::isnan, source)) && holds_true(run(op_id::isnan, result)))
    react(errors.invalid, call.op, "invalid value");
}

Reaction parse(std::string_view name, std::string_view setting) {
  if (setting == "ignore") return Reaction::ignore;
  if (setting == "warn") return Reaction::warn;
  if (setting == "raise") return Reaction::raise;
  throw ValueError("errstate", fmt::format("{}: got '{}', expected 'ignore', 'warn' or 'raise'.", name, setting));
}

}  // namespace

array FloatErrorChecker::apply(const op_call& call) {
  const array result = detail::eager_interpreter->apply(call);
  const FloatErrors errors = float_errors_now();
  if (info(call.op).kind == op_kind::ufunc)
    check_ufunc(call, result, errors);
  else
    check_other(call, result, errors);
  return result;
}

FloatErrors float_errors_now() { return detail::own_context.float_errors; }

/// What one scope sets, and what holds with it.
class ErrstateEntry final : public InterpreterEntry {
 public:
  /// ValueError for a setting that is none.
  explicit ErrstateEntry(const errstate_options& options) : InterpreterEntry(detail::scope_kind::errstate, "errstate") {
    const std::pair<std::string_view, std::string_view> settings[] = {
        {"divide", options.divide}, {"over", options.over}, {"under", options.under}, {"invalid", options.invalid}};
    for (std::size_t i = 0; i < std::size(settings); ++i) {
      if (!options.all.empty()) own_[i] = parse("all", options.all);
      if (!settings[i].second.empty()) own_[i] = parse(settings[i].first, settings[i].second);
    }
  }
  /// What holds with this scope inside of what holds around it.
  FloatErrors over(FloatErrors around) const {
    Reaction* const kinds[] = {&around.divide, &around.over, &around.under, &around.invalid};
    for (std::size_t i = 0; i < std::size(kinds); ++i) *kinds[i] = own_[i].value_or(*kinds[i]);
    return around;
  }
  static FloatErrors merged(ErrstateEntry* entry) noexcept {
    if (!entry) return {};
    entry->with_ = entry->over(merged(detail::scope_of_kind<ErrstateEntry>(detail::scope_kind::errstate, entry->outer())));
    return entry->with_;
  }

 private:
  bool makes_eager() const noexcept override { return with_.any(); }
  std::optional<Reaction> own_[4];
  FloatErrors with_;
};

interpreter* float_error_checker() { return &checker; }
void apply_errstates() noexcept {
  detail::own_context.float_errors = ErrstateEntry::merged(detail::scope_of_kind<ErrstateEntry>(detail::scope_kind::errstate));
}

}  // namespace tracing

errstate::errstate(errstate_options options, location where) {
  auto entry = std::make_unique<tracing::ErrstateEntry>(options);
  if (detail::recording && entry->over(tracing::float_errors_now()).any())
    tracing::Recorder::current().graph_break(tracing::BreakId::float_errors, where);
  entry_ = entry.release();
  detail::open_scope(entry_);
}

errstate::~errstate() { detail::end_scope(entry_); }

}  // namespace numjit
