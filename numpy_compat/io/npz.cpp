// .npz files: zip archives of .npy files, by libzip.
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <unordered_set>

#include <sys/stat.h>
#include <zip.h>

#include <numjit/base/file.h>
#include <numjit/npy.h>

#include <surface.h>

namespace numjit {

namespace {

[[noreturn]] void throw_os_error(const char* op, const std::string& path, int code) {
  throw OSError(op, detail::system_error_text(code, path));
}

struct discard_archive {
  void operator()(zip_t* z) const { zip_discard(z); }
};
using archive = std::unique_ptr<zip_t, discard_archive>;
struct close_member {
  void operator()(zip_file_t* f) const { zip_fclose(f); }
};

std::string message_of(zip_t* z) { return zip_strerror(z); }

/// A member of the archive, as far as its own header says it goes: neither what a damaged directory claims of its
/// size is believed, nor is more unpacked than the array needs.
std::string read_member(zip_t* z, zip_uint64_t i, const std::string& name, const std::string& path) {
  std::unique_ptr<zip_file_t, close_member> file(zip_fopen_index(z, i, 0));
  if (!file) throw ValueError("load", "'" + name + "' of '" + path + "' cannot be read: " + message_of(z) + ".");
  std::string bytes;
  char block[1 << 16];
  for (std::size_t wanted = 12; bytes.size() < wanted;) {
    const zip_int64_t n = zip_fread(file.get(), block, std::min(sizeof block, wanted - bytes.size()));
    if (n < 0) throw ValueError("load", "'" + name + "' of '" + path + "' is damaged: " + zip_file_strerror(file.get()) + ".");
    if (n == 0) return bytes;
    bytes.append(block, static_cast<std::size_t>(n));
    if (bytes.size() == wanted) wanted = std::max(wanted, detail::npy_size(bytes.data(), wanted, path + ":" + name));
  }
  // The checksum is looked at where the member ends.
  if (zip_fread(file.get(), block, 1) < 0)
    throw ValueError("load", "'" + name + "' of '" + path + "' is damaged: " + zip_file_strerror(file.get()) + ".");
  return bytes;
}

/// Members take no more room together than the file has, unless they lie over each other.
void check_members(zip_t* z, zip_int64_t count, const std::string& path) {
  struct stat info;
  std::uint64_t left = stat(path.c_str(), &info) == 0 ? static_cast<std::uint64_t>(info.st_size) : 0;
  for (zip_int64_t i = 0; i < count; ++i) {
    zip_stat_t member;
    if (zip_stat_index(z, static_cast<zip_uint64_t>(i), 0, &member) != 0 || !(member.valid & ZIP_STAT_COMP_SIZE)) continue;
    if (member.comp_size > left)
      throw ValueError("load", "'" + path + "' is damaged: its members lie over each other or behind its end.");
    left -= member.comp_size;
  }
}

void write_archive(const char* op, std::string path, const named_arrays& arrays, zip_int32_t method) {
  if (!path.ends_with(".npz")) path += ".npz";
  const std::string temporary = detail::temporary_beside(path);
  int code = 0;
  archive z(zip_open(temporary.c_str(), ZIP_CREATE | ZIP_TRUNCATE, &code));
  if (!z) throw_os_error(op, path, errno);
  std::vector<std::string> contents;  // libzip reads them when it closes
  for (const auto& [name, value] : arrays) {
    for (const auto& [other, unused] : arrays)
      if (&other != &name && other == name)
        throw ValueError(op, "two arrays have one name: got '" + name + "' twice, expected different names.");
    contents.push_back(npy_bytes(value));
  }
  for (std::size_t k = 0; k < arrays.size(); ++k) {
    zip_source_t* source = zip_source_buffer(z.get(), contents[k].data(), contents[k].size(), 0);
    const std::string member = arrays[k].first + ".npy";
    const zip_int64_t i = source ? zip_file_add(z.get(), member.c_str(), source, ZIP_FL_ENC_UTF_8) : -1;
    if (i < 0) {
      if (source) zip_source_free(source);
      throw OSError(op, "'" + path + "' cannot be written: " + message_of(z.get()) + ".");
    }
    zip_set_file_compression(z.get(), static_cast<zip_uint64_t>(i), method, 0);
  }
  if (arrays.empty()) {  // libzip writes no archive without members
    throw ValueError(op, "there is nothing to write: got no arrays, expected at least one.");
  }
  if (zip_close(z.get()) != 0) {
    const std::string why = message_of(z.get());
    z.reset();
    std::remove(temporary.c_str());
    throw OSError(op, "'" + path + "' cannot be written: " + why + ".");
  }
  (void)z.release();
  if (std::rename(temporary.c_str(), path.c_str()) != 0) {
    const int failed = errno;
    std::remove(temporary.c_str());
    throw_os_error(op, path, failed);
  }
}

}  // namespace

npz_file::npz_file(const std::string& path) : path_(path) {
  int code = 0;
  archive z(zip_open(path.c_str(), ZIP_RDONLY, &code));
  if (!z) {
    if (code == ZIP_ER_NOENT || code == ZIP_ER_OPEN || code == ZIP_ER_READ) throw_os_error("load", path, errno);
    throw ValueError("load", "'" + path + "' is no .npz file: it is not a zip archive, or a damaged one.");
  }
  const zip_int64_t count = zip_get_num_entries(z.get(), 0);
  check_members(z.get(), count, path);
  std::unordered_set<std::string> seen;
  for (zip_int64_t i = 0; i < count; ++i) {
    const char* name = zip_get_name(z.get(), static_cast<zip_uint64_t>(i), ZIP_FL_ENC_GUESS);
    if (!name) continue;
    std::string key = name;
    if (!key.ends_with(".npy")) continue;  // NumPy gives the bytes of such members: they are no arrays
    const std::string bytes = read_member(z.get(), static_cast<zip_uint64_t>(i), key, path);
    key.resize(key.size() - 4);
    array value = from_npy_bytes(bytes.data(), bytes.size(), path + ":" + name);
    if (!seen.insert(key).second) continue;
    names_.push_back(key);
    arrays_.push_back(std::move(value));
  }
}

std::vector<std::string> npz_file::files() const { return names_; }

bool npz_file::contains(const std::string& name) const { return std::find(names_.begin(), names_.end(), name) != names_.end(); }

array npz_file::operator[](const std::string& name) const {
  const auto found = std::find(names_.begin(), names_.end(), name);
  if (found != names_.end()) return arrays_[static_cast<std::size_t>(found - names_.begin())];
  std::string known;
  for (const std::string& n : names_) known += (known.empty() ? "'" : ", '") + n + "'";
  throw ValueError("load", name + " is not a file in the archive: got '" + name + "', expected one of " + known + ".");
}

void savez(const std::string& path, const named_arrays& arrays) { write_archive("savez", path, arrays, ZIP_CM_STORE); }
void savez_compressed(const std::string& path, const named_arrays& arrays) {
  write_archive("savez_compressed", path, arrays, ZIP_CM_DEFLATE);
}

}  // namespace numjit
