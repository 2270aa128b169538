// Dtype and shape of elementwise ops: NumPy's choice of loop, broadcasting, out= and where=.
#include <atomic>
#include <mutex>
#include <string>

#include <numjit/ops/promotion.h>
#include <numjit/ops/result_order.h>

namespace numjit {
namespace {

using t = dtype_id;

// ---- what an input is, for the choice of a loop ----------------------------------------------
// An input is one of 14 dtypes (Python's bool counts as bool) or a weak int, float or complex.
constexpr int weak_int = dtype_count, weak_float = weak_int + 1, weak_complex = weak_int + 2;
constexpr int class_count = dtype_count + 3;

int class_of(const operand& o) {
  switch (o.kind()) {
    case weak_kind::none: return static_cast<int>(o.n()->type);
    case weak_kind::bool_: return static_cast<int>(t::bool_);
    case weak_kind::int_: return weak_int;
    case weak_kind::float_: return weak_float;
    case weak_kind::complex_: return weak_complex;
  }
  return 0;
}

/// dtype of all inputs together; the dtype that weak inputs take.
dtype_id common_type(const int* classes, int n) {
  static constexpr weak_kind weak[] = {weak_kind::int_, weak_kind::float_, weak_kind::complex_};
  if (classes[0] < dtype_count && classes[0] == classes[n - 1] && (n < 3 || classes[0] == classes[1]))
    return static_cast<dtype_id>(classes[0]);
  dtype_id strong[3];
  std::size_t n_strong = 0;
  int weakest = 0;
  for (int i = 0; i < n; ++i) {
    if (classes[i] < dtype_count)
      strong[n_strong++] = static_cast<dtype_id>(classes[i]);
    else if (classes[i] > weakest)
      weakest = classes[i];
  }
  const dtype_id type = promote_types({strong, n_strong});
  return weakest ? weak_result_type(type, n_strong > 0, weak[weakest - weak_int]) : type;
}

// ---- NumPy's choice of a loop ----------------------------------------------------------------
// The rule: weak inputs take the dtype common to all inputs, then the first loop is taken that all
// inputs cast to safely. NumPy has four exceptions: op_promotion.

/// First loop whose inputs the given dtypes cast to under `rule`, among those with output `out`
/// (any if null); -1 if there is none.
int first_loop(const op_info& op, const dtype_id* types, casting rule = casting::safe,
               const dtype_id* out = nullptr) {
  for (std::size_t l = 0; l < op.loops.size(); ++l) {
    if (out && op.loops[l].out != *out) continue;
    bool fits = true;
    for (int i = 0; i < op.arity; ++i) fits = fits && can_cast(types[i], op.loops[l].in[i], rule);
    if (fits) return static_cast<int>(l);
  }
  return -1;
}

/// The dtype each input counts as.
void effective_types(op_id id, const int* classes, int n, dtype_id* types) {
  const op_promotion kind = facts_of(id).promotion;
  const int skip = kind == op_promotion::selection ? 1 : 0;
  const dtype_id common = common_type(classes + skip, n - skip);
  bool mixed = false, all_integers = true;
  for (int i = skip; i < n; ++i) {
    types[i] = classes[i] < dtype_count ? static_cast<dtype_id>(classes[i]) : common;
    mixed |= classes[i] != classes[skip];
    const char k = dtype(types[i]).kind();
    all_integers = all_integers && (k == 'b' || k == 'i' || k == 'u');
  }
  if (skip) types[0] = t::bool_;
  if ((kind == op_promotion::truth && mixed) || (kind == op_promotion::true_divide && all_integers))
    for (int i = 0; i < n; ++i) types[i] = kind == op_promotion::truth ? t::bool_ : t::float64;
}

int search_loop(op_id id, const int* classes) {
  const op_info& op = info(id);
  dtype_id types[3];
  effective_types(id, classes, op.arity, types);
  if (facts_of(id).promotion == op_promotion::no_bool) {
    bool all_bool = true;
    for (int i = 0; i < op.arity; ++i) all_bool = all_bool && types[i] == t::bool_;
    if (all_bool) return -1;
  }
  return first_loop(op, types);
}

// ---- tables ----------------------------------------------------------------------------------
// Loop by input classes, one table per op, filled when the op is first used. Arity 3 keeps one
// entry per dtype common to the inputs that share it, which is all its rows distinguish.

struct loop_table {
  std::atomic<bool> ready{false};
  std::int8_t loop[class_count * class_count]{};
};
constinit loop_table tables[op_count];
constinit std::mutex tables_mutex;

[[gnu::cold]] void fill_table(op_id id) {
  loop_table& table = tables[static_cast<int>(id)];
  const int arity = info(id).arity;
  std::lock_guard lock(tables_mutex);
  if (table.ready.load(std::memory_order_relaxed)) return;
  for (int a = 0; a < class_count; ++a) {
    for (int b = 0; b < (arity == 2 ? class_count : 1); ++b) {
      const int classes[3] = {a, arity == 2 ? b : a, a};
      table.loop[arity == 2 ? a * class_count + b : a] =
          static_cast<std::int8_t>(search_loop(id, classes));
    }
  }
  table.ready.store(true, std::memory_order_release);
}

const loop_table& table_of(op_id id) {
  loop_table& table = tables[static_cast<int>(id)];
  if (!table.ready.load(std::memory_order_acquire)) [[unlikely]] fill_table(id);
  return table;
}

// ---- errors ----------------------------------------------------------------------------------

std::string dtype_text(dtype_id type) {
  return "dtype('" + std::string(dtype(type).name()) + "')";
}

std::string class_text(int input_class) {
  static constexpr const char* names[class_count] = {
      "BoolDType",    "Int8DType",    "Int16DType",     "Int32DType",      "Int64DType",
      "UInt8DType",   "UInt16DType",  "UInt32DType",    "UInt64DType",     "Float16DType",
      "Float32DType", "Float64DType", "Complex64DType", "Complex128DType", "_PyLongDType",
      "_PyFloatDType", "_PyComplexDType"};
  return "<class 'numpy.dtypes." + std::string(names[input_class]) + "'>";
}

/// There is no loop: NumPy has five ways to say so. `forced`: dtype= was given.
[[noreturn, gnu::cold]] void throw_no_loop(const op_call& call, const int* classes) {
  const op_info& op = info(call.op);
  const std::string name(op.name);
  const bool forced = call.p().has_type();
  constexpr int bool_class = static_cast<int>(t::bool_);
  if (call.op == op_id::subtract &&
      (forced ? call.p().type() == t::bool_
              : classes[0] == bool_class && classes[1] == bool_class))
    throw TypeError(name, "numpy boolean subtract, the `-` operator, is not supported, use the "
                          "bitwise_xor, the `^` operator, or the logical_xor function instead.");
  if (call.op == op_id::negative && (!forced || call.p().type() == t::bool_))
    throw TypeError(name, "The numpy boolean negative, the `-` operator, is not supported, use the "
                          "`~` operator or the logical_not function instead.");
  const bool real_absolute = call.op == op_id::absolute && forced && classes[0] < dtype_count &&
                             dtype(static_cast<dtype_id>(classes[0])).kind() != 'c';
  if ((facts_of(call.op).promotion == op_promotion::no_bool && call.op != op_id::subtract) || real_absolute) {
    std::string inputs = class_text(classes[0]);
    if (op.arity == 2) inputs = '(' + inputs + ", " + class_text(classes[1]) + ')';
    throw TypeError(name, "ufunc '" + name + "' did not contain a loop with signature matching types " +
                              inputs + " -> " +
                              (forced ? class_text(static_cast<int>(call.p().type())) : "None"));
  }
  if (forced)
    throw TypeError(name, "No loop matching the specified signature and casting was found for ufunc " +
                              name);
  throw TypeError(name, "ufunc '" + name +
                            "' not supported for the input types, and the inputs could not be safely "
                            "coerced to any supported types according to the casting rule ''safe''");
}

[[noreturn, gnu::cold]] void throw_input_cast(const op_info& op, int input, dtype_id from,
                                              dtype_id to) {
  const std::string name(op.name);
  throw TypeError(name, "Cannot cast ufunc '" + name + "' input" +
                            (op.arity > 1 ? " " + std::to_string(input) : "") + " from " +
                            dtype_text(from) + " to " + dtype_text(to) +
                            " with casting rule 'same_kind'");
}

// ---- dtype= and literals ---------------------------------------------------------------------

/// dtype that NumPy names for a weak input that dtype= can't take.
dtype_id default_type(int input_class, dtype_id out) {
  if (input_class < dtype_count) return static_cast<dtype_id>(input_class);
  if (input_class == weak_int) return t::int64;
  if (input_class == weak_float) return t::float64;
  return out == t::float16 || out == t::float32 ? t::complex64 : t::complex128;
}

bool casts_same_kind(int input_class, dtype_id to) {
  const char kind = dtype(to).kind();
  switch (input_class) {
    case weak_int: return kind != 'b';
    case weak_float: return kind == 'f' || kind == 'c';
    case weak_complex: return kind == 'c';
    default: return can_cast(static_cast<dtype_id>(input_class), to, casting::same_kind);
  }
}

/// The loop with output dtype `out`: the first that the inputs cast to safely, else the one with
/// inputs of that dtype too, to which they must cast by 'same_kind'. -1 if there is neither.
int forced_loop(const op_call& call, const int* classes, dtype_id out) {
  const op_info& op = info(call.op);
  dtype_id types[3];
  effective_types(call.op, classes, op.arity, types);
  const int safe = first_loop(op, types, casting::safe, &out);
  if (safe >= 0) return safe;
  const dtype_id all_out[3] = {out, out, out};
  const int loop = first_loop(op, all_out, casting::no, &out);
  for (int i = 0; i < op.arity && loop >= 0; ++i)
    if (!casts_same_kind(classes[i], out))
      throw_input_cast(op, i, default_type(classes[i], out), out);
  return loop;
}

bool is_integer(dtype_id type) { return dtype(type).kind() == 'i' || dtype(type).kind() == 'u'; }

/// A comparison of integers with an integer that the other side's dtype can't hold: the loop in which
/// both sides are exact, so that the answer is the mathematical one, as in NumPy.
int exact_comparison(const op_call& call) {
  dtype_id types[2];
  const bool any_above = call.in[0].above_int64() || call.in[1].above_int64();
  for (int i = 0; i < 2; ++i) {
    const operand& o = call.in[i];
    if (o.is_array())
      types[i] = o.n()->type == t::uint64 || (any_above && dtype(o.n()->type).kind() == 'u')
                     ? t::uint64
                     : t::int64;
    else
      types[i] = o.above_int64() ? t::uint64 : t::int64;
  }
  return first_loop(info(call.op), types);
}

bool is_comparison(op_id op) { return group_of(op) == op_group::comparison; }

/// Range checks of integer literals against the chosen loop; may choose another (comparisons).
void check_literals(const op_call& call, int& loop) {
  const op_info& op = info(call.op);
  if (facts_of(call.op).promotion == op_promotion::selection) return;  // where() wraps literals
  for (int i = 0; i < op.arity; ++i) {
    const operand& literal = call.in[i];
    if (literal.kind() != weak_kind::int_) continue;
    dtype_id type = op.loops[loop].in[i];
    const bool beside_bool = op.arity == 2 && class_of(call.in[1 - i]) == static_cast<int>(t::bool_);
    if (type == t::bool_) type = t::int64;  // NumPy reads it so also where only its truth counts
    if (!is_integer(type) || literal_fits(literal, type)) continue;
    if (is_comparison(call.op) && !beside_bool) {
      loop = exact_comparison(call);
      return;
    }
    check_literal(op.name, literal, type);
  }
}

std::int64_t elements(const op_call& call) {
  for (const operand& o : call.in)
    if (o.is_array() && o.n()->size == 0) return 0;
  return 1;
}

/// Integers have no negative powers. Arrays of exponents are checked by the loop, which sees values.
void check_exponent(const op_call& call, dtype_id type) {
  const operand& exponent = call.in[1];
  if (!exponent.is_array() && is_integer(type) && !exponent.above_int64() &&
      exponent.int_value() < 0 && elements(call) != 0)
    throw ValueError("power", "Integers to negative integer powers are not allowed.");
}

// ---- shapes ----------------------------------------------------------------------------------

[[noreturn, gnu::cold]] void throw_not_broadcastable(const op_call& call) {
  dims shapes[5];
  int n = 0;
  for (const operand& o : call.in)
    shapes[n++] = o.is_array() ? dims(o.n()->shape, o.n()->rank) : dims();
  if (call.out) shapes[n++] = dims(call.out->shape, call.out->rank);
  if (call.where_mask) shapes[n++] = dims(call.where_mask->shape, call.where_mask->rank);
  broadcast_shapes(info(call.op).name, {shapes, static_cast<std::size_t>(n)});
  throw InternalError(std::string(info(call.op).name), "shapes broadcast only in one of two ways");
}

/// Broadcasts `n`'s shape into `shape`; false if they do not fit.
bool join(dims& shape, const node* n) {
  while (shape.size() < n->rank) shape.insert(0, 1);
  std::int64_t* end = shape.data() + shape.size() - n->rank;
  bool fits = true;
  for (int i = 0; i < n->rank; ++i) {
    const std::int64_t extent = n->shape[i];
    if (end[i] == 1)
      end[i] = extent;
    else
      fits &= extent == end[i] || extent == 1;
  }
  return fits;
}

[[gnu::noinline]] void broadcast_operands(const op_call& call, dims& shape) {
  const node* widest = nullptr;
  for (const operand& o : call.in)
    if (o.n() && (!widest || o.n()->rank > widest->rank)) widest = o.n();
  shape.assign(widest ? widest->shape : nullptr, widest ? widest->rank : 0);
  bool fits = true;
  for (const operand& o : call.in)
    if (o.n() && o.n() != widest) fits = fits && join(shape, o.n());
  if (call.out) fits = fits && join(shape, call.out);
  if (call.where_mask) fits = fits && join(shape, call.where_mask);
  if (!fits) throw_not_broadcastable(call);
  if (call.out && !(shape == dims(call.out->shape, call.out->rank)))
    throw ValueError(std::string(info(call.op).name),
                     "non-broadcastable output operand with shape " +
                         dims(call.out->shape, call.out->rank).compact_str() +
                         " doesn't match the broadcast shape " + shape.compact_str());
}

[[gnu::noinline]] void check_out_and_mask(const op_call& call, dtype_id type) {
  const std::string name(info(call.op).name);
  if (call.where_mask && call.where_mask->type != t::bool_)
    throw TypeError(name, "Cannot cast array data from " + dtype_text(call.where_mask->type) +
                              " to dtype('bool') according to the rule 'safe'");
  if (!call.out) return;
  if (!can_cast(type, call.out->type, casting::same_kind))
    throw TypeError(name, "Cannot cast ufunc '" + name + "' output from " + dtype_text(type) +
                              " to " + dtype_text(call.out->type) +
                              " with casting rule 'same_kind'");
  if (call.out->is(node::readonly)) throw ValueError(name, "output array is read-only");
}

}  // namespace

int choose_loop(const op_call& call, dtype_id* in_type) {
  const op_info& op = info(call.op);
  int classes[3];
  for (int i = 0; i < op.arity; ++i) classes[i] = class_of(call.in[i]);
  int loop;
  if (call.params && call.params->has_type()) {
    // Without an array beside it a literal is one of its default dtype.
    if (op.arity == 1) classes[0] = static_cast<int>(default_type(classes[0], t::float64));
    loop = forced_loop(call, classes, call.p().type());
  } else if (op.arity == 3) {
    const int skip = facts_of(call.op).promotion == op_promotion::selection ? 1 : 0;
    loop = table_of(call.op).loop[static_cast<int>(common_type(classes + skip, 3 - skip))];
  } else {
    loop = table_of(call.op)
               .loop[op.arity == 2 ? classes[0] * class_count + classes[1] : classes[0]];
  }
  if (loop < 0) [[unlikely]] throw_no_loop(call, classes);
  bool literals = false;
  for (int i = 0; i < op.arity; ++i) literals |= classes[i] == weak_int;
  if (literals) check_literals(call, loop);
  for (int i = 0; i < op.arity; ++i) in_type[i] = op.loops[loop].in[i];
  if (call.op == op_id::power) check_exponent(call, in_type[1]);
  return loop;
}

/// Elementwise ops. The result has the shape that all inputs, out= and where= broadcast to, the
/// output dtype of the loop (out= may have another, cast 'same_kind'), and the inputs' order in memory.
void infer_ufunc(const op_call& call, inference& result) {
  result.is_view = false;
  result.data_dependent = false;
  result.loop = choose_loop(call, result.in_type);
  result.type = info(call.op).loops[result.loop].out;
  if (!call.out && !call.where_mask) [[likely]] {
    const node* first = nullptr;
    bool same = true, c_order = true;
    for (const operand& o : call.in) {
      const node* n = o.n();
      if (!n || n->rank == 0) continue;
      c_order &= n->is(node::c_contiguous);
      if (!first)
        first = n;
      else
        same = same && detail::same_shape(first, n);
    }
    if (same) {
      result.shape.assign(first ? first->shape : nullptr, first ? first->rank : 0);
      if (!c_order) detail::keep_memory_order(call, result);
      return;
    }
  } else {
    check_out_and_mask(call, result.type);
  }
  broadcast_operands(call, result.shape);
  if (!call.out) detail::keep_memory_order(call, result);
}

}  // namespace numjit
