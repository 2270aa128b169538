// Several processes on one list of files: rank 0 hands out tasks over TCP, the others ask for them.
//
// Under mpirun the environment tells rank and number of ranks; nothing of MPI is called, as a rank that dies would
// then take the others with it. Where rank 0 listens stands in a file of the output folder, which all ranks see, with
// a secret that only they can read. A rank whose connection ends without a word has died: what it had is handed out
// again.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <numjit/map/report.h>
#include <numjit/map/work.h>

namespace numjit::map {

/// The place of this process among those that mpirun started.
struct Rank {
  int number = 0, count = 1;
  int local = 0, local_count = 1;  // on this machine
  std::string run;                 // the same for all ranks of one mpirun, and for no others
  std::string shard;               // "2of4" if the files are shared among several mpirun
};
/// Rank 0 of 1 outside of mpirun.
Rank rank_from_environment();

/// Rank 0 can be found from here on: its port is open, and a file in the folder says where. The first thing that rank 0
/// does, so that others wait in line while it looks for files, and see at once when it dies.
class RankDoor {
 public:
  /// OSError.
  RankDoor(const Rank& rank, const std::string& folder);
  ~RankDoor();
  RankDoor(const RankDoor&) = delete;
  RankDoor& operator=(const RankDoor&) = delete;

  int listening() const { return listening_; }
  const std::string& secret() const { return secret_; }
  /// Nobody is expected any more.
  void take_sign_down();

 private:
  void put_sign_up(const std::string& text);

  std::string path_, secret_;
  int listening_ = -1, sign_ = -1;
};

/// Rank 0: a list of tasks for itself and for all who ask.
class RankServer final : public TaskSource {
 public:
  /// OSError.
  RankServer(TaskSource& list, const Rank& rank, RankDoor& door, const Stop& stop);
  ~RankServer() override;

  TaskOffer next() override;
  void ended(const Task& task, const std::string& error) override;

  /// Waits until the other ranks have told what they did and left, and returns it.
  std::vector<ProcessTimes> finish();

 private:
  struct Client {
    int fd = -1, rank = -1;  // -1: not yet known
    std::string text;        // received, up to a whole line
    std::map<std::size_t, Task> tasks;
  };
  void serve();
  void accept_client();
  bool receive(Client& client);
  bool handle(Client& client, const std::string& line);
  void leave(Client& client);
  TaskOffer offer();
  bool handed_out() const;

  TaskSource& list_;
  const Rank rank_;
  RankDoor& door_;
  const Stop& stop_;
  int wake_[2] = {-1, -1};
  std::mutex mutex_;
  std::vector<std::unique_ptr<Client>> clients_;
  std::deque<Task> again_;             // of ranks that died
  std::map<std::size_t, int> deaths_;  // of ranks, by task
  std::set<int> seen_;
  std::vector<ProcessTimes> told_;
  bool list_empty_ = false, finishing_ = false;
  std::thread thread_;
};

/// The other ranks.
class RankClient final : public TaskSource {
 public:
  /// Finds rank 0. OSError if it does not show up, or is gone already.
  RankClient(const Rank& rank, const std::string& folder, Stop& stop, Counts& counts);
  ~RankClient() override;

  TaskOffer next() override;
  void ended(const Task& task, const std::string& error) override;
  /// Says what this rank did, and leaves.
  void finish(const ProcessTimes& times);

 private:
  bool send(const std::string& line);
  std::optional<std::string> receive();
  void lost();

  const Rank rank_;
  Stop& stop_;
  Counts& counts_;
  int fd_ = -1;
  std::string text_;
  std::mutex mutex_;
};

}  // namespace numjit::map
