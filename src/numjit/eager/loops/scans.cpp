// Running sums and products: segments of 128 scanned one element after the other, the segments' totals
// scanned likewise, and each element joined with the total of the segments before (docs/numerics.md).
#include <numjit/eager/loops/ufunc.h>

namespace numjit::eager::NUMJIT_ISA {
namespace {

template <op_id Op, int Loop>
struct scanner {
  using In = cpp_type<loops_of<Op>[Loop].in[0]>;
  using Out = cpp_type<loops_of<Op>[Loop].out>;
  using Acc = eval_type<Out>;

  [[gnu::always_inline]] static inline Acc load(const char* p) {
    if constexpr (std::is_same_v<In, bool>)
      return static_cast<Acc>(*reinterpret_cast<const unsigned char*>(p) != 0);
    else
      return static_cast<Acc>(static_cast<eval_type<In>>(*reinterpret_cast<const In*>(p)));
  }
  [[gnu::always_inline]] static inline void put(char* p, Acc v) {
    *reinterpret_cast<Out*>(p) = static_cast<Out>(v);
  }
  [[gnu::always_inline]] static inline Acc join(Acc a, Acc b) {
    return static_cast<Acc>(op_row<Op>::combine(a, b));
  }

  /// Scans segments next to each other, element by element of all of them in turn: written out, as the
  /// compiler would gather the far elements into vectors.
  template <int... K>
  [[gnu::always_inline]] static inline void scan_segments(const In* from, Acc* local,
                                                          std::integer_sequence<int, K...>) {
    auto value = [from](std::int64_t i) { return load(reinterpret_cast<const char*>(from + i)); };
    Acc running[] = {value(K * scan_segment)...};
    ((local[K * scan_segment] = running[K]), ...);
    for (std::int64_t i = 1; i < scan_segment; ++i) {
      ((running[K] = join(running[K], value(K * scan_segment + i))), ...);
      ((local[K * scan_segment + i] = running[K]), ...);
    }
  }

  /// Several segments at a time, as long as there are so many: their running values do not wait for one
  /// another. Returns where it stopped; `before` is then the total of all segments up to there.
  static std::int64_t whole_groups(const char* in, std::int64_t n, char* out, Acc& before) {
    constexpr std::int64_t together = 8, group = together * scan_segment;
    alignas(64) Acc local[group];
    const In* from = reinterpret_cast<const In*>(in);
    std::int64_t s = 0;
    for (; s + group <= n; s += group) {
      scan_segments(from + s, local, std::make_integer_sequence<int, together>());
      for (std::int64_t k = 0; k < together; ++k) {
        const Acc* values = local + k * scan_segment;
        char* to = out + (s + k * scan_segment) * static_cast<std::int64_t>(sizeof(Out));
        const bool first = s == 0 && k == 0;
        if (first)
          for (std::int64_t i = 0; i < scan_segment; ++i) put(to + i * sizeof(Out), values[i]);
        else
          for (std::int64_t i = 0; i < scan_segment; ++i) put(to + i * sizeof(Out), join(before, values[i]));
        before = first ? values[scan_segment - 1] : join(before, values[scan_segment - 1]);
      }
    }
    return s;
  }

  template <bool Contiguous>
  static void row(const char* in, std::int64_t stride_, std::int64_t n, char* out,
                  std::int64_t out_stride_) {
    const std::int64_t stride = Contiguous ? sizeof(In) : stride_;
    const std::int64_t out_stride = Contiguous ? sizeof(Out) : out_stride_;
    Acc before{};
    std::int64_t s = 0;
    // From memory one stream at a time is faster than eight.
    if constexpr (Contiguous)
      if (n <= (1 << 19) / static_cast<std::int64_t>(sizeof(Acc))) s = whole_groups(in, n, out, before);
    for (; s < n; s += scan_segment) {
      const std::int64_t end = n - s < scan_segment ? n : s + scan_segment;
      Acc local = load(in + s * stride);
      if (s == 0) {
        put(out, local);
        for (std::int64_t i = 1; i < end; ++i) {
          local = join(local, load(in + i * stride));
          put(out + i * out_stride, local);
        }
        before = local;
      } else {
        put(out + s * out_stride, join(before, local));
        for (std::int64_t i = s + 1; i < end; ++i) {
          local = join(local, load(in + i * stride));
          put(out + i * out_stride, join(before, local));
        }
        before = join(before, local);
      }
    }
  }

