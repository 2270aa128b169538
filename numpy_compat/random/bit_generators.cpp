// Seeds and bit generators: SeedSequence, the states of the five engines, jumping ahead.
#include <random>

#include <surface.h>

#include "draws.h"

namespace numjit::random {

using detail::engine_kind;
using detail::with_engine;

// ---- seeds ----

seed_value::seed_value(const array& values) : is_list_(values.ndim() > 0) {
  const char kind = values.dtype().kind();
  if (kind != 'i' && kind != 'u' && kind != 'b') throw TypeError("SeedSequence", "seed must be integer");
  const array flat = numjit::detail::readable(values, "data");
  for (std::int64_t i = 0; i < flat.size(); ++i) {
    const std::int64_t v = detail::reader::integer_of(flat.get()->data + i * static_cast<std::int64_t>(flat.itemsize()),
                                                      flat.get()->type);
    negative_ = negative_ || (kind == 'i' && v < 0);
    values_.push_back(static_cast<std::uint64_t>(v));
  }
}

namespace {

// The hash and its constants are those of O'Neill's seed_seq_fe (2015).
constexpr std::uint32_t init_a = 0x43b0d7e5, multiply_a = 0x931e8875, init_b = 0x8b51f9dd, multiply_b = 0x58f38ded,
                        mix_left = 0xca01f9dd, mix_right = 0x4973f715;

class Hash {
 public:
  std::uint32_t operator()(std::uint32_t value) {
    value ^= constant_;
    constant_ *= multiply_a;
    value *= constant_;
    return value ^ value >> 16;
  }

