// Compiling in the background, and saving.
#include <numjit/cli/serve/pack_store.h>

#include <exception>
#include <utility>

#include <fmt/format.h>
#include <unistd.h>

#include <numjit/base/error.h>
#include <numjit/cli/pack.h>
#include <numjit/runtime/kernels/disk_cache.h>
#include <numjit/runtime/kernels/list.h>

namespace numjit::cli {

using runtime::KernelRequest;

PackStore::PackStore(std::string path, std::string target, std::function<void(const std::string&)> say)
    : path_(std::move(path)),
      target_(std::move(target)),
      say_(std::move(say)),
      worker_([this](const std::stop_token& stop) { work(stop); }) {}

PackStore::~PackStore() {
  worker_.request_stop();
  changed_.notify_all();
}

std::size_t PackStore::take_up() {
  if (access(path_.c_str(), F_OK) != 0) return 0;
  const runtime::PackDescription pack = describe_pack(path_);
  if (pack.target != target_)
    throw ValueError("serve", fmt::format("{} is for the {} build: got --target {}. Name another file by --pack.", path_,
                                          pack.target, target_));
  const std::vector<KernelRequest> requests = graphs_in(path_);
  queue(requests);
  std::lock_guard lock(mutex_);
  if (pack.bits == runtime::bits_version) unsaved_ = false;  // the file holds all of it
  return requests.size();
}

void PackStore::queue(const std::vector<KernelRequest>& requests) {
  std::lock_guard lock(mutex_);
  std::size_t fresh = 0;
  for (const KernelRequest& request : requests) fresh += !graphs_.contains(request.content);
  if (waiting_.size() + fresh > most_waiting)
    throw OverflowError("serve", fmt::format("{} graphs wait for their compile, expected at most {}. Ask again later.",
                                             waiting_.size() + fresh, most_waiting));
  if (graphs_.size() + fresh > runtime::most_graphs)
    throw OverflowError("serve", fmt::format("the pack would hold {} graphs, expected at most {}. Start with another --pack.",
                                             graphs_.size() + fresh, runtime::most_graphs));
  for (const KernelRequest& request : requests) {
    const auto [place, is_new] = graphs_.try_emplace(request.content);
    if (!is_new) continue;
    place->second.request = request;
    waiting_.push_back(&place->second);
    unsaved_ = true;
  }
  changed_.notify_all();
}

ServedGraphs PackStore::get(const std::vector<KernelRequest>& requests, std::chrono::steady_clock::time_point deadline) {
  queue(requests);
  std::unique_lock lock(mutex_);
  const auto unfinished = [&] {
    std::size_t count = 0;
    for (const KernelRequest& request : requests) count += !graphs_.at(request.content).done;
    return count;
  };
  changed_.wait_until(lock, deadline, [&] { return unfinished() == 0; });
  ServedGraphs served;
  served.unfinished = unfinished();
  for (const KernelRequest& request : requests) {
    const Graph& graph = graphs_.at(request.content);
    if (!graph.done) continue;
    if (graph.failure.empty())
      served.kernels.push_back({request.content, graph.object});
    else
      served.failures.push_back(graph.failure);
  }
  return served;
}

void PackStore::work(const std::stop_token& stop) {
  for (;;) {
    Graph* next = nullptr;
    bool save_now = false;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, stop, [&] { return !waiting_.empty() || unsaved_; });
      if (stop.stop_requested()) return;
      if (waiting_.empty()) {
        save_now = true;
      } else {
        next = waiting_.front();
        waiting_.pop_front();
      }
    }
    try {
      if (next) compile(*next);
      if (save_now) save();
    } catch (const std::exception& e) {
      say_(e.what());
    }
  }
}

void PackStore::compile(Graph& graph) {
  const auto start = std::chrono::steady_clock::now();
  std::vector<char> object;
  std::string failure;
  try {
    object = runtime::wasm_object(graph.request, target_);
  } catch (const error& e) {
    failure = fmt::format("{}: {}", graph_line(graph.request), e.what());
  }
  const std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - start;
  say_(failure.empty() ? fmt::format("compiled {} ({:.0f} ms)", graph_line(graph.request), time.count())
                       : "no kernel for " + failure);
  std::lock_guard lock(mutex_);
  graph.object = std::move(object);
  graph.failure = std::move(failure);
  graph.done = true;
  changed_.notify_all();
}

void PackStore::save() {
  std::lock_guard one_at_a_time(saving_);
  std::vector<runtime::PackedKernel> kernels;
  {
    std::lock_guard lock(mutex_);
    if (!std::exchange(unsaved_, false)) return;
    for (const auto& [content, graph] : graphs_)
      if (graph.done && graph.failure.empty()) kernels.push_back({content, graph.object});
  }
  if (!kernels.empty()) write_pack(path_, runtime::link_pack(kernels, target_));
}

std::size_t PackStore::kernel_count() {
  std::lock_guard lock(mutex_);
  std::size_t count = 0;
  for (const auto& [content, graph] : graphs_) count += graph.done && graph.failure.empty();
  return count;
}

}  // namespace numjit::cli
