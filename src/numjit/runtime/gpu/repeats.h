// Runs of a plan on a device that are like an earlier one: what it launched is launched again, by one call of the driver
// where it has graphs, and nothing else is done. Internal to runtime.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include <numjit/device/launch_list.h>
#include <numjit/device/memory.h>
#include <numjit/device/products.h>
#include <numjit/device/transforms.h>
#include <numjit/runtime/plan/plan.h>

namespace numjit::runtime::detail {

/// A run that was kept. It may come again while all that its launches' arguments were made of is the same: the key.
struct Repeat {
  Repeat(std::vector<std::int64_t> k, std::uint8_t device, devices::Stream& stream) : key(std::move(k)), held(device, stream) {}
  std::vector<std::int64_t> key;
  devices::HeldMemory held;  // of temporaries
  devices::LaunchList launches;
  std::unique_ptr<devices::LaunchGraph> graph;
  struct Use {
    int slot;  // graph node of an input or a result
    bool writes;
  };
  std::vector<Use> uses;
};

/// The kept runs of one plan for one set of layouts, and the keys of the last ones.
class DeviceRepeats {
 public:
  /// Everything that was kept is of no use any more.
  void forget();
  /// No run of these layouts can be kept.
  void give_up() { hopeless_ = true; }
  bool is_hopeless() const { return hopeless_; }

  Repeat* find(const std::vector<std::int64_t>& key);
  /// Has the key been here lately? It has afterwards.
  bool came_before(const std::vector<std::int64_t>& key);
  /// Keeps a run, whose arrays are used as `uses` says.
  void keep(std::unique_ptr<Repeat> repeat, std::uint8_t device, devices::Stream& stream);
  /// Starts a kept run's launches.
  void launch(Repeat& repeat, std::uint8_t device, devices::Stream& stream);

 private:
  static constexpr std::size_t most = 8;
  std::vector<std::unique_ptr<Repeat>> kept_;  // most recent first
  std::vector<std::uint64_t> seen_;            // hashes of keys
  std::size_t oldest_ = 0;
  std::uint64_t shortages_ = 0;
  bool hopeless_ = false, without_graphs_ = false;
};

/// A library whose calls are kept among the launches of a run that is to be kept.
template <class Library>
class KeptLibrary : public Library {
 public:
  /// Calls go to `library` from now on, and into `list`, if there is one; null where there is no library.
  Library* over(Library* library, devices::LaunchList* list) {
    library_ = library, list_ = list;
    return library ? this : nullptr;
  }

 protected:
  Library* library_ = nullptr;
  devices::LaunchList* list_ = nullptr;
};
class KeptProducts final : public KeptLibrary<devices::Products> {
  bool multiply(const devices::Product& product) override;
};
class KeptTransforms final : public KeptLibrary<devices::Transforms> {
  bool run(const devices::Transform& transform) override;
};

/// What decides the arguments of a run's launches, beside the layouts: addresses, scalars, parameters. False: an array has
/// no memory on the device yet.
bool key_of_run(std::uint8_t device, const graph::Graph& graph, const std::vector<bool>& persistent, const RunInputs& in,
                std::vector<std::int64_t>& key);

/// The arrays of a run among those blocks that its launches used; false if one of them is none.
bool slots_of(std::span<const std::pair<devices::Block*, bool>> used, std::uint8_t device, const graph::Graph& graph,
              const std::vector<bool>& persistent, const RunInputs& in, std::vector<Repeat::Use>& uses);

}  // namespace numjit::runtime::detail
