// Carries out op communicate: at once, or beside the program.
#include <chrono>
#include <exception>
#include <memory>
#include <mutex>

#include <numjit/base/job_context.h>
#include <numjit/distributed/operations.h>
#include <numjit/distributed/process.h>
#include <numjit/eager/internal.h>

namespace numjit::distributed {
namespace {

/// Elements in C order: the input itself, or a copy.
array in_order(node* n) {
  if (n->is(node::c_contiguous)) return array::share(n);
  array copy = array::adopt(detail::new_node(n->type, n->rank, n->shape));
  eager::copy_elements(eager::layout_view(n), eager::layout_view(copy.get()));
  return copy;
}

void run(const detail::communication& c) { communicate_now(layout::communication::of(c.params), c.in, c.result); }

class Started final : public detail::started_communication {
 public:
  Started(Process& process, const detail::communication& c)
      : words_(layout::communication::of(c.params)),
        group_(process.group(words_.number)),
        in_(in_order(c.in)),
        result_(c.result),
        context_(job_context::here()) {
    process.start([this] { work(); });
  }

  std::int64_t wait() override {
    std::unique_lock lock(mutex_);
    done_.wait(lock, [this] { return is_done_; });
    if (error_) std::rethrow_exception(error_);
    return std::chrono::nanoseconds(end_ - begin_).count();
  }

 private:
  void work() {
    std::exception_ptr error;
    try {
      const job_context_scope scope(context_);
      communicate(group_, words_, in_.get(), result_, false);
    } catch (...) {
      error = std::current_exception();
    }
    std::lock_guard lock(mutex_);  // who waits may delete this as soon as it is let go
    error_ = error;
    end_ = std::chrono::steady_clock::now();
    is_done_ = true;
    done_.notify_all();
  }

  const layout::communication words_;
  Group& group_;
  const array in_;
  node* const result_;
  const job_context context_;
  const std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  std::chrono::steady_clock::time_point end_;
  std::mutex mutex_;
  std::condition_variable done_;
  bool is_done_ = false;
  std::exception_ptr error_;
};

detail::started_communication* start(const detail::communication& c) {
  Process& process = Process::instance();
  if (process.overlaps()) return new Started(process, c);
  run(c);
  return nullptr;
}

array state(std::int64_t number) { return Process::instance().group(number).state(); }
std::int64_t rank(std::int64_t number) { return Process::instance().group(number).rank(); }
std::int64_t size(std::int64_t number) { return Process::instance().group(number).size(); }

[[maybe_unused]] const bool installed = [] {
  detail::communications = {state, rank, size, run, start};
  return true;
}();

}  // namespace

void communicate_now(const layout::communication& words, node* in, node* result) {
  Process& process = Process::instance();
  Group& group = process.group(words.number);
  const bool is_ordered = in->is(node::c_contiguous);
  const array copy = is_ordered ? array() : in_order(in);
  const Process::Turn turn(process);
  communicate(group, words, is_ordered ? in : copy.get(), result, true);
}

}  // namespace numjit::distributed
