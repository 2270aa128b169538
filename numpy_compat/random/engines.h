// The bit generators: their state as words in memory, and the next bits of each.
//
// A generator's state is an array of uint64 words, so that compiled functions see it as what it is: memory
// that a draw reads and writes. The first words are common to all, see state_header; the rest is the
// engine's own.
#pragma once

#include <bit>
#include <cstdint>

namespace numjit::random::detail {

__extension__ typedef unsigned __int128 uint128;

enum class engine_kind : std::uint64_t { pcg64, pcg64dxsm, mt19937, philox, sfc64 };
inline constexpr int engine_count = 5;

/// What every state begins with.
struct state_header {
  engine_kind kind;
  std::uint32_t has_uint32;  // half of a 64-bit draw is left over,
  std::uint32_t uinteger;    // namely this
  std::uint64_t has_gauss;   // the legacy normal draws two at a time: one is left over,
  double gauss;              // namely this
};

/// 53 bits as a float64 in [0, 1).
inline double to_unit(std::uint64_t bits) {
  return static_cast<double>(bits >> 11) * (1.0 / 9007199254740992.0);
}

/// Engines of 64 bits hand out halves of a draw, the lower one first.
template <class Engine>
struct halves : state_header {
  std::uint32_t next32() {
    if (has_uint32) {
      has_uint32 = 0;
      return uinteger;
    }
    const std::uint64_t next = static_cast<Engine*>(this)->next64();
    has_uint32 = 1;
    uinteger = static_cast<std::uint32_t>(next >> 32);
    return static_cast<std::uint32_t>(next);
  }
  double next_double() { return to_unit(static_cast<Engine*>(this)->next64()); }
  std::uint64_t next_raw() { return static_cast<Engine*>(this)->next64(); }
};

inline uint128 pcg64_multiplier() {
  return static_cast<uint128>(2549297995355413924u) << 64 | 4865540595714422341u;
}

/// A linear congruential sequence of 128 bits (O'Neill, PCG, 2014), and jumping ahead in it.
template <class Engine>
struct pcg_base : halves<Engine> {
  std::uint64_t state_low, state_high, inc_low, inc_high;

  uint128 state() const { return static_cast<uint128>(state_high) << 64 | state_low; }
  uint128 inc() const { return static_cast<uint128>(inc_high) << 64 | inc_low; }
  void set_state(uint128 s) {
    state_low = static_cast<std::uint64_t>(s);
    state_high = static_cast<std::uint64_t>(s >> 64);
  }
  void step() { set_state(state() * Engine::multiplier() + inc()); }
  /// With PCG64's multiplier, as NumPy does for both.
  void seed(uint128 start, uint128 sequence) {
    const uint128 i = sequence << 1 | 1;
    inc_low = static_cast<std::uint64_t>(i);
    inc_high = static_cast<std::uint64_t>(i >> 64);
    set_state((i + start) * pcg64_multiplier() + i);
  }
  /// As if `delta` values of 64 bits had been drawn (Brown, Random Number Generation with Arbitrary
  /// Strides, 1994).
  void advance(uint128 delta) {
    uint128 multiplier = Engine::multiplier(), plus = inc(), by = 1, sum = 0;
    for (; delta > 0; delta >>= 1) {
      if (delta & 1) {
        by *= multiplier;
        sum = sum * multiplier + plus;
      }
      plus *= multiplier + 1;
      multiplier *= multiplier;
    }
    set_state(by * state() + sum);
  }
  void skip(std::uint64_t words) { advance(words); }
};

struct pcg64 : pcg_base<pcg64> {
  static uint128 multiplier() { return pcg64_multiplier(); }
  std::uint64_t next64() {
    step();
    return std::rotr(state_high ^ state_low, static_cast<int>(state_high >> 58));
  }
};

struct pcg64dxsm : pcg_base<pcg64dxsm> {
  static constexpr std::uint64_t cheap_multiplier = 0xda942042e4dd58b5u;
  static uint128 multiplier() { return cheap_multiplier; }
  std::uint64_t next64() {
    std::uint64_t high = state_high;
    const std::uint64_t low = state_low | 1;
    high ^= high >> 32;
    high *= cheap_multiplier;
    high ^= high >> 48;
    high *= low;
    step();
    return high;
  }
};

/// The Mersenne Twister (Matsumoto and Nishimura, 1998).
struct mt19937 : state_header {
  static constexpr int length = 624, offset = 397;
  std::uint64_t position;
  std::uint32_t key[length];

