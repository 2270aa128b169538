// Stencils: expressions that are the same up to a shift are found and become tiles.
#include <numjit/graph/stencil.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

namespace numjit::graph {
namespace {

constexpr int axes = 3;
constexpr std::size_t most_tiles = 8;
constexpr int worth_a_tile = 60;             // additions saved, against a store, a barrier and a load (measured on an H100)
constexpr int worth_a_tile_of_a_kernel = 6;  // where the array is not stored and loaded either
constexpr std::size_t worth_a_tile_of_an_array = 25;  // points at which it is read

Shift operator+(Shift a, const Shift& b) {
  for (int k = 0; k < axes; ++k) a[k] += b[k];
  return a;
}
Shift operator-(Shift a, const Shift& b) {
  for (int k = 0; k < axes; ++k) a[k] -= b[k];
  return a;
}
Shift most(Shift a, const Shift& b) {
  for (int k = 0; k < axes; ++k) a[k] = std::max(a[k], b[k]);
  return a;
}
Shift least(Shift a, const Shift& b) {
  for (int k = 0; k < axes; ++k) a[k] = std::min(a[k], b[k]);
  return a;
}

/// What computing a node costs, in additions.
int cost_of(const KernelNode& node) {
  if (node.kind == KernelNodeKind::cast) return 1;
  if (node.kind != KernelNodeKind::op) return 0;
  return additions_of(facts_of(node.op).cost);
}

/// Nodes that are the same function of the arrays up to a shift: node(p) = Class(p + shift).
struct Class {
  KernelNode node;                // of the first one; its inputs are the classes below
  Shift shift[3] = {};            // of the inputs
  std::uint8_t still = 0;         // axes along which it does not vary
  int leaf = -1;                  // an operand of the spec: a leaf
  int cost = 0;
};

/// A class as it is seen from another one, or from the results (context -1).
using Read = std::pair<int, Shift>;

class Finder {
 public:
  Finder(const KernelSpec& spec, const std::vector<StencilOperand>& operands, TilesSpare spare)
      : spec_(spec), operands_(operands), spares_kernel_(spare == TilesSpare::a_kernel) {}

  std::optional<Stencil> find() {
    for (const KernelNode& node : spec_.nodes) place_.push_back(classify(node));
    if (!choose()) return std::nullopt;
    return emit();
  }

 private:
  // ---- classes ----

  std::pair<int, Shift> classify(const KernelNode& node) {
    Class c{node, {}, 0, -1, cost_of(node)};
    std::fill_n(c.node.in, 3, std::uint16_t{0});
    Shift origin{};
    std::vector<int> key{static_cast<int>(node.kind), static_cast<int>(node.op), node.loop, static_cast<int>(node.type),
                         node.index};
    if (node.kind == KernelNodeKind::operand) {
      const StencilOperand& operand = operands_[node.index];
      c.leaf = node.index;
      c.still = operand.still;
      origin = operand.at;
      key.back() = operand.array;
    } else {
      c.still = 7;
      const int inputs = inputs_of(node);
      for (int k = 0; k < axes; ++k)  // along each axis the first input that varies is the origin
        for (int i = 0; i < inputs && (c.still >> k & 1); ++i) {
          const auto& [below, shift] = place_[node.in[i]];
          if (classes_[static_cast<std::size_t>(below)].still >> k & 1) continue;
          c.still = static_cast<std::uint8_t>(c.still & ~(1 << k));
          origin[static_cast<std::size_t>(k)] = shift[static_cast<std::size_t>(k)];
        }
      for (int i = 0; i < inputs; ++i) {
        const auto& [below, shift] = place_[node.in[i]];
        const Class& input = classes_[static_cast<std::size_t>(below)];
        c.node.in[i] = static_cast<std::uint16_t>(below);
        c.cost = std::min(c.cost + input.cost, 1 << 20);
        c.shift[i] = shift - origin;
        key.push_back(below);
        for (int k = 0; k < axes; ++k) {
          if (input.still >> k & 1) c.shift[i][static_cast<std::size_t>(k)] = 0;
          key.push_back(c.shift[i][static_cast<std::size_t>(k)]);
        }
      }
    }
    const auto [found, is_new] = known_.try_emplace(std::move(key), static_cast<int>(classes_.size()));
    if (is_new) classes_.push_back(c);
    return {found->second, origin};
  }

  // ---- tiles ----

  Shift from(int context) const { return context < 0 ? Shift{} : low_[static_cast<std::size_t>(context)]; }

