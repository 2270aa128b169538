// Running an exported program: shapes by the rules of the rows, kernels through plans, no recording.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include <numjit/trace/export/program.h>

namespace numjit::tracing {

/// Runs the steps of one program. Used by one thread at a time; keeps plans between calls.
class ProgramRunner {
 public:
  explicit ProgramRunner(const Program& program);
  ~ProgramRunner();
  ProgramRunner(const ProgramRunner&) = delete;
  ProgramRunner& operator=(const ProgramRunner&) = delete;

  /// The results for arguments that `entry` fits (find_entry). Stores go into the arguments.
  /// ValueError for a read value that no example had; errors of the operations as they are.
  std::vector<array> run(const ProgramEntry& entry, const std::vector<node*>& arguments);

 private:
  class SegmentRun;
  node* node_of(const ProgramSource& source, const std::vector<node*>& arguments) const;
  void run_graph(std::size_t number, const std::vector<node*>& arguments);

  const Program& program_;
  std::vector<std::unique_ptr<SegmentRun>> segments_;  // by step
  std::vector<node*> inputs_;
  std::vector<array> computed_;  // of the call at work
};

/// The entry for these arguments. `values`: the plain ones, or null to take those of any entry.
/// ValueError that names the smallest difference.
const ProgramEntry& find_entry(const Program& program, const std::vector<node*>& arguments,
                               const std::vector<std::uint64_t>* values);

}  // namespace numjit::tracing
