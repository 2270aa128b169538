// Capturing segments and running them again.
#include <numjit/runtime/repro/repro.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <utility>

#include <fmt/format.h>

#include <numjit/array/same_bits.h>
#include <numjit/base/config.h>
#include <numjit/base/error.h>
#include <numjit/base/fault.h>
#include <numjit/base/repro_level.h>
#include <numjit/ops/bind.h>
#include <numjit/ops/eager_on_thread.h>
#include <numjit/ops/stores_into.h>
#include <numjit/runtime/repro/memory.h>

namespace numjit::runtime {
namespace {

using graph::Node;
using graph::NodeKind;

std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }

void fill(node* block, const Repro::Memory& memory, unsigned seed) {
  if (!memory.data.empty()) {
    std::memcpy(block->data, memory.data.data(), memory.data.size());
    return;
  }
  std::mt19937 random(seed);
  const auto size = static_cast<std::int64_t>(dtype(memory.type).itemsize());
  const bool whole = memory.type < dtype_id::float16;
  for (std::int64_t byte = 0; byte + size <= memory.bytes; byte += size) {
    const unsigned bits = random();
    ScalarValue value{weak_kind::float_, false, 0, 0.25 + (bits >> 8) * 0x1p-24 * 1.75, 0};
    if (whole) value = {weak_kind::int_, false, memory.type == dtype_id::bool_ ? bits % 2 : 1 + bits % 9, 0, 0};
    write_scalar(value, memory.type, block->data + byte);
  }
}

/// Elements outside of a where= mask are whatever memory held: such results can't be compared.
bool is_comparable(const graph::Graph& graph) {
  return std::none_of(graph.nodes.begin(), graph.nodes.end(),
                      [](const Node& n) { return n.kind == NodeKind::op && n.has_where; });
}

/// What a plan of the repro runs on: inputs, and nodes without storage laid out as eager code made them.
class CompiledArrays {
 public:
  CompiledArrays(const Repro& repro, std::vector<array> inputs, const std::vector<array>& like) {
    std::size_t next_input = 0;
    offset_values_.resize(like.size());
    for (std::size_t i = 0; i < like.size(); ++i) {
      const Node& n = repro.graph.nodes[i];
      if (n.kind == NodeKind::input) {
        arrays_.push_back(std::move(inputs[next_input++]));
      } else if (n.kind == NodeKind::store) {
        arrays_.push_back(arrays_[at(n.in[0].node)]);
      } else {
        node* slot = detail::allocate_node();
        detail::copy_layout(slot, like[i].get());
        arrays_.push_back(array::adopt(slot));
      }
      const bool view = n.kind == NodeKind::view;
      if (view) offset_values_[i] = like[i].get()->data - like[at(n.in[0].node)].get()->data;
      slots_.push_back(arrays_.back().get());
      params_.push_back(&n.params);
      offsets_.push_back(view ? &offset_values_[i] : nullptr);
    }
    for (const ScalarValue& value : repro.scalars) scalars_.push_back(&value);
    for (node* const& slot : slots_) places_.push_back(&slot);
  }
  RunInputs inputs() const { return {places_, scalars_, params_, offsets_}; }

 private:
  std::vector<array> arrays_;  // per node
  std::vector<node*> slots_;
  std::vector<node* const*> places_;
  std::vector<const ScalarValue*> scalars_;
  std::vector<const op_params*> params_;
  std::vector<const std::int64_t*> offsets_;
  std::vector<std::int64_t> offset_values_;
};

/// What eager code makes of a node must be what the graph says, or the graph was not recorded.
void check_values(const Repro& repro, const std::vector<array>& values) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    const Node& n = repro.graph.nodes[i];
    const node* value = values[i].get();
    if (n.kind == NodeKind::store || (value->type == n.type && value->rank == n.rank)) continue;
    throw ValueError("repro", fmt::format("%{} is {}, but running it gives {}.", i, graph::type_text(n.type, n.rank),
                                          graph::type_text(value->type, value->rank)));
  }
}

ReproOutcome run_compiled(const Repro& repro, const std::string& layer) {
  std::vector<array> expected;
  try {
    expected = run_eagerly(repro, make_inputs(repro));
    check_values(repro, expected);
  } catch (const error& e) {
    return {ReproOutcome::unusable, e.what()};
  }
  if (layer == "eager") return {};
  const CompiledArrays arrays(repro, make_inputs(repro), expected);
  const RunInputs inputs = arrays.inputs();
  try {
    Plan plan(repro.graph, inputs);
    plan.run(inputs, true, layer != "halide");
    if (const std::exception_ptr late = plan.take_error()) std::rethrow_exception(late);
  } catch (const error& e) {
    return {ReproOutcome::compile_error, e.what()};
  }
  if (auto difference = find_difference(repro.graph, inputs, expected)) return {ReproOutcome::wrong_value, *difference};
  return {};
}

}  // namespace

