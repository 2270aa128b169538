// Cast loops between all pairs of dtypes, as NumPy's astype on x86-64: integers wrap, floats out of an
// integer's range give what the processor's conversion gives, complex loses its imaginary part.
#include <limits>

#include <numjit/eager/loops/ufunc.h>

namespace numjit::eager::NUMJIT_ISA {
namespace {

/// Truncation to a signed integer of at least 32 bits; out of range and NaN give the lowest value.
template <class I, class F>
[[gnu::always_inline]] inline I truncate(F v) {
  constexpr F limit = static_cast<F>(std::uint64_t{1} << (sizeof(I) * 8 - 1));
  bool fits;
  if constexpr (sizeof(F) > sizeof(I))
    fits = (v > -limit - F(1)) & (v < limit);
  else
    fits = (v >= -limit) & (v < limit);
  const I inside = static_cast<I>(fits ? v : F(0));
  return fits ? inside : std::numeric_limits<I>::min();
}

template <class To, class F>
[[gnu::always_inline]] inline To float_to_integer(F v) {
  if constexpr (std::is_same_v<To, std::uint64_t>) {
    constexpr F half_range = static_cast<F>(0x1p63);
    const bool low = v < half_range;
    const std::int64_t t = truncate<std::int64_t>(low ? v : v - half_range);
    return static_cast<std::uint64_t>(t) ^ (low ? 0 : std::uint64_t{1} << 63);
  } else if constexpr (std::is_same_v<To, std::int64_t> || std::is_same_v<To, std::uint32_t>) {
    return static_cast<To>(truncate<std::int64_t>(v));
  } else {
    return static_cast<To>(truncate<std::int32_t>(v));
  }
}

template <class To, class From>
[[gnu::always_inline]] inline To cast_value(From v) {
  if constexpr (std::is_same_v<To, From>) {
    return v;
  } else if constexpr (m::is_complex_type<From>) {
    if constexpr (m::is_complex_type<To>)
      return To(v);
    else if constexpr (std::is_same_v<To, bool>)
      return (v.re != 0) | (v.im != 0);
    else
      return cast_value<To>(v.re);
  } else if constexpr (m::is_complex_type<To>) {
    using R = decltype(To{}.re);
    return To(cast_value<R>(v), R(0));
  } else if constexpr (std::is_same_v<From, half>) {
    return cast_value<To>(static_cast<float>(v));
  } else if constexpr (std::is_same_v<To, bool>) {
    return v != From(0);
  } else if constexpr (std::is_same_v<To, half>) {
    return To(v);
  } else if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) {
    return float_to_integer<To>(v);
  } else {
    return static_cast<To>(v);
  }
}

template <class From, class To>
void cast_loop(char* const* p, const std::int64_t* s, std::int64_t n) {
  constexpr std::int64_t from_size = sizeof(From), to_size = sizeof(To);
  if (s[0] == from_size && s[1] == to_size) {
    const From* from = reinterpret_cast<const From*>(p[0]);
    To* to = reinterpret_cast<To*>(p[1]);
    NUMJIT_INDEPENDENT
    for (std::int64_t i = 0; i < n; ++i) to[i] = cast_value<To>(from[i]);
    return;
  }
  if (s[0] == 0 && s[1] == to_size) {
    const To v = cast_value<To>(*reinterpret_cast<const From*>(p[0]));
    To* to = reinterpret_cast<To*>(p[1]);
    for (std::int64_t i = 0; i < n; ++i) to[i] = v;
    return;
  }
  const char* from = p[0];
  char* to = p[1];
  const std::int64_t from_step = s[0], to_step = s[1];
  NUMJIT_INDEPENDENT
  for (std::int64_t i = 0; i < n; ++i)
    *reinterpret_cast<To*>(to + i * to_step) =
        cast_value<To>(*reinterpret_cast<const From*>(from + i * from_step));
}

template <class From, int... To>
void fill_row(loop_fn* row, std::integer_sequence<int, To...>) {
  ((row[To] = cast_loop<From, cpp_type<static_cast<dtype_id>(To)>>), ...);
}

template <int... From>
void fill_all(loop_table& table, std::integer_sequence<int, From...>) {
  (fill_row<cpp_type<static_cast<dtype_id>(From)>>(table.cast[From],
                                                   std::make_integer_sequence<int, dtype_count>{}),
   ...);
}

}  // namespace

void fill_casts(loop_table& table) {
  fill_all(table, std::make_integer_sequence<int, dtype_count>{});
}

}  // namespace numjit::eager::NUMJIT_ISA
