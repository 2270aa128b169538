// The list of a thread's observers.
#include <numjit/trace/record/observer.h>

#include <utility>

namespace numjit::tracing {

CallObserver::~CallObserver() { ObserverList::remove(*this); }

// The thread ends; observers may stay.
ObserverList::~ObserverList() {
  while (first_) remove(*first_);
}

void ObserverList::add(CallObserver& observer) noexcept {
  if (observer.list_) return;
  observer.list_ = this;
  observer.next_ = first_;
  first_ = &observer;
  needs_ |= observer.needs_;
}

void ObserverList::remove(CallObserver& observer) noexcept {
  ObserverList* const list = std::exchange(observer.list_, nullptr);
  if (!list) return;
  CallObserver** place = &list->first_;
  while (*place != &observer) place = &(*place)->next_;
  *place = observer.next_;
  list->needs_ = 0;
  for (const CallObserver* o = list->first_; o; o = o->next_) list->needs_ |= o->needs_;
}

}  // namespace numjit::tracing
