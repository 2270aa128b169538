// The methods of ufuncs over whole arrays, as routines: reduce, accumulate, reduceat, at.
//
// The elements of a lane are joined one after the other, by the loops of the elementwise rows:
//   many lanes     rows of lanes at a time, which are vectors
//   one lane       a call of the loop for each element; where the order of joining can't be seen in the result, the
//                  lane is folded up into a row of lanes first
// Ops that are reductions too (add, maximum, ...) join the pieces of reduceat in the canonical order.
#include <optional>

#include <numjit/base/check_interrupt.h>
#include <numjit/eager/internal.h>
#include <numjit/ops/rows.h>
#include <numjit/ops/ufunc_routine.h>

namespace numjit::eager {
namespace {

using numjit::detail::in_parts;

using numjit::detail::routine_call;
using numjit::detail::routine_id;

constexpr double ns_per_element = 4;

[[noreturn]] void misfit() {
  throw InternalError("routine", "inputs or parameters are not those of the routine");
}

op_id op_in(const op_params& params) {
  const auto op = numjit::detail::op_of_routine(params);
  if (!op) misfit();
  return *op;
}

dims shape_of(const node* n) { return dims(n->shape, n->rank); }
dims without_axis(dims shape, int axis) {
  shape.erase(axis);
  return shape;
}

void check_values(op_id op, const layout_view& right) {
  if (op == op_id::power && kind_of(right.type) == 'i') check_power(right);
}

layout_view moved_to_front(layout_view v, int axis) {
  const std::int64_t extent = v.shape[axis], stride = v.strides[axis];
  for (; axis > 0; --axis) {
    v.shape[axis] = v.shape[axis - 1];
    v.strides[axis] = v.strides[axis - 1];
  }
  v.shape[0] = extent;
  v.strides[0] = stride;
  return v;
}

/// Ops that lanes are often joined by, element after element: loops of their own, as a call of a row's loop for one
/// element costs as much as five elements here.
template <op_id Op, class T>
struct one_by_one {
  static T joined(T a, const char* b) {
    return static_cast<T>(op_row<Op>::eval(a, *reinterpret_cast<const T*>(b)));
  }
  /// Running results of `start` and the elements of b.
  static void lane(const char* start, const char* b, char* to, std::int64_t step_b, std::int64_t step_to, std::int64_t n) {
    T running = *reinterpret_cast<const T*>(start);
    for (std::int64_t i = 0; i < n; ++i, b += step_b, to += step_to) *reinterpret_cast<T*>(to) = running = joined(running, b);
  }
  static void places(char* to, const std::int64_t* at, const char* b, std::int64_t n) {
    for (std::int64_t i = 0; i < n; ++i, b += sizeof(T)) {
      T* const place = reinterpret_cast<T*>(to) + at[i];
      *place = joined(*place, b);
    }
  }
};

struct typed_loops {
  decltype(&one_by_one<op_id::add, double>::lane) lane = nullptr;
  decltype(&one_by_one<op_id::add, double>::places) places = nullptr;
};
typed_loops typed_loops_of(op_id op, dtype_id type) {
  if (type == dtype_id::bool_ || type == dtype_id::float16) return {};
  return visit_dtype(type, [op]<class T>() -> typed_loops {
    // Pages, whose pointers have 32 bits, have small modules: numbers that are rarely joined go the general way there.
    constexpr bool is_rare = !std::is_arithmetic_v<T> || sizeof(T) < 4;
    if constexpr (std::is_same_v<T, bool> || std::is_same_v<T, half> || (sizeof(void*) == 4 && is_rare)) {
      return {};
    } else {
      const auto of = []<op_id Op>() -> typed_loops { return {one_by_one<Op, T>::lane, one_by_one<Op, T>::places}; };
      switch (op) {
        case op_id::add: return of.template operator()<op_id::add>();
        case op_id::subtract: return of.template operator()<op_id::subtract>();
        case op_id::multiply: return of.template operator()<op_id::multiply>();
        case op_id::maximum: return of.template operator()<op_id::maximum>();
        case op_id::minimum: return of.template operator()<op_id::minimum>();
        default: return {};
      }
    }
  });
}

/// A binary loop over one dtype.
struct joiner {
  loop_fn loop;
  std::int64_t item;
  typed_loops typed;

