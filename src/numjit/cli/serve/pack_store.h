// The kernels that a development server has compiled so far, and the pack that they are kept in.
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <numjit/runtime/bundle/wasm_pack.h>

namespace numjit::cli {

/// Graphs that wait for their compile at most; further ones are refused until some are done.
inline constexpr std::size_t most_waiting = 2000;

/// What became of the graphs of one request.
struct ServedGraphs {
  std::vector<runtime::PackedKernel> kernels;
  std::vector<std::string> failures;  // a line each
  std::size_t unfinished = 0;         // still being compiled when the time was over
};

/// Compiles graphs on a thread of its own, one after the other, and keeps them. May be used from many threads.
class PackStore {
 public:
  /// `path`: the pack that is written whenever there is nothing to compile. `say` gets a line for each graph compiled.
  PackStore(std::string path, std::string target, std::function<void(const std::string&)> say);
  /// Waits for the compile that is under way.
  ~PackStore();
  PackStore(const PackStore&) = delete;
  PackStore& operator=(const PackStore&) = delete;

  const std::string& target() const { return target_; }
  const std::string& path() const { return path_; }

  /// Queues the graphs of the pack at `path`, if there is one, without waiting. How many; OSError, ValueError for a file
  /// that is no pack of this target.
  std::size_t take_up();

  /// The kernels of these graphs; those not known yet are compiled, for which it waits until `deadline`. OverflowError
  /// if too many wait.
  ServedGraphs get(const std::vector<runtime::KernelRequest>& requests, std::chrono::steady_clock::time_point deadline);

  /// Writes the pack if it lacks kernels, waiting for no compile. OSError, CompileError.
  void save();

  std::size_t kernel_count();

 private:
  struct Graph {
    runtime::KernelRequest request;
    std::vector<char> object;
    std::string failure;
    bool done = false;
  };
  /// Queues what is unknown.
  void queue(const std::vector<runtime::KernelRequest>& requests);
  void work(const std::stop_token& stop);
  void compile(Graph& graph);

  const std::string path_, target_;
  const std::function<void(const std::string&)> say_;
  std::mutex mutex_, saving_;
  std::condition_variable_any changed_;
  std::map<std::string, Graph> graphs_;  // by content; places stay
  std::deque<Graph*> waiting_;
  bool unsaved_ = false;
  std::jthread worker_;
};

}  // namespace numjit::cli
