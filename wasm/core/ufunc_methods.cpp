// The methods of ufuncs, as JavaScript calls them: the ufunc's name first. `outer` is JavaScript's alone.
#include <math/ufunc_indices.h>

#include "call.h"

namespace numjit::js {
namespace {

ufunc named(Call& c) { return ufunc(c.word(0, "")); }

/// Options of running results and of pieces: axis, dtype and out, from parameter i on.
ufunc_axis_options along_axis(Call& c, int i) {
  return {.axis = c.integer(i, 0), .dtype = c.type(i + 1), .out = c.array_or_none(i + 2)};
}

}  // namespace

Result ufunc_reduced(Call& c) {
  ufunc_reduce_options o{.dtype = c.type(3), .out = c.array_or_none(4), .keepdims = c.flag(5)};
  if (c.is_null(2)) o.axis = none;
  else if (c.has(2)) o.axis = c.axes(2);
  if (c.has(6)) o.initial = c[6].as_operand();
  o.where = c.mask(7);
  return give(named(c).reduce(c[1], o));
}

Result ufunc_accumulated(Call& c) { return give(named(c).accumulate(c[1], along_axis(c, 2))); }

Result ufunc_pieces_reduced(Call& c) { return give(named(c).reduceat(c[1], c[2], along_axis(c, 3))); }

Result ufunc_at_places(Call& c) {
  std::vector<index> places;
  for (Value& entry : c[2].items) places.push_back(index_entry(entry));
  std::optional<operand> values;
  if (c.has(3)) values = c[3].as_operand();
  numjit::detail::ufunc_at_indices(named(c).op(), c[1].as_array(), places, values ? &*values : nullptr);
  return {};
}

}  // namespace numjit::js
