// Patterns, partners and names.
#include <numjit/map/tasks.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <set>

#include <fmt/format.h>
#include <glob.h>
#include <sys/stat.h>

#include <numjit/base/error.h>

namespace numjit::map {
namespace {

constexpr const char* wildcards = "*?[";

bool is_npy(std::string_view path) { return path.ends_with(".npy"); }
bool is_npz(std::string_view path) { return path.ends_with(".npz"); }

std::string without_ending(const std::string& name) { return name.substr(0, name.rfind('.')); }

bool is_folder(const std::string& path) {
  struct stat info;
  return stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode);
}

void append_matches(const std::string& pattern, std::vector<std::string>& paths) {
  glob_t found;
  if (glob(pattern.c_str(), GLOB_TILDE, nullptr, &found) == 0)
    for (std::size_t i = 0; i < found.gl_pathc; ++i) paths.emplace_back(found.gl_pathv[i]);
  globfree(&found);
}

/// Files of one pattern; a folder stands for all arrays in it.
std::vector<std::string> matches(const std::string& pattern) {
  std::vector<std::string> paths;
  if (is_folder(pattern)) {
    const std::string folder = pattern.ends_with('/') ? pattern : pattern + "/";
    append_matches(folder + "*.npy", paths);
    append_matches(folder + "*.npz", paths);
  } else if (struct stat info; stat(pattern.c_str(), &info) == 0) {
    paths.push_back(pattern);  // a name with brackets in it, say
  } else {
    append_matches(pattern, paths);
  }
  if (paths.empty())
    throw ValueError("map", fmt::format("no file matches: got '{}', expected at least one .npy or .npz file. Put "
                                        "patterns into quotes, as in 'in/*.npy'.",
                                        pattern));
  for (const std::string& path : paths)
    if ((!is_npy(path) && !is_npz(path)) || is_folder(path))
      throw ValueError("map", fmt::format("what an input may be: got '{}', expected .npy and .npz files. Give a "
                                          "pattern such as 'in/*.npy'.",
                                          path));
  return paths;
}

/// What tells a file from the others of its pattern: the text that stands for the wildcards in its name, or the
/// whole name.
std::string key_of(const std::string& path, const std::string& pattern) {
  const std::string name = without_ending(file_name(path)), form = without_ending(file_name(pattern));
  const std::size_t first = form.find_first_of(wildcards), last = form.find_last_of("*?]");
  if (is_folder(pattern) || first == std::string::npos || last == std::string::npos || last < first) return name;
  const std::size_t after = form.size() - last - 1;
  if (name.size() <= first + after) return name;
  return name.substr(first, name.size() - first - after);
}

std::vector<Task> one_file_each(const std::vector<std::string>& patterns) {
  std::vector<Task> tasks;
  std::set<std::string> seen;  // patterns may overlap
  for (const std::string& pattern : patterns)
    for (std::string& path : matches(pattern))
      if (seen.insert(path).second) tasks.push_back({0, {path}, without_ending(file_name(path))});
  return tasks;
}

[[noreturn]] void throw_no_partner(const std::string& path, const std::string& pattern, const std::string& key) {
  throw ValueError("map", fmt::format("'{}' has no partner: got no file of '{}' with '{}' for the wildcard, "
                                      "expected one.",
                                      path, pattern, key));
}

/// Several patterns: files with the same key belong together, a single file belongs to all.
std::vector<Task> partners(const std::vector<std::string>& patterns) {
  std::vector<std::map<std::string, std::string>> by_key(patterns.size());
  std::vector<std::string> shared(patterns.size());
  std::size_t leading = patterns.size();
  for (std::size_t k = 0; k < patterns.size(); ++k) {
    const std::vector<std::string> paths = matches(patterns[k]);
    for (const std::string& path : paths)
      if (is_npz(path))
        throw ValueError("map", fmt::format("several patterns take one array from each file: got '{}', expected .npy "
                                            "files.",
                                            path));
    if (paths.size() == 1 && patterns[k].find_first_of(wildcards) == std::string::npos && !is_folder(patterns[k])) {
      shared[k] = paths[0];
      continue;
    }
    if (leading == patterns.size()) leading = k;
    for (const std::string& path : paths) by_key[k].emplace(key_of(path, patterns[k]), path);
  }
  std::vector<Task> tasks;
  if (leading == patterns.size()) {
    tasks.push_back({0, shared, without_ending(file_name(shared[0]))});
    return tasks;
  }
  for (const auto& [key, path] : by_key[leading]) {
    Task task{0, {}, key};
    for (std::size_t k = 0; k < patterns.size(); ++k) {
      const auto found = by_key[k].find(key);
      if (shared[k].empty() && found == by_key[k].end()) throw_no_partner(path, patterns[k], key);
      task.inputs.push_back(shared[k].empty() ? found->second : shared[k]);
    }
    tasks.push_back(std::move(task));
  }
  for (std::size_t k = 0; k < patterns.size(); ++k)
    for (const auto& [key, path] : by_key[k])
      if (!by_key[leading].count(key)) throw_no_partner(path, patterns[leading], key);
  return tasks;
}

void check_names(const map_options& options, const TaskShape& shape, const std::vector<Task>& tasks) {
  std::map<std::string, const Task*> seen;
  for (const Task& task : tasks)
    for (const std::string& name : output_names(task, shape)) {
      const auto [at, fresh] = seen.emplace(name, &task);
      const std::string path = options.folder + "/" + name;
      if (!fresh)
        throw ValueError("map", fmt::format("two inputs have one output: got '{}' and '{}', both for '{}'. Rename one "
                                            "of them, or map them into different folders.",
                                            at->second->inputs[0], task.inputs[0], path));
      struct stat out, in;
      if (stat(path.c_str(), &out) != 0) continue;
      for (const std::string& input : task.inputs)
        if (stat(input.c_str(), &in) == 0 && in.st_dev == out.st_dev && in.st_ino == out.st_ino)
          throw ValueError("map", fmt::format("an output would replace its input: got '{}' for both. Choose another "
                                              "folder with -o.",
                                              input));
    }
}

}  // namespace

