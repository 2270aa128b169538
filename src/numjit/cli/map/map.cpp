// numjit map: a function over many files.
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <numjit/base/buffer_pool.h>
#include <numjit/base/config.h>
#include <numjit/base/error.h>
#include <numjit/base/thread_pool.h>
#include <numjit/cli/commands.h>
#include <numjit/cli/map/flow.h>
#include <numjit/cli/map/progress.h>
#include <numjit/cli/map/report.h>

namespace numjit::cli {
namespace {

constexpr int interrupted = 130;

Stop* stopped_by_signal = nullptr;

extern "C" void on_signal(int number) {
  // The second one does not wait for the files in flight.
  if (stopped_by_signal->signal() != 0) _exit(interrupted);
  stopped_by_signal->by_signal(number);
}

/// SIGINT and SIGTERM stop the run until the end of the scope.
class SignalScope {
 public:
  explicit SignalScope(Stop& stop) {
    stopped_by_signal = &stop;
    struct sigaction action {};
    action.sa_handler = on_signal;
    action.sa_flags = SA_RESTART;
    sigaction(SIGINT, &action, &before_[0]);
    sigaction(SIGTERM, &action, &before_[1]);
  }
  ~SignalScope() {
    sigaction(SIGINT, &before_[0], nullptr);
    sigaction(SIGTERM, &before_[1], nullptr);
  }

 private:
  struct sigaction before_[2] {};
};

std::int64_t memory_of(const map_options& options) {
  if (options.memory.empty()) return config().memory_limit;
  const auto bytes = detail::parse_bytes(options.memory);
  if (!bytes || *bytes <= 0)
    throw ValueError("map", fmt::format("--memory: got '{}', expected a number of bytes such as 1073741824, 512MiB or "
                                        "2GiB.",
                                        options.memory));
  return *bytes;
}

TaskShape shape_of(const map_options& options, const Job& job) {
  TaskShape shape{job.input_count(options.patterns.size()), job.output_count(), {}, options.npz};
  const std::vector<std::size_t> changed = job.changed_inputs();
  if (options.changed) {
    shape.changed = changed;
  } else if (!changed.empty()) {
    const std::string which = fmt::format("argument{} {}", changed.size() == 1 ? "" : "s", fmt::join(changed, ", "));
    if (shape.outputs == 0)
      throw ValueError("map", fmt::format("the function returns nothing and changes its {}: write that with --changed.",
                                          which));
    std::fprintf(stderr, "numjit: the function changes its %s: write that with --changed\n", which.c_str());
  }
  if (shape.outputs + shape.changed.size() == 0)
    throw ValueError("map", "the function returns nothing and changes nothing: got nothing to write.");
  return shape;
}

void make_folder(const std::string& folder) {
  std::error_code failure;
  std::filesystem::create_directories(folder, failure);
  if (!std::filesystem::is_directory(folder))
    throw OSError("map", fmt::format("the output folder can't be made: '{}': {}", folder,
                                     failure ? failure.message() : "something else of that name is there") + ".");
  if (access(folder.c_str(), W_OK | X_OK) != 0)
    throw OSError("map", fmt::format("the output folder can't be written: '{}': {}.", folder, std::strerror(errno)));
}

std::vector<Task> shard_of(std::vector<Task> tasks, const Shard& shard) {
  std::vector<Task> own;
  for (Task& task : tasks)
    if (task.number % shard.count == shard.number - 1) own.push_back(std::move(task));
  return own;
}

void write_report(const map_options& options, const MapReport& report) {
  const std::string text = report_json(options, report);
  if (const int code = detail::replace_file(options.report, detail::temporary_beside(options.report), text, 0644))
    throw OSError("map", detail::system_error_text(code, options.report));
}

void check_report_place(const std::string& path) {
  if (path.empty()) return;
  const std::string folder = std::filesystem::path(path).parent_path();
  if (access(folder.empty() ? "." : folder.c_str(), W_OK | X_OK) != 0)
    throw OSError("map", detail::system_error_text(errno, path));
}

int status_of(const Stop& stop, const MapReport& report) {
  if (stop.signal() != 0) return interrupted;
  return report.failed > 0 || !report.stopped.empty() ? 1 : 0;
}

std::string why_stopped(const Stop& stop) {
  if (!stop.error().empty()) return stop.error();
  return stop.signal() == 0 ? "" : fmt::format("signal {}", stop.signal());
}

}  // namespace

int run_map(const map_options& options) {
  const std::unique_ptr<Job> job = open_job(options.job);
  const TaskShape shape = shape_of(options, *job);
  const Shard shard = options.shard.empty() ? Shard{} : parse_shard(options.shard);
  std::vector<Task> tasks = shard_of(find_tasks(options, shape), shard);
  check_report_place(options.report);
  make_folder(options.folder);

  Stop stop;
  Counts counts;
  Timeline timeline;
  const int jobs = options.jobs > 0 ? options.jobs : detail::thread_count();
  const std::string who = shard.count == 1 ? "" : fmt::format("{}of{}", shard.number, shard.count);
  const std::string function = fmt::format("{} {}{}{}", job->identity(), options.npz ? "npz" : "npy",
                                           options.changed ? " changed" : "", fmt::join(options.members, ","));
  Journal journal(options.folder, who, function, options.resume);
  MapReport report;
  for (const Task& task : tasks) {
    if (task.number >= report.names.size()) report.names.resize(task.number + 1);
    report.names[task.number] = task.name;
  }
  const int at_a_time = std::max(1, std::min(jobs, static_cast<int>(tasks.size())));
  MapContext context{options, *job, shape, memory_of(options), jobs, std::max(1, jobs / at_a_time), 0,
                     journal, timeline, stop};
  make_computer({options.device, 1, 0});  // a device that is not there is said before anything is done
  TaskList list(std::move(tasks), journal, stop, counts);
  report.began_ns = now_ns();
  {
    const SignalScope signals(stop);
    const Progress progress(counts, options.progress);
    run_files(context, list);
  }
  report.ended_ns = now_ns();
  report.total = counts.total;
  report.done = counts.done;
  report.skipped = counts.skipped;
  report.failed = counts.failed;
  report.failures = list.failures();
  report.stopped = why_stopped(stop);
  report.memory = context.memory;
  report.processes.push_back({0, threads_for(jobs), timeline.times(), timeline.events(), timeline.is_cut(),
                              detail::memory_usage().peak});
  report.status = status_of(stop, report);
  journal.clean();
  fmt::print("{}", summary(report));
  std::fflush(stdout);
  if (!report.stopped.empty()) std::fprintf(stderr, "numjit: stopped: %s\n", report.stopped.c_str());
  if (!options.report.empty()) write_report(options, report);
  return report.status;
}

}  // namespace numjit::cli
