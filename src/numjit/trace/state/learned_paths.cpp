// The sets of paths, and the lock that they share with other tables.
#include <numjit/array/array.h>
#include <numjit/trace/state/learned_paths.h>

#include <utility>

#include <pthread.h>

namespace numjit::tracing {

#ifndef __EMSCRIPTEN__
namespace {

void prepare_fork() { tables_mutex().lock(); }
void go_on_in_parent() { tables_mutex().unlock(); }
void go_on_in_child() {
  tables_mutex().unlock();
  if (!detail::threads_take_turns)
    detail::recording_threads = detail::counted_here + detail::counted_by_levels;  // the others are not in the child
}

}  // namespace
#endif

std::mutex& tables_mutex() {
  static auto& mutex = *new std::mutex;
#ifndef __EMSCRIPTEN__
  static const int forks = pthread_atfork(prepare_fork, go_on_in_parent, go_on_in_child);
  static_cast<void>(forks);
#endif
  return mutex;
}

void LearnedPaths::renew(std::uint64_t generation) {
  std::lock_guard lock(tables_mutex());
  if (std::exchange(generation_, generation) == generation) return;
  recompiles_ = new_paths_ = 0;
  paths_.clear();
  guards_.clear();
}

bool LearnedPaths::knows(std::uint64_t path) const {
  std::lock_guard lock(tables_mutex());
  return paths_.contains(path);
}

void LearnedPaths::add(std::uint64_t path) {
  std::lock_guard lock(tables_mutex());
  if (!full()) paths_.insert(path);
}

void LearnedPaths::add(const PathKeys& keys, RecordedGuards guards) {
  std::lock_guard lock(tables_mutex());
  if (full()) return;
  paths_.insert(keys.path);
  guards_[keys.any_guards] = std::move(guards);
}

std::optional<RecordedGuards> LearnedPaths::recorded(std::uint64_t any_guards) const {
  std::lock_guard lock(tables_mutex());
  if (full()) return {};
  const auto found = guards_.find(any_guards);
  return found == guards_.end() ? std::nullopt : std::optional(found->second);
}

int LearnedPaths::recompiles() const {
  std::lock_guard lock(tables_mutex());
  return recompiles_;
}

int LearnedPaths::count_recompile(int limit) {
  std::lock_guard lock(tables_mutex());
  return recompiles_ < limit ? ++recompiles_ : limit + 1;
}

int LearnedPaths::count_new_path(int limit) {
  std::lock_guard lock(tables_mutex());
  return new_paths_ < limit ? ++new_paths_ : limit + 1;
}

}  // namespace numjit::tracing
