// Integers of a range, in every dtype: Lemire's method for Generator, masks and rejection for RandomState.
#include <algorithm>
#include <bit>
#include <limits>

#include <numjit/base/check_interrupt.h>

#include "draws.h"
#include "fill.h"

namespace numjit::random::detail {
namespace {

using numjit::detail::draw_call;
using words = layout::draw;
__extension__ typedef __int128 int128;

/// Small dtypes share words of 32 bits: the next part of the one drawn last.
template <class Word, class Engine>
class source {
 public:
  explicit source(Engine& g) : g_(g) {}
  Word next() {
    if constexpr (sizeof(Word) == 8) {
      return g_.next64();
    } else if constexpr (sizeof(Word) == 4) {
      return g_.next32();
    } else {
      if (left_ == 0) {
        word_ = g_.next32();
        left_ = 4 / sizeof(Word) - 1;
      } else {
        word_ >>= sizeof(Word) * 8;
        --left_;
      }
      return static_cast<Word>(word_);
    }
  }

 private:
  Engine& g_;
  std::uint32_t word_ = 0;
  unsigned left_ = 0;
};

template <std::size_t size>
struct twice;
template <> struct twice<1> { using type = std::uint16_t; };
template <> struct twice<2> { using type = std::uint32_t; };
template <> struct twice<4> { using type = std::uint64_t; };
template <> struct twice<8> { using type = uint128; };

/// A number of [0, range], of all bits of Word if range is its largest.
template <class Word, class Source>
Word by_lemire(Source& from, Word range) {
  using Wide = typename twice<sizeof(Word)>::type;
  constexpr int width = 8 * sizeof(Word);
  const Word limit = static_cast<Word>(range + 1);
  if (limit == 0) return from.next();
  Wide product = static_cast<Wide>(static_cast<Wide>(from.next()) * limit);
  if (static_cast<Word>(product) < limit) {
    const Word threshold = static_cast<Word>(static_cast<Word>(0 - limit) % limit);
    while (static_cast<Word>(product) < threshold) product = static_cast<Wide>(static_cast<Wide>(from.next()) * limit);
  }
  return static_cast<Word>(product >> width);
}
template <class Word, class Source>
Word by_mask(Source& from, Word range) {
  if (range == std::numeric_limits<Word>::max()) return from.next();
  const Word mask = static_cast<Word>(std::numeric_limits<Word>::max() >> std::countl_zero(range));
  Word value;
  while ((value = static_cast<Word>(from.next() & mask)) > range) {}
  return value;
}
template <class Word, class Source>
Word in_range(Source& from, Word range, bool masks) {
  if (range == 0) return 0;
  return masks ? by_mask<Word>(from, range) : by_lemire<Word>(from, range);
}

/// Bits of bools come from words of 32, the lowest first.
template <class Engine>
class bit_source {
 public:
  explicit bit_source(Engine& g) : g_(g) {}
  bool next() {
    if (left_ == 0) {
      word_ = g_.next32();
      left_ = 31;
    } else {
      word_ >>= 1;
      --left_;
    }
    return word_ & 1;
  }

 private:
  Engine& g_;
  std::uint32_t word_ = 0;
  int left_ = 0;
};

/// Draws of one dtype: of 64 bits the small ranges take 32 bits each.
template <class Word, class Engine>
class drawer {
 public:
  drawer(Engine& g, bool masks) : words_(g), halves_(g), masks_(masks) {}
  Word operator()(Word offset, Word range) {
    if constexpr (sizeof(Word) == 8) {
      if (range <= 0xffffffffu)
        return offset + in_range<std::uint32_t>(halves_, static_cast<std::uint32_t>(range), masks_);
    }
    return static_cast<Word>(offset + in_range<Word>(words_, range, masks_));
  }

 private:
  source<Word, Engine> words_;
  source<std::uint32_t, Engine> halves_;
  bool masks_;
};

/// Numbers of one range that are made of words of their own.
template <class Word, class Engine>
void fill_range(Engine& g, Word* to, std::int64_t n, Word offset, Word range, bool masks) {
  const auto next = [=](auto& e) { return drawer<Word, std::remove_reference_t<decltype(e)>>(e, masks)(offset, range); };
  if (sizeof(Word) == 4 || range <= 0xffffffffu)
    fill<word::half>(g, to, n, next);
  else
    fill<word::whole>(g, to, n, next);
}

/// The ends of the range at each element.
class ends {
 public:
  explicit ends(const draw_call& c) : options_(c.params[words::options]) {
    int given = 0;
    for (int k = 0; k < 2; ++k) {
      const bool above = options_ & (k ? high_unsigned : low_unsigned);
      fixed_[k] = widened(c.params[words::values + k], above);
      if (!(options_ >> k & 1)) continue;
      type_[k] = c.in[given]->type;
      readers_[k].emplace(c.in[given++]);
    }
  }
  void next(int128& low, int128& high) {
    low = value(0);
    high = value(1) - (options_ & closed ? 0 : 1);
  }

