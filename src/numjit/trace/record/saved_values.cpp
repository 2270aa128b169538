// What a graph that ends stores for a derivative's way back, and what the way back computes again instead.
#include <algorithm>
#include <bit>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include <numjit/array/shown.h>
#include <numjit/ops/stores_into.h>
#include <numjit/trace/record/recorder.h>
#include <numjit/transform/min_cut.h>
#include <numjit/transform/recipe.h>
#include <numjit/transform/tape.h>

namespace numjit::tracing {

using transform::FlowNetwork;
using HeldValue = transform::TapeLevel::HeldValue;

/// For one set of values that are wanted.
struct SavedChoice {
  LiveSet wanted, alive, loaded;  // by lazy: the way back wants it; the program has it in any case. By input: it is wanted
  LiveSet overwritten;            // by node: its memory, when this segment has ended
  int size_class = 0;             // of the bytes that are wanted
  recompute_mode mode{};
  std::vector<bool> recomputed;  // by node of the graph
  friend bool same_question(const SavedChoice& a, const SavedChoice& b) {
    return a.size_class == b.size_class && a.mode == b.mode && a.wanted == b.wanted && a.alive == b.alive &&
           a.loaded == b.loaded && a.overwritten == b.overwritten;
  }
};

namespace {

/// Below this storing everything costs next to nothing, and looking for less would not pay.
constexpr std::int64_t least_bytes = 1 << 18;

// Prices in picoseconds.
constexpr std::int64_t ps_of_byte = 50;           // to store it, and to load it
constexpr std::int64_t ps_of_operation = 10'000;  // that is carried out again
constexpr double ps_of_ns = 1000;

std::int64_t bytes_of(const node* n) { return n->size * static_cast<std::int64_t>(dtype(n->type).itemsize()); }

/// What it costs, where it costs anything, under a setting.
std::int64_t priced(std::int64_t ps, recompute_mode mode) {
  return mode == recompute_mode::all ? std::min<std::int64_t>(ps, 1) : ps;
}

/// Of an operation that may be carried out again, in another graph, with the same bits; -1: it may not.
std::int64_t price_of(const graph::Node& of, const SegmentEnd& end, const node* n) {
  if (of.kind == graph::NodeKind::view) return ps_of_operation / 10;
  if (of.kind != graph::NodeKind::op || of.has_effect) return -1;
  if (of.has_where && kind_of(of.op) == op_kind::ufunc) return -1;  // elements elsewhere are whatever the memory was
  const auto price = [](op_cost cost, std::int64_t elements) {
    return static_cast<std::int64_t>(ns_of(cost) * ps_of_ns * static_cast<double>(elements)) + ps_of_operation;
  };
  switch (kind_of(of.op)) {
    case op_kind::ufunc: return price(facts_of(of.op).cost, n->size);
    case op_kind::creation: return price(op_cost::simple, n->size);
    case op_kind::reduction: {
      const std::int32_t in = of.in[0].node;
      return in < 0 ? -1 : price(facts_of(ufunc_of(of.op)).cost, (*end.slots[static_cast<std::size_t>(in)])->size);
    }
    default:
      if (of.op == op_id::astype || of.op == op_id::copy) return price(op_cost::simple, n->size);
      // What it reads elsewhere than it writes is stored on the way back, too.
      if (of.op == op_id::roll || of.op == op_id::concatenate)
        return price(op_cost::simple, n->size) + 2 * ps_of_byte * bytes_of(n);
      return -1;
  }
}

class Chooser {
 public:
  Chooser(const SegmentEnd& end, const std::vector<node*>& stored_owners, const LiveSet& overwritten)
      : end_(end), count_(end.graph.nodes.size()) {
    find_written(stored_owners);
    overwritten.for_each([&](std::size_t i) { is_written_[i] = true; });
  }

  std::vector<bool> recomputed(const SavedChoice& asked, recompute_mode mode) {
    FlowNetwork network(2 * count_ + 2);
    const std::size_t source = 2 * count_, sink = source + 1;
    std::vector<bool> wanted(count_, false), alive(count_, false);
    for (std::size_t k = 0; k < end_.lazies.size(); ++k) {
      wanted[end_.lazies[k]] = asked.wanted[k];
      alive[end_.lazies[k]] = asked.alive[k];
    }
    for (std::size_t k = 0; k < end_.inputs.size(); ++k) alive[end_.inputs[k]] = asked.loaded[k];
    for (std::size_t i = 0; i < count_; ++i) {
      const graph::Node& of = node_at(i);
      if (of.kind == graph::NodeKind::store) continue;
      const std::int64_t again = may_recompute(i) ? price_of(of, end_, array_of(i)) : -1;
      network.add_edge(source, before(i), again < 0 ? FlowNetwork::unlimited : priced(again, mode));
      network.add_edge(before(i), behind(i), price_to_hold(i, alive[i]));
      for (const graph::Ref& in : of.in)
        if (in.node >= 0) network.add_edge(behind(static_cast<std::size_t>(in.node)), before(i), FlowNetwork::unlimited);
      if (wanted[i]) network.add_edge(behind(i), sink, FlowNetwork::unlimited);
    }
    const std::vector<bool> back = network.sink_side(source, sink);
    std::vector<bool> found(count_, false);
    for (std::size_t i = 0; i < count_ && !back.empty(); ++i) found[i] = back[before(i)];
    return found;
  }

