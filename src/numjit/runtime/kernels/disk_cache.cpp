// Entry files: header, key text, payload, under one checksum.
#include <numjit/runtime/kernels/disk_cache.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <mutex>

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <numjit/base/config.h>
#include <numjit/base/debug_folder.h>
#include <numjit/base/error.h>
#include <numjit/base/fault.h>
#include <numjit/base/file.h>
#include <numjit/base/hash.h>
#include <numjit/base/log.h>
#include <numjit/runtime/kernels/objects.h>

namespace numjit::runtime {
namespace {

constexpr char magic[8] = {'n', 'u', 'm', 'j', 'i', 't', '\r', '\n'};
constexpr const char* suffix = ".njk";
constexpr const char* temporary_prefix = ".tmp.";
constexpr std::time_t touch_after = 60;    // seconds: not every read needs a write
constexpr std::time_t stray_after = 3600;  // seconds: a temporary file nobody will rename any more

struct Header {
  char magic[8];
  std::uint32_t format;
  CacheKind kind;
  std::uint64_t key_size;
  std::uint64_t payload_size;
  hash128 checksum;  // of the whole file with this field zero
};
static_assert(sizeof(Header) == 48);

std::string entry_path(const std::string& folder, const std::string& key) {
  return folder + "/" + to_hex(hash_text(key)) + suffix;
}

bool writable_by_others(const struct stat& info) { return (info.st_mode & 022) != 0; }

/// Why the folder must not be used, or "". A missing folder is fine (`exists` tells).
std::string folder_problem(const std::string& folder, bool* exists) {
  struct stat info;
  *exists = stat(folder.c_str(), &info) == 0;
  if (!*exists) return errno == ENOENT ? "" : fmt::format("{}: {}", folder, std::strerror(errno));
  if (!S_ISDIR(info.st_mode)) return folder + " is not a folder";
  if (info.st_uid != geteuid()) return fmt::format("{} belongs to another user (uid {})", folder, info.st_uid);
  if (writable_by_others(info)) return fmt::format("{} is writable by others (mode {:04o})", folder, info.st_mode & 07777);
  return "";
}

bool usable_folder(const std::string& folder, bool* exists) {
  std::string problem = folder_problem(folder, exists);
  if (problem.empty()) return true;
  detail::warn_once("cache folder " + folder, "the disk cache is off: " + problem + ".");
  return false;
}

hash128 checksum_of(std::vector<char>& bytes) {
  std::memset(bytes.data() + offsetof(Header, checksum), 0, sizeof(hash128));
  return hash_bytes(bytes.data(), bytes.size());
}

/// Checks an entry file's bytes. Returns what is wrong, or "" and fills the rest.
std::string parse_entry(std::vector<char>& bytes, Header* header, std::string* key) {
  if (bytes.size() < sizeof(Header)) return "cut short";
  std::memcpy(header, bytes.data(), sizeof(Header));
  if (std::memcmp(header->magic, magic, sizeof magic) != 0) return "not a numjit cache entry";
  if (header->format != cache_format) return fmt::format("format {}, expected {}", header->format, cache_format);
  std::uint64_t rest = bytes.size() - sizeof(Header);
  if (header->key_size > rest || header->payload_size != rest - header->key_size) return "cut short";
  if (checksum_of(bytes) != header->checksum) return "checksum differs";
  if (header->kind < CacheKind::kernel || header->kind > CacheKind::objects) return "unknown kind";
  key->assign(bytes.data() + sizeof(Header), header->key_size);
  return "";
}

struct Opened {
  std::vector<char> bytes;
  struct stat info;
};

/// Reads an entry file. nullopt if there is none; `problem` says why it can't be used.
std::optional<Opened> open_entry(const std::string& path, std::string* problem) {
  const detail::File file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  if (file.fd < 0) {
    if (errno != ENOENT) *problem = std::strerror(errno);
    return std::nullopt;
  }
  Opened opened;
  if (fstat(file.fd, &opened.info) != 0 || !S_ISREG(opened.info.st_mode))
    *problem = "not a regular file";
  else if (opened.info.st_uid != geteuid())
    *problem = "belongs to another user";
  else if (writable_by_others(opened.info))
    *problem = "writable by others";
  if (!problem->empty()) return std::nullopt;
  opened.bytes.resize(static_cast<std::size_t>(opened.info.st_size));
  if (!detail::read_whole(file.fd, opened.bytes)) {
    *problem = "cut short";
    return std::nullopt;
  }
  return opened;
}

void report_unwritable(const std::string& folder, int reason) {
  detail::warn_once("cache write " + folder,
                    fmt::format("the disk cache can't store kernels in {}: {}.", folder, std::strerror(reason)));
}

/// Bytes in the folder as far as this process knows; scanned once, then counted along.
struct Usage {
  std::mutex mutex;
  std::string folder;
  std::int64_t bytes = 0;
};
Usage& usage() {
  static auto& instance = *new Usage;
  return instance;
}

struct Listed {
  std::string path;
  std::int64_t bytes;
  std::time_t used;
  bool temporary;
};

/// False if the folder can't be read.
bool scan(const std::string& folder, std::vector<Listed>* files) {
  DIR* listing = opendir(folder.c_str());
  if (!listing) return errno == ENOENT;
  while (dirent* item = readdir(listing)) {
    std::string_view name = item->d_name;
    bool temporary = name.starts_with(temporary_prefix);
    if (!temporary && !name.ends_with(suffix)) continue;
    struct stat info;
    std::string path = folder + "/" + item->d_name;
    if (lstat(path.c_str(), &info) != 0 || !S_ISREG(info.st_mode)) continue;
    files->push_back({std::move(path), info.st_size, info.st_mtime, temporary});
  }
  closedir(listing);
  return true;
}

void keep_within_limit(const std::string& folder, std::int64_t added) {
  std::int64_t limit = config().cache_limit_bytes;
  if (limit == 0) return;
  Usage& known = usage();
  std::lock_guard lock(known.mutex);
  known.bytes += added;
  if (known.folder == folder && known.bytes <= limit) return;
  // Down to nine tenths, so that the next writes need no scan.
  std::vector<Listed> files;
  scan(folder, &files);
  known.folder = folder;
  known.bytes = 0;
  for (const Listed& file : files) known.bytes += file.bytes;
  if (known.bytes > limit) known.bytes -= prune_cache(folder, limit / 10 * 9).bytes;
}

/// Returns 0 or the errno of what failed.
int write_entry(const std::string& path, const std::vector<char>& bytes) {
  if (detail::fault_injected(detail::fault_point::cache_write)) return ENOSPC;
  return detail::replace_file(path, detail::temporary_beside(path), bytes, 0600);
}

}  // namespace

CacheKind kind_of_kernel(std::span<const char> payload) noexcept {
  return is_packed_objects(payload) ? CacheKind::objects : CacheKind::kernel;
}

std::string cache_folder() {
  const std::string& folder = config().cache_dir;
  return folder == "off" ? "" : folder;
}

std::optional<CacheEntry> read_cache(const std::string& folder, const std::string& key) {
  bool exists = false;
  if (!usable_folder(folder, &exists) || !exists) return std::nullopt;
  std::string path = entry_path(folder, key), problem, stored_key;
  std::optional<Opened> opened = open_entry(path, &problem);
  Header header{};
  if (opened) {
    if (detail::fault_injected(detail::fault_point::cache_read)) opened->bytes.back() ^= 1;
    problem = parse_entry(opened->bytes, &header, &stored_key);
    if (problem.empty() && stored_key != key) problem = "holds another key";
  }
  if (!problem.empty()) detail::warn(fmt::format("disk cache entry {} is damaged ({}); it is compiled anew.", path, problem));
  if (!opened || !problem.empty()) return std::nullopt;
  if (std::time(nullptr) - opened->info.st_mtime > touch_after)
    utimensat(AT_FDCWD, path.c_str(), nullptr, 0);  // the time of last use, for pruning
  auto payload = opened->bytes.begin() + static_cast<std::ptrdiff_t>(sizeof(Header) + header.key_size);
  return CacheEntry{header.kind, std::vector<char>(payload, opened->bytes.end())};
}

void write_cache(const std::string& folder, const std::string& key, CacheKind kind, const std::vector<char>& payload) noexcept {
  try {
    bool exists = false;
    if (!usable_folder(folder, &exists)) return;
    if (!exists && !detail::make_folders(folder)) return report_unwritable(folder, errno);
    if (!usable_folder(folder, &exists)) return;  // made just now, under who knows which umask and rules
    Header header{{}, cache_format, kind, key.size(), payload.size(), {}};
    std::memcpy(header.magic, magic, sizeof magic);
    std::vector<char> bytes(sizeof header);
    std::memcpy(bytes.data(), &header, sizeof header);
    bytes.insert(bytes.end(), key.begin(), key.end());
    bytes.insert(bytes.end(), payload.begin(), payload.end());
    header.checksum = checksum_of(bytes);
    std::memcpy(bytes.data(), &header, sizeof header);
    if (int failure = write_entry(entry_path(folder, key), bytes)) return report_unwritable(folder, failure);
    keep_within_limit(folder, static_cast<std::int64_t>(bytes.size()));
  } catch (const std::exception&) {
    // No memory for a copy: the kernel runs all the same and is compiled again next time.
  }
}

std::vector<CacheFile> list_cache(const std::string& folder) {
  bool exists = false;
  std::string problem = folder_problem(folder, &exists);
  if (!problem.empty()) throw OSError("cache", problem + ".");
  std::vector<Listed> files;
  if (!scan(folder, &files)) throw OSError("cache", fmt::format("{}: {}.", folder, std::strerror(errno)));
  std::sort(files.begin(), files.end(),
            [](const Listed& a, const Listed& b) { return a.used != b.used ? a.used > b.used : a.path < b.path; });
  std::vector<CacheFile> entries;
  for (const Listed& file : files) {
    if (file.temporary) continue;
    CacheFile entry{file.path, "", file.bytes, file.used, CacheKind::kernel, ""};
    Header header{};
    std::optional<Opened> opened = open_entry(file.path, &entry.problem);
    if (opened) entry.problem = parse_entry(opened->bytes, &header, &entry.key);
    if (opened && entry.problem.empty() && entry_path(folder, entry.key) != file.path) entry.problem = "holds another key";
    if (entry.problem.empty()) entry.kind = header.kind;
    entries.push_back(std::move(entry));
  }
  return entries;
}

PruneResult prune_cache(const std::string& folder, std::int64_t limit) {
  std::vector<Listed> files;
  PruneResult result;
  if (!scan(folder, &files)) return result;
  std::sort(files.begin(), files.end(), [](const Listed& a, const Listed& b) { return a.used < b.used; });
  std::int64_t left = 0;
  std::time_t now = std::time(nullptr);
  for (const Listed& file : files)
    if (!file.temporary) left += file.bytes;
  for (const Listed& file : files) {
    if (file.temporary ? now - file.used < stray_after : left <= limit) continue;
    if (unlink(file.path.c_str()) != 0) continue;
    if (!file.temporary) left -= file.bytes;
    ++result.files;
    result.bytes += file.bytes;
  }
  return result;
}

}  // namespace numjit::runtime
