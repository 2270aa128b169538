// Reductions in the canonical order of docs/numerics.md: chunks of 1024, 32 lanes, halving folds, and
// the same rule on the chunk results.
#pragma once

#include <limits>

#include <numjit/eager/loops/ufunc.h>

namespace numjit::eager::NUMJIT_ISA {

template <op_id Op, int Loop>
struct reducer {
  static constexpr op_loop types = loops_of<Op>[Loop];
  using In = cpp_type<types.in[0]>;
  using Acc = eval_type<cpp_type<types.out>>;
  static constexpr dtype_id accumulator =
      types.out == dtype_id::float16 ? dtype_id::float32 : types.out;
  /// any and all are decided by the first chunk that decides.
  static constexpr bool truth = Op == op_id::any || Op == op_id::all;
  static constexpr int lanes = lane_count;

  [[gnu::always_inline]] static inline Acc load(const char* p) {
    const In v = *reinterpret_cast<const In*>(p);
    if constexpr (!truth)
      return static_cast<Acc>(static_cast<eval_type<In>>(v));
    else if constexpr (m::is_complex_type<In>)
      return (v.re != 0) | (v.im != 0);
    else
      return static_cast<eval_type<In>>(v) != eval_type<In>(0);
  }
  [[gnu::always_inline]] static inline Acc join(Acc a, Acc b) {
    return static_cast<Acc>(op_row<Op>::combine(a, b));
  }

  /// Folds the first `present` lanes (the others have received nothing).
  static Acc fold(Acc* lane, int present) {
    for (int h = lanes / 2; h > 0; h /= 2) {
      const int folds = present - h;
      for (int l = 0; l < folds; ++l) lane[l] = join(lane[l], lane[l + h]);
      if (present > h) present = h;
    }
    return lane[0];
  }
  [[gnu::always_inline]] static inline Acc fold_all(Acc* lane) {
#define NUMJIT_FOLD(h) \
  NUMJIT_INDEPENDENT for (int l = 0; l < h; ++l) lane[l] = join(lane[l], lane[l + h]);
    NUMJIT_FOLD(16) NUMJIT_FOLD(8) NUMJIT_FOLD(4) NUMJIT_FOLD(2) NUMJIT_FOLD(1)
#undef NUMJIT_FOLD
    return lane[0];
  }

  /// A product with a complex 1 is not exact in all cases: absent lanes must be skipped there.
  static constexpr bool exact_identity = !(Op == op_id::prod && m::is_complex_type<Acc>);
  static constexpr Acc neutral() {
    if constexpr (truth) return Op == op_id::all;
    else return static_cast<Acc>(static_cast<eval_type<In>>(identity()));
  }

  /// A row of N elements, N known: the folds unroll.
  template <int N, bool Contiguous>
  static void tiny_rows(const row_block& b, Acc* to) {
    const std::int64_t stride = Contiguous ? sizeof(In) : b.stride;
    for (std::int64_t r = 0; r < b.rows; ++r) {
      const char* in = b.in + r * b.row_stride;
      Acc lane[N];
      for (int l = 0; l < N; ++l) lane[l] = load(in + l * stride);
      if constexpr (N > 4) for (int l = 0; l + 4 < N; ++l) lane[l] = join(lane[l], lane[l + 4]);
      if constexpr (N > 2) for (int l = 0; l < 2 && l + 2 < N; ++l) lane[l] = join(lane[l], lane[l + 2]);
      if constexpr (N > 1) lane[0] = join(lane[0], lane[1]);
      to[r] = lane[0];
    }
  }
  template <bool Contiguous>
  static bool tiny(const row_block& b, Acc* to) {
    switch (b.n) {
      case 1: tiny_rows<1, Contiguous>(b, to); return true;
      case 2: tiny_rows<2, Contiguous>(b, to); return true;
      case 3: tiny_rows<3, Contiguous>(b, to); return true;
      case 4: tiny_rows<4, Contiguous>(b, to); return true;
      case 5: tiny_rows<5, Contiguous>(b, to); return true;
      case 6: tiny_rows<6, Contiguous>(b, to); return true;
      case 7: tiny_rows<7, Contiguous>(b, to); return true;
      case 8: tiny_rows<8, Contiguous>(b, to); return true;
      default: return false;
    }
  }

  /// One chunk: 0 < n <= chunk_size.
  template <bool Contiguous>
  static Acc chunk(const char* in, std::int64_t stride_, std::int64_t n) {
    const std::int64_t stride = Contiguous ? sizeof(In) : stride_;
    alignas(64) Acc lane[lanes];
    if (n < lanes) {
      for (std::int64_t l = 0; l < n; ++l) lane[l] = load(in + l * stride);
      if constexpr (!exact_identity) return fold(lane, static_cast<int>(n));
      for (std::int64_t l = n; l < lanes; ++l) lane[l] = neutral();
      return fold_all(lane);
    }
    for (int l = 0; l < lanes; ++l) lane[l] = load(in + l * stride);
    std::int64_t i = lanes;
    for (; i + lanes <= n; i += lanes) {
      const char* row = in + i * stride;
      NUMJIT_INDEPENDENT
      for (int l = 0; l < lanes; ++l) lane[l] = join(lane[l], load(row + l * stride));
    }
    for (int l = 0; i < n; ++i, ++l) lane[l] = join(lane[l], load(in + i * stride));
    return fold_all(lane);
  }

