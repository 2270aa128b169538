// What all compiled functions of one code and its options share, and what explain() collects about a call.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <numjit/base/config.h>
#include <numjit/graph/graph.h>
#include <numjit/runtime/plan/plan.h>
#include <numjit/trace/state/backend.h>
#include <numjit/trace/state/breaks.h>
#include <numjit/trace/state/learned_paths.h>

namespace numjit::tracing {

class Trie;

/// What explain() gathers while one call runs: the recorder of the calling thread fills it.
struct Collector {
  struct Segment {
    std::string graph_text;
    int op_count = 0;
    std::vector<runtime::StepInfo> steps;
    std::vector<std::string> guards;
    std::int64_t peak_bytes = 0;
  };
  struct Break {
    BreakEvent event;
    std::uint64_t hits = 0;
    std::int64_t cost_ns = 0;
  };
  struct Recompile {
    std::string reason;
    location where;
  };
  struct Kept {
    std::string array;  // "float64 (1000, 1000)"
    std::int64_t bytes = 0;
    location where;  // of the op that made it
  };
  struct Cut {
    std::string reason;  // as in cut_reason
    location where;
    std::uint64_t hits = 0;
  };
  std::vector<Cut> cut_reasons;  // those that are not for size
  std::vector<Kept> kept;        // large results that a break made the segment store
  std::vector<Recompile> recompiles;
  std::vector<Segment> segments;
  std::vector<Break> breaks;
  std::uint64_t cuts = 0;
  // Sums, also kept where segments are not (profilers run long).
  bool keeps_segments = true;
  std::uint64_t calls = 0;
  std::int64_t segment_ns = 0, kernel_ns = 0;
  std::int64_t slowest_ns = 0;  // of one segment, outside kernels
  std::string slowest_function;
  Collector* outer = nullptr;  // sees the same
};

enum class Backend : std::uint8_t { eager, graph, halide, user };

/// Options of np::compile as the recorder needs them.
struct FunctionState {
  std::string name;
  bool fullgraph = false;
  bool disabled = false;
  bool replay = false;
  int verify_replay = 0;      // every n-th replayed call runs the body too and compares; 0: none
  bool static_sizes = false;  // dynamic = no: sizes of inputs are guarded
  Backend backend = Backend::halide;
  backend_function user_backend;
  std::vector<std::string> arguments;            // names of the parameters, for texts
  std::optional<numjit::float_mode> float_mode;  // of calls of this function; else config()'s
  std::uint64_t id = 0;                          // unique, never reused: how a thread finds its trie
  LearnedPaths learned;                          // by all threads
  std::atomic<int> replays{0};                   // calls that could be replayed, for verify_replay

  /// Do calls on this thread run as if not compiled: disabled, or by stance?
  bool passes_through() const;

  FunctionState();
  ~FunctionState();
};

/// Grows whenever a thread's choice of its trie may be another one: np::reset(), disallow_in_graph, a
/// function destroyed.
extern constinit std::atomic<std::uint64_t> trie_changes;

/// Grows with each np::reset(): what was recorded under an older generation is forgotten.
std::uint64_t reset_generation();
void bump_reset_generation();

/// How many functions were destroyed so far.
std::uint64_t dead_function_count();

/// Is the function of this id still there? Threads drop the tries of others.
bool is_live_function(std::uint64_t id);

}  // namespace numjit::tracing
