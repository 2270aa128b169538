// Who asked for a kernel, in case it can't be compiled: repro/ writes such segments down.
#pragma once

#include <memory>
#include <string>

namespace numjit::runtime {

/// A recorded segment with what it ran on.
class Reproducer {
 public:
  Reproducer() = default;
  virtual ~Reproducer() = default;
  Reproducer(const Reproducer&) = delete;
  Reproducer& operator=(const Reproducer&) = delete;

  /// Writes it down with what was seen in compiling for `function`. A sentence that says where, to end an error with; "" if
  /// that fails.
  virtual std::string write(const std::string& function, const std::string& fault) = 0;
  /// The same, if NUMJIT_REPRO_LEVEL asks for it, before something that may end the process; afterwards remove_ahead().
  virtual void write_ahead(const std::string& function, const std::string& fault) = 0;
  virtual void remove_ahead() noexcept = 0;
};

/// The segment that runs on this thread; null outside of runs, and where nobody wants it to be written down. Installed
/// like op_runner; null in pages.
using ReproducerMaker = std::unique_ptr<Reproducer> (*)();
extern constinit ReproducerMaker reproducer_at_work;

}  // namespace numjit::runtime
