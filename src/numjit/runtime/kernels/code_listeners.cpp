// perf's map of code without files, and gdb's interface for it ("JIT Compilation Interface" of its manual).
#include <numjit/runtime/kernels/code_listeners.h>

#include <cstdint>
#include <cstring>
#include <list>
#include <mutex>
#include <vector>

#include <elf.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <numjit/base/config.h>
#include <numjit/base/debug_folder.h>
#include <numjit/base/file.h>

// Names, types and values that debuggers look for. Hidden: libHalide has its own.
#define NUMJIT_HIDDEN __attribute__((visibility("hidden")))
extern "C" {
struct jit_code_entry {
  jit_code_entry *next, *previous;
  const char* file;
  std::uint64_t size;
};
struct jit_descriptor {
  std::uint32_t version, action;
  jit_code_entry *relevant, *first;
};
NUMJIT_HIDDEN jit_descriptor __jit_debug_descriptor = {1, 0, nullptr, nullptr};
// A debugger's breakpoint.
NUMJIT_HIDDEN __attribute__((noinline, used)) void __jit_debug_register_code() { asm volatile("" ::: "memory"); }
}

namespace numjit::runtime {
namespace {

enum : std::uint32_t { registers = 1, unregisters = 2 };

std::mutex& listing() {
  static auto& mutex = *new std::mutex;
  return mutex;
}

void tell(std::uint32_t action, jit_code_entry& entry) {
  __jit_debug_descriptor.action = action;
  __jit_debug_descriptor.relevant = &entry;
  __jit_debug_register_code();
}

/// The object with the addresses of its sections written in.
std::vector<char> with_addresses(std::span<const char> object, std::span<char* const> places) {
  std::vector<char> bytes(object.begin(), object.end());
  Elf64_Ehdr header;
  std::memcpy(&header, bytes.data(), sizeof header);
  for (std::size_t i = 0; i < places.size(); ++i) {
    const auto address = reinterpret_cast<std::uint64_t>(places[i]);
    std::memcpy(bytes.data() + header.e_shoff + i * sizeof(Elf64_Shdr) + offsetof(Elf64_Shdr, sh_addr), &address, sizeof address);
  }
  return bytes;
}

void append_to_perf_map(std::span<const char> code, const std::string& name) {
  const detail::File file(
      open(fmt::format("/tmp/perf-{}.map", getpid()).c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (file.fd < 0) return;
  const std::string line = fmt::format("{:x} {:x} {}\n", reinterpret_cast<std::uintptr_t>(code.data()), code.size(), name);
  detail::write_whole(file.fd, line);
}

class ToldCode {
 public:
  ToldCode(const LoadedObjects& loaded, std::span<const std::span<const char>> objects) {
    std::lock_guard lock(listing());
    for (std::size_t i = 0; i < objects.size(); ++i) {
      const auto& file = files_.emplace_back(with_addresses(objects[i], loaded.sections_of(i)));
      jit_code_entry& entry =
          entries_.emplace_back(jit_code_entry{__jit_debug_descriptor.first, nullptr, file.data(), file.size()});
      if (entry.next) entry.next->previous = &entry;
      __jit_debug_descriptor.first = &entry;
      tell(registers, entry);
    }
  }

  ~ToldCode() {
    std::lock_guard lock(listing());
    for (jit_code_entry& entry : entries_) {
      (entry.previous ? entry.previous->next : __jit_debug_descriptor.first) = entry.next;
      if (entry.next) entry.next->previous = entry.previous;
      tell(unregisters, entry);
    }
  }

  ToldCode(const ToldCode&) = delete;
  ToldCode& operator=(const ToldCode&) = delete;

 private:
  std::list<std::vector<char>> files_;
  std::list<jit_code_entry> entries_;
};

}  // namespace

std::shared_ptr<const void> tell_of_code(const LoadedObjects& loaded, std::span<const std::span<const char>> objects,
                                         const std::string& name) {
  if (!config().perf && !detail::debugging()) return nullptr;
  append_to_perf_map(loaded.code(), name);
  return std::make_shared<ToldCode>(loaded, objects);
}

}  // namespace numjit::runtime
