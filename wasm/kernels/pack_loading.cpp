// Packs in C++ programs: what js/packs.js is for pages. The module is instantiated by the host, kernels/host.js.
#include <numjit/packs.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>

#include <fmt/format.h>

#include <numjit/base/error.h>
#include <numjit/runtime/bundle/wasm_pack.h>
#include <numjit/runtime/kernels/abi.h>
#include <numjit/runtime/kernels/disk_cache.h>
#include <numjit/runtime/kernels/key.h>

#include "page.h"

extern "C" {
/// The host's: a position-independent module at these places of memory and table; its number, or 0 and a line of text.
/// `hooks`: places of malloc, free and the error of kernels.
int nj_open_pack(const char* bytes, int size, void* memory, int table, void* stack_top, const void* const* hooks);
/// The place of one of its functions in the table; 0: it has none of that name.
int nj_pack_entry(int pack, const char* name);
/// Puts the function at `from` to `to`, too.
void nj_put_kernel(int to, int from);
}

namespace numjit {
namespace {

constexpr std::size_t stack_bytes = 256 * 1024;

void* kernel_malloc(void*, std::size_t bytes) { return std::aligned_alloc(64, (bytes + 127) & ~std::size_t{63}); }
void kernel_free(void*, void* block) { std::free(block); }
int kernel_out_of_memory(void*) { return -11; }

[[noreturn]] void refuse(const std::string& name, const std::string& what) {
  throw OSError("load_pack", fmt::format("{}: {}", name, what));
}

/// Memory that is never given back: code points into it for as long as the program runs.
char* memory_for_code(std::size_t bytes, std::size_t align, const std::string& name) {
  if (bytes == 0) return nullptr;
  void* block = std::aligned_alloc(align, (bytes + align - 1) / align * align);
  if (!block) throw MemoryError("load_pack", fmt::format("{}: no memory for {} bytes.", name, bytes));
  std::memset(block, 0, bytes);
  return static_cast<char*>(block);
}

char* stack_top(const std::string& name) {
  static char* const top = memory_for_code(stack_bytes, 64, name) + stack_bytes;
  return top;
}

void check_fit(const runtime::PackDescription& pack, const std::string& name) {
#ifdef __wasm_simd128__
  constexpr std::string_view build = "simd";
#else
  constexpr std::string_view build = "scalar";
#endif
  if (pack.abi != runtime::kernel_abi_version)
    refuse(name, fmt::format("made by another numjit: its kernels are called in way {}, this one's in way {}. Build it anew.",
                             pack.abi, runtime::kernel_abi_version));
  if (pack.bits != runtime::bits_version)
    refuse(name, fmt::format("made for bits version {}, this numjit computes version {}: results would differ. Build it anew.",
                             pack.bits, runtime::bits_version));
  if (pack.target != build)
    refuse(name, fmt::format("made for the {} build of numjit, this is the {} build. Build one with --target {}.", pack.target,
                             build, build));
}

}  // namespace

loaded_pack load_pack(std::span<const char> bytes, const std::string& name) {
  const runtime::PackDescription pack = runtime::read_pack(bytes, name);
  check_fit(pack, name);
  const runtime::PackNeeds needs = runtime::needs_of_pack(bytes);
  if (needs.align > 6) refuse(name, fmt::format("its memory is aligned to 2^{} bytes, more than 64.", needs.align));
  const void* const hooks[] = {reinterpret_cast<const void*>(kernel_malloc), reinterpret_cast<const void*>(kernel_free),
                               reinterpret_cast<const void*>(kernel_out_of_memory)};
  const int opened = nj_open_pack(bytes.data(), static_cast<int>(bytes.size()), memory_for_code(needs.memory, 64, name),
                                  static_cast<int>(needs.table), stack_top(name), hooks);
  if (opened == 0) refuse(name, "this machine refuses its code.");
  std::vector<int> places;
  for (const std::string& graph : pack.graphs) {
    const int place = nj_pack_entry(opened, runtime::entry_symbol(runtime::kernel_name(graph)).c_str());
    if (place == 0) refuse(name, "damaged: a graph has no function.");
    places.push_back(place);
  }
  loaded_pack result{pack.target, pack.compiler, static_cast<int>(places.size()), 0};
  for (std::size_t i = 0; i < places.size(); ++i) {
    const int before = runtime::provide_packed(pack.graphs[i], places[i]);
    if (before == 0) continue;
    nj_put_kernel(before, places[i]);
    ++result.replaced;
  }
  return result;
}

loaded_pack load_pack(const std::string& path) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"), std::fclose);
  if (!file) refuse(path, std::strerror(errno));
  std::vector<char> bytes;
  char part[16384];
  for (std::size_t n; (n = std::fread(part, 1, sizeof part, file.get())) > 0;) bytes.insert(bytes.end(), part, part + n);
  if (std::ferror(file.get())) refuse(path, std::strerror(errno));
  return load_pack(std::span<const char>(bytes), path);
}

std::string recording(bool missing) { return runtime::recorded_graphs(missing); }

std::vector<missing_kernel> missing_kernels() {
  std::vector<missing_kernel> list;
  for (runtime::MissingKernel& k : runtime::list_missing())
    list.push_back({std::move(k.name), std::move(k.ops), std::move(k.hint)});
  return list;
}

}  // namespace numjit