 private:
  static std::size_t before(std::size_t i) { return 2 * i; }
  static std::size_t behind(std::size_t i) { return 2 * i + 1; }
  const graph::Node& node_at(std::size_t i) const { return end_.graph.nodes[i]; }
  const node* array_of(std::size_t i) const { return *end_.slots[i]; }

  // Stores may come before or behind the reads of what they write.
  void find_written(const std::vector<node*>& stored_owners) {
    is_written_.assign(count_, false);
    std::vector<bool> roots(count_, false);
    for (std::size_t i = 0; i < count_; ++i) {
      const graph::Node& of = node_at(i);
      const bool writes_all = of.op == op_id::black_box && of.kind == graph::NodeKind::op;
      if (of.kind != graph::NodeKind::store && !moves_state(of.op) && !writes_all) continue;
      for (std::size_t k = 0; k < (writes_all ? of.in.size() : 1); ++k)
        if (of.in[k].node >= 0) roots[static_cast<std::size_t>(end_.graph.root_of(of.in[k].node))] = true;
    }
    for (std::size_t i = 0; i < count_; ++i) {
      if (node_at(i).kind == graph::NodeKind::store) continue;
      const auto root = static_cast<std::size_t>(end_.graph.root_of(static_cast<int>(i)));
      is_written_[i] = roots[root];
      if (node_at(root).kind == graph::NodeKind::input) {
        const node* const owner = detail::storage_owner(const_cast<node*>(array_of(root)));
        is_written_[i] = is_written_[i] || std::find(stored_owners.begin(), stored_owners.end(), owner) != stored_owners.end();
      }
    }
  }
  bool may_recompute(std::size_t i) const { return !is_written_[i] && !array_of(i)->is(node::unsized); }

  std::int64_t price_to_hold(std::size_t i, bool is_alive) const {
    const graph::Node& of = node_at(i);
    if (is_written_[i]) return FlowNetwork::unlimited;
    if (of.kind == graph::NodeKind::input) {  // it exists
      if (detail::is_shown(detail::storage_owner(const_cast<node*>(array_of(i))))) return FlowNetwork::unlimited;
      return is_alive ? 0 : ps_of_byte * bytes_of(array_of(i));
    }
    // What a view shows costs what its owner costs.
    const auto root = static_cast<std::size_t>(end_.graph.root_of(static_cast<int>(i)));
    const std::int64_t all = array_of(root)->is(node::unsized) ? 0 : bytes_of(array_of(root));
    return ps_of_byte * all * (is_alive ? 1 : 2) + (root == i ? 0 : ps_of_operation);
  }

  const SegmentEnd& end_;
  const std::size_t count_;
  std::vector<bool> is_written_;  // by node: its memory, in this segment or right behind it
};

/// The operations that give the values that are not held.
class RecipeWriter {
 public:
  RecipeWriter(const SegmentEnd& end, const std::vector<bool>& recomputed) : end_(end), recomputed_(recomputed) {}

  /// Does more than views lie between the node and what is held?
  bool is_worth_it(std::size_t i) const {
    while (recomputed_[i] && end_.graph.nodes[i].kind == graph::NodeKind::view)
      i = static_cast<std::size_t>(end_.graph.nodes[i].in[0].node);
    return recomputed_[i];
  }
  std::shared_ptr<transform::Recipe> write(const std::vector<std::size_t>& wanted) {
    const std::size_t count = end_.graph.nodes.size();
    std::vector<bool> used(count, false);
    for (const std::size_t i : wanted) used[i] = true;
    for (std::size_t i = count; i-- > 0;)
      if (used[i] && recomputed_[i])
        for (const graph::Ref& in : end_.graph.nodes[i].in)
          if (in.node >= 0) used[static_cast<std::size_t>(in.node)] = true;
    auto recipe = std::make_shared<transform::Recipe>();
    number_.assign(count, -1);
    for (std::size_t i = 0; i < count; ++i) {
      if (!used[i] || recomputed_[i]) continue;
      number_[i] = static_cast<int>(recipe->leaves.size());
      recipe->leaves.push_back(array::share(*end_.slots[i]));
    }
    for (std::size_t i = 0; i < count; ++i) {
      if (!used[i] || !recomputed_[i]) continue;
      number_[i] = static_cast<int>(recipe->leaves.size() + recipe->steps.size());
      recipe->steps.push_back(step_of(i));
    }
    return recipe;
  }
  int number(std::size_t i) const { return number_[i]; }