  joiner(op_id op, dtype_id type) : item(size_of(type)), typed(typed_loops_of(op, type)) {
    const int l = numjit::detail::loop_over(op, type);
    if (l < 0) misfit();
    loop = loops().ufunc[static_cast<int>(op)][l];
  }
  /// to[i] = op(a[i], b[i]).
  void operator()(char* a, char* b, char* to, std::int64_t n) const {
    char* const data[] = {a, b, to};
    const std::int64_t steps[] = {item, item, item};
    loop(data, steps, n);
  }
  /// Running results of `start` and the elements of b, one after the other; to[0] may be `start`, with step 0.
  void in_turn(char* start, char* b, char* to, std::int64_t step_b, std::int64_t step_to, std::int64_t n) const {
    if (typed.lane) return typed.lane(start, b, to, step_b, step_to, n);
    for (std::int64_t i = 0; i < n; ++i, start = to, to += step_to, b += step_b) (*this)(start, b, to, 1);
  }
};

constexpr std::int64_t part = 1 << 17;  // elements between two questions

// ---- reduce ----

void infer_reduce(const op_call& call, inference& result) {
  const node *start = call.in[0].n(), *rows = call.in.size() > 1 ? call.in[1].n() : nullptr;
  const node* mask = call.in.size() > 2 ? call.in[2].n() : nullptr;
  if (!rows || rows->rank < 1 || rows->type != start->type || numjit::detail::loop_over(op_in(call.p()), start->type) < 0 ||
      !(without_axis(shape_of(rows), 0) == shape_of(start)) ||
      (mask && (mask->type != dtype_id::bool_ || !numjit::detail::same_shape(mask, rows))))
    misfit();
  result.type = start->type;
  result.shape = shape_of(start);
}

/// total = op(total, rows[0]), then rows[1], ...: n rows of `lanes` elements, `width` of them at a time. A mask skips
/// elements where it is false.
void join_rows(const joiner& join, char* total, char* rows, const bool* mask, std::int64_t n, std::int64_t lanes,
               std::int64_t first, std::int64_t width) {
  const std::int64_t item = join.item;
  char *const to = total + first * item, *const from = rows + first * item;
  if (!mask && lanes == 1) {
    return in_parts(
        n, part, [&](std::int64_t begin, std::int64_t end) { join.in_turn(to, from + begin * item, to, item, 0, end - begin); });
  }
  if (!mask) {
    for (std::int64_t i = 0; i < n; ++i) {
      if (i % 1024 == 1023) numjit::detail::check_interrupt();
      join(to, from + i * lanes * item, to, width);
    }
    return;
  }
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t k = 0; k < width; ++k) {
      char* const at = to + k * item;
      if (mask[i * lanes + first + k]) join(at, from + (i * lanes + k) * item, at, 1);
    }
}

/// One lane as a row of many, in any order.
void join_folded(const joiner& join, char* total, char* lane, std::int64_t n) {
  constexpr std::int64_t width = 2048;
  scratch row(width * join.item);
  std::int64_t left = std::min(width, n);
  std::memcpy(row.data(), lane, static_cast<std::size_t>(left * join.item));
  for (std::int64_t i = left; i < n; i += width)
    join(row.data(), lane + i * join.item, row.data(), std::min(width, n - i));
  for (; left > 1; left = (left + 1) / 2)
    join(row.data(), row.data() + (left + 1) / 2 * join.item, row.data(), left / 2);
  join(total, row.data(), total, 1);
}

void run_reduce(const routine_call& c) {
  const op_id op = op_in(c.params);
  const layout_view rows(c.in[1]);
  const std::int64_t n = rows.shape[0], lanes = c.result->size;
  const joiner join(op, c.result->type);
  copy_elements(layout_view(c.in[0]), layout_view(c.result));
  if (n == 0 || lanes == 0) return;
  check_values(op, rows);
  std::optional<scratch> row_memory, mask_memory;
  char* const from = contiguous_input(rows, row_memory).data;
  const bool* const kept =
      c.n_in > 2 ? reinterpret_cast<const bool*>(contiguous_input(layout_view(c.in[2]), mask_memory).data) : nullptr;
  if (lanes == 1 && !kept && facts_of(op).order_free) return join_folded(join, c.result->data, from, n);
  constexpr std::int64_t width = 512;
  numjit::detail::parallel_ranges((lanes + width - 1) / width, 1, ns_per_element * static_cast<double>(n * lanes),
                                  [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t k = begin * width; k < std::min(end * width, lanes); k += width)
      join_rows(join, c.result->data, from, kept, n, lanes, k, std::min(width, lanes - k));
  });
}