 private:
  static int128 widened(std::int64_t word, bool is_unsigned) {
    return is_unsigned ? static_cast<int128>(static_cast<std::uint64_t>(word)) : static_cast<int128>(word);
  }
  int128 value(int k) {
    if (!readers_[k]) return fixed_[k];
    const std::int64_t word = readers_[k]->integer();
    readers_[k]->next();
    return widened(word, type_[k] == dtype_id::uint64);
  }
  std::int64_t options_;
  int128 fixed_[2];
  std::optional<reader> readers_[2];
  dtype_id type_[2] = {};
};

template <class Word, class Engine>
void draw_words(Engine& g, const draw_call& c) {
  const bool masks = c.params[words::options] & masked;
  auto* to = reinterpret_cast<Word*>(c.result->data);
  const std::int64_t n = c.result->size;
  drawer<Word, Engine> next(g, masks);
  if (c.n_in == 0) {  // the words are low and high - low
    const auto offset = static_cast<Word>(c.params[words::values]), range = static_cast<Word>(c.params[words::values + 1]);
    if (range == 0) return void(std::fill_n(to, n, offset));
    if constexpr (sizeof(Word) >= 4) return fill_range(g, to, n, offset, range, masks);
    numjit::detail::in_parts(n, 1 << 15, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) to[i] = next(offset, range);
    });
    return;
  }
  ends e(c);
  for (std::int64_t i = 0; i < n; ++i) {
    int128 low, high;
    numjit::detail::check_interrupt_at(i);
    e.next(low, high);
    to[i] = next(static_cast<Word>(low), static_cast<Word>(high - low));
  }
}

template <class Engine>
void draw_bools(Engine& g, const draw_call& c) {
  auto* to = reinterpret_cast<bool*>(c.result->data);
  bit_source<Engine> bits(g);
  std::optional<ends> e;
  if (c.n_in > 0) e.emplace(c);
  int128 low = c.params[words::values], range = c.params[words::values + 1];
  for (std::int64_t i = 0; i < c.result->size; ++i) {
    numjit::detail::check_interrupt_at(i);
    if (e) {
      e->next(low, range);
      range -= low;
    }
    to[i] = range == 0 ? low != 0 : bits.next();
  }
}

struct bounds {
  int128 low, high;
};
bounds bounds_of(dtype_id type) {
  switch (type) {
    case dtype_id::bool_: return {0, 1};
    case dtype_id::int8: return {-0x80, 0x7f};
    case dtype_id::int16: return {-0x8000, 0x7fff};
    case dtype_id::int32: return {-0x80000000ll, 0x7fffffffll};
    case dtype_id::int64: return {std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max()};
    case dtype_id::uint8: return {0, 0xff};
    case dtype_id::uint16: return {0, 0xffff};
    case dtype_id::uint32: return {0, 0xffffffffll};
    default: return {0, static_cast<int128>(std::numeric_limits<std::uint64_t>::max())};
  }
}

/// NumPy's refusals; high is the last number that may come. `zero`: all lows are 0.
void check_ends(const char* op, dtype_id type, int128 low, int128 high, bool is_closed, bool zero) {
  const bounds b = bounds_of(type);
  const std::string name(dtype(type).name());
  if (low < b.low) throw ValueError(op, "low is out of bounds for " + name);
  if (high > b.high) throw ValueError(op, "high is out of bounds for " + name);
  if (low <= high) return;
  if (zero) throw ValueError(op, is_closed ? "high < 0" : "high <= 0");
  throw ValueError(op, is_closed ? "low > high" : "low >= high");
}

void check_arrays(const draw_call& c, const char* op, bool is_closed) {
  bool zero = true;
  int128 low, high;
  ends before(c);
  for (std::int64_t i = 0; i < c.result->size; ++i) {
    before.next(low, high);
    zero = zero && low == 0;
  }
  ends e(c);
  for (std::int64_t i = 0; i < c.result->size; ++i) {
    e.next(low, high);
    check_ends(op, c.result->type, low, high, is_closed, zero);
  }
}

int128 literal(const operand& o) {
  if (o.kind() == weak_kind::float_) return static_cast<int128>(o.real());
  return o.above_int64() ? static_cast<int128>(static_cast<std::uint64_t>(o.int_value())) : static_cast<int128>(o.int_value());
}

}  // namespace

void draw_integers(const draw_call& c) {
  const std::int64_t options = c.params[words::options];
  if (c.n_in > 0) check_arrays(c, options & masked ? "randint" : "integers", options & closed);
  with_frequent_engine(c.state, [&](auto& g) {
    using Engine = std::remove_reference_t<decltype(g)>;
    if (c.result->type == dtype_id::bool_) return draw_bools<Engine>(g, c);
    switch (dtype(c.result->type).itemsize()) {
      case 1: return draw_words<std::uint8_t, Engine>(g, c);
      case 2: return draw_words<std::uint16_t, Engine>(g, c);
      case 4: return draw_words<std::uint32_t, Engine>(g, c);
      default: return draw_words<std::uint64_t, Engine>(g, c);
    }
  });
}

void scalar_range(const char* op, dtype_id type, const operand& low, const operand& high, bool is_closed,
                  std::int64_t (&words)[3]) {
  const int128 first = literal(low), last = literal(high) - (is_closed ? 0 : 1);
  check_ends(op, type, first, last, is_closed, first == 0);
  words[0] = static_cast<std::int64_t>(first);
  words[1] = static_cast<std::int64_t>(last - first);
}

}  // namespace numjit::random::detail
