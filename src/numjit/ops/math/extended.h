// Sums, products and quotients with their rounding errors: values of some 100 bits as two doubles
// (Dekker 1971, Knuth). No fused multiply-add: products are taken apart instead.
#pragma once

#include <numjit/ops/math/value.h>

namespace numjit::m::detail {

/// hi + lo, |lo| at most half a unit in the last place of hi unless a comment says otherwise.
template <class V>
struct extended {
  V hi, lo;
};

/// a without the low 27 bits of its significand: 26 bits are left, so that products of two such
/// heads are exact; and the rest of a.
template <double_value V>
NUMJIT_M extended<V> split(V a) {
  using U = rebind<V, std::uint64_t>;
  const V hi = from_bits<V>(bits(a) & U(0xfffffffff8000000u));
  return {hi, a - hi};
}

/// a without the low 32 bits of its significand: 21 bits, so that products of two are exact.
template <double_value V>
NUMJIT_M V head_of(V a) {
  using U = rebind<V, std::uint64_t>;
  return from_bits<V>(bits(a) & U(0xffffffff00000000u));
}

/// a + b and what its rounding lost.
template <floating V>
NUMJIT_M extended<V> exact_sum(V a, V b) {
  const V sum = a + b;
  const V back = sum - a;
  return {sum, (a - (sum - back)) + (b - back)};
}
/// The same for |a| >= |b|, or a zero.
template <floating V>
NUMJIT_M extended<V> exact_sum_ordered(V a, V b) {
  const V sum = a + b;
  return {sum, (a - sum) + b};
}

/// a * b and what its rounding lost.
template <double_value V>
NUMJIT_M extended<V> exact_product(V a, V b) {
  const auto p = split(a), q = split(b);
  const V product = a * b;
  return {product, ((p.hi * q.hi - product) + (p.hi * q.lo + p.lo * q.hi)) + p.lo * q.lo};
}
template <double_value V>
NUMJIT_M extended<V> exact_square(V a) {
  const auto p = split(a);
  const V product = a * a;
  return {product, ((p.hi * p.hi - product) + (p.hi + p.hi) * p.lo) + p.lo * p.lo};
}

/// num - quotient * den, for a quotient that is right to 25 bits at least.
template <double_value V>
NUMJIT_M V division_rest(V num, V quotient, V den) {
  const auto q = split(quotient), d = split(den);
  return ((num - q.hi * d.hi) - q.hi * d.lo) - q.lo * den;
}

/// square - root^2, for a root that is right to 25 bits at least.
template <double_value V>
NUMJIT_M V root_rest(V square, V root) {
  const auto r = split(root);
  return (square - r.hi * r.hi) - r.lo * (root + r.hi);
}

/// (a.hi + a.lo) * (b.hi + b.lo)
template <double_value V>
NUMJIT_M extended<V> product_of(extended<V> a, extended<V> b) {
  const auto p = exact_product(a.hi, b.hi);
  return exact_sum_ordered(p.hi, p.lo + (a.hi * b.lo + a.lo * b.hi));
}
/// (a.hi + a.lo) / (b.hi + b.lo)
template <double_value V>
NUMJIT_M extended<V> quotient_of(extended<V> a, extended<V> b) {
  const V q = a.hi / b.hi;
  const V rest = division_rest(a.hi, q, b.hi) + (a.lo - q * b.lo);
  return exact_sum_ordered(q, rest / b.hi);
}

}  // namespace numjit::m::detail
