// Reading and writing of arrays with one copy each.
#include <numjit/map/array_file.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <numjit/array/node.h>
#include <numjit/base/error.h>
#include <numjit/base/fault.h>
#include <numjit/npy.h>

namespace numjit::map {
namespace {

constexpr std::size_t head_bytes = 1 << 14;    // a header is not longer
constexpr std::int64_t small_piece = 1 << 16;  // a call of the system for each would cost more than the copy

[[noreturn]] void fail_load(const std::string& path, int code) { throw OSError("load", detail::system_error_text(code, path)); }

std::int64_t nanoseconds(const timespec& t) { return t.tv_sec * std::int64_t{1000000000} + t.tv_nsec; }

FileStamp stamp_of(const struct stat& info) { return {info.st_size, nanoseconds(info.st_mtim)}; }

array new_array(dtype_id type, const dims& shape) { return array::adopt(detail::new_node(type, shape.size(), shape.data())); }

/// Reads all of it at an offset. 0, an errno, or -1 if the file ends before.
int read_at(int fd, char* to, std::int64_t bytes, std::int64_t offset) {
  while (bytes > 0) {
    const ssize_t n = pread(fd, to, static_cast<std::size_t>(bytes), offset);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return n < 0 ? errno : -1;
    to += n;
    offset += n;
    bytes -= n;
  }
  return 0;
}

dims reversed(dims shape) {
  std::reverse(shape.begin(), shape.end());
  return shape;
}

std::int64_t product(const dims& shape, int from, int to) {
  std::int64_t p = 1;
  for (int i = from; i < to; ++i) p *= shape[i];
  return p;
}

struct Opened {
  std::unique_ptr<detail::File> file;
  std::string head;
  struct stat info;
};

/// Reading a pipe, or opening one that nobody writes, would wait for ever.
void expect_regular(const struct stat& info, const std::string& path) {
  if (S_ISDIR(info.st_mode)) fail_load(path, EISDIR);
  if (!S_ISREG(info.st_mode)) throw ValueError("load", fmt::format("no file on a disk: got '{}', a pipe or a device.", path));
}

Opened open_npy(const std::string& path) {
  Opened o{std::make_unique<detail::File>(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)), {}, {}};
  if (o.file->fd < 0 || fstat(o.file->fd, &o.info) != 0) fail_load(path, errno);
  expect_regular(o.info, path);
  o.head.resize(std::min(head_bytes, static_cast<std::size_t>(o.info.st_size)));
  if (int code = read_at(o.file->fd, o.head.data(), static_cast<std::int64_t>(o.head.size()), 0))
    fail_load(path, code < 0 ? EIO : code);
  return o;
}

}  // namespace

FileStamp stamp_of(const std::string& path) {
  struct stat info;
  return stat(path.c_str(), &info) == 0 ? stamp_of(info) : FileStamp{};
}

array read_npy(const std::string& path) {
  const Opened o = open_npy(path);
  const detail::npy_layout l = detail::npy_layout_of(o.head.data(), o.head.size(), path);
  // What is rare, or wrong, goes the long way, which has the words for it.
  if (l.big_endian || static_cast<std::size_t>(o.info.st_size) < l.begin + l.bytes) return load(path);
  const array a = new_array(l.type.id(), l.fortran_order ? reversed(l.shape) : l.shape);
  char* to = a.get()->data;
  const std::size_t known = std::min(l.bytes, o.head.size() - l.begin);
  std::memcpy(to, o.head.data() + l.begin, known);
  posix_fadvise(o.file->fd, 0, 0, POSIX_FADV_SEQUENTIAL);
  if (int code =
          read_at(o.file->fd, to + known, static_cast<std::int64_t>(l.bytes - known), static_cast<std::int64_t>(l.begin + known)))
    fail_load(path, code < 0 ? EIO : code);
  return l.fortran_order && l.shape.size() > 1 ? transpose(a) : a;
}

std::vector<array> read_npz(const std::string& path, const std::string& members, std::size_t count) {
  if (struct stat info; stat(path.c_str(), &info) == 0) expect_regular(info, path);
  const npz_file file(path);
  std::vector<std::string> names;
  for (std::size_t at = 0; at < members.size();) {
    const std::size_t end = std::min(members.find(',', at), members.size());
    names.push_back(members.substr(at, end - at));
    at = end + 1;
  }
  if (names.empty()) {
    bool numbered = true;
    for (std::size_t i = 0; i < count; ++i) numbered = numbered && file.contains(fmt::format("arr_{}", i));
    names = file.files();
    if (numbered && names.size() == count)
      for (std::size_t i = 0; i < count; ++i) names[i] = fmt::format("arr_{}", i);
    if (names.size() != count)
      throw ValueError("map", fmt::format("number of arrays in '{}': got {}, expected {}. Name those to take with "
                                          "--members a,b.",
                                          path, names.size(), count));
  }
  if (names.size() != count)
    throw ValueError("map", fmt::format("--members: got {} names, expected {}, one for each array that the function "
                                        "takes.",
                                        names.size(), count));
  std::vector<array> arrays;
  for (const std::string& name : names) arrays.push_back(file[name]);
  return arrays;
}

