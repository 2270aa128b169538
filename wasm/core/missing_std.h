// What libc++ 14, which Emscripten 3.1.6 brings, lacks of C++20. Included before every file of a wasm build;
// where a library has these, nothing is defined.
#pragma once

#ifdef __cplusplus
#include <charconv>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <system_error>
#include <type_traits>

namespace std {

#ifndef __cpp_lib_bit_cast
template <class To, class From>
  requires(sizeof(To) == sizeof(From) && is_trivially_copyable_v<To> && is_trivially_copyable_v<From>)
constexpr To bit_cast(const From& from) noexcept {
  return __builtin_bit_cast(To, from);
}
#endif

#ifndef __cpp_lib_atomic_ref
/// The operations that reference counts need.
template <class T>
class atomic_ref {
 public:
  explicit atomic_ref(T& value) : value_(&value) {}
  T load(memory_order order = memory_order_seq_cst) const noexcept { return __atomic_load_n(value_, static_cast<int>(order)); }
  void store(T v, memory_order order = memory_order_seq_cst) const noexcept {
    __atomic_store_n(value_, v, static_cast<int>(order));
  }
  T fetch_add(T v, memory_order order = memory_order_seq_cst) const noexcept {
    return __atomic_fetch_add(value_, v, static_cast<int>(order));
  }
  T fetch_sub(T v, memory_order order = memory_order_seq_cst) const noexcept {
    return __atomic_fetch_sub(value_, v, static_cast<int>(order));
  }

 private:
  T* value_;
};
#endif

#ifndef __cpp_lib_smart_ptr_for_overwrite
template <class T>
  requires is_array_v<T>
unique_ptr<T> make_unique_for_overwrite(size_t count) {
  return unique_ptr<T>(new remove_extent_t<T>[count]);
}
#endif

#ifndef __cpp_lib_to_chars
/// Shortest text that reads back as `value`.
to_chars_result to_chars(char* first, char* last, float value, chars_format format);
to_chars_result to_chars(char* first, char* last, double value, chars_format format);
/// With `digits` after the point, exactly rounded.
to_chars_result to_chars(char* first, char* last, float value, chars_format format, int digits);
to_chars_result to_chars(char* first, char* last, double value, chars_format format, int digits);
from_chars_result from_chars(const char* first, const char* last, double& value, chars_format format = chars_format::general);
#endif

}  // namespace std
#endif
