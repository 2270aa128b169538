// Operands that no op may get wrong: special values in all pairs, then random bits.
#include "special_values.h"

#include <cstring>
#include <limits>
#include <random>
#include <vector>

namespace numjit::testing {
namespace {

constexpr std::int64_t rows = 37, columns = 331;

template <class T>
std::vector<T> special_numbers() {
  using limits = std::numeric_limits<T>;
  if constexpr (std::is_floating_point_v<T>)
    return {T(0), -T(0), T(1), T(-1), limits::quiet_NaN(), limits::infinity(), -limits::infinity(),
            limits::denorm_min(), -limits::denorm_min(), limits::min(), -limits::min(), limits::max(),
            limits::lowest(), limits::min() - limits::denorm_min(), 1 + limits::epsilon(),
            1 - limits::epsilon() / 2, T(0.5), T(-0.5), T(1.5), T(2), T(-2.5), T(3), T(0.1), T(1e-8), T(1e10),
            T(1.5707963267948966), T(-3.141592653589793), T(88.8), T(710.5), T(-745.5), T(1e22), T(9007199254740993.0)};
  else
    return {T(0), T(1), limits::max(), limits::min(), static_cast<T>(limits::min() + 1), static_cast<T>(limits::max() - 1),
            static_cast<T>(-1), T(2), T(3), T(7), static_cast<T>(-7), T(10), T(100), T(64), T(31), T(32)};
}

/// Any bits, numbers of moderate size, or small ones: all kinds occur in every array.
template <class T>
T random_number(std::mt19937_64& random) {
  const std::uint64_t bits = random();
  if constexpr (std::is_floating_point_v<T>) {
    if (bits % 3 == 0) {
      T v;
      const std::uint64_t raw = random();
      std::memcpy(&v, &raw, sizeof v);
      return v;
    }
    const double unit = static_cast<double>(random() >> 11) * 0x1p-53;
    return static_cast<T>((unit - 0.5) * (bits % 3 == 1 ? 2.5 : 200));
  } else {
    return static_cast<T>(bits % 2 ? random() : random() % 256);
  }
}

/// Values of one operand: pairs of operands meet every pair of specials first.
template <class T>
std::vector<T> numbers(std::int64_t n, int operand, std::uint64_t seed) {
  const std::vector<T> specials = special_numbers<T>();
  const auto count = static_cast<std::int64_t>(specials.size());
  std::mt19937_64 random(seed + static_cast<std::uint64_t>(operand) * 77);
  std::vector<T> v;
  std::int64_t divisor = 1;
  for (int k = 0; k < operand; ++k) divisor *= count;
  for (std::int64_t i = 0; i < n; ++i)
    v.push_back(i < count * count ? specials[static_cast<std::size_t>(i / divisor % count)] : random_number<T>(random));
  return v;
}

template <class T>
array filled(dtype_id type, const std::vector<T>& v) {
  array a = zeros({rows, columns}, {.dtype = dtype(type)});
  std::memcpy(a.raw_data(), v.data(), v.size() * sizeof(T));
  return a;
}

}  // namespace

array operand_values(dtype_id type, int operand) {
  constexpr std::int64_t n = rows * columns;
  const std::uint64_t seed = 1000 + static_cast<std::uint64_t>(type);
  switch (type) {
    case dtype_id::bool_: {
      std::vector<std::uint8_t> v = numbers<std::uint8_t>(n, operand, seed);
      for (std::uint8_t& b : v) b = b % 2;
      return filled(type, v);
    }
    case dtype_id::float16: return filled(dtype_id::float32, numbers<float>(n, operand, seed)).astype(float16);
    case dtype_id::complex64: return filled(type, numbers<float>(2 * n, operand, seed));
    case dtype_id::complex128: return filled(type, numbers<double>(2 * n, operand, seed));
    default:
      return visit_dtype(type, [&]<class T>() -> array {
        if constexpr (std::is_arithmetic_v<T> && !std::is_same_v<T, bool>) return filled(type, numbers<T>(n, operand, seed));
        else return array();
      });
  }
}

array fitting(op_id op, dtype_id type, int operand, array a) {
  const bool integer = dtype(type).kind() == 'i' || dtype(type).kind() == 'u';
  if (!integer || operand != 1) return a;
  if (op == op_id::left_shift || op == op_id::right_shift) return remainder(a, 71);
  if (op == op_id::power) return remainder(a, 100);
  return a;
}

}  // namespace numjit::testing
