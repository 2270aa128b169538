// np::ufunc: dtypes, axes and identities of the methods of ufuncs; what joins the elements is eager/ufunc_methods.cpp.
#include <numjit/np_ufunc_methods.h>

#include <algorithm>
#include <limits>

#include <numjit/array/gather.h>
#include <numjit/ops/ufunc_routine.h>
#include <numjit/trace/state/pending.h>

#include <at_hand.h>
#include "ufunc_indices.h"

namespace numjit {

using detail::call;
using detail::permute;
using detail::routine_id;

namespace {

/// What is known of an op beside its row.
struct method_rule {
  op_id op;
  std::optional<op_id> reduction;  // the same in the canonical order
  bool any_axes;                   // several axes may be joined at once
  std::optional<double> identity;  // -1: all bits
};
constexpr double infinite = std::numeric_limits<double>::infinity();
constexpr method_rule rules[] = {
    {op_id::add, op_id::sum, true, 0},
    {op_id::multiply, op_id::prod, true, 1},
    {op_id::maximum, op_id::max, true, {}},
    {op_id::minimum, op_id::min, true, {}},
    {op_id::logical_or, op_id::any, true, 0},
    {op_id::logical_and, op_id::all, true, 1},
    {op_id::fmax, {}, true, {}},
    {op_id::fmin, {}, true, {}},
    {op_id::logical_xor, {}, true, 0},
    {op_id::bitwise_and, {}, true, -1},
    {op_id::bitwise_or, {}, true, 0},
    {op_id::bitwise_xor, {}, true, 0},
    {op_id::hypot, {}, true, 0},
    {op_id::logaddexp, {}, true, -infinite},
    {op_id::logaddexp2, {}, true, -infinite},
    {op_id::gcd, {}, true, 0},
    {op_id::lcm, {}, true, {}},
};
const method_rule& rule_of(op_id op) {
  static constexpr method_rule none{op_id::count_, {}, false, {}};
  const auto found = std::find_if(std::begin(rules), std::end(rules), [op](const method_rule& rule) { return rule.op == op; });
  return found == std::end(rules) ? none : *found;
}
std::string text(op_id op) { return std::string(info(op).name); }
bool is_logical(op_id op) { return op == op_id::logical_and || op == op_id::logical_or || op == op_id::logical_xor; }

void require_binary(op_id op, const char* method) {
  if (info(op).arity != 2) throw ValueError("", std::string(method) + " only supported for binary functions");
}

[[noreturn]] void throw_no_loop(op_id op) {
  throw TypeError(text(op), "No loop matching the specified signature and casting was found for ufunc " + text(op));
}

/// dtype=, or else the dtype of out=. TypeError for what a logical ufunc has no loop for.
optional_dtype asked_type(op_id op, const optional_dtype& asked, const array& out) {
  if (is_logical(op) && asked && *asked != bool_) throw_no_loop(op);
  return asked || out.empty_handle() ? asked : optional_dtype(out.dtype());
}

/// The dtype that elements are joined in.
dtype_id joined_type(op_id op, dtype_id type, const optional_dtype& asked) {
  if (is_logical(op)) return dtype_id::bool_;
  const char kind = dtype(type).kind();
  dtype_id joined = asked ? asked->id() : type;
  if (!asked && (op == op_id::add || op == op_id::multiply) && (kind == 'b' || kind == 'i' || kind == 'u')) {
    joined = kind == 'u' ? dtype_id::uint64 : dtype_id::int64;
  } else if (!asked) {
    const array one = detail::fresh(type, {});
    inference found;
    infer({op, {one, one}}, found);
    joined = found.type;
  }
  if (detail::loop_over(op, joined) < 0 || (joined == dtype_id::bool_ && type != joined && !asked)) throw_no_loop(op);
  return joined;
}

array in_type(const array& a, dtype_id type) { return a.dtype().id() == type ? a : detail::cast(a, type); }

array call_routine(routine_id id, op_id op, int axis, std::initializer_list<operand> in) {
  return call(op_id::routine, in, detail::ufunc_routine_params(id, op, axis));
}

operand as_literal(double value, dtype_id type) {
  const char kind = dtype(type).kind();
  if (kind == 'f') return value;
  if (kind == 'b') return value != 0;
  if (value < 0 && kind == 'u') {
    const int bits = static_cast<int>(dtype(type).itemsize()) * 8;
    return std::numeric_limits<std::uint64_t>::max() >> (64 - bits);
  }
  return static_cast<std::int64_t>(value);
}

/// The result, cast and written to `out` where there is one, of its shape.
array given(op_id op, const array& result, const array& out) {
  if (out.empty_handle()) return result;
  if (out.ndim() != result.ndim())
    throw ValueError("", "output parameter for reduction operation " + text(op) + " has the wrong number of dimensions: Found " +
                             std::to_string(out.ndim()) + " but expected " + std::to_string(result.ndim()));
  if (out.shape() != result.shape())
    throw ValueError(
        "", "could not broadcast the result of shape " + result.shape().str() + " to out= of shape " + out.shape().str());
  detail::before_write();
  call(op_id::store, {out, result});
  return out;
}

struct joined_axes {
  dims axes, rest, kept_shape;
};
joined_axes split_axes(op_id op, const array& a, const axis_list& axis) {
  joined_axes s;
  const int rank = a.ndim();
  const bool all = axis.all() || (rank == 0 && axis.list().size() == 1 && (axis.list()[0] == 0 || axis.list()[0] == -1));
  std::vector<bool> joined(static_cast<std::size_t>(rank), all);
  if (all) {
    for (int i = 0; i < rank; ++i) s.axes.push_back(i);
  } else {
    for (std::int64_t given : axis.list()) {
      const int k = normalize_axis(text(op), given, rank);
      if (joined[static_cast<std::size_t>(k)]) throw ValueError(text(op), "duplicate value in 'axis'");
      joined[static_cast<std::size_t>(k)] = true;
      s.axes.push_back(k);
    }
  }
  for (int i = 0; i < rank; ++i) {
    const bool gone = joined[static_cast<std::size_t>(i)];
    if (!gone) s.rest.push_back(i);
    s.kept_shape.push_back(gone ? 1 : a.shape(i));
  }
  return s;
}

/// The joined axes as one, in front.
array joined_in_front(const array& a, const joined_axes& s) {
  dims order = s.axes, shape{1};
  for (std::int64_t axis : s.axes) shape[0] *= a.shape(static_cast<int>(axis));
  for (std::int64_t axis : s.rest) {
    order.push_back(axis);
    shape.push_back(a.shape(static_cast<int>(axis)));
  }
  return reshape(permute(a, order), shape);
}

/// Reductions of the op table.
array reduce_by_row(op_id reduction, const array& a, const ufunc_reduce_options& o, const joined_axes& s) {
  reduce_options options{.axis = axis_list(s.axes), .out = o.out, .keepdims = o.keepdims, .initial = o.initial, .where = o.where};
  if (reduction != op_id::any && reduction != op_id::all) options.dtype = o.dtype;
  switch (reduction) {
    case op_id::sum: return sum(a, options);
    case op_id::prod: return prod(a, options);
    case op_id::max: return max(a, options);
    case op_id::min: return min(a, options);
    case op_id::any: return any(a, options);
    default: return all(a, options);
  }
}

}  // namespace

ufunc::ufunc(std::string_view name) {
  const auto op = find_op(name);
  if (!op || info(*op).kind != op_kind::ufunc || info(*op).arity > 2)
    throw ValueError("ufunc", "unknown ufunc: got '" + std::string(name) +
                                  "'; a name of NumPy's ufuncs is expected, as in np::ufunc(\"add\").");
  op_ = *op;
}

std::optional<double> ufunc::identity() const { return rule_of(op_).identity; }

array ufunc::operator()(const operand& a, const ufunc_options& o) const {
  op_params params;
  if (o.dtype) params.type(o.dtype->id());
  if (!o.out.empty_handle()) detail::before_write();
  return bind({op_, a, &params, detail::optional_node(o.out), detail::optional_node(o.where), a.where()});
}
array ufunc::operator()(const operand& a, const operand& b, const ufunc_options& o) const {
  op_params params;
  if (o.dtype) params.type(o.dtype->id());
  if (!o.out.empty_handle()) detail::before_write();
  return bind({op_, {a, b}, &params, detail::optional_node(o.out), detail::optional_node(o.where), a.where()});
}

array ufunc::reduce(const operand& given_a, const ufunc_reduce_options& o) const {
  require_binary(op_, "reduce");
  const location_scope scope(given_a.where());
  const array a = detail::to_array(given_a);
  detail::shape_of(a);  // lengths are needed
  const method_rule& rule = rule_of(op_);
  const joined_axes s = split_axes(op_, a, o.axis);
  const optional_dtype asked = asked_type(op_, o.dtype, o.out);
  if (s.axes.size() == 0 && rule.reduction && !o.initial) {
    const dtype_id type = joined_type(op_, a.dtype().id(), asked);
    return given(op_, detail::contiguous_copy(in_type(a, type)), o.out);
  }
  if (rule.reduction && !(is_logical(op_) && o.initial)) return reduce_by_row(*rule.reduction, a, o, s);
  const dtype_id type = joined_type(op_, a.dtype().id(), asked);
  if (s.axes.size() > 1 && !rule.any_axes)
    throw ValueError("", "reduction operation '" + text(op_) + "' is not reorderable, so at most one axis may be specified");
  const array rows = in_type(joined_in_front(a, s), type);
  dims lanes = rows.shape();
  lanes.erase(0);
  const bool masked = !o.where.empty_handle(), empty = rows.shape(0) == 0;
  array start;
  if (o.initial) {
    start = full(lanes, *o.initial, {dtype(type)});
  } else if (rule.identity && (masked || empty || op_ == op_id::hypot || op_ == op_id::gcd)) {
    start = full(lanes, as_literal(*rule.identity, type), {dtype(type)});
  } else if (empty) {
    throw ValueError("", "zero-size array to reduction operation " + text(op_) + " which has no identity");
  } else if (masked) {
    throw ValueError("", "reduction operation '" + text(op_) +
                             "' does not have an identity, so to use a where mask one has to specify 'initial'");
  }
  array result;
  if (masked) {
    const array spread = joined_in_front(detail::expand_to(o.where, a.shape()), s);
    result = call_routine(routine_id::ufunc_reduce, op_, 0, {start, rows, spread});
  } else if (!start.empty_handle()) {
    result = call_routine(routine_id::ufunc_reduce, op_, 0, {start, rows});
  } else {
    const array first = detail::pick_axis(rows, 0, 0), others = detail::slice_axis(rows, 0, 1, rows.shape(0));
    result = call_routine(routine_id::ufunc_reduce, op_, 0, {first, others});
  }
  if (o.keepdims) result = detail::reshape_view(result, s.kept_shape);
  return given(op_, result, o.out);
}

array ufunc::accumulate(const operand& given_a, const ufunc_axis_options& o) const {
  require_binary(op_, "accumulate");
  const location_scope scope(given_a.where());
  const array a = detail::to_array(given_a);
  if (a.ndim() == 0) throw TypeError("", "cannot accumulate on a scalar");
  detail::shape_of(a);
  const int axis = normalize_axis(text(op_), o.axis, a.ndim());
  if (!o.out.empty_handle() && !(o.out.shape() == a.shape()))
    throw ValueError("", "provided out is the wrong size for the accumulation.");
  if (op_ == op_id::add) return cumsum(a, {.axis = axis, .dtype = o.dtype, .out = o.out});
  if (op_ == op_id::multiply) return cumprod(a, {.axis = axis, .dtype = o.dtype, .out = o.out});
  const dtype_id type = joined_type(op_, a.dtype().id(), asked_type(op_, o.dtype, o.out));
  return given(op_, call_routine(routine_id::ufunc_accumulate, op_, axis, {in_type(a, type)}), o.out);
}

array ufunc::reduceat(const operand& a, std::initializer_list<std::int64_t> indices, const ufunc_axis_options& o) const {
  const location_scope scope(a.where());
  return reduceat(a, from_values(std::vector<std::int64_t>(indices)), o);
}
array ufunc::reduceat(const operand& given_a, const operand& indices, const ufunc_axis_options& o) const {
  require_binary(op_, "reduceat");
  const location_scope scope(given_a.where());
  const array a = detail::to_array(given_a);
  if (a.ndim() == 0) throw TypeError("", "cannot reduceat on a scalar");
  detail::shape_of(a);
  const int axis = normalize_axis(text(op_), o.axis, a.ndim());
  const array cuts = in_type(detail::to_array(indices), dtype_id::int64);
  if (cuts.ndim() == 0) throw ValueError("", "object of too small depth for desired array");
  if (cuts.ndim() > 1) throw ValueError("", "object too deep for desired array");
  node* const n = cuts.get();
  if (!n->is(node::lazy) && n->device == 0 && !tracing::has_pending_stores(n)) {  // NumPy looks at them before dtypes
    std::vector<std::int64_t> begins;
    for (std::int64_t i = 0; i < n->size; ++i)
      begins.push_back(*reinterpret_cast<const std::int64_t*>(n->data + i * n->strides[0]));
    detail::check_pieces(op_, begins.data(), n->size, a.shape(axis));
  }
  const dtype_id type = joined_type(op_, a.dtype().id(), asked_type(op_, o.dtype, o.out));
  return given(op_, call_routine(routine_id::ufunc_reduceat, op_, axis, {in_type(a, type), cuts}), o.out);
}

array ufunc::outer(const operand& given_a, const operand& b, const ufunc_options& o) const {
  require_binary(op_, "outer product");
  const location_scope scope(given_a.where());
  const array a = detail::to_array(given_a);
  dims shape = detail::shape_of(a);
  for (int i = detail::rank_of(b); i > 0; --i) shape.push_back(1);
  return (*this)(reshape(a, shape), b, o);
}

namespace {
/// Are so few elements of many meant that only those are worth going through?
bool goes_through_few(const array& places, const array& a) { return places.size() * 16 < a.size() && a.is_c_contiguous(); }
}  // namespace

array detail::direct_places(const array& a, const array& index) {
  if (a.ndim() != 1 || !is_integral_type(index.dtype().id()) || index.dtype() == bool_ || is_unsized(index) || is_unsized(a) ||
      index.size() == 0)
    return {};
  // The routine looks at indices itself, where it goes through all elements.
  if (!is_at_hand(index)) {
    if (goes_through_few(index, a) || index.dtype() == uint64) return {};
    return index.dtype() == int64 ? index : cast(index, dtype_id::int64);
  }
  const array places = cast(index, dtype_id::int64);
  return all_inside(data_of<const std::int64_t>(places), places.size(), a.size()) ? places : array();
}

namespace {

/// Flat places, in C order, of the elements that are indexed; their shape is that of the selection.
array indexed_places(const array& a, std::span<const index> indices) {
  if (indices.size() == 1 && indices[0].kind() == index::kind_t::array)
    if (const array places = detail::direct_places(a, array::share(indices[0].array_node())); !places.empty_handle())
      return places;
  const array all = reshape(arange(a.size()), a.shape());
  for (const index& i : indices)
    if (i.kind() == index::kind_t::array) return indexed_array(all, indices.data(), static_cast<int>(indices.size()), {});
  return detail::index_view(all, indices.data(), static_cast<int>(indices.size()), {});
}

array flat(const array& a) { return reshape(a, dims{a.size()}); }

}  // namespace

void detail::ufunc_at_places(op_id op, const array& a, const array& places, const array* values) {
  const location unknown;
  const location_scope scope(unknown);
  if (!a.writeable()) throw ValueError("", "assignment destination is read-only");
  const auto joined = [&](const array& target, const array& where) {
    return values ? call_routine(routine_id::ufunc_at, op, 0, {target, where, *values})
                  : call_routine(routine_id::ufunc_at, op, 0, {target, where});
  };
  if (places.size() == 0) {  // the dtypes are checked all the same
    joined(zeros({0}, {.dtype = a.dtype()}), places);
    return;
  }
  before_write();
  // Few elements of many: only those are gone through.
  if (goes_through_few(places, a)) {
    const unique_inverse_result found = unique_inverse(places);
    const array all = reshape_view(a, dims{a.size()});
    const array some = take(all, found.values);
    const array made = joined(some, reshape(found.inverse_indices, dims{places.size()}));
    call(op_id::put_index, {all, found.values, made});
    return;
  }
  call(op_id::store, {a, joined(a, places)});
}

void detail::ufunc_at_indices(op_id op, const array& a, std::span<const index> indices, const operand* b) {
  if (b && info(op).arity != 2) throw ValueError("", "second operand provided when ufunc is unary");
  if (!b && info(op).arity != 1) throw ValueError("", "second operand needed for ufunc");
  const location given = b ? b->where() : location();
  const location_scope scope(given);
  const array places = indexed_places(a, indices);
  if (!b) return ufunc_at_places(op, a, flat(places), nullptr);
  const array values = flat(expand_to(to_array(*b), places.shape()));  // views are of arrays, not of literals
  ufunc_at_places(op, a, flat(places), &values);
}

void ufunc::at(const array& a, std::initializer_list<index> indices, const operand& b) const {
  detail::ufunc_at_indices(op_, a, {indices.begin(), indices.size()}, &b);
}
void ufunc::at(const array& a, std::initializer_list<index> indices, call_site where) const {
  const location_scope scope(where);
  detail::ufunc_at_indices(op_, a, {indices.begin(), indices.size()}, nullptr);
}

}  // namespace numjit