  void refill() {
    auto mixed = [&](int i, int next) {
      const std::uint32_t y = (key[i] & 0x80000000u) | (key[next] & 0x7fffffffu);
      return (y >> 1) ^ ((0u - (y & 1u)) & 0x9908b0dfu);
    };
    for (int i = 0; i < length - offset; ++i) key[i] = key[i + offset] ^ mixed(i, i + 1);
    for (int i = length - offset; i < length - 1; ++i) key[i] = key[i + offset - length] ^ mixed(i, i + 1);
    key[length - 1] = key[offset - 1] ^ mixed(length - 1, 0);
    position = 0;
  }
  std::uint32_t next32() {
    if (position == length) refill();
    std::uint32_t y = key[position++];
    y ^= y >> 11;
    y ^= (y << 7) & 0x9d2c5680u;
    y ^= (y << 15) & 0xefc60000u;
    return y ^ y >> 18;
  }
  std::uint64_t next64() {
    const std::uint64_t high = next32();
    return high << 32 | next32();
  }
  double next_double() {
    const double a = next32() >> 5, b = next32() >> 6;
    return (a * 67108864.0 + b) / 9007199254740992.0;
  }
  std::uint64_t next_raw() { return next32(); }

  /// The state of one integer seed.
  void seed(std::uint32_t s) {
    for (int i = 0; i < length; ++i) {
      key[i] = s;
      s = 1812433253u * (s ^ s >> 30) + static_cast<std::uint32_t>(i) + 1;
    }
    position = length;
  }
  /// The state of a list of integers, which is not empty.
  void seed(const std::uint32_t* words, std::size_t count) {
    seed(19650218u);
    std::uint32_t i = 1;
    auto advance = [&] {
      if (++i < length) return;
      key[0] = key[length - 1];
      i = 1;
    };
    auto before = [&] { return key[i - 1] ^ key[i - 1] >> 30; };
    std::size_t j = 0;
    for (std::size_t k = count > length ? count : length; k > 0; --k) {
      key[i] = (key[i] ^ before() * 1664525u) + words[j] + static_cast<std::uint32_t>(j);
      if (++j >= count) j = 0;
      advance();
    }
    for (int k = length - 1; k > 0; --k) {
      key[i] = (key[i] ^ before() * 1566083941u) - i;
      advance();
    }
    key[0] = 0x80000000u;
  }
};
/// 2^128 values ahead.
void jump(mt19937& g);

/// Philox 4x64 with 10 rounds: a counter under a key (Salmon et al., Parallel Random Numbers: As Easy as
/// 1, 2, 3, 2011).
struct philox : halves<philox> {
  std::uint64_t counter[4], key[2], buffer[4], position;