  /// The upper levels: each takes values one by one, and passes the result of a full chunk upwards.
  struct levels {
    static constexpr int depth = 7;  // 1024^7 > 2^63
    Acc lane[depth][lanes];
    std::int64_t count[depth] = {};

    void push(Acc v, int level = 0) {
      Acc* l = lane[level];
      std::int64_t& c = count[level];
      if (c == chunk_size) {
        push(fold_all(l), level + 1);
        c = 0;
      }
      l[c % lanes] = c < lanes ? v : join(l[c % lanes], v);
      ++c;
    }
    Acc finish() {
      int level = 0;
      while (level + 1 < depth && count[level + 1] > 0) {
        push(fold(lane[level], static_cast<int>(count[level] < lanes ? count[level] : lanes)),
             level + 1);
        ++level;
      }
      return fold(lane[level], static_cast<int>(count[level] < lanes ? count[level] : lanes));
    }
  };

  template <bool Contiguous>
  static Acc row(const char* in, std::int64_t stride, std::int64_t n) {
    if (n <= chunk_size) return chunk<Contiguous>(in, stride, n);
    if constexpr (truth) {
      constexpr Acc decided = Op == op_id::any;
      for (std::int64_t i = 0; i < n; i += chunk_size)
        if (chunk<Contiguous>(in + i * stride, stride, n - i < chunk_size ? n - i : chunk_size) ==
            decided)
          return decided;
      return !decided;
    } else {
      levels upper;
      for (std::int64_t i = 0; i < n; i += chunk_size)
        upper.push(chunk<Contiguous>(in + i * stride, stride,
                                     n - i < chunk_size ? n - i : chunk_size));
      return upper.finish();
    }
  }

  static void rows(const row_block& b, char* out) {
    Acc* to = reinterpret_cast<Acc*>(out);
    if (b.stride == static_cast<std::int64_t>(sizeof(In))) {
      if (tiny<true>(b, to)) return;
      for (std::int64_t r = 0; r < b.rows; ++r)
        to[r] = row<true>(b.in + r * b.row_stride, b.stride, b.n);
    } else {
      if (tiny<false>(b, to)) return;
      for (std::int64_t r = 0; r < b.rows; ++r)
        to[r] = row<false>(b.in + r * b.row_stride, b.stride, b.n);
    }
  }

  /// Columns that one panel takes, 512 bytes: 32 lanes of them stay in the first-level cache, and each
  /// row is read in pieces long enough for memory to stream.
  static constexpr std::int64_t panel_width = 512 / sizeof(Acc);

  [[gnu::always_inline]] static inline void panel_rows(const char* in, std::int64_t stride,
                                                       std::int64_t step, std::int64_t n,
                                                       std::int64_t w, Acc* lane) {
    const std::int64_t present = n < lanes ? n : lanes;
    for (std::int64_t l = 0; l < present; ++l) {
      NUMJIT_INDEPENDENT
      for (std::int64_t j = 0; j < w; ++j) lane[l * w + j] = load(in + l * stride + j * step);
    }
    std::int64_t i = lanes;
    for (; i + 4 * lanes <= n; i += 4 * lanes) {
      for (int l = 0; l < lanes; ++l) {  // four rows of one lane for each load and store of it
        const char* p = in + (i + l) * stride;
        const std::int64_t s = lanes * stride;
        NUMJIT_INDEPENDENT
        for (std::int64_t j = 0; j < w; ++j) {
          const char* q = p + j * step;
          lane[l * w + j] = join(join(join(join(lane[l * w + j], load(q)), load(q + s)),
                                      load(q + 2 * s)), load(q + 3 * s));
        }
      }
    }
    for (; i < n; ++i) {
      Acc* to = lane + (i % lanes) * w;
      NUMJIT_INDEPENDENT
      for (std::int64_t j = 0; j < w; ++j) to[j] = join(to[j], load(in + i * stride + j * step));
    }
    std::int64_t left = present;
    for (std::int64_t h = lanes / 2; h > 0; h /= 2) {
      const std::int64_t values = (left - h) * w;
      NUMJIT_INDEPENDENT
      for (std::int64_t j = 0; j < values; ++j) lane[j] = join(lane[j], lane[j + h * w]);
      if (left > h) left = h;
    }
  }

