// dtypes as values: promotion, casting, names, limits.
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include <surface.h>

namespace numjit {

dtype promote_types(dtype a, dtype b) { return promote_types(a.id(), b.id()); }
dtype result_type(const operand& a, const operand& b) {
  const operand all[] = {a, b};
  return result_type(all);
}
dtype result_type(const operand& a, const operand& b, const operand& c) {
  const operand all[] = {a, b, c};
  return result_type(all);
}

bool can_cast(dtype from, dtype to, const char* rule) {
  static constexpr std::pair<std::string_view, casting> rules[] = {{"no", casting::no},
                                                                   {"equiv", casting::equiv},
                                                                   {"safe", casting::safe},
                                                                   {"same_kind", casting::same_kind},
                                                                   {"unsafe", casting::unsafe_}};
  for (const auto& [name, r] : rules)
    if (name == rule) return can_cast(from.id(), to.id(), r);
  throw ValueError("can_cast",
                   "casting must be one of 'no', 'equiv', 'safe', 'same_kind', "
                   "'unsafe' (got '" +
                       std::string(rule) + "')");
}

void detail::check_cast(const char* op, const array& from, dtype to, const char* rule) {
  if (can_cast(from.dtype(), to, rule)) return;
  throw TypeError(op, std::string("Cannot cast ") + (from.ndim() ? "array data" : "scalar") + " from dtype('" +
                          std::string(from.dtype().name()) + "') to dtype('" + std::string(to.name()) +
                          "') according to the rule '" + rule + "'");
}

dtype dtype_of(std::string_view name) {
  std::string_view bare = name;
  if (!bare.empty() && (bare[0] == '<' || bare[0] == '|' || bare[0] == '=')) bare.remove_prefix(1);
  for (int i = 0; i < dtype_count; ++i) {
    const detail::dtype_info& d = detail::dtype_table[i];
    if (bare == d.name || bare == d.descr.substr(1) || (bare.size() == 1 && bare[0] == d.character))
      return static_cast<dtype_id>(i);
  }
  static constexpr std::pair<std::string_view, dtype> aliases[] = {
      {"int", int64},    {"float", float64}, {"complex", complex128}, {"double", float64}, {"single", float32},
      {"half", float16}, {"intp", int64},    {"uint", uint64},        {"byte", int8},      {"ubyte", uint8},
      {"short", int16},  {"ushort", uint16}, {"bool_", bool_},        {"q", int64},        {"Q", uint64}};
  for (const auto& [alias, t] : aliases)
    if (bare == alias) return t;
  throw TypeError("dtype", "data type '" + std::string(name) + "' not understood");
}

namespace {
bool is_one_of(char kind, std::string_view kinds) { return kinds.find(kind) != kinds.npos; }
}  // namespace

bool isdtype(dtype t, const char* kind) {
  static constexpr std::pair<std::string_view, std::string_view> kinds[] = {
      {"bool", "b"},          {"signed integer", "i"},   {"unsigned integer", "u"}, {"integral", "iu"},
      {"real floating", "f"}, {"complex floating", "c"}, {"numeric", "iufc"}};
  for (const auto& [name, letters] : kinds)
    if (name == kind) return is_one_of(t.kind(), letters);
  throw ValueError("isdtype", "kind argument is a string, but '" + std::string(kind) + "' is not a known kind name.");
}

bool issubdtype(dtype t, const char* kind) {
  static constexpr std::pair<std::string_view, std::string_view> kinds[] = {
      {"generic", "biufc"}, {"number", "iufc"}, {"integer", "iu"},        {"signedinteger", "i"}, {"unsignedinteger", "u"},
      {"inexact", "fc"},    {"floating", "f"},  {"complexfloating", "c"}, {"bool", "b"}};
  for (const auto& [name, letters] : kinds)
    if (name == kind) return is_one_of(t.kind(), letters);
  return t == dtype_of(kind);
}

char mintypecode(std::string_view typechars, std::string_view typeset, char otherwise) {
  static constexpr std::string_view by_size = "GDFgdfQqLlIiHhBb?";  // largest first
  bool single_complex = false, double_real = false;
  std::size_t largest = by_size.size();
  for (char c : typechars) {
    if (typeset.find(c) == typeset.npos) continue;
    single_complex |= c == 'F', double_real |= c == 'd';
    const std::size_t rank = by_size.find(c);
    if (rank == by_size.npos)
      throw ValueError("mintypecode",
                       "substring not found: got '" + std::string(1, c) + "', expected one of " + std::string(by_size) + ".");
    largest = std::min(largest, rank);
  }
  if (single_complex && double_real) return 'D';
  return largest < by_size.size() ? by_size[largest] : otherwise;
}

dtype min_scalar_type(const operand& v) {
  if (v.is_array() && v.n()->rank > 0) return v.n()->type;
  const array value = detail::to_array(v);
  const char kind = value.dtype().kind();
  if (kind == 'b') return bool_;
  if (kind == 'i' || kind == 'u') {
    const detail::element_value e = detail::single_element(value, v.where());
    if (kind == 'i' && e.i < 0) return e.i >= -128 ? int8 : e.i >= -32768 ? int16 : e.i >= -2147483648LL ? int32 : int64;
    return e.u <= 0xff ? uint8 : e.u <= 0xffff ? uint16 : e.u <= 0xffffffff ? uint32 : uint64;
  }
  // By range alone: digits do not count.
  const detail::element_value e = detail::single_element(value, v.where());
  auto within = [](double x, double limit) { return !std::isfinite(x) || (x > -limit && x < limit); };
  if (kind == 'c') return within(e.re, 3.4e38) && within(e.im, 3.4e38) ? complex64 : complex128;
  const dtype smallest = within(e.re, 65000) ? float16 : within(e.re, 3.4e38) ? float32 : float64;
  return smallest.itemsize() < value.dtype().itemsize() ? smallest : value.dtype();
}

dtype common_type(const std::vector<array>& arrays) {
  dtype_id t = dtype_id::float16;
  for (const array& a : arrays) {
    if (a.dtype() == bool_) throw TypeError("common_type", "can't get common type for non-numeric array");
    const bool whole = a.dtype().kind() == 'i' || a.dtype().kind() == 'u';
    t = promote_types(t, whole ? dtype_id::float64 : a.dtype().id());
  }
  return t;
}

finfo::finfo(numjit::dtype t) : dtype(t) {
  switch (t.id()) {
    case dtype_id::float16:
      bits = 16, eps = 0x1p-10, max = 65504.0, tiny = 0x1p-14, smallest_subnormal = 0x1p-24;
      precision = 3, resolution = 1e-3;
      break;
    case dtype_id::float32:
    case dtype_id::complex64:
      dtype = float32;
      bits = 32, eps = 0x1p-23, max = static_cast<double>(std::numeric_limits<float>::max());
      tiny = 0x1p-126, smallest_subnormal = 0x1p-149, precision = 6, resolution = 1e-6;
      break;
    case dtype_id::float64:
    case dtype_id::complex128:
      dtype = float64;
      bits = 64, eps = 0x1p-52, max = std::numeric_limits<double>::max();
      tiny = 0x1p-1022, smallest_subnormal = 0x1p-1074, precision = 15, resolution = 1e-15;
      break;
    default: throw ValueError("finfo", "data type <class 'numpy." + std::string(t.name()) + "'> not inexact");
  }
  min = -max;
}

iinfo::iinfo(numjit::dtype t) : dtype(t), bits(static_cast<int>(t.itemsize()) * 8) {
  if (t.kind() != 'i' && t.kind() != 'u')
    throw ValueError("iinfo", "Invalid integer data type '" + std::string(1, t.kind()) + "'.");
  if (t.kind() == 'u') {
    min = 0;
    max = ~std::uint64_t{0} >> (64 - bits);
  } else {
    max = ~std::uint64_t{0} >> (65 - bits);
    min = -static_cast<std::int64_t>(max) - 1;
  }
}

}  // namespace numjit
