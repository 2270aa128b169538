// Dtype and shape of reductions, arg reductions and scans.
#include <string>

#include <numjit/ops/param_layout.h>
#include <numjit/ops/promotion.h>
#include <numjit/ops/result_order.h>

namespace numjit {
namespace {

std::string name_of(op_id op) { return std::string(info(op).name); }

/// NumPy's name of the ufunc behind a reduction, as its messages give it.
std::string_view ufunc_name(op_id op) { return info(ufunc_of(op)).name; }

dims input_shape(const operand& o) {
  return o.is_array() ? dims(o.n()->shape, o.n()->rank) : dims();
}

dtype_id input_type(const operand& o) {
  if (o.is_array()) return o.n()->type;
  switch (o.kind()) {
    case weak_kind::bool_: return dtype_id::bool_;
    case weak_kind::int_: return o.above_int64() ? dtype_id::uint64 : dtype_id::int64;
    case weak_kind::complex_: return dtype_id::complex128;
    default: return dtype_id::float64;
  }
}

int loop_with_input(op_id op, dtype_id in) {
  const auto loops = info(op).loops;
  for (std::size_t l = 0; l < loops.size(); ++l)
    if (loops[l].in[0] == in) return static_cast<int>(l);
  throw TypeError(name_of(op), "no loop for dtype " +
                                   std::string(detail::dtype_table[static_cast<int>(in)].name));
}

/// The dtype that elements are joined in: dtype=, or what the input and out= have in common, as
/// NumPy looks for its loop with both. Narrow integers are added up in 64 bits and cut at the end,
/// which wraps to the same values.
dtype_id joined_in(const op_call& call, dtype_id in, const dtype_id* asked) {
  if (!asked) return call.out ? promote_types(in, call.out->type) : in;
  for (const op_loop& loop : info(call.op).loops)  // what a loop over the input gives anyway needs no cast before it
    if (loop.in[0] == in && loop.out == *asked) return in;
  return *asked;
}

void check_mask(const op_call& call, const dims& shape) {
  const node* mask = call.where_mask;
  if (!mask) return;
  if (mask->type != dtype_id::bool_)
    throw TypeError(name_of(call.op),
                    "Cannot cast array data from dtype('" +
                        std::string(detail::dtype_table[static_cast<int>(mask->type)].name) +
                        "') to dtype('bool') according to the rule 'safe'");
  const dims shapes[2] = {shape, dims(mask->shape, mask->rank)};
  if (!(broadcast_shapes(name_of(call.op), shapes) == shape))
    throw ValueError(name_of(call.op),
                     "input operand has more dimensions than allowed by the axis remapping");
}

void check_out(const op_call& call, const dims& shape, bool keepdims) {
  const node* out = call.out;
  if (!out) return;
  if (out->is(node::readonly)) throw ValueError(name_of(call.op), "output array is read-only");
  if (out->rank != shape.size())
    throw ValueError(name_of(call.op),
                     "output parameter for reduction operation " + std::string(ufunc_name(call.op)) +
                         " has the wrong number of dimensions: Found " + std::to_string(out->rank) +
                         " but expected " + std::to_string(shape.size()) +
                         (keepdims ? " (must match the operand's when keepdims=True)" : ""));
  if (!(dims(out->shape, out->rank) == shape))
    throw ValueError(name_of(call.op), "could not broadcast the result of shape " + shape.str() +
                                           " to out= of shape " +
                                           dims(out->shape, out->rank).str());
}

/// Axes to reduce; AxisError, or ValueError for one given twice. 0-D takes axis 0 and -1 too.
void marked_axes(const op_call& call, const layout::reduction& r, int rank, bool* reduced) {
  for (int a = 0; a < max_rank; ++a) reduced[a] = !r.axes;
  if (!r.axes) return;
  for (std::int64_t raw : *r.axes) {
    if (rank == 0 && r.axes->size() == 1 && (raw == 0 || raw == -1)) return;
    const int a = normalize_axis(info(call.op).name, raw, rank);
    if (reduced[a]) throw ValueError(name_of(call.op), "duplicate value in 'axis'");
    reduced[a] = true;
  }
}

void infer_arg(const op_call& call, inference& result) {
  const dims shape = input_shape(call.in[0]);
  const std::int64_t axis_word = layout::axis_of(call.p());
  const bool keepdims = call.p().size() > 1 && call.p()[1] != 0;
  result.loop = loop_with_input(call.op, input_type(call.in[0]));
  result.in_type[0] = input_type(call.in[0]);
  result.type = dtype_id::int64;
  int axis = -1;  // the flattened array
  std::int64_t length = element_count(shape);
  if (axis_word != layout::none) {
    const bool scalar = shape.empty() && (axis_word == 0 || axis_word == -1);
    if (!scalar) {
      axis = normalize_axis(info(call.op).name, axis_word, shape.size());
      length = shape[axis];
    }
  }
  result.shape = dims();
  for (int a = 0; a < shape.size(); ++a) {
    if (axis >= 0 && a != axis) result.shape.push_back(shape[a]);
    else if (keepdims) result.shape.push_back(1);
  }
  if (length == 0)
    throw ValueError(name_of(call.op), "attempt to get " + name_of(call.op) + " of an empty sequence");
  if (!call.out) return;
  const node* out = call.out;
  if (out->is(node::readonly)) throw ValueError(name_of(call.op), "output array is read-only");
  if (!(dims(out->shape, out->rank) == result.shape))
    throw ValueError(name_of(call.op),
                     "output array does not match result of np." + name_of(call.op) + ".");
  // This way round, as NumPy makes places of what is there.
  if (!can_cast(out->type, dtype_id::int64))
    throw TypeError(name_of(call.op),
                    "Cannot cast array data from dtype('" +
                        std::string(detail::dtype_table[static_cast<int>(out->type)].name) +
                        "') to dtype('int64') according to the rule 'safe'");
}

}  // namespace

/// Reductions: the input without the reduced axes (or with them as 1 under keepdims). Sums and
/// products of small integers are int64 or uint64, of bool int64; max and min keep the dtype; any and
/// all give bool; argmax and argmin int64. The axes that stay keep the input's order in memory.
void infer_reduction(const op_call& call, inference& result) {
  result.is_view = false;
  result.data_dependent = false;
  if (info(call.op).kind == op_kind::argreduction) return infer_arg(call, result);
  const dims shape = input_shape(call.in[0]);
  const dtype_id in = input_type(call.in[0]);
  const layout::reduction r = layout::reduction_of(call.p());
  bool reduced[max_rank];
  marked_axes(call, r, shape.size(), reduced);

  const bool logical = call.op == op_id::any || call.op == op_id::all;
  const dtype_id joined = logical ? in : joined_in(call, in, r.dtype ? &*r.dtype : nullptr);
  result.loop = loop_with_input(call.op, joined);
  const op_loop& loop = info(call.op).loops[static_cast<std::size_t>(result.loop)];
  result.in_type[0] = loop.in[0];
  result.type = logical ? dtype_id::bool_ : r.dtype ? *r.dtype : loop.out;

  result.shape = dims();
  bool empty = false;
  for (int a = 0; a < shape.size(); ++a) {
    if (reduced[a]) empty |= shape[a] == 0;
    if (!reduced[a]) result.shape.push_back(shape[a]);
    else if (r.keepdims) result.shape.push_back(1);
  }
  check_out(call, result.shape, r.keepdims);
  const bool no_identity = !has_identity(call.op);
  if (no_identity && !r.initial && call.where_mask)
    throw ValueError(name_of(call.op), "reduction operation '" + std::string(ufunc_name(call.op)) +
                                           "' does not have an identity, so to use a where mask one "
                                           "has to specify 'initial'");
  if (no_identity && !r.initial && empty)
    throw ValueError(name_of(call.op), "zero-size array to reduction operation " +
                                           std::string(ufunc_name(call.op)) +
                                           " which has no identity");
  if (r.initial && r.initial->is_integer()) {
    const auto bits = r.initial->bits;
    const bool large = r.initial->kind == layout::number::above_int64;
    check_literal(info(call.op).name,
                  large ? operand(static_cast<std::uint64_t>(bits)) : operand(bits),
                  call.out ? joined : result.type);
  }
  if (r.initial && r.initial->kind == layout::number::complex_)
    check_no_complex(name_of(call.op), operand(std::complex<double>()), result.type);
  check_mask(call, shape);
  if (!call.out) detail::keep_memory_order(call, reduced, r.keepdims, result);
}

/// Scans: the input's shape, or its number of elements if no axis is given; dtypes as for sums.
void infer_scan(const op_call& call, inference& result) {
  result.is_view = false;
  result.data_dependent = false;
  const dims shape = input_shape(call.in[0]);
  const dtype_id in = input_type(call.in[0]);
  const dtype_id forced = call.p().type();
  result.loop =
      loop_with_input(call.op, joined_in(call, in, call.p().has_type() ? &forced : nullptr));
  const op_loop& loop = info(call.op).loops[static_cast<std::size_t>(result.loop)];
  result.in_type[0] = loop.in[0];
  result.type = call.p().has_type() ? forced : loop.out;
  const std::int64_t axis = layout::axis_of(call.p());
  const bool scalar = shape.empty() && (axis == 0 || axis == -1);
  if (axis == layout::none || scalar) {
    result.shape = dims{element_count(shape)};
  } else {
    normalize_axis(info(call.op).name, axis, shape.size());
    result.shape = shape;
  }
  if (!call.out) {
    constexpr bool none[max_rank] = {};
    return detail::keep_memory_order(call, none, true, result);
  }
  if (call.out->is(node::readonly)) throw ValueError(name_of(call.op), "output array is read-only");
  if (!(dims(call.out->shape, call.out->rank) == result.shape))
    throw ValueError(name_of(call.op), "provided out is the wrong size for the accumulation.");
}

}  // namespace numjit