 private:
  transform::Recipe::Step step_of(std::size_t i) const {
    const graph::Node& of = end_.graph.nodes[i];
    transform::Recipe::Step step;
    step.op = of.op;
    step.params = *end_.params[i];
    step.has_where = of.has_where;
    step.where = of.where;
    for (const graph::Ref& in : of.in) {
      transform::Recipe::Input& to = step.in.emplace_back();
      if (in.node >= 0)
        to.value = number_[static_cast<std::size_t>(in.node)];
      else
        to.number.set_number(runtime::operand_of(*end_.scalars[static_cast<std::size_t>(in.scalar)], of.where));
    }
    return step;
  }

  const SegmentEnd& end_;
  const std::vector<bool>& recomputed_;
  std::vector<int> number_;  // among the recipe's values, by node
};

}  // namespace

// Of the values that a tape holds and that have no memory yet, those stay that are the cheapest to store and to make the others
// of: a minimum cut, as in the partitioner of PyTorch's AOTAutograd.
void Recorder::save_for_way_back(SegmentEnd& end) const {
  forget_dead_notes();
  transform::TapeLevel* const level = transform::TapeLevel::lowest();
  const recompute_mode mode = config().recompute;
  if (!level || mode == recompute_mode::never) return;
  std::vector<HeldValue> values = level->values_held();
  std::unordered_set<const node*> loaded;
  for (const HeldValue& v : values)
    if (!v.n->is(node::lazy)) loaded.insert(v.n);
  std::erase_if(values, [&](const HeldValue& v) { return !v.n->is(node::lazy) || !pends(v.n) || v.n->is(node::unsized); });
  if (values.empty()) return;
  std::unordered_map<const node*, std::uint64_t> handles;
  std::int64_t bytes = 0;
  for (const HeldValue& v : values)
    if (handles[v.n]++ == 0) bytes += bytes_of(v.n);
  if (bytes < least_bytes && mode != recompute_mode::all) return;

  SavedChoice asked;
  asked.mode = mode;
  asked.size_class = std::bit_width(static_cast<std::uint64_t>(bytes)) / 3;
  const auto wanted_handles = [&](std::size_t k) {
    const auto found = handles.find(*end.lazy_slots[k]);
    return found == handles.end() ? 0 : found->second;
  };
  asked.wanted.assign(end.lazy_slots.size(), [&](std::size_t k) { return wanted_handles(k) > 0; });
  asked.alive.assign(end.lazy_slots.size(), [&](std::size_t k) { return (*end.lazy_slots[k])->refs > 1 + wanted_handles(k); });
  asked.loaded.assign(end.inputs.size(), [&](std::size_t k) { return loaded.contains(*end.slots[end.inputs[k]]); });
  // A store that can't be in this segment ends it.
  const node* const written = level->being_written();
  asked.overwritten.assign(end.graph.nodes.size(), [&](std::size_t i) {
    return written && end.graph.nodes[i].kind != graph::NodeKind::store && transform::Level::memory_of(*end.slots[i]) == written;
  });
  if (!end.saved || !same_question(*end.saved, asked)) {
    asked.recomputed = Chooser(end, path_.stored_owners, asked.overwritten).recomputed(asked, mode);
    end.saved = std::make_shared<const SavedChoice>(std::move(asked));
  }

  std::unordered_map<const node*, std::size_t> number;
  for (const std::uint32_t i : end.lazies) number.emplace(*end.slots[i], i);
  RecipeWriter writer(end, end.saved->recomputed);
  std::erase_if(values, [&](const HeldValue& v) { return !writer.is_worth_it(number.at(v.n)); });
  if (values.empty()) return;
  std::vector<std::size_t> wanted;
  for (const HeldValue& v : values) wanted.push_back(number.at(v.n));
  std::shared_ptr<transform::Recipe> recipe = writer.write(wanted);
  std::vector<int> numbers;
  for (const std::size_t i : wanted) numbers.push_back(writer.number(i));
  level->give_up(values, numbers, std::move(recipe));
  forget_dead_notes();
}

}  // namespace numjit::tracing
