// Lines of JSON, locks, and what is left of processes that are gone.
#include <numjit/map/journal.h>

#include <cerrno>
#include <chrono>
#include <filesystem>
#include <thread>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <nlohmann/json.hpp>

#include <numjit/base/error.h>

namespace numjit::map {
namespace {

using json = nlohmann::json;
namespace fs = std::filesystem;

constexpr std::string_view stem = ".numjit_map", ending = ".jsonl";

std::string middle(const std::string& who) { return who.empty() ? "" : "." + who; }

/// The journals of a folder, by what stands in the middle of their names: "", ".2of4".
std::vector<std::string> journals_in(const std::string& folder) {
  std::vector<std::string> found;
  std::error_code failure;
  for (const auto& entry : fs::directory_iterator(folder, failure)) {
    const std::string name = entry.path().filename();
    if (name.starts_with(stem) && name.ends_with(ending))
      found.push_back(name.substr(stem.size(), name.size() - stem.size() - ending.size()));
  }
  return found;
}

/// Removes the file that says where a rank 0 listened. One that lives holds a lock on its own, and takes it again if it
/// is another file by now: so what goes is the file that was looked at, under its lock.
void remove_sign(const std::string& path) {
  const detail::File file(open(path.c_str(), O_RDWR | O_CLOEXEC));
  if (file.fd < 0 || flock(file.fd, LOCK_EX | LOCK_NB) != 0) return;
  struct stat held, named;
  if (fstat(file.fd, &held) == 0 && stat(path.c_str(), &named) == 0 && held.st_ino == named.st_ino) unlink(path.c_str());
}

/// Files on their way, and where a rank 0 listened.
void remove_temporaries(const std::string& folder, const std::string& middle_part) {
  const std::string prefix = std::string(stem) + middle_part;
  std::error_code failure;
  for (const auto& entry : fs::directory_iterator(folder, failure)) {
    const std::string name = entry.path().filename();
    if (name.starts_with(prefix + ".tmp.")) fs::remove(entry.path(), failure);
    if (name.starts_with(prefix + ".run")) remove_sign(entry.path());
  }
}

/// False if another process holds the file for longer than a look at it takes, on a busy machine too.
bool lock_file(int fd) {
  for (int i = 0; flock(fd, LOCK_EX | LOCK_NB) != 0; ++i) {
    if (errno != EWOULDBLOCK) return true;  // a file system without locks
    if (i == 250) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return true;
}

json stamp_json(const std::string& name, const FileStamp& stamp) { return json::array({name, stamp.size, stamp.modified_ns}); }

[[noreturn]] void fail(const std::string& path) { throw OSError("map", detail::system_error_text(errno, path)); }

}  // namespace

Journal::Journal(const std::string& folder, const std::string& who, const std::string& function, Open how)
    : folder_(folder), who_(who), function_(function), file_(-1) {
  const std::string path = fmt::format("{}/{}{}{}", folder, stem, middle(who), ending);
  file_.fd = open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (file_.fd < 0) fail(path);
  if (!lock_file(file_.fd))
    throw OSError("map", fmt::format("another numjit map writes into '{}' now: got its journal {} locked. Wait for it, "
                                     "or split the work with --shard.",
                                     folder, path));
  if (how == Open::resume)
    for (const std::string& other : journals_in(folder)) read(fmt::format("{}/{}{}{}", folder, stem, other, ending));
  if (how != Open::fresh) {
    // A line that was cut short stays one of its own.
    char last = '\n';
    const off_t size = lseek(file_.fd, 0, SEEK_END);
    if (size > 0 && pread(file_.fd, &last, 1, size - 1) == 1 && last != '\n' && !detail::write_whole(file_.fd, std::string("\n")))
      fail(path);
  } else if (ftruncate(file_.fd, 0) != 0) {
    fail(path);
  }
  clean();
}

Journal::~Journal() { remove_temporaries(folder_, middle(who_)); }

void Journal::clean() const {
  remove_temporaries(folder_, middle(who_));
  for (const std::string& other : journals_in(folder_)) {
    if (other == middle(who_)) continue;
    const std::string path = fmt::format("{}/{}{}{}", folder_, stem, other, ending);
    const detail::File file(open(path.c_str(), O_RDWR | O_CLOEXEC));
    if (file.fd >= 0 && flock(file.fd, LOCK_EX | LOCK_NB) == 0) remove_temporaries(folder_, other);
  }
}

void Journal::read(const std::string& path) {
  std::string text;
  if (const int code = detail::read_file(path, text)) {
    errno = code;
    fail(path);
  }
  std::string_view rest = text;
  while (!rest.empty()) {
    const std::size_t end = rest.find('\n');
    const std::string_view line = rest.substr(0, end);
    rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
    const json j = json::parse(line, nullptr, false);
    // Cut short by a kill, or of another function: not finished.
    if (!j.is_object() || j.value("function", "") != function_ || !j.contains("name")) continue;
    Entry entry;
    bool sound = j["name"].is_string();
    for (const auto& [key, list] : {std::pair("inputs", &entry.inputs), std::pair("outputs", &entry.outputs)}) {
      const json files = j.value(key, json::array());
      for (const json& f : files) {
        sound =
            sound && f.is_array() && f.size() == 3 && f[0].is_string() && f[1].is_number_integer() && f[2].is_number_integer();
        if (sound) list->push_back({f[0], {f[1], f[2]}});
      }
    }
    if (!sound || entry.outputs.empty()) continue;
    Entry& known = entries_[j["name"]];
    // Several journals may know a task; the latest output is the one that can be there.
    if (known.outputs.empty() || known.outputs[0].stamp.modified_ns <= entry.outputs[0].stamp.modified_ns)
      known = std::move(entry);
  }
}

bool Journal::is_done(const Task& task) const {
  const auto found = entries_.find(task.name);
  if (found == entries_.end() || found->second.inputs.size() != task.inputs.size()) return false;
  for (std::size_t i = 0; i < task.inputs.size(); ++i) {
    const File& known = found->second.inputs[i];
    if (known.name != file_name(task.inputs[i]) || known.stamp != stamp_of(task.inputs[i])) return false;
  }
  for (const File& output : found->second.outputs)
    if (stamp_of(folder_ + "/" + output.name) != output.stamp) return false;
  return true;
}

void Journal::note(const Task& task, const std::vector<FileStamp>& inputs,
                   const std::vector<std::pair<std::string, FileStamp>>& outputs, bool synced) {
  json line{{"function", function_}, {"name", task.name}, {"inputs", json::array()}, {"outputs", json::array()}};
  for (std::size_t i = 0; i < inputs.size(); ++i) line["inputs"].push_back(stamp_json(file_name(task.inputs[i]), inputs[i]));
  for (const auto& [name, stamp] : outputs) line["outputs"].push_back(stamp_json(name, stamp));
  const std::string text = line.dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
  std::lock_guard lock(mutex_);
  // One call, so that lines stay whole.
  if (!detail::write_whole(file_.fd, text) || (synced && fdatasync(file_.fd) != 0)) {
    const int code = errno;
    const std::string path = fmt::format("{}/{}{}{}", folder_, stem, middle(who_), ending);
    if (code == ENOSPC || code == EDQUOT) throw DiskFull("map", detail::system_error_text(code, path));
    errno = code;
    fail(path);
  }
}

std::string Journal::temporary() { return fmt::format("{}/{}{}.tmp.{}", folder_, stem, middle(who_), made_.fetch_add(1)); }

}  // namespace numjit::map
