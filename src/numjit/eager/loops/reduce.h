// Reductions in the canonical order of docs/numerics.md: chunks of 1024, 32 lanes, halving folds, and
// the same rule on the chunk results.
#pragma once

#include <limits>
#include <memory>

#include <numjit/eager/loops/ufunc.h>

namespace numjit::eager::NUMJIT_ISA {

template <op_id Op, int Loop>
struct reducer {
  static constexpr op_loop types = loops_of<Op>[Loop];
  using In = cpp_type<types.in[0]>;
  using Out = eval_type<cpp_type<types.out>>;
  /// bool is joined as bytes, 0 or 1: what vectorises.
  using Acc = std::conditional_t<std::is_same_v<Out, bool>, unsigned char, Out>;
  static constexpr dtype_id accumulator =
      types.out == dtype_id::float16 ? dtype_id::float32 : types.out;
  static constexpr bool truth = Op == op_id::any || Op == op_id::all;
  static constexpr bool extremum = Op == op_id::max || Op == op_id::min;
  /// The first element that decides ends the search: any, all, and max and min of bool.
  static constexpr bool decisive = std::is_same_v<Out, bool>;
  static constexpr Acc deciding = Op == op_id::any || Op == op_id::max;
  /// No order can be told from another.
  static constexpr bool any_order = std::is_integral_v<Acc>;
  static constexpr bool narrow_sum =
      Op == op_id::sum && std::is_integral_v<In> && sizeof(In) <= 2 && std::is_integral_v<Acc>;
  static constexpr int lanes = lane_count;