  void reset_buffer() {
    has_uint32 = 0;
    uinteger = 0;
    position = 4;
    for (std::uint64_t& b : buffer) b = 0;
  }
  void count_up(const std::uint64_t (&by)[4]) {
    uint128 carry = 0;
    for (int i = 0; i < 4; ++i) {
      carry += static_cast<uint128>(counter[i]) + by[i];
      counter[i] = static_cast<std::uint64_t>(carry);
      carry >>= 64;
    }
  }
  std::uint64_t next64() {
    if (position < 4) return buffer[position++];
    count_up({1, 0, 0, 0});
    std::uint64_t c[4] = {counter[0], counter[1], counter[2], counter[3]}, k[2] = {key[0], key[1]};
    for (int round = 0; round < 10; ++round) {
      const uint128 p = static_cast<uint128>(0xd2e7470ee14c6c93u) * c[0];
      const uint128 q = static_cast<uint128>(0xca5a826395121157u) * c[2];
      c[0] = static_cast<std::uint64_t>(q >> 64) ^ c[1] ^ k[0];
      c[1] = static_cast<std::uint64_t>(q);
      c[2] = static_cast<std::uint64_t>(p >> 64) ^ c[3] ^ k[1];
      c[3] = static_cast<std::uint64_t>(p);
      k[0] += 0x9e3779b97f4a7c15u;
      k[1] += 0xbb67ae8584caa73bu;
    }
    for (int i = 0; i < 4; ++i) buffer[i] = c[i];
    position = 1;
    return buffer[0];
  }
  /// As if so many values had been drawn.
  void skip(std::uint64_t words) {
    const std::uint64_t left = 4 - position;
    if (words <= left) {
      position += words;
      return;
    }
    const std::uint64_t beyond = words - left - 1;
    count_up({beyond / 4, 0, 0, 0});
    position = 4;
    next64();
    position = beyond % 4 + 1;
  }
};

/// Small fast chaotic generator of 64 bits (Doty-Humphrey, PractRand).
struct sfc64 : halves<sfc64> {
  std::uint64_t s[4];

  std::uint64_t next64() {
    const std::uint64_t out = s[0] + s[1] + s[3]++;
    s[0] = s[1] ^ s[1] >> 11;
    s[1] = s[2] + (s[2] << 3);
    s[2] = std::rotl(s[2], 24) + out;
    return out;
  }
  void seed(const std::uint64_t* words) {
    for (int i = 0; i < 3; ++i) s[i] = words[i];
    s[3] = 1;
    for (int i = 0; i < 12; ++i) next64();
  }
};

/// Calls f with the state's engine, by reference.
template <class F>
decltype(auto) with_engine(void* state, F&& f) {
  switch (static_cast<state_header*>(state)->kind) {
    case engine_kind::pcg64: return f(*static_cast<pcg64*>(state));
    case engine_kind::pcg64dxsm: return f(*static_cast<pcg64dxsm*>(state));
    case engine_kind::mt19937: return f(*static_cast<mt19937*>(state));
    case engine_kind::philox: return f(*static_cast<philox*>(state));
    default: return f(*static_cast<sfc64*>(state));
  }
}

/// Words of an engine's state.
inline int state_words(engine_kind kind) {
  switch (kind) {
    case engine_kind::pcg64:
    case engine_kind::pcg64dxsm: return sizeof(pcg64) / 8;
    case engine_kind::mt19937: return sizeof(mt19937) / 8;
    case engine_kind::philox: return sizeof(philox) / 8;
    default: return sizeof(sfc64) / 8;
  }
}

/// Any engine, for what is not worth a copy of its code per engine.
class bits {
 public:
  explicit bits(void* state);
  std::uint64_t next64() { return table_->next64(state_); }
  std::uint32_t next32() { return table_->next32(state_); }
  double next_double() { return table_->next_double(state_); }
  float next_float() { return static_cast<float>(next32() >> 8) * (1.0f / 16777216.0f); }
  state_header& header() { return *static_cast<state_header*>(state_); }

  struct functions {
    std::uint64_t (*next64)(void*);
    std::uint32_t (*next32)(void*);
    double (*next_double)(void*);
  };

 private:
  void* state_;
  const functions* table_;
};

/// Calls f with the state's engine where it is worth a copy of f's code, else with its bits: in a page, whose code
/// travels, only the engine that everybody takes is.
template <class F>
decltype(auto) with_frequent_engine(void* state, F&& f) {
#ifdef __EMSCRIPTEN__
  if (static_cast<state_header*>(state)->kind == engine_kind::pcg64) return f(*static_cast<pcg64*>(state));
  bits any(state);
  return f(any);
#else
  return with_engine(state, f);
#endif
}

}  // namespace numjit::random::detail