  /// Few contiguous columns whose rows follow each other: lanes of the flat array, 32 * w of them.
  static void narrow(const row_block& b, Acc* to) {
    alignas(64) Acc lane[lanes * panel_width];
    const std::int64_t w = b.rows, period = lanes * w, total = b.n * w;
    const char* in = b.in;
    const std::int64_t first = total < period ? total : period;
    NUMJIT_INDEPENDENT
    for (std::int64_t j = 0; j < first; ++j) lane[j] = load(in + j * sizeof(In));
    for (std::int64_t i = period; i < total; i += period) {
      const std::int64_t m = total - i < period ? total - i : period;
      const char* p = in + i * sizeof(In);
      NUMJIT_INDEPENDENT
      for (std::int64_t j = 0; j < m; ++j) lane[j] = join(lane[j], load(p + j * sizeof(In)));
    }
    std::int64_t left = b.n < lanes ? b.n : lanes;
    for (std::int64_t h = lanes / 2; h > 0; h /= 2) {
      const std::int64_t values = (left - h) * w;
      NUMJIT_INDEPENDENT
      for (std::int64_t j = 0; j < values; ++j) lane[j] = join(lane[j], lane[j + h * w]);
      if (left > h) left = h;
    }
    for (std::int64_t j = 0; j < w; ++j) to[j] = lane[j];
  }

  static void panel(const row_block& b, char* out) {
    Acc* to = reinterpret_cast<Acc*>(out);
    constexpr std::int64_t size = sizeof(In);
    if (b.row_stride == size && b.stride == size * b.rows && b.rows < panel_width)
      return narrow(b, to);
    alignas(64) Acc lane[lanes * panel_width];
    for (std::int64_t c = 0; c < b.rows; c += panel_width) {
      const std::int64_t w = b.rows - c < panel_width ? b.rows - c : panel_width;
      const char* in = b.in + c * b.row_stride;
      if (b.row_stride == size && w == panel_width)
        panel_rows(in, b.stride, size, b.n, panel_width, lane);
      else if (b.row_stride == size)
        panel_rows(in, b.stride, size, b.n, w, lane);
      else
        panel_rows(in, b.stride, b.row_stride, b.n, w, lane);
      for (std::int64_t j = 0; j < w; ++j) to[c + j] = lane[j];
    }
  }

  static void combine(const char* in, char* out, std::int64_t n) {
    const Acc* from = reinterpret_cast<const Acc*>(in);
    Acc* to = reinterpret_cast<Acc*>(out);
    for (std::int64_t i = 0; i < n; ++i) to[i] = join(to[i], from[i]);
  }

  template <class T, bool Low>
  static constexpr T extreme() {
    if constexpr (std::is_same_v<T, bool>)
      return !Low;
    else if constexpr (m::is_complex_type<T>)
      return T(extreme<decltype(T{}.re), Low>(), extreme<decltype(T{}.re), Low>());
    else if constexpr (std::is_same_v<T, half>)
      return half::of_bits(Low ? 0xfc00 : 0x7c00);
    else if constexpr (std::is_floating_point_v<T>)
      return Low ? -std::numeric_limits<T>::infinity() : std::numeric_limits<T>::infinity();
    else
      return Low ? std::numeric_limits<T>::min() : std::numeric_limits<T>::max();
  }
  static constexpr In identity() {
    if constexpr (Op == op_id::max) return extreme<In, true>();
    else if constexpr (Op == op_id::min) return extreme<In, false>();
    else if constexpr (Op == op_id::prod || Op == op_id::all) return In(1);
    else if constexpr (Op == op_id::any) return In(0);
    else if constexpr (std::is_same_v<In, half>) return half::of_bits(0x8000);
    else if constexpr (std::is_floating_point_v<In>) return -In(0);
    else if constexpr (m::is_complex_type<In>) return In(-0.0, -0.0);
    else return In(0);
  }
  static void fill_identity(char* to, std::int64_t n) {
    for (std::int64_t i = 0; i < n; ++i) reinterpret_cast<In*>(to)[i] = identity();
  }

  static reduce_kernels kernels() {
    return {types.in[0], accumulator, rows, panel, combine, fill_identity};
  }
};

enum class reduction_family { real, integer, complex_ };
constexpr reduction_family family_of_input(dtype_id in) {
  char kind = detail::dtype_table[static_cast<int>(in)].kind;
  return kind == 'c' ? reduction_family::complex_
                     : kind == 'f' ? reduction_family::real : reduction_family::integer;
}

template <reduction_family F, op_id Op>
void fill_reduction(loop_table& table) {
  auto one = [&]<int L>() {
    if constexpr (family_of_input(loops_of<Op>[L].in[0]) == F)
      table.reduce[static_cast<int>(Op) - first_reduction][L] = reducer<Op, L>::kernels();
  };
  [&]<int... L>(std::integer_sequence<int, L...>) {
    (one.template operator()<L>(), ...);
  }(std::make_integer_sequence<int, loop_count<Op>>{});
}

template <reduction_family F>
void fill_reductions(loop_table& table) {
  [&]<int... I>(std::integer_sequence<int, I...>) {
    (fill_reduction<F, static_cast<op_id>(first_reduction + I)>(table), ...);
  }(std::make_integer_sequence<int, reduction_count>{});
}

}  // namespace numjit::eager::NUMJIT_ISA
