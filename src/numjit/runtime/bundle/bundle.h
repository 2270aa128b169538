// The .npj container: named sections in one file, under checksums.
//
//   header    "\x89NPJ\r\n\x1a\n", format (u32), bits version (u32), file size (u64), number of sections
//             (u64), checksum of the whole file with this field zero (128 bits), all little-endian
//   section   size of the name (u64), size of the bytes (u64), checksum of both (128 bits), name, bytes
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace numjit::runtime {

/// Version of the container and of what np::export_function writes into it.
inline constexpr int bundle_format = 1;

struct BundleSection {
  std::string name;
  std::vector<char> bytes;
};

struct Bundle {
  std::string path;  // for errors
  std::vector<BundleSection> sections;
  /// The bytes of a section; OSError if there is none of that name.
  std::span<const char> section(std::string_view name) const;
};

/// Writes a bundle: to a temporary name, synced, renamed. OSError.
void write_bundle(const Bundle& bundle);

/// Reads and checks one. OSError: no such file, no bundle, a newer format, other bits, cut short, damaged,
/// or a file that other users may write (it holds code). Counts and sizes in the file are not trusted.
Bundle read_bundle(const std::string& path);

}  // namespace numjit::runtime
