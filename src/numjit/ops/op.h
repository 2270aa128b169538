// Identity and description of every op, derived from the rows in *.def.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <optional>
#include <span>
#include <string_view>

#include <numjit/array/dtype.h>

namespace numjit {

/// One enumerator per row. Which comes before which means nothing, and can't be asked for.
enum class op_id : std::uint16_t {
#define UFUNC1(name, ...) name,
#define UFUNC2(name, ...) name,
#define UFUNC3(name, ...) name,
#define REDUCTION(name, ...) name,
#define ARGREDUCTION(name, ...) name,
#define SCAN(name, ...) name,
#define STRUCTURAL(name, ...) name,
#define ALIAS(name, target)
#include <numjit/ops/all_rows.inc>
  count_,
};
inline constexpr int op_count = static_cast<int>(op_id::count_);

bool operator<(op_id, op_id) = delete;
bool operator<=(op_id, op_id) = delete;
bool operator>(op_id, op_id) = delete;
bool operator>=(op_id, op_id) = delete;

enum class op_kind : std::uint8_t {
  ufunc, reduction, argreduction, scan, view, creation, gather, store, opaque,
};

/// What a ufunc is about; `none` for other ops.
enum class op_group : std::uint8_t {
  arithmetic,
  exponential,
  trigonometric,
  hyperbolic,
  special,
  rounding,
  comparison,
  extremum,
  logic,
  parts,
  selection,
  none,
};

/// What an element of a ufunc costs: one price for the planner, launches, eager loops and the search for stencils.
enum class op_cost : std::uint8_t {
  simple,         // an instruction or a few: add, compare, select
  division,       // one that takes long: divide, sqrt
  function,       // a polynomial, or a division and what makes it whole: exp, fmod
  long_function,  // several of these, or a loop: power, erf, gcd
  series,         // gamma
};

/// Where infinite results of finite elements are a division by zero, not an overflow.
enum class op_pole : std::uint8_t { none, zero_divisor, zero_base, anywhere };
/// When a result of 0 is an underflow: never; if no factor is 0; if no element is infinite.
enum class op_underflow : std::uint8_t { none, of_product, of_exponential };

/// How NumPy chooses a ufunc's loop.
enum class op_promotion : std::uint8_t {
  plain,        // the first one that all inputs cast to
  no_bool,      // none for bool, although bool casts to int8
  true_divide,  // integers become float64, also where float16 could hold them
  truth,        // mixed inputs are each read as bool
  selection,    // the first input is a condition, of any dtype
};
enum class ufunc_word : std::uint8_t { order_free, iterates };

/// What a ufunc's row says of it beside how it is computed: a cost, and by | what else is true.
struct ufunc_facts {
  op_cost cost;
  op_pole pole = op_pole::none;
  op_underflow underflow = op_underflow::none;
  op_promotion promotion = op_promotion::plain;
  bool order_free = false;  // the result of a reduction by it does not show in which order elements were joined
  bool iterates = false;    // its eval loops until a value says stop (Euclid's algorithm): no expression for kernels