  static void rows(const row_block& b, char* out, std::int64_t out_stride,
                   std::int64_t out_row_stride) {
    const bool contiguous = b.stride == static_cast<std::int64_t>(sizeof(In)) &&
                            out_stride == static_cast<std::int64_t>(sizeof(Out));
    for (std::int64_t r = 0; r < b.rows; ++r) {
      const char* in = b.in + r * b.row_stride;
      char* to = out + r * out_row_stride;
      if (contiguous) row<true>(in, b.stride, b.n, to, out_stride);
      else row<false>(in, b.stride, b.n, to, out_stride);
    }
  }

  template <bool Contiguous>
  [[gnu::always_inline]] static inline void columns(const row_block& b, std::int64_t c,
                                                    std::int64_t w, char* out,
                                                    std::int64_t out_stride,
                                                    std::int64_t out_row_stride_, Acc* local,
                                                    Acc* before) {
    const std::int64_t step = Contiguous ? sizeof(In) : b.row_stride;
    const std::int64_t out_step = Contiguous ? sizeof(Out) : out_row_stride_;
    for (std::int64_t i = 0; i < b.n; ++i) {
      const char* p = b.in + i * b.stride + c * step;
      char* q = out + i * out_stride + c * out_step;
      const bool opens = i % scan_segment == 0;
      if (opens && i > 0) {
        const bool second = i == scan_segment;
        for (std::int64_t j = 0; j < w; ++j) before[j] = second ? local[j] : join(before[j], local[j]);
      }
      if (opens) {
        for (std::int64_t j = 0; j < w; ++j) local[j] = load(p + j * step);
      } else {
        NUMJIT_INDEPENDENT
        for (std::int64_t j = 0; j < w; ++j) local[j] = join(local[j], load(p + j * step));
      }
      if (i < scan_segment) {
        NUMJIT_INDEPENDENT
        for (std::int64_t j = 0; j < w; ++j) put(q + j * out_step, local[j]);
      } else {
        NUMJIT_INDEPENDENT
        for (std::int64_t j = 0; j < w; ++j) put(q + j * out_step, join(before[j], local[j]));
      }
    }
  }

  static void panel(const row_block& b, char* out, std::int64_t out_stride,
                    std::int64_t out_row_stride) {
    constexpr std::int64_t width = 256;
    alignas(64) Acc local[width];
    alignas(64) Acc before[width];
    const bool contiguous = b.row_stride == static_cast<std::int64_t>(sizeof(In)) &&
                            out_row_stride == static_cast<std::int64_t>(sizeof(Out));
    for (std::int64_t c = 0; c < b.rows; c += width) {
      const std::int64_t w = b.rows - c < width ? b.rows - c : width;
      if (contiguous) columns<true>(b, c, w, out, out_stride, out_row_stride, local, before);
      else columns<false>(b, c, w, out, out_stride, out_row_stride, local, before);
    }
  }
};

/// The loop whose code a loop takes: its own, or, where code must be short, the one that starts from its results' dtype;
/// callers cast the elements then. float16 is summed as float32, uint64 as int64.
template <op_id Op, int Loop>
constexpr int scanning_loop() {
#ifdef NUMJIT_ONE_LOOP
  constexpr dtype_id from = loops_of<Op>[Loop].in[0], to = loops_of<Op>[Loop].out;
  if (from == dtype_id::int32) return Loop;
  const dtype_id wanted = to == dtype_id::float16 ? dtype_id::float32 : to == dtype_id::uint64 ? dtype_id::int64 : to;
  for (int i = 0; i < loop_count<Op>; ++i)
    if (loops_of<Op>[i].in[0] == wanted && loops_of<Op>[i].out == wanted) return i;
#endif
  return Loop;
}

template <op_id Op, int Loop>
scan_kernels kernels_of() {
  using Scanner = scanner<Op, scanning_loop<Op, Loop>()>;
  constexpr auto own = loops_of<Op>[Loop], code = loops_of<Op>[scanning_loop<Op, Loop>()];
  // The same bits, by another name.
  constexpr bool renamed = own.out == dtype_id::uint64 && code.out == dtype_id::int64;
  return {renamed ? own.out : code.in[0], renamed ? own.out : code.out, Scanner::rows, Scanner::panel};
}

template <op_id Op>
void fill(loop_table& table) {
  [&]<int... L>(std::integer_sequence<int, L...>) { ((table.scan[number_in_kind(Op)][L] = kernels_of<Op, L>()), ...); }
  (std::make_integer_sequence<int, loop_count<Op>>{});
}

}  // namespace

void fill_scans(loop_table& table) {
#define SCAN(name, ...) fill<op_id::name>(table);
#include <numjit/ops/all_rows.inc>
}

}  // namespace numjit::eager::NUMJIT_ISA
