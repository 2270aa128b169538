// A folder for the files between the code generator and a linker.
#pragma once

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <span>
#include <string>
#include <system_error>

#include <fcntl.h>

#include <numjit/base/error.h>
#include <numjit/base/file.h>

namespace numjit::runtime {

/// Removed at the end of the scope, with all that is in it. CompileError if it can't be made or written to.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    const char* base = std::getenv("TMPDIR");
    path = std::string(base && *base ? base : "/tmp") + "/numjit-XXXXXX";
    if (!mkdtemp(path.data())) throw CompileError("compile", "no temporary folder " + path + ": " + std::strerror(errno));
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  /// Writes a file of this name; its path.
  std::string write(const std::string& name, std::span<const char> bytes) const {
    const std::string file_path = path + "/" + name;
    const numjit::detail::File file(open(file_path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
    if (file.fd < 0 || !numjit::detail::write_whole(file.fd, bytes))
      throw CompileError("compile", "can't write " + file_path + ": " + std::strerror(errno));
    return file_path;
  }

  std::string path;
};

}  // namespace numjit::runtime
