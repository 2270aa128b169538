// The function that map applies: from a bundle, or from a C++ source.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <numjit/np.h>
#include <numjit/trace/export/tiles.h>

namespace numjit::map {

class Job {
 public:
  virtual ~Job() = default;
  /// For messages.
  virtual const std::string& name() const = 0;
  /// Differs if results could: outputs of another identity don't count as finished.
  virtual const std::string& identity() const = 0;
  /// Arrays that it takes, where `given` patterns are one each; ValueError if kinds of arguments differ in that.
  virtual std::size_t input_count(std::size_t given) const = 0;
  virtual std::size_t output_count() const = 0;
  /// Arguments that it stores into.
  virtual std::vector<std::size_t> changed_inputs() const = 0;
  /// One call, from any thread. Stores go into `inputs`.
  virtual std::vector<array> run(const std::vector<array>& inputs) const = 0;

  /// Its graphs for arrays of these shapes, for those who plan memory or parts; null if there are none, or they are
  /// too costly for that.
  virtual const tracing::Program* program(const std::vector<tracing::ArrayShape>& shapes, bool for_parts) const = 0;
  /// One part of a call: the steps of the entry on other sizes than it takes as a whole.
  virtual std::vector<array> run_part(const tracing::ProgramEntry& entry, const std::vector<array>& inputs) const = 0;
};

/// A bundle (.npj) or a C++ source (.cpp, .cc, .cxx). Errors of np::load_function; ValueError for other files,
/// OSError and CompileError where a source can't be compiled.
std::unique_ptr<Job> open_job(const std::string& path);

}  // namespace numjit::map