  // Classes from the results down: who reads each, and where. Tiles are contexts of their own.
  bool choose() {
    const std::size_t n = classes_.size();
    reads_.resize(n);
    low_.resize(n);
    high_.resize(n);
    is_tile_.assign(n, false);
    for (std::uint16_t output : spec_.outputs)
      reads_[static_cast<std::size_t>(place_[output].first)].insert({-1, place_[output].second});
    bool pays = false;
    for (std::size_t c = n; c-- > 0;) {
      if (reads_[c].empty()) continue;
      Class& of = classes_[c];
      std::set<Shift> points;
      bool first = true;
      for (const auto& [context, shift] : reads_[c]) {
        Shift at = from(context) + shift, last = (context < 0 ? Shift{} : high_[static_cast<std::size_t>(context)]) + shift;
        for (int k = 0; k < axes; ++k)
          if (of.still >> k & 1) at[static_cast<std::size_t>(k)] = last[static_cast<std::size_t>(k)] = 0;
        points.insert(at);
        low_[c] = first ? at : least(low_[c], at);
        high_[c] = first ? last : most(high_[c], last);
        first = false;
      }
      is_tile_[c] = wants_tile(of, reads_[c].size(), points.size());
      if (of.leaf >= 0 && !is_tile_[c] && points.size() > 1) return false;  // no one place where it begins
      if (is_tile_[c]) {
        if (++tiles_ > most_tiles) return false;
        for (int k = 0; k < axes; ++k)
          if (high_[c][static_cast<std::size_t>(k)] - low_[c][static_cast<std::size_t>(k)] > most_shift) return false;
        std::set<std::pair<int, int>> rows;
        for (const Shift& p : points) rows.insert({p[1], p[2]});
        const std::size_t least = of.leaf < 0 ? 2 : spares_kernel_ ? 3 : worth_a_tile_of_an_array;
        pays = pays || (rows.size() >= 2 && points.size() >= least);
      }
      push_down(static_cast<int>(c));
    }
    return pays;
  }

  bool wants_tile(const Class& c, std::size_t reads, std::size_t points) const {
    if (c.still || reads < 2 || points < 2) return false;
    const int saved = c.cost * static_cast<int>(points - 1);
    if (c.leaf >= 0 || saved >= worth_a_tile) return true;
    return spares_kernel_ ? saved >= worth_a_tile_of_a_kernel || is_of_one_array(c)
                          : points >= worth_a_tile_of_an_array && is_of_one_array(c);
  }
  // A cast, a square: its tile stands in for the array's.
  bool is_of_one_array(const Class& c) const { return inputs_of(c.node) == 1 && classes_[c.node.in[0]].leaf >= 0; }

  void push_down(int c) {
    const Class& of = classes_[static_cast<std::size_t>(c)];
    for (int i = 0; i < inputs_of(of.node); ++i) {
      auto& below = reads_[of.node.in[i]];
      if (is_tile_[static_cast<std::size_t>(c)]) below.insert({c, of.shift[i]});
      else
        for (const auto& [context, shift] : reads_[static_cast<std::size_t>(c)]) below.insert({context, shift + of.shift[i]});
    }
  }

  // ---- the spec ----

  std::optional<Stencil> emit() {
    stencil_.spec.scalar_types = spec_.scalar_types;
    operand_of_.assign(classes_.size(), -1);
    for (std::size_t c = 0; c < classes_.size(); ++c)
      if (is_tile_[c]) tile_node_[static_cast<int>(c)] = body(static_cast<int>(c), static_cast<int>(c), Shift{});
    for (std::uint16_t output : spec_.outputs)
      stencil_.spec.outputs.push_back(value(place_[output].first, -1, place_[output].second));
    return std::move(stencil_);
  }

  std::uint16_t add(const KernelNode& node) {
    stencil_.spec.nodes.push_back(node);
    return static_cast<std::uint16_t>(stencil_.spec.nodes.size() - 1);
  }

  // The value of a class at a shift, as the context sees it.
  std::uint16_t value(int c, int context, Shift shift) {
    for (int k = 0; k < axes; ++k)
      if (classes_[static_cast<std::size_t>(c)].still >> k & 1) shift[static_cast<std::size_t>(k)] = 0;
    const auto key = std::tuple(c, context, shift);
    if (const auto found = made_.find(key); found != made_.end()) return found->second;
    const auto at = static_cast<std::size_t>(c);
    std::uint16_t made;
    if (is_tile_[at]) {
      const Shift steps = from(context) + shift - low_[at];
      const auto packed = static_cast<std::uint16_t>(steps[0] | steps[1] << 5 | steps[2] << 10);
      made = add({KernelNodeKind::shifted, {}, 0, classes_[at].node.type, packed, {tile_node_.at(c), 0, 0}});
    } else {
      made = body(c, context, shift);
    }
    return made_[key] = made;
  }

