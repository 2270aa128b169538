// The compiler, its output in the cache folder, and what that depends on.
#include <numjit/map/source_build.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <vector>

#include <dlfcn.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <numjit/base/error.h>
#include <numjit/base/file.h>
#include <numjit/base/hash.h>
#include <numjit/base/subprocess.h>
#include <numjit/map.h>
#include <numjit/map/array_file.h>
#include <numjit/runtime/kernels/disk_cache.h>
#include <numjit/runtime/kernels/plugin.h>

namespace numjit::map {
namespace {

namespace fs = std::filesystem;

std::string compiler_for(const std::string& path) {
  if (const char* named = std::getenv("CXX"); named && *named) {
    if (std::string_view(named).find('/') != std::string_view::npos && access(named, X_OK) == 0) return named;
    if (const auto found = detail::find_program(named)) return *found;
    throw CompileError("map", fmt::format("'{}' needs a C++ compiler: got CXX={}, which is not there. Unset it, or name "
                                          "another one.",
                                          path, named));
  }
  for (const char* name : {"g++", "c++", "clang++"})
    if (const auto found = detail::find_program(name)) return *found;
  throw CompileError("map", fmt::format("'{}' needs a C++ compiler: got none of g++, c++ and clang++ in PATH. Install one, "
                                        "set CXX, or export the function to a bundle (.npj) where there is one.",
                                        path));
}

/// Folders of numjit's headers: of an installation, or of the tree that this was built in.
std::vector<std::string> header_folders() {
  const std::string& library = runtime::library_folder();
  for (const char* up : {"/../include", "/../../include"})
    if (fs::exists(library + up + "/numjit/np.h")) return {library + up};
  std::string text;
  std::vector<std::string> folders;
  if (detail::read_file(library + "/numjit_headers.txt", text) == 0)
    for (std::size_t at = 0, end; (end = text.find('\n', at)) != std::string::npos; at = end + 1)
      folders.push_back(text.substr(at, end - at));
  if (folders.empty())
    throw OSError("map", fmt::format("numjit's headers are not there: expected include/numjit beside {}.", library));
  return folders;
}

std::string text_of(const std::string& path) {
  std::string text;
  if (const int code = detail::read_file(path, text)) throw OSError("map", detail::system_error_text(code, path));
  return text;
}

/// The files that a rule of make names behind its colon.
std::vector<std::string> dependencies(const std::string& rule) {
  std::vector<std::string> files;
  std::string file;
  for (std::size_t i = rule.find(": ") + 1; i < rule.size(); ++i) {
    const char c = rule[i];
    if (c == '\\' && i + 1 < rule.size() && rule[i + 1] == ' ') {
      file += ' ';
      ++i;
    } else if (c == ' ' || c == '\n' || c == '\\') {
      if (!file.empty()) files.push_back(std::exchange(file, ""));
    } else {
      file += c;
    }
  }
  return files;
}

/// Nothing that the object was made of has changed since.
bool is_fresh(const std::string& object, const std::string& rule) {
  const FileStamp made = stamp_of(object);
  std::string text;
  if (made.size < 0 || detail::read_file(rule, text) != 0) return false;
  for (const std::string& file : dependencies(text)) {
    const FileStamp stamp = stamp_of(file);
    if (stamp.size < 0 || stamp.modified_ns >= made.modified_ns) return false;
  }
  return true;
}

/// A folder that only this user writes, for what will be loaded: in the cache, or one that goes afterwards.
class BuildFolder {
 public:
  BuildFolder() {
    if (const std::string cache = runtime::cache_folder(); !cache.empty()) {
      path = cache + "/programs";
      std::error_code failure;
      fs::create_directories(path, failure);
      struct stat info;
      if (stat(path.c_str(), &info) == 0 && info.st_uid == geteuid() && (info.st_mode & 022) == 0 &&
          access(path.c_str(), W_OK) == 0)
        return;
    }
    path = fs::temp_directory_path() / "numjit-map-XXXXXX";
    if (!mkdtemp(path.data())) throw OSError("map", detail::system_error_text(errno, path));
    passing_ = true;
  }
  ~BuildFolder() {
    std::error_code failure;
    if (passing_) fs::remove_all(path, failure);
  }
  BuildFolder(const BuildFolder&) = delete;
  BuildFolder& operator=(const BuildFolder&) = delete;
  std::string path;

 private:
  bool passing_ = false;
};

void compile_source(const std::string& path, const std::string& source, const std::string& object, const std::string& rule) {
  const std::string &library = runtime::library_folder(), beside = detail::temporary_beside(object);
  std::vector<std::string> command{compiler_for(path), "-std=c++20", "-O2", "-fPIC", "-shared", "-ffp-contract=off"};
  for (const std::string& folder : header_folders()) {
    command.push_back("-isystem");
    command.push_back(folder);
  }
  for (const std::string& word : {std::string("-MMD"), std::string("-MF"), beside + ".d", source, std::string("-o"), beside,
                                  "-L" + library, std::string("-lnumjit"), "-Wl,-rpath," + library})
    command.push_back(word);
  std::string said;
  if (detail::run_program(command, &said) != 0) {
    unlink(beside.c_str());
    unlink((beside + ".d").c_str());
    throw CompileError("map", fmt::format("'{}' does not compile:\n{}", path, said.substr(0, 4000)));
  }
  // The rule first: an object without one counts as stale.
  if (std::rename((beside + ".d").c_str(), rule.c_str()) != 0 || std::rename(beside.c_str(), object.c_str()) != 0)
    throw OSError("map", detail::system_error_text(errno, object));
}

}  // namespace

BuiltSource build_source(const std::string& path) {
  const std::string source = fs::absolute(path).lexically_normal();
  text_of(source);
  const FileStamp library = stamp_of(runtime::library_folder() + "/libnumjit.so");
  const char* named = std::getenv("CXX");
  const BuildFolder folder;
  const std::string stem = fmt::format(
      "{}/{}", folder.path,
      to_hex(hash_text(fmt::format("{}\n{}\n{}\n{}", source, library.size, library.modified_ns, named ? named : ""))));
  const std::string object = stem + ".so", rule = stem + ".d";
  if (!is_fresh(object, rule)) compile_source(path, source, object, rule);
  BuiltSource built;
  std::string contents;
  for (const std::string& file : dependencies(text_of(rule))) contents += text_of(file);
  built.identity = to_hex(hash_text(contents));
  void* library_handle = dlopen(object.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library_handle) throw OSError("map", fmt::format("'{}' can't be loaded: {}.", path, dlerror()));
  using Entry = map_function* (*)();
  const auto entry = reinterpret_cast<Entry>(dlsym(library_handle, "numjit_map_function"));
  if (!entry)
    throw ValueError("map", fmt::format("'{}' names no function: expected #include <numjit/map.h>, and a line "
                                        "NUMJIT_MAP(function) outside of namespaces.",
                                        path));
  built.function = entry();
  return built;
}

}  // namespace numjit::map