// ---- accumulate ----

int axis_in(const op_params& params, const node* n) {
  const std::int64_t axis = params[4];
  if (axis < 0 || axis >= n->rank) misfit();
  return static_cast<int>(axis);
}

void infer_accumulate(const op_call& call, inference& result) {
  const node* a = call.in[0].n();
  axis_in(call.p(), a);
  if (call.in.size() != 1 || numjit::detail::loop_over(op_in(call.p()), a->type) < 0) misfit();
  result.type = a->type;
  result.shape = shape_of(a);
}

void run_accumulate(const routine_call& c) {
  const int axis = axis_in(c.params, c.result);
  const op_id op = op_in(c.params);
  const joiner join(op, c.result->type);
  const layout_view from = moved_to_front(layout_view(c.in[0]), axis), to = moved_to_front(layout_view(c.result), axis);
  const std::int64_t n = from.shape[0], size = c.result->size;
  if (size == 0) return;
  const std::int64_t lanes = size / n, row = lanes * join.item;
  layout_view behind_first = from;
  behind_first.data += from.strides[0];
  behind_first.shape[0] = n - 1;
  check_values(op, behind_first);
  std::optional<scratch> value_memory, memory;
  if (!to.contiguous()) memory.emplace(size * join.item);
  char *const made = memory ? memory->data() : c.result->data, *const in = contiguous_input(from, value_memory).data;
  std::memcpy(made, in, static_cast<std::size_t>(row));
  if (lanes == 1)
    in_parts(n - 1, part, [&](std::int64_t begin, std::int64_t end) {
      join.in_turn(made + begin * row, in + (begin + 1) * row, made + (begin + 1) * row, row, row, end - begin);
    });
  constexpr std::int64_t width = 512;
  numjit::detail::parallel_ranges(lanes > 1 ? (lanes + width - 1) / width : 0, 1, ns_per_element * static_cast<double>(size),
                                  [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t k = begin * width; k < std::min(end * width, lanes); k += width)
      for (std::int64_t i = 1; i < n; ++i) {
        char* const place = made + i * row + k * join.item;
        join(place - row, in + i * row + k * join.item, place, std::min(width, lanes - k));
      }
  });
  if (memory) copy_elements(layout_view(made, to.type, to.shape), to);
}

// ---- reduceat ----

void infer_reduceat(const op_call& call, inference& result) {
  const node *a = call.in[0].n(), *cuts = call.in.size() > 1 ? call.in[1].n() : nullptr;
  const int axis = axis_in(call.p(), a);
  if (!cuts || cuts->rank != 1 || cuts->type != dtype_id::int64 || numjit::detail::loop_over(op_in(call.p()), a->type) < 0)
    misfit();
  result.type = a->type;
  result.shape = shape_of(a);
  result.shape[axis] = cuts->shape[0];
}

/// Joins rows [begin, end) of `lanes` elements, one at least.
class piece_joiner {
 public:
  piece_joiner(op_id op, dtype_id type) : join_(op, type), type_(type) {
    const auto reduction = reduction_by(op);
    if (!reduction) return;
    const int count = static_cast<int>(info(*reduction).loops.size());
    for (int l = 0; l < count && !kernels_; ++l) {
      const op_loop& loop = info(*reduction).loops[static_cast<std::size_t>(l)];
      if (loop.in[0] == type && loop.out == type) kernels_ = &loops().reduction(*reduction, l);
    }
  }
  std::int64_t item() const { return join_.item; }
  /// Can pieces of one length, one behind the other, be joined by one call?
  bool takes_many() const { return kernels_ && kernels_->accumulator == type_; }
  void many(char* first, std::int64_t n, std::int64_t pieces, char* to) const {
    kernels_->rows({first, item(), n * item(), n, pieces}, to);
  }
  void operator()(char* rows, std::int64_t n, std::int64_t lanes, char* to) const {
    const std::int64_t row = lanes * item();
    if (n == 1 || !kernels_) {
      std::memcpy(to, rows, static_cast<std::size_t>(row));
      if (lanes == 1) return join_.in_turn(to, rows + row, to, row, 0, n - 1);
      for (std::int64_t i = 1; i < n; ++i) join_(to, rows + i * row, to, lanes);
      return;
    }
    const row_block block{rows, row, item(), n, lanes};
    if (kernels_->accumulator == type_) return kernels_->rows(block, to);
    scratch wide(lanes * size_of(kernels_->accumulator));
    kernels_->rows(block, wide.data());
    char* const data[] = {wide.data(), to};
    const std::int64_t steps[] = {size_of(kernels_->accumulator), item()};
    cast_loop(kernels_->accumulator, type_)(data, steps, lanes);
  }

