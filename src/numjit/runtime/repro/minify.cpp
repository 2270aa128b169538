// Delta debugging of recorded graphs.
#include <numjit/runtime/repro/minify.h>

#include <algorithm>
#include <cctype>
#include <optional>

#include <numjit/runtime/repro/memory.h>

namespace numjit::runtime {
namespace {

using graph::Node;
using graph::NodeKind;

std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }

/// What of the original graph is left. Node i is computed, or it is an input, or node alias[i] stands
/// for it. What no output and no store needs goes by itself.
struct Choice {
  std::vector<bool> input, live, dropped_store;
  std::vector<int> alias;
};

class Minifier {
 public:
  Minifier(const Repro& repro, const ReproCheck& shows)
      : original_(repro), shows_(shows), pristine_(make_inputs(repro)), values_(run_eagerly(repro, make_inputs(repro))) {
    const std::size_t count = repro.graph.nodes.size();
    choice_.input.resize(count);
    choice_.live.resize(count);
    choice_.dropped_store.resize(count);
    choice_.alias.assign(count, -1);
    for (std::size_t i = 0; i < count; ++i) choice_.live[i] = repro.graph.nodes[i].live;
    best_ = repro;
    // Inputs are values of the program, not of its end: stores may have changed them by now.
    std::size_t next = 0;
    for (std::size_t i = 0; i < count; ++i)
      if (repro.graph.nodes[i].kind == NodeKind::input) values_[i] = pristine_[next++];
    for (const Repro::Memory& memory : repro.memories) with_data_ |= !memory.data.empty();
  }

  Repro run() {
    cut_to_prefix();
    keep_one_output();
    for (int before = -1; before != best_.op_count();) {
      before = best_.op_count();
      chunks_to_inputs();
      replace_by_operands();
      drop_stores();
    }
    return best_;
  }

 private:
  const Node& node_of(int i) const { return original_.graph.nodes[at(i)]; }
  int count() const { return static_cast<int>(original_.graph.nodes.size()); }

  static int resolve(const Choice& c, int i) {
    while (c.alias[at(i)] >= 0) i = c.alias[at(i)];
    return i;
  }

  bool is_input(const Choice& c, int i) const { return c.input[at(i)] || node_of(i).kind == NodeKind::input; }

  std::vector<bool> needed_nodes(const Choice& c) const {
    std::vector<bool> needed(at(count()));
    auto need = [&](int i) { needed[at(resolve(c, i))] = true; };
    for (int i = count(); i-- > 0;) {
      if (c.live[at(i)]) need(i);
      if (node_of(i).kind == NodeKind::store && !c.dropped_store[at(i)]) needed[at(i)] = true;
    }
    for (int i = count(); i-- > 0;)
      if (needed[at(i)] && !is_input(c, i))
        for (const graph::Ref& ref : node_of(i).in)
          if (ref.node >= 0) need(ref.node);
    return needed;
  }

  Repro build(const Choice& c) const {
    Repro made;
    made.function = original_.function;
    made.layer = original_.layer;
    made.fault = original_.fault;
    made.fast_math = original_.fast_math;
    made.timeout_ms = original_.timeout_ms;
    made.injected = original_.injected;
    const std::vector<bool> needed = needed_nodes(c);
    std::vector<int> number(at(count()), -1);
    MemoryCollector memories(made, with_data_);
    for (int i = 0; i < count(); ++i) {
      if (!needed[at(i)]) continue;
      Node n = node_of(i);
      if (is_input(c, i)) {
        n = Node{};
        n.type = node_of(i).type;
        n.rank = node_of(i).rank;
        memories.add(values_[at(i)].get());
      }
      for (graph::Ref& ref : n.in) {
        if (ref.node >= 0) {
          ref.node = number[at(resolve(c, ref.node))];
          continue;
        }
        made.graph.scalars.push_back(original_.graph.scalars[at(ref.scalar)]);
        made.scalars.push_back(original_.scalars[at(ref.scalar)]);
        ref.scalar = static_cast<std::int32_t>(made.scalars.size()) - 1;
      }
      n.live = false;
      number[at(i)] = static_cast<int>(made.graph.nodes.size());
      made.graph.nodes.push_back(std::move(n));
    }
    for (int i = 0; i < count(); ++i)
      if (c.live[at(i)] && number[at(resolve(c, i))] >= 0)
        made.graph.nodes[at(number[at(resolve(c, i))])].live = !is_input(c, resolve(c, i));
    memories.finish();
    return made;
  }

