// Compile-time view of the rows: loop types and eval as templates, for eager loops and Halide lowering.
#pragma once

#include <array>
#include <limits>
#include <string_view>
#include <type_traits>

#include <numjit/ops/math/vocabulary.h>
#include <numjit/ops/op.h>

namespace numjit {

namespace detail {
constexpr int count_loops(std::string_view text) {
  int n = text.empty() ? 0 : 1;
  for (char c : text) n += c == ' ';
  return n;
}

template <int N>
constexpr std::array<op_loop, N> parse_loops(std::string_view text) {
  std::array<op_loop, N> loops{};
  int loop = 0, pos = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == ' ') { ++loop; pos = 0; continue; }
    if (text[i] == ':') { loops[loop].out = dtype_of_char(text[i + 1]); i += 1; continue; }
    loops[loop].in[pos++] = dtype_of_char(text[i]);
  }
  return loops;
}
}  // namespace detail

/// The row of `Op`: `loops_text`, and for ufuncs `eval(a[, b[, c]])`, for reductions and scans
/// `combine(a, b)`, for argreductions `wins(a, b)`: their ufunc's.
template <op_id Op> struct op_row;

#define UFUNC1(name, group, facts, loops_, expr, ...)      \
  template <>                                              \
  struct op_row<op_id::name> {                             \
    static constexpr std::string_view loops_text = loops_; \
    static constexpr int arity = 1;                        \
    template <class A>                                     \
    [[gnu::always_inline]] static inline auto eval(A a) {  \
      return expr;                                         \
    }                                                      \
  };
#define UFUNC2(name, group, facts, loops_, expr, ...)          \
  template <>                                                  \
  struct op_row<op_id::name> {                                 \
    static constexpr std::string_view loops_text = loops_;     \
    static constexpr int arity = 2;                            \
    template <class A, class B>                                \
    [[gnu::always_inline]] static inline auto eval(A a, B b) { \
      return expr;                                             \
    }                                                          \
  };
#define UFUNC3(name, group, facts, loops_, expr, ...)               \
  template <>                                                       \
  struct op_row<op_id::name> {                                      \
    static constexpr std::string_view loops_text = loops_;          \
    static constexpr int arity = 3;                                 \
    template <class A, class B, class C>                            \
    [[gnu::always_inline]] static inline auto eval(A a, B b, C c) { \
      return expr;                                                  \
    }                                                               \
  };
#define NUMJIT_JOINED_ROW(name, ufunc, loops_, function)           \
  template <>                                                      \
  struct op_row<op_id::name> {                                     \
    static constexpr std::string_view loops_text = loops_;         \
    template <class A>                                             \
    [[gnu::always_inline]] static inline auto function(A a, A b) { \
      return op_row<op_id::ufunc>::eval(a, b);                     \
    }                                                              \
  };
#define REDUCTION(name, ufunc, loops_, ...) NUMJIT_JOINED_ROW(name, ufunc, loops_, combine)
#define ARGREDUCTION(name, ufunc, loops_, ...) NUMJIT_JOINED_ROW(name, ufunc, loops_, wins)
#define SCAN(name, ufunc, loops_, ...) NUMJIT_JOINED_ROW(name, ufunc, loops_, combine)
#include <numjit/ops/all_rows.inc>
#undef NUMJIT_JOINED_ROW

/// The neutral value of a reduction in its dtype.
template <class T>
constexpr T neutral_value(op_neutral neutral) {
  if constexpr (m::is_complex_type<T>) {
    using R = decltype(T{}.re);
    const R part = neutral_value<R>(neutral);
    return neutral == op_neutral::one ? T(part, R(0)) : T(part, part);
  } else if constexpr (std::is_same_v<T, half>) {
    constexpr std::uint16_t bits[] = {0, 0x8000, 0x3c00, 0xfc00, 0x7c00};
    return half::of_bits(bits[static_cast<int>(neutral)]);
  } else {
    using limits = std::numeric_limits<T>;
    switch (neutral) {
      case op_neutral::zero: return T(0);
      case op_neutral::minus_zero: return std::is_floating_point_v<T> ? -T(0) : T(0);  // -0.0 + x is x, also of -0.0
      case op_neutral::one: return T(1);
      case op_neutral::lowest: return limits::has_infinity ? -limits::infinity() : limits::lowest();
      case op_neutral::highest: return limits::has_infinity ? limits::infinity() : limits::max();
    }
    return T{};
  }
}

/// Number of loops of `Op`, and the loops themselves.
template <op_id Op>
inline constexpr int loop_count = detail::count_loops(op_row<Op>::loops_text);
template <op_id Op>
inline constexpr auto loops_of =
    detail::parse_loops<loop_count<Op>>(op_row<Op>::loops_text);

}  // namespace numjit
