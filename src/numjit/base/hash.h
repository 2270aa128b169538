// 128- and 64-bit content hashes (XXH3): keys of kernels, graphs and cache entries.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace numjit {

/// A 128-bit content hash. Equal bytes give equal hashes on every machine and in every build.
struct hash128 {
  std::uint64_t low = 0;
  std::uint64_t high = 0;
  friend bool operator==(const hash128&, const hash128&) = default;
  friend auto operator<=>(const hash128&, const hash128&) = default;
};

/// XXH3-128 of `size` bytes.
hash128 hash_bytes(const void* data, std::size_t size);
inline hash128 hash_text(std::string_view text) { return hash_bytes(text.data(), text.size()); }

/// XXH3-64 of `size` bytes, for hash tables.
std::uint64_t hash_bytes_64(const void* data, std::size_t size);

/// 32 lower-case hex digits, high half first, as xxh128sum prints it.
std::string to_hex(const hash128& hash);

}  // namespace numjit

template <>
struct std::hash<numjit::hash128> {
  std::size_t operator()(const numjit::hash128& hash) const noexcept {
    return static_cast<std::size_t>(hash.low);
  }
};
