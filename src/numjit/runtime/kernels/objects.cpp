// Packed objects: a magic number, how many, their sizes, their bytes.
#include <numjit/runtime/kernels/objects.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <map>
#include <mutex>

#include <fcntl.h>

#include <numjit/base/error.h>
#include <numjit/base/file.h>
#include <numjit/runtime/kernels/plugin.h>

namespace numjit::runtime {
namespace {

constexpr std::string_view magic = "njobject";
constexpr std::uint64_t most_objects = 16;

std::uint64_t number_at(std::span<const char> bytes, std::size_t offset) {
  std::uint64_t value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

/// The bytes of an object beside the library, read once; empty where there is none.
const std::vector<char>& support_object(const std::string& name) {
  static std::mutex mutex;
  static auto& known = *new std::map<std::string, std::vector<char>>;
  const std::string path = library_folder() + "/" + name;
  std::lock_guard lock(mutex);
  const auto [found, is_new] = known.try_emplace(path);
  if (is_new)
    if (const detail::File file(open(path.c_str(), O_RDONLY | O_CLOEXEC)); file.fd >= 0)
      found->second = detail::read_to_end(file.fd);
  return found->second;
}

}  // namespace

std::vector<char> pack_kernel_objects(const std::vector<char>& object, bool for_device) {
  std::vector<const std::vector<char>*> objects{&object};
  const auto add = [&](const char* name) {
    if (const std::vector<char>& found = support_object(name); !found.empty()) objects.push_back(&found);
  };
  add("numjit_kernel_rt.o");
  if (std::string_view(object.data(), object.size()).find("numjit_far_") != std::string_view::npos)
    add("numjit_kernel_math_rt.o");
  if (for_device) add("numjit_kernel_device_rt.o");
  std::vector<std::uint64_t> numbers{objects.size()};
  std::size_t size = 0;
  for (const auto* each : objects) size += numbers.emplace_back(each->size());
  std::vector<char> packed(magic.size() + numbers.size() * sizeof(std::uint64_t) + size);
  char* to = std::copy(magic.begin(), magic.end(), packed.data());
  std::memcpy(to, numbers.data(), numbers.size() * sizeof(std::uint64_t));
  to += numbers.size() * sizeof(std::uint64_t);
  for (const auto* each : objects) to = std::copy(each->begin(), each->end(), to);
  return packed;
}

bool is_packed_objects(std::span<const char> bytes) noexcept {
  return std::string_view(bytes.data(), bytes.size()).starts_with(magic);
}

std::vector<std::span<const char>> unpack_objects(std::span<const char> packed) {
  constexpr std::size_t word = sizeof(std::uint64_t);
  const auto damaged = [] { return CompileError("compile", "the kernel's objects are damaged"); };
  if (!is_packed_objects(packed) || packed.size() < magic.size() + word) throw damaged();
  const std::uint64_t count = number_at(packed, magic.size());
  std::size_t sizes = magic.size() + word;
  if (count == 0 || count > most_objects || packed.size() - sizes < count * word) throw damaged();
  std::size_t at = sizes + count * word;
  std::vector<std::span<const char>> objects;
  for (std::uint64_t i = 0; i < count; ++i, sizes += word) {
    const std::uint64_t size = number_at(packed, sizes);
    if (size > packed.size() - at) throw damaged();
    objects.push_back(packed.subspan(at, size));
    at += size;
  }
  if (at != packed.size()) throw damaged();
  return objects;
}

}  // namespace numjit::runtime
