// Reading and writing .npj files.
#include <numjit/runtime/bundle/bundle.h>

#include <cerrno>
#include <cstddef>
#include <cstring>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <numjit/base/error.h>
#include <numjit/base/file.h>
#include <numjit/base/hash.h>
#include <numjit/runtime/kernels/disk_cache.h>

namespace numjit::runtime {
namespace {

constexpr char magic[8] = {'\x89', 'N', 'P', 'J', '\r', '\n', '\x1a', '\n'};

struct Header {
  char magic[8];
  std::uint32_t format;
  std::uint32_t bits;
  std::uint64_t size;
  std::uint64_t sections;
  hash128 checksum;
};
static_assert(sizeof(Header) == 48);

struct SectionHeader {
  std::uint64_t name_size;
  std::uint64_t size;
  hash128 checksum;
};
static_assert(sizeof(SectionHeader) == 32);

[[noreturn]] void refuse(const std::string& path, const std::string& what) {
  throw OSError("load_function", fmt::format("{}: {}", path, what));
}

void append(std::vector<char>& to, const void* from, std::size_t size) {
  const char* bytes = static_cast<const char*>(from);
  to.insert(to.end(), bytes, bytes + size);
}

hash128 checksum_of(std::vector<char>& file) {
  std::memset(file.data() + offsetof(Header, checksum), 0, sizeof(hash128));
  return hash_bytes(file.data(), file.size());
}

std::vector<char> read_file(const std::string& path) {
  const detail::File file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat info;
  if (file.fd < 0 || fstat(file.fd, &info) != 0) refuse(path, std::strerror(errno));
  if (!S_ISREG(info.st_mode)) refuse(path, "not a regular file");
  if (info.st_mode & S_IWOTH)
    refuse(path, fmt::format("every user may write it (mode {:04o}), and it holds code that would run. Take that "
                             "right away: chmod o-w.",
                             info.st_mode & 07777));
  std::vector<char> bytes(static_cast<std::size_t>(info.st_size));
  if (!detail::read_whole(file.fd, bytes)) refuse(path, "can't be read to its end");
  return bytes;
}

Header checked_header(const std::string& path, std::vector<char>& bytes) {
  Header header{};
  const std::size_t known = std::min(bytes.size(), sizeof header);
  if (known > 0) std::memcpy(&header, bytes.data(), known);
  if (known < sizeof magic || std::memcmp(header.magic, magic, sizeof magic) != 0) refuse(path, "not a numjit bundle");
  if (known < sizeof header) refuse(path, fmt::format("cut short: got {} bytes, less than a header", bytes.size()));
  if (header.format > bundle_format)
    refuse(path, fmt::format("written by a newer numjit: format {}, this one reads up to {}. Update numjit.", header.format,
                             bundle_format));
  if (header.size > bytes.size()) refuse(path, fmt::format("cut short: got {} bytes, expected {}", bytes.size(), header.size));
  if (header.size < bytes.size() || checksum_of(bytes) != header.checksum || header.format < 1)
    refuse(path, "damaged: its checksum differs");
  if (header.bits != bits_version)
    refuse(path, fmt::format("made for bits version {}, this numjit computes version {}: results would differ. "
                             "Export it anew.",
                             header.bits, bits_version));
  return header;
}

}  // namespace

std::span<const char> Bundle::section(std::string_view name) const {
  for (const BundleSection& s : sections)
    if (s.name == name) return s.bytes;
  refuse(path, fmt::format("damaged: it lacks the section '{}'", name));
}

void write_bundle(const Bundle& bundle) {
  std::vector<char> file(sizeof(Header));
  for (const BundleSection& s : bundle.sections) {
    std::vector<char> body(s.name.begin(), s.name.end());
    body.insert(body.end(), s.bytes.begin(), s.bytes.end());
    const SectionHeader header{s.name.size(), s.bytes.size(), hash_bytes(body.data(), body.size())};
    append(file, &header, sizeof header);
    append(file, body.data(), body.size());
  }
  Header header{{}, bundle_format, bits_version, file.size(), bundle.sections.size(), {}};
  std::memcpy(header.magic, magic, sizeof magic);
  std::memcpy(file.data(), &header, sizeof header);
  header.checksum = checksum_of(file);
  std::memcpy(file.data(), &header, sizeof header);
  if (int failure = detail::replace_file(bundle.path, detail::temporary_beside(bundle.path), file, 0644))
    throw OSError("export_function", fmt::format("{}: {}", bundle.path, std::strerror(failure)));
}

Bundle read_bundle(const std::string& path) {
  std::vector<char> bytes = read_file(path);
  const Header header = checked_header(path, bytes);
  Bundle bundle{path, {}};
  std::size_t at = sizeof(Header);
  for (std::uint64_t i = 0; i < header.sections; ++i) {
    SectionHeader section{};
    if (bytes.size() - at < sizeof section) refuse(path, "damaged: a section is cut short");
    std::memcpy(&section, bytes.data() + at, sizeof section);
    at += sizeof section;
    const std::size_t left = bytes.size() - at;
    if (section.name_size > left || section.size > left - section.name_size) refuse(path, "damaged: a section is cut short");
    if (hash_bytes(bytes.data() + at, section.name_size + section.size) != section.checksum)
      refuse(path, "damaged: the checksum of a section differs");
    const char *name = bytes.data() + at, *content = name + section.name_size;
    bundle.sections.push_back({std::string(name, section.name_size), std::vector<char>(content, content + section.size)});
    at += section.name_size + section.size;
  }
  if (at != bytes.size()) refuse(path, "damaged: bytes behind its last section");
  return bundle;
}

}  // namespace numjit::runtime
