// What the programs of several ranks expect, and how they end: each rank tells what it misses.
#pragma once

#include <iostream>
#include <string>

#include <numjit/np_distributed.h>

inline int failures = 0;

inline void expect(bool holds, const std::string& what) {
  if (holds) return;
  ++failures;
  const auto world = numjit::distributed::world();
  std::cerr << "rank " << world.rank() << " of " << world.size() << ": " << what << "\n";
}

/// The program's status; the first rank says where nothing was missed.
inline int finished() {
  const auto world = numjit::distributed::world();
  if (failures == 0 && world.rank() == 0) std::cout << "all the same on " << world.size() << " ranks\n";
  return failures == 0 ? 0 : 1;
}
