// Opening MPI, the thread that communicates, and leaving.
#include <numjit/distributed/process.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <exception>

#include <dlfcn.h>
#include <fmt/format.h>
#include <link.h>
#include <pthread.h>
#include <unistd.h>

#include <numjit/base/config.h>
#include <numjit/base/error.h>
#include <numjit/base/file.h>
#include <numjit/base/hash.h>
#include <numjit/base/launcher.h>
#include <numjit/base/log.h>
#include <numjit/distributed/transfers.h>
#include <numjit/runtime/kernels/plugin.h>

namespace numjit::distributed {
namespace {

using clock = std::chrono::steady_clock;
using std::chrono::seconds;

std::atomic<bool> is_forked{false};
std::terminate_handler earlier_terminate = nullptr;

/// "openmpi" or "mpich", of the library that this process has loaded; "" if none.
std::string loaded_library() {
  std::string found;
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* to) {
        const char* slash = std::strrchr(info->dlpi_name, '/');
        const std::string_view name = slash ? slash + 1 : info->dlpi_name;
        if (name.starts_with("libmpich.so") || name == "libmpi.so.12")
          *static_cast<std::string*>(to) = "mpich";
        else if (name.starts_with("libmpi.so"))
          *static_cast<std::string*>(to) = "openmpi";
        return 0;
      },
      &found);
  return found;
}

const MpiLibrary& opened(const std::string& name) {
  const std::string path = runtime::library_folder() + "/numjit_mpi_" + name + ".so";
  const auto refuse = [&](const std::string& why) {
    throw DeviceError("distributed", fmt::format("this is one of several ranks of {}, and its plug-in can't be opened: {}. Hint: "
                                                 "build numjit where the library's headers are (libopenmpi-dev, libmpich-dev).",
                                                 name == "openmpi" ? "Open MPI" : "MPICH", why));
  };
  // Open MPI opens components of its own, which look for it among the libraries that all see.
  void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL);
  if (!library) refuse(access(path.c_str(), R_OK) != 0 ? path + " does not exist" : dlerror());
  void* const entry = dlsym(library, mpi_library_entry);
  const MpiLibrary* const mpi = entry ? reinterpret_cast<const MpiLibrary* (*)()>(entry)() : nullptr;
  if (!mpi || mpi->version != mpi_library_version) refuse(path + " is of another version of numjit");
  return *mpi;
}

std::string text_of_exception() {
  const std::exception_ptr thrown = std::current_exception();
  if (!thrown) return "it ended by std::terminate";
  try {
    std::rethrow_exception(thrown);
  } catch (const std::exception& e) {
    return e.what();
  } catch (...) {
    return "it threw something that is no std::exception";
  }
}

[[noreturn]] void terminate() {
  Process::instance().leave(text_of_exception(), 1);
  if (earlier_terminate) earlier_terminate();
  std::abort();
}

void at_exit(int status, void*) {
  Process::instance().leave(status == 0 ? "" : fmt::format("it ended with status {}", status), status);
}

/// A number of this machine, and of the numbers that its processes have.
std::uint64_t number_of_machine() {
  std::string text;
  detail::read_file("/proc/sys/kernel/random/boot_id", text);
  char space[64] = "";
  const ssize_t length = readlink("/proc/self/ns/pid", space, sizeof space - 1);
  text.append(space, static_cast<std::size_t>(std::max<ssize_t>(length, 0)));
  return std::hash<std::string>{}(text);
}

/// Did one end without a word? What it said before it ended may still be under way when its process is gone.
bool has_lost_one(Group& group) {
  const auto is_lost = [&](int r) { return r != group.rank() && !group.peer(r).left && group.is_gone(r); };
  for (int r = 0; r < group.size(); ++r) {
    if (!is_lost(r)) continue;
    group.listen_for_leaves();
    if (is_lost(r)) return true;
  }
  return false;
}

}  // namespace

Process& Process::instance() {
  static auto& process = *new Process;
  return process;
}

Process::Process() {
  std::string name = loaded_library();
  if (name.empty()) name = detail::launched().library;
  if (name.empty()) {
    groups_.push_back(std::make_unique<Group>(0));
    world_ = groups_[0].get();
    return;
  }
  mpi_ = &opened(name);
  open();
}

void Process::open() {
  if (mpi_->is_finalized())
    throw DeviceError("distributed",
                      "MPI_Finalize was called before: nothing can be sent to other ranks any more. Hint: use "
                      "np::distributed before it.");
  if (!mpi_->is_initialized()) {
    if (mpi_->initialize() != 0) throw DeviceError("distributed", fmt::format("{} can't be initialised.", mpi_->name));
    began_here_ = true;
  }
  add(mpi_->world());
  world_ = groups_[0].get();
  pthread_atfork(nullptr, nullptr, [] { is_forked = true; });
  if (groups_[0]->size() == 1) {
    if (began_here_) on_exit(at_exit, nullptr);
    return;
  }
  learn_processes(*groups_[0]);
  earlier_terminate = std::set_terminate(terminate);
  on_exit(at_exit, nullptr);
}

std::int64_t Process::add(mpi_handle communicator) {
  mpi_handle data = 0, notices = 0;
  if (mpi_->duplicate(communicator, &data) != 0 || mpi_->duplicate(communicator, &notices) != 0)
    throw DeviceError("distributed", fmt::format("{} can't duplicate the communicator.", mpi_->name));
  std::lock_guard lock(groups_mutex_);
  const auto number = static_cast<std::int64_t>(groups_.size());
  groups_.push_back(std::make_unique<Group>(*mpi_, data, notices, number));
  return number;
}

