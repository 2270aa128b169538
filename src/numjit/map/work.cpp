// The list of tasks, and what stops it.
#include <numjit/map/work.h>

#include <algorithm>
#include <cstdio>

#include <fmt/format.h>

namespace numjit::map {

void Stop::by_error(const std::string& text) {
  std::lock_guard lock(mutex_);
  if (error_.empty()) error_ = text;
  broken_ = true;
}

std::string Stop::error() const {
  std::lock_guard lock(mutex_);
  return error_;
}

TaskList::TaskList(std::vector<Task> tasks, const Journal& journal, const Stop& stop, Counts& counts)
    : tasks_(std::move(tasks)), journal_(journal), stop_(stop), counts_(counts) {
  counts.total = static_cast<std::int64_t>(tasks_.size());
}

TaskOffer TaskList::next() {
  while (!stop_.asked()) {
    const std::size_t at = at_.fetch_add(1);
    if (at >= tasks_.size()) break;
    if (!journal_.is_done(tasks_[at])) return {tasks_[at]};
    ++counts_.skipped;
  }
  return {std::nullopt, true};
}

void TaskList::ended(const Task& task, const std::string& error) {
  if (error.empty()) {
    ++counts_.done;
    return;
  }
  ++counts_.failed;
  const Failure failure{task.inputs, error};
  tell_failure(failure);
  std::lock_guard lock(mutex_);
  failures_.emplace_back(task.number, failure);
}

std::vector<Failure> TaskList::failures() const {
  std::lock_guard lock(mutex_);
  auto sorted = failures_;
  std::sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<Failure> list;
  for (auto& [number, failure] : sorted) list.push_back(std::move(failure));
  return list;
}

void tell_failure(const Failure& failure) {
  // One call, so that lines of several threads stay whole.
  const std::string line = fmt::format("numjit: {}: {}\n", failure.inputs[0], failure.error);
  std::fputs(line.c_str(), stderr);
}

}  // namespace numjit::map
