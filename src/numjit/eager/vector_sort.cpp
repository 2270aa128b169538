// Opens libhwy_contrib.so.1 and calls hwy::Sorter by its exported names.
#include <numjit/base/cpu.h>
#include <numjit/eager/vector_sort.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <type_traits>

#include <dlfcn.h>

namespace numjit::eager {
namespace {

// hwy::Sorter holds one pointer. Its functions take the keys, their number and an empty tag, which
// takes no place among the arguments.
struct sorter_object {
  void* memory = nullptr;
};
template <class Key>
using sort_function = void (*)(const sorter_object*, Key*, std::size_t);

struct highway {
  void (*construct)(sorter_object*) = nullptr;
  void (*release)(sorter_object*) = nullptr;
  sort_function<std::int32_t> sort_int32 = nullptr;
  sort_function<std::int64_t> sort_int64 = nullptr;
  sort_function<std::uint64_t> sort_uint64 = nullptr;
  sort_function<placed_key> sort_placed = nullptr;
  bool complete = false;

  highway() {
    void* library = dlopen("libhwy_contrib.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!library) return;
    auto find = [library](auto& function, const char* name) {
      function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
      return function != nullptr;
    };
    complete = find(construct, "_ZN3hwy6SorterC1Ev") && find(release, "_ZN3hwy6Sorter6DeleteEv") &&
               find(sort_int32, "_ZNK3hwy6SorterclEPimNS_13SortAscendingE") &&
               find(sort_int64, "_ZNK3hwy6SorterclEPlmNS_13SortAscendingE") &&
               find(sort_uint64, "_ZNK3hwy6SorterclEPmmNS_13SortAscendingE") &&
               find(sort_placed, "_ZNK3hwy6SorterclEPNS_9uint128_tEmNS_13SortAscendingE");
  }
};

const highway& opened() {
  static const highway library;
  return library;
}

template <class Key>
bool sort_with(sort_function<Key> highway::*function, Key* p, std::int64_t n) {
  const highway& h = opened();
  if (!h.complete) return false;
  sorter_object sorter;
  h.construct(&sorter);
  (h.*function)(&sorter, p, static_cast<std::size_t>(n));
  h.release(&sorter);
  return true;
}

/// Seconds that a few thousand keys take, the best of some runs.
template <class Key>
double seconds_of_sort() {
  double best = 1;
  for (int run = 0; run < 4; ++run) {
    std::array<Key, 4096> keys;
    std::uint64_t word = 1;
    for (Key& key : keys) key = static_cast<Key>((word = word * 6364136223846793005u + 1442695040888963407u) >> 32);
    const auto begin = std::chrono::steady_clock::now();
    vector_sort(keys.data(), keys.size());
    best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  }
  return best;
}

}  // namespace

bool vector_sort(std::int32_t* p, std::int64_t n) { return sort_with(&highway::sort_int32, p, n); }
bool vector_sort(std::int64_t* p, std::int64_t n) { return sort_with(&highway::sort_int64, p, n); }
bool vector_sort(std::uint64_t* p, std::int64_t n) { return sort_with(&highway::sort_uint64, p, n); }
bool vector_sort(placed_key* p, std::int64_t n) { return sort_with(&highway::sort_placed, p, n); }
bool vector_sort_prefers_short_keys(std::int64_t n) {
  constexpr std::int64_t many = 1 << 16;  // beside which the measurement is short
  if (numjit::detail::cpu_level() < 4) return true;
  if (n < many) return false;
  static const bool shorter = seconds_of_sort<std::int32_t>() < seconds_of_sort<std::int64_t>();
  return shorter;
}

}  // namespace numjit::eager
