// Making and filling the debug folder.
#include <numjit/base/debug_folder.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <iterator>
#include <mutex>

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <numjit/base/config.h>
#include <numjit/base/error.h>
#include <numjit/base/log.h>

namespace numjit::detail {
namespace {

struct State {
  std::mutex mutex;
  std::string root;    // as NUMJIT_DEBUG names it; "": the default
  std::string folder;  // "" until made
  std::string files;   // kinds that are written, between commas; "": all
  pid_t pid = 0;       // that made it: a forked child makes its own
  bool failed = false;
};

State& state() {
  static auto& instance = *new State;  // files may be written while statics are being destroyed
  return instance;
}

/// "20261121-185453-4711".
std::string process_name() {
  std::time_t now = std::time(nullptr);
  std::tm time{};
  localtime_r(&now, &time);
  char text[32];
  std::strftime(text, sizeof text, "%Y%m%d-%H%M%S", &time);
  return fmt::format("{}-{}", text, getpid());
}

/// The kinds of files, by the beginning and the end of their names.
struct Kind {
  std::string_view name, begin, end;
};
constexpr Kind kinds[] = {
    {"plans", "graphs/", ".plan.txt"}, {"pictures", "graphs/", ".dot"}, {"graphs", "graphs/", ""},
    {"kernels", "kernels/", ""},       {"timings", "timings", ""},      {"log", "log", ""},
};

std::string_view kind_of(std::string_view file) {
  for (const Kind& kind : kinds)
    if (file.starts_with(kind.begin) && file.ends_with(kind.end)) return kind.name;
  return "";
}

void write_with(const char* mode, std::string_view name, std::string_view text) noexcept {
  try {
    if (!wants_debug_files(kind_of(name))) return;
    const std::string folder = debug_folder();
    if (folder.empty()) return;
    const std::string path = fmt::format("{}/{}", folder, name);
    if (path.find('/', folder.size() + 1) != std::string::npos)
      make_folders(path.substr(0, path.rfind('/')));
    std::FILE* file = std::fopen(path.c_str(), mode);
    if (!file) return;
    std::fwrite(text.data(), 1, text.size(), file);
    std::fclose(file);
  } catch (const std::exception&) {
    // What is written for people to read must not change what the program does.
  }
}

}  // namespace

void set_debug(const char* text) {
  const std::string_view value = text ? text : "";
  const bool off = value.empty() || value == "0";
  if (!off && value != "1" && value[0] != '/')
    throw ValueError("config",
                     fmt::format("NUMJIT_DEBUG: got '{}', expected 0, 1 or an absolute path.", value));
  std::lock_guard lock(state().mutex);
  state().root = off || value == "1" ? "" : value;
  state().folder.clear();
  state().failed = false;
  debug_on.store(!off, std::memory_order_relaxed);
}

void set_debug_files(const char* text) {
  std::string all;
  for (const Kind& kind : kinds) all += fmt::format("{}{}", all.empty() ? "" : ", ", kind.name);
  std::string files;
  for (std::string_view rest = text ? text : ""; !rest.empty();) {
    const std::size_t comma = std::min(rest.find(','), rest.size());
    const std::string_view name = rest.substr(0, comma);
    rest.remove_prefix(std::min(comma + 1, rest.size()));
    const bool known = std::any_of(std::begin(kinds), std::end(kinds), [&](const Kind& kind) { return kind.name == name; });
    if (!known)
      throw ValueError("config",
                       fmt::format("NUMJIT_DEBUG_FILES: got '{}', expected some of {}, with commas between.", name, all));
    files += fmt::format(",{},", name);
  }
  std::lock_guard lock(state().mutex);
  state().files = std::move(files);
}

bool wants_debug_files(std::string_view kind) {
  std::lock_guard lock(state().mutex);
  return state().files.empty() || kind.empty() || state().files.find(fmt::format(",{},", kind)) != std::string::npos;
}

std::string default_debug_root() {
  if (const std::string& cache = config().cache_dir; cache != "off") return cache + "/debug";
  if (const char* base = std::getenv("XDG_STATE_HOME"); base && base[0] == '/')
    return fmt::format("{}/numjit/debug", base);
  if (const char* home = std::getenv("HOME"); home && home[0] == '/')
    return fmt::format("{}/.local/state/numjit/debug", home);
  return fmt::format("/tmp/numjit-{}/debug", geteuid());
}

std::string debug_folder() {
  if (!debugging()) return "";
  std::unique_lock lock(state().mutex);
  State& s = state();
  if (s.failed) return "";
  if (!s.folder.empty() && s.pid == getpid()) return s.folder;
  const std::string root = s.root.empty() ? default_debug_root() : s.root;
  std::string folder = root + "/" + process_name();
  s.pid = getpid();
  if (make_folders(folder)) return s.folder = std::move(folder);
  const int reason = errno;
  s.failed = true;
  lock.unlock();
  warn(fmt::format("the debug folder {} can't be made: {}.", folder, std::strerror(reason)));
  return "";
}

void write_debug_file(std::string_view name, std::string_view text) noexcept {
  if (debugging()) write_with("we", name, text);
}

void append_debug_file(std::string_view name, std::string_view text) noexcept {
  if (debugging()) write_with("ae", name, text);
}

std::string file_name_part(std::string_view text) {
  std::string part(text.substr(0, 60));
  for (char& c : part)
    if (!(c >= 'a' && c <= 'z') && !(c >= 'A' && c <= 'Z') && !(c >= '0' && c <= '9') && c != '-')
      c = '_';
  return part;
}

bool make_folders(const std::string& folder) {
  for (std::size_t slash = folder.find('/', 1); slash != std::string::npos;
       slash = folder.find('/', slash + 1))
    mkdir(folder.substr(0, slash).c_str(), 0700);
  return mkdir(folder.c_str(), 0700) == 0 || errno == EEXIST;
}

}  // namespace numjit::detail
