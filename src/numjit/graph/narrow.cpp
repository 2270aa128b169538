// Ranges of a kernel's integers, and the kernel rewritten for a narrower type.
#include <numjit/graph/narrow.h>

#include <algorithm>
#include <bit>
#include <limits>

namespace numjit::graph {
namespace {

/// Exact values from least to most; bounds of 64-bit values are not tracked.
struct Range {
  std::int64_t least = 0, most = 0;
  bool within(const Range& outer) const { return least >= outer.least && most <= outer.most; }
  std::int64_t magnitude() const { return std::max(-least, most); }
};
using Known = std::optional<Range>;

/// Sums and products of values up to here stay exact in int64.
constexpr std::int64_t far_off = std::int64_t{1} << 31;

bool is_integer(dtype_id type) {
  const char kind = dtype(type).kind();
  return kind == 'i' || kind == 'u';
}

std::size_t size_of(dtype_id type) { return dtype(type).itemsize(); }

/// All values of an integer type of at most 32 bits, or bool.
Known range_of(dtype_id type) {
  if (type == dtype_id::bool_) return Range{0, 1};
  if (!is_integer(type) || size_of(type) > 4) return {};
  const std::int64_t count = std::int64_t{1} << (8 * size_of(type));
  return dtype(type).kind() == 'u' ? Range{0, count - 1} : Range{-count / 2, count / 2 - 1};
}

Range hull(const Range& a, const Range& b) {
  return {std::min(a.least, b.least), std::max(a.most, b.most)};
}

Range product(const Range& a, const Range& b) {
  const std::int64_t corners[] = {a.least * b.least, a.least * b.most, a.most * b.least, a.most * b.most};
  return {*std::min_element(corners, corners + 4), *std::max_element(corners, corners + 4)};
}

/// Of and, or, xor: no bit above the highest one.
Range of_bits(const Range& a, const Range& b) {
  const auto highest = static_cast<std::uint64_t>(std::max({a.most, b.most, -a.least - 1, -b.least - 1}));
  const std::int64_t all = (std::int64_t{1} << std::bit_width(highest)) - 1;
  return {a.least < 0 || b.least < 0 ? -all - 1 : 0, all};
}

/// Exact results of an op on values in these ranges; nothing for ops whose results are not followed.
Known result_of(op_id op, const Range& a, const Range& b, const Range& c) {
  switch (op) {
    case op_id::add: return Range{a.least + b.least, a.most + b.most};
    case op_id::subtract: return Range{a.least - b.most, a.most - b.least};
    case op_id::multiply: return product(a, b);
    case op_id::square: return Range{0, a.magnitude() * a.magnitude()};
    case op_id::positive: return a;
    case op_id::negative: return Range{-a.most, -a.least};
    case op_id::absolute: return Range{0, a.magnitude()};
    case op_id::sign: return Range{a.least < 0 ? -1 : 0, 1};
    case op_id::maximum:
    case op_id::fmax: return Range{std::max(a.least, b.least), std::max(a.most, b.most)};
    case op_id::minimum:
    case op_id::fmin: return Range{std::min(a.least, b.least), std::min(a.most, b.most)};
    case op_id::clip:
      return Range{std::min(std::max(a.least, b.least), c.least), std::min(std::max(a.most, b.most), c.most)};
    case op_id::where: return hull(b, c);
    case op_id::floor_divide:  // never farther from 0 than the dividend
      return Range{a.least >= 0 && b.least >= 0 ? 0 : -a.magnitude(), a.magnitude()};
    case op_id::remainder:  // has the divisor's sign
      return Range{std::min<std::int64_t>(b.least, 0), std::max<std::int64_t>(b.most, 0)};
    case op_id::fmod: return Range{std::min<std::int64_t>(a.least, 0), std::max<std::int64_t>(a.most, 0)};
    case op_id::bitwise_and:
    case op_id::bitwise_or:
    case op_id::bitwise_xor: return of_bits(a, b);
    case op_id::invert: return Range{-a.most - 1, -a.least - 1};
    // Counts outside of a type's width give what the widest ones in it do: no bits but the sign's.
    case op_id::right_shift: return Range{std::min<std::int64_t>(a.least, 0), std::max<std::int64_t>(a.most, 0)};
    default: return {};
  }
}

bool compares(op_id op) {
  switch (op) {
    case op_id::equal: case op_id::not_equal: case op_id::less: case op_id::less_equal: case op_id::greater:
    case op_id::greater_equal: case op_id::logical_and: case op_id::logical_or: case op_id::logical_not:
      return true;
    default: return false;
  }
}

class Narrower {
 public:
  /// Scalars are assumed to be at most `limit`, those that something is multiplied by at most `factor_limit`.
  Narrower(const KernelSpec& spec, dtype_id type, std::int64_t limit, std::int64_t factor_limit)
      : spec_(spec), type_(type), values_(*range_of(type)), limits_(spec.nodes.size(), limit),
        ranges_(spec.nodes.size()), copies_(spec.nodes.size(), -1), narrow_copies_(spec.nodes.size(), -1) {
    for (const KernelNode& node : spec.nodes)
      if (node.kind == KernelNodeKind::op && node.op == op_id::multiply)
        limits_[node.in[0]] = limits_[node.in[1]] = factor_limit;
  }

