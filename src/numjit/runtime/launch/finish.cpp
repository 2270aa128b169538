// Upper levels of reductions, generated from the rows' combine.
#include <numjit/runtime/launch/finish.h>

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include <numjit/base/error.h>
#include <numjit/ops/rows.h>
#include <numjit/runtime/kernels/abi.h>

namespace numjit::runtime::detail {
namespace {

constexpr std::int64_t block = 16;  // columns combined side by side

/// One chunk of up to 1024 values per column: 32 lanes, then halving folds. Lanes that hold nothing
/// are skipped, which equals combining the identity.
template <op_id Op, class T>
void combine_chunk(const T* in, std::int64_t n, std::int64_t step, std::int64_t width, T* out) {
  T lane[chunk_lanes][block];
  const auto lanes = std::min<std::int64_t>(n, chunk_lanes);
  for (std::int64_t l = 0; l < lanes; ++l)
    for (std::int64_t j = 0; j < width; ++j) lane[l][j] = in[l * step + j];
  for (std::int64_t i = chunk_lanes; i < n; ++i)
    for (std::int64_t j = 0; j < width; ++j) {
      T& to = lane[i % chunk_lanes][j];
      to = op_row<Op>::combine(to, in[i * step + j]);
    }
  for (int h = chunk_lanes / 2; h >= 1; h /= 2)
    for (std::int64_t l = 0; l < h && l + h < lanes; ++l)
      for (std::int64_t j = 0; j < width; ++j) lane[l][j] = op_row<Op>::combine(lane[l][j], lane[l + h][j]);
  std::copy(lane[0], lane[0] + width, out);
}

template <op_id Op, class T>
void combine_levels(const T* in, std::int64_t n, std::int64_t step, std::int64_t width, T* out) {
  std::unique_ptr<T[]> sums, next;
  while (n > chunk_size) {
    const std::int64_t chunks = (n + chunk_size - 1) / chunk_size;
    next.reset(new T[static_cast<std::size_t>(chunks * width)]);
    for (std::int64_t c = 0; c < chunks; ++c)
      combine_chunk<Op>(in + c * chunk_size * step, std::min(chunk_size, n - c * chunk_size), step, width,
                        next.get() + c * width);
    sums.swap(next);
    in = sums.get();
    n = chunks;
    step = width;
  }
  combine_chunk<Op>(in, n, step, width, out);
}

template <op_id Op, dtype_id D>
void finish_values(const Partials& p, char* out) {
  using T = std::conditional_t<D == dtype_id::bool_, std::uint8_t, cpp_type<D>>;
  using V = cpp_type<D>;
  auto* to = reinterpret_cast<T*>(out);
  if (p.chunks == 0) {
    constexpr bool one = neutral_of(Op) == op_neutral::one;
    std::fill(to, to + p.width, static_cast<T>(one ? 1 : 0));
    return;
  }
  static_assert(sizeof(T) == sizeof(V));
  for (std::int64_t j = 0; j < p.width; j += block)
    combine_levels<Op>(reinterpret_cast<const V*>(p.values) + j, p.chunks, p.chunk_step, std::min(block, p.width - j),
                       reinterpret_cast<V*>(out) + j);
}

template <op_id Op, dtype_id D>
void finish_index(const Partials& p, char* out) {
  using V = cpp_type<D>;
  const auto* values = reinterpret_cast<const V*>(p.values);
  auto is_nan = [](V v) { return v != v; };
  for (std::int64_t j = 0; j < p.width; ++j) {
    std::int64_t best = 0;
    for (std::int64_t c = 1; c < p.chunks; ++c) {
      const V a = values[best * p.chunk_step + j], b = values[c * p.chunk_step + j];
      const bool wins = op_row<Op>::wins(b, a);
      if (wins || (is_nan(b) && !is_nan(a))) best = c;
    }
    reinterpret_cast<std::int64_t*>(out)[j] = best * chunk_size + p.indices[best * p.chunk_step + j];
  }
}

using finish_function = void (*)(const Partials&, char* out);

template <op_id Op, int Loop>
constexpr finish_function finish_of() {
  constexpr op_loop loop = loops_of<Op>[Loop];
  constexpr bool is_arg = kind_of(Op) == op_kind::argreduction;
  if constexpr ((is_arg ? loop.in[0] : loop.out) == dtype_id::float16)  // reduced as float32
    return nullptr;
  else if constexpr (is_arg)
    return finish_index<Op, loop.in[0]>;
  else
    return finish_values<Op, loop.out>;
}

template <op_id Op>
using loop_numbers = std::make_integer_sequence<int, static_cast<int>(loops_of<Op>.size())>;

template <op_id Op, int... Loop>
finish_function pick(int loop, std::integer_sequence<int, Loop...>) {
  static constexpr std::array<finish_function, sizeof...(Loop)> functions{finish_of<Op, Loop>()...};
  return functions[static_cast<std::size_t>(loop)];
}

}  // namespace

void finish_reduction(op_id op, int loop, const Partials& partials, char* out) {
  finish_function finish = nullptr;
  switch (op) {
#define REDUCTION(name, ...)                                       \
  case op_id::name:                                                \
    finish = pick<op_id::name>(loop, loop_numbers<op_id::name>{}); \
    break;
#define ARGREDUCTION(name, ...) REDUCTION(name)
#include <numjit/ops/all_rows.inc>
    default: break;
  }
  if (!finish) throw InternalError("reduce", "no finishing function for this loop");
  finish(partials, out);
}

}  // namespace numjit::runtime::detail
