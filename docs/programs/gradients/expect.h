// What the programs say of their results.
#pragma once

#include <numjit/np.h>

#include <stdexcept>

/// std::runtime_error(what) unless it holds: a truth value or an array of one.
template <class Truth>
void expect(const Truth& holds, const char* what) {
  if (!static_cast<bool>(holds)) throw std::runtime_error(what);
}

/// No element is further from `wanted` than that.
template <class Wanted>
bool near(const numjit::array& found, const Wanted& wanted, double distance) {
  return static_cast<bool>(numjit::all(numjit::abs(found - wanted) <= distance));
}