void MemoryCollector::add(node* n) {
  node* owner = detail::storage_owner(n);
  auto known = std::find(owners_.begin(), owners_.end(), owner);
  const auto range = detail::memory_range(n);
  // From a multiple of 64 bytes on, as blocks are aligned.
  const std::int64_t low = (range.low - owner->data) / 64 * 64, high = range.high - owner->data;
  if (known == owners_.end()) {
    known = owners_.insert(known, owner);
    ranges_.push_back({low, high});
    repro_.memories.push_back({0, n->type, {}});
  }
  const auto memory = known - owners_.begin();
  auto& [first, last] = ranges_[at(memory)];
  first = std::min(first, low);
  last = std::max(last, high);
  repro_.places.push_back({dims(n->shape, n->rank), dims(n->strides, n->rank),
                           n->data - owner->data,  // from `first` on once all are known
                           static_cast<int>(memory)});
}

void MemoryCollector::finish() {
  for (std::size_t m = 0; m < owners_.size(); ++m) {
    const auto [first, last] = ranges_[m];
    repro_.memories[m].bytes = std::max<std::int64_t>(last - first, 0);
    if (with_data_ && last > first) repro_.memories[m].data.assign(owners_[m]->data + first, owners_[m]->data + last);
  }
  for (Repro::Place& place : repro_.places) place.offset -= ranges_[at(place.memory)].first;
}

std::optional<Repro> capture(const graph::Graph& graph, const RunInputs& inputs, bool with_data) {
  Repro repro;
  repro.graph = graph;
  MemoryCollector memories(repro, with_data);
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    const Node& n = graph.nodes[i];
    if (n.kind == NodeKind::input) {
      memories.add(inputs.slot(static_cast<int>(i)));
      continue;
    }
    if (n.op == op_id::black_box || moves_state(n.op)) return std::nullopt;
    repro.graph.nodes[i].params = *inputs.params[i];
  }
  memories.finish();
  for (const ScalarValue* value : inputs.scalars) repro.scalars.push_back(*value);
  repro.fast_math = config().float_mode == float_mode::fast;
  repro.timeout_ms = config().compile_timeout_ms;
  repro.injected = detail::injected_faults();
  return repro;
}

std::vector<array> make_inputs(const Repro& repro) {
  std::vector<array> blocks, inputs;
  for (const Repro::Memory& memory : repro.memories) {
    blocks.push_back(array::adopt(detail::new_node(dtype_id::uint8, 1, &memory.bytes)));
    fill(blocks.back().get(), memory, static_cast<unsigned>(blocks.size()));
  }
  for (const Node& n : repro.graph.nodes) {
    if (n.kind != NodeKind::input) continue;
    const Repro::Place& place = repro.places[inputs.size()];
    inputs.push_back(array::adopt(detail::new_view(blocks[at(place.memory)].get(), n.type, n.rank, place.shape.data(),
                                                   place.strides.data(), place.offset)));
  }
  return inputs;
}

std::vector<array> run_eagerly(const Repro& repro, const std::vector<array>& inputs) {
  const detail::eager_on_thread eagerly;
  std::vector<array> values;
  std::size_t next_input = 0;
  for (const Node& n : repro.graph.nodes) {
    if (n.kind == NodeKind::input) {
      values.push_back(inputs[next_input++]);
      continue;
    }
    std::vector<operand> in;
    for (const graph::Ref& ref : n.in)
      in.push_back(ref.node >= 0 ? operand(values[at(ref.node)], n.where.file, n.where.function, n.where.line)
                                 : operand_of(repro.scalars[at(ref.scalar)], n.where));
    op_call call{n.op, in, &n.params, nullptr, nullptr, n.where};
    if (n.has_where) {
      call.where_mask = in.back().n();
      call.in = std::span(in).first(in.size() - 1);
    }
    array value = bind(call);
    values.push_back(n.kind == NodeKind::store ? values[at(n.in[0].node)] : std::move(value));
  }
  return values;
}

std::optional<std::string> find_difference(const graph::Graph& graph, const RunInputs& ran, const std::vector<array>& expected) {
  if (!is_comparable(graph)) return std::nullopt;
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    const Node& n = graph.nodes[i];
    const node* got = ran.slot(static_cast<int>(i));
    if ((n.kind != NodeKind::op && n.kind != NodeKind::input) || !got->data) continue;
    const auto element = detail::first_difference(expected[i].get(), got);
    if (!element) continue;
    return n.kind == NodeKind::input ? fmt::format("element {} of input %{} after the stores", *element, i)
                                     : fmt::format("element {} of the result of %{} = {} at {}:{}", *element, i, op_text(n),
                                                   n.where.file, n.where.line);
  }
  return std::nullopt;
}

ReproOutcome run_repro(const Repro& repro, const std::string& layer) {
  config_scope scope({.compile = compile_mode::sync,
                      .suppress_errors = false,
                      .float_mode = repro.fast_math ? float_mode::fast : float_mode::exact,
                      .cache_dir = "off",
                      .compile_timeout_ms = repro.timeout_ms,
                      .check_same_bits = false});
  if (!repro.injected.empty()) detail::inject_fault(repro.injected);
  // A repro of a repro helps nobody.
  const int level = detail::repro_level.exchange(0);
  ReproOutcome outcome = run_compiled(repro, layer);
  detail::repro_level = level;
  return outcome;
}

}  // namespace numjit::runtime
