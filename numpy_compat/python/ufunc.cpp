// numjit.ufunc: one object per elementwise row of the op table, called through CPython's vectorcall.
#include <algorithm>
#include <cctype>
#include <cstddef>
#include <cstring>

#include "module.h"

#include <structmember.h>  // after Python.h

namespace numjit::py {

PyTypeObject* ufunc_type;
PyTypeObject* make_composite_type();  // quick_composites.cpp

namespace {

UfuncObject* self_of(PyObject* o) { return reinterpret_cast<UfuncObject*>(o); }
std::string name_of(op_id op) { return std::string(info(op).name); }
const char* name_of(casting rule) {
  switch (rule) {
    case casting::no: return "no";
    case casting::equiv: return "equiv";
    case casting::safe: return "safe";
    case casting::same_kind: return "same_kind";
    default: return "unsafe";
  }
}

}  // namespace

void check_output_cast(op_id op, dtype from, dtype to, casting rule) {
  if (can_cast(from.id(), to.id(), rule)) return;
  throw TypeError(name_of(op), "Cannot cast ufunc '" + name_of(op) + "' output from dtype('" + std::string(from.name()) +
                                   "') to dtype('" + std::string(to.name()) + "') with casting rule '" + name_of(rule) + "'");
}

namespace {

/// Options of a call that are not at their defaults.
struct Options {
  PyObject* out = nullptr;  // borrowed; null: none
  bool as_array = false;    // out=...: an array also where there would be a scalar
  array where;
  std::optional<dtype_id> type;
  PyObject* signature = nullptr;  // borrowed
  casting rule = casting::same_kind;
  char order = 'K';
};

casting parse_casting(PyObject* o) {
  if (!PyUnicode_Check(o)) throw TypeError("", std::string("casting must be str, not ") + Py_TYPE(o)->tp_name);
  const char* text = utf8(o);
  static constexpr std::pair<const char*, casting> names[] = {{"no", casting::no},
                                                              {"equiv", casting::equiv},
                                                              {"safe", casting::safe},
                                                              {"same_kind", casting::same_kind},
                                                              {"unsafe", casting::unsafe_}};
  for (auto [name, rule] : names)
    if (std::strcmp(text, name) == 0) return rule;
  throw ValueError("", std::string("casting must be one of 'no', 'equiv', 'safe', 'same_kind', 'unsafe' (got '") + text + "')");
}

void take_out(Options& o, PyObject* value, const UfuncObject* u) {
  if (PyTuple_Check(value)) {
    if (PyTuple_GET_SIZE(value) != 1)
      throw ValueError(name_of(u->op), "The 'out' tuple must have exactly one entry per ufunc output");
    value = PyTuple_GET_ITEM(value, 0);
    if (value == Py_Ellipsis)
      throw TypeError(name_of(u->op), "must use `...` as `out=...` and not per-operand/in a tuple");
  }
  if (value == Py_None) return;
  if (stands_for_number(value) || (!is_array(value) && !PyObject_CheckBuffer(value)))
    throw TypeError(name_of(u->op), "return arrays must be of ArrayType");
  o.out = value;
}

/// A signature that names no dtype at all says nothing.
void take_signature(Options& o, PyObject* value, const UfuncObject* u) {
  const bool is_tuple = PyTuple_Check(value);
  const Py_ssize_t n = is_tuple ? PyTuple_GET_SIZE(value) : 0;
  bool any = !is_tuple;
  for (Py_ssize_t i = 0; i < n; ++i) any |= PyTuple_GET_ITEM(value, i) != Py_None;
  if (any || n != u->arity + 1) o.signature = value;
}

void take_keyword(Options& o, PyObject* name, PyObject* value, const UfuncObject* u) {
  const char* key = utf8(name);
  if (std::strcmp(key, "out") == 0) {
    if (o.out) throw TypeError(name_of(u->op), "cannot specify 'out' as both a positional and keyword argument");
    if (value == Py_Ellipsis)
      o.as_array = true;
    else
      take_out(o, value, u);
  } else if (std::strcmp(key, "where") == 0) {
    if (value == Py_True) return;
    o.where = to_mask(value);
  } else if (std::strcmp(key, "dtype") == 0) {
    if (value == Py_None) return;
    if (o.signature) throw TypeError(name_of(u->op), "cannot specify both 'signature' and 'dtype'");
    o.type = to_dtype(value);
  } else if (std::strcmp(key, "casting") == 0) {
    o.rule = parse_casting(value);
  } else if (std::strcmp(key, "order") == 0) {
    o.order = parse_order(value, 'K');
  } else if (std::strcmp(key, "subok") == 0) {  // there are no subclasses
  } else if (std::strcmp(key, "signature") == 0 || std::strcmp(key, "sig") == 0) {
    if (value == Py_None) return;
    if (o.type) throw TypeError(name_of(u->op), "cannot specify both 'signature' and 'dtype'");
    if (o.signature) throw TypeError(name_of(u->op), "cannot specify both 'sig' and 'signature'");
    take_signature(o, value, u);
  } else {
    PyErr_Format(PyExc_TypeError, "%s() got an unexpected keyword argument '%s'", name_of(u->op).c_str(), key);
    throw ErrorSet();
  }
}

[[noreturn]] void throw_input_cast(op_id op, int place, int inputs, dtype_id from, dtype_id to, casting rule) {
  throw TypeError(name_of(op), "Cannot cast ufunc '" + name_of(op) + "' input" + (inputs > 1 ? " " + std::to_string(place) : "") +
                                   " from dtype('" + std::string(dtype(from).name()) + "') to dtype('" +
                                   std::string(dtype(to).name()) + "') with casting rule '" + name_of(rule) + "'");
}

array compute(const UfuncObject* u, const operand_list& in, const Options& o, node* out) {
  op_params params;
  if (o.type) params.type(*o.type);
  if (out) detail::settle_pending();
  std::int64_t work = 0;
  for (const operand& a : in) work = std::max(work, work_of(a));
  MaybeUnlocked unlocked(work);
  return bind({u->op, in, o.type ? &params : nullptr, out, o.where.empty_handle() ? nullptr : o.where.get(), {}});
}

array as_concrete(const operand& a) { return a.is_array() ? array::share(a.n()) : array(a, {}); }
/// bool, integers, floats, complex: a literal goes without loss to a dtype of its own kind or a wider one.
int kind_rank(dtype_id type) {
  switch (dtype(type).kind()) {
    case 'b': return 0;
    case 'i':
    case 'u': return 1;
    case 'f': return 2;
    default: return 3;
  }
}
int kind_rank(const operand& literal) { return static_cast<int>(literal.kind()) - static_cast<int>(weak_kind::bool_); }

/// The dtype of an input; of a literal the one that it has by itself.
dtype_id type_of(const operand& a) {
  if (a.is_array()) return a.n()->type;
  static constexpr dtype_id own[] = {dtype_id::bool_, dtype_id::int64, dtype_id::float64, dtype_id::complex128};
  return own[kind_rank(a)];
}

/// 'equiv' wants literals in the dtype that they have by themselves; comparisons take integers of any.
void check_literal(const UfuncObject* u, const operand& a, dtype_id to) {
  const dtype_id own = type_of(a);
  const bool integers = own == dtype_id::int64 && (dtype(to).kind() == 'i' || dtype(to).kind() == 'u');
  if (own == to || own == dtype_id::bool_ || (integers && compares(u->op))) return;
  static constexpr const char* names[] = {"bool", "int", "float", "complex"};
  throw TypeError(name_of(u->op), std::string("cannot cast Python ") + names[kind_rank(a)] + " to " +
                                      std::string(dtype(to).name()) + " under the casting rule 'equiv'");
}

bool gives_bool(const UfuncObject* u) {
  return std::ranges::all_of(info(u->op).loops,
                             [](const op_loop& loop) { return loop.out == dtype_id::bool_; });
}

/// An integer of Python beside integers: compared by value, without a cast.
bool compares_integers(const UfuncObject* u, const operand_list& in) {
  if (!compares(u->op) || in[0].is_array() == in[1].is_array()) return false;
  const operand &literal = in[0].is_array() ? in[1] : in[0],
                &other = in[0].is_array() ? in[0] : in[1];
  const char kind = dtype(type_of(other)).kind();
  return literal.kind() == weak_kind::int_ && (kind == 'i' || kind == 'u');
}

/// Under the rules stricter than NumPy's default, inputs are checked too. NumPy's logical
/// operations have a loop for each dtype.
void check_inputs(const UfuncObject* u, const operand_list& in, const Options& o) {
  if (facts_of(u->op).promotion == op_promotion::truth) return;
  if (compares_integers(u, in)) return;
  // Numbers of Python are looked at first.
  const auto is_weak = [&](const operand& a) {
    return !a.is_array() && in.size() > 1 && type_of(a) != dtype_id::bool_;
  };
  const auto check_literals = [&](const auto& type_at) {
    for (std::size_t i = 0; i < in.size() && o.rule == casting::equiv; ++i)
      if (is_weak(in[i]) && kind_rank(in[i]) <= kind_rank(type_at(i)))
        check_literal(u, in[i], type_at(i));
  };
  const auto has_loop = [&](dtype_id type) {
    return std::ranges::any_of(info(u->op).loops, [type](const op_loop& loop) {
      return loop.in[0] == type && loop.out == type;
    });
  };
  op_params params;
  if (o.type) params.type(*o.type);
  if (o.type && has_loop(*o.type)) check_literals([&](std::size_t) { return *o.type; });
  inference found;
  infer({u->op, in, &params}, found);
  check_literals([&](std::size_t i) { return found.in_type[i]; });
  for (std::size_t i = 0; i < in.size(); ++i) {
    const dtype_id from = type_of(in[i]), to = found.in_type[i];
    const bool weak = is_weak(in[i]);
    if (weak ? kind_rank(in[i]) > kind_rank(to) : !can_cast(from, to, o.rule))
      throw_input_cast(u->op, static_cast<int>(i), static_cast<int>(in.size()), from, to, o.rule);
  }
}

dtype_id type_of_letter(char letter) {
  try {
    return to_dtype(nb::steal(PyUnicode_FromStringAndSize(&letter, 1)).ptr());
  } catch (const TypeError&) {
    throw ValueError("", "Invalid data-type for array");
  }
}

/// dtypes of signature=, 'dd->d' or a tuple in which None stands for any.
std::vector<std::optional<dtype_id>> types_of_signature(const UfuncObject* u, PyObject* signature) {
  const std::size_t count = static_cast<std::size_t>(u->arity) + 1;
  std::vector<std::optional<dtype_id>> types;
  if (PyUnicode_Check(signature)) {
    const std::string_view text = utf8(signature);
    for (char c : text)
      if (c != '-' && c != '>' && c != ' ') types.push_back(type_of_letter(c));
    if (types.size() == 1) throw TypeError("", "Use `dtype` or  fill the tuple with more than one 'None'.");
    if (types.size() != count || text.find("->") == std::string_view::npos)
      throw ValueError("", "a type-string for " + name_of(u->op) + ", " + std::to_string(u->arity) +
                               " typecode(s) before and 1 after the -> sign");
  } else if (PyBytes_Check(signature)) {
    const nb::object text = nb::steal(PyUnicode_DecodeASCII(PyBytes_AS_STRING(signature), PyBytes_GET_SIZE(signature), nullptr));
    if (!text.is_valid()) throw ErrorSet();
    return types_of_signature(u, text.ptr());
  } else if (PyTuple_Check(signature)) {
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(signature); ++i)
      types.push_back(to_optional_dtype(PyTuple_GET_ITEM(signature, i)));
    if (types.size() == 1)
      throw TypeError("", types[0] ? "Use `dtype` or  fill the tuple with more than one 'None'."
                                   : "a single item type tuple cannot contain None.");
    if (types.size() != count)
      throw ValueError(
          "", "a type-tuple must be specified of length " + std::to_string(count) + " for ufunc '" + name_of(u->op) + "'");
  } else {
    throw TypeError("", "the signature object to ufunc must be a string or a tuple.");
  }
  return types;
}
const op_loop& loop_of_signature(const UfuncObject* u, PyObject* signature) {
  const auto types = types_of_signature(u, signature);
  for (const auto& loop : info(u->op).loops) {
    bool fits = !types.back() || *types.back() == loop.out;
    for (int i = 0; i < u->arity; ++i)
      fits &= !types[static_cast<std::size_t>(i)] || *types[static_cast<std::size_t>(i)] == loop.in[i];
    if (fits) return loop;
  }
  throw TypeError("", "No loop matching the specified signature and casting was found for ufunc " + name_of(u->op));
}

PyObject* call_with_options(const UfuncObject* u, const operand_list& in, Options& o);

PyObject* call_with_signature(const UfuncObject* u, const operand_list& in, Options& o) {
  const op_loop& loop = loop_of_signature(u, o.signature);
  o.signature = nullptr;
  array cast[3];
  std::vector<operand> inputs;
  for (std::size_t i = 0; i < in.size(); ++i) {
    const dtype_id to = loop.in[i];
    array a = as_concrete(in[i]);
    const bool weak_fits = !in[i].is_array() && kind_rank(in[i]) <= kind_rank(to);
    if (!weak_fits && !can_cast(a.dtype().id(), to, o.rule))
      throw_input_cast(u->op, static_cast<int>(i), static_cast<int>(in.size()), a.dtype().id(), to, o.rule);
    cast[i] = a.dtype().id() == to ? a : a.astype(dtype(to), {});
    inputs.push_back(operand_of(cast[i]));
  }
  return call_with_options(u, operand_list(inputs.data(), inputs.size()), o);
}

/// Is the result to be in Fortran order?
bool falls(const operand_list& in, char order) {
  if (order != 'A') return order == 'F';
  bool all = false;
  for (const operand& a : in)
    if (a.is_array() && a.n()->rank > 1) {
      if (!array::share(a.n()).is_f_contiguous() || a.n()->is(node::c_contiguous)) return false;
      all = true;
    }
  return all;
}

/// The result of an operation that nobody else has, in C's or in Fortran's order.
array in_order(const array& a, char order) {
  return a.get()->is(order == 'F' ? node::f_contiguous : node::c_contiguous) ? a : copy(operand_of(a), order);
}

PyObject* call_with_options(const UfuncObject* u, const operand_list& in, Options& o) {
  if (o.signature) return call_with_signature(u, in, o);
  if (o.rule == casting::unsafe_ && o.type && !gives_bool(u)) {
    const dtype_id to = *o.type;
    const auto cast_first = [&](const operand& a) {
      return a.is_array() ? !can_cast(a.n()->type, to, casting::same_kind) : kind_rank(a) > kind_rank(to);
    };
    bool any = false;
    for (const operand& a : in) any |= cast_first(a);
    if (any) {
      std::vector<operand> inputs;
      array cast[3];
      for (std::size_t i = 0; i < in.size(); ++i) {
        if (cast_first(in[i])) cast[i] = as_concrete(in[i]).astype(dtype(to), {});
        inputs.push_back(cast[i].empty_handle() ? in[i] : operand_of(cast[i]));
      }
      return call_with_options(u, operand_list(inputs.data(), inputs.size()), o);
    }
  }
  if (o.rule < casting::same_kind) check_inputs(u, in, o);
  if (!o.out) {  // where the mask is false, NumPy leaves elements undefined
    array result = compute(u, in, o, nullptr);
    if (o.order != 'K') result = in_order(result, falls(in, o.order) ? 'F' : 'C');
    return o.as_array ? wrap(std::move(result)) : wrap_result(std::move(result));
  }
  array target = to_array(o.out);
  if (!target.writeable()) throw ValueError(name_of(u->op), "output array is read-only");
  if (o.rule == casting::same_kind || u->op == op_id::where) {
    compute(u, in, o, target.get());
    return Py_NewRef(o.out);
  }
  array value = compute(u, in, o, nullptr);
  check_output_cast(u->op, value.dtype(), target.dtype(), o.rule);
  copyto(target, operand_of(value.dtype() == target.dtype() ? value : value.astype(target.dtype(), {})), o.where);
  return Py_NewRef(o.out);
}

/// OverflowError for integers beyond 64 bits, but in comparisons and beside a number that is no
/// integer: then they are floats.
void refuse_huge(const UfuncObject* u, std::initializer_list<const Argument*> operands) {
  if (compares(u->op)) return;
  char kind = 'i';
  for (const Argument* x : operands) {
    const bool chooses = u->op == op_id::where && x == *operands.begin();
    if (chooses || !x->is_set() || x->is_huge()) continue;
    const operand& value = x->get();
    const char own = dtype(type_of(value)).kind();
    if (own == 'f' || own == 'c') kind = own;
  }
  for (const Argument* x : operands) x->refuse_huge(kind);
}

/// With `held` inputs, whatever the user's code in options and conversions does, and other threads do.
template <bool held>
PyObject* call_of(const UfuncObject* u, PyObject* const* args, Py_ssize_t n, PyObject* names) {
  return guarded([&]() -> PyObject* {
    Argument a, b, c;
    const auto take = [](Argument& to, PyObject* o) {
      if (!held && is_array(o))
        to.borrow(o);
      else
        to.set(o);
    };
    take(a, args[0]);
    if (u->arity > 1) take(b, args[1]);
    if (u->arity > 2) take(c, args[2]);
    if (a.is_huge() || b.is_huge() || c.is_huge()) [[unlikely]] {
      refuse_huge(u, {&a, &b, &c});
    }
    if (n == u->arity && !names) [[likely]] {
      if constexpr (!held)
        return wrap_result(u->arity == 1   ? bind_ufunc(u->op, a.get())
                           : u->arity == 2 ? bind_ufunc(u->op, a.get(), b.get())
                                           : bind({u->op, {a.get(), b.get(), c.get()}}));
      array result;
      {
        MaybeUnlocked unlocked(std::max(work_of(a), u->arity > 1 ? work_of(b) : 0));
        result = u->arity == 1   ? bind({u->op, {a.get()}})
                 : u->arity == 2 ? bind({u->op, {a.get(), b.get()}})
                                 : bind({u->op, {a.get(), b.get(), c.get()}});
      }
      return wrap_result(std::move(result));
    }
    Options o;
    if (n > u->arity && args[u->arity] == Py_Ellipsis)
      throw TypeError(name_of(u->op), "out=... is only allowed as a keyword argument.");
    if (n > u->arity) take_out(o, args[u->arity], u);
    for (Py_ssize_t i = 0; names && i < PyTuple_GET_SIZE(names); ++i)
      take_keyword(o, PyTuple_GET_ITEM(names, i), args[n + i], u);
    if (u->arity == 1) return call_with_options(u, a.get(), o);
    if (u->arity == 2) return call_with_options(u, {a.get(), b.get()}, o);
    return call_with_options(u, {a.get(), b.get(), c.get()}, o);
  });
}

/// What NumPy gives, if an operand is of another library; NotImplemented: none is.
[[gnu::noinline]] PyObject* ask_others(PyObject* callable, PyObject* const* args, Py_ssize_t count, PyObject* names) {
  for (Py_ssize_t i = 0; i < count; ++i)
    if (refuses_ufuncs(args[i]))
      return PyErr_Format(PyExc_TypeError, "operand '%s' does not support ufuncs (__array_ufunc__=None)",
                          Py_TYPE(args[i])->tp_name);
  return any_foreign(args, count, names) ? call_numpy(info(self_of(callable)->op).name, args, count, names)
                                         : Py_NewRef(Py_NotImplemented);
}

PyObject* vector_call(PyObject* callable, PyObject* const* args, std::size_t flagged, PyObject* names) {
  const UfuncObject* u = self_of(callable);
  const Py_ssize_t n = PyVectorcall_NARGS(flagged);
  if (n < u->arity || n > u->arity + 1)
    return PyErr_Format(PyExc_TypeError, "%s() takes from %d to %d positional arguments but %zd %s given", name_of(u->op).c_str(),
                        u->arity, u->arity + 1, n, n == 1 ? "was" : "were");
  bool simple = true;
  for (Py_ssize_t i = 0, all = n + (names ? PyTuple_GET_SIZE(names) : 0); i < all; ++i)
    simple = simple && (is_simple(args[i]) || args[i] == Py_None);
  if (!simple) [[unlikely]] {
    PyObject* made = ask_others(callable, args, n, names);
    if (made != Py_NotImplemented) return made;
    Py_DECREF(made);
  }
  return simple ? call_of<false>(u, args, n, names) : call_of<true>(u, args, n, names);
}

PyObject* repr(PyObject* o) { return unicode("<ufunc '" + name_of(self_of(o)->op) + "'>"); }
PyObject* get_name(PyObject* o, void*) {  // those of classes in Python stand for no row
  return Py_TYPE(o) == ufunc_type ? unicode(name_of(self_of(o)->op)) : PyObject_GetAttrString(o, "_name");
}
PyObject* get_doc(PyObject* o, void*) {
  const op_info& i = info(self_of(o)->op);
  static constexpr const char* inputs[] = {"", "x", "x1, x2", "x1, x2, x3"};
  return unicode(std::string(i.name) + "(" + inputs[i.arity] +
                 ", /, out=None, *, where=True, casting='same_kind', order='K', dtype=None, subok=True[, signature])\n\n" +
                 std::string(i.doc));
}
PyObject* get_nin(PyObject* o, void*) { return PyLong_FromLong(self_of(o)->arity); }
PyObject* get_nout(PyObject*, void*) { return PyLong_FromLong(1); }
PyObject* get_nargs(PyObject* o, void*) { return PyLong_FromLong(self_of(o)->arity + 1); }
/// Loops as 'dd->d'. Those of long are long long's as well, C's other name of the same integers, and stand behind them.
std::vector<std::string> texts_of_loops(const UfuncObject* u) {
  const auto long_long = [](std::string text) {
    std::replace(text.begin(), text.end(), 'l', 'q');
    std::replace(text.begin(), text.end(), 'L', 'Q');
    return text;
  };
  std::vector<std::string> texts, again;
  for (const auto& loop : info(u->op).loops) {
    const char first = dtype(loop.in[0]).character();
    if (first != 'l' && first != 'L') {
      for (const std::string& text : again) texts.push_back(long_long(text));
      again.clear();
    }
    std::string text;
    for (int i = 0; i < u->arity; ++i) text += dtype(loop.in[i]).character();
    texts.push_back(text + "->" + dtype(loop.out).character());
    if (first == 'l' || first == 'L') again.push_back(texts.back());
  }
  for (const std::string& text : again) texts.push_back(long_long(text));
  return texts;
}

PyObject* get_types(PyObject* o, void*) {
  const std::vector<std::string> texts = texts_of_loops(self_of(o));
  PyObject* list = PyList_New(static_cast<Py_ssize_t>(texts.size()));
  for (std::size_t l = 0; list && l < texts.size(); ++l) PyList_SET_ITEM(list, static_cast<Py_ssize_t>(l), unicode(texts[l]));
  return list;
}
PyObject* get_ntypes(PyObject* o, void*) { return PyLong_FromSize_t(texts_of_loops(self_of(o)).size()); }
PyObject* get_signature(PyObject*, void*) { Py_RETURN_NONE; }
/// dtypes of the loop for inputs, and of its result: (x1, x2) -> (dtype, dtype, dtype).
PyObject* loop_dtypes(PyObject* o, PyObject* args) {
  return guarded([&] {
    const UfuncObject* u = self_of(o);
    Argument given[3];
    std::vector<operand> in;
    for (int i = 0; i < u->arity; ++i) given[i].set(PyTuple_GetItem(args, i));
    for (int i = 0; i < u->arity; ++i) in.push_back(given[i].get());
    op_params params;
    inference found;
    infer({u->op, operand_list(in.data(), in.size()), &params}, found);
    PyObject* made = PyTuple_New(u->arity + 1);
    for (int i = 0; made && i < u->arity; ++i)
      PyTuple_SET_ITEM(made, i, Py_NewRef(dtype_object(found.in_type[static_cast<std::size_t>(i)])));
    if (made) PyTuple_SET_ITEM(made, u->arity, Py_NewRef(dtype_object(found.type)));
    return made;
  });
}
PyObject* reduce(PyObject* o, PyObject*) {  // by name, as functions are
  PyObject* module = PyImport_ImportModule("numjit._composites");
  PyObject* made = module ? Py_BuildValue("N(N)", PyObject_GetAttrString(module, "named"), get_name(o, nullptr)) : nullptr;
  Py_XDECREF(module);
  return made;
}

PyGetSetDef attributes[] = {
    {"__name__", get_name, nullptr, nullptr, nullptr},
    {"__qualname__", get_name, nullptr, nullptr, nullptr},
    {"__doc__", get_doc, nullptr, nullptr, nullptr},
    {"nin", get_nin, nullptr, "Number of inputs.", nullptr},
    {"nout", get_nout, nullptr, "Number of outputs.", nullptr},
    {"nargs", get_nargs, nullptr, "Number of inputs and outputs.", nullptr},
    {"types", get_types, nullptr, "Loops, as 'dd->d'.", nullptr},
    {"ntypes", get_ntypes, nullptr, "Number of loops.", nullptr},
    {"signature", get_signature, nullptr, "None: the core is a scalar.", nullptr},
    {},
};
PyObject* new_ufunc(PyTypeObject*, PyObject*, PyObject*) {
  PyErr_SetString(PyExc_TypeError, "cannot create 'numjit.ufunc' instances");
  return nullptr;
}

PyMethodDef methods[] = {{"__reduce__", reduce, METH_NOARGS, nullptr},
                         {"_loop_dtypes", loop_dtypes, METH_VARARGS, nullptr},
                         {}};
PyMemberDef members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(UfuncObject, call), READONLY, nullptr},
    {},
};
PyType_Slot slots[] = {
    {Py_tp_call, reinterpret_cast<void*>(PyVectorcall_Call)},
    {Py_tp_repr, reinterpret_cast<void*>(repr)},
    {Py_tp_getset, attributes},
    {Py_tp_members, members},
    {Py_tp_methods, methods},
    {Py_tp_new, reinterpret_cast<void*>(new_ufunc)},
    {0, nullptr},
};
PyType_Spec spec = {"numjit.ufunc", sizeof(UfuncObject), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_VECTORCALL,
                    slots};