std::vector<std::string> output_names(const Task& task, const TaskShape& shape) {
  std::vector<std::string> names;
  if (shape.npz) return {task.name + ".npz"};
  for (std::size_t i = 0; i < shape.outputs; ++i)
    names.push_back(shape.outputs == 1 ? task.name + ".npy" : fmt::format("{}_{}.npy", task.name, i));
  for (std::size_t i : shape.changed) names.push_back(fmt::format("{}_arg{}.npy", task.name, i));
  return names;
}

std::vector<Task> find_tasks(const map_options& options, const TaskShape& shape) {
  std::vector<Task> tasks;
  const std::size_t given = options.patterns.size();
  const bool archives = std::all_of(options.patterns.begin(), options.patterns.end(), [](const auto& p) { return is_npz(p); });
  if (shape.inputs == 1 || archives || given == 1) {
    tasks = one_file_each(options.patterns);
    for (const Task& task : tasks)
      if (shape.inputs != 1 && !is_npz(task.inputs[0]))
        throw ValueError("map", fmt::format("number of patterns: got {}, expected {}, one for each array that the "
                                            "function takes, or patterns of .npz files that hold them.",
                                            given, shape.inputs));
  } else {
    if (given != shape.inputs)
      throw ValueError("map", fmt::format("number of patterns: got {}, expected {}, one for each array that the "
                                          "function takes, or patterns of .npz files that hold them. Put patterns into "
                                          "quotes, so that the shell leaves them alone.",
                                          given, shape.inputs));
    tasks = partners(options.patterns);
  }
  std::sort(tasks.begin(), tasks.end(), [](const Task& a, const Task& b) { return a.name < b.name; });
  check_names(options, shape, tasks);
  for (std::size_t i = 0; i < tasks.size(); ++i) tasks[i].number = i;
  return tasks;
}

Shard parse_shard(const std::string& text) {
  Shard shard;
  const char *begin = text.data(), *end = begin + text.size();
  const auto first = std::from_chars(begin, end, shard.number);
  bool good = first.ec == std::errc() && first.ptr != end && *first.ptr == '/';
  if (good) {
    const auto second = std::from_chars(first.ptr + 1, end, shard.count);
    good = second.ec == std::errc() && second.ptr == end;
  }
  if (!good || shard.number < 1 || shard.number > shard.count)
    throw ValueError("map", fmt::format("--shard: got '{}', expected i/n with i from 1 to n, such as 2/8.", text));
  return shard;
}

}  // namespace numjit::map
