// Which scopes the context of a call has set, and how they come to be set on the thread.
#include "scopes.h"

#include <algorithm>
#include <exception>

#include <numjit/base/scope_entry.h>
#include <numjit/base/thread_end.h>

namespace numjit::py {

constinit std::atomic<int> scopes_set{0};

namespace {

// Changes when a scope is over in contexts that still hold it.
std::atomic<std::uint64_t> endings{0};

PyObject* variable = nullptr;  // the context variable: a ChainObject or None

/// A chain as the value of a context variable. Chains are never changed, but replaced.
struct ChainObject {
  std::shared_ptr<const Chain> chain;
};

/// The value of the variable, and its chain or null.
struct Value {
  Value() {
    PyObject* value = nullptr;
    if (PyContextVar_Get(variable, Py_None, &value) != 0) throw nb::python_error();
    held = nb::steal(value);
  }
  std::shared_ptr<const Chain> chain() const { return held.is_none() ? nullptr : nb::inst_ptr<ChainObject>(held)->chain; }
  bool is(const std::shared_ptr<const Chain>& other) const {
    return held.is_none() ? !other : nb::inst_ptr<ChainObject>(held)->chain == other;
  }
  nb::object held;
};

nb::object set_variable(std::shared_ptr<const Chain> chain) {
  const nb::object value = chain->empty() ? nb::none() : nb::cast(ChainObject{std::move(chain)});
  PyObject* token = PyContextVar_Set(variable, value.ptr());
  if (!token) throw nb::python_error();
  return nb::steal(token);
}

/// What is set on a thread.
struct Applied {
  std::shared_ptr<PythonScope> scope;
  Opened* opened;
};
struct OfThread {
  std::vector<Applied> applied;
  std::shared_ptr<const Chain> chain;  // that of the context it was for
  std::uint64_t endings_seen = 0;
  bool at_work = false;  // the collector may end a scope while scopes come and go

