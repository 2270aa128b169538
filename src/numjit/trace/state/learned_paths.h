// What all threads learned about one function: the paths that were recorded, as hashes, and how many of them are recompiles.
//
// Records belong to a thread, so each thread that calls a function makes its own. Whether that is something new is asked
// here: a path that another thread recorded is no recompile, and a stance that forbids new graphs allows it.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include <numjit/array/dims.h>
#include <numjit/array/node.h>
#include <numjit/base/location.h>

namespace numjit::tracing {

/// Guards small tables of tracing that all threads change; nobody holds it while the process forks.
std::mutex& tables_mutex();

/// Joins a word to a hash.
inline std::uint64_t mix(std::uint64_t hash, std::uint64_t word) {
  hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
  return hash ^ hash >> 32;
}

/// The guard of one input, as it was recorded.
struct InputGuard {
  std::uint64_t signature = 0;
  std::uint32_t static_axes = 0;
  dims shape;
};

/// The inputs that an operation brought into a path, when a thread last recorded it with guards not met before.
struct RecordedGuards {
  std::vector<InputGuard> inputs;
  location where;
  std::uint64_t recorder = 0;  // of which thread, and in which of its calls
  std::uint64_t region = 0;
};

/// Two hashes of a path: with the guards of the inputs that its last operation brings in, and with any guards of these.
struct PathKeys {
  std::uint64_t path = 0;
  std::uint64_t any_guards = 0;
  std::vector<const node*> new_inputs;  // in the order of the operands, each once
};

class LearnedPaths {
 public:
  /// Forgets what was learned under an older generation of np::reset().
  void renew(std::uint64_t generation);
  bool knows(std::uint64_t path) const;
  void add(std::uint64_t path);
  void add(const PathKeys& keys, RecordedGuards guards);
  /// What the operation's inputs looked like when they were recorded last; empty: never.
  std::optional<RecordedGuards> recorded(std::uint64_t any_guards) const;
  /// Counts a recompile, if there were fewer than `limit`; its number, or one above the limit.
  int count_recompile(int limit);
  int recompiles() const;
  /// The same for paths of the program that part from those recorded.
  int count_new_path(int limit);

 private:
  // A program that takes ever new paths is bounded by config.segment_limit; what it does beyond this many is known to the
  // thread alone, and never counted.
  static constexpr std::size_t most = 1 << 15;
  bool full() const { return paths_.size() >= most; }

  std::uint64_t generation_ = 0;
  int recompiles_ = 0, new_paths_ = 0;
  std::unordered_set<std::uint64_t> paths_;
  std::unordered_map<std::uint64_t, RecordedGuards> guards_;
};

}  // namespace numjit::tracing
