// Reductions and products, as JavaScript calls them.
#include "call.h"

namespace numjit::js {
namespace {

var_options spread(Call& c) {
  var_options o;
  o.axis = c.axes(1);
  o.dtype = c.type(2);
  if (array out = c.array_or_none(3); !out.empty_handle()) o.out = out;
  o.ddof = c.number(4, 0);
  o.keepdims = c.flag(5);
  if (array where = c.array_or_none(6); !where.empty_handle()) o.where = where;
  return o;
}
constexpr const char* spread_names = "a axis dtype out ddof keepdims where";

arg_options position(Call& c) { return {.axis = c.axis(1), .out = c.array_or_none(2), .keepdims = c.flag(3)}; }

close_options tolerances(Call& c) {
  close_options o;
  o.rtol = c.number(2, o.rtol);
  o.atol = c.number(3, o.atol);
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
      {"var", spread_names, [](Call& c) { return give(var(c[0], spread(c))); }},
      {"std", spread_names, [](Call& c) { return give(numjit::std(c[0], spread(c))); }},
      {"ptp", "a axis", [](Call& c) { return give(ptp(c[0], c.axes(1))); }},
      {"count_nonzero", "a axis", [](Call& c) { return give(count_nonzero(c[0], c.axes(1))); }},
      {"round", "a decimals", [](Call& c) { return give(round(c[0], static_cast<int>(c.integer(1, 0)))); }},
      {"dot", "a b", [](Call& c) { return give(dot(c[0], c[1])); }},
      {"vdot", "a b", [](Call& c) { return give(vdot(c[0], c[1])); }},
      {"inner", "a b", [](Call& c) { return give(inner(c[0], c[1])); }},
      {"outer", "a b", [](Call& c) { return give(outer(c[0], c[1])); }},
      {"matmul", "a b", [](Call& c) { return give(matmul(c[0], c[1])); }},
      {"trace", "a offset", [](Call& c) { return give(trace(c[0], c.integer(1, 0))); }},
      {"isclose", "a b rtol atol equal_nan", [](Call& c) { return give(isclose(c[0], c[1], tolerances(c))); }},
      {"allclose", "a b rtol atol equal_nan", [](Call& c) { return give(allclose(c[0], c[1], tolerances(c))); }},
      {"array_equal", "a b", [](Call& c) { return give(array_equal(c[0], c[1])); }},
  };
  table.insert(table.end(), std::begin(rows), std::end(rows));
}

}  // namespace numjit::js
