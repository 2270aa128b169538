// Fills from one stream by all threads, with the numbers and the state that one thread would leave.
//
// A number of a rejection method takes one word of the stream, now and then more, so where a number far ahead begins is
// not known before all others are drawn. But nearly every word begins a number: who starts reading at any word is in step
// with the true sequence at once, or one number later. So threads read parts of the stream that begin where they like:
//
//   words      0 1 2 3 4 5 6 7 8 9 ...
//   part 0     a b b c d d                 its last number began before its end, and took a word of part 1
//   part 1               x e f g g ...     x is dropped: the true sequence goes on with e, where part 0 ended
//
// Each part notes where its first numbers begin. If none begins where the part before ended, it is drawn again.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>

#include <numjit/base/check_interrupt.h>
#include <numjit/base/thread_pool.h>

#include "engines.h"

namespace numjit::random::detail {

/// What a distribution draws its numbers from: words of 64 bits, or their halves.
enum class word { whole, half };

/// Can threads read parts of this engine's stream? In pages they could not pay for the code, which travels.
#ifdef __EMSCRIPTEN__
template <class Engine>
inline constexpr bool can_skip = false;
#else
template <class Engine>
inline constexpr bool can_skip = requires(Engine& g) {
  g.skip(std::uint64_t{});
};
#endif

/// As if `count` words had been drawn, the half that is left over included.
template <word size, class Engine>
void skip_words(Engine& g, std::int64_t count) {
  if constexpr (size == word::whole) {
    g.skip(static_cast<std::uint64_t>(count));
  } else {
    if (count > 0 && g.has_uint32) g.next32(), --count;
    if (count == 0) return;
    g.skip(static_cast<std::uint64_t>(count - 1) / 2);
    for (std::int64_t last = 2 - count % 2; last > 0; --last) g.next32();
  }
}

/// An engine that counts the words it hands out.
template <class Engine>
struct counting_engine : Engine {
  std::int64_t used = 0;
  explicit counting_engine(const Engine& g) : Engine(g) {}
  std::uint64_t next64() { return ++used, Engine::next64(); }
  std::uint32_t next32() { return ++used, Engine::next32(); }
  double next_double() { return to_unit(next64()); }
};

/// Fills by rounds: each thread draws a part into memory of its own, the parts are joined, and copied from the caches.
template <word size, class T, class Engine, class Next>
class fill_by_parts {
 public:
  fill_by_parts(Engine& g, const Next& next) : g_(g), next_(next), threads_(numjit::detail::thread_count()) {
    parts_ = std::make_unique<part[]>(static_cast<std::size_t>(threads_));
    values_ = std::make_unique_for_overwrite<T[]>(static_cast<std::size_t>(threads_ * longest));
  }
  /// How many were drawn; the rest is too little for all threads.
  std::int64_t draw(T* to, std::int64_t n) {
    std::int64_t done = 0;
    while (n - done >= least * threads_) done += round(to + done, std::min(longest, (n - done) / threads_));
    return done;
  }

 private:
  static constexpr std::int64_t longest = 1 << 14;  // a part's numbers stay in the second-level cache
  static constexpr std::int64_t least = 1 << 10;
  static constexpr int noted = 16;
  static constexpr double ns_of_number = 5, ns_of_copy = 0.5;
  struct part {
    std::int64_t begins[noted];  // the words at which its first numbers begin
    std::int64_t count, end;     // its numbers, and the word behind the last one
    std::int64_t from;           // the first number that belongs to the sequence
    T* to;
  };

  void draw_part(int p, std::int64_t length) {
    counting_engine<Engine> e(g_);
    skip_words<size>(static_cast<Engine&>(e), p * length);
    T* const values = values_.get() + p * longest;
    part& mine = parts_[static_cast<std::size_t>(p)];
    std::int64_t count = 0;
    for (; count < noted && e.used < length; ++count) {
      mine.begins[count] = e.used;
      values[count] = next_(e);
    }
    while (e.used < length) values[count++] = next_(e);
    mine.count = count, mine.end = e.used;
  }
  /// The number of `p` that begins at this word; -1: none that it noted.
  int number_at(const part& p, std::int64_t place) const {
    const auto* end = p.begins + std::min<std::int64_t>(noted, p.count);
    const auto* found = std::find(p.begins, end, place);
    return found == end ? -1 : static_cast<int>(found - p.begins);
  }
  /// Draws up to `length` words with each thread; the numbers made of them, which are no more than these words.
  std::int64_t round(T* to, std::int64_t length) {
    const double ns = static_cast<double>(threads_ * length);
    numjit::detail::parallel_ranges(threads_, 1, ns * ns_of_number, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t p = begin; p < end; ++p) draw_part(static_cast<int>(p), length);
    });
    std::int64_t over = 0, count = 0;  // words taken of the part that follows, and numbers so far
    int joined = 0;
    for (; joined < threads_; ++joined) {
      part& p = parts_[static_cast<std::size_t>(joined)];
      if ((p.from = number_at(p, over)) < 0) break;
      p.to = to + count;
      count += p.count - p.from;
      over = p.end - length;
    }
    numjit::detail::parallel_ranges(joined, 1, ns * ns_of_copy, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) {
        const part& p = parts_[static_cast<std::size_t>(i)];
        std::memcpy(p.to, values_.get() + i * longest + p.from, static_cast<std::size_t>(p.count - p.from) * sizeof(T));
      }
    });
    skip_words<size>(g_, joined * length + over);
    return count;
  }

  Engine& g_;
  const Next& next_;
  const std::int64_t threads_;
  std::unique_ptr<part[]> parts_;
  std::unique_ptr<T[]> values_;
};

/// to[i] = next(g) for all i in their order, where `next` draws one word or more of this size, and of no other.
template <word size, class T, class Engine, class Next>
void fill(Engine& g, T* to, std::int64_t n, const Next& next) {
  std::int64_t done = 0;
  if constexpr (can_skip<Engine>) {
    constexpr std::int64_t many = 1 << 15;
    if (n >= many && numjit::detail::thread_count() > 1 && !numjit::detail::inside_parallel())
      done = fill_by_parts<size, T, Engine, Next>(g, next).draw(to, n);
  }
  to += done;
  numjit::detail::in_parts(n - done, 1 << 16, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) to[i] = next(g);
  });
}

/// Where each number takes one word: each(i, g) for all i, in parts of the stream that begin where they belong.
template <word size, class Engine, class Each>
void fill_singly(Engine& g, std::int64_t n, const Each& each) {
  if constexpr (can_skip<Engine>) {
    const Engine start = g;
    numjit::detail::parallel_ranges(n, 1 << 15, 1.3 * static_cast<double>(n), [&](std::int64_t from, std::int64_t to) {
      Engine mine = start;
      skip_words<size>(mine, from);
      for (std::int64_t i = from; i < to; ++i) each(i, mine);
    });
    skip_words<size>(g, n);
  } else {
    numjit::detail::in_parts(n, 1 << 16, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) each(i, g);
    });
  }
}

}  // namespace numjit::random::detail
