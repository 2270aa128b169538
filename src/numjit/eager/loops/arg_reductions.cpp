// argmax and argmin: the first index that wins; NaN wins over everything.
#include <cstring>

#include <numjit/eager/loops/ufunc.h>

namespace numjit::eager::NUMJIT_ISA {
namespace {

template <op_id Op, int Loop>
struct arg_reducer {
  using In = cpp_type<loops_of<Op>[Loop].in[0]>;
  using E = eval_type<In>;
  static constexpr op_id extreme = Op == op_id::argmax ? op_id::max : op_id::min;

  [[gnu::always_inline]] static inline E load(const char* p) {
    if constexpr (std::is_same_v<In, bool>) return *reinterpret_cast<const unsigned char*>(p) != 0;
    return static_cast<E>(*reinterpret_cast<const In*>(p));
  }
  [[gnu::always_inline]] static inline bool is_nan(E v) {
    if constexpr (m::is_complex_type<E>) return (v.re != v.re) | (v.im != v.im);
    else if constexpr (std::is_floating_point_v<E>) return v != v;
    else return false;
  }
  /// a must come before b: the row's rule, with NaN winning over numbers.
  [[gnu::always_inline]] static inline bool beats(E a, E b) {
    return (static_cast<bool>(op_row<Op>::wins(a, b)) & !is_nan(b)) | (is_nan(a) & !is_nan(b));
  }
  /// The winner's value, NaN if there is one; which of two equal values does not matter.
  [[gnu::always_inline]] static inline E better(E a, E b) {
    if constexpr (std::is_arithmetic_v<E>) {
      const E winner = (Op == op_id::argmax ? a > b : a < b) ? a : b;
      if constexpr (std::is_floating_point_v<E>) return a != a ? a : winner;
      else return winner;
    } else {
      return static_cast<E>(op_row<extreme>::combine(a, b));
    }
  }

  /// Best of n >= Lanes elements. The last vector may take elements that have been seen.
  template <bool Contiguous, int Lanes>
  static E best_by_lanes(const char* in, std::int64_t stride_, std::int64_t n) {
    const std::int64_t stride = Contiguous ? sizeof(In) : stride_;
    alignas(64) E lane[Lanes];
    for (int l = 0; l < Lanes; ++l) lane[l] = load(in + l * stride);
    for (std::int64_t i = Lanes; i + Lanes <= n; i += Lanes) {
      NUMJIT_INDEPENDENT
      for (int l = 0; l < Lanes; ++l) lane[l] = better(lane[l], load(in + (i + l) * stride));
    }
    if (n % Lanes != 0) {
      const char* last = in + (n - Lanes) * stride;
      NUMJIT_INDEPENDENT
      for (int l = 0; l < Lanes; ++l) lane[l] = better(lane[l], load(last + l * stride));
    }
    for (int h = Lanes / 2; h > 0; h /= 2) {
      NUMJIT_INDEPENDENT
      for (int l = 0; l < h; ++l) lane[l] = better(lane[l], lane[l + h]);
    }
    return lane[0];
  }
  template <bool Contiguous>
  static E best_of(const char* in, std::int64_t stride, std::int64_t n) {
    constexpr int wide = 256 / sizeof(E) > 32 ? 256 / sizeof(E) : 32;
    if (n >= 2 * wide) return best_by_lanes<Contiguous, wide>(in, stride, n);
    if (n >= 32) return best_by_lanes<Contiguous, 32>(in, stride, n);
    if (n >= 8) return best_by_lanes<Contiguous, 8>(in, stride, n);
    E best = load(in);
    for (std::int64_t i = 1; i < n; ++i) best = better(best, load(in + i * stride));
    return best;
  }

