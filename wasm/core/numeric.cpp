// Reductions and products, as JavaScript calls them.
#include "call.h"

namespace numjit::js {
namespace {

close_options tolerances(Call& c) {
  close_options o;
  if (c.has(2)) o.rtol = c[2];
  if (c.has(3)) o.atol = c[3];
  o.equal_nan = c.flag(4);
  return o;
}

}  // namespace

void add_numeric(std::vector<Function>& table) {
  const Function rows[] = {
#define REDUCTION(name, ...) {#name, reduction_names, reduced<&name>},
#define ARGREDUCTION(name, ...) {#name, "a axis out keepdims", [](Call& c) { return give(name(c[0], position(c))); }},
#include <numjit/ops/all_rows.inc>
      {"mean", reduction_names, reduced<&mean>},
      {"var", spread_names, [](Call& c) { return spread_of<&var>(c, false); }},
      {"std", spread_names, [](Call& c) { return spread_of<&numjit::std>(c, true); }},
      {"ptp", "a axis out keepdims",
       [](Call& c) { return give(ptp(c[0], ptp_options{.axis = c.axes(1), .out = c.array_or_none(2), .keepdims = c.flag(3)})); }},
      {"count_nonzero", "a axis keepdims",
       [](Call& c) { return give(count_nonzero(c[0], count_options{.axis = c.axes(1), .keepdims = c.flag(2)})); }},
      {"round", "a decimals", [](Call& c) { return give(round(c[0], static_cast<int>(c.integer(1, 0)))); }},
      {"dot", "a b out", [](Call& c) { return give(c.has(2) ? dot(c[0], c[1], {c.array_or_none(2)}) : dot(c[0], c[1])); }},
      {"vdot", "a b", [](Call& c) { return give(vdot(c[0], c[1])); }},
      {"inner", "a b", [](Call& c) { return give(inner(c[0], c[1])); }},
      {"outer", "a b", [](Call& c) { return give(outer(c[0], c[1])); }},
      {"matmul", "a b out",
       [](Call& c) { return give(c.has(2) ? matmul(c[0], c[1], {c.array_or_none(2)}) : matmul(c[0], c[1])); }},
      {"trace", "a offset axis1 axis2 dtype",
       [](Call& c) { return give(trace(c[0], c.integer(1, 0), c.integer(2, 0), c.integer(3, 1), c.type(4))); }},
      {"isclose", "a b rtol atol equal_nan", [](Call& c) { return give(isclose(c[0], c[1], tolerances(c))); }},
      {"allclose", "a b rtol atol equal_nan", [](Call& c) { return give(allclose(c[0], c[1], tolerances(c))); }},
      {"array_equal", "a1 a2 equal_nan", [](Call& c) { return give(array_equal(c[0], c[1], c.flag(2))); }},
  };
  table.insert(table.end(), std::begin(rows), std::end(rows));
}

}  // namespace numjit::js
