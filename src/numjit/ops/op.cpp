// The run-time op table: descriptions and name lookup.
#include <numjit/ops/op.h>

#include <unordered_map>

#include <numjit/ops/rows.h>

namespace numjit {
namespace {

constexpr op_info table[op_count] = {
#define UFUNC1(name, group, facts, loops_, expr, by_a, domain, doc, example) \
  {#name, op_kind::ufunc, 1, loops_of<op_id::name>, loops_, #domain, doc, example},
#define UFUNC2(name, group, facts, loops_, expr, by_a, by_b, domain, doc, example) \
  {#name, op_kind::ufunc, 2, loops_of<op_id::name>, loops_, #domain, doc, example},
#define UFUNC3(name, group, facts, loops_, expr, by_a, by_b, by_c, domain, doc, example) \
  {#name, op_kind::ufunc, 3, loops_of<op_id::name>, loops_, #domain, doc, example},
#define REDUCTION(name, ufunc, loops_, neutral, doc, example) \
  {#name, op_kind::reduction, 1, loops_of<op_id::name>, loops_, "any", doc, example},
#define ARGREDUCTION(name, ufunc, loops_, neutral, doc, example) \
  {#name, op_kind::argreduction, 1, loops_of<op_id::name>, loops_, "any", doc, example},
#define SCAN(name, ufunc, loops_, doc, example) {#name, op_kind::scan, 1, loops_of<op_id::name>, loops_, "any", doc, example},
#define STRUCTURAL(name, kind_, inputs, device, params, facts, doc, example) \
  {#name, op_kind::kind_, inputs, {}, "", "", doc, example},
#include <numjit/ops/all_rows.inc>
};

constexpr op_alias aliases[] = {
#define ALIAS(alias, target) {#alias, op_id::target},
#include <numjit/ops/all_rows.inc>
};

}  // namespace

const op_info& info(op_id op) { return table[static_cast<int>(op)]; }

std::optional<op_id> find_op(std::string_view name) {
  // Leaked on purpose: lookups may happen while other static objects are being destroyed.
  static const auto& names = *[] {
    auto* map = new std::unordered_map<std::string_view, op_id>;
    for (int i = 0; i < op_count; ++i) map->emplace(table[i].name, static_cast<op_id>(i));
    for (const op_alias& alias : aliases) map->emplace(alias.name, alias.op);
    return map;
  }();
  auto it = names.find(name);
  return it == names.end() ? std::nullopt : std::optional(it->second);
}

std::span<const op_alias> op_aliases() { return aliases; }

}  // namespace numjit
