// Draws that a device can make: Philox, whose words are functions of a counter.
#include <bit>
#include <limits>

#include "draws.h"

namespace numjit::random::detail {
namespace {

using numjit::detail::counted_draw;
using words = layout::draw;

constexpr std::uint64_t words_of_block = 4;

void count_up(philox& g, std::uint64_t blocks) { g.count_up({blocks, 0, 0, 0}); }

/// Where the stream stands. False: the words left over are not those of the counter, since somebody set them.
bool place_in_stream(const philox& g, counted_draw& plan) {
  philox next = g;
  if (g.position < words_of_block) {
    philox again = g;
    again.count_up({~0ull, ~0ull, ~0ull, ~0ull});  // one less
    again.position = words_of_block;
    again.next64();
    for (std::uint64_t k = g.position; k < words_of_block; ++k)
      if (again.buffer[k] != g.buffer[k]) return false;
  } else {
    count_up(next, 1);
  }
  for (int k = 0; k < 4; ++k) plan.counter[k] = next.counter[k];
  for (int k = 0; k < 2; ++k) plan.key[k] = g.key[k];
  plan.first = static_cast<std::int64_t>(g.position % words_of_block);
  plan.has_half = g.has_uint32 != 0;
  plan.half = g.uinteger;
  return true;
}

/// Reals of [0, 1), or of a range.
bool plan_uniform(distribution d, const op_params& params, dtype_id type, counted_draw& plan) {
  if (type != dtype_id::float64 && (type != dtype_id::float32 || d != distribution::random)) return false;
  plan.kind = counted_draw::number::uniform;
  plan.unit = type == dtype_id::float32 ? dtype_id::uint32 : dtype_id::uint64;
  plan.is_unit_interval = d == distribution::random;
  plan.low = params.real(words::values);
  plan.scale = params.real(words::values + 1);
  return true;
}

template <class Word>
void plan_range(std::uint64_t range, counted_draw& plan) {
  plan.limit = static_cast<Word>(range + 1);
  if (plan.limit == 0) return;
  const auto limit = static_cast<Word>(plan.limit);
  plan.threshold = static_cast<Word>(static_cast<Word>(0 - limit) % limit);
}

/// Integers by Lemire's method, each from one unit that is not passed over.
bool plan_integers(const op_params& params, dtype_id type, counted_draw& plan) {
  if (params[words::options] & masked) return false;
  const auto range = static_cast<std::uint64_t>(params[words::values + 1]);
  if (range == 0) return false;  // draws nothing
  plan.offset = static_cast<std::uint64_t>(params[words::values]);
  plan.kind = type == dtype_id::bool_ ? counted_draw::number::bit : counted_draw::number::whole;
  switch (type == dtype_id::bool_ ? 0 : dtype(type).itemsize()) {
    case 0: plan.unit = dtype_id::bool_; break;
    case 1: plan.unit = dtype_id::uint8; plan_range<std::uint8_t>(range, plan); break;
    case 2: plan.unit = dtype_id::uint16; plan_range<std::uint16_t>(range, plan); break;
    default:
      if (range <= std::numeric_limits<std::uint32_t>::max())
        plan.unit = dtype_id::uint32, plan_range<std::uint32_t>(range, plan);
      else plan.unit = dtype_id::uint64, plan_range<std::uint64_t>(range, plan);
  }
  return true;
}

bool plan(const void* state, const op_params& params, dtype_id type, counted_draw& plan) {
  if (static_cast<const state_header*>(state)->kind != engine_kind::philox) return false;
  plan = {};
  if ((params[words::options] & 7) != 0) return false;  // parameters that are arrays
  const auto d = static_cast<distribution>(params[words::distribution]);
  switch (d) {
    case distribution::random:
    case distribution::uniform:
    case distribution::legacy_uniform:
      if (!plan_uniform(d, params, type, plan)) return false;
      break;
    case distribution::integers:
      if (!plan_integers(params, type, plan)) return false;
      break;
    default: return false;
  }
  return place_in_stream(*static_cast<const philox*>(state), plan);
}

/// As if as many words had been drawn, with the same block kept afterwards.
void skip_words(philox& g, std::uint64_t n) {
  if (n == 0) return;
  const std::uint64_t kept = words_of_block - g.position;
  if (n <= kept) {
    g.position += n;
    return;
  }
  n -= kept;
  count_up(g, (n - 1) / words_of_block);
  g.position = words_of_block;
  for (std::uint64_t last = (n - 1) % words_of_block + 1; last > 0; --last) g.next64();
}

void move_on(void* state, dtype_id unit, std::int64_t units) {
  auto& g = *static_cast<philox*>(state);
  if (unit == dtype_id::uint64) return skip_words(g, static_cast<std::uint64_t>(units));
  const std::uint64_t parts = unit == dtype_id::bool_ ? 32 : 4 / dtype(unit).itemsize();
  std::uint64_t halves = (static_cast<std::uint64_t>(units) + parts - 1) / parts;
  if (halves > 0 && g.has_uint32) {
    g.next32();
    --halves;
  }
  if (halves == 0) return;
  // The last word is drawn as the host does it, which leaves its upper half behind.
  const std::uint64_t whole = (halves - 1) / 2;
  skip_words(g, whole);
  for (std::uint64_t k = 2 * whole; k < halves; ++k) g.next32();
}

[[maybe_unused]] const bool installed = [] {
  numjit::detail::counted = {&plan, &move_on};
  return true;
}();

}  // namespace
}  // namespace numjit::random::detail