  bool attempt(const Choice& next) {
    Repro made = build(next);
    auto outputs = [](const Repro& r) {
      return std::count_if(r.graph.nodes.begin(), r.graph.nodes.end(), [](const Node& n) { return n.live; });
    };
    const bool smaller =
        made.op_count() < best_.op_count() || (made.op_count() == best_.op_count() && outputs(made) < outputs(best_));
    if (!smaller || made.op_count() == 0 || !shows_(made)) return false;
    best_ = std::move(made);
    choice_ = next;
    return true;
  }

  /// The first `size` nodes, with every value that nobody in them uses as an output.
  Choice prefix(int size) const {
    Choice c = choice_;
    std::vector<bool> used(at(count()));
    for (int i = 0; i < count(); ++i) {
      c.live[at(i)] = false;
      if (i >= size) c.dropped_store[at(i)] = true;
      if (i < size)
        for (const graph::Ref& ref : node_of(i).in)
          if (ref.node >= 0) used[at(ref.node)] = true;
    }
    for (int i = 0; i < size; ++i) {
      const NodeKind kind = node_of(i).kind;
      c.live[at(i)] = (kind == NodeKind::op || kind == NodeKind::view) && !used[at(i)];
    }
    return c;
  }

  void cut_to_prefix() {
    int fails = 0, shows = count();  // sizes: the fault shows from some size on
    while (shows - fails > 1) {
      const int middle = (fails + shows) / 2;
      (attempt(prefix(middle)) ? shows : fails) = middle;
    }
  }

  void keep_one_output() {
    std::vector<int> live;
    for (int i = 0; i < count(); ++i)
      if (choice_.live[at(i)]) live.push_back(i);
    if (live.size() < 2) return;
    for (bool with_stores : {false, true})
      for (auto i = live.rbegin(); i != live.rend(); ++i) {
        Choice c = choice_;
        c.live.assign(at(count()), false);
        c.live[at(*i)] = true;
        if (!with_stores) c.dropped_store.assign(at(count()), true);
        if (attempt(c)) return;
      }
  }

  /// Nodes that are computed at present, in order.
  std::vector<int> computed() const {
    const std::vector<bool> needed = needed_nodes(choice_);
    std::vector<int> list;
    for (int i = 0; i < count(); ++i)
      if (needed[at(i)] && !is_input(choice_, i) && node_of(i).kind != NodeKind::store) list.push_back(i);
    return list;
  }

  void chunks_to_inputs() {
    for (std::size_t size = std::max<std::size_t>(computed().size() / 2, 1);; size /= 2) {
      for (std::size_t begin = 0;; begin += size) {
        const std::vector<int> list = computed();
        if (begin >= list.size()) break;
        Choice c = choice_;
        for (std::size_t k = begin; k < std::min(begin + size, list.size()); ++k) c.input[at(list[k])] = true;
        if (attempt(c)) begin -= std::min(begin, size);  // what follows has moved up
      }
      if (size == 1) return;
    }
  }

  void replace_by_operands() {
    for (int i : computed()) {
      for (const graph::Ref& ref : node_of(i).in) {
        if (ref.node < 0) continue;
        const node *mine = values_[at(i)].get(), *theirs = values_[at(ref.node)].get();
        if (mine->type != theirs->type || !detail::same_shape(mine, theirs)) continue;
        Choice c = choice_;
        c.alias[at(i)] = ref.node;
        if (attempt(c)) break;
      }
    }
  }

  void drop_stores() {
    for (int i = 0; i < count(); ++i) {
      if (node_of(i).kind != NodeKind::store || choice_.dropped_store[at(i)]) continue;
      Choice c = choice_;
      c.dropped_store[at(i)] = true;
      attempt(c);
    }
  }

  const Repro& original_;
  const ReproCheck& shows_;
  std::vector<array> pristine_, values_;
  bool with_data_ = false;
  Choice choice_;
  Repro best_;
};

/// An error without what differs between kernels: "kernel nj_12ab (rows): " and numbers.
std::string essence(std::string text) {
  text.resize(std::min(text.size(), text.find(repro_hint_start)));
  std::string kept;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text.compare(i, 3, "nj_") == 0) {
      while (i < text.size() && text[i] != ')' && text[i] != ' ') ++i;
      i = std::min(text.find(')', i), text.size() - 1);
      kept += '#';
    } else if (!std::isdigit(static_cast<unsigned char>(text[i]))) {
      kept += text[i];
    }
  }
  return kept;
}

}  // namespace

Repro minify(const Repro& repro, const ReproCheck& shows) { return Minifier(repro, shows).run(); }

bool same_fault(const ReproOutcome& a, const ReproOutcome& b) {
  if (a.kind != b.kind) return false;
  return a.kind != ReproOutcome::compile_error || essence(a.text) == essence(b.text);
}

}  // namespace numjit::runtime
