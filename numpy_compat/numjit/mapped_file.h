// Which file a mapped array lies over: np::file_of.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <numjit/array/array.h>

namespace numjit {

/// The file that a mapped array, or a view of one, lies over.
struct mapped_file {
  std::string filename;  // absolute
  std::int64_t offset;   // bytes before the first element of the array that was mapped
  std::string mode;      // as memmap_options has it
  bool given_as_path;    // in Python: as an object of pathlib's
};

/// The file behind an array that np::memmap or np::load with a mode made, or behind a view of one. Nothing for an array
/// of its own memory.
///   np::file_of(np::memmap("x.bin", {.mode = "r"}))->mode  ->  "r"
std::optional<mapped_file> file_of(const array& a);

namespace detail {
/// The file was given as an object of pathlib's.
void mark_path(const array& mapped);
}  // namespace detail

}  // namespace numjit
