// Floating-point errors found in results.
#include <numjit/trace/api/errstate.h>
#include <numjit/trace/api/float_errors.h>

#include <cmath>
#include <cstring>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <numjit/base/error.h>
#include <numjit/base/log.h>
#include <numjit/ops/param_layout.h>
#include <numjit/ops/ufunc_routine.h>
#include <numjit/trace/record/recorder.h>
#include <numjit/trace/state/interpreter_scope.h>

namespace numjit {
namespace tracing {

namespace {

constinit thread_local bool scalars_at_work = false;
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

void react(Reaction reaction, std::string_view op, std::string_view where, std::string_view what) {
  if (reaction == Reaction::ignore) return;
  const std::string text = fmt::format("{} encountered in {}", what, where);
  if (reaction == Reaction::raise) throw FloatingPointError(std::string(op), text);
  detail::warn("RuntimeWarning: " + text);
}
std::string_view name_of(op_id op) { return is_fixed_power(op) ? "power" : info(op).name; }
void react(Reaction reaction, op_id op, std::string_view what) {
  const op_kind kind = info(op).kind;
  if (kind == op_kind::reduction || kind == op_kind::scan)
    return react(reaction, name_of(op), kind == op_kind::scan ? "accumulate" : "reduce", what);
  react(reaction, name_of(op), scalars_at_work ? fmt::format("scalar {}", name_of(op)) : std::string(name_of(op)), what);
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

/// The smallest number of a dtype, or of its parts, that has all its digits.
double smallest_normal(dtype_id type) {
  const std::size_t bytes = dtype(type).itemsize() / (dtype(type).kind() == 'c' ? 2 : 1);
  return bytes == 2 ? 0x1p-14 : bytes == 4 ? 0x1p-126 : 0x1p-1022;
}
array is_tiny(const array& a) { return run(op_id::less, run(op_id::absolute, a), smallest_normal(a.get()->type)); }

// A product or power that is 0 or has lost digits though no factor is 0, or an exponential; 1 times a number is that number.
array underflows(const op_call& call, const array& result) {
  const op_underflow rule = facts_of(call.op).underflow;
  if (rule == op_underflow::none || dtype(result.get()->type).kind() != 'f') return array();
  array vanished = is_tiny(result);
  for (std::size_t i = 0; i < call.in.size(); ++i) {
    const operand& o = call.in[i];
    const array a = as_array(o);
    if (rule == op_underflow::of_product) {
      vanished = without(vanished, is_zero(o));
      const bool changes_nothing = i + 1 == call.in.size() || call.op == op_id::multiply;
      if (changes_nothing) vanished = without(vanished, run(op_id::equal, run(op_id::absolute, a), 1));
    }
    if (is_inexact(a.get()->type)) vanished = without(vanished, run(op_id::isinf, a));
  }
  return vanished;
}

// The smallest integer over -1 is one more than the largest.
array leaves_range(const op_call& call, dtype_id type) {
  const std::int64_t smallest = -1 - static_cast<std::int64_t>((std::uint64_t{1} << (8 * dtype(type).itemsize() - 1)) - 1);
  return both(run(op_id::equal, as_array(call.in[0]), smallest), run(op_id::equal, as_array(call.in[1]), -1));
}

/// What is looked at: where the op was to compute anything.
array looked_at(const op_call& call, array mask) { return call.where_mask ? both(mask, array::share(call.where_mask)) : mask; }
bool happens(const op_call& call, const array& mask) { return !mask.empty_handle() && holds_true(looked_at(call, mask)); }

void check_ufunc(const op_call& call, const array& result, const FloatErrors& errors) {
  const char kind = dtype(result.get()->type).kind();
  if (kind == 'i' || kind == 'u') {
    if (facts_of(call.op).pole != op_pole::zero_divisor || result.size() == 0) return;
    if (happens(call, is_zero(call.in[call.in.size() - 1]))) react(errors.divide, call.op, "divide by zero");
    if (call.op == op_id::floor_divide && kind == 'i' && happens(call, leaves_range(call, result.get()->type)))
      react(errors.over, call.op, "overflow");
    return;
  }
  if (!is_inexact(result.get()->type)) return;
  const Inputs in = look_at(call);
  const array infinite = without(run(op_id::isinf, result), in.not_finite);
  const array pole = at_pole(call, infinite);
  if (happens(call, pole)) react(errors.divide, call.op, "divide by zero");
  if (happens(call, without(infinite, pole))) react(errors.over, call.op, "overflow");
  if (errors.under != Reaction::ignore && happens(call, underflows(call, result))) react(errors.under, call.op, "underflow");
  if (happens(call, without(run(op_id::isnan, result), in.nan))) react(errors.invalid, call.op, "invalid value");
}

// ---- casts ----

/// Which numbers processors cannot convert to an integer dtype, as NumPy's casts tell it: those below 32 bits go by int32.
array leaves_integers(const array& source, dtype_id type) {
  const bool is_signed = dtype(type).kind() == 'i';
  const std::size_t bytes = dtype(type).itemsize();
  const bool by_int32 = bytes < 4 || (bytes == 4 && is_signed);
  const double high = by_int32 ? 0x1p31 : bytes == 8 && !is_signed ? 0x1p64 : 0x1p63, low = by_int32 ? -0x1p31 : -0x1p63;
  const array real = dtype(source.get()->type).kind() == 'c' ? source.real() : source;
  const array whole = run(op_id::trunc, real);
  // NaN is in no range
  return run(op_id::logical_not, both(run(op_id::greater_equal, whole, low), run(op_id::less, whole, high)));
}

array cast(const array& source, dtype_id type) {
  const op_params params = layout::type_params(type);
  const operand in[] = {operand(source)};
  return detail::eager_interpreter->apply({op_id::astype, in, &params});
}

/// A cast, of which integers only leave the range of floats; `mask`: which of them are stored, or an empty handle.
void check_cast(const array& given, dtype_id type, const array& mask, const FloatErrors& errors) {
  const bool drops = dtype(given.get()->type).kind() == 'c' && dtype(type).kind() != 'c';  // imaginary parts, which are no errors
  const array source = drops ? run(op_id::real_view, given) : given;
  const bool whole = !is_inexact(source.get()->type);
  if (type == dtype_id::bool_ || type == source.get()->type ||
      (whole && (!is_inexact(type) || source.get()->type == dtype_id::bool_)))
    return;
  const auto found = [&](const array& where) { return holds_true(mask.empty_handle() ? where : both(where, mask)); };
  if (!is_inexact(type)) {
    if (found(leaves_integers(source, type))) react(errors.invalid, "astype", "cast", "invalid value");
    return;
  }
  const array made = cast(source, type);
  const array infinite = run(op_id::isinf, made);
  if (found(whole ? infinite : both(infinite, run(op_id::isfinite, source)))) react(errors.over, "astype", "cast", "overflow");
  if (whole) return;
  if (errors.under != Reaction::ignore && found(without(is_tiny(made), run(op_id::equal, source, 0))) &&
      found(both(is_tiny(made), run(op_id::not_equal, run(op_id::absolute, source), run(op_id::absolute, made)))))
    react(errors.under, "astype", "cast", "underflow");
}

/// Stores cast what they store.
void check_store(const op_call& call, const FloatErrors& errors) {
  const dtype_id type = call.in[0].n()->type;
  switch (call.op) {
    case op_id::store: return check_cast(as_array(call.in[1]), type, array(), errors);
    case op_id::masked_store: return check_cast(as_array(call.in[1]), type, as_array(call.in[2]), errors);
    case op_id::put_index:
    case op_id::mask_put: return check_cast(as_array(call.in[2]), type, array(), errors);
    default: return;
  }
}

// ---- reductions, scans, and methods of ufuncs ----

/// What elements joined by an op gave: `divisors`, where one that is 0 is a pole, or an empty handle. A
/// product that has lost digits is an underflow.
void check_joined(std::string_view op, std::string_view where, const std::vector<array>& sources, const array& divisors,
                  const array& result, const FloatErrors& errors, bool multiplies) {
  if (!is_inexact(result.get()->type)) return;
  bool finite_in = true, nan_in = false;
  for (const array& source : sources) {
    if (!is_inexact(source.get()->type)) continue;
    finite_in &= !holds_true(run(op_id::logical_not, run(op_id::isfinite, source)));
    nan_in |= holds_true(run(op_id::isnan, source));
  }
  if (finite_in && holds_true(run(op_id::isinf, result))) {
    const bool pole = !divisors.empty_handle() && holds_true(is_zero(operand(divisors)));
    react(pole ? errors.divide : errors.over, op, where, pole ? "divide by zero" : "overflow");
  }
  if (!nan_in && holds_true(run(op_id::isnan, result))) react(errors.invalid, op, where, "invalid value");
  if (errors.under == Reaction::ignore || !multiplies || !finite_in) return;
  bool zero_in = false;
  for (const array& source : sources) zero_in |= holds_true(is_zero(operand(source)));
  const array tiny = is_tiny(result);
  if (holds_true(zero_in ? without(tiny, is_zero(operand(result))) : tiny)) react(errors.under, op, where, "underflow");
}

/// The elements in C order, as numbers of a dtype.
template <class T>
std::vector<T> values_of(const array& a, dtype_id type) {
  const array made = cast(a, type);
  const node* n = made.get();
  std::vector<T> values(static_cast<std::size_t>(n->size));
  for (std::int64_t i = 0; i < n->size; ++i) {
    std::int64_t rest = i, offset = 0;
    for (int k = n->rank - 1; k >= 0; rest /= n->shape[k--]) offset += rest % n->shape[k] * n->strides[k];
    std::memcpy(&values[static_cast<std::size_t>(i)], n->data + offset, sizeof(T));
  }
  return values;
}

/// Follows what a method of a dividing ufunc keeps, one division after the other: a pole that a later division covers is
/// not seen in the result. Integers as int64, floating-point numbers as double.
template <class T>
class Divisions {
 public:
  Divisions(op_id op, dtype_id type, std::vector<T> kept) : op_(op), type_(type), kept_(std::move(kept)) {
    if (dtype(type).kind() == 'i')
      smallest_ = -1 - static_cast<std::int64_t>((std::uint64_t{1} << (8 * dtype(type).itemsize() - 1)) - 1);
  }
  void begin(std::int64_t place, T value) { kept_[static_cast<std::size_t>(place)] = value; }
  void divide(std::int64_t place, T by) {
    T& value = kept_[static_cast<std::size_t>(place)];
    if constexpr (std::is_floating_point_v<T>) {
      pole |= by == 0 && value != 0 && std::isfinite(value);
      value = op_ == op_id::floor_divide ? std::floor(value / by) : value / by;
    } else {
      pole |= by == 0;
      if (op_ != op_id::floor_divide) return;
      const bool leaves = smallest_ != 0 && value == smallest_ && by == -1;
      over |= leaves;
      if (by == 0 || leaves)
        value = by == 0 ? 0 : value;
      else if (dtype(type_).kind() == 'u')
        value = static_cast<T>(static_cast<std::uint64_t>(value) / static_cast<std::uint64_t>(by));
      else
        value = value / by - (value % by != 0 && (value < 0) != (by < 0) ? 1 : 0);
    }
  }
  bool pole = false, over = false;

 private:
  op_id op_;
  dtype_id type_;
  std::vector<T> kept_;
  std::int64_t smallest_ = 0;
};

/// Where the elements of an axis lie among those of an array in C order.
struct Lanes {
  Lanes(const array& a, std::int64_t axis) : each(a.get()->shape[axis]), inner(1), count(1) {
    const node* n = a.get();
    for (int k = 0; k < n->rank; ++k) (k > axis ? inner : count) *= k == axis ? 1 : n->shape[k];
    count *= inner;
  }
  std::size_t place(std::int64_t lane, std::int64_t k) const {
    return static_cast<std::size_t>((lane / inner * each + k) * inner + lane % inner);
  }
  std::int64_t each, inner, count;
};

/// The divisions of reduce (a start, rows, perhaps a mask), accumulate, reduceat (and cuts), and at (a target, places, values).
template <class T>
Divisions<T> divisions_of(const op_call& call, op_id op, dtype_id type, dtype_id as) {
  using detail::routine_id;
  const auto in = [&](std::size_t i) { return as_array(call.in[i]); };
  const auto routine = static_cast<routine_id>(call.p()[0]);
  if (routine == routine_id::ufunc_at) {
    Divisions<T> made(op, type, values_of<T>(in(0), as));
    const std::vector<std::int64_t> places = values_of<std::int64_t>(in(1), dtype_id::int64);
    const std::vector<T> by = values_of<T>(in(2), as);
    for (std::size_t i = 0; i < places.size(); ++i) made.divide(places[i] < 0 ? places[i] + in(0).size() : places[i], by[i]);
    return made;
  }
  const bool reduces = routine == routine_id::ufunc_reduce;
  const array rows = in(reduces ? 1 : 0);
  const std::vector<T> values = values_of<T>(rows, as);
  const Lanes lanes(rows, reduces ? 0 : call.p()[4]);
  Divisions<T> made(op, type, reduces ? values_of<T>(in(0), as) : std::vector<T>(static_cast<std::size_t>(lanes.count)));
  if (reduces) {
    const std::vector<std::int8_t> mask =
        call.in.size() > 2 ? values_of<std::int8_t>(in(2), dtype_id::int8) : std::vector<std::int8_t>();
    for (std::int64_t i = 0; i < lanes.count * lanes.each; ++i)
      if (mask.empty() || mask[static_cast<std::size_t>(i)] != 0)
        made.divide(i % lanes.count, values[static_cast<std::size_t>(i)]);
    return made;
  }
  const bool cut = routine == routine_id::ufunc_reduceat;
  const std::vector<std::int64_t> cuts = cut ? values_of<std::int64_t>(in(1), dtype_id::int64) : std::vector<std::int64_t>{0};
  for (std::size_t p = 0; p < cuts.size(); ++p) {
    const std::int64_t end = p + 1 < cuts.size() ? cuts[p + 1] : lanes.each;
    for (std::int64_t lane = 0; lane < lanes.count && lanes.each > 0; ++lane) {
      made.begin(lane, values[lanes.place(lane, cuts[p])]);
      for (std::int64_t k = cuts[p] + 1; k < end; ++k) made.divide(lane, values[lanes.place(lane, k)]);
    }
  }
  return made;
}

/// Of a method of a dividing ufunc: whether a pole has been told, or an overflow of integers.
bool check_divisions(const op_call& call, op_id op, std::string_view where, dtype_id type, const FloatErrors& errors) {
  const char kind = dtype(type).kind();
  if (kind == 'c' || kind == 'b' || (kind == 'f' && op != op_id::divide && op != op_id::floor_divide)) return false;
  bool pole = false, over = false;
  const auto look = [&](const auto& divisions) { pole = divisions.pole, over = divisions.over; };
  if (kind == 'f')
    look(divisions_of<double>(call, op, type, dtype_id::float64));
  else
    look(divisions_of<std::int64_t>(call, op, type, dtype_id::int64));
  if (pole) react(errors.divide, name_of(op), where, "divide by zero");
  if (over) react(errors.over, name_of(op), where, "overflow");
  return pole;
}

/// reduce joins its first input with the elements of the second, at its first with those of the third; the others one input.
void check_routine(const op_call& call, const array& result, const FloatErrors& errors) {
  using detail::routine_id;
  const auto routine = static_cast<routine_id>(call.p()[0]);
  if (routine != routine_id::ufunc_reduce && routine != routine_id::ufunc_accumulate && routine != routine_id::ufunc_reduceat &&
      routine != routine_id::ufunc_at)
    return;
  const auto op = detail::op_of_routine(call.p());
  if (!op || result.size() == 0) return;
  const bool has_pole = facts_of(*op).pole == op_pole::zero_divisor, at = routine == routine_id::ufunc_at;
  const std::string_view name = name_of(*op);
  const std::string_view where = at                                        ? name
                                 : routine == routine_id::ufunc_reduce     ? "reduce"
                                 : routine == routine_id::ufunc_accumulate ? "accumulate"
                                                                           : "reduceat";
  const bool pole_is_told = has_pole && check_divisions(call, *op, where, result.get()->type, errors);
  const std::size_t last = at ? 2 : routine == routine_id::ufunc_reduce ? 1 : 0;
  std::vector<array> sources{as_array(call.in[0])};
  if (last != 0 && call.in.size() > last) sources.push_back(as_array(call.in[last]));
  FloatErrors others = errors;
  if (pole_is_told) others.divide = Reaction::ignore;
  check_joined(name, where, sources, has_pole ? sources.back() : array(), result, others,
               facts_of(*op).underflow == op_underflow::of_product);
}

/// A number that leaves the range of the floats of a new array.
void check_filled(const op_call& call, const array& result, const FloatErrors& errors) {
  if (!is_inexact(result.get()->type) || result.size() == 0) return;
  const layout::number value = layout::full_of(call.p()).value;
  if (std::isfinite(value.is_integer() ? 0.0 : value.as_double()) && std::isfinite(value.imag) &&
      holds_true(run(op_id::isinf, result)))
    react(errors.over, "astype", "cast", "overflow");
}

void check_other(const op_call& call, const array& result, const FloatErrors& errors) {
  const op_kind kind = info(call.op).kind;
  if (kind == op_kind::store) return check_store(call, errors);
  if (call.op == op_id::routine) return check_routine(call, result, errors);
  if (call.op == op_id::full) return check_filled(call, result, errors);
  if (call.in.empty() || !call.in[0].is_array()) return;
  const array source = array::share(call.in[0].n());
  if (call.op == op_id::astype) return check_cast(source, result.get()->type, array(), errors);
  if (kind != op_kind::reduction && kind != op_kind::scan) return;
  check_joined(name_of(call.op), kind == op_kind::scan ? "accumulate" : "reduce", {source}, array(), result, errors,
               call.op == op_id::prod || call.op == op_id::cumprod);
}

Reaction parse(std::string_view name, std::string_view setting) {
  if (setting == "ignore") return Reaction::ignore;
  if (setting == "warn") return Reaction::warn;
  if (setting == "raise") return Reaction::raise;
  throw ValueError("errstate", fmt::format("{}: got '{}', expected 'ignore', 'warn' or 'raise'.", name, setting));
}

}  // namespace

array FloatErrorChecker::apply(const op_call& call) {
  const FloatErrors errors = float_errors_now();
  // Operands that the op writes, or may write, are looked at as they were.
  std::vector<array> before;
  std::vector<operand> in;
  for (const operand& o : call.in) in.push_back(o);
  const bool at = call.op == op_id::routine && call.p()[0] == static_cast<std::int64_t>(detail::routine_id::ufunc_at);
  for (operand& o : in)
    if (o.is_array() && (at || (call.out && detail::may_overlap(o.n(), call.out))) && is_inexact(o.n()->type)) {
      const op_params same = layout::type_params(o.n()->type);
      const operand one[] = {o};
      before.push_back(detail::eager_interpreter->apply({op_id::astype, one, &same}));
      o = operand(before.back());
    }
  const array result = detail::eager_interpreter->apply(call);
  op_call seen = call;
  seen.in = operand_list(in.data(), in.size());
  if (info(call.op).kind == op_kind::ufunc)
    check_ufunc(seen, result, errors);
  else
    check_other(seen, result, errors);
  return result;
}

void report_float_error(FloatErrorKind kind, std::string_view op, std::string_view where) {
  static constexpr std::string_view texts[] = {"divide by zero", "overflow", "underflow", "invalid value"};
  const FloatErrors float_errors = float_errors_now();
  const Reaction reactions[] = {float_errors.divide, float_errors.over, float_errors.under, float_errors.invalid};
  react(reactions[static_cast<int>(kind)], op, where, texts[static_cast<int>(kind)]);
}

ScalarsAtWork::ScalarsAtWork() : before_(std::exchange(scalars_at_work, true)) {}
ScalarsAtWork::~ScalarsAtWork() { scalars_at_work = before_; }

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