  std::uint16_t body(int c, int context, const Shift& shift) {
    const Class& of = classes_[static_cast<std::size_t>(c)];
    if (of.leaf >= 0) return operand(c, context);
    KernelNode node = of.node;
    for (int i = 0; i < inputs_of(node); ++i) node.in[i] = value(of.node.in[i], context, shift + of.shift[i]);
    return add(node);
  }

  // An array is read where all who read it agree that it begins, else it is a tile, which begins at the least.
  std::uint16_t operand(int c, int context) {
    const auto at = static_cast<std::size_t>(c);
    const Class& leaf = classes_[at];
    int& number = operand_of_[at];
    if (number < 0) {
      number = static_cast<int>(stencil_.operands.size());
      stencil_.spec.operand_types.push_back(leaf.node.type);
      stencil_.operands.push_back({leaf.leaf, low_[at] - operands_[static_cast<std::size_t>(leaf.leaf)].at, {}});
      for (int k = 0; k < axes; ++k)
        if (leaf.still >> k & 1) stencil_.operands.back().moved[static_cast<std::size_t>(k)] = 0;
    }
    const Shift halo = context < 0 ? Shift{} : high_[static_cast<std::size_t>(context)] - low_[static_cast<std::size_t>(context)];
    Shift& have = stencil_.operands[static_cast<std::size_t>(number)].halo;
    have = most(have, halo);
    return add({KernelNodeKind::operand, {}, 0, leaf.node.type, static_cast<std::uint16_t>(number), {}});
  }

  const KernelSpec& spec_;
  const std::vector<StencilOperand>& operands_;
  bool spares_kernel_;
  std::vector<Class> classes_;                     // inputs first
  std::map<std::vector<int>, int> known_;
  std::vector<std::pair<int, Shift>> place_;       // per node of the spec: its class and shift
  std::vector<std::set<Read>> reads_;
  std::vector<Shift> low_, high_;                  // per class: points at which it is read, from the kernel's own
  std::vector<bool> is_tile_;
  std::size_t tiles_ = 0;
  Stencil stencil_;
  std::map<int, std::uint16_t> tile_node_;
  std::map<std::tuple<int, int, Shift>, std::uint16_t> made_;
  std::vector<int> operand_of_;
};

}  // namespace

int inputs_of(const KernelNode& node) {
  return node.kind == KernelNodeKind::op ? info(node.op).arity : node.kind == KernelNodeKind::cast ? 1 : 0;
}

Shift shift_of(const KernelNode& node) { return {node.index & 31, node.index >> 5 & 31, node.index >> 10 & 31}; }

std::optional<Stencil> find_stencil(const KernelSpec& spec, const std::vector<StencilOperand>& operands, TilesSpare spare) {
  return Finder(spec, operands, spare).find();
}

std::vector<std::optional<Shift>> tile_halos(const KernelSpec& spec) {
  // Nodes are in order, so that who reads a tile stands behind it: from the last to the first, each node's own halo is
  // known before those below get theirs.
  std::vector<std::optional<Shift>> halos(spec.nodes.size());
  std::vector<Shift> reach(spec.nodes.size(), Shift{});
  for (std::size_t i = spec.nodes.size(); i-- > 0;) {
    const KernelNode& node = spec.nodes[i];
    if (halos[i]) reach[i] = *halos[i];
    if (node.kind == KernelNodeKind::shifted) {
      auto& tile = halos[node.in[0]];
      const Shift needed = reach[i] + shift_of(node);
      tile = tile ? most(*tile, needed) : needed;
    }
    for (int k = 0; k < inputs_of(node); ++k) reach[node.in[k]] = most(reach[node.in[k]], reach[i]);
  }
  return halos;
}

std::optional<StencilTile> choose_tile(const KernelSpec& spec) {
  const auto halos = tile_halos(spec);
  Shift widest{};
  for (const auto& halo : halos)
    if (halo) widest = most(widest, *halo);
  // Half of what there is lets two blocks share a processor; blocks with less points read more of their borders twice.
  const std::vector<std::pair<int, int>> flat = {{32, 1}, {16, 1}, {8, 1}}, deep = {{8, 8}, {8, 4}, {8, 2}};
  for (const std::int64_t room : {most_shared_bytes / 2, most_shared_bytes})
    for (const auto& [y, z] : widest[2] > 0 ? deep : flat) {
      StencilTile tile{y, z, 0};
      for (std::size_t i = 0; i < halos.size(); ++i) {
        if (!halos[i]) continue;
        const Shift& halo = *halos[i];
        const std::int64_t points = std::int64_t{stencil_tile_x + halo[0]} * (y + halo[1]) * (z + halo[2]);
        tile.bytes += (points * static_cast<std::int64_t>(dtype(spec.nodes[i].type).itemsize()) + 31) / 32 * 32;
      }
      if (tile.bytes <= room) return tile;
    }
  return std::nullopt;
}

}  // namespace numjit::graph
