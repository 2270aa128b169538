// Object code of x86-64 becomes code in memory, without a linker: sections are copied, what refers to what is written into
// them, then code is made executable and constants are made read-only.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace numjit::runtime {

/// ELF objects (relocatable, x86-64) in one mapping: code and the jumps to functions outside | constants and addresses of what
/// lies outside | data. Takes what Halide and the compilers make of kernels and their support functions: relocations PC32,
/// PLT32, 64 and GOTPCREL; names of a fixed list of functions of libc. All else, and what is damaged, is a CompileError that
/// names it: no thread-local storage, no initialisers, no COMMON symbols.
///
/// Ends its mapping with its life. Objects may come from anywhere: nothing outside of them is read, nothing outside of the
/// mapping is written.
class LoadedObjects {
 public:
  explicit LoadedObjects(std::span<const std::span<const char>> objects);
  ~LoadedObjects();
  LoadedObjects(const LoadedObjects&) = delete;
  LoadedObjects& operator=(const LoadedObjects&) = delete;

  /// The address of a symbol that others may see, null if there is none.
  void* find(std::string_view symbol) const;

  /// The code, for perf and debuggers.
  std::span<const char> code() const { return {static_cast<const char*>(base_), code_size_}; }
  /// Where each section of object `i` lies, by its number; null: it is not in memory.
  std::span<char* const> sections_of(std::size_t i) const { return places_[i]; }

 private:
  friend class ObjectPlacer;
  void* base_ = nullptr;
  std::size_t size_ = 0, code_size_ = 0;
  std::vector<std::vector<char*>> places_;
  std::unordered_map<std::string, char*> symbols_;
};

}  // namespace numjit::runtime
