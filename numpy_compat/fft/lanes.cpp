// Groups of lines in vectors: compiled once for each instruction set, as eager loops are.
#include "lanes.h"

#include <cstring>

#include "line_impl.h"

namespace numjit::fft::detail::NUMJIT_ISA {
namespace {

#if defined(NUMJIT_ISA_v4)
constexpr int bytes = 64;
#elif defined(NUMJIT_ISA_v3)
constexpr int bytes = 32;
#else
constexpr int bytes = 16;
#endif
template <class T>
inline constexpr int lanes = bytes / static_cast<int>(sizeof(T));
typedef float floats __attribute__((vector_size(bytes)));
typedef double doubles __attribute__((vector_size(bytes)));

/// Do all lanes' lines lie at this distance from each other, so that a vector of their elements is neighbours in memory?
template <class T, class Pointer>
bool side_by_side(const LineGroup<T>& g, const Pointer (&lines)[most_lanes], std::ptrdiff_t distance) {
  bool all = g.count == lanes<T>;
  for (int l = 1; l < g.count; ++l) all = all && lines[l] - lines[l - 1] == distance;
  return all;
}

/// Squares of numbers whose rows become columns in registers of 16 bytes.
template <class T>
struct tile;
template <>
struct tile<float> {
  static constexpr int size = 4;
  typedef float row __attribute__((vector_size(16)));
  static void transpose(row (&r)[4]) {
    const row ab = __builtin_shufflevector(r[0], r[1], 0, 4, 1, 5), cd = __builtin_shufflevector(r[2], r[3], 0, 4, 1, 5);
    const row AB = __builtin_shufflevector(r[0], r[1], 2, 6, 3, 7), CD = __builtin_shufflevector(r[2], r[3], 2, 6, 3, 7);
    r[0] = __builtin_shufflevector(ab, cd, 0, 1, 4, 5), r[1] = __builtin_shufflevector(ab, cd, 2, 3, 6, 7);
    r[2] = __builtin_shufflevector(AB, CD, 0, 1, 4, 5), r[3] = __builtin_shufflevector(AB, CD, 2, 3, 6, 7);
  }
};
template <>
struct tile<double> {
  static constexpr int size = 2;
  typedef double row __attribute__((vector_size(16)));
  static void transpose(row (&r)[2]) {
    const row first = __builtin_shufflevector(r[0], r[1], 0, 2);
    r[1] = __builtin_shufflevector(r[0], r[1], 1, 3);
    r[0] = first;
  }
};

/// Columns of numbers, `count` of them, become rows of lanes, or the other way round, scaled: from(i, l) and to(i, l) are
/// where the i-th number of line l lies. How many were done, whole tiles of them.
template <class T, class From, class To>
std::int64_t move_tiles(std::int64_t count, bool to_lanes, T factor, From from, To to) {
  using square = tile<T>;
  constexpr int size = square::size;
  std::int64_t i = 0;
  for (; i + size <= count; i += size)
    for (int l = 0; l < lanes<T>; l += size) {
      typename square::row r[size];
      for (int k = 0; k < size; ++k) std::memcpy(&r[k], to_lanes ? from(i, l + k) : from(i + k, l), 16);
      square::transpose(r);
      for (int k = 0; k < size; ++k) {
        if (!to_lanes) r[k] *= factor;
        std::memcpy(to_lanes ? to(i + k, l) : to(i, l + k), &r[k], 16);
      }
    }
  return i;
}

/// Each line to its lane: elements of `have` numbers as ones of `want` numbers.
template <int have, int want, class T>
void read(const LineGroup<T>& g, std::int64_t n, T* to) {
  constexpr int width = lanes<T>, element = have * static_cast<int>(sizeof(T));
  const std::int64_t some = std::min(g.have, n);
  const auto number = [&](std::int64_t i, int l) { return reinterpret_cast<const T*>(g.begins[l] + i * g.step); };
  if (side_by_side(g, g.begins, element)) {
    for (std::int64_t i = 0; i < some; ++i) {
      const T* from = number(i, 0);
      T* row = to + i * want * width;
      for (int l = 0; l < width; ++l) row[l] = from[l * have];
      if constexpr (want == 2)
        for (int l = 0; l < width; ++l) row[width + l] = have == 2 ? from[l * have + 1] : T(0);
    }
  } else {
    std::int64_t i = 0;
    if (g.count < width)
      std::fill_n(to, some * want * width, T(0));
    else if (have == want && g.step == element)
      i = move_tiles<T>(
              some * want, true, T(1), [&](std::int64_t k, int l) { return number(0, l) + k; },
              [&](std::int64_t k, int l) { return to + k * width + l; }) /
          want;
    for (; i < some; ++i)
      for (int l = 0; l < g.count; ++l) {
        T* row = to + i * want * width;
        row[l] = number(i, l)[0];
        if constexpr (want == 2) row[width + l] = have == 2 ? number(i, l)[1] : T(0);
      }
  }
  std::fill_n(to + some * want * width, (n - some) * want * width, T(0));
}

template <int parts, class T>
void write(const LineGroup<T>& g, std::int64_t n, const T* from) {
  constexpr int width = lanes<T>;
  const bool neighbours = side_by_side(g, g.places, parts);
  std::int64_t i = 0;
  for (; neighbours && i < n; ++i) {
    T* to = g.places[0] + i * g.step_out;
    const T* row = from + i * parts * width;
    for (int l = 0; l < width; ++l)
      for (int part = 0; part < parts; ++part) to[l * parts + part] = row[part * width + l] * g.factor;
  }
  if (i == 0 && g.count == width && g.step_out == parts)
    i = move_tiles<T>(
            n * parts, false, g.factor, [&](std::int64_t k, int l) { return from + k * width + l; },
            [&](std::int64_t k, int l) { return g.places[l] + k; }) /
        parts;
  for (; i < n; ++i)
    for (int l = 0; l < g.count; ++l)
      for (int part = 0; part < parts; ++part)
        g.places[l][i * g.step_out + part] = from[(i * parts + part) * width + l] * g.factor;
}

template <class vector, class T>
void run(const LineTransform<T>& t, const LineGroup<T>& g) {
  if (t.is_complex_in())
    g.complex_elements ? read<2, 2>(g, t.n_in(), g.in) : read<1, 2>(g, t.n_in(), g.in);
  else
    g.complex_elements ? read<2, 1>(g, t.n_in(), g.in) : read<1, 1>(g, t.n_in(), g.in);
  run_line(t, reinterpret_cast<const vector*>(g.in), reinterpret_cast<vector*>(g.out), reinterpret_cast<cpx<vector>*>(g.work));
  t.is_complex_out() ? write<2>(g, t.n_out(), g.out) : write<1>(g, t.n_out(), g.out);
}

}  // namespace

const LaneFunctions& lane_functions() {
  static constexpr LaneFunctions functions = {bytes, run<floats>, run<doubles>};
  return functions;
}

}  // namespace numjit::fft::detail::NUMJIT_ISA
