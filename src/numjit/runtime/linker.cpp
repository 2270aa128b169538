// Runs the system's linker on an object in a temporary folder.
#include <numjit/runtime/linker.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <numjit/base/error.h>
#include <numjit/base/fault.h>
#include <numjit/runtime/plugin.h>

extern char** environ;

namespace numjit::runtime {
namespace {

/// A folder that is removed with the files named here.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    const char* base = std::getenv("TMPDIR");
    path = fmt::format("{}/numjit-XXXXXX", base && *base ? base : "/tmp");
    if (!mkdtemp(path.data()))
      throw CompileError("compile",
                         fmt::format("no temporary folder {}: {}", path, std::strerror(errno)));
  }
  ~TemporaryFolder() {
    for (const char* file : {"/kernel.o", "/kernel.so"}) unlink((path + file).c_str());
    rmdir(path.c_str());
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  std::string path;
};

class File {
 public:
  File(const std::string& path, int flags) : fd(open(path.c_str(), flags | O_CLOEXEC, 0600)) {}
  explicit File(int descriptor) : fd(descriptor) {}
  ~File() { reset(); }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  void reset() {
    if (fd >= 0) close(fd);
    fd = -1;
  }
  int fd;
};

void write_file(const std::string& path, const std::vector<char>& bytes) {
  File file(path, O_WRONLY | O_CREAT | O_EXCL);
  std::size_t done = 0;
  while (file.fd >= 0 && done < bytes.size()) {
    ssize_t n = write(file.fd, bytes.data() + done, bytes.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    done += static_cast<std::size_t>(n);
  }
  if (done < bytes.size())
    throw CompileError("compile", fmt::format("can't write {}: {}", path, std::strerror(errno)));
}

std::vector<char> read_all(int fd) {
  std::vector<char> bytes;
  char part[16384];
  for (;;) {
    ssize_t n = read(fd, part, sizeof part);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return bytes;
    bytes.insert(bytes.end(), part, part + n);
  }
}

std::string first_line(const std::vector<char>& text) {
  std::string_view view(text.data(), text.size());
  return std::string(view.substr(0, view.find('\n')));
}

/// Runs a program with stderr captured. Returns its exit status, -1 if that is unknown.
int run(const std::vector<std::string>& command, std::vector<char>* errors) {
  std::vector<char*> arguments;
  for (const std::string& argument : command)
    arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0)
    throw CompileError("compile", fmt::format("no pipe for the linker: {}", std::strerror(errno)));
  File reading(ends[0]), writing(ends[1]);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, writing.fd, 2);
  posix_spawn_file_actions_adddup2(&actions, writing.fd, 1);
  pid_t child = 0;
  int failure = posix_spawn(&child, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failure != 0)
    throw CompileError("compile",
                       fmt::format("can't start {}: {}", command[0], std::strerror(failure)));
  writing.reset();
  *errors = read_all(reading.fd);
  int status = 0;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR) return -1;  // the program ignores SIGCHLD: nobody learns the status
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace

std::optional<std::string> find_linker() {
  const char* path = std::getenv("PATH");
  for (const char* name : {"ld", "ld.bfd", "ld.gold", "ld.lld"}) {
    std::string_view folders = path ? path : "/usr/bin:/bin";
    while (!folders.empty()) {
      std::size_t colon = folders.find(':');
      std::string_view folder = folders.substr(0, colon);
      folders = colon == std::string_view::npos ? std::string_view() : folders.substr(colon + 1);
      if (folder.empty() || folder[0] != '/') continue;  // never what lies in the current folder
      std::string program = fmt::format("{}/{}", folder, name);
      struct stat info;
      if (stat(program.c_str(), &info) == 0 && S_ISREG(info.st_mode) &&
          access(program.c_str(), X_OK) == 0)
        return program;
    }
  }
  return std::nullopt;
}

std::vector<char> link_kernel(const std::vector<char>& object, const std::string& name) {
  if (detail::fault_injected(detail::fault_point::link))
    throw CompileError("compile", "fault injected into link");
  std::optional<std::string> linker = find_linker();
  if (!linker) throw CompileError("compile", "no linker found");
  TemporaryFolder folder;
  std::string input = folder.path + "/kernel.o", output = folder.path + "/kernel.so";
  write_file(input, object);
  // Small and quick: no build id, no relro, no symbol table; -O0 skips the linker's string sorting.
  std::vector<std::string> command = {*linker,
                                      "-shared",
                                      "-O0",
                                      "-s",
                                      "-Bsymbolic",
                                      "-z",
                                      "norelro",
                                      "-z",
                                      "noexecstack",
                                      "--build-id=none",
                                      "--hash-style=gnu",
                                      "-soname",
                                      name,
                                      "-o",
                                      output,
                                      input};
  std::string runtime = library_folder() + "/numjit_kernel_rt.o";
  if (access(runtime.c_str(), R_OK) == 0) command.push_back(runtime);
  std::vector<char> errors;
  int status = run(command, &errors);
  File linked(output, O_RDONLY);
  if (status > 0 || linked.fd < 0)
    throw CompileError("compile", fmt::format("{} failed with status {}: {}", *linker, status,
                                              first_line(errors)));
  return read_all(linked.fd);
}

}  // namespace numjit::runtime
