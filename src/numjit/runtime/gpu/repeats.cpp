// Keeping runs, finding them again, and making graphs of them.
#include <numjit/runtime/gpu/repeats.h>

#include <algorithm>
#include <bit>

#include <numjit/base/error.h>
#include <numjit/runtime/launch/launch.h>

namespace numjit::runtime::detail {
namespace {

std::uint64_t hash_of(const std::vector<std::int64_t>& words) {
  std::uint64_t h = 1469598103934665603u;
  for (std::int64_t word : words) {
    h = (h ^ static_cast<std::uint64_t>(word)) * 0x9E3779B97F4A7C15u;
    h ^= h >> 29;
  }
  return h;
}

/// An array that the steps of a plan find in memory: an input, or a result.
bool is_array_of_run(const graph::Graph& graph, const std::vector<bool>& persistent, std::size_t i) {
  const graph::NodeKind kind = graph.nodes[i].kind;
  return kind == graph::NodeKind::input || (kind == graph::NodeKind::op && persistent[i]);
}

void push_params(const op_params& params, std::vector<std::int64_t>& key) {
  key.push_back(params.size());
  for (int k = 0; k < params.size(); ++k) key.push_back(params[k]);
}

}  // namespace

void DeviceRepeats::forget() {
  kept_.clear();
  seen_.clear();
  oldest_ = 0;
  hopeless_ = false;
}

Repeat* DeviceRepeats::find(const std::vector<std::int64_t>& key) {
  if (shortages_ != devices::shortages()) {
    kept_.clear();  // with the memory that they hold
    shortages_ = devices::shortages();
  }
  const auto found = std::find_if(kept_.begin(), kept_.end(), [&](const auto& repeat) { return repeat->key == key; });
  if (found == kept_.end()) return nullptr;
  std::rotate(kept_.begin(), found, found + 1);
  return kept_.front().get();
}

bool DeviceRepeats::came_before(const std::vector<std::int64_t>& key) {
  const std::uint64_t hash = hash_of(key);
  if (std::find(seen_.begin(), seen_.end(), hash) != seen_.end()) return true;
  // As many as are kept: programs that go round more places than that keep nothing, rather than all of them for nothing.
  if (seen_.size() < most) {
    seen_.push_back(hash);
  } else {
    seen_[oldest_] = hash;
    oldest_ = (oldest_ + 1) % most;
  }
  return false;
}

void DeviceRepeats::keep(std::unique_ptr<Repeat> repeat, std::uint8_t device, devices::Stream& stream) {
  if (devices::held_bytes(device) > devices::most_held(device)) return give_up();
  if (kept_.size() == most) kept_.pop_back();
  if (repeat->launches.size() > 1 && !without_graphs_) {  // one by itself is a graph already
    try {
      repeat->graph = stream.capture(repeat->launches);
    } catch (const DeviceError& e) {
      without_graphs_ = true;
      devices::note_refused(device, e.what());
    }
  }
  kept_.insert(kept_.begin(), std::move(repeat));
  devices::count_kept();
}

void DeviceRepeats::launch(Repeat& repeat, std::uint8_t device, devices::Stream& stream) {
  if (repeat.graph) {
    try {
      stream.launch(*repeat.graph);
      return devices::count_repeated(true, repeat.launches.size());
    } catch (const DeviceError& e) {  // where the device is gone, the launches say so
      repeat.graph.reset();
      without_graphs_ = true;
      devices::note_refused(device, e.what());
    }
  }
  repeat.launches.give(stream);
  devices::count_repeated(false, repeat.launches.size());
}

bool KeptProducts::multiply(const devices::Product& product) {
  if (!library_->multiply(product)) return false;
  if (list_) list_->add([product, library = library_] { library->multiply(product); });
  return true;
}

bool KeptTransforms::run(const devices::Transform& transform) {
  if (!library_->run(transform)) return false;
  if (list_) list_->add([transform, library = library_, plan = library_->in_use()] { library->run(transform); });
  return true;
}

bool key_of_run(std::uint8_t device, const graph::Graph& graph, const std::vector<bool>& persistent, const RunInputs& in,
                std::vector<std::int64_t>& key) {
  key.clear();
  key.push_back(device);
  key.push_back(is_fast());
  for (const ScalarValue* s : in.scalars) {
    key.push_back(static_cast<std::int64_t>(s->kind) * 2 + s->above_int64);
    key.push_back(s->integer);
    key.push_back(std::bit_cast<std::int64_t>(s->real));
    key.push_back(std::bit_cast<std::int64_t>(s->imag));
  }
  for (const op_params* params : in.params)
    if (params) push_params(*params, key);
  for (const std::int64_t* offset : in.view_offsets)
    if (offset) key.push_back(*offset);
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    if (!is_array_of_run(graph, persistent, i)) continue;
    const node* n = in.slot(static_cast<int>(i));
    if (n->device != device || !n->data) {  // empty
      key.push_back(0);
      continue;
    }
    devices::Block& block = devices::block_of(n);
    const devices::address memory = block.memory();
    if (!memory) return false;
    key.push_back(static_cast<std::int64_t>(memory) + (n->data - block.host()));
  }
  return true;
}

bool slots_of(std::span<const std::pair<devices::Block*, bool>> used, std::uint8_t device, const graph::Graph& graph,
              const std::vector<bool>& persistent, const RunInputs& in, std::vector<Repeat::Use>& uses) {
  for (const auto& [block, writes] : used) {
    int slot = -1;
    for (std::size_t i = 0; slot < 0 && i < graph.nodes.size(); ++i) {
      if (!is_array_of_run(graph, persistent, i)) continue;
      const node* n = in.slot(static_cast<int>(i));
      if (n->device == device && n->data && &devices::block_of(n) == block) slot = static_cast<int>(i);
    }
    if (slot < 0) return false;
    uses.push_back({slot, writes});
  }
  return true;
}

}  // namespace numjit::runtime::detail
