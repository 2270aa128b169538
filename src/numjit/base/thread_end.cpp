// The end of a thread: destructors of keys run behind those of thread_locals, and not on the main thread.
#include <numjit/base/thread_end.h>

#ifndef __EMSCRIPTEN__
#include <pthread.h>

#include <optional>
#include <utility>
#endif

namespace numjit::detail {

#ifdef __EMSCRIPTEN__
void at_end_of_thread(void*, void (*)(void*)) {}  // a page's thread lasts as long as the page
#else

namespace {

struct Ending {
  void* object;
  void (*end)(void*);
  Ending* next;
};

// What is registered meanwhile is another list, for which the system calls this again.
void end_all(void* list) {
  for (auto* ending = static_cast<Ending*>(list); ending;) {
    ending->end(ending->object);
    delete std::exchange(ending, ending->next);
  }
}

// Without a key (a process has 1024) objects stay when their threads end.
const std::optional<pthread_key_t>& key() {
  static const std::optional<pthread_key_t> made = []() -> std::optional<pthread_key_t> {
    pthread_key_t created{};
    if (pthread_key_create(&created, end_all) != 0) return std::nullopt;
    return created;
  }();
  return made;
}

}  // namespace

void at_end_of_thread(void* object, void (*end)(void*)) {
  if (!key()) return;
  auto* ending = new Ending{object, end, static_cast<Ending*>(pthread_getspecific(*key()))};
  if (pthread_setspecific(*key(), ending) != 0) delete ending;
}

#endif

}  // namespace numjit::detail
