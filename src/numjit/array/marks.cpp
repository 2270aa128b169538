// The table of marked nodes. Marks are rare, so they live beside the nodes, not in them.
#include <numjit/array/marks.h>

#include <atomic>
#include <mutex>
#include <unordered_map>

namespace numjit::detail {
namespace {

struct Table {
  std::mutex mutex;
  std::unordered_map<const node*, axis_marks> marks;
};
Table& table() {
  static auto& instance = *new Table;
  return instance;
}

}  // namespace

axis_marks look_up_marks(const node* n) {
  std::lock_guard lock(table().mutex);
  auto found = table().marks.find(n);
  return found == table().marks.end() ? axis_marks{} : found->second;
}

void mark_axis(node* n, int axis, bool fixed) {
  std::lock_guard lock(table().mutex);
  axis_marks& marks = table().marks[n];
  const auto bit = static_cast<axis_set>(1u << axis);
  marks.fixed = static_cast<axis_set>(fixed ? marks.fixed | bit : marks.fixed & ~bit);
  marks.free = static_cast<axis_set>(fixed ? marks.free & ~bit : marks.free | bit);
  n->flags |= node::marked;
}

void forget_marks(const node* n) noexcept {
  std::lock_guard lock(table().mutex);
  table().marks.erase(n);
}

}  // namespace numjit::detail
