// How a module's memory grows: in steps that grow with it. The C library asks for what it lacks, page by page; a browser
// takes milliseconds for each step, and may collect its garbage at it.
#include <algorithm>
#include <cstddef>

extern "C" void emscripten_notify_memory_growth(std::size_t memory);

/// In place of the C library's (--wrap). Its caller takes what it needs and finds the rest there the next time.
extern "C" int __wrap_emscripten_resize_heap(std::size_t size) {
  constexpr std::size_t page = 65536, most_spare = 1024;  // 64 MB
  const std::size_t pages = __builtin_wasm_memory_size(0);
  const std::size_t needed = (size + (page - 1)) / page - pages;
  const auto grow = [](std::size_t by) { return __builtin_wasm_memory_grow(0, by) != static_cast<std::size_t>(-1); };
  if (!grow(std::max(needed, std::min(pages / 4, most_spare))) && !grow(needed)) return 0;
  emscripten_notify_memory_growth(0);
  return 1;
}