NpyShape npy_shape(const std::string& path) { return NpyParts(path).about(); }

MappedFile::MappedFile(int fd, std::int64_t size, bool writes) : size_(static_cast<std::size_t>(size)) {
  void* at = mmap(nullptr, size_, writes ? PROT_READ | PROT_WRITE : PROT_READ, MAP_SHARED, fd, 0);
  if (at != MAP_FAILED) data_ = static_cast<char*>(at);
}

MappedFile::~MappedFile() {
  if (data_) munmap(data_, size_);
}

// ---- parts of files -----------------------------------------------------------------------------

NpyParts::NpyParts(const std::string& path) : path_(path) {
  Opened o = open_npy(path);
  const detail::npy_layout l = detail::npy_layout_of(o.head.data(), o.head.size(), path);
  if (static_cast<std::size_t>(o.info.st_size) < l.begin + l.bytes)
    throw ValueError("load", fmt::format("the file is truncated: got {} bytes of data, expected {} in {}.",
                                         static_cast<std::size_t>(o.info.st_size) - l.begin, l.bytes, path));
  about_ = {l.type, l.shape, l.fortran_order, l.big_endian};
  begin_ = static_cast<std::int64_t>(l.begin);
  size_ = o.info.st_size;
  file_ = std::move(o.file);
}

/// Pieces of the file that hold the range: the first one, its bytes, how far to the next, and how many.
NpyParts::Run NpyParts::run_of(int axis, std::int64_t first, std::int64_t count) const {
  const dims stored = about_.fortran_order ? reversed(about_.shape) : about_.shape;
  const int at = about_.fortran_order ? stored.size() - 1 - axis : axis;
  const std::int64_t inner = product(stored, at + 1, stored.size()) * static_cast<std::int64_t>(about_.dtype.itemsize());
  return {begin_ + first * inner, count * inner, stored[at] * inner, product(stored, 0, at)};
}

array NpyParts::read(int axis, std::int64_t first, std::int64_t count) const {
  dims shape = about_.shape;
  shape[axis] = count;
  const array a = new_array(about_.dtype.id(), about_.fortran_order ? reversed(shape) : shape);
  const Run run = run_of(axis, first, count);
  char* to = a.get()->data;
  const bool pieces = run.number > 1 && run.bytes < small_piece;
  if (pieces && !mapped_) mapped_ = std::make_unique<MappedFile>(file_->fd, size_, false);
  const char* from = pieces ? mapped_->data() : nullptr;
  for (std::int64_t i = 0; i < run.number; ++i, to += run.bytes)
    if (from)
      std::memcpy(to, from + run.begin + i * run.step, static_cast<std::size_t>(run.bytes));
    else if (int code = read_at(file_->fd, to, run.bytes, run.begin + i * run.step))
      fail_load(path_, code < 0 ? EIO : code);
  return about_.fortran_order && shape.size() > 1 ? transpose(a) : a;
}

void NpyParts::read_ahead(int axis, std::int64_t first, std::int64_t count) const {
  const Run run = run_of(axis, first, count);
  if (run.number == 1) posix_fadvise(file_->fd, run.begin, run.bytes, POSIX_FADV_WILLNEED);
}

// ---- outputs ------------------------------------------------------------------------------------

OutputFile::OutputFile(std::string path, std::string temporary) : path_(std::move(path)), temporary_(std::move(temporary)) {}

OutputFile::~OutputFile() {
  if (!renamed_) unlink(temporary_.c_str());
}

void OutputFile::fail(int code) const {
  if (code == ENOSPC || code == EDQUOT) throw DiskFull("map", detail::system_error_text(code, path_));
  throw OSError("map", detail::system_error_text(code, path_));
}

