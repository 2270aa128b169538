// Standard normal and exponential numbers by the ziggurat method, in float64 and float32.
#pragma once

#include "engines.h"
#include "exact_math.h"

namespace numjit::random::detail {

namespace ziggurat {
#include "ziggurat_tables.inc"
inline constexpr double normal_end = 3.6541528853610087963519472518, normal_end_inverse = 0.27366123732975827203338247596,
                        exponential_end = 7.6971174701310497140446280481;
}  // namespace ziggurat

template <class Engine>
float next_float(Engine& g) {
  return static_cast<float>(g.next32() >> 8) * (1.0f / 16777216.0f);
}

/// Beyond the last layer: an exponential proposal. `negative` decides the side.
template <class Engine>
double normal_tail(Engine& g, bool negative) {
  for (;;) {
    const double x = -ziggurat::normal_end_inverse * exact::log1p(-g.next_double());
    const double y = -exact::log1p(-g.next_double());
    if (y + y > x * x) return negative ? -(ziggurat::normal_end + x) : ziggurat::normal_end + x;
  }
}
template <class Engine>
float normal_tail_single(Engine& g, bool negative) {
  constexpr float end = static_cast<float>(ziggurat::normal_end),
                  inverse = static_cast<float>(ziggurat::normal_end_inverse);
  for (;;) {
    const float x = -inverse * exact::log1p(-next_float(g));
    const float y = -exact::log1p(-next_float(g));
    if (y + y > x * x) return negative ? -(end + x) : end + x;
  }
}

template <class Engine>
double standard_normal(Engine& g) {
  using namespace ziggurat;
  for (;;) {
    const std::uint64_t r = g.next64();
    const auto layer = static_cast<unsigned>(r & 0xff);
    const std::uint64_t n = r >> 9 & 0xfffffffffffff;
    double x = static_cast<double>(static_cast<std::int64_t>(n)) * wi_double[layer];
    if (r >> 8 & 1) x = -x;
    if (n < ki_double[layer]) [[likely]] return x;
    if (layer == 0) return normal_tail(g, n >> 8 & 1);
    if ((fi_double[layer - 1] - fi_double[layer]) * g.next_double() + fi_double[layer] < exact::exp(-0.5 * x * x))
      return x;
  }
}

template <class Engine>
float standard_normal_single(Engine& g) {
  using namespace ziggurat;
  for (;;) {
    const std::uint32_t r = g.next32();
    const unsigned layer = r & 0xff;
    const std::uint32_t n = r >> 9 & 0x7fffff;
    float x = static_cast<float>(n) * wi_float[layer];
    if (r >> 8 & 1) x = -x;
    if (n < ki_float[layer]) [[likely]] return x;
    if (layer == 0) return normal_tail_single(g, n >> 8 & 1);
    // As NumPy: the product in double.
    if (static_cast<double>((fi_float[layer - 1] - fi_float[layer]) * next_float(g) + fi_float[layer]) <
        exact::exp(-0.5 * static_cast<double>(x) * static_cast<double>(x)))
      return x;
  }
}

template <class Engine>
double standard_exponential(Engine& g) {
  using namespace ziggurat;
  for (;;) {
    std::uint64_t r = g.next64() >> 3;
    const auto layer = static_cast<unsigned>(r & 0xff);
    r >>= 8;
    const double x = static_cast<double>(static_cast<std::int64_t>(r)) * we_double[layer];
    if (r < ke_double[layer]) [[likely]] return x;
    if (layer == 0) return exponential_end - exact::log1p(-g.next_double());
    if ((fe_double[layer - 1] - fe_double[layer]) * g.next_double() + fe_double[layer] < exact::exp(-x)) return x;
  }
}

template <class Engine>
float standard_exponential_single(Engine& g) {
  using namespace ziggurat;
  for (;;) {
    std::uint32_t r = g.next32() >> 1;
    const unsigned layer = r & 0xff;
    r >>= 8;
    const float x = static_cast<float>(r) * we_float[layer];
    if (r < ke_float[layer]) [[likely]] return x;
    if (layer == 0) return static_cast<float>(exponential_end) - exact::log1p(-next_float(g));
    if ((fe_float[layer - 1] - fe_float[layer]) * next_float(g) + fe_float[layer] < exact::exp(-x)) return x;
  }
}

}  // namespace numjit::random::detail