 private:
  joiner join_;
  dtype_id type_;
  const reduce_kernels* kernels_ = nullptr;
};

void run_reduceat(const routine_call& c) {
  const op_id op = op_in(c.params);
  const int axis = axis_in(c.params, c.in[0]);
  const layout_view from = moved_to_front(layout_view(c.in[0]), axis), to = moved_to_front(layout_view(c.result), axis);
  const std::int64_t n = from.shape[0], pieces = c.in[1]->size;
  std::optional<scratch> cut_memory, value_memory, memory;
  const auto* const cuts = reinterpret_cast<const std::int64_t*>(contiguous_input(layout_view(c.in[1]), cut_memory).data);
  numjit::detail::check_pieces(op, cuts, pieces, n);
  if (c.result->size == 0) return;
  check_values(op, from);
  const piece_joiner join(op, c.result->type);
  const std::int64_t lanes = c.result->size / pieces, row = lanes * join.item();
  char* const values = contiguous_input(from, value_memory).data;
  if (!to.contiguous()) memory.emplace(c.result->size * join.item());
  char* const made = memory ? memory->data() : c.result->data;
  numjit::detail::parallel_ranges(pieces, 64, static_cast<double>(from.size() + pieces * 8),
                                  [&](std::int64_t begin, std::int64_t end) {
    const auto length = [&](std::int64_t k) { return std::max<std::int64_t>((k + 1 < pieces ? cuts[k + 1] : n) - cuts[k], 1); };
    for (std::int64_t k = begin, alike = 1; k < end; k += alike) {
      const std::int64_t each = length(k);
      alike = 1;
      if (lanes == 1 && each > 1 && join.takes_many())
        while (k + alike < end && cuts[k + alike] == cuts[k] + alike * each && length(k + alike) == each) ++alike;
      if (alike > 1) join.many(values + cuts[k] * row, each, alike, made + k * row);
      else join(values + cuts[k] * row, each, lanes, made + k * row);
    }
  });
  if (memory) copy_elements(layout_view(made, to.type, to.shape), to);
}

// ---- at ----

/// The op's dtypes for a target and values: what infer() says of the call by itself.
inference call_of(op_id op, dtype_id target, const node* values) {
  const auto number = [](dtype_id type) { return array::adopt(numjit::detail::new_node(type, 0, nullptr)); };
  const array left = number(target), right = number(values ? values->type : target);
  inference found;
  if (values) infer({op, {left, right}}, found);
  else infer({op, operand(left)}, found);
  return found;
}

void infer_at(const op_call& call, inference& result) {
  const node *target = call.in[0].n(), *places = call.in.size() > 1 ? call.in[1].n() : nullptr;
  const node* values = call.in.size() > 2 ? call.in[2].n() : nullptr;
  const op_id op = op_in(call.p());
  if (!places || places->rank != 1 || places->type != dtype_id::int64 || info(op).arity != (values ? 2 : 1) ||
      (values && (values->rank != 1 || values->shape[0] != places->shape[0])))
    misfit();
  call_of(op, target->type, values);
  result.type = target->type;
  result.shape = shape_of(target);
}

/// One element through the casts that its types need.
class element_step {
 public:
  element_step(op_id op, dtype_id target, const node* values) : target_(target), call_(call_of(op, target, values)) {
    loop_ = loops().ufunc[static_cast<int>(op)][call_.loop];
    out_ = info(op).loops[static_cast<std::size_t>(call_.loop)].out;
    binary_ = values != nullptr;
  }
  /// dtype that values are to be of.
  dtype_id value_type() const { return call_.in_type[1]; }
  void operator()(char* at, char* value) {
    const bool cast_in = call_.in_type[0] != target_, cast_out = out_ != target_;
    char *from = at, *to = at;
    if (cast_in) cast(target_, call_.in_type[0], at, from = in_);
    if (cast_out) to = result_;
    char* const data[] = {from, binary_ ? value : to, to};
    const std::int64_t steps[] = {size_of(call_.in_type[0]), binary_ ? size_of(call_.in_type[1]) : size_of(out_), size_of(out_)};
    loop_(data, steps, 1);
    if (cast_out) cast(out_, target_, to, at);
  }

