// Work pending in a compiled call of one Python thread, met by another: who has the GIL runs it.
#include "turns.h"

#include <algorithm>
#include <chrono>
#include <thread>

#include <numjit/runtime/kernels/cache.h>

namespace numjit::py {

namespace {
Turn* first_turn = nullptr;
constinit thread_local Turn* my_turn [[gnu::tls_model("initial-exec")]] = nullptr;

/// This thread runs what another has pending.
constinit thread_local bool helping [[gnu::tls_model("initial-exec")]] = false;
struct Helping {
  Helping() { helping = true; }
  ~Helping() { helping = false; }
};
}  // namespace

Turn::Turn() {
  if (!detail::recording || my_turn) return;
  recorder_ = &tracing::Recorder::current();
  context_ = &detail::own_context;
  next_ = first_turn;
  link_ = &first_turn;
  if (next_) next_->link_ = &next_;
  first_turn = my_turn = this;
  detail::recording_threads.store(detail::recording_threads.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
}

Turn::~Turn() {
  if (!recorder_) return;
  detail::recording_threads.store(detail::recording_threads.load(std::memory_order_relaxed) - 1, std::memory_order_relaxed);
  *link_ = next_;
  if (next_) next_->link_ = link_;
  my_turn = nullptr;
}

bool Turn::concerns(const node* n, bool writes) const {
  const bool lazy = n->is(node::lazy);
  const node* owner = detail::storage_owner(const_cast<node*>(n));
  if (!running_) return lazy ? recorder_->pends(n) : recorder_->uses(owner, writes);
  const auto& list = writes ? used_ : stored_;
  return lazy || std::find(list.begin(), list.end(), owner) != list.end();
}

bool Turn::is_in_run() const { return running_ || recorder_->is_busy(); }

// Until the thread of this call, which is in the middle of something, has got on.
void Turn::wait() const {
  const Unlocked unlocked;
  std::this_thread::sleep_for(std::chrono::microseconds(50));
}

void settle_others(node* n, bool writes, std::string_view, const location&) {
  // Operations inside of what runs just now, and those of the pool's threads, belong to it.
  if (helping || !PyGILState_GetThisThreadState() || (my_turn && my_turn->is_in_run())) return;
  const Locked gil;
  if (n->is(node::lazy) && my_turn && my_turn->recorder_->pends(n)) return;
  for (Turn* turn = first_turn; turn;) {
    if (turn == my_turn || !turn->concerns(n, writes)) {
      turn = turn->next_;
      continue;
    }
    turn->met_ = true;
    if (turn->is_in_run()) {
      turn->wait();
      turn = first_turn;  // the list may be another one
      continue;
    }
    const tracing::BorrowedContext context(*turn->context_);
    const Helping here;
    // Plain code would have thrown there before it came here.
    if (const std::exception_ptr error = turn->recorder_->run_for_others()) std::rethrow_exception(error);
    turn = turn->next_;
  }
}

Running::Running(bool worth) : turn_(my_turn) {
  if (!worth || (turn_ && turn_->met_)) return;
  if (turn_) {
    turn_->used_ = turn_->recorder_->storage(false);
    turn_->stored_ = turn_->recorder_->storage(true);
    turn_->running_ = true;
  }
  unlocked_.emplace();
}

Running::~Running() {
  if (!unlocked_) return;
  unlocked_.reset();
  if (turn_) turn_->running_ = false;
}

void install_turns() {
  detail::read_hooks.settle_others = settle_others;
  detail::threads_take_turns = true;
  runtime::wait_hooks = {[]() -> void* { return PyGILState_Check() ? PyEval_SaveThread() : nullptr; },
                         [](void* state) {
                           if (state) retake_gil(static_cast<PyThreadState*>(state));
                         }};
}

}  // namespace numjit::py
