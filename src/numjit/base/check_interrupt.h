// Giving up loops that are no runs of the thread pool.
#pragma once

#include <algorithm>
#include <cstdint>

namespace numjit::detail {

#ifdef __wasm__
inline void check_interrupt() {}
inline bool may_be_interrupted() { return false; }
#else
/// Between steps of a long loop, every few milliseconds: throws Interrupted if the thread's run is given up, or the one whose
/// piece it works at. A few nanoseconds.
void check_interrupt();
/// Does anybody want this thread's runs to end early? Where that costs something, they need not be able to otherwise.
bool may_be_interrupted();
#endif

/// At step i of a loop whose steps take some tens of nanoseconds.
inline void check_interrupt_at(std::int64_t i) {
  if ((i & 0x3fff) == 0x3fff) check_interrupt();
}

/// fn(begin, end) for parts of [0, n) one after the other, asking between them; `some`: about a millisecond of them.
template <class F>
void in_parts(std::int64_t n, std::int64_t some, F&& fn) {
  for (std::int64_t begin = 0; begin < n; begin += some) {
    if (begin > 0) check_interrupt();
    fn(begin, std::min(n, begin + some));
  }
}

}  // namespace numjit::detail