void OutputFile::open_file() {
  file_ = std::make_unique<detail::File>(open(temporary_.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
  if (file_->fd < 0) fail(errno);
}

void OutputFile::write(const void* head, std::size_t head_size, const void* body, std::size_t size) {
  if (detail::fault_injected(detail::fault_point::disk_full)) fail(ENOSPC);
  iovec parts[2] = {{const_cast<void*>(head), head_size}, {const_cast<void*>(body), size}};
  iovec* next = parts;
  for (int left = 2; left > 0;) {
    const ssize_t n = writev(file_->fd, next, left);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) fail(errno);
    bytes_ += n;
    for (auto done = static_cast<std::size_t>(n); left > 0; ++next, --left) {
      if (done < next->iov_len) {
        next->iov_base = static_cast<char*>(next->iov_base) + done;
        next->iov_len -= done;
        break;
      }
      done -= next->iov_len;
    }
  }
}

void OutputFile::write_npy(const array& a) {
  open_file();
  const bool fortran = a.is_f_contiguous() && !a.is_c_contiguous();
  const array stored = fortran ? transpose(a) : a.is_c_contiguous() ? a : a.copy();
  const std::string head = detail::npy_header(a.dtype(), fortran, a.shape());
  write(head.data(), head.size(), stored.get()->data, static_cast<std::size_t>(stored.nbytes()));
}

void OutputFile::write_npz(const named_arrays& arrays) {
  // libzip writes beside the name it is given; the .npz ending keeps that name.
  const std::string beside = temporary_ + ".npz";
  if (detail::fault_injected(detail::fault_point::disk_full)) fail(ENOSPC);
  try {
    savez(beside, arrays);
  } catch (const OSError& e) {
    std::remove(beside.c_str());
    const int code = errno;
    if (code == ENOSPC || code == EDQUOT) fail(code);
    throw OSError("map", fmt::format("'{}' cannot be written: {}", path_, e.what()));
  }
  if (std::rename(beside.c_str(), temporary_.c_str()) != 0) fail(errno);
  file_ = std::make_unique<detail::File>(open(temporary_.c_str(), O_RDWR | O_CLOEXEC));
  if (file_->fd < 0) fail(errno);
  bytes_ = stamp_of(temporary_).size;
}

void OutputFile::begin_parts(numjit::dtype type, const dims& shape) {
  open_file();
  shape_ = shape;
  itemsize_ = type.itemsize();
  const std::string head = detail::npy_header(type, false, shape);
  begin_ = static_cast<std::int64_t>(head.size());
  write(head.data(), head.size(), nullptr, 0);
  const std::int64_t all = product(shape, 0, shape.size()) * static_cast<std::int64_t>(itemsize_);
  // Room is taken now where the file system can: a full disk is noticed before hours of work.
  has_room_ = all > 0 && fallocate(file_->fd, 0, 0, begin_ + all) == 0;
  if (all > 0 && !has_room_ && (errno == ENOSPC || errno == EFBIG)) fail(errno);
}

void OutputFile::write_part(const array& part, int axis, std::int64_t first) {
  if (detail::fault_injected(detail::fault_point::disk_full)) fail(ENOSPC);
  const array stored = part.is_c_contiguous() ? part : part.copy();
  const std::int64_t inner = product(shape_, axis + 1, shape_.size()) * static_cast<std::int64_t>(itemsize_);
  const std::int64_t run = stored.shape(axis) * inner, pieces = product(shape_, 0, axis);
  const char* from = stored.get()->data;
  // Without room on the disk a store into a page could fail in a way that ends the process.
  if (pieces > 1 && run < small_piece && has_room_ && !mapped_)
    mapped_ = std::make_unique<MappedFile>(file_->fd, begin_ + pieces * shape_[axis] * inner, true);
  for (std::int64_t i = 0; i < pieces; ++i) {
    std::int64_t at = begin_ + (i * shape_[axis] + first) * inner;
    if (mapped_ && mapped_->data()) {
      std::memcpy(mapped_->data() + at, from, static_cast<std::size_t>(run));
      from += run;
      bytes_ += run;
      continue;
    }
    for (std::int64_t left = run; left > 0;) {
      const ssize_t n = pwrite(file_->fd, from, static_cast<std::size_t>(left), at);
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) fail(errno);
      from += n;
      at += n;
      left -= n;
      bytes_ += n;
    }
  }
}

FileStamp OutputFile::finish(bool synced) {
  // Stores into pages set the time of change late, so that it is set here.
  if (mapped_ && futimens(file_->fd, nullptr) != 0) fail(errno);
  mapped_.reset();
  if (synced && fsync(file_->fd) != 0) fail(errno);
  struct stat info;
  if (fstat(file_->fd, &info) != 0) fail(errno);
  // Errors that a network file system keeps to itself come out when the file is closed.
  const int descriptor = std::exchange(file_->fd, -1);
  if (close(descriptor) != 0 && errno != EINTR) fail(errno);
  return stamp_of(info);
}

void OutputFile::rename() {
  if (std::rename(temporary_.c_str(), path_.c_str()) != 0) fail(errno);
  renamed_ = true;
}

}  // namespace numjit::map
