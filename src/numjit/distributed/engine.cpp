// Carries out op communicate: at once, or beside the program.
#include <exception>
#include <memory>
#include <mutex>

#include <numjit/base/clock.h>
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
    cost_.begin_ns = detail::clock_ns();
    process.start([this] { work(); });
  }

  detail::communication_cost wait() override {
    std::unique_lock lock(mutex_);
    const std::int64_t wait_begin = detail::clock_ns();
    done_.wait(lock, [this] { return is_done_; });
    if (error_) std::rethrow_exception(error_);
    cost_.wait_begin_ns = wait_begin;
    cost_.wait_ns = detail::clock_ns() - wait_begin;
    return cost_;
  }

 private:
  void work() {
    std::exception_ptr error;
    const std::int64_t sent_before = group_.sent_bytes();
    try {
      const job_context_scope scope(context_);
      communicate(group_, words_, in_.get(), result_, false);
    } catch (...) {
      error = std::current_exception();
    }
    std::lock_guard lock(mutex_);  // who waits may delete this as soon as it is let go
    error_ = error;
    cost_.ns = detail::clock_ns() - cost_.begin_ns;
    cost_.bytes = group_.sent_bytes() - sent_before;
    is_done_ = true;
    done_.notify_all();
  }

  const layout::communication words_;
  Group& group_;
  const array in_;
  node* const result_;
  const job_context context_;
  detail::communication_cost cost_;
  std::mutex mutex_;
  std::condition_variable done_;
  bool is_done_ = false;
  std::exception_ptr error_;
};

/// Bytes of a result for which waking a thread, and being woken by it, is a good part of the time.
constexpr std::int64_t most_at_once = 1 << 20;

/// One that was carried out where it began: the program waited for all of it.
class Done final : public detail::started_communication {
 public:
  explicit Done(const detail::communication_cost& cost) : cost_(cost) {}
  detail::communication_cost wait() override { return cost_; }

 private:
  const detail::communication_cost cost_;
};

detail::started_communication* start(const detail::communication& c, bool at_once) {
  Process& process = Process::instance();
  const std::int64_t size = c.result->size * static_cast<std::int64_t>(dtype(c.result->type).itemsize());
  if ((!at_once || size > most_at_once) && process.overlaps()) return new Started(process, c);
  const auto words = layout::communication::of(c.params);
  const std::int64_t begin = detail::clock_ns(), bytes = communicate_now(words, c.in, c.result), ns = detail::clock_ns() - begin;
  return process.group(words.number).size() == 1 ? nullptr : new Done({begin, ns, begin, ns, bytes});
}

array state(std::int64_t number) { return Process::instance().group(number).state(); }
std::int64_t rank(std::int64_t number) { return Process::instance().group(number).rank(); }
std::int64_t size(std::int64_t number) { return Process::instance().group(number).size(); }

[[maybe_unused]] const bool installed = [] {
  detail::communications = {state, rank, size, run, start};
  return true;
}();

}  // namespace

std::int64_t communicate_now(const layout::communication& words, node* in, node* result) {
  Process& process = Process::instance();
  Group& group = process.group(words.number);
  const bool is_ordered = in->is(node::c_contiguous);
  const array copy = is_ordered ? array() : in_order(in);
  const Process::Turn turn(process);
  const std::int64_t sent_before = group.sent_bytes();
  communicate(group, words, is_ordered ? in : copy.get(), result, true);
  return group.sent_bytes() - sent_before;
}

}  // namespace numjit::distributed
