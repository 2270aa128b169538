// Small files: reading and writing them whole, and replacing one so that no reader sees half of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace numjit::detail {

/// A file descriptor that is closed at the end of the scope.
class File {
 public:
  explicit File(int descriptor) : fd(descriptor) {}
  ~File() { reset(); }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  void reset();
  int fd;  // negative: none
};

/// Fills `bytes`. False if the file ends before, or can't be read (errno).
bool read_whole(int fd, std::span<char> bytes);
/// All there is, also of pipes.
std::vector<char> read_to_end(int fd);
/// Appends the bytes of a file from `offset` on, at most `most` of them. Returns 0, or the errno of what failed.
int read_file(const std::string& path, std::string& bytes, std::int64_t offset = 0,
              std::size_t most = std::string::npos);
/// What Python's OSErrors say: "[Errno 2] No such file or directory: 'x.npy'".
std::string system_error_text(int code, const std::string& path);
/// False with errno set if not all could be written.
bool write_whole(int fd, std::span<const char> bytes);

/// Writes `temporary`, syncs it and renames it to `path`, both on one file system. Returns 0, or the
/// errno of what failed; then `path` is as before and `temporary` is gone.
int replace_file(const std::string& path, const std::string& temporary, std::span<const char> bytes,
                 unsigned mode);

/// A name beside `path` that no other process or thread uses: ".tmp.<process>.<number>" in its folder.
std::string temporary_beside(const std::string& path);

}  // namespace numjit::detail
