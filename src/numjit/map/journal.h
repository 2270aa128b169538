// What is finished, on disk: a line per task, written before its outputs are renamed to their places.
//
// A task is finished if its last line names the same function and the same inputs (name, size, time), and its
// outputs are there with the size and time that the line gives. So nothing is finished without a line, whenever the
// process is killed, and what was renamed always has one. Each process of a run has a journal of its own,
// ".numjit_map[.WHO].jsonl" in the output folder, held by a lock while it lives; its temporary files are named after
// it, so that those of a process that is gone can be told and removed.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include <numjit/map/array_file.h>
#include <numjit/map/tasks.h>

namespace numjit::map {

class Journal {
 public:
  enum class Open { fresh, resume, append };  // emptied; read and continued; continued unread
  /// Opens the journal of `who` ("" or "2of4", "rank3") and removes temporary files of processes that are gone.
  /// `function` identifies what is computed. OSError, also if another process holds it.
  Journal(const std::string& folder, const std::string& who, const std::string& function, Open how);
  ~Journal();

  /// Is the task finished, by any journal of the folder? Only after resuming.
  bool is_done(const Task& task) const;
  /// Writes the line of a task. `outputs`: names in the folder, with the stamps they will have.
  void note(const Task& task, const std::vector<FileStamp>& inputs, const std::vector<std::pair<std::string, FileStamp>>& outputs,
            bool synced);
  /// A path for a file on its way.
  std::string temporary();
  /// Removes what processes that are gone left behind.
  void clean() const;

 private:
  struct File {
    std::string name;
    FileStamp stamp;
  };
  struct Entry {
    std::vector<File> inputs, outputs;
  };
  void read(const std::string& path);

  std::string folder_, who_, function_;
  detail::File file_;
  std::map<std::string, Entry> entries_;  // by the name of the task
  std::atomic<unsigned> made_{0};
  std::mutex mutex_;
};

}  // namespace numjit::map