 private:
  static void cast(dtype_id from_type, dtype_id to_type, char* from, char* to) {
    char* const data[] = {from, to};
    const std::int64_t steps[] = {size_of(from_type), size_of(to_type)};
    cast_loop(from_type, to_type)(data, steps, 1);
  }

  dtype_id target_, out_{};
  inference call_;
  loop_fn loop_;
  bool binary_;
  alignas(16) char in_[16], result_[16];
};

/// Negative indices count from the end.
std::vector<std::int64_t> counted_from_start(const std::int64_t* indices, std::int64_t n, std::int64_t size) {
  std::vector<std::int64_t> places(indices, indices + n);
  for (std::int64_t& place : places) {
    if (place < -size || place >= size) numjit::detail::throw_out_of_bounds("index", place, 0, size);
    if (place < 0) place += size;
  }
  return places;
}

void run_at(const routine_call& c) {
  const op_id op = op_in(c.params);
  const std::int64_t n = c.in[1]->size, size = c.result->size, item = size_of(c.result->type);
  std::optional<scratch> place_memory;
  const auto* places = reinterpret_cast<const std::int64_t*>(contiguous_input(layout_view(c.in[1]), place_memory).data);
  const auto end = static_cast<std::uint64_t>(size);
  bool outside = false;  // negative places are large ones; a loop without branches
  for (std::int64_t i = 0; i < n; ++i) outside |= static_cast<std::uint64_t>(places[i]) >= end;
  std::vector<std::int64_t> counted;
  if (outside) counted = counted_from_start(places, n, size), places = counted.data();
  copy_elements(layout_view(c.in[0]), layout_view(c.result));
  element_step step(op, c.result->type, c.n_in > 2 ? c.in[2] : nullptr);
  if (c.n_in == 2) {
    for (std::int64_t i = 0; i < n; ++i) {
      numjit::detail::check_interrupt_at(i);
      step(c.result->data + places[i] * item, nullptr);
    }
    return;
  }
  const dtype_id type = step.value_type();
  const std::int64_t value_item = size_of(type);
  // Values that lie as they are wanted are read where they are, unless they are written on the way.
  std::optional<scratch> value_memory;
  layout_view right(c.in[2]);
  const bool apart = right.data + n * value_item <= c.result->data || c.result->data + size * item <= right.data;
  if (right.type == type && apart) {
    right = contiguous_input(right, value_memory);
  } else {
    value_memory.emplace(n * value_item);
    right = layout_view(value_memory->data(), type, dims{n});
    copy_elements(layout_view(c.in[2]), right);
  }
  char* const values = right.data;
  check_values(op, right);
  if (const typed_loops typed = typed_loops_of(op, type); typed.places && type == c.result->type)
    return in_parts(n, part, [&](std::int64_t begin, std::int64_t end) {
      typed.places(c.result->data, places + begin, values + begin * value_item, end - begin);
    });
  for (std::int64_t i = 0; i < n; ++i) {
    numjit::detail::check_interrupt_at(i);
    step(c.result->data + places[i] * item, values + i * value_item);
  }
}

[[maybe_unused]] const bool installed = [] {
  using numjit::detail::add_routine;
  constexpr auto params = numjit::detail::ufunc_routine_schema;
  const auto text = [](const op_params& p) {
    return std::string(info(op_in(p)).name) + "." + numjit::detail::find_routine(p[0])->name;
  };
  add_routine(routine_id::ufunc_reduce, {"reduce", params, 3, false, false, infer_reduce, run_reduce, true, text});
  add_routine(routine_id::ufunc_accumulate,
              {"accumulate", params, 1, false, false, infer_accumulate, run_accumulate, true, text});
  add_routine(routine_id::ufunc_reduceat, {"reduceat", params, 2, false, false, infer_reduceat, run_reduceat, true, text});
  add_routine(routine_id::ufunc_at, {"at", params, 3, false, false, infer_at, run_at, true, text});
  return true;
}();

}  // namespace
}  // namespace numjit::eager
