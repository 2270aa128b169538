// Values and calls between JavaScript and the core: reading, checking, giving back.
#include "rows.h"

#include <cmath>
#include <cstring>

#include <fmt/format.h>

#include <numjit/base/error.h>

namespace numjit::js {
namespace {

/// Numbers of JavaScript have no place in C++ code.
operand weak(const auto& v) { return operand(v, "", "", 0); }

/// A value in an error's words.
std::string words_of(const Value& v) {
  switch (v.tag) {
    case Tag::none: return v.null ? "null" : "nothing";
    case Tag::bool_: return v.number != 0 ? "true" : "false";
    case Tag::int_:
    case Tag::big_int: return std::to_string(v.integer);
    case Tag::float_: return fmt::format("{}", v.number);
    case Tag::text: return "'" + std::string(v.text) + "'";
    case Tag::array: return "an array";
    case Tag::list: return "a list";
    case Tag::slice: return "a slice";
    case Tag::dtype: return "a dtype";
    default: return "something else";
  }
}

[[noreturn]] void throw_wrong(const Value& got, const char* what, const char* expected) {
  throw TypeError("", fmt::format("{}: got {}, expected {}", what, words_of(got), expected));
}

bool is_whole(double v) { return std::isfinite(v) && v == std::floor(v) && std::fabs(v) < 0x1p63; }

void shape_of(const Value& v, dims& shape) {
  if (v.tag != Tag::list) return;
  shape.push_back(static_cast<std::int64_t>(v.items.size()));
  if (!v.items.empty()) shape_of(v.items[0], shape);
}

/// Leaves of nested lists in C order; all lists of one depth must be equally long.
void flatten(const Value& v, const dims& shape, int depth, std::vector<const Value*>& leaves) {
  if (v.tag != Tag::list) {
    if (depth != static_cast<int>(shape.size()))
      throw ValueError("array", "setting an array element with a sequence. The requested array has an inhomogeneous "
                                "shape after " + std::to_string(depth) + " dimensions.");
    leaves.push_back(&v);
    return;
  }
  if (depth >= static_cast<int>(shape.size()) || static_cast<std::int64_t>(v.items.size()) != shape[depth])
    throw ValueError("array", "setting an array element with a sequence. The requested array has an inhomogeneous "
                              "shape after " + std::to_string(depth) + " dimensions.");
  for (const Value& item : v.items) flatten(item, shape, depth + 1, leaves);
}

array array_of_list(Value& list) {
  dims shape;
  shape_of(list, shape);
  std::vector<const Value*> leaves;
  flatten(list, shape, 0, leaves);
  bool any_array = false, any_complex = false, any_float = false, all_bool = !leaves.empty();
  for (const Value* v : leaves) {
    any_array |= v->tag == Tag::array;
    any_complex |= v->tag == Tag::complex_;
    any_float |= v->tag == Tag::float_;
    all_bool &= v->tag == Tag::bool_;
    if (v->tag > Tag::array) throw_wrong(*v, "array", "numbers, arrays, or lists of them.");
  }
  if (any_array) {
    array_list parts;
    for (const Value* v : leaves) parts.push_back(const_cast<Value*>(v)->as_array());
    array joined = stack(parts, {}, {});
    dims whole = shape;
    for (int i = 1; i < joined.ndim(); ++i) whole.push_back(joined.shape(i));
    return reshape(operand(joined, "", "", 0), whole);
  }
  const std::size_t n = leaves.size();
  if (any_complex) {
    std::vector<std::complex<double>> values;
    for (const Value* v : leaves) values.emplace_back(v->number, v->imag);
    return from_values(std::span<const std::complex<double>>(values), shape);
  }
  if (any_float || n == 0) {
    std::vector<double> values;
    for (const Value* v : leaves) values.push_back(v->number);
    return from_values(std::span<const double>(values), shape);
  }
  std::vector<std::int64_t> values;
  for (const Value* v : leaves) values.push_back(v->integer);
  array whole = from_values(std::span<const std::int64_t>(values), shape);
  return all_bool ? whole.astype(numjit::bool_, {}) : whole;
}

}  // namespace

operand Value::as_operand() {
  switch (tag) {
    case Tag::bool_: return weak(integer != 0);
    case Tag::int_:
    case Tag::big_int: return weak(integer);
    case Tag::float_: return weak(number);
    case Tag::complex_: return weak(std::complex<double>(number, imag));
    case Tag::list:
      held = array_of_list(*this);
      tag = Tag::array;
      [[fallthrough]];
    case Tag::array: return operand(held, "", "", 0);
    default: throw_wrong(*this, "argument", "an array, a number, or a list of numbers.");
  }
}

array Value::as_array() {
  const operand o = as_operand();
  return o.is_array() ? array::share(o.n()) : asarray(o);
}

std::int64_t Value::as_integer(const char* what) const {
  if (tag == Tag::int_ || tag == Tag::big_int || tag == Tag::bool_) return integer;
  if (tag == Tag::array && held.size() == 1) {
    const numjit::detail::element_value v = numjit::detail::single_element(held, {});
    if (v.kind == 'i' || v.kind == 'b') return v.i;
    if (v.kind == 'u' && v.u <= INT64_MAX) return static_cast<std::int64_t>(v.u);
  }
  throw_wrong(*this, what, "an integer.");
}

double Value::as_number(const char* what) const {
  if (tag == Tag::float_) return number;
  if (tag == Tag::int_ || tag == Tag::big_int || tag == Tag::bool_) return static_cast<double>(integer);
  if (tag == Tag::array && held.size() == 1) {
    const numjit::detail::element_value v = numjit::detail::single_element(held, {});
    if (v.kind != 'c') return v.kind == 'f' ? v.re : v.kind == 'u' ? static_cast<double>(v.u) : static_cast<double>(v.i);
  }
  throw_wrong(*this, what, "a number.");
}

bool Value::as_bool() const {
  if (tag == Tag::float_) return number != 0;
  if (tag == Tag::array) return static_cast<bool>(held);
  return integer != 0;
}

dims Value::as_dims(const char* what) const {
  if (tag != Tag::list) return {as_integer(what)};
  dims list;
  for (const Value& v : items) list.push_back(v.as_integer(what));
  return list;
}

std::string Value::as_text(const char* what) const {
  if (tag != Tag::text) throw_wrong(*this, what, "a string.");
  return std::string(text);
}

dtype Value::as_dtype() const {
  if (tag == Tag::dtype) return dtype(type);
  for (int i = 0; tag == Tag::text && i < dtype_count; ++i)
    if (dtype(static_cast<dtype_id>(i)).name() == text) return static_cast<dtype_id>(i);
  throw_wrong(
      *this, "dtype",
      tag == Tag::int_ ? "a dtype or its name. Hint: the lengths of a shape stand in a list: [2, 3]." : "a dtype or its name.");
}

Value read_value(const Slot* slots, int count, int& at) {
  if (at >= count) throw InternalError("numjit", "a value is missing: the slots end before it.");
  const Slot& s = slots[at++];
  Value v;
  v.tag = s.tag;
  switch (s.tag) {
    case Tag::bool_:
      v.integer = s.number != 0;
      v.number = s.number;
      break;
    case Tag::int_:
      v.number = s.number;
      if (!is_whole(s.number)) v.tag = Tag::float_;
      else v.integer = static_cast<std::int64_t>(s.number);
      break;
    case Tag::big_int:
      v.integer = s.integer;
      v.number = static_cast<double>(s.integer);
      break;
    case Tag::float_: v.number = s.number; break;
    case Tag::complex_:
      v.number = s.number;
      v.imag = read_value(slots, count, at).number;
      break;
    case Tag::array: v.held = array::share(reinterpret_cast<node*>(s.extra)); break;
    case Tag::text: v.text = {reinterpret_cast<const char*>(s.extra), static_cast<std::size_t>(s.number)}; break;
    case Tag::dtype: v.type = static_cast<dtype_id>(s.extra); break;
    case Tag::slice:
      for (int i = 0; i < 3; ++i) v.items.push_back(read_value(slots, count, at));
      break;
    case Tag::list:
      v.items.reserve(static_cast<std::size_t>(s.extra));
      for (std::int32_t i = 0; i < s.extra; ++i) v.items.push_back(read_value(slots, count, at));
      break;
    default: break;
  }
  return v;
}

/// The n-th name in a function's parameters; empty behind the last.
static std::string_view name_in(std::string_view parameters, int n) {
  while (!parameters.empty()) {
    const std::string_view word = parameters.substr(0, parameters.find(' '));
    parameters.remove_prefix(std::min(word.size() + 1, parameters.size()));
    if (word == "=" || word == "*" || n-- > 0) continue;
    const std::string_view name = word.substr(word[0] == '*' ? 1 : 0);
    return name.substr(0, name.find('?'));
  }
  return {};
}

/// Null is None, which most parameters have when they are not given.
static void take(Value& parameter, Value&& given) {
  parameter = std::move(given);
  parameter.null = parameter.tag == Tag::newaxis;
  if (parameter.null) parameter.tag = Tag::none;
}

Call::Call(const char* function, const char* parameters, const Slot* slots, int count)
    : function_(function), parameters_(parameters) {
  values_.reserve(static_cast<std::size_t>(std::min(count, 8)));
  std::size_t given = 0;
  for (int at = 0; at < count;) {
    const bool is_named = slots[at].tag == Tag::key;
    const std::size_t place = is_named ? static_cast<std::size_t>(slots[at++].extra) : given++;
    if (place >= values_.size()) values_.resize(place + 1);
    take(values_[place], read_value(slots, count, at));
  }
}

std::string Call::name_of(int i) const { return std::string(name_in(parameters_, i)); }

Value& Call::operator[](int i) {
  if (!has(i)) throw TypeError(function_, "missing argument '" + name_of(i) + "'.");
  return values_[static_cast<std::size_t>(i)];
}

std::int64_t Call::integer(int i, std::int64_t otherwise) { return has(i) ? value(i).as_integer(name_of(i).c_str()) : otherwise; }
double Call::number(int i, double otherwise) { return has(i) ? value(i).as_number(name_of(i).c_str()) : otherwise; }
bool Call::flag(int i, bool otherwise) { return has(i) ? value(i).as_bool() : otherwise; }
std::optional<std::int64_t> Call::axis(int i) { return has(i) ? std::optional(value(i).as_integer("axis")) : std::nullopt; }
std::optional<std::int64_t> Call::axis_or(int i, std::int64_t otherwise) {
  return is_null(i) ? std::nullopt : std::optional(axis(i).value_or(otherwise));
}
axis_list Call::axes(int i) { return has(i) ? axis_list(value(i).as_dims("axis")) : axis_list(); }
optional_dtype Call::type(int i) { return has(i) ? optional_dtype(value(i).as_dtype()) : std::nullopt; }
array Call::array_or_none(int i) { return has(i) ? (*this)[i].as_array() : array::adopt(nullptr); }
array Call::mask(int i) {
  const bool all = has(i) && value(i).tag == Tag::bool_ && value(i).integer != 0;
  return all ? array::adopt(nullptr) : array_or_none(i);
}
operand Call::number_or_array(int i, double otherwise) { return has(i) ? (*this)[i].as_operand() : weak(otherwise); }
index_list Call::places(int i) {
  Value& v = (*this)[i];
  if (v.tag == Tag::int_) return v.as_integer(name_of(i).c_str());
  if (v.tag != Tag::list) return v.as_array();
  std::vector<std::int64_t> all;
  for (const Value& each : v.items) all.push_back(each.as_integer(name_of(i).c_str()));
  return all;
}
const char* Call::word(int i, const char* otherwise) {
  return has(i) ? words_.emplace_front(value(i).as_text(name_of(i).c_str())).c_str() : otherwise;
}
dims Call::shape(int i) { return (*this)[i].as_dims("shape"); }
array_list Call::arrays(int i) {
  Value& v = (*this)[i];
  array_list list;
  if (v.tag == Tag::list) {
    for (Value& item : v.items) list.push_back(item.as_array());
  } else {  // an array is the list of its rows
    const array whole = v.as_array();
    for (std::int64_t k = 0; k < whole.shape(0); ++k) list.push_back(whole(k));
  }
  return list;
}

reduce_options Call::reduced(const Places& p) {
  reduce_options o;
  o.axis = axes(1);
  o.dtype = type(p.dtype);
  o.out = array_or_none(p.out);
  o.keepdims = flag(p.keepdims);
  if (has(p.initial)) o.initial = (*this)[p.initial].as_operand();
  o.where = mask(p.where);
  return o;
}

var_options Call::spread(const Places& p) {
  const reduce_options r = reduced(p);
  var_options o{
      .axis = r.axis, .dtype = r.dtype, .out = r.out, .ddof = number(p.ddof, 0), .keepdims = r.keepdims, .where = r.where};
  if (has(p.mean)) o.mean = (*this)[p.mean].as_operand();
  if (has(p.correction)) o.correction = number(p.correction, 0);
  return o;
}

void check_lengths(const node* n) {
  if (n->is(node::unsized)) return;  // what stands there are names of lengths
  for (int axis = 0; axis < n->rank; ++axis)
    if (n->shape[axis] >= unsafe_length)
      throw ValueError("", fmt::format("shape: got {}, expected lengths below 2**53, which numbers of JavaScript tell apart.",
                                       n->shape[axis]));
}

void Result::add(array a) { slots.push_back({Tag::array, as_handle(std::move(a)), {0}}); }
void Result::add(bool v) { slots.push_back({Tag::bool_, 0, {v ? 1.0 : 0.0}}); }
void Result::add(double v) { slots.push_back({Tag::float_, 0, {v}}); }
void Result::add(std::int64_t v) {
  Slot s{Tag::big_int, 0, {0}};
  s.integer = v;
  slots.push_back(s);
}
void Result::add(const numjit::detail::element_value& v) {
  if (v.kind == 'b') return add(v.i != 0);
  if (v.kind == 'i') return add(v.i);
  if (v.kind == 'u') {
    add(static_cast<std::int64_t>(v.u));
    slots.back().extra = 1;  // unsigned
    return;
  }
  if (v.kind == 'c') slots.push_back({Tag::complex_, 0, {v.re}});
  add(v.kind == 'c' ? v.im : v.re);
}
void Result::add(std::string v) {
  texts.push_back(std::move(v));
  slots.push_back({Tag::text, static_cast<std::int32_t>(texts.size() - 1), {0}});
}

Result give(const std::vector<array>& list) {
  Result r;
  r.begin_list(list.size());
  for (const array& a : list) r.add(a);
  return r;
}
Result give(const dims& list) {
  Result r;
  r.begin_list(list.size());
  for (std::int64_t v : list) r.add(v);
  return r;
}

const std::vector<Function>& functions() {
  static const std::vector<Function>& table = *[] {
    auto* t = new std::vector<Function>;
    add_numeric(*t);
    add_shapes(*t);
    add_analysis(*t);
    add_random(*t);
    add_linalg(*t);
    add_transforms(*t);
    return t;
  }();
  return table;
}

}  // namespace numjit::js
