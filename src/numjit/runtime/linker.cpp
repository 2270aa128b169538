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
#include <numjit/base/file.h>
#include <numjit/base/subprocess.h>
#include <numjit/runtime/plugin.h>

namespace numjit::runtime {
namespace {

using numjit::detail::File;

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

void write_file(const std::string& path, const std::vector<char>& bytes) {
  const File file(open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (file.fd < 0 || !numjit::detail::write_whole(file.fd, bytes))
    throw CompileError("compile", fmt::format("can't write {}: {}", path, std::strerror(errno)));
}

}  // namespace

std::optional<std::string> find_linker() {
  for (const char* name : {"ld", "ld.bfd", "ld.gold", "ld.lld"})
    if (std::optional<std::string> program = detail::find_program(name)) return program;
  return std::nullopt;
}

std::vector<char> link_kernel(const std::vector<char>& object, const std::string& name, bool for_device) {
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
  if (for_device) command.push_back(library_folder() + "/numjit_kernel_device_rt.o");
  std::string errors;
  int status = 0;
  try {
    status = detail::run_program(command, &errors);
  } catch (const OSError& e) {
    throw CompileError("compile", e.what());
  }
  const File linked(open(output.c_str(), O_RDONLY | O_CLOEXEC));
  if (status > 0 || linked.fd < 0)
    throw CompileError("compile", fmt::format("{} failed with status {}: {}", *linker, status,
                                              errors.substr(0, errors.find('\n'))));
  return numjit::detail::read_to_end(linked.fd);
}

}  // namespace numjit::runtime
