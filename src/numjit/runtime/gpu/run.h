// Running a plan on a device: where its arrays lie, and which of its steps the host has to do.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include <numjit/runtime/plan/steps.h>

namespace numjit::runtime {

/// What the executor asks of the device layer. Made by it for each plan that meets a device; absent (the factory
/// below is null) in builds without devices.
class DeviceRun {
 public:
  virtual ~DeviceRun() = default;
  /// Begins a run on a device. Inputs of the host get room there when a kernel first asks for them. Results go to
  /// the host again if all arrays came from there.
  virtual void begin(std::uint8_t device, const graph::Graph& graph, const RunInputs& inputs, bool without_kernels) = 0;
  /// The same work on the same arrays as in an earlier run: its launches are given again. True: the run is done.
  virtual bool run_again(const graph::Graph& graph, const PlannedSteps& planned, const RunInputs& inputs,
                         bool layout_changed) = 0;
  /// Storage for a result or a temporary.
  virtual void allocate(node* n, bool persistent) = 0;
  virtual void give_back(node* n) noexcept = 0;
  /// One launch. False: there is no kernel for it, the host has to do it.
  virtual bool launch(FusedPart& part, const Launch& launch) = 0;
  /// A step of one operation, and the length of its result where only the data knows. False, nothing: the host has
  /// to do it.
  virtual bool run_op(const graph::Graph& graph, Step& step, const RunInputs& inputs) = 0;
  virtual std::optional<std::int64_t> count(const graph::Graph& graph, int node, const RunInputs& inputs) = 0;
  /// The host reads (or writes) an array of the run.
  virtual void on_host(const node* n, bool writes) = 0;
  /// Counts an operation that the host does.
  virtual void note(std::string_view op, std::int64_t bytes) = 0;
  /// Puts results and written arguments where they belong.
  virtual void finish(const graph::Graph& graph, const RunInputs& inputs) = 0;
  /// After an error: all that is there becomes current on the host, and the run forgets its own memory.
  virtual void abandon(const RunInputs& inputs) noexcept = 0;

  bool host_works = false;              // the step at hand is the host's
  std::optional<std::int64_t> counted;  // the length of a result, for the layout that is resolved next
};
using DeviceRunMaker = std::unique_ptr<DeviceRun> (*)();
extern constinit DeviceRunMaker make_device_run;

/// Frees the storage of a remote node outside of a run.
void drop_remote_storage(node* n) noexcept;

/// What a run on a device needs from the executor.
class StepRunner {
 public:
  virtual ~StepRunner() = default;
  virtual void place_view(int node, const RunInputs& inputs) const = 0;
  virtual void resolve(int node, const RunInputs& inputs) = 0;
  virtual bool has_tiny_length(const Step& step, const RunInputs& inputs) const = 0;
  virtual bool run_part(FusedPart& part, const RunInputs& inputs, bool layout_changed) = 0;
  virtual void run_fused(Step& step, const RunInputs& inputs, bool layout_changed, bool eager_only) = 0;
  virtual void run_single_step(Step& step, const RunInputs& inputs) = 0;
  virtual void make_temporaries(const Step& step, const RunInputs& inputs) = 0;
  virtual void give_back_temporaries(const Step& step) = 0;
  virtual void give_back(node* n) = 0;
};

/// The steps of a plan in order, each on the device or, where that has no form of it, on the host. `reached`: the
/// last node of the step at work.
void run_on_device(DeviceRun& device, const graph::Graph& graph, PlannedSteps& planned, StepRunner& runner,
                   const RunInputs& inputs, bool layout_changed, int& reached);

}  // namespace numjit::runtime
