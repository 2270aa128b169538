// Where files are computed. What a device other than the processor needs to do for map stands behind Computer.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <numjit/map/job.h>

namespace numjit::map {

/// Computes one file at a time on one thread; each worker has its own (a GPU's has a stream of its own, so that
/// transfers of one file overlap with another one's kernels).
class Computer {
 public:
  virtual ~Computer() = default;
  /// Does data move to and from it? Then the timeline has stages for that.
  virtual bool moves_data() const { return false; }
  /// Inputs from the host to where they are computed. `common[i]`: input i is the same array in every call, and
  /// nobody writes to it, so that it need not move again.
  virtual std::vector<array> upload(std::vector<array> inputs, const std::vector<bool>& /*common*/) { return inputs; }
  virtual std::vector<array> run(const Job& job, const std::vector<array>& inputs) = 0;
  virtual std::vector<array> run_part(const Job& job, const tracing::ProgramEntry& entry, const std::vector<array>& inputs) = 0;
  /// Results back to the host.
  virtual std::vector<array> download(std::vector<array> results) { return results; }
};

/// What the workers of a process need of a device.
struct ComputerOptions {
  std::string device = "cpu";  // as chosen_device() gives it
  int threads = 1;             // that a call may use
};
std::unique_ptr<Computer> make_computer(const ComputerOptions& options);

/// The device that a process computes on.
struct ChosenDevice {
  std::string name = "cpu";  // with its number: "cuda:1"
  std::int64_t memory = 0;   // bytes of its own that this process may use; 0: the host's limit holds
};
/// Chooses for --device: "" is config.device; of "cuda" or "opencl" the ranks of a machine take one each, in turn
/// if there are fewer devices than ranks. ValueError for what is no device, DeviceError for one that is not there.
ChosenDevice choose_device(const std::string& wanted, int local_rank, int local_count);

}  // namespace numjit::map
