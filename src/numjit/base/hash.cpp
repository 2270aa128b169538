// XXH3 behind a small interface, so that its header is compiled once.
#include <numjit/base/hash.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace numjit {

hash128 hash_bytes(const void* data, std::size_t size) {
  XXH128_hash_t hash = XXH3_128bits(data, size);
  return {hash.low64, hash.high64};
}

std::uint64_t hash_bytes_64(const void* data, std::size_t size) { return XXH3_64bits(data, size); }

std::string to_hex(const hash128& hash) {
  static constexpr char digits[] = "0123456789abcdef";
  std::string text(32, '0');
  for (int i = 0; i < 16; ++i) {
    text[static_cast<std::size_t>(15 - i)] = digits[hash.high >> (4 * i) & 15];
    text[static_cast<std::size_t>(31 - i)] = digits[hash.low >> (4 * i) & 15];
  }
  return text;
}

}  // namespace numjit