 private:
  std::uint32_t constant_ = init_a;
};

std::uint32_t mix(std::uint32_t x, std::uint32_t y) {
  const std::uint32_t result = mix_left * x - mix_right * y;
  return result ^ result >> 16;
}

/// Integers as words of 32 bits, the lowest first, each without leading zeros.
void append(std::vector<std::uint32_t>& to, const std::vector<std::uint64_t>& values) {
  for (std::uint64_t v : values) {
    to.push_back(static_cast<std::uint32_t>(v));
    if (v >> 32) to.push_back(static_cast<std::uint32_t>(v >> 32));
  }
}

std::vector<std::uint64_t> system_entropy() {
  std::random_device device;
  std::vector<std::uint64_t> words;
  for (int i = 0; i < 4; ++i) words.push_back(device());
  return words;
}

}  // namespace

SeedSequence::SeedSequence() : SeedSequence(seed_value(system_entropy())) {}

SeedSequence::SeedSequence(const seed_value& entropy, std::vector<std::uint64_t> spawn_key, int pool_size,
                           std::uint32_t n_children_spawned)
    : entropy_(entropy.values()), spawn_key_(std::move(spawn_key)), children_(n_children_spawned) {
  constexpr int least = 4;
  if (pool_size < least) throw ValueError("SeedSequence", "The size of the entropy pool should be at least 4");
  if (entropy.negative()) throw ValueError("SeedSequence", "expected non-negative integer");
  const auto size = static_cast<std::size_t>(pool_size);
  std::vector<std::uint32_t> words;
  append(words, entropy_);
  if (!spawn_key_.empty() && words.size() < size) words.resize(size);
  append(words, spawn_key_);
  Hash hash;
  pool_.resize(size);
  for (std::size_t i = 0; i < size; ++i) pool_[i] = hash(i < words.size() ? words[i] : 0);
  for (std::size_t from = 0; from < size; ++from)
    for (std::size_t to = 0; to < size; ++to)
      if (from != to) pool_[to] = mix(pool_[to], hash(pool_[from]));
  for (std::size_t from = size; from < words.size(); ++from)
    for (std::uint32_t& to : pool_) to = mix(to, hash(words[from]));
}

std::vector<std::uint32_t> SeedSequence::words(std::size_t n) const {
  std::vector<std::uint32_t> out(n);
  std::uint32_t constant = init_b;
  for (std::size_t i = 0; i < n; ++i) {
    std::uint32_t v = pool_[i % pool_.size()] ^ constant;
    constant *= multiply_b;
    v *= constant;
    out[i] = v ^ v >> 16;
  }
  return out;
}

std::vector<std::uint64_t> SeedSequence::long_words(std::size_t n) const {
  const std::vector<std::uint32_t> halves = words(2 * n);
  std::vector<std::uint64_t> out(n);
  for (std::size_t i = 0; i < n; ++i) out[i] = static_cast<std::uint64_t>(halves[2 * i + 1]) << 32 | halves[2 * i];
  return out;
}

array SeedSequence::generate_state(std::int64_t n, numjit::dtype type) const {
  if (type != uint32 && type != uint64) throw ValueError("generate_state", "only support uint32 or uint64");
  array out = numjit::detail::fresh(type.id(), dims{n});
  const auto count = static_cast<std::size_t>(n);
  if (type == uint32) {
    const auto w = words(count);
    std::copy(w.begin(), w.end(), numjit::detail::data_of<std::uint32_t>(out));
  } else {
    const auto w = long_words(count);
    std::copy(w.begin(), w.end(), numjit::detail::data_of<std::uint64_t>(out));
  }
  return out;
}

std::vector<SeedSequence> SeedSequence::spawn(int n) {
  if (n < 0) throw ValueError("spawn", "n_children must be non-negative");
  std::vector<SeedSequence> out;
  for (int i = 0; i < n; ++i) {
    std::vector<std::uint64_t> key = spawn_key_;
    key.push_back(children_++);
    out.emplace_back(seed_value(entropy_), std::move(key), static_cast<int>(pool_.size()));
  }
  return out;
}

// ---- states ----

namespace {

constexpr const char* names[detail::engine_count] = {"PCG64", "PCG64DXSM", "MT19937", "Philox", "SFC64"};

array new_state(engine_kind kind) {
  array state = numjit::detail::fresh(dtype_id::uint64, dims{detail::state_words(kind)});
  std::fill_n(numjit::detail::data_of<std::uint64_t>(state), state.size(), 0);
  static_cast<detail::state_header*>(static_cast<void*>(state.get()->data))->kind = kind;
  ++numjit::detail::generators_made;
  return state;
}

void seed_engine(detail::mt19937& g, const SeedSequence& seed) {
  const auto w = seed.words(detail::mt19937::length);
  std::copy(w.begin(), w.end(), g.key);
  g.key[0] = 0x80000000u;
  g.position = detail::mt19937::length - 1;
}
void seed_engine(detail::philox& g, const SeedSequence& seed) {
  const auto w = seed.long_words(2);
  std::copy(w.begin(), w.end(), g.key);
  g.reset_buffer();
}
void seed_engine(detail::sfc64& g, const SeedSequence& seed) { g.seed(seed.long_words(3).data()); }
template <class Engine>
void seed_engine(detail::pcg_base<Engine>& g, const SeedSequence& seed) {
  const auto w = seed.long_words(4);
  g.seed(static_cast<detail::uint128>(w[0]) << 64 | w[1], static_cast<detail::uint128>(w[2]) << 64 | w[3]);
}

// Parts of a state, in the order of NumPy's dictionaries.
template <class Engine>
void get_parts(const detail::pcg_base<Engine>& g, bit_generator_state& s) {
  s.state = {g.state_high, g.state_low, g.inc_high, g.inc_low};
}
void get_parts(const detail::mt19937& g, bit_generator_state& s) {
  s.state.assign(g.key, g.key + detail::mt19937::length);
  s.pos = static_cast<int>(g.position);
}
void get_parts(const detail::philox& g, bit_generator_state& s) {
  s.state.assign(g.counter, g.counter + 4);
  s.key.assign(g.key, g.key + 2);
  s.buffer.assign(g.buffer, g.buffer + 4);
  s.pos = static_cast<int>(g.position);
}
void get_parts(const detail::sfc64& g, bit_generator_state& s) { s.state.assign(g.s, g.s + 4); }

void require_words(const std::vector<std::uint64_t>& words, std::size_t n, const char* what) {
  if (words.size() != n)
    throw ValueError("set_state", std::string(what) + " has a wrong number of words: got " + std::to_string(words.size()) +
                                      ", expected " + std::to_string(n) + ".");
}
void require_position(int pos, int most) {
  if (pos < 0 || pos > most)
    throw ValueError("set_state", "pos is out of range: got " + std::to_string(pos) + ", expected 0 to " +
                                      std::to_string(most) + ".");
}
template <class Engine>
void set_parts(detail::pcg_base<Engine>& g, const bit_generator_state& s) {
  require_words(s.state, 4, "state");
  g.state_high = s.state[0], g.state_low = s.state[1], g.inc_high = s.state[2], g.inc_low = s.state[3];
}
void set_parts(detail::mt19937& g, const bit_generator_state& s) {
  require_words(s.state, detail::mt19937::length, "state");
  require_position(s.pos, detail::mt19937::length);
  for (int i = 0; i < detail::mt19937::length; ++i) g.key[i] = static_cast<std::uint32_t>(s.state[static_cast<std::size_t>(i)]);
  g.position = static_cast<std::uint64_t>(s.pos);
}
void set_parts(detail::philox& g, const bit_generator_state& s) {
  require_words(s.state, 4, "state");
  require_words(s.key, 2, "key");
  require_words(s.buffer, 4, "buffer");
  require_position(s.pos, 4);
  std::copy(s.state.begin(), s.state.end(), g.counter);
  std::copy(s.key.begin(), s.key.end(), g.key);
  std::copy(s.buffer.begin(), s.buffer.end(), g.buffer);
  g.position = static_cast<std::uint64_t>(s.pos);
}
void set_parts(detail::sfc64& g, const bit_generator_state& s) {
  require_words(s.state, 4, "state");
  std::copy(s.state.begin(), s.state.end(), g.s);
}

/// The memory of a state, with the draws that are pending done.
void* memory_of(const array& state) { return numjit::detail::concrete(state.get(), "data")->data; }

}  // namespace

namespace detail {
array copy_of_state(const array& state) {
  memory_of(state);
  array copy = numjit::detail::fresh(dtype_id::uint64, state.shape());
  std::copy_n(numjit::detail::data_of<std::uint64_t>(state), state.size(), numjit::detail::data_of<std::uint64_t>(copy));
  ++numjit::detail::generators_made;
  return copy;
}
}  // namespace detail

BitGenerator::BitGenerator(int kind) : BitGenerator(kind, std::make_shared<SeedSequence>()) {}

BitGenerator::BitGenerator(int kind, const SeedSequence& seed)
    : BitGenerator(kind, std::make_shared<SeedSequence>(seed)) {}

BitGenerator::BitGenerator(int kind, std::shared_ptr<SeedSequence> seed)
    : state_(new_state(static_cast<engine_kind>(kind))), seed_(std::move(seed)) {
  with_engine(state_.get()->data, [&](auto& g) { seed_engine(g, *seed_); });
}

std::string BitGenerator::name() const {
  return names[static_cast<int>(static_cast<detail::state_header*>(memory_of(state_))->kind)];
}

std::uint64_t BitGenerator::random_raw() const {
  return with_engine(memory_of(state_), [](auto& g) { return g.next_raw(); });
}
array BitGenerator::random_raw(const shape_list& size) const {
  array out = numjit::detail::fresh(dtype_id::uint64, size);
  auto* to = numjit::detail::data_of<std::uint64_t>(out);
  with_engine(memory_of(state_), [&](auto& g) {
    for (std::int64_t i = 0; i < out.size(); ++i) to[i] = g.next_raw();
  });
  return out;
}

bit_generator_state BitGenerator::state() const {
  bit_generator_state s;
  s.bit_generator = name();
  void* memory = memory_of(state_);
  const auto& h = *static_cast<detail::state_header*>(memory);
  s.has_uint32 = h.has_uint32;
  s.uinteger = h.uinteger;
  s.has_gauss = h.has_gauss;
  s.gauss = h.gauss;
  with_engine(memory, [&](auto& g) { get_parts(g, s); });
  return s;
}

void BitGenerator::set_state(const bit_generator_state& s) const {
  if (s.bit_generator != name())
    throw ValueError("set_state", "state must be for a " + name() + " PRNG");
  void* memory = memory_of(state_);
  ++numjit::detail::generators_made;
  with_engine(memory, [&](auto& g) { set_parts(g, s); });
  auto& h = *static_cast<detail::state_header*>(memory);
  h.has_uint32 = s.has_uint32;
  h.uinteger = s.uinteger;
  h.has_gauss = s.has_gauss;
  h.gauss = s.gauss;
}

SeedSequence& BitGenerator::seed_seq() const {
  if (!seed_) throw TypeError("spawn", "The underlying SeedSequence does not implement spawning.");
  return *seed_;
}

std::vector<BitGenerator> BitGenerator::spawn(int n) const {
  if (n < 0) throw ValueError("spawn", "n_children must be non-negative");
  std::vector<BitGenerator> out;
  const int kind = static_cast<int>(static_cast<detail::state_header*>(memory_of(state_))->kind);
  for (SeedSequence& s : seed_seq().spawn(n)) out.push_back(BitGenerator(kind, std::make_shared<SeedSequence>(std::move(s))));
  return out;
}

namespace {

void forget_half(detail::state_header& h) {
  h.has_uint32 = 0;
  h.uinteger = 0;
}
template <class Engine>
void advance_engine(detail::pcg_base<Engine>& g, detail::uint128 delta) {
  g.advance(delta);
  forget_half(g);
}
void advance_engine(detail::philox& g, detail::uint128 delta) {
  g.count_up({static_cast<std::uint64_t>(delta), static_cast<std::uint64_t>(delta >> 64), 0, 0});
  g.reset_buffer();
}
[[noreturn]] void advance_engine(detail::mt19937&, detail::uint128) {
  throw NotImplementedError("advance", "MT19937 can't be advanced: expected PCG64, PCG64DXSM or Philox.");
}
[[noreturn]] void advance_engine(detail::sfc64&, detail::uint128) {
  throw NotImplementedError("advance", "SFC64 can't be advanced: expected PCG64, PCG64DXSM or Philox.");
}

}  // namespace

const BitGenerator& BitGenerator::advance(std::uint64_t delta) const {
  ++numjit::detail::generators_made;
  with_engine(memory_of(state_), [&](auto& g) { advance_engine(g, delta); });
  return *this;
}

BitGenerator BitGenerator::jumped(std::uint64_t jumps) const {
  BitGenerator out(*this);
  out.state_ = detail::copy_of_state(state_);
  out.seed_ = std::make_shared<SeedSequence>();
  void* memory = out.state_.get()->data;
  if (static_cast<detail::state_header*>(memory)->kind == engine_kind::philox) {
    auto& g = *static_cast<detail::philox*>(memory);
    g.count_up({0, 0, jumps, 0});
    g.reset_buffer();
    return out;
  }
  if (static_cast<detail::state_header*>(memory)->kind == engine_kind::mt19937) {
    for (std::uint64_t i = 0; i < jumps; ++i) jump(*static_cast<detail::mt19937*>(memory));
    return out;
  }
  // About the golden ratio of the period, as NumPy.
  constexpr detail::uint128 step = static_cast<detail::uint128>(0x9e3779b97f4a7c15u) << 64 | 0xf39cc0605cedc835u;
  with_engine(memory, [&](auto& g) { advance_engine(g, step * jumps); });
  return out;
}

}  // namespace numjit::random
