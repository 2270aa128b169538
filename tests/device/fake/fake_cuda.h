// The recording CUDA driver of the tests: what a test asks of it. Functions are found by dlsym.
#pragma once

#include <cstddef>

/// Call number `nth` (from 1) of `function`, counted from now, returns `code`; nth 0: all of them. "" clears all.
using fake_fail_function = void (*)(const char* function, int nth, int code);
/// What was called since the last reset, one line a call; the text lives until the next call.
using fake_log_function = const char* (*)();
using fake_reset_function = void (*)();

struct fake_counts {
  std::size_t device_bytes;   // allocated and not freed
  int device_blocks, pinned_blocks, modules, events, streams, graphs;
  int faults;                 // uses of memory, events or modules that were not there any more
};
using fake_counts_function = fake_counts (*)();
/// What copies of that many bytes to the host bring from now on, as if a kernel had computed it. 0 bytes: all
/// copies bring what lies there.
using fake_answer_function = void (*)(const void* value, std::size_t bytes);
/// Bytes that the device has.
using fake_memory_function = void (*)(std::size_t);

/// For libraries over the driver: work for a stream in its order, which a graph does as often as it is launched, and what
/// ends its context then; waits for a stream; writes a call down (0, or an injected error); is that memory of the device?
/// A use of what is none counts as a fault.
extern "C" {
void fake_give(void* stream, void (*work)(void*), void* context, void (*end)(void*));
void fake_wait(void* stream);
int fake_call(const char* function, const char* what);
bool fake_has(const void* at, std::size_t bytes);
}
