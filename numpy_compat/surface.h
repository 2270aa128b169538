// Shorthands of the NumPy surface for calling ops. Not a public header.
#pragma once

#include <functional>
#include <initializer_list>

#include <numjit/base/location_scope.h>
#include <numjit/np.h>
#include <numjit/ops/calls.h>
#include <numjit/ops/promotion.h>

/// The in-place operators: X(symbol, op).
#define NUMJIT_IN_PLACE_OPERATORS(X) \
  X(+=, add)                         \
  X(-=, subtract)                    \
  X(*=, multiply)                    \
  X(/=, divide)                      \
  X(%=, remainder)                   \
  X(&=, bitwise_and)                 \
  X(|=, bitwise_or)                  \
  X(^=, bitwise_xor)                 \
  X(<<=, left_shift)                 \
  X(>>=, right_shift)

namespace numjit::detail {

/// "raise", "wrap" or "clip". ValueError for others.
layout::take_mode take_mode_of(const char* op, const char* mode);
/// np::ravel_multi_index with one mode, or one of each axis.
array flat_index(const array_list& index, const dims& shape, const std::vector<layout::take_mode>& modes, char order);

/// The result cast to a dtype, or written to `out` if there is one.
array finish(const array& result, dtype_id t, const array& out);
/// The same of a reduction: ValueError where `out` has another number of axes than the result.
array finish_reduced(const char* op, const array& result, dtype_id t, const array& out);

/// The nan functions' refusal of integral `dtype` or `out`: TypeError.
void require_inexact(const char* op, const optional_dtype& type, const array& out);

/// ValueError for a negative length: "negative dimensions are not allowed".
inline void check_extents(const char* op, const dims& shape) {
  for (const std::int64_t extent : shape)
    if (extent < 0) throw ValueError(op, "negative dimensions are not allowed");
}
/// The array where options have a device, there.
array on_device(array a, const auto& options) { return options.device ? a.to(*options.device) : a; }

/// The options with `correction` as ddof. ValueError for both.
var_options corrected(const char* op, const var_options& options);

/// Node of an optional array argument.
inline node* optional_node(const array& a) { return a.empty_handle() ? nullptr : a.get(); }

/// Makes every indexed_array of this thread that is still pending a copy, before a write.
inline void before_write() { settle_pending(); }

/// Also where nothing would be written.
inline void require_writeable(const char* op, const array& a, const char* text) {
  if (!a.writeable()) throw ValueError(op, text);
}

/// `a` with one slice on one axis.
array slice_axis(const operand& a, int axis, std::int64_t start, std::int64_t stop,
                 std::int64_t step = layout::none);
/// `a` with one integer on one axis, which goes away.
array pick_axis(const operand& a, int axis, std::int64_t i);

/// np::reshape with NumPy's copy=: true for a copy in any case, false for a ValueError where one is needed.
array reshaped(const operand& a, const shape_list& shape, std::optional<bool> copy);
/// Do the elements lie in an order of 'CFAK', so that asarray needs no copy? ValueError for other letters.
bool lies_in_order(const array& x, char order);
/// In Fortran's order where `like` lies so, and in C's otherwise: how insert and delete make their results.
array falling_as(const array& made, const array& like);
/// Axes permuted so that those of longer strides come first: a view.
array in_memory_order(const operand& a);
/// The result of fn(x, k), of the operand's rank, with the axes of `a` lying in memory as those of `a` do: x is `a` with its
/// axes in that order, k the place of `axis` among them.
array along_memory(const char* op, const operand& a, std::int64_t axis,
                   const std::function<array(const operand&, std::int64_t)>& fn);
/// The order in which NumPy's concatenate puts the axes of its result in memory, from the outermost to the innermost; the
/// axes before `first` are left out.
dims joined_axes(const array_list& arrays, int first = 0);

/// TypeError where a dtype is not cast to another by a rule: "Cannot cast array data from dtype('float64') to
/// dtype('int64') according to the rule 'safe'".
/// The shape with its -1 filled in, of an array of `size` elements. ValueError in NumPy's words.
dims resolved_shape(const char* op, std::int64_t size, const dims& shape);
void check_cast(const char* op, const array& from, dtype to, const char* rule);

/// The operand as an array handle: itself, or a 0-D array of the literal.
array to_array(const operand& a);
dtype_id type_of(const operand& a);
inline int rank_of(const operand& a) { return a.is_array() ? a.n()->rank : 0; }
inline bool is_integral_type(dtype_id t) {
  const char k = dtype(t).kind();
  return k == 'b' || k == 'i' || k == 'u';
}
/// The operand as an array of a dtype, with its axes in the same order in memory; and of the floating dtype that integers become.
array as_type(const operand& a, dtype_id t);
array as_floating(const operand& a);
/// Of what adds up to 0 only where nothing differs from 0: the derivative there is 0, as of the modulus.
array root_of_sum(const array& x);
/// The operand's shape. A graph break inside a compiled function if an extent depends on data.
inline dims shape_of(const operand& a) {
  if (!a.is_array()) return dims();
  return dims(sized(a.n(), a.where())->shape, a.n()->rank);
}

// ---- lengths that depend on data, inside a compiled function ----

/// Is an extent of the array not known yet?
inline bool is_unsized(const operand& a) { return a.is_array() && a.n()->is(node::unsized); }
inline std::int64_t element_count_of(const operand& a) {
  return a.is_array() ? sized(a.n(), a.where())->size : 1;
}
/// The shape with names in place of unknown lengths (see node.h): good for comparing, not for counting.
inline dims named_shape(const operand& a) {
  return a.is_array() ? dims(a.n()->shape, a.n()->rank) : dims();
}
/// Equal names are equal lengths; others are asked for.
inline bool same_shape(const operand& a, const operand& b) {
  return named_shape(a) == named_shape(b) || ((is_unsized(a) || is_unsized(b)) && shape_of(a) == shape_of(b));
}
/// Of arrays that are broadcast together: names stay only where all that have axes have the same, since they do not broadcast.
std::vector<dims> shapes_to_broadcast(const std::vector<array>& arrays);
/// Number of elements along `axes` (all: none given) as a 0-D array of `type`, made by the graph.
array count_along(const operand& a, const axis_list& axes, dtype_id type);
/// New concrete array, for results that are computed here.
inline array fresh(dtype_id t, const dims& shape) {
  node* const n = new_node(t, shape.size(), shape.data());
  tell_view(n, n, {});
  return array::adopt(n);
}
/// Concrete and in C order, for reading its memory; `why` is a row of breaks.def.
array readable(const operand& a, const char* why);
template <class T>
T* data_of(const array& a) {
  return reinterpret_cast<T*>(a.get()->data);
}

}  // namespace numjit::detail