  constexpr ufunc_facts(op_cost c) : cost(c) {}
};
constexpr ufunc_facts operator|(ufunc_facts facts, op_pole pole) { return facts.pole = pole, facts; }
constexpr ufunc_facts operator|(ufunc_facts facts, op_underflow underflow) { return facts.underflow = underflow, facts; }
constexpr ufunc_facts operator|(ufunc_facts facts, op_promotion promotion) { return facts.promotion = promotion, facts; }
constexpr ufunc_facts operator|(ufunc_facts facts, ufunc_word word) {
  (word == ufunc_word::order_free ? facts.order_free : facts.iterates) = true;
  return facts;
}

/// Value that changes no result of a reduction.
enum class op_neutral : std::uint8_t { zero, minus_zero, one, lowest, highest };

/// What the first extent of a result is counted from, where only the data can tell.
enum class length_rule : std::uint8_t {
  known,          // it follows from shapes and parameters
  true_elements,  // as many as the counted input has elements that are not zero
  bins,           // the largest element plus one, or the parameter if that is more
  total,          // the sum of the elements
};
struct data_length {
  length_rule rule = length_rule::known;
  int input = 0;  // that is counted
  friend bool operator==(const data_length&, const data_length&) = default;
};

/// Whether lengths that stand for an unknown extent go through an op: the shape of its result is right for them.
enum class op_names : std::uint8_t { lost, kept, kept_of_whole_axes };

/// Which axes of its inputs an op carries to its result element by element, so that it can be done part by part along them.
enum class axis_rule : std::uint8_t {
  unsaid,
  none,              // it needs the whole of each
  first_input,       // all of the first input's
  broadcast,         // all, as broadcasting aligns them
  all_but_its_axis,  // of the first input's those that its parameter does not name
  all_but_reduced,
  where_in_first,   // all of the second input's, whose elements are looked for in the first
  where_in_second,  // the other way round
  length,           // its result is the length of an axis
  one_order,        // none: it draws random numbers
  index,
  reshape,
  transpose,
  diagonal,
  windows,
  fill,
  join,
  take,
  take_places,
  product,
  store,  // as these do
};

/// What there is of a derivative of a structural op.
enum class op_derivative : std::uint8_t {
  known,    // adjoint_<row> and tangent_<row> (transform/rules.h)
  zero,     // wherever there is one: the result is integers, or depends on no array
  unknown,  // asking for it is an error
};

/// What a structural op's row says of it, joined by |.
struct structural_facts {
  op_names names = op_names::lost;
  data_length length = {};
  bool readonly_view = false;   // nobody may write through the view that it makes
  bool fails_by_value = false;  // elements decide whether it is an error
  bool takes_dtype = false;     // its parameters have one
  bool runtime_params = false;  // a graph serves all parameters, as of views and creation
  op_derivative derivative = op_derivative::known;
  axis_rule axes = axis_rule::unsaid;
};
constexpr structural_facts operator|(structural_facts a, axis_rule axes) { return a.axes = axes, a; }
constexpr structural_facts operator|(structural_facts a, const structural_facts& b) {
  if (b.names != op_names::lost) a.names = b.names;
  if (b.length.rule != length_rule::known) a.length = b.length;
  a.readonly_view |= b.readonly_view;
  a.fails_by_value |= b.fails_by_value;
  a.takes_dtype |= b.takes_dtype;
  a.runtime_params |= b.runtime_params;
  if (b.derivative != op_derivative::known) a.derivative = b.derivative;
  return a;
}

namespace detail {

/// The words that rows use.
namespace row_words {
using enum op_cost;
inline constexpr op_pole pole_at_zero_divisor = op_pole::zero_divisor, pole_at_zero_base = op_pole::zero_base,
                         any_infinity_is_pole = op_pole::anywhere;
inline constexpr op_underflow vanishes_as_product = op_underflow::of_product,
                              vanishes_as_exponential = op_underflow::of_exponential;
inline constexpr op_promotion no_bool = op_promotion::no_bool, true_divide = op_promotion::true_divide,
                              truth = op_promotion::truth, condition_first = op_promotion::selection;
using enum ufunc_word;

inline constexpr structural_facts plain, keeps_names{.names = op_names::kept},
    keeps_names_of_whole_axes{.names = op_names::kept_of_whole_axes}, readonly_view{.readonly_view = true},
    fails_by_value{.fails_by_value = true}, takes_dtype{.takes_dtype = true}, runtime_params{.runtime_params = true},
    no_derivative{.derivative = op_derivative::zero}, unknown_derivative{.derivative = op_derivative::unknown};
inline constexpr axis_rule no_axes = axis_rule::none, axes_of_input = axis_rule::first_input,
                           axes_by_broadcasting = axis_rule::broadcast, all_axes_but_its_own = axis_rule::all_but_its_axis,
                           axes_of_second = axis_rule::where_in_first, axes_of_first = axis_rule::where_in_second,
                           axes_by_index = axis_rule::index, axes_by_reshape = axis_rule::reshape,
                           axes_by_transpose = axis_rule::transpose, axes_by_diagonal = axis_rule::diagonal,
                           axes_by_windows = axis_rule::windows, axes_by_fill = axis_rule::fill, axes_by_join = axis_rule::join,
                           axes_by_take = axis_rule::take, axes_by_take_places = axis_rule::take_places,
                           axes_by_product = axis_rule::product, axes_by_store = axis_rule::store,
                           no_axes_but_a_length = axis_rule::length, no_axes_in_one_order = axis_rule::one_order;
constexpr structural_facts length_is_true_elements(int input) { return {.length = {length_rule::true_elements, input}}; }
constexpr structural_facts length_is_bins(int input) { return {.length = {length_rule::bins, input}}; }
constexpr structural_facts length_is_total(int input) { return {.length = {length_rule::total, input}}; }

inline constexpr ufunc_facts facts_of_ufunc[op_count] = {
#define UFUNC1(name, group, facts, ...) facts,
#define UFUNC2(name, group, facts, ...) facts,
#define UFUNC3(name, group, facts, ...) facts,
#define REDUCTION(...) simple,
#define ARGREDUCTION(...) simple,
#define SCAN(...) simple,
#define STRUCTURAL(...) simple,
#include <numjit/ops/all_rows.inc>
};
inline constexpr structural_facts facts_of_structural[op_count] = {
#define UFUNC1(...) keeps_names | axis_rule::broadcast,
#define UFUNC2(...) keeps_names | axis_rule::broadcast,
#define UFUNC3(...) keeps_names | axis_rule::broadcast,
#define REDUCTION(...) keeps_names | axis_rule::all_but_reduced,
#define ARGREDUCTION(...) keeps_names | axis_rule::all_but_reduced,
#define SCAN(...) keeps_names | axis_rule::all_but_its_axis,
#define STRUCTURAL(name, kind, inputs, device, params, facts, ...) facts,
#include <numjit/ops/all_rows.inc>
};
static_assert(std::none_of(std::begin(facts_of_structural), std::end(facts_of_structural),
                           [](const structural_facts& f) { return f.axes == axis_rule::unsaid; }),
              "a row of structural.def does not say by which axis_rule it goes: facts | axes_...");
}  // namespace row_words

inline constexpr op_kind kind_of_op[op_count] = {
#define UFUNC1(...) op_kind::ufunc,
#define UFUNC2(...) op_kind::ufunc,
#define UFUNC3(...) op_kind::ufunc,
#define REDUCTION(...) op_kind::reduction,
#define ARGREDUCTION(...) op_kind::argreduction,
#define SCAN(...) op_kind::scan,
#define STRUCTURAL(name, kind, ...) op_kind::kind,
#include <numjit/ops/all_rows.inc>
};

inline constexpr op_group group_of_op[op_count] = {
#define UFUNC1(name, group, ...) op_group::group,
#define UFUNC2(name, group, ...) op_group::group,
#define UFUNC3(name, group, ...) op_group::group,
#define REDUCTION(...) op_group::none,
#define ARGREDUCTION(...) op_group::none,
#define SCAN(...) op_group::none,
#define STRUCTURAL(...) op_group::none,
#include <numjit/ops/all_rows.inc>
};

/// The ufunc that joins two results of a reduction, arg reduction or scan; count_ for other ops.
inline constexpr op_id ufunc_of_reduction[op_count] = {
#define UFUNC1(...) op_id::count_,
#define UFUNC2(...) op_id::count_,
#define UFUNC3(...) op_id::count_,
#define REDUCTION(name, ufunc, ...) op_id::ufunc,
#define ARGREDUCTION(name, ufunc, ...) op_id::ufunc,
#define SCAN(name, ufunc, ...) op_id::ufunc,
#define STRUCTURAL(...) op_id::count_,
#include <numjit/ops/all_rows.inc>
};
inline constexpr op_neutral neutral_of_reduction[op_count] = {
#define UFUNC1(...) op_neutral::zero,
#define UFUNC2(...) op_neutral::zero,
#define UFUNC3(...) op_neutral::zero,
#define REDUCTION(name, ufunc, loops, neutral, ...) op_neutral::neutral,
#define ARGREDUCTION(name, ufunc, loops, neutral, ...) op_neutral::neutral,
#define SCAN(...) op_neutral::zero,
#define STRUCTURAL(...) op_neutral::zero,
#include <numjit/ops/all_rows.inc>
};

/// Each op's number among those of its kind.
struct op_numbers {
  std::uint16_t of[op_count] = {};
  int count[static_cast<int>(op_kind::opaque) + 1] = {};
  constexpr op_numbers() {
    for (int op = 0; op < op_count; ++op) of[op] = static_cast<std::uint16_t>(count[static_cast<int>(kind_of_op[op])]++);
  }
};
inline constexpr op_numbers numbers_of_ops;

}  // namespace detail

constexpr op_kind kind_of(op_id op) { return detail::kind_of_op[static_cast<int>(op)]; }
constexpr op_group group_of(op_id op) { return detail::group_of_op[static_cast<int>(op)]; }

/// What the row of a ufunc says of it.
constexpr const ufunc_facts& facts_of(op_id ufunc) { return detail::row_words::facts_of_ufunc[static_cast<int>(ufunc)]; }
/// What is true of any op; of those but structural ones, that names go through them.
constexpr const structural_facts& structure_of(op_id op) { return detail::row_words::facts_of_structural[static_cast<int>(op)]; }

/// Nanoseconds that a float64 element costs in a vectorised loop.
constexpr double ns_of(op_cost cost) {
  constexpr double ns[] = {0.1, 0.4, 2, 8, 20};
  return ns[static_cast<int>(cost)];
}
/// The same in additions.
constexpr int additions_of(op_cost cost) { return static_cast<int>(ns_of(cost) / ns_of(op_cost::simple) + 0.5); }

/// The ufunc that joins two results of a reduction, arg reduction or scan.
constexpr op_id ufunc_of(op_id reduction) { return detail::ufunc_of_reduction[static_cast<int>(reduction)]; }
/// The reduction that joins as a ufunc does; nullopt if there is none.
constexpr std::optional<op_id> reduction_by(op_id ufunc) {
  for (int op = 0; op < op_count; ++op)
    if (detail::kind_of_op[op] == op_kind::reduction && detail::ufunc_of_reduction[op] == ufunc) return static_cast<op_id>(op);
  return std::nullopt;
}
constexpr op_neutral neutral_of(op_id reduction) { return detail::neutral_of_reduction[static_cast<int>(reduction)]; }
/// Has a reduction of nothing a result? Those whose neutral value depends on the dtype have none.
constexpr bool has_identity(op_id reduction) {
  return neutral_of(reduction) != op_neutral::lowest && neutral_of(reduction) != op_neutral::highest;
}

/// The op's number among those of its kind, from 0, for tables of a kind.
constexpr int number_in_kind(op_id op) { return detail::numbers_of_ops.of[static_cast<int>(op)]; }
constexpr int count_of(op_kind kind) { return detail::numbers_of_ops.count[static_cast<int>(kind)]; }
/// The op of that number.
constexpr op_id op_of_kind(op_kind kind, int number) {
  int op = 0;
  while (detail::kind_of_op[op] != kind || detail::numbers_of_ops.of[op] != number) ++op;
  return static_cast<op_id>(op);
}

/// One loop of a ufunc or reduction: dtypes in, dtype out.
struct op_loop {
  dtype_id in[3];
  dtype_id out;
};

/// Everything about an op that does not depend on element types at compile time.
struct op_info {
  std::string_view name;
  op_kind kind;
  std::int8_t arity;                // array inputs; -1 any number
  std::span<const op_loop> loops;   // empty for structural ops
  std::string_view loops_text;      // "ee:e ff:f dd:d" (NumPy writes ee->e; "??-" would be a trigraph)
  std::string_view domain;          // test domain, "" where none applies
  std::string_view doc;
  std::string_view example;
  bool is_pure_elementwise() const { return kind == op_kind::ufunc; }
};

/// Description of `op`. Constant time.
const op_info& info(op_id op);

/// What the first extent of the op's result is counted from.
constexpr data_length length_of_result(op_id op) { return structure_of(op).length; }

/// Op of a NumPy name or alias ("absolute", "abs"); nullopt if there is none.
std::optional<op_id> find_op(std::string_view name);

/// Alias names of an op, for docs and coverage: pairs (alias, op).
struct op_alias { std::string_view name; op_id op; };
std::span<const op_alias> op_aliases();

}  // namespace numjit
