// Rounding to integers; identity on integer and bool elements.
#pragma once

#include <numjit/ops/math/value.h>

namespace numjit::m {

template <floating V>
NUMJIT_M V floor(V a) {
  return floor_of(a);
}
template <floating V>
NUMJIT_M V ceil(V a) {
  return ceil_of(a);
}
template <floating V>
NUMJIT_M V trunc(V a) {
  return trunc_of(a);
}
/// Nearest integer, halves to even.
template <floating V>
NUMJIT_M V rint(V a) {
  return rint_of(a);
}

template <class V>
requires(integer<V> || boolean<V>) NUMJIT_M V floor(V a) { return a; }
template <class V>
requires(integer<V> || boolean<V>) NUMJIT_M V ceil(V a) { return a; }
template <class V>
requires(integer<V> || boolean<V>) NUMJIT_M V trunc(V a) { return a; }

}  // namespace numjit::m