  /// The spec, if nothing is computed in it that is as wide as `widest`.
  std::optional<NarrowSpec> rewrite(std::size_t widest) {
    for (std::size_t i = 0; i < spec_.nodes.size(); ++i) ranges_[i] = follow(spec_.nodes[i], limits_[i]);
    result_.spec.operand_types = spec_.operand_types;
    result_.spec.scalar_types = spec_.scalar_types;
    for (std::uint16_t output : spec_.outputs) result_.spec.outputs.push_back(copy(output));
    for (std::size_t i = 0; i < result_.spec.nodes.size(); ++i) {
      const KernelNode& node = result_.spec.nodes[i];
      if (node.kind != KernelNodeKind::scalar && size_of(node.type) >= widest && !widened_[i]) return {};
    }
    for (std::size_t i = 0; i < spec_.nodes.size(); ++i) {  // every range may rest on any of them
      const KernelNode& node = spec_.nodes[i];
      if (node.kind != KernelNodeKind::scalar || !is_integer(node.type)) continue;
      const Known all = range_of(node.type);
      const Range& assumed = *ranges_[i];
      if (!all || !all->within(assumed)) result_.bounds.push_back({node.index, assumed.least, assumed.most});
    }
    return std::move(result_);
  }

 private:
  const KernelNode& node_at(std::size_t i) const { return spec_.nodes[i]; }

  Known follow(const KernelNode& node, std::int64_t limit) const {
    if (node.kind == KernelNodeKind::scalar) {
      if (!is_integer(node.type)) return range_of(node.type);
      const Range assumed{values_.least < 0 && dtype(node.type).kind() == 'i' ? -limit : 0, limit};
      const Known all = range_of(node.type);
      return all ? Range{std::max(assumed.least, all->least), std::min(assumed.most, all->most)} : assumed;
    }
    if (!is_integer(node.type)) return range_of(node.type);
    const Known all = range_of(node.type);
    Known exact;
    if (node.kind == KernelNodeKind::cast) {
      exact = ranges_[node.in[0]];
    } else if (node.kind == KernelNodeKind::op) {
      Range in[3];
      for (int k = 0; k < info(node.op).arity; ++k) {
        const Known& input = ranges_[node.in[k]];
        if (!input || input->magnitude() > far_off) return all;
        in[k] = *input;
      }
      exact = result_of(node.op, in[0], in[1], in[2]);
    }
    if (!exact) return all;
    // Results that the node's own type can't hold wrap.
    const bool fits = all ? exact->within(*all) : dtype(node.type).kind() == 'i' || exact->least >= 0;
    return fits ? exact : all;
  }

  // Can the value of node i be had in the narrow type, its op computed there?
  bool is_narrow(std::size_t i) const {
    const KernelNode& node = node_at(i);
    if (!is_integer(node.type) || size_of(node.type) <= size_of(type_) || !fits(i)) return false;
    if (node.kind == KernelNodeKind::cast) return fits(node.in[0]);
    return node.kind == KernelNodeKind::op && has_narrow_loop(node, type_);
  }

  // The same of a comparison, whose result is a bool.
  bool compares_narrow(std::size_t i) const {
    const KernelNode& node = node_at(i);
    return node.kind == KernelNodeKind::op && compares(node.op) && has_narrow_loop(node, dtype_id::bool_);
  }

  static int first_value(op_id op) { return op == op_id::where ? 1 : 0; }

  bool has_narrow_loop(const KernelNode& node, dtype_id out) const {
    const op_loop& loop = info(node.op).loops[node.loop];
    const int first = first_value(node.op);
    if (out == type_ && loop.out != loop.in[first]) return false;
    for (int k = first; k < info(node.op).arity; ++k)
      if (loop.in[k] != loop.in[first] || !is_integer(loop.in[k]) || size_of(loop.in[k]) <= size_of(type_) ||
          !fits(node.in[k]))
        return false;
    return loop_of(node.op, out) >= 0;
  }

