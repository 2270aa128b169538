// This process among those that an MPI launcher started: the library, the groups, how the process leaves.
#pragma once

#include <atomic>
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

  /// Waits until all that was started before is done; while it lives, nobody else of this process communicates.
  class [[nodiscard]] Turn {
   public:
    explicit Turn(Process& of) : of_(of) { of.begin_turn(); }
    ~Turn() { of_.end_turn(); }
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;

   private:
    Process& of_;
  };
  /// Runs `work` on the thread that communicates, behind what was started before.
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
  bool take_turn() { return !is_taken_.exchange(true); }
  void begin_turn() {
    if (others_ > 0 || !take_turn()) [[unlikely]]
      wait_for_turn();
  }
  void end_turn() {
    is_taken_ = false;
    if (others_ > 0) [[unlikely]]
      tell_others();
  }
  void wait_for_turn();
  void tell_others();
  void communicate();
  void finalize(int status);

  const MpiLibrary* mpi_ = nullptr;
  bool began_here_ = false, has_left_ = false;
  std::mutex groups_mutex_;
  std::vector<std::unique_ptr<Group>> groups_;
  Group* world_ = nullptr;

  // Whose turn it is. Who finds it taken is counted before it looks again, so that who ends a turn either is seen to, or sees it.
  std::atomic<bool> is_taken_{false};
  std::atomic<int> others_{0};  // that wait for their turn, and works in the queue

  std::mutex mutex_;  // of what follows
  std::condition_variable changed_;
  std::deque<std::function<void()>> queue_;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace numjit::distributed
