// NEP 50: promotion of dtypes and literals, casting rules, literals as elements.
#include <numjit/ops/promotion.h>

#include <array>
#include <cstring>
#include <vector>

namespace numjit {
namespace {

using t = dtype_id;

constexpr dtype_id signed_of(std::size_t bytes) {
  return bytes == 1 ? t::int8 : bytes == 2 ? t::int16 : bytes == 4 ? t::int32 : t::int64;
}

constexpr dtype_id promote(dtype_id a, dtype_id b) {
  const dtype x(a), y(b);
  if (a == b) return a;
  if (x.kind() == 'b') return b;
  if (y.kind() == 'b') return a;
  // Order the two by kind: integers, floats, complex.
  auto level = [](dtype d) { return d.kind() == 'f' ? 1 : d.kind() == 'c' ? 2 : 0; };
  if (level(x) > level(y)) return promote(b, a);
  if (level(y) == 0) {
    if (x.kind() == y.kind()) return x.itemsize() > y.itemsize() ? a : b;
    std::size_t with_sign = x.kind() == 'i' ? x.itemsize() : y.itemsize();
    std::size_t without = x.kind() == 'i' ? y.itemsize() : x.itemsize();
    if (with_sign > without) return signed_of(with_sign);
    return without == 8 ? t::float64 : signed_of(2 * without);
  }
  if (level(x) == 0) {  // the least float that holds the integer, or nearly so for 64 bits
    dtype_id real = x.itemsize() == 1 ? t::float16 : x.itemsize() == 2 ? t::float32 : t::float64;
    return promote(real, b);
  }
  if (level(x) == level(y)) return x.itemsize() > y.itemsize() ? a : b;
  return a == t::float64 || b == t::complex128 ? t::complex128 : t::complex64;
}

using pair_table = std::array<std::array<dtype_id, dtype_count>, dtype_count>;
constexpr pair_table promoted = [] {
  pair_table table{};
  for (int a = 0; a < dtype_count; ++a)
    for (int b = 0; b < dtype_count; ++b)
      table[a][b] = promote(static_cast<dtype_id>(a), static_cast<dtype_id>(b));
  return table;
}();

int kind_order(dtype d) {
  switch (d.kind()) {
    case 'b': return 0;
    case 'u': return 1;
    case 'i': return 2;
    case 'f': return 3;
    default: return 4;
  }
}

/// Smallest and largest value of an integer dtype; the largest as unsigned.
struct int_range {
  std::int64_t low;
  std::uint64_t high;
};
int_range range_of(dtype_id type) {
  int bits = static_cast<int>(dtype(type).itemsize()) * 8;
  if (dtype(type).kind() == 'u') return {0, ~std::uint64_t(0) >> (64 - bits)};
  std::int64_t high = static_cast<std::int64_t>(~std::uint64_t(0) >> (65 - bits));
  return {-high - 1, static_cast<std::uint64_t>(high)};
}

bool below(const operand& literal, dtype_id type) {
  return !literal.above_int64() && literal.int_value() < range_of(type).low;
}
bool above(const operand& literal, dtype_id type) {
  if (!literal.above_int64() && literal.int_value() < 0) return false;
  return static_cast<std::uint64_t>(literal.int_value()) > range_of(type).high;
}

std::string integer_text(const operand& literal) {
  return literal.above_int64()
             ? std::to_string(static_cast<std::uint64_t>(literal.int_value()))
             : std::to_string(literal.int_value());
}

template <class T>
T cast_to(const operand& literal) {
  const bool integer =
      literal.kind() == weak_kind::int_ || literal.kind() == weak_kind::bool_;
  if constexpr (std::is_same_v<T, bool>) {
    return integer ? literal.int_value() != 0 : literal.real() != 0 || literal.imag() != 0;
  } else if constexpr (std::is_integral_v<T>) {
    return integer ? static_cast<T>(literal.int_value()) : static_cast<T>(literal.real());
  } else if constexpr (std::is_same_v<T, half>) {
    return half(literal.real());
  } else if constexpr (std::is_floating_point_v<T>) {
    return static_cast<T>(literal.real());
  } else {
    using real = decltype(T::re);
    return T(static_cast<real>(literal.real()), static_cast<real>(literal.imag()));
  }
}

}  // namespace

dtype_id promote_types(dtype_id a, dtype_id b) {
  return promoted[static_cast<int>(a)][static_cast<int>(b)];
}

bool can_cast(dtype_id from, dtype_id to, casting rule) {
  switch (rule) {
    case casting::no:
    case casting::equiv: return from == to;
    case casting::safe: return promote_types(from, to) == to;
    case casting::same_kind:
      return promote_types(from, to) == to || kind_order(from) <= kind_order(to);
    case casting::unsafe_: return true;
  }
  return false;
}

dtype_id promote_types(std::span<const dtype_id> types) {
  // Highest kind first: int8 and uint8 fit float16 one by one, though their common int16 does not.
  dtype_id result = t::bool_;
  for (int kind = 4; kind >= 0; --kind)
    for (dtype_id type : types)
      if (kind_order(type) == kind) result = promote_types(result, type);
  return result;
}

dtype_id result_type(const operand_list& operands) {
  std::vector<dtype_id> strong;
  weak_kind weak = weak_kind::none;
  for (const operand& o : operands) {
    if (o.is_array())
      strong.push_back(o.n()->type);
    else if (o.kind() == weak_kind::bool_)  // Python's bool is strong
      strong.push_back(t::bool_);
    else if (o.kind() > weak)
      weak = o.kind();
  }
  return weak_result_type(promote_types(strong), !strong.empty(), weak);
}

dtype_id weak_result_type(dtype_id strong, bool any_strong, weak_kind weak) {
  const char kind = any_strong ? dtype(strong).kind() : 'b';
  switch (weak) {
    case weak_kind::int_: return kind == 'b' ? t::int64 : strong;
    case weak_kind::float_: return kind == 'f' || kind == 'c' ? strong : t::float64;
    case weak_kind::complex_:
      if (kind == 'c') return strong;
      return any_strong && (strong == t::float16 || strong == t::float32) ? t::complex64
                                                                          : t::complex128;
    default: return any_strong ? strong : t::float64;  // NumPy's default for no operands at all
  }
}

bool literal_fits(const operand& literal, dtype_id type) {
  return !below(literal, type) && !above(literal, type);
}

void check_literal(std::string_view op, const operand& literal, dtype_id type) {
  const char kind = dtype(type).kind();
  if (literal.kind() != weak_kind::int_ || (kind != 'i' && kind != 'u')) return;
  if (literal_fits(literal, type)) return;
  // NumPy reads the literal as a C long first, for uint32 as an unsigned one.
  if (literal.above_int64() && type != t::uint32)
    throw OverflowError(std::string(op), "Python int too large to convert to C long");
  throw OverflowError(std::string(op), "Python integer " + integer_text(literal) +
                                           " out of bounds for " +
                                           std::string(dtype(type).name()));
}

void check_no_complex(std::string_view op, const operand& literal, dtype_id type) {
  const char kind = dtype(type).kind();
  if (literal.kind() != weak_kind::complex_ || kind == 'c' || kind == 'b') return;
  throw TypeError(std::string(op), kind == 'f'
                                       ? "float() argument must be a string or a real number, not 'complex'"
                                       : "int() argument must be a string, a bytes-like object or a real number, not 'complex'");
}

operand clip_bound(const operand& a, const operand& bound, bool is_low) {
  if (!a.is_array() || bound.kind() != weak_kind::int_) return bound;
  const dtype_id type = a.n()->type;
  const char kind = dtype(type).kind();
  if (kind != 'i' && kind != 'u') return bound;
  const location& at = bound.where();
  if (is_low && below(bound, type)) return {range_of(type).low, at.file, at.function, at.line};
  if (!is_low && above(bound, type)) return {range_of(type).high, at.file, at.function, at.line};
  return bound;
}

void literal_element(const operand& literal, dtype_id type, void* element) {
  visit_dtype(type, [&]<class T>() {
    T value = cast_to<T>(literal);
    std::memcpy(element, &value, sizeof value);
  });
}

}  // namespace numjit
