// This process among those that an MPI launcher started: the library, the groups, how the process leaves.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <numjit/distributed/group.h>

namespace numjit::distributed {

class Process {
 public:
  /// Opens MPI at the first use: the library that is loaded, else that of the launcher; neither: this process is alone.
  /// DeviceError: it can't be opened.
  static Process& instance();

  std::int64_t world() const { return 0; }
  /// A group of this process's, by number. DeviceError in a forked child, in which MPI does not work.
  Group& group(std::int64_t number);
  /// Groups made by a message of their own; they last as long as the process.
  std::int64_t add_split(Group& of, int color, int key);
  /// Of a communicator of the library's that somebody else made. TypeError: it is none of the library that is open.
  std::int64_t add_foreign(mpi_handle communicator, const std::string& library);
  /// "Open MPI", "MPICH"; "" where there is none.
  const char* library_name() const { return mpi_ ? mpi_->name : ""; }

  /// Runs `work` once all that was started before is done, on this thread.
  void run(const std::function<void()>& work);
  /// Runs it on the thread that communicates, behind what was started before; `done` as its last step.
  void start(std::function<void()> work);
  /// Can communication go on while the program does?
  bool overlaps();

  /// Tells all ranks that this one leaves, and why, and ends MPI if it began here and all others leave, too.
  void leave(const std::string& why, int status);

 private:
  Process();
  void open();
  void learn_processes(Group& world);
  std::int64_t add(mpi_handle communicator);
  void communicate();
  void finalize(int status);

  const MpiLibrary* mpi_ = nullptr;
  bool began_here_ = false, has_left_ = false;
  std::mutex groups_mutex_;
  std::vector<std::unique_ptr<Group>> groups_;

  std::mutex mutex_;  // of what follows
  std::condition_variable changed_;
  std::deque<std::function<void()>> queue_;
  bool busy_ = false, stopping_ = false;
  std::thread thread_;
};

}  // namespace numjit::distributed
