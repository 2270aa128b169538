// The period of a loop, found in the sequence of (op, line) pairs.
#include <numjit/trace/record/cut_policy.h>

#include <algorithm>
#include <functional>
#include <string_view>

#include <numjit/base/config.h>

namespace numjit::tracing {
namespace {

// Cut segments that start with one record, from which on code counts as irregular: it is then cut
// whenever it comes back to that start, so that few short segments serve all its paths.
constexpr int irregular_after = 8;
constexpr std::size_t shortest_segment = 8;
// Straight code is cut where fewest values are alive among this many records.
constexpr std::size_t straight_window = 32;

}  // namespace

std::uint64_t call_key(op_id op, const location& where) {
  // File names are literals, but each translation unit may have its own copy of one.
  const std::uint64_t file = std::hash<std::string_view>{}(where.file);
  return (file * 31 + static_cast<std::uint64_t>(where.line)) * 1009 + static_cast<std::uint64_t>(op);
}

void CutPolicy::follow(Record* root, Record* at) {
  if (!path_.empty() && path_.back() == at) return;
  if (!path_.empty() && at->parent == path_.back()) {
    path_.push_back(at);
    return;
  }
  path_.clear();
  for (Record* r = at; r != root; r = r->parent) path_.push_back(r);
  std::reverse(path_.begin(), path_.end());
}

std::uint32_t CutPolicy::live_now() const {
  std::uint32_t live = 0;
  for (const Record* r : path_) live += !r->is_store && r->cur && r->cur->refs > 1;
  return live;
}

std::uint32_t CutPolicy::least_live(std::size_t last) const {
  std::uint32_t least = ~0u;
  for (std::size_t i = path_.size() - std::min(last, path_.size()); i < path_.size(); ++i)
    least = std::min<std::uint32_t>(least, path_[i]->live_before);
  return least;
}

// Of results that somebody holds and that no operation has read, alone or through a view: is the first one young?
bool CutPolicy::waits_for_ranks() const {
  for (std::size_t i = 0; i < path_.size(); ++i) {
    const Record* sent = path_[i];
    if (sent->op != op_id::communicate || !sent->cur || sent->cur->refs == 1) continue;
    const auto reads = [&](const Record* r) {
      return !r->is_view && std::any_of(r->in, r->in + r->arity, [&](const Record* in) {
        while (in && in->is_view) in = in->in[0];
        return in == sent;
      });
    };
    if (std::none_of(path_.begin() + static_cast<std::ptrdiff_t>(i), path_.end(), reads))
      return path_.size() - i < put_off_for_ranks;
  }
  return false;
}

// Two records are the same step of a loop if their keys are, and those of the ops that made their
// operands; an input matches anything, as the first round reads inputs where later ones read ops.
bool CutPolicy::alike(const Record& a, const Record& b) {
  if (a.key != b.key || a.arity != b.arity) return false;
  for (int i = 0; i < a.arity; ++i) {
    if (!a.in[i] != !b.in[i]) return false;
    if (!a.in[i] || a.in[i]->is_input || b.in[i]->is_input) continue;
    if (a.in[i]->key != b.in[i]->key) return false;
  }
  return true;
}

bool CutPolicy::alike(const op_call& call, std::uint64_t key, const Record& record) {
  const auto given = std::ssize(call.in) + (call.where_mask != nullptr);
  if (record.key != key || record.arity != given) return false;
  for (std::size_t i = 0; i < call.in.size(); ++i) {
    const operand& o = call.in[i];
    if (o.is_array() != (record.in[i] != nullptr)) return false;
    if (!o.is_array() || !o.n()->is(node::lazy) || record.in[i]->is_input) continue;
    if (o.n()->record->key != record.in[i]->key) return false;
  }
  return true;
}

bool CutPolicy::want_cut(Record* root, Record* at, const op_call& call, std::uint64_t key) {
  follow(root, at);
  const std::size_t length = path_.size();
  const std::uint32_t live = live_now();
  live_before = live;
  if (length == 0) return false;
  if (keeps_values && keeps_most(live, length)) return length >= static_cast<std::size_t>(config().graph_limit.get());
  if (length >= shortest_segment && waits_for_ranks()) return false;
  Record& head = *path_[0];
  const bool at_head = alike(call, key, head);
  if (head.cut_segments >= irregular_after && length >= shortest_segment && at_head) return true;
  if (length >= longest_segment) return true;
  if (length < whole_segment) return false;
  for (std::size_t period = 1; 2 * period <= length; ++period) {
    if (!alike(call, key, *path_[length - period])) continue;
    std::size_t run = 0;  // the suffix that equals itself one period earlier
    while (run + period < length && alike(*path_[length - 1 - run], *path_[length - 1 - run - period])) ++run;
    if (run + period < std::max(whole_segment, 2 * period)) continue;
    if (run + period == length) return length % period == 0;  // the loop fills the segment
    return live <= least_live(period);                        // there was code before the loop
  }
  if (length >= 2 * whole_segment && at_head) return true;
  return length >= 4 * whole_segment && live <= least_live(straight_window);
}

}  // namespace numjit::tracing
