// Objects of a thread that its thread_locals may still use while they end.
#pragma once

#include <utility>

namespace numjit::detail {

/// Calls end(object) when this thread ends, behind the destructors of all its thread_locals; also for an object that is made in
/// one of those. Not at the end of the main thread: exit handlers and destructors of static objects run on it, and they may call
/// compiled functions. Objects keep their place in a thread_local pointer without a destructor, which `end` sets to null.
void at_end_of_thread(void* object, void (*end)(void*));

/// Deletes so what a thread_local pointer of this thread holds then, and sets it to null first: an object that was made at its
/// first use.
template <class T>
void delete_at_end_of_thread(T*& mine) {
  at_end_of_thread(&mine, [](void* place) { delete std::exchange(*static_cast<T**>(place), nullptr); });
}

}  // namespace numjit::detail
