// numjit cache: list, stats, verify, prune, clear.
#include <ctime>
#include <string_view>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <numjit/base/buffer_pool.h>
#include <numjit/base/config.h>
#include <numjit/base/error.h>
#include <numjit/cli/commands.h>
#include <numjit/runtime/kernels/disk_cache.h>

namespace numjit::cli {
namespace {

std::string chosen(const std::string& folder) {
  std::string configured = runtime::cache_folder();
  if (!folder.empty()) return folder;
  if (configured.empty())
    throw ValueError(
        "cache",
        "the disk cache is off: got an empty NUMJIT_CACHE_DIR or 'off'. Name a folder by --dir.");
  return configured;
}

std::string size_text(std::int64_t bytes) {
  return detail::format_bytes(static_cast<std::uint64_t>(bytes));
}

/// The rest of the key's line that begins with `word`.
std::string_view key_line(std::string_view key, std::string_view word) {
  while (!key.empty()) {
    std::string_view line = key.substr(0, key.find('\n'));
    if (line.starts_with(word)) return line.substr(word.size());
    key.remove_prefix(std::min(key.size(), line.size() + 1));
  }
  return "";
}

std::string schedule_of(const runtime::CacheFile& file) {
  std::string_view line = key_line(file.key, "schedule ");
  return std::string(line.substr(0, line.find(" size class")));
}

std::string state_of(const runtime::CacheFile& file) {
  if (!file.problem.empty()) return "damaged: " + file.problem;
  return file.kind == runtime::CacheKind::quarantine ? "quarantined" : "kernel";
}

}  // namespace

int cache_list(const std::string& folder, bool verbose) {
  for (const runtime::CacheFile& file : runtime::list_cache(chosen(folder))) {
    std::string name(key_line(file.key, "kernel "));
    if (name.empty()) name = file.path.substr(file.path.rfind('/') + 1);
    fmt::print("{:<20} {:<14} {:>10}  {:%Y-%m-%d %H:%M}  {}\n", name, schedule_of(file),
               size_text(file.bytes), fmt::localtime(file.used), state_of(file));
    if (!verbose) continue;
    for (std::string_view rest = file.key; !rest.empty();) {
      std::string_view line = rest.substr(0, rest.find('\n'));
      fmt::print("    {}\n", line);
      rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    }
  }
  return 0;
}

int cache_stats(const std::string& folder) {
  std::string path = chosen(folder);
  std::int64_t kernels = 0, quarantined = 0, damaged = 0, bytes = 0;
  for (const runtime::CacheFile& file : runtime::list_cache(path)) {
    bytes += file.bytes;
    if (!file.problem.empty())
      ++damaged;
    else if (file.kind == runtime::CacheKind::quarantine)
      ++quarantined;
    else
      ++kernels;
  }
  std::int64_t limit = config().cache_limit_bytes;
  fmt::print(
      "folder       {}\nkernels      {}\nquarantined  {}\ndamaged      {}\nsize         {} of {}\n",
      path, kernels, quarantined, damaged, size_text(bytes), limit ? size_text(limit) : "no limit");
  return 0;
}

int cache_verify(const std::string& folder) {
  std::int64_t sound = 0, damaged = 0;
  for (const runtime::CacheFile& file : runtime::list_cache(chosen(folder))) {
    if (file.problem.empty()) {
      ++sound;
      continue;
    }
    ++damaged;
    fmt::print("{}: {}\n", file.path, file.problem);
  }
  fmt::print("{} sound, {} damaged\n", sound, damaged);
  return damaged ? 1 : 0;
}

int cache_prune(const std::string& folder, const std::string& limit) {
  std::string path = chosen(folder);
  runtime::list_cache(path);  // throws if the folder must not be used
  std::int64_t keep = config().cache_limit_bytes;
  if (!limit.empty()) {
    std::optional<std::int64_t> bytes = detail::parse_bytes(limit);
    if (!bytes)
      throw ValueError(
          "cache",
          fmt::format("--to: got '{}', expected a number of bytes such as 1073741824, 512MiB "
                      "or 2GiB.",
                      limit));
    keep = *bytes;
  } else if (keep == 0) {
    keep = INT64_MAX;
  }
  runtime::PruneResult result = runtime::prune_cache(path, keep);
  fmt::print("{} removed, {} freed\n", result.files, size_text(result.bytes));
  return 0;
}

int cache_clear(const std::string& folder) {
  std::string path = chosen(folder);
  runtime::list_cache(path);
  runtime::PruneResult result = runtime::prune_cache(path, 0);
  fmt::print("{} removed, {} freed\n", result.files, size_text(result.bytes));
  return 0;
}

}  // namespace numjit::cli
