// Files as memory: arrays over mapped pages, which the last array on them gives back.
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <numjit/array/shown.h>
#include <numjit/base/file.h>
#include <numjit/mapped_file.h>
#include <numjit/npy.h>

#include <surface.h>

namespace numjit {

namespace {

[[noreturn]] void fail(const char* op, const std::string& path, int code) {
  throw OSError(op, detail::system_error_text(code, path));
}

/// Pages of a file. Owned by the array's node.
struct mapping {
  void* address;
  std::size_t bytes;
  mapped_file file;
};
void unmap(void* context) {
  auto* m = static_cast<mapping*>(context);
  if (m->bytes) munmap(m->address, m->bytes);
  delete m;
}
/// The mapping that an array's memory belongs to, or null.
mapping* mapping_of(const array& a) {
  if (a.get()->is(node::lazy)) return nullptr;
  node* owner = detail::storage_owner(a.get());
  return owner->deleter == unmap ? static_cast<mapping*>(owner->deleter_context) : nullptr;
}

struct mode_flags {
  int open, protection, map;
};
mode_flags flags_of(const char* op, const char* mode) {
  if (std::strcmp(mode, "r") == 0) return {O_RDONLY, PROT_READ, MAP_SHARED};
  if (std::strcmp(mode, "r+") == 0) return {O_RDWR, PROT_READ | PROT_WRITE, MAP_SHARED};
  if (std::strcmp(mode, "w+") == 0) return {O_RDWR | O_CREAT | O_TRUNC, PROT_READ | PROT_WRITE, MAP_SHARED};
  if (std::strcmp(mode, "c") == 0) return {O_RDONLY, PROT_READ | PROT_WRITE, MAP_PRIVATE};
  throw ValueError(op, "mode must be one of 'r+', 'r', 'w+', 'c' (got '" + std::string(mode) + "')");
}

std::int64_t size_of_file(const char* op, int fd, const std::string& path) {
  struct stat about;
  if (fstat(fd, &about) != 0) fail(op, path, errno);
  return static_cast<std::int64_t>(about.st_size);
}

array map_file(const char* op, const std::string& path, const detail::File& file, const mode_flags& flags, dtype_id type,
               const dims& shape, std::int64_t offset, const char* mode) {
  const std::int64_t bytes = element_count(shape) * static_cast<std::int64_t>(dtype(type).itemsize());
  const std::int64_t page = sysconf(_SC_PAGESIZE), start = offset - offset % page;
  const std::size_t length = bytes == 0 ? 0 : static_cast<std::size_t>(bytes + offset - start);
  alignas(64) static char nothing[64];  // where there are no elements, there are no pages to map
  void* address = length ? mmap(nullptr, length, flags.protection, flags.map, file.fd, start) : nothing;
  if (address == MAP_FAILED) fail(op, path, errno);
  node* n = detail::allocate_node();
  n->data = static_cast<char*>(address) + (length ? offset - start : 0);
  n->deleter = unmap;
  n->deleter_context =
      new mapping{address, length, {std::filesystem::absolute(path).lexically_normal().string(), offset, mode, false}};
  const dims strides = contiguous_strides(shape, static_cast<std::int64_t>(dtype(type).itemsize()));
  detail::set_layout(n, type, shape.size(), shape.data(), strides.data());
  if (!(flags.protection & PROT_WRITE)) n->flags |= node::readonly;
  // Who else has the file sees stores to it, and may store to what is only read here.
  if (flags.map == MAP_SHARED) detail::show_for_good(n, "the file under it");
  return array::adopt(n);
}

}  // namespace

array memmap(const std::string& path, const memmap_options& o) {
  const mode_flags flags = flags_of("memmap", o.mode);
  const bool anew = flags.open & O_TRUNC;
  if (anew && !o.shape) throw ValueError("memmap", "shape must be given if mode == 'w+'");
  if (o.offset < 0) throw ValueError("memmap", "negative offset: got " + std::to_string(o.offset) + ", expected at least 0.");
  const detail::File file(open(path.c_str(), flags.open | O_CLOEXEC, 0666));
  if (file.fd < 0) fail("memmap", path, errno);
  const auto item = static_cast<std::int64_t>(o.dtype.itemsize());
  const std::int64_t size = size_of_file("memmap", file.fd, path);
  dims shape;
  if (o.shape) {
    shape = *o.shape;
    detail::check_extents("memmap", shape);
  } else {
    if (size < o.offset || (size - o.offset) % item != 0)
      throw ValueError("memmap", "Size of available data is not a multiple of the data-type size.");
    shape = dims{(size - o.offset) / item};
  }
  const bool fixed = flags.map == MAP_PRIVATE || !(flags.protection & PROT_WRITE);
  const std::int64_t bytes = o.offset + element_count(shape) * item, wanted = fixed ? bytes : std::max<std::int64_t>(bytes, 1);
  if (fixed && wanted > size) throw ValueError("memmap", "mmap length is greater than file size");
  if (fixed && size == 0) throw ValueError("memmap", "cannot mmap an empty file");
  if (wanted > size && ftruncate(file.fd, wanted) != 0) fail("memmap", path, errno);
  return map_file("memmap", path, file, flags, o.dtype.id(), shape, o.offset, o.mode);
}

array load(const std::string& path, const char* mmap_mode) {
  if (!mmap_mode) return load(path);
  const mode_flags flags = flags_of("load", mmap_mode);
  if (flags.open & O_TRUNC) throw ValueError("load", "mode must be one of 'r+', 'r', 'c' (got 'w+')");
  const detail::File file(open(path.c_str(), flags.open | O_CLOEXEC));
  if (file.fd < 0) fail("load", path, errno);
  const std::int64_t size = size_of_file("load", file.fd, path);
  // No header is longer: others are refused.
  std::string head;
  if (const int code = detail::read_file(path, head, 0, 1 << 17)) fail("load", path, code);
  const detail::npy_layout l = detail::npy_layout_of(head.data(), head.size(), path);
  if (l.big_endian) throw ValueError("load", "big-endian files are not mapped: got '" + path + "'. Load it without mmap_mode.");
  if (static_cast<std::int64_t>(l.bytes) > size - static_cast<std::int64_t>(l.begin))
    throw ValueError("load", "mmap length is greater than file size");
  dims stored = l.shape;
  if (l.fortran_order) std::reverse(stored.begin(), stored.end());
  const array a = map_file("load", path, file, flags, l.type.id(), stored, static_cast<std::int64_t>(l.begin), mmap_mode);
  return l.fortran_order && stored.size() > 1 ? transpose(a) : a;
}

std::optional<mapped_file> file_of(const array& a) {
  const mapping* m = mapping_of(a);
  return m ? std::optional(m->file) : std::nullopt;
}

void detail::mark_path(const array& a) {
  if (mapping* m = mapping_of(a)) m->file.given_as_path = true;
}

void flush_file(const array& mapped) {
  detail::concrete(mapped.get(), "save");
  const mapping* m = mapping_of(mapped);
  if (!m) throw ValueError("flush_file", "the array is not over a mapped file: got an array of its own memory.");
  if (m->bytes && msync(m->address, m->bytes, MS_SYNC) != 0) throw OSError("flush_file", std::string(std::strerror(errno)) + ".");
}

}  // namespace numjit
