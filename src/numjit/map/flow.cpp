// Threads of the stages.
#include <numjit/map/flow.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <functional>
#include <thread>
#include <utility>

#include <fmt/format.h>
#include <unistd.h>

#include <numjit/base/error.h>
#include <numjit/map/parts.h>
#include <numjit/map/queue.h>

namespace numjit::map {
namespace {

class Flow {
 public:
  Flow(MapContext& context, TaskSource& source) : context_(context), source_(source), stages_(context), budget_(context.memory) {}

  void run() {
    do {
      if (context_.jobs == 1)
        one_after_another();
      else
        side_by_side();
    } while (do_large());
  }

 private:
  std::unique_ptr<Computer> computer(int threads) const { return make_computer({context_.device, threads}); }

  /// Runs a stage of a file; if it throws, the file has failed and is done with.
  bool attempt(Item& item, const std::function<void()>& stage) {
    std::string what;
    try {
      stage();
      return true;
    } catch (const DiskFull& e) {
      context_.stop.by_error(fmt::format("{} Free space and run again with --resume.", std::string(e.what()) + "."));
      what = e.what();
    } catch (const std::exception& e) {
      what = e.what();
    } catch (...) {  // of a function in a C++ source
      what = "[map] the function threw what is no std::exception.";
    }
    item.inputs.clear();
    item.results.clear();
    source_.ended(item.task, what);
    return false;
  }

  /// The next file, with its memory taken. Nothing at the end, and where a file that comes in parts is next: it has the
  /// memory for itself when those before it are done. Until then this process takes no others, which ranks with less to
  /// do can have, and asks nobody who would wait for it.
  std::optional<Item> next_item() {
    while (!has_large()) {
      TaskOffer offer = source_.next();
      if (offer.over) return std::nullopt;
      if (!offer.task) {
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
        continue;
      }
      Item item;
      item.task = std::move(*offer.task);
      if (!attempt(item, [&] { stages_.plan(item); })) continue;
      if (item.cost > context_.memory) {
        std::lock_guard lock(mutex_);
        large_.push_back(std::move(item));
        continue;
      }
      budget_.acquire(item.cost);
      return item;
    }
    return std::nullopt;
  }

  bool has_large() {
    std::lock_guard lock(mutex_);
    return !large_.empty();
  }
  /// Were there any, so that further files may come?
  bool do_large() {
    const bool any = has_large();
    for (Item& item : std::exchange(large_, {}))
      if (!context_.stop.asked()) in_parts(item);
    return any;
  }

  /// A stage, then the next one.
  void advance(Item& item, const std::function<void()>& stage, const std::function<void()>& then) {
    if (attempt(item, stage))
      then();
    else
      budget_.release(item.cost);
  }
  void read(Item& item, int lane, const std::function<void()>& then) {
    advance(
        item, [&] { stages_.read(item, lane); }, then);
  }
  void compute(Item& item, Computer& on, int lane, const std::function<void()>& then) {
    advance(
        item, [&] { stages_.compute(item, on, lane); }, then);
  }
  void write(Item& item, int lane) {
    if (attempt(item, [&] { stages_.write(item, lane); })) source_.ended(item.task, "");
    budget_.release(item.cost);
  }

  void one_after_another() {
    const auto on = computer(1);
    while (std::optional<Item> item = next_item()) read(*item, 0, [&] { compute(*item, *on, 0, [&] { write(*item, 0); }); });
  }

  void side_by_side() {
    const StageThreads threads = threads_for(context_.jobs);
    const auto capacity = static_cast<std::size_t>(context_.jobs);
    BoundedQueue<Item> to_compute(capacity, threads.read), to_write(capacity, threads.compute);
    std::vector<std::unique_ptr<Computer>> computers;
    for (int i = 0; i < threads.compute; ++i) computers.push_back(computer(context_.threads));
    std::vector<std::thread> pool;
    int lane = 0;
    for (int i = 0; i < threads.read; ++i)
      pool.emplace_back([&, lane = lane++] {
        while (std::optional<Item> item = next_item()) read(*item, lane, [&] { to_compute.push(std::move(*item)); });
        to_compute.producer_left();
      });
    for (int i = 0; i < threads.compute; ++i)
      pool.emplace_back([&, i, lane = lane++] {
        while (std::optional<Item> item = to_compute.pop())
          compute(*item, *computers[static_cast<std::size_t>(i)], lane, [&] { to_write.push(std::move(*item)); });
        to_write.producer_left();
      });
    for (int i = 0; i < threads.write; ++i)
      pool.emplace_back([&, lane = lane++] {
        while (std::optional<Item> item = to_write.pop()) write(*item, lane);
      });
    for (std::thread& t : pool) t.join();
  }

  void in_parts(Item& item) {
    const auto on = computer(context_.jobs);
    if (attempt(item, [&] { run_in_parts(context_, item, *on); })) source_.ended(item.task, "");
  }

  MapContext& context_;
  TaskSource& source_;
  FileStages stages_;
  MemoryBudget budget_;
  std::mutex mutex_;
  std::vector<Item> large_;
};

}  // namespace

StageThreads threads_for(int jobs) {
  if (jobs == 1) return {};
  const int files = std::clamp((jobs + 1) / 2, 1, 4);
  const int cores = static_cast<int>(std::clamp<long>(sysconf(_SC_NPROCESSORS_ONLN), 1, jobs));
  return {files, jobs, files, cores};
}

void run_files(MapContext& context, TaskSource& source) { Flow(context, source).run(); }

}  // namespace numjit::map
