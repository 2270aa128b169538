// What all compiled functions of one code and its options share.
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
  std::shared_ptr<FunctionState> backward;       // sweeps over its operations, see transform/backward_region.h; null: none yet
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