// A rank that is killed says nothing: those of its machine look for its process.
void Process::learn_processes(Group& world) {
  struct Place {
    std::uint64_t machine;
    std::int64_t process;
  };
  const Place own{number_of_machine(), getpid()};
  std::vector<Place> all(static_cast<std::size_t>(world.size()));
  Heading heading;
  heading.kind = layout::communication::all_gather;
  heading.type = static_cast<std::uint8_t>(dtype_id::int64);
  Transfers transfers(world, heading, true);
  for (int r = 0; r < world.size(); ++r) {
    if (r == world.rank()) continue;
    transfers.send(r, &own, sizeof own);
    transfers.receive(r, &all[static_cast<std::size_t>(r)], sizeof own);
  }
  transfers.wait();
  world.end();
  int here = 1;
  for (int r = 0; r < world.size(); ++r) {
    const Place& place = all[static_cast<std::size_t>(r)];
    if (r == world.rank() || place.machine != own.machine) continue;
    world.peer(r).process = place.process;
    ++here;
  }
  Group::shares_cores = here > sysconf(_SC_NPROCESSORS_ONLN);
}

Group& Process::group(std::int64_t number) {
  if (is_forked)
    throw DeviceError("distributed",
                      "this process was forked from a rank, and MPI does not work in it. Hint: start processes "
                      "with the launcher, or fork before the first use of np::distributed.");
  if (number == 0) return *world_;
  std::lock_guard lock(groups_mutex_);
  return *groups_[static_cast<std::size_t>(number)];
}

std::int64_t Process::add_split(Group& of, int color, int key) {
  if (!mpi_ || of.size() == 1) {
    std::lock_guard lock(groups_mutex_);
    groups_.push_back(std::make_unique<Group>(static_cast<std::int64_t>(groups_.size())));
    return groups_.back()->number();
  }
  mpi_handle made = 0;
  of.check(mpi_->split(of.data(), color, key, &made));
  return add(made);
}

std::int64_t Process::add_foreign(mpi_handle communicator, const std::string& library) {
  if (!mpi_ || library != mpi_->name)
    throw TypeError("distributed", fmt::format("got a communicator of {}, expected one of {}.", library,
                                               mpi_ ? mpi_->name : "the library that is open, and there is none"));
  return add(communicator);
}

// ---- the thread that communicates ----

bool Process::overlaps() {
  if (!mpi_ || groups_[0]->size() == 1) return false;
  if (mpi_->takes_threads()) return true;
  detail::warn_once("mpi_threads", fmt::format("{} was initialised without MPI_THREAD_MULTIPLE: communication does not go on "
                                               "while the program computes.",
                                               mpi_->name));
  return false;
}

void Process::wait_for_turn() {
  std::unique_lock lock(mutex_);
  ++others_;
  changed_.wait(lock, [&] { return queue_.empty() && take_turn(); });
  --others_;
}

void Process::tell_others() {
  std::lock_guard lock(mutex_);
  changed_.notify_all();
}

void Process::start(std::function<void()> work) {
  std::lock_guard lock(mutex_);
  if (!thread_.joinable()) thread_ = std::thread([this] { communicate(); });
  ++others_;
  queue_.push_back(std::move(work));
  changed_.notify_all();
}

void Process::communicate() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [&] { return queue_.empty() ? stopping_ : take_turn(); });
    if (queue_.empty()) return;
    const std::function<void()> work = std::move(queue_.front());
    queue_.pop_front();
    --others_;
    lock.unlock();
    work();
    lock.lock();
    is_taken_ = false;
    changed_.notify_all();
  }
}

// ---- leaving ----

void Process::leave(const std::string& why, int status) {
  if (is_forked || !mpi_ || std::exchange(has_left_, true)) return;
  Group::given_up = !why.empty();
  if (thread_.joinable()) {
    {
      std::lock_guard lock(mutex_);
      stopping_ = true;
      changed_.notify_all();
    }
    std::this_thread::get_id() == thread_.get_id() ? thread_.detach() : thread_.join();
  }
  if (mpi_->is_finalized()) return;
  bool all_well = why.empty();
  for (const auto& group : groups_) {
    all_well = all_well && !group->has_failed();
    group->leave(why);
  }
  // Who leaves in good order waits for the others, as MPI_Finalize does; who does not, until they had the time to hear of it.
  Group& world = *groups_[0];
  const auto until = clock::now() + (all_well ? seconds(config().distributed_timeout_s) : seconds(2));
  auto next_look = clock::now();
  while (!world.all_left() && clock::now() < until) {
    world.listen_for_leaves();
    if (clock::now() > next_look) {
      if (has_lost_one(world)) break;
      next_look = clock::now() + std::chrono::milliseconds(50);
    }
    std::this_thread::sleep_for(std::chrono::microseconds(100));
  }
  if (began_here_ && world.all_left()) finalize(status);
}

// With messages that nobody receives, MPI_Finalize may wait for ever.
void Process::finalize(int status) {
  for (const auto& group : groups_) group->stop_listening();
  std::atomic<bool> done{false};
  std::thread watch([&] {
    for (int i = 0; i < 3000 && !done; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
    if (!done) _exit(status);
  });
  mpi_->finalize();
  done = true;
  watch.join();
}

}  // namespace numjit::distributed
