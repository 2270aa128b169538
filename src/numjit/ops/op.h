// Identity and description of every op, derived from the rows in *.def.
#pragma once

#include <cstdint>
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

namespace detail {

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

/// Does an element of it take a polynomial or more (exp to gammaln)?
constexpr bool is_transcendental(op_group group) {
  return group == op_group::exponential || group == op_group::trigonometric || group == op_group::hyperbolic ||
         group == op_group::special;
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

/// May nobody write through the views that this op makes?
constexpr bool makes_readonly_view(op_id op) {
  return op == op_id::broadcast_to || op == op_id::diagonal || op == op_id::sliding_window_view;
}

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
constexpr data_length length_of_result(op_id op) {
  switch (op) {
    case op_id::mask_select: return {length_rule::true_elements, 1};
    case op_id::nonzero_flat: return {length_rule::true_elements, 0};
    case op_id::bincount: return {length_rule::bins, 0};
    case op_id::repeat_places: return {length_rule::total, 0};
    default: return {};
  }
}

/// Op of a NumPy name or alias ("absolute", "abs"); nullopt if there is none.
std::optional<op_id> find_op(std::string_view name);

/// Alias names of an op, for docs and coverage: pairs (alias, op).
struct op_alias { std::string_view name; op_id op; };
std::span<const op_alias> op_aliases();

}  // namespace numjit