void add(nb::dict& to, op_id op, int arity) {
  auto* o = PyObject_New(UfuncObject, ufunc_type);
  if (!o) nb::raise_python_error();
  o->call = vector_call;
  o->op = op;
  o->arity = arity;
  to[name_of(op).c_str()] = nb::steal(reinterpret_cast<PyObject*>(o));
}

}  // namespace

void make_ufunc_type(Module& m) {
  ufunc_type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&spec));
  if (!ufunc_type) nb::raise_python_error();
  m.attr("ufunc") = nb::borrow(reinterpret_cast<PyObject*>(ufunc_type));
  m.attr("composite_ufunc") = nb::steal(reinterpret_cast<PyObject*>(make_composite_type()));
  nb::dict ufuncs, special, aliases, reductions, argreductions, scans;
#define UFUNC1(name, ...) add(ufuncs, op_id::name, 1);
#define UFUNC2(name, ...) add(ufuncs, op_id::name, 2);
#define UFUNC3(name, ...) add(ufuncs, op_id::name, 3);
#define SPECIAL1(name, ...) add(special, op_id::name, 1);
#define POWER1(...)
#define LINEAR2(...)
#define ALIAS(alias, target) aliases[#alias] = #target;
#define REDUCTION(name, ufunc, loops, neutral, doc, ...) reductions[#name] = doc;
#define ARGREDUCTION(name, ufunc, loops, neutral, doc, ...) argreductions[#name] = doc;
#define SCAN(name, ufunc, loops, doc, ...) scans[#name] = doc;
#include <numjit/ops/all_rows.inc>
  m.attr("ufuncs") = ufuncs;
  m.attr("special_ufuncs") = special;
  m.attr("aliases") = aliases;
  m.attr("reductions") = reductions;
  m.attr("argreductions") = argreductions;
  m.attr("scans") = scans;
}

}  // namespace numjit::py
