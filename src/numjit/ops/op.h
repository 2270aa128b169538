// Identity and description of every op, derived from the rows in *.def.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include <numjit/array/dtype.h>

namespace numjit {

/// One enumerator per row, in file order.
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

enum class op_kind : std::uint8_t {
  ufunc, reduction, argreduction, scan, view, creation, gather, store, opaque,
};

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
