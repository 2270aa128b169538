// Writes segments down whose kernels can't be compiled.
#include <numjit/runtime/repro/kernel_failures.h>

#include <optional>
#include <utility>

#include <numjit/base/repro_level.h>
#include <numjit/runtime/repro/repro.h>

namespace numjit::runtime {
namespace {

int level() { return detail::repro_level.load(std::memory_order_relaxed); }

class SegmentReproducer final : public Reproducer {
 public:
  explicit SegmentReproducer(Repro segment) : segment_(std::move(segment)) {}
  ~SegmentReproducer() override { remove_ahead(); }

  std::string write(const std::string& function, const std::string& fault) override {
    describe(function, fault);
    return repro_hint(write_repro(segment_, level() == 2 || level() == 4));
  }
  void write_ahead(const std::string& function, const std::string& fault) override {
    if (level() < 2) return;
    describe(function, fault);
    path_ = write_repro(segment_, false);
  }
  void remove_ahead() noexcept override { remove_repro(std::exchange(path_, {})); }

 private:
  void describe(const std::string& function, const std::string& fault) {
    segment_.function = function;
    segment_.fault = fault;
  }

  Repro segment_;
  std::string path_;
};

}  // namespace

std::unique_ptr<Reproducer> capture_at_work() {
  if (!run_context || level() == 0) return nullptr;
  std::optional<Repro> segment = capture(*run_context->graph, *run_context->inputs, false);
  return segment ? std::make_unique<SegmentReproducer>(*std::move(segment)) : nullptr;
}

}  // namespace numjit::runtime
