// How the memory of arrays relates, and the part of a plan's key that this decides.
#include <numjit/runtime/plan_steps.h>

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

void alias_key(const graph::Graph& graph, const RunInputs& inputs, std::vector<std::uint8_t>& key) {
  key.clear();
  const int count = static_cast<int>(graph.nodes.size());
  for (const graph::Node& store : graph.nodes) {
    if (store.kind != graph::NodeKind::store) continue;
    int target = store.in[0].node;
    while (graph.nodes[static_cast<std::size_t>(target)].kind == graph::NodeKind::view)
      target = graph.nodes[static_cast<std::size_t>(target)].in[0].node;
    if (graph.nodes[static_cast<std::size_t>(target)].kind != graph::NodeKind::input) continue;
    for (int i = 0; i < count; ++i) {
      if (graph.nodes[static_cast<std::size_t>(i)].kind != graph::NodeKind::input) continue;
      key.push_back(static_cast<std::uint8_t>(memory_relation(
          inputs.slot(target), inputs.slot(i))));
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

}  // namespace numjit::runtime
