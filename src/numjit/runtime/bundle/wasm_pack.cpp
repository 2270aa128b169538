// Compiling, linking and describing packs; wasm_pack_read.cpp reads them.
#include <numjit/runtime/bundle/wasm_pack.h>

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <numjit/base/error.h>
#include <numjit/base/hash.h>
#include <numjit/runtime/kernels/abi.h>
#include <numjit/runtime/kernels/disk_cache.h>
#include <numjit/runtime/kernels/key.h>
#include <numjit/runtime/kernels/linker.h>
#include <numjit/runtime/kernels/plugin.h>

namespace numjit::runtime {
namespace {

using json = nlohmann::ordered_json;

void append_count(std::vector<char>& to, std::size_t value) {
  do {
    const auto low = static_cast<unsigned char>(value & 0x7f);
    value >>= 7;
    to.push_back(static_cast<char>(low | (value ? 0x80 : 0)));
  } while (value);
}

void append(std::vector<char>& to, std::string_view text) { to.insert(to.end(), text.begin(), text.end()); }

/// Adds the description as the last section, and the checksum of all in it.
void describe(std::vector<char>& module, const std::string& description) {
  std::vector<char> body;
  append_count(body, pack_section.size());
  append(body, pack_section);
  append(body, std::string(pack_checksum_digits, '0'));
  append(body, description);
  module.push_back(0);
  append_count(module, body.size());
  module.insert(module.end(), body.begin(), body.end());
  const std::string checksum = to_hex(hash_bytes(module.data(), module.size()));
  std::copy(checksum.begin(), checksum.end(),
            module.end() - static_cast<std::ptrdiff_t>(pack_checksum_digits + description.size()));
}

}  // namespace

const std::string& wasm_target(std::string_view build) {
  static const std::string simd = "wasm-32-wasmrt-wasm_simd128-wasm_bulk_memory", scalar = "wasm-32-wasmrt-wasm_mvponly";
  if (build == "simd") return simd;
  if (build == "scalar") return scalar;
  throw ValueError("pack", fmt::format("target: got '{}', expected simd or scalar.", build));
}

std::vector<char> wasm_object(const KernelRequest& request, std::string_view build) {
  return cached_kernel(request, wasm_target(build), [](std::vector<char> object, const std::string&) { return object; });
}

std::vector<char> link_pack(std::span<const PackedKernel> kernels, std::string_view build) {
  if (kernels.empty()) throw ValueError("pack", "there are no graphs to pack.");
  std::vector<const PackedKernel*> sorted;
  for (const PackedKernel& kernel : kernels) sorted.push_back(&kernel);
  std::sort(sorted.begin(), sorted.end(), [](auto* a, auto* b) { return a->content < b->content; });
  std::vector<WasmObject> objects;
  json graphs = json::array();
  for (const PackedKernel* kernel : sorted) {
    objects.push_back({entry_symbol(kernel_name(kernel->content)), kernel->object});
    graphs.push_back(kernel->content);
  }
  std::vector<char> pack = link_wasm(objects);
  KernelCompiler* compiler = kernel_compiler();
  describe(pack, json{{"format", pack_format},
                      {"abi", kernel_abi_version},
                      {"bits", bits_version},
                      {"target", build},
                      {"compiler", compiler ? compiler->identity() : ""},
                      {"graphs", std::move(graphs)}}
                     .dump());
  return pack;
}

}  // namespace numjit::runtime
