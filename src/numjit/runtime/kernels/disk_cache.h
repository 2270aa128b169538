// The folder of compiled kernels that processes share: checked before use, never trusted.
#pragma once

#include <cstdint>
#include <ctime>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace numjit::runtime {

/// Version of the file layout, part of every key's text together with the bits version.
inline constexpr int cache_format = 1;
/// Version of the mathematics and reduction order: kernels of another one give other bits.
inline constexpr int bits_version = 2;

enum class CacheKind : std::uint32_t {
  kernel = 1,      // payload: bytes of a shared object, or of a module of WebAssembly
  quarantine = 2,  // payload: text of the error that this content gave
  objects = 3,     // payload: packed objects (objects.h)
};
/// `kernel` or `objects`.
CacheKind kind_of_kernel(std::span<const char> payload) noexcept;

struct CacheEntry {
  CacheKind kind;
  std::vector<char> payload;
};

/// config().cache_dir, or "" if the disk cache is off.
std::string cache_folder();

/// The entry stored under `key` (a text; its hash names the file), or nullopt. A damaged one is
/// reported by one warning line and counts as absent. A folder or file that others may write is not
/// used.
std::optional<CacheEntry> read_cache(const std::string& folder, const std::string& key);

/// Stores an entry: written beside its place, synced, renamed. Makes the folder if need be. What
/// can't be written is reported once per folder. Now and then removes the entries unused for
/// longest, to stay within config().cache_limit_bytes.
void write_cache(const std::string& folder, const std::string& key, CacheKind kind, const std::vector<char>& payload) noexcept;

/// One file of the folder, for the `numjit cache` program.
struct CacheFile {
  std::string path;
  std::string key;  // text it is stored under; "" if it can't be read
  std::int64_t bytes = 0;
  std::time_t used = 0;  // last read or written
  CacheKind kind = CacheKind::kernel;
  std::string problem;  // "" if the entry is sound
};
/// All entries, latest used first, each read and checked.
/// Throws OSError if there is a folder that can't be read or must not be used.
std::vector<CacheFile> list_cache(const std::string& folder);

struct PruneResult {
  std::int64_t files = 0;
  std::int64_t bytes = 0;  // freed
};
/// Removes the entries unused for longest until at most `limit` bytes remain, and stray temporary
/// files.
PruneResult prune_cache(const std::string& folder, std::int64_t limit);

}  // namespace numjit::runtime
