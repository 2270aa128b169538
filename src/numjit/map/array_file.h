// Arrays in files: inputs read straight into arrays, outputs written beside their place and renamed.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <numjit/base/file.h>
#include <numjit/np.h>

namespace numjit::map {

/// What tells whether a file has changed, without reading it.
struct FileStamp {
  std::int64_t size = -1, modified_ns = 0;
  friend bool operator==(const FileStamp&, const FileStamp&) = default;
};
/// {-1, 0} for a file that is not there.
FileStamp stamp_of(const std::string& path);

/// The array of a .npy file. Errors are those of np::load.
array read_npy(const std::string& path);
/// `count` arrays of a .npz file: those named ("a,b"), or all in the order of the file (arr_0, arr_1, ... by number).
std::vector<array> read_npz(const std::string& path, const std::string& members, std::size_t count);

/// What a .npy file holds, by its header. A big-endian one can't be read in parts.
struct NpyShape {
  numjit::dtype dtype;
  dims shape;
  bool fortran_order = false, big_endian = false;
};
NpyShape npy_shape(const std::string& path);

/// Pages of a file, for what lies in many small pieces.
class MappedFile {
 public:
  MappedFile(int fd, std::int64_t size, bool writes);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  /// Null if it can't be mapped.
  char* data() const { return data_; }

 private:
  char* data_ = nullptr;
  std::size_t size_;
};

/// A .npy file of which ranges along an axis are read.
class NpyParts {
 public:
  explicit NpyParts(const std::string& path);
  const NpyShape& about() const { return about_; }
  /// Elements from `first` on, `count` of them along `axis`; all others whole.
  array read(int axis, std::int64_t first, std::int64_t count) const;
  /// Asks the system to read them ahead, where they lie in one piece.
  void read_ahead(int axis, std::int64_t first, std::int64_t count) const;

 private:
  struct Run {
    std::int64_t begin, bytes, step, number;
  };
  Run run_of(int axis, std::int64_t first, std::int64_t count) const;
  std::string path_;
  NpyShape about_;
  std::int64_t begin_ = 0, size_ = 0;
  std::unique_ptr<detail::File> file_;
  mutable std::unique_ptr<MappedFile> mapped_;
};

/// A file on its way to its place. OSError that names the place, not the temporary file. Removed unless renamed.
class OutputFile {
 public:
  OutputFile(std::string path, std::string temporary);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  void write_npy(const array& a);
  void write_npz(const named_arrays& arrays);
  /// A .npy file that is filled in parts.
  void begin_parts(numjit::dtype type, const dims& shape);
  void write_part(const array& part, int axis, std::int64_t first);
  /// Closes it, on the disk if `synced`; it keeps this stamp when it is renamed.
  FileStamp finish(bool synced);
  void rename();
  const std::string& path() const { return path_; }
  std::int64_t bytes() const { return bytes_; }

 private:
  [[noreturn]] void fail(int code) const;
  void open_file();
  void write(const void* head, std::size_t head_size, const void* body, std::size_t size);

  std::string path_, temporary_;
  std::unique_ptr<detail::File> file_;
  std::unique_ptr<MappedFile> mapped_;
  bool has_room_ = false;  // all its blocks are there
  dims shape_;
  std::int64_t begin_ = 0, bytes_ = 0;
  std::size_t itemsize_ = 0;
  bool renamed_ = false;
};

/// The system has no room for more: going on with other files makes no sense.
class DiskFull : public OSError {
 public:
  using OSError::OSError;
};

}  // namespace numjit::map
