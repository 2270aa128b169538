// Cast loops between all pairs of dtypes, as NumPy's astype on x86-64: integers wrap, floats out of an
// integer's range give what the processor's conversion gives, complex loses its imaginary part.
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include <numjit/eager/loops/ufunc.h>

namespace numjit::eager::NUMJIT_ISA {
namespace {

/// m::cast, which knows no float16: it is widened on the way in and rounded once on the way out.
template <class To, class From>
[[gnu::always_inline]] inline To cast_value(From v) {
  if constexpr (std::is_same_v<To, From>) {
    return v;
  } else if constexpr (std::is_same_v<From, half>) {
    return static_cast<To>(m::cast<To>(static_cast<float>(v)));
  } else if constexpr (std::is_same_v<To, half>) {
    if constexpr (m::is_complex_type<From>) return To(v.re);
    else return To(v);
  } else {
#if defined(__SSE2__) && defined(__x86_64__) && !defined(__AVX512DQ__)
    // No vectors of int64: the processor's conversion has m::cast's values for all that does not fit.
    if constexpr (std::is_same_v<To, std::int64_t> && std::is_same_v<From, double>) return _mm_cvttsd_si64(_mm_set_sd(v));
    if constexpr (std::is_same_v<To, std::int64_t> && std::is_same_v<From, float>) return _mm_cvttss_si64(_mm_set_ss(v));
#endif
    return static_cast<To>(m::cast<To>(v));
  }
}

/// A truth value in memory: all bytes but 0 are true, of views of other dtypes too. Read as a byte, which vectorises.
struct truth_byte {
  unsigned char value;
};
template <class To>
[[gnu::always_inline]] inline To cast_value(truth_byte v) {
  return cast_value<To>(static_cast<unsigned char>(v.value != 0));
}

template <class T>
using word_of = std::conditional_t<
    sizeof(T) == 1, std::uint8_t,
    std::conditional_t<sizeof(T) == 2, std::uint16_t,
                       std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>>>;

template <class From, class To>
void cast_loop(char* const* p, const std::int64_t* s, std::int64_t n) {
  // Copies are copies of words.
  if constexpr (std::is_same_v<From, To> && sizeof(From) <= 8 && !m::is_complex_type<From> &&
                !std::is_same_v<From, word_of<From>>)
    return cast_loop<word_of<From>, word_of<From>>(p, s, n);
  else if constexpr (std::is_same_v<From, bool>)
    return cast_loop<truth_byte, To>(p, s, n);
  if (n == 0) return;  // an array without elements has none to be read once for all
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
  auto one = [&](std::int64_t i) {
    *reinterpret_cast<To*>(to + i * to_step) =
        cast_value<To>(*reinterpret_cast<const From*>(from + i * from_step));
  };
  std::int64_t i = 0;
  for (; i + 4 <= n; i += 4, from += 4 * from_step, to += 4 * to_step) {
    one(0), one(1), one(2), one(3);
    NUMJIT_SCALAR_LOOP(from);
  }
  for (; i < n; ++i, from += from_step, to += to_step) one(0);
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
