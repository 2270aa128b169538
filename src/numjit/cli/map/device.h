// Where files are computed. What a device other than the processor needs to do for map stands behind Computer.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <numjit/cli/map/job.h>

namespace numjit::cli {

/// Computes one file at a time on one thread; each worker has its own (a GPU's has a stream of its own, so that
/// transfers of one file overlap with another one's kernels).
class Computer {
 public:
  virtual ~Computer() = default;
  /// Does data move to and from it? Then the timeline has stages for that.
  virtual bool moves_data() const { return false; }
  /// Inputs from the host to where they are computed.
  virtual std::vector<array> upload(std::vector<array> inputs) { return inputs; }
  virtual std::vector<array> run(const Job& job, const std::vector<array>& inputs) = 0;
  virtual std::vector<array> run_part(const Job& job, const tracing::ProgramEntry& entry,
                                      const std::vector<array>& inputs) = 0;
  /// Results back to the host.
  virtual std::vector<array> download(std::vector<array> results) { return results; }
  /// Bytes of its own memory that calls may use at a time, all workers together; 0: the host's limit holds.
  virtual std::int64_t memory() const { return 0; }
};

/// What the workers of a process need of a device.
struct ComputerOptions {
  std::string device = "cpu";  // --device
  int threads = 1;             // that a call may use
  int local_rank = 0;          // of the process on its machine: which of several devices of a kind
};
/// DeviceError for a device that is not there.
std::unique_ptr<Computer> make_computer(const ComputerOptions& options);

}  // namespace numjit::cli
