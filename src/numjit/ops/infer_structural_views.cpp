// Layout rules of the view rows: shape, strides and offset in the storage of the input.
#include <algorithm>
#include <string>

#include <numjit/ops/param_layout.h>
#include <numjit/ops/promotion.h>

namespace numjit {
namespace {

struct input_layout {
  dtype_id type = dtype_id::float64;
  dims shape, strides;
};

/// Layout of the first input; a literal counts as a 0-D array.
input_layout input_of(const op_call& call) {
  const operand& o = call.in[0];
  input_layout in;
  if (o.is_array()) {
    in.type = o.n()->type;
    in.shape = dims(o.n()->shape, o.n()->rank);
    in.strides = dims(o.n()->strides, o.n()->rank);
  } else if (o.kind() != weak_kind::float_) {
    in.type = o.kind() == weak_kind::bool_      ? dtype_id::bool_
              : o.kind() == weak_kind::complex_ ? dtype_id::complex128
              : o.above_int64()                 ? dtype_id::uint64
                                                : dtype_id::int64;
  }
  return in;
}

void begin_view(inference& result, dtype_id type) {
  result.type = type;
  result.loop = -1;
  result.shape = dims();
  result.strides = dims();
  result.offset = 0;
  result.is_view = true;
  result.data_dependent = false;
}

void append(inference& result, std::int64_t extent, std::int64_t stride) {
  result.shape.push_back(extent);
  result.strides.push_back(stride);
}

/// "4,2" as NumPy lists a shape inside a sentence; "(4)" has no comma for a single axis.
std::string shape_text(const dims& shape) {
  std::string text = "(";
  for (int a = 0; a < shape.size(); ++a) text += (a ? "," : "") + std::to_string(shape[a]);
  return text + (shape.size() == 1 ? ",)" : ")");
}

}  // namespace

/// Basic indexing. IndexError for an index out of bounds or too many indices, in NumPy's words.
void infer_index(const op_call& call, inference& result) {
  // Slicing is the hot path of loops: the layout is read in place. (A literal is 0-D.)
  const node* n_in = call.in[0].is_array() ? call.in[0].n() : nullptr;
  begin_view(result, n_in ? n_in->type : input_of(call).type);
  const op_params& p = call.p();
  const int rank = n_in ? n_in->rank : 0;
  int used = 0;
  for (int at = 0; at < p.size();) used += layout::next_index_entry(p, at).kind != layout::index_entry::newaxis;
  if (used > rank)
    throw IndexError("index", "too many indices for array: array is " + std::to_string(rank) +
                                  "-dimensional, but " + std::to_string(used) + " were indexed");
  int axis = 0;
  for (int at = 0; at < p.size();) {
    const layout::index_entry e = layout::next_index_entry(p, at);
    if (e.kind == layout::index_entry::newaxis) {
      append(result, 1, 0);
      continue;
    }
    const std::int64_t n = n_in->shape[axis], stride = n_in->strides[axis];
    if (e.kind == layout::index_entry::whole) {
      append(result, n, stride);
    } else if (e.kind == layout::index_entry::integer) {
      if (e.start < -n || e.start >= n) detail::throw_out_of_bounds("index", e.start, axis, n);
      result.offset += (e.start < 0 ? e.start + n : e.start) * stride;
    } else {
      if (e.step == 0) throw ValueError("index", "slice step cannot be zero");
      const layout::slice_range r = layout::resolve_slice(e, n);
      if (r.length > 0) result.offset += r.first * stride;
      append(result, r.length, r.length > 1 ? stride * r.step : stride);
    }
    ++axis;
  }
  for (; axis < rank; ++axis) append(result, n_in->shape[axis], n_in->strides[axis]);
}

namespace {

/// The shape asked for with its unknown length filled in; ValueError if the sizes differ.
dims resolve_shape(const dims& wanted, std::int64_t size) {
  dims shape = wanted;
  int unknown = -1;
  std::int64_t known = 1;
  bool overflows = false;
  for (int a = 0; a < shape.size(); ++a) {
    if (shape[a] >= 0) {
      overflows |= __builtin_mul_overflow(known, shape[a], &known);
      continue;
    }
    if (unknown >= 0) throw ValueError("reshape", "can only specify one unknown dimension");
    unknown = a;
  }
  auto fail = [&] {
    std::string text;
    for (int a = 0; a < wanted.size(); ++a)
      if (a != unknown) text += (text.empty() ? "" : ",") + std::to_string(wanted[a]);
    if (unknown < 0) text = shape_text(wanted).substr(1, shape_text(wanted).size() - 2);
    throw ValueError("reshape", "cannot reshape array of size " + std::to_string(size) +
                                    " into shape (" + text + ")");
  };
  if (overflows) fail();
  if (unknown >= 0) {
    if (known == 0 || size % known != 0) fail();
    shape[unknown] = size / known;
  } else if (known != size) {
    fail();
  }
  return shape;
}

/// Strides of `shape` over the same elements, or false if no strides can say it.
bool reshaped_strides(const input_layout& in, std::int64_t itemsize, const dims& shape, dims& strides) {
  dims old_shape, old_strides;
  for (int a = 0; a < in.shape.size(); ++a)
    if (in.shape[a] != 1) old_shape.push_back(in.shape[a]), old_strides.push_back(in.strides[a]);
  strides = dims();
  strides.resize(shape.size());
  int old_axis = 0, axis = 0;
  const int old_rank = old_shape.size(), rank = shape.size();
  while (axis < rank && old_axis < old_rank) {
    int old_end = old_axis + 1, end = axis + 1;
    std::int64_t old_count = old_shape[old_axis], count = shape[axis];
    while (count != old_count) {
      if (count < old_count) count *= shape[end++];
      else old_count *= old_shape[old_end++];
    }
    for (int a = old_axis; a + 1 < old_end; ++a)
      if (old_strides[a] != old_shape[a + 1] * old_strides[a + 1]) return false;
    strides[end - 1] = old_strides[old_end - 1];
    for (int a = end - 1; a > axis; --a) strides[a - 1] = strides[a] * shape[a];
    old_axis = old_end;
    axis = end;
  }
  const std::int64_t last = axis > 0 ? strides[axis - 1] : itemsize;
  for (; axis < rank; ++axis) strides[axis] = last;
  return true;
}

}  // namespace

/// The same elements in C order under another shape. `is_view` is false if strides can't express it:
/// the caller copies first.
void infer_reshape_view(const op_call& call, inference& result) {
  const input_layout in = input_of(call);
  begin_view(result, in.type);
  const std::int64_t itemsize = detail::dtype_table[static_cast<int>(in.type)].itemsize;
  const dims wanted = layout::list_of(call.p());
  // One length that is not known yet, of an array in C order: compared when it is.
  if (in.shape.size() == 1 && in.shape[0] >= detail::unknown_extents && in.strides[0] == itemsize &&
      std::all_of(wanted.begin(), wanted.end(), [](auto e) { return e >= 0; })) {
    result.shape = wanted;
    result.strides = contiguous_strides(wanted, itemsize);
    return;
  }
  const std::int64_t size = element_count(in.shape);
  result.shape = resolve_shape(wanted, size);
  if (size == 0) {
    result.strides = contiguous_strides(result.shape, itemsize);
    return;
  }
  if (reshaped_strides(in, itemsize, result.shape, result.strides)) return;
  result.is_view = false;
  result.strides = dims();
}

/// Axes permuted; ValueError for a list that is no permutation.
void infer_transpose(const op_call& call, inference& result) {
  const input_layout in = input_of(call);
  begin_view(result, in.type);
  const dims axes = layout::list_of(call.p());
  const int rank = in.shape.size();
  if (axes.empty()) {
    for (int a = rank - 1; a >= 0; --a) append(result, in.shape[a], in.strides[a]);
    return;
  }
  if (axes.size() != rank) throw ValueError("transpose", "axes don't match array");
  bool seen[max_rank] = {};
  for (std::int64_t raw : axes) {
    const int a = normalize_axis("transpose", raw, rank);
    if (seen[a]) throw ValueError("transpose", "repeated axis in transpose");
    seen[a] = true;
    append(result, in.shape[a], in.strides[a]);
  }
}

/// Stride 0 along new and size-1 axes.
void infer_broadcast_to(const op_call& call, inference& result) {
  const input_layout in = input_of(call);
  begin_view(result, in.type);
  const dims shape = layout::list_of(call.p());
  for (std::int64_t e : shape)
    if (e < 0) throw ValueError("broadcast_to", "all elements of broadcast shape must be non-negative");
  const int added = shape.size() - in.shape.size();
  if (shape.empty() && added < 0)
    throw ValueError("broadcast_to", "cannot broadcast a non-scalar to a scalar array");
  if (added < 0)
    throw ValueError("broadcast_to", "input operand has more dimensions than allowed by the axis remapping");
  for (int a = 0; a < shape.size(); ++a) {
    const bool repeated = a < added || in.shape[a - added] == 1;
    if (!repeated && in.shape[a - added] != shape[a])
      throw ValueError("broadcast_to",
                       "operands could not be broadcast together with remapped shapes "
                       "[original->remapped]: " + shape_text(in.shape) + "  and requested shape " +
                           shape_text(shape));
    append(result, shape[a], repeated && shape[a] != 1 ? 0 : a < added ? 0 : in.strides[a - added]);
  }
}

/// The diagonal of two axes as the last axis of the result.
void infer_diagonal(const op_call& call, inference& result) {
  const input_layout in = input_of(call);
  begin_view(result, in.type);
  const op_params& p = call.p();
  const int rank = in.shape.size();
  if (rank < 2) throw ValueError("diagonal", "diag requires an array of at least two dimensions");
  const std::int64_t offset = p.size() ? p[0] : 0;
  auto checked = [&](std::int64_t raw, const char* which) {
    if (raw < -rank || raw >= rank)
      throw AxisError("diagonal", std::string(which) + ": axis " + std::to_string(raw) +
                                      " is out of bounds for array of dimension " + std::to_string(rank));
    return static_cast<int>(raw < 0 ? raw + rank : raw);
  };
  const int row = checked(p.size() > 1 ? p[1] : 0, "axis1"), column = checked(p.size() > 2 ? p[2] : 1, "axis2");
  if (row == column) throw ValueError("diagonal", "axis1 and axis2 cannot be the same");
  for (int a = 0; a < rank; ++a)
    if (a != row && a != column) append(result, in.shape[a], in.strides[a]);
  std::int64_t rows = in.shape[row], columns = in.shape[column];
  if (offset >= 0) columns -= offset < columns ? offset : columns;
  else rows -= -offset < rows ? -offset : rows;
  const std::int64_t n = rows < columns ? rows : columns;
  if (n > 0) result.offset = offset >= 0 ? offset * in.strides[column] : -offset * in.strides[row];
  append(result, n, in.strides[row] + in.strides[column]);
}

/// All windows: the axes of their places, then those of the window.
void infer_sliding_window_view(const op_call& call, inference& result) {
  const input_layout in = input_of(call);
  begin_view(result, in.type);
  const dims window = layout::list_of(call.p());
  const int rank = in.shape.size();
  if (window.size() != rank)
    throw ValueError("sliding_window_view",
                     "Since axis is None, must provide window_shape for all dimensions of `x`; got " +
                         std::to_string(window.size()) + " window_shape elements and `x.ndim` is " +
                         std::to_string(rank) + ".");
  if (2 * rank > max_rank)
    throw ValueError("sliding_window_view", "maximum supported dimension for an ndarray is currently " +
                                                std::to_string(max_rank) + ", found " + std::to_string(2 * rank));
  for (int a = 0; a < rank; ++a)
    if (window[a] < 0) throw ValueError("sliding_window_view", "`window_shape` cannot contain negative values");
  for (int a = 0; a < rank; ++a) {
    if (in.shape[a] < window[a])
      throw ValueError("sliding_window_view", "window shape cannot be larger than input array shape");
    append(result, in.shape[a] - window[a] + 1, in.strides[a]);
  }
  for (int a = 0; a < rank; ++a) append(result, window[a], in.strides[a]);
}

namespace {
void infer_part(const op_call& call, inference& result, bool imaginary) {
  const input_layout in = input_of(call);
  begin_view(result, in.type);
  result.shape = in.shape;
  result.strides = in.strides;
  if (in.type == dtype_id::complex64) result.type = dtype_id::float32;
  if (in.type == dtype_id::complex128) result.type = dtype_id::float64;
  if (imaginary) {
    if (result.type == in.type)
      throw TypeError("imag_view", "the imaginary part of a real array has no storage: got dtype " +
                                       std::string(dtype(in.type).name()) + ", expected complex.");
    result.offset = static_cast<std::int64_t>(dtype(result.type).itemsize());
  }
}
}  // namespace

/// Real parts; of a real array the array itself.
void infer_real_view(const op_call& call, inference& result) { infer_part(call, result, false); }
/// Imaginary parts of a complex array; TypeError for a real one.
void infer_imag_view(const op_call& call, inference& result) { infer_part(call, result, true); }

}  // namespace numjit
