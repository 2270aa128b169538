// numjit map: a function over many files.
#include <numjit/map/map.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <numjit/base/buffer_pool.h>
#include <numjit/base/config.h>
#include <numjit/base/error.h>
#include <numjit/base/launcher.h>
#include <numjit/base/thread_pool.h>
#include <numjit/map/flow.h>
#include <numjit/map/progress.h>
#include <numjit/map/ranks.h>
#include <numjit/map/report.h>

namespace numjit::map {
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
  struct sigaction before_[2]{};
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

/// Files in flight have their arrays on the host and on the device.
std::int64_t memory_for(const ChosenDevice& device, std::int64_t host) {
  return device.memory > 0 && (host == 0 || device.memory < host) ? device.memory : host;
}

TaskShape shape_of(const map_options& options, const Job& job) {
  TaskShape shape{job.input_count(options.patterns.size()), job.output_count(), {}, options.npz};
  const std::vector<std::size_t> changed = job.changed_inputs();
  if (options.changed) {
    shape.changed = changed;
  } else if (!changed.empty()) {
    const std::string which = fmt::format("argument{} {}", changed.size() == 1 ? "" : "s", fmt::join(changed, ", "));
    if (shape.outputs == 0)
      throw ValueError("map", fmt::format("the function returns nothing and changes its {}: write that with --changed.", which));
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
    throw OSError("map", fmt::format("the output folder can't be made: '{}': {}.", folder,
                                     failure ? failure.message() : std::strerror(ENOTDIR)));
  if (access(folder.c_str(), W_OK | X_OK) != 0)
    throw OSError("map", fmt::format("the output folder can't be written: '{}': {}.", folder, std::strerror(errno)));
}

Shard shard_of(const map_options& options) { return options.shard.empty() ? Shard{} : parse_shard(options.shard); }

std::vector<Task> tasks_of(std::vector<Task> tasks, const Shard& shard) {
  std::vector<Task> own;
  for (Task& task : tasks)
    if (task.number % shard.count == shard.number - 1) own.push_back(std::move(task));
  return own;
}

void write_report(const map_options& options, const MapReport& report) {
  const std::string text = report_json(options, report);
  const std::string beside = options.report + ".new";
  unlink(beside.c_str());  // left by a run that was killed right here
  if (const int code = detail::replace_file(options.report, beside, text, 0644))
    throw OSError("map", detail::system_error_text(code, options.report));
}

void check_report_place(const std::string& path) {
  if (path.empty()) return;
  const std::string folder = std::filesystem::path(path).parent_path();
  if (access(folder.empty() ? "." : folder.c_str(), W_OK | X_OK) != 0)
    throw OSError("map", detail::system_error_text(errno, path));
  if (std::filesystem::is_directory(path)) throw OSError("map", detail::system_error_text(EISDIR, path));
}

/// Cores that this process may use, which ranks of one machine share unless they are bound to their own.
int cores_of(const Rank& rank) {
  const int cores = detail::thread_count();
  return cores < sysconf(_SC_NPROCESSORS_ONLN) ? cores : std::max(1, cores / rank.local_count);
}

Rank with_shard(Rank rank, const Shard& shard) {
  if (shard.count > 1) rank.shard = fmt::format("{}of{}", shard.number, shard.count);
  return rank;
}

std::string journal_name(const Rank& rank) {
  return rank.shard + (rank.number > 0 ? fmt::format("{}rank{}", rank.shard.empty() ? "" : ".", rank.number) : "");
}

class NothingToDo final : public TaskSource {
 public:
  TaskOffer next() override { return {std::nullopt, true}; }
  void ended(const Task&, const std::string&) override {}
};

/// Rank 0 can't begin, for reasons that only it sees: the others need not wait for it.
void send_away(const Rank& rank, RankDoor& door) {
  NothingToDo nothing;
  const Stop stop;
  RankServer(nothing, rank, door, stop).finish();
}

/// One run of this process, alone or as a rank.
class MapRun {
 public:
  /// Rank 0 of several has a door.
  MapRun(const map_options& options, const Job& job, const Rank& rank, RankDoor* door)
      : options_(options),
        shard_(shard_of(options)),
        rank_(with_shard(rank, shard_)),
        shape_(shape_of(options, job)),
        jobs_(options.jobs > 0 ? options.jobs : cores_of(rank)),
        device_(choose_device(options.device, rank.local, rank.local_count)),
        memory_(memory_for(device_, memory_of(options) / (options.memory.empty() ? rank.local_count : 1))),
        job_(job),
        door_(door) {}

  int run() {
    const SignalScope signals(stop_);
    std::vector<Task> tasks;
    std::unique_ptr<Journal> journal;
    try {
      if (rank_.number == 0) tasks = tasks_of(find_tasks(options_, shape_), shard_);
      check_report_place(options_.report);
      make_folder(options_.folder);
      journal = std::make_unique<Journal>(options_.folder, journal_name(rank_), function(), how_to_open());
    } catch (const error&) {
      if (door_) send_away(rank_, *door_);
      throw;
    }
    return rank_.number == 0 ? lead(std::move(tasks), *journal) : follow(*journal);
  }

 private:
  Journal::Open how_to_open() const {
    if (!options_.resume) return Journal::Open::fresh;
    return rank_.number == 0 ? Journal::Open::resume : Journal::Open::append;
  }
  /// What outputs depend on besides their inputs.
  std::string function() const {
    return fmt::format("{} {}{}{}", job_.identity(), options_.npz ? "npz" : "npy", options_.changed ? " changed" : "",
                       options_.members);
  }

  void run_from(TaskSource& source, Journal& journal, std::size_t tasks) {
    const int at_a_time = static_cast<int>(std::clamp<std::size_t>(tasks, 1, static_cast<std::size_t>(jobs_)));
    MapContext context{
        options_, job_,      shape_, device_.name, memory_, device_.memory == memory_, jobs_, std::max(1, jobs_ / at_a_time),
        journal,  timeline_, stop_};
    run_files(context, source);
  }

  ProcessTimes own_times() const {
    return {rank_.number,       device_.name,       threads_for(jobs_),          timeline_.times(),
            timeline_.events(), timeline_.is_cut(), detail::memory_usage().peak, devices::host_notes()};
  }

  int status(std::int64_t failed) const {
    if (stop_.signal() != 0) return interrupted;
    return failed > 0 || !stop_.error().empty() ? 1 : 0;
  }

  std::string why_stopped() const {
    if (!stop_.error().empty()) return stop_.error();
    return stop_.signal() == 0 ? "" : fmt::format("signal {}", stop_.signal());
  }

  /// The only process, or rank 0: hands out tasks, and writes the report.
  int lead(std::vector<Task> tasks, Journal& journal) {
    MapReport report;
    for (const Task& task : tasks) {
      if (task.number >= report.names.size()) report.names.resize(task.number + 1);
      report.names[task.number] = task.name;
    }
    const std::size_t count = tasks.size() / static_cast<std::size_t>(rank_.count);
    TaskList list(std::move(tasks), journal, stop_, counts_);
    report.began_ns = now_ns();
    {
      const Progress progress(counts_, options_.progress);
      if (rank_.count == 1) {
        run_from(list, journal, count);
      } else {
        RankServer server(list, rank_, *door_, stop_);
        run_from(server, journal, count);
        report.processes = server.finish();
      }
    }
    report.ended_ns = now_ns();
    journal.clean();
    report.processes.push_back(own_times());
    std::sort(report.processes.begin(), report.processes.end(),
              [](const ProcessTimes& a, const ProcessTimes& b) { return a.rank < b.rank; });
    report.total = counts_.total;
    report.done = counts_.done;
    report.skipped = counts_.skipped;
    report.failed = counts_.failed;
    report.failures = list.failures();
    report.stopped = why_stopped();
    report.memory = memory_;
    report.ranks = rank_.count;
    report.status = status(report.failed);
    fmt::print("{}", summary(report));
    std::fflush(stdout);
    if (!report.stopped.empty()) std::fprintf(stderr, "numjit: stopped: %s\n", report.stopped.c_str());
    if (!options_.report.empty()) write_report(options_, report);
    return report.status;
  }

  /// Any other rank. What became of its files is for rank 0 to tell.
  int follow(Journal& journal) {
    RankClient client(rank_, options_.folder, stop_, counts_);
    run_from(client, journal, static_cast<std::size_t>(jobs_));
    client.finish(own_times());
    if (!stop_.error().empty()) std::fprintf(stderr, "numjit: rank %d stopped: %s\n", rank_.number, stop_.error().c_str());
    return status(0);
  }

  const map_options& options_;
  const Shard shard_;
  const Rank rank_;
  const TaskShape shape_;
  const int jobs_;
  const ChosenDevice device_;
  const std::int64_t memory_;
  const Job& job_;
  RankDoor* const door_;
  Stop stop_;
  Counts counts_;
  Timeline timeline_;
};

}  // namespace

int run_map(const map_options& options) {
  const Rank rank = rank_from_environment();
  std::optional<RankDoor> door;
  if (rank.count > 1 && rank.number == 0) {
    make_folder(options.folder);
    door.emplace(with_shard(rank, shard_of(options)), options.folder);
    if (detail::launched().library == "mpich")
      std::fprintf(stderr, "numjit: MPICH's mpirun ends all ranks when one dies: --resume goes on then\n");
    else if (!std::getenv("OMPI_MCA_orte_enable_recovery"))
      std::fprintf(stderr, "numjit: mpirun ends all ranks when one dies: start it with --enable-recovery\n");
  }
  const std::unique_ptr<Job> job = open_job(options.job);
  return MapRun(options, *job, rank, door ? &*door : nullptr).run();
}

}  // namespace numjit::map
