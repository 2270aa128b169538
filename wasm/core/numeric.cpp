// Reductions and products, as JavaScript calls them.
#include "rows.h"

namespace numjit::js {
void add_numeric(std::vector<Function>& table) {
  static constexpr Function rows[] = {
#define REDUCTION(name, ...) reduction<#name, &name>(),
#define ARGREDUCTION(name, ...) row<#name>([](Call& c) { return give(name(c[0], position(c))); }),
#include <numjit/ops/all_rows.inc>
      reduction<"mean", &mean>(),
      variance<"var", &var>(),
      variance<"std", &numjit::std>(),
      row<"count_nonzero">(
          [](Call& c) { return give(count_nonzero(c[0], count_options{.axis = c.axes(1), .keepdims = c.flag(2)})); }),
      row<"round">(
          [](Call& c) { return give(round(c[0], {.decimals = static_cast<int>(c.integer(1, 0)), .out = c.array_or_none(2)})); }),
      row<"dot">([](Call& c) { return give(dot(c[0], c[1], {c.array_or_none(2)})); }),
      {"matmul", "a b = out",
       [](Call& c) { return give(c.has(2) ? matmul(c[0], c[1], {c.array_or_none(2)}) : matmul(c[0], c[1])); }},
      row<"array_equal">([](Call& c) { return give(array_equal(c[0], c[1], c.flag(2))); }),
  };
  table.insert(table.end(), std::begin(rows), std::end(rows));
}

}  // namespace numjit::js
