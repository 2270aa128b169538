// How the memory of arrays relates, and the part of a plan's key that this decides.
#include <numjit/runtime/plan/steps.h>

#include <algorithm>

namespace numjit::runtime {

Alias memory_relation(const node* a, const node* b) {
  if (a == b) return Alias::same;
  // Blocks of the pool never overlap; foreign memory may.
  const node *owner_a = a->base ? a->base : a, *owner_b = b->base ? b->base : b;
  if (owner_a != owner_b && owner_a->block_bytes > 0 && owner_b->block_bytes > 0) return Alias::disjoint;
  if (!detail::may_overlap(a, b)) return Alias::disjoint;
  bool same = a->data == b->data && a->type == b->type && detail::same_shape(a, b);
  for (int i = 0; same && i < a->rank; ++i) same = a->strides[i] == b->strides[i];
  return same ? Alias::same : Alias::overlap;
}

AliasPairs::AliasPairs(const graph::Graph& graph) {
  auto kind_of = [&](int i) { return graph.nodes[static_cast<std::size_t>(i)].kind; };
  for (const graph::Node& store : graph.nodes) {
    if (store.kind != graph::NodeKind::store) continue;
    const int target = graph.root_of(store.in[0].node);
    if (kind_of(target) != graph::NodeKind::input) continue;
    if (std::find(targets_.begin(), targets_.end(), target) == targets_.end()) targets_.push_back(target);
  }
  if (targets_.empty()) return;
  for (int i = 0; i < static_cast<int>(graph.nodes.size()); ++i)
    if (kind_of(i) == graph::NodeKind::input) inputs_.push_back(i);
}

// Loops over rows ask this for new addresses each time: most pairs must cost two comparisons.
void AliasPairs::key(const RunInputs& inputs, std::vector<std::uint8_t>& key) {
  key.clear();
  ranges_.clear();
  for (int i : inputs_) ranges_.push_back(detail::memory_range(inputs.slot(i)));
  for (int target : targets_) {
    const node* written = inputs.slot(target);
    const detail::byte_range range = detail::memory_range(written);
    for (std::size_t k = 0; k < inputs_.size(); ++k) {
      const bool apart = range.high <= ranges_[k].low || ranges_[k].high <= range.low;
      const node* other = inputs.slot(inputs_[k]);
      key.push_back(static_cast<std::uint8_t>(apart && other != written ? Alias::disjoint : memory_relation(written, other)));
    }
  }
}

void write_scalar(const ScalarValue& value, dtype_id type, void* to) {
  visit_dtype(type, [&]<class T>() {
    T result;
    const bool integral = value.kind == weak_kind::int_ || value.kind == weak_kind::bool_;
    auto convert = [&]<class R>() -> R {
      if (integral && value.above_int64) return static_cast<R>(static_cast<std::uint64_t>(value.integer));
      return integral ? static_cast<R>(value.integer) : static_cast<R>(value.real);
    };
    if constexpr (std::is_same_v<T, half>) {
      result = half(convert.template operator()<double>());
    } else if constexpr (std::is_same_v<T, complex<float>>) {
      result = {convert.template operator()<float>(), static_cast<float>(value.imag)};
    } else if constexpr (std::is_same_v<T, complex<double>>) {
      result = {convert.template operator()<double>(), value.imag};
    } else if constexpr (std::is_same_v<T, bool>) {
      result = integral ? value.integer != 0 : value.real != 0 || value.imag != 0;
    } else {
      result = convert.template operator()<T>();
    }
    std::memcpy(to, &result, sizeof result);
  });
}

operand operand_of(const ScalarValue& v, const location& where) {
  auto make = [&](auto value) { return operand(value, where.file, where.function, where.line); };
  switch (v.kind) {
    case weak_kind::bool_: return make(v.integer != 0);
    case weak_kind::int_: return v.above_int64 ? make(static_cast<std::uint64_t>(v.integer)) : make(v.integer);
    case weak_kind::float_: return make(v.real);
    default: return make(std::complex<double>(v.real, v.imag));
  }
}

}  // namespace numjit::runtime
