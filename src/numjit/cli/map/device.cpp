// The processor, and the choice of devices.
#include <numjit/cli/map/device.h>

#include <fmt/format.h>

#include <numjit/base/config.h>
#include <numjit/base/error.h>

namespace numjit::cli {
namespace {

class Processor final : public Computer {
 public:
  explicit Processor(int threads) : threads_(threads) {}
  std::vector<array> run(const Job& job, const std::vector<array>& inputs) override {
    const config_scope scope({.threads = threads_});
    return job.run(inputs);
  }
  std::vector<array> run_part(const Job& job, const tracing::ProgramEntry& entry,
                              const std::vector<array>& inputs) override {
    const config_scope scope({.threads = threads_});
    return job.run_part(entry, inputs);
  }

 private:
  int threads_;
};

}  // namespace

std::unique_ptr<Computer> make_computer(const ComputerOptions& options) {
  if (options.device == "cpu") return std::make_unique<Processor>(options.threads);
  throw DeviceError("map", fmt::format("--device: got '{}', expected cpu.", options.device));
}

}  // namespace numjit::cli
