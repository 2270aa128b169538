// Compile-time view of the rows: loop types and eval as templates, for eager loops and Halide lowering.
#pragma once

#include <array>
#include <string_view>

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
/// `combine(a, b)`, for argreductions `wins(a, b)`.
template <op_id Op> struct op_row;

#define UFUNC1(name, group, loops_, expr, ...)             \
  template <>                                              \
  struct op_row<op_id::name> {                             \
    static constexpr std::string_view loops_text = loops_; \
    static constexpr int arity = 1;                        \
    template <class A>                                     \
    [[gnu::always_inline]] static inline auto eval(A a) {  \
      return expr;                                         \
    }                                                      \
  };
#define UFUNC2(name, group, loops_, expr, ...)                 \
  template <>                                                  \
  struct op_row<op_id::name> {                                 \
    static constexpr std::string_view loops_text = loops_;     \
    static constexpr int arity = 2;                            \
    template <class A, class B>                                \
    [[gnu::always_inline]] static inline auto eval(A a, B b) { \
      return expr;                                             \
    }                                                          \
  };
#define UFUNC3(name, group, loops_, expr, ...)                      \
  template <>                                                       \
  struct op_row<op_id::name> {                                      \
    static constexpr std::string_view loops_text = loops_;          \
    static constexpr int arity = 3;                                 \
    template <class A, class B, class C>                            \
    [[gnu::always_inline]] static inline auto eval(A a, B b, C c) { \
      return expr;                                                  \
    }                                                               \
  };
enum class identity { zero, one, none };
#define REDUCTION(name, loops_, expr, identity_, ...)                            \
  template <> struct op_row<op_id::name> {                                       \
    static constexpr std::string_view loops_text = loops_;                       \
    static constexpr identity start = identity::identity_;                       \
    template <class A>                                                           \
    [[gnu::always_inline]] static inline auto combine(A a, A b) { return expr; } \
  };
#define ARGREDUCTION(name, loops_, expr, ...)                                    \
  template <> struct op_row<op_id::name> {                                       \
    static constexpr std::string_view loops_text = loops_;                       \
    template <class A>                                                           \
    [[gnu::always_inline]] static inline auto wins(A a, A b) { return expr; }    \
  };
#define SCAN(name, loops_, expr, ...)                                            \
  template <> struct op_row<op_id::name> {                                       \
    static constexpr std::string_view loops_text = loops_;                       \
    template <class A>                                                           \
    [[gnu::always_inline]] static inline auto combine(A a, A b) { return expr; } \
  };
#include <numjit/ops/all_rows.inc>

/// Number of loops of `Op`, and the loops themselves.
template <op_id Op>
inline constexpr int loop_count = detail::count_loops(op_row<Op>::loops_text);
template <op_id Op>
inline constexpr auto loops_of =
    detail::parse_loops<loop_count<Op>>(op_row<Op>::loops_text);

}  // namespace numjit
