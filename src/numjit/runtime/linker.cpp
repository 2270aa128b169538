// Runs the system's linker on an object in a temporary folder.
#include <numjit/runtime/linker.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <numjit/base/error.h>
#include <numjit/base/fault.h>
#include <numjit/base/subprocess.h>
#include <numjit/runtime/plugin.h>

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

}  // namespace

std::optional<std::string> find_linker() {
  for (const char* name : {"ld", "ld.bfd", "ld.gold", "ld.lld"})
    if (std::optional<std::string> program = detail::find_program(name)) return program;
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
  std::string errors;
  int status = 0;
  try {
    status = detail::run_program(command, &errors);
  } catch (const OSError& e) {
    throw CompileError("compile", e.what());
  }
  File linked(output, O_RDONLY);
  if (status > 0 || linked.fd < 0)
    throw CompileError("compile", fmt::format("{} failed with status {}: {}", *linker, status,
                                              errors.substr(0, errors.find('\n'))));
  return read_all(linked.fd);
}

}  // namespace numjit::runtime