  ~OfThread() {
    for (const Applied& a : applied) try {
        a.scope->close(a.opened);
      } catch (const error&) {  // nobody is left to be told
      }
  }
};
constinit thread_local OfThread* of_thread = nullptr;

OfThread& scopes_of_thread() {
  if (!of_thread) {
    of_thread = new OfThread;
    detail::delete_at_end_of_thread(of_thread);
  }
  return *of_thread;
}

/// Closes what is set from a place on that is wanted no more; the first error after all of them.
void close_from(std::vector<Applied>& applied, std::size_t from, const Chain* wanted) {
  std::exception_ptr first;
  for (std::size_t i = applied.size(); i-- > from;) {
    if (wanted && std::find(wanted->begin(), wanted->end(), applied[i].scope) != wanted->end()) continue;
    const Applied gone = std::move(applied[i]);
    applied.erase(applied.begin() + static_cast<std::ptrdiff_t>(i));
    try {
      gone.scope->close(gone.opened);
    } catch (...) {
      if (!first) first = std::current_exception();
    }
  }
  if (first) std::rethrow_exception(first);
}

void bring_about(OfThread& mine, const Chain& wanted) {
  close_from(mine.applied, 0, &wanted);
  std::size_t same = 0;
  while (same < mine.applied.size() && mine.applied[same].scope == wanted[same]) ++same;
  close_from(mine.applied, same, nullptr);
  for (std::size_t i = same; i < wanted.size(); ++i) {
    mine.applied.push_back({wanted[i], nullptr});
    try {
      mine.applied.back().opened = wanted[i]->open();
    } catch (...) {
      mine.applied.pop_back();
      throw;
    }
  }
}

}  // namespace

// ---- scopes ----

PythonScope::PythonScope(ScopePlan p) : plan(std::move(p)), thread_(detail::number_of_thread()) {
  scopes_set.fetch_add(1, std::memory_order_relaxed);
}
PythonScope::~PythonScope() {
  try {
    delete kept;
  } catch (const error&) {  // it was left without an end: nobody is left to be told
  }
  scopes_set.fetch_sub(1, std::memory_order_relaxed);
}

bool PythonScope::is_for_this_thread() const { return !plan.has_memory || thread_ == detail::number_of_thread(); }

Opened* PythonScope::open() {
  if (!plan.has_memory) return plan.open();
  if (kept)
    kept->go_on();
  else
    kept = plan.open();
  return kept;
}

void PythonScope::close(Opened* opened) {
  if (!plan.has_memory)
    delete opened;
  else if (is_over())
    delete std::exchange(kept, nullptr);
  else
    opened->pause();
}

// ---- contexts ----

void follow_context() {
  OfThread& mine = scopes_of_thread();
  if (mine.at_work) return;
  const Value value;
  const std::uint64_t seen = endings.load(std::memory_order_acquire);
  if (value.is(mine.chain) && seen == mine.endings_seen) return;
  std::shared_ptr<const Chain> chain = value.chain();
  mine.at_work = true;
  struct Done {
    OfThread& mine;
    ~Done() { mine.at_work = false; }
  } done{mine};
  Chain held, wanted;
  if (chain)
    for (const std::shared_ptr<PythonScope>& scope : *chain) {
      if (scope->is_over()) continue;
      held.push_back(scope);
      if (scope->is_for_this_thread()) wanted.push_back(scope);
    }
  if (chain && held.size() < chain->size()) {
    chain = std::make_shared<const Chain>(std::move(held));
    set_variable(chain);
    if (chain->empty()) chain.reset();
  }
  mine.chain.reset();  // after an error the next call tries again
  mine.endings_seen = seen;
  bring_about(mine, wanted);
  mine.chain = std::move(chain);
}

Chain current_chain() {
  const std::shared_ptr<const Chain> chain = Value().chain();
  return chain ? *chain : Chain();
}
void set_chain(Chain chain) {
  set_variable(std::make_shared<const Chain>(std::move(chain)));
  follow_context();
}

// ---- as Python sees them ----

ScopeObject::~ScopeObject() {
  if (!scope_) return;
  // Left without an end, perhaps by another thread: it is over where it was set.
  scope_->ended.store(true, std::memory_order_release);
  endings.fetch_add(1, std::memory_order_release);
}

void ScopeObject::enter() {
  if (scope_) throw ValueError("", "the scope is open already.");
  follow_context();
  const Chain before = current_chain();
  Chain with = before;
  auto scope = std::make_shared<PythonScope>(plan_);
  scope->errors = errors;
  scope->is_errstate = is_errstate;
  with.push_back(scope);
  token_ = set_variable(std::make_shared<const Chain>(std::move(with)));
  scope_ = scope;
  try {
    follow_context();
  } catch (...) {
    scope_.reset();
    token_.reset();
    set_variable(std::make_shared<const Chain>(before));
    throw;
  }
}

bool ScopeObject::is_set() const {
  const Chain chain = current_chain();
  return scope_ && std::find(chain.begin(), chain.end(), scope_) != chain.end();
}

void ScopeObject::exit() {
  if (!scope_) return;
  const std::shared_ptr<PythonScope> scope = std::exchange(scope_, nullptr);
  const nb::object token = std::exchange(token_, nb::object());
  Chain left;
  for (const std::shared_ptr<PythonScope>& other : current_chain())
    if (other != scope && other->owner != scope) left.push_back(other);
  // In another context than that of its beginning a scope ends for all of them; else copies of the context keep it, as they
  // keep the value of any context variable.
  const bool in_its_context = PyContextVar_Reset(variable, token.ptr()) == 0;
  if (!in_its_context) PyErr_Clear();
  if (!in_its_context || plan_.has_memory) {
    scope->ended.store(true, std::memory_order_release);
    endings.fetch_add(1, std::memory_order_release);
  }
  set_chain(std::move(left));
}

void define_scopes(Module& m) {
  nb::class_<ChainObject>(m, "Scopes");
  m.def("scopes_set", [] { return scopes_set.load(); });
  variable = PyContextVar_New("numjit_scopes", nullptr);
  if (!variable) nb::raise_python_error();
}

}  // namespace numjit::py