  bool fits(std::size_t i) const { return ranges_[i] && ranges_[i]->within(values_); }

  // The op's loop on the narrow type, or -1.
  int loop_of(op_id op, dtype_id out) const {
    for (std::size_t l = 0; l < info(op).loops.size(); ++l) {
      const op_loop& loop = info(op).loops[l];
      bool is = loop.out == out;
      for (int k = first_value(op); k < info(op).arity; ++k) is = is && loop.in[k] == type_;
      if (is) return static_cast<int>(l);
    }
    return -1;
  }

  std::uint16_t add(const KernelNode& node, bool widened = false) {
    result_.spec.nodes.push_back(node);
    widened_.push_back(widened);
    return static_cast<std::uint16_t>(result_.spec.nodes.size() - 1);
  }

  std::uint16_t cast(std::uint16_t value, dtype_id type, bool widened = false) {
    if (result_.spec.nodes[value].type == type) return value;
    return add({KernelNodeKind::cast, {}, 0, type, 0, {value, 0, 0}}, widened);
  }

  // Node i in its own type.
  std::uint16_t copy(std::uint16_t i) {
    if (copies_[i] >= 0) return static_cast<std::uint16_t>(copies_[i]);
    KernelNode node = node_at(i);
    std::uint16_t made;
    if (is_narrow(i)) {
      made = cast(narrow(i), node.type, true);
    } else if (compares_narrow(i)) {
      made = narrow_op(node, dtype_id::bool_);
    } else {
      if (node.kind == KernelNodeKind::cast)  // conversions see the number, not its type
        node.in[0] = is_narrow(node.in[0]) ? narrow(node.in[0]) : copy(node.in[0]);
      if (node.kind == KernelNodeKind::op)
        for (int k = 0; k < info(node.op).arity; ++k) node.in[k] = copy(node.in[k]);
      made = add(node);
    }
    copies_[i] = made;
    return made;
  }

  // Node i, whose values fit, in the narrow type.
  std::uint16_t narrow(std::uint16_t i) {
    if (narrow_copies_[i] >= 0) return static_cast<std::uint16_t>(narrow_copies_[i]);
    const KernelNode& node = node_at(i);
    std::uint16_t made;
    if (!is_narrow(i)) made = cast(copy(i), type_);
    else if (node.kind == KernelNodeKind::cast) made = narrow(node.in[0]);
    else made = narrow_op(node, type_);
    narrow_copies_[i] = made;
    return made;
  }

  std::uint16_t narrow_op(KernelNode node, dtype_id out) {
    const int first = first_value(node.op);
    if (first) node.in[0] = copy(node.in[0]);
    for (int k = first; k < info(node.op).arity; ++k) node.in[k] = narrow(node.in[k]);
    node.loop = static_cast<std::uint8_t>(loop_of(node.op, out));
    node.type = out;
    return add(node);
  }

  const KernelSpec& spec_;
  const dtype_id type_;
  const Range values_;
  std::vector<std::int64_t> limits_;  // of scalars
  std::vector<Known> ranges_;
  std::vector<int> copies_, narrow_copies_;  // spec node -> node of the result, or -1
  std::vector<bool> widened_;  // per node of the result: a narrow value put back into its own type, to be stored
  NarrowSpec result_;
};

}  // namespace

std::optional<NarrowSpec> narrow_integers(const KernelSpec& spec) {
  std::size_t widest = 0;
  bool any_integer_op = false;
  for (const KernelNode& node : spec.nodes) {
    if (node.kind == KernelNodeKind::reduce || dtype(node.type).kind() == 'c') return {};
    if (node.kind == KernelNodeKind::scalar) continue;
    widest = std::max(widest, size_of(node.type));
    if (node.kind == KernelNodeKind::op)
      any_integer_op |= is_integer(info(node.op).loops[node.loop].in[info(node.op).arity - 1]);
  }
  if (!any_integer_op) return {};
  for (dtype_id type : {dtype_id::uint16, dtype_id::int16, dtype_id::int32}) {
    if (size_of(type) >= widest) break;
    for (std::int64_t factor : {16383, 4095, 1023, 255, 63, 15})
      for (std::int64_t limit : {16383, 1023, 255})
        if (auto narrow = Narrower(spec, type, limit, factor).rewrite(widest)) return narrow;
  }
  return {};
}

}  // namespace numjit::graph
