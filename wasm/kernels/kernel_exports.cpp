// Packs and graph files, as js/packs.js and js/compile.js call them.
#include <cstdlib>
#include <string>

#include <numjit/base/hash.h>
#include <numjit/runtime/kernels/abi.h>
#include <numjit/runtime/kernels/disk_cache.h>
#include <numjit/runtime/kernels/key.h>

#include "page.h"

#define NUMJIT_EXPORT(name) __attribute__((export_name(#name), used)) extern "C"

namespace numjit::js {
namespace {

/// Text that is good until the next call.
const char* kept(std::string text) {
  static std::string& last = *new std::string;
  last = std::move(text);
  return last.c_str();
}

}  // namespace

/// Hooks of Halide's kernels.
NUMJIT_EXPORT(nj_kernel_malloc) void* nj_kernel_malloc(void*, std::size_t bytes) {
  return std::aligned_alloc(64, (bytes + 127) & ~std::size_t{63});
}
NUMJIT_EXPORT(nj_kernel_free) void nj_kernel_free(void*, void* block) { std::free(block); }

NUMJIT_EXPORT(nj_kernel_abi) int nj_kernel_abi() { return runtime::kernel_abi_version; }
NUMJIT_EXPORT(nj_bits_version) int nj_bits_version() { return runtime::bits_version; }
NUMJIT_EXPORT(nj_hash) const char* nj_hash(const void* bytes, std::size_t size) { return kept(to_hex(hash_bytes(bytes, size))); }
/// Name of the kernel of a graph, whose text is given.
NUMJIT_EXPORT(nj_graph_name) const char* nj_graph_name(const char* text, std::size_t size) {
  return kept(runtime::kernel_name({text, size}));
}

NUMJIT_EXPORT(nj_provide_kernel) int nj_provide_kernel(const char* text, std::size_t size, int place) {
  return runtime::provide_packed({text, size}, place);
}
NUMJIT_EXPORT(nj_graph_count) int nj_graph_count() { return runtime::count_graphs(); }
NUMJIT_EXPORT(nj_recorded_graphs) const char* nj_recorded_graphs(int missing) {
  return kept(runtime::recorded_graphs(missing != 0));
}

/// A line each: name, template, operations, what is lacking.
NUMJIT_EXPORT(nj_missing_kernels) const char* nj_missing_kernels() {
  std::string text;
  for (const runtime::MissingKernel& k : runtime::list_missing())
    text += k.name + "\t" + k.schedule + "\t" + k.ops + "\t" + k.hint + "\n";
  return kept(std::move(text));
}

}  // namespace numjit::js
