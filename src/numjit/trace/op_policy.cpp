// The table of disallowed ops, and the nearest name for a misspelled one.
#include <numjit/trace/op_policy.h>

#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <numjit/base/error.h>
#include <numjit/trace/recorder.h>

namespace numjit {
namespace tracing {

std::atomic<bool> disallowed_ops[op_count] = {};

namespace {

std::atomic<std::uint64_t> generation{1};

// Levenshtein's distance: insertions, deletions and replacements of single characters.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i - 1] != b[j - 1]);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
    }
  }
  return row.back();
}

op_id op_called(std::string_view function, std::string_view name) {
  if (auto op = find_op(name)) return *op;
  std::string_view nearest;
  std::size_t least = ~std::size_t{0};
  auto consider = [&](std::string_view candidate) {
    const std::size_t distance = edit_distance(name, candidate);
    if (distance < least) least = distance, nearest = candidate;
  };
  for (int i = 0; i < op_count; ++i) consider(info(static_cast<op_id>(i)).name);
  for (const op_alias& alias : op_aliases()) consider(alias.name);
  throw ValueError(std::string(function),
                   fmt::format("unknown operation: got '{}'. Did you mean '{}'?", name, nearest));
}

void set_policy(std::string_view function, std::string_view name, bool disallowed) {
  const op_id op = op_called(function, name);
  if (disallowed_ops[static_cast<int>(op)].exchange(disallowed) == disallowed) return;
  ++generation;
  ++trie_changes;
  if (detail::recording) Recorder::current().drop_records();
}

}  // namespace

std::uint64_t policy_generation() { return generation.load(std::memory_order_acquire); }

}  // namespace tracing

void disallow_in_graph(std::string_view name) {
  tracing::set_policy("disallow_in_graph", name, true);
}
void allow_in_graph(std::string_view name) { tracing::set_policy("allow_in_graph", name, false); }

}  // namespace numjit
