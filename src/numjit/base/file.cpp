// Reading, writing and replacing files.
#include <numjit/base/file.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <unistd.h>

#include <fmt/format.h>

#include <numjit/base/check_interrupt.h>

namespace numjit::detail {

void File::reset() {
  if (fd >= 0) close(fd);
  fd = -1;
}

bool read_whole(int fd, std::span<char> bytes) {
  while (!bytes.empty()) {
    const ssize_t n = read(fd, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    bytes = bytes.subspan(static_cast<std::size_t>(n));
  }
  return true;
}

std::vector<char> read_to_end(int fd) {
  std::vector<char> bytes;
  char part[16384];
  for (;;) {
    const ssize_t n = read(fd, part, sizeof part);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return bytes;
    bytes.insert(bytes.end(), part, part + n);
  }
}

int read_file(const std::string& path, std::string& bytes, std::int64_t offset, std::size_t most) {
  const File file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.fd < 0 || (offset != 0 && lseek(file.fd, offset, SEEK_SET) < 0)) return errno;
  char part[1 << 16];
  for (int parts = 1; most > 0; ++parts) {
    if (parts % 256 == 0) check_interrupt();
    const ssize_t n = read(file.fd, part, std::min(sizeof part, most));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return errno;
    if (n == 0) break;
    bytes.append(part, static_cast<std::size_t>(n));
    most -= static_cast<std::size_t>(n);
  }
  return 0;
}

std::string system_error_text(int code, const std::string& path) {
  return fmt::format("[Errno {}] {}: '{}'", code, std::strerror(code), path);
}

bool write_whole(int fd, std::span<const char> bytes) {
  while (!bytes.empty()) {
    const ssize_t n = write(fd, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    bytes = bytes.subspan(static_cast<std::size_t>(n));
  }
  return true;
}

int replace_file(const std::string& path, const std::string& temporary, std::span<const char> bytes,
                 unsigned mode) {
  int failure = 0;
  {
    const File file(open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode));
    if (file.fd < 0) return errno;
    constexpr std::size_t some = 1 << 24;
    try {
      for (; failure == 0 && !bytes.empty(); bytes = bytes.subspan(std::min(some, bytes.size()))) {
        if (!write_whole(file.fd, bytes.first(std::min(some, bytes.size())))) failure = errno;
        if (bytes.size() > some) check_interrupt();
      }
    } catch (...) {  // given up
      unlink(temporary.c_str());
      throw;
    }
    if (failure == 0 && fsync(file.fd) != 0) failure = errno;
  }
  if (failure == 0 && rename(temporary.c_str(), path.c_str()) != 0) failure = errno;
  if (failure != 0) unlink(temporary.c_str());
  return failure;
}

std::string temporary_beside(const std::string& path) {
  static std::atomic<unsigned> made{0};
  const std::size_t slash = path.rfind('/');
  const std::string folder = slash == std::string::npos ? "" : path.substr(0, slash + 1);
  return fmt::format("{}.tmp.{}.{}", folder, getpid(), made.fetch_add(1));
}

}  // namespace numjit::detail
