// From patterns to the list of calls: which files go into each, and what its outputs are called.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <numjit/map/options.h>

namespace numjit::map {

/// One call of the function.
struct Task {
  std::size_t number = 0;           // in the list of all tasks
  std::vector<std::string> inputs;  // one .npy file per array, or one .npz file
  std::string name;                 // outputs are called so, without folder and ending
};

/// What is called and how, as far as names of files depend on it.
struct TaskShape {
  std::size_t inputs = 1;              // arrays that the function takes
  std::size_t outputs = 1;             // arrays that it returns
  std::vector<std::size_t> changed{};  // arguments that it changes and that are written
  bool npz = false;
};

/// A path without its folder.
inline std::string file_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

/// All tasks in the order of their names. ValueError: a pattern without a match, files of another kind, inputs
/// without a partner, two tasks with one output.
std::vector<Task> find_tasks(const map_options& options, const TaskShape& shape);

/// The files that a task leaves in the output folder.
std::vector<std::string> output_names(const Task& task, const TaskShape& shape);

struct Shard {
  std::size_t number = 1, count = 1;
};
/// "2/4": the second of four. ValueError.
Shard parse_shard(const std::string& text);

}  // namespace numjit::map