  template <bool Contiguous>
  static std::int64_t row(const char* in, std::int64_t stride, std::int64_t n) {
    if constexpr (Contiguous && std::is_same_v<In, bool>) {
      const void* found = std::memchr(in, Op == op_id::argmax, static_cast<std::size_t>(n));
      return found ? static_cast<const char*>(found) - in : 0;
    }
    constexpr std::int64_t block = 8192 / sizeof(E);
    E best = load(in);
    std::int64_t first = 0;
    if (n <= 16) {
      for (std::int64_t i = 1; i < n; ++i) {
        const E v = load(in + i * stride);
        const bool win = beats(v, best);
        best = win ? v : best;
        first = win ? i : first;
      }
      return first;
    }
    for (std::int64_t i = 0; i < n && !is_nan(best); i += block) {  // finds the winner's block
      E candidate = best_of<Contiguous>(in + i * stride, stride, n - i < block ? n - i : block);
      if (i == 0 || beats(candidate, best)) best = candidate, first = i;
    }
    if (is_nan(best))
      return first + find<Contiguous>(in + first * stride, stride, n - first,
                                      [](E v) { return is_nan(v); });
    return first + find<Contiguous>(in + first * stride, stride, n - first, [best](E v) {
             // Values that compare equal (-0.0 and 0.0) are one.
             if constexpr (m::is_complex_type<E>) return !beats(best, v);
             else return v == best;
           });
  }

  /// Index of the first element that matches; there is one.
  template <bool Contiguous, class F>
  static std::int64_t find(const char* in, std::int64_t stride_, std::int64_t n, F matches) {
    const std::int64_t stride = Contiguous ? sizeof(In) : stride_;
    constexpr std::int64_t group = 64;
    using U = m::uint_of<std::conditional_t<std::is_arithmetic_v<E>, E, char>>;
    std::int64_t i = 0;
    for (; i + group <= n; i += group) {
      U found = 0;
      for (std::int64_t l = 0; l < group; ++l)
        found |= static_cast<U>(matches(load(in + (i + l) * stride)));
      if (found) break;
    }
    while (i + 1 < n && !matches(load(in + i * stride))) ++i;
    return i;
  }

  static void rows(const row_block& b, std::int64_t* out) {
    const bool contiguous = b.stride == static_cast<std::int64_t>(sizeof(In));
    for (std::int64_t r = 0; r < b.rows; ++r) {
      const char* in = b.in + r * b.row_stride;
      out[r] = contiguous ? row<true>(in, b.stride, b.n) : row<false>(in, b.stride, b.n);
    }
  }

  static void panel(const row_block& b, std::int64_t* out) {
    constexpr std::int64_t width = 128;
    E best[width];
    std::int64_t index[width];
    for (std::int64_t c = 0; c < b.rows; c += width) {
      const std::int64_t w = b.rows - c < width ? b.rows - c : width;
      const char* in = b.in + c * b.row_stride;
      for (std::int64_t j = 0; j < w; ++j) best[j] = load(in + j * b.row_stride), index[j] = 0;
      for (std::int64_t i = 1; i < b.n; ++i) {
        const char* p = in + i * b.stride;
        NUMJIT_INDEPENDENT
        for (std::int64_t j = 0; j < w; ++j) {
          const E v = load(p + j * b.row_stride);
          const bool win = beats(v, best[j]);
          best[j] = win ? v : best[j];
          index[j] = win ? i : index[j];
        }
      }
      for (std::int64_t j = 0; j < w; ++j) out[c + j] = index[j];
    }
  }
};

template <op_id Op>
void fill(loop_table& table) {
  [&]<int... L>(std::integer_sequence<int, L...>) {
    ((table.arg[number_in_kind(Op)][L] = arg_kernels{loops_of<Op>[L].in[0], arg_reducer<Op, L>::rows, arg_reducer<Op, L>::panel}),
     ...);
  }(std::make_integer_sequence<int, loop_count<Op>>{});
}

}  // namespace

void fill_arg_reductions(loop_table& table) {
#define ARGREDUCTION(name, ...) fill<op_id::name>(table);
#include <numjit/ops/all_rows.inc>
}

}  // namespace numjit::eager::NUMJIT_ISA