  [[gnu::always_inline]] static inline Acc load(const char* p) {
    if constexpr (std::is_same_v<In, bool>) return *reinterpret_cast<const unsigned char*>(p) != 0;
    const In v = *reinterpret_cast<const In*>(p);
    if constexpr (!truth)
      return static_cast<Acc>(static_cast<eval_type<In>>(v));
    else if constexpr (m::is_complex_type<In>)
      return (v.re != 0) | (v.im != 0);
    else
      return static_cast<eval_type<In>>(v) != eval_type<In>(0);
  }
  [[gnu::always_inline]] static inline Acc join(Acc a, Acc b) {
    // The row's formula in the form that vectors have instructions for. Of equal values the second,
    // a NaN wins.
    if constexpr (decisive) {
      return deciding ? a | b : a & b;
    } else if constexpr (extremum && std::is_arithmetic_v<Acc>) {
      const Acc winner = (Op == op_id::max ? a > b : a < b) ? a : b;
      if constexpr (std::is_integral_v<Acc>) return winner;
      else return a != a ? a : winner;
    } else {
      return static_cast<Acc>(op_row<Op>::combine(a, b));
    }
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
  static constexpr bool exact_neutral = !(Op == op_id::prod && m::is_complex_type<Acc>);
  static constexpr Acc neutral() {
    if constexpr (truth) return Op == op_id::all;
    else
      return static_cast<Acc>(static_cast<eval_type<In>>(neutral_value<In>(neutral_of(Op))));
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

  /// One chunk of values value(i): 0 < n <= chunk_size.
  template <class Value>
  [[gnu::always_inline]] static inline Acc chunk_of(std::int64_t n, const Value& value) {
    alignas(64) Acc lane[lanes];
    if (n < lanes) {
      for (std::int64_t l = 0; l < n; ++l) lane[l] = value(l);
      if constexpr (!exact_neutral) return fold(lane, static_cast<int>(n));
      for (std::int64_t l = n; l < lanes; ++l) lane[l] = neutral();
      return fold_all(lane);
    }
    for (int l = 0; l < lanes; ++l) lane[l] = value(l);
    std::int64_t i = lanes;
    for (; i + lanes <= n; i += lanes) {
      NUMJIT_INDEPENDENT
      for (int l = 0; l < lanes; ++l) lane[l] = join(lane[l], value(i + l));
    }
    for (int l = 0; i < n; ++i, ++l) lane[l] = join(lane[l], value(i));
    return fold_all(lane);
  }
  template <bool Contiguous>
  static Acc chunk(const char* in, std::int64_t stride_, std::int64_t n) {
    const std::int64_t stride = Contiguous ? sizeof(In) : stride_;
    return chunk_of(n, [=](std::int64_t i) __attribute__((always_inline)) { return load(in + i * stride); });
  }

  static constexpr bool of_products = Op == op_id::sum && std::is_same_v<In, Acc>;
  /// One chunk of the products of two contiguous rows.
  static void products(const char* a, const char* b, std::int64_t n, char* out) {
    const In *x = reinterpret_cast<const In*>(a), *y = reinterpret_cast<const In*>(b);
    *reinterpret_cast<Acc*>(out) = chunk_of(
        n, [=](std::int64_t i)
               __attribute__((always_inline)) { return static_cast<Acc>(op_row<op_id::multiply>::eval(x[i], y[i])); });
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

  /// Is one of the elements decisive?
  template <bool Contiguous>
  static Acc search(const char* in, std::int64_t stride_, std::int64_t n) {
    const std::int64_t stride = Contiguous ? sizeof(In) : stride_;
    constexpr std::int64_t block = 256;
    std::int64_t i = 0;
    for (; i + block <= n; i += block) {
      const char* p = in + i * stride;
      unsigned char found = 0;
      for (std::int64_t j = 0; j < block; ++j) found |= load(p + j * stride) == deciding;
      if (found) return deciding;
    }
    unsigned char found = 0;
    for (; i < n; ++i) found |= load(in + i * stride) == deciding;
    return found ? deciding : !deciding;
  }

  template <bool Contiguous>
  static Acc row(const char* in, std::int64_t stride_, std::int64_t n) {
    const std::int64_t stride = Contiguous ? sizeof(In) : stride_;
    if constexpr (decisive) {
      return search<Contiguous>(in, stride, n);
    } else if constexpr (narrow_sum) {
      constexpr std::int64_t block = 4096;  // no 32-bit sum of these overflows
      Acc total = 0;
      for (std::int64_t first = 0; first < n; first += block) {
        const std::int64_t end = n - first < block ? n : first + block;
        std::conditional_t<std::is_signed_v<In>, std::int32_t, std::uint32_t> part = 0;
        for (std::int64_t i = first; i < end; ++i)
          part += element(reinterpret_cast<const In*>(in + i * stride), 0);
        total += static_cast<Acc>(part);
      }
      return total;
    } else if constexpr (any_order) {
      Acc best = load(in);
      for (std::int64_t i = 1; i < n; ++i) best = join(best, load(in + i * stride));
      return best;
    } else if constexpr (extremum && Contiguous && std::is_floating_point_v<In>) {
      Acc best;
      return n >= 64 && extreme_of(in, n, best) ? best : ordered_row<Contiguous>(in, stride, n);
    } else {
      return ordered_row<Contiguous>(in, stride, n);
    }
  }

  /// max or min in no particular order, where that makes no difference: false if there is a NaN or the
  /// result is a zero, whose sign depends on the order. n >= 64.
  static bool extreme_of(const char* in, std::int64_t n, Acc& best) {
    constexpr int width = 256 / sizeof(Acc);
    const In* x = reinterpret_cast<const In*>(in);
    alignas(64) Acc lane[width];
    alignas(64) m::uint_of<Acc> bad[width] = {};
    auto take = [&](const In* row) {
      NUMJIT_INDEPENDENT
      for (int l = 0; l < width; ++l) {
        const Acc v = row[l];
        lane[l] = (Op == op_id::max ? lane[l] > v : lane[l] < v) ? lane[l] : v;
        bad[l] |= v != v;
      }
    };
    for (int l = 0; l < width; ++l) lane[l] = x[l];
    for (std::int64_t i = 0; i + width <= n; i += width) take(x + i);  // the first again: NaNs
    take(x + n - width);
    m::uint_of<Acc> any_bad = 0;
    for (int l = 0; l < width; ++l) any_bad |= bad[l];
    for (int h = width / 2; h > 0; h /= 2) {
      NUMJIT_INDEPENDENT
      for (int l = 0; l < h; ++l)
        lane[l] = (Op == op_id::max ? lane[l] > lane[l + h] : lane[l] < lane[l + h]) ? lane[l]
                                                                                     : lane[l + h];
    }
    best = lane[0];
    return any_bad == 0 && best != 0;
  }

  template <bool Contiguous>
  static Acc ordered_row(const char* in, std::int64_t stride, std::int64_t n) {
    if (n <= chunk_size) {
      return chunk<Contiguous>(in, stride, n);
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

  /// Columns of a wide panel, 16 KiB: pieces of rows that long stream from memory.
  static constexpr std::int64_t wide_width = 16384 / sizeof(Acc);

  /// Many contiguous columns: one lane after the other is summed and folded with those before it,
  /// a piece of row at a time, which needs a buffer for each level of the folds only.
  struct wide_panel {
    const char* in;
    std::int64_t stride, n, w;

    [[gnu::always_inline]] inline const In* at(std::int64_t i) const {
      return reinterpret_cast<const In*>(in + i * stride);
    }
    [[gnu::always_inline]] static inline Acc value(const In* row, std::int64_t j) {
      return load(reinterpret_cast<const char*>(row + j));
    }
    [[gnu::noinline]] void lane(std::int64_t l, Acc* to) const {
      const std::int64_t w = this->w;  // stores to `to` might change the member, for all g++ knows
      const std::int64_t left = (n - l - 1) / lanes;  // rows after the first
      const In* a = at(l);
      std::int64_t i = l + lanes;
      if (left == 0) {
        NUMJIT_INDEPENDENT
        for (std::int64_t j = 0; j < w; ++j) to[j] = value(a, j);
        return;
      }
      const In* b = at(i);
      NUMJIT_INDEPENDENT
      for (std::int64_t j = 0; j < w; ++j) to[j] = join(value(a, j), value(b, j));
      for (i += lanes; i + 3 * lanes < n; i += 4 * lanes) {
        const In *p = at(i), *q = at(i + lanes), *r = at(i + 2 * lanes), *s = at(i + 3 * lanes);
        NUMJIT_INDEPENDENT
        for (std::int64_t j = 0; j < w; ++j)
          to[j] = join(join(join(join(to[j], value(p, j)), value(q, j)), value(r, j)), value(s, j));
      }
      for (; i < n; i += lanes) {
        const In* p = at(i);
        NUMJIT_INDEPENDENT
        for (std::int64_t j = 0; j < w; ++j) to[j] = join(to[j], value(p, j));
      }
    }
    /// Lanes l, l + h, l + 2h, ... folded; the first is there.
    [[gnu::noinline]] void fold_lanes(std::int64_t l, std::int64_t h, Acc* to, Acc* spare) const {
      if (h == lanes) return lane(l, to);
      fold_lanes(l, 2 * h, to, spare);
      if (l + h >= n) return;
      fold_lanes(l + h, 2 * h, spare, spare + wide_width);
      const std::int64_t w = this->w;
      NUMJIT_INDEPENDENT
      for (std::int64_t j = 0; j < w; ++j) to[j] = join(to[j], spare[j]);
    }
  };

  [[gnu::noinline]] static void wide(const row_block& b, Acc* to) {
    // Too much for small stacks.
    const auto memory = std::make_unique_for_overwrite<char[]>(6 * wide_width * sizeof(Acc) + 64);
    Acc* const result =
        reinterpret_cast<Acc*>((reinterpret_cast<std::uintptr_t>(memory.get()) + 63) / 64 * 64);
    Acc* const spare = result + wide_width;
    const std::int64_t pieces = (b.rows + wide_width - 1) / wide_width;
    const std::int64_t even = ((b.rows + pieces - 1) / pieces + 15) / 16 * 16;
    const std::int64_t width = even < wide_width ? even : wide_width;
    for (std::int64_t c = 0; c < b.rows; c += width) {
      const std::int64_t w = b.rows - c < width ? b.rows - c : width;
      wide_panel{b.in + c * b.row_stride, b.stride, b.n, w}.fold_lanes(0, 1, result, spare);
      for (std::int64_t j = 0; j < w; ++j) to[c + j] = result[j];
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
    if (b.row_stride == size && b.rows >= 2 * panel_width) return wide(b, to);
    alignas(64) Acc lane[lanes * panel_width];
    for (std::int64_t c = 0; c < b.rows; c += panel_width) {
      const std::int64_t w = b.rows - c < panel_width ? b.rows - c : panel_width;
      const char* in = b.in + c * b.row_stride;
      if (b.row_stride == size)
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

  static void fill_neutral(char* to, std::int64_t n) {
    for (std::int64_t i = 0; i < n; ++i) reinterpret_cast<In*>(to)[i] = neutral_value<In>(neutral_of(Op));
  }

  static reduce_kernels kernels() {
    reduce_kernels made{types.in[0], accumulator, rows, panel, combine, fill_neutral};
    if constexpr (of_products) made.products = products;
    return made;
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
    if constexpr (family_of_input(loops_of<Op>[L].in[0]) == F) table.reduce[number_in_kind(Op)][L] = reducer<Op, L>::kernels();
  };
  [&]<int... L>(std::integer_sequence<int, L...>) {
    (one.template operator()<L>(), ...);
  }(std::make_integer_sequence<int, loop_count<Op>>{});
}

template <reduction_family F>
void fill_reductions(loop_table& table) {
  [&]<int... I>(std::integer_sequence<int, I...>) { (fill_reduction<F, op_of_kind(op_kind::reduction, I)>(table), ...); }
  (std::make_integer_sequence<int, count_of(op_kind::reduction)>{});
}

}  // namespace numjit::eager::NUMJIT_ISA
