// Compiling, linking, describing and reading packs.
#include <numjit/runtime/wasm_pack.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <numjit/base/error.h>
#include <numjit/base/hash.h>
#include <numjit/graph/json_limits.h>
#include <numjit/runtime/disk_cache.h>
#include <numjit/runtime/kernel_abi.h>
#include <numjit/runtime/kernel_key.h>
#include <numjit/runtime/linker.h>
#include <numjit/runtime/plugin.h>

namespace numjit::runtime {
namespace {

using json = nlohmann::ordered_json;

constexpr std::string_view module_head("\0asm\1\0\0\0", 8);
constexpr std::string_view section_name = "numjit.pack";
constexpr std::size_t checksum_digits = 32;

[[noreturn]] void refuse(const std::string& path, const std::string& what) {
  throw OSError("pack", fmt::format("{}: {}", path, what));
}

void append_count(std::vector<char>& to, std::size_t value) {
  do {
    const auto low = static_cast<unsigned char>(value & 0x7f);
    value >>= 7;
    to.push_back(static_cast<char>(low | (value ? 0x80 : 0)));
  } while (value);
}

void append(std::vector<char>& to, std::string_view text) { to.insert(to.end(), text.begin(), text.end()); }

/// A LEB128 number of at most 32 bits at `at`, which moves behind it; nothing if the bytes end before.
std::optional<std::size_t> read_count(std::span<const char> bytes, std::size_t& at) {
  std::uint64_t value = 0;
  for (int shift = 0; shift < 35; shift += 7) {
    if (at == bytes.size()) return std::nullopt;
    const auto byte = static_cast<unsigned char>(bytes[at++]);
    value |= std::uint64_t{byte & 0x7fu} << shift;
    if (!(byte & 0x80)) return value;
  }
  return std::nullopt;
}

/// Adds the description as the last section, and the checksum of all in it.
void describe(std::vector<char>& module, const std::string& description) {
  std::vector<char> body;
  append_count(body, section_name.size());
  append(body, section_name);
  append(body, std::string(checksum_digits, '0'));
  append(body, description);
  module.push_back(0);
  append_count(module, body.size());
  module.insert(module.end(), body.begin(), body.end());
  const std::string checksum = to_hex(hash_bytes(module.data(), module.size()));
  std::copy(checksum.begin(), checksum.end(), module.end() - static_cast<std::ptrdiff_t>(checksum_digits + description.size()));
}

/// Where the description's payload lies: checksum and JSON.
struct Payload {
  std::size_t at = 0, size = 0;
};

Payload find_payload(std::span<const char> bytes, const std::string& path) {
  const std::string_view text(bytes.data(), bytes.size());
  if (!text.starts_with(module_head.substr(0, std::min(bytes.size(), module_head.size()))) || bytes.size() < 4)
    refuse(path, "not a pack: it is no module of WebAssembly");
  std::size_t at = module_head.size(), last = 0, last_end = 0;
  int last_id = -1;
  while (at < bytes.size()) {
    last_id = static_cast<unsigned char>(bytes[at++]);
    const std::optional<std::size_t> size = read_count(bytes, at);
    if (!size || *size > bytes.size() - at)
      refuse(path, fmt::format("cut short: got {} bytes, expected {}", bytes.size(),
                               size ? "at least " + std::to_string(at + *size) : "more"));
    last = at;
    at = last_end = at + *size;
  }
  if (last_id == 0) {
    std::size_t name = last;
    const std::optional<std::size_t> size = read_count(bytes, name);
    if (size == section_name.size() && text.substr(name, *size) == section_name && last_end >= name + *size + checksum_digits)
      return {name + *size, last_end - name - *size};
  }
  refuse(path, "not a pack, or cut short: its last section is not numjit.pack");
}

void check_sum(std::span<const char> bytes, Payload payload, const std::string& path) {
  std::vector<char> copy(bytes.begin(), bytes.end());
  std::fill_n(copy.begin() + static_cast<std::ptrdiff_t>(payload.at), checksum_digits, '0');
  const std::string_view noted(bytes.data() + payload.at, checksum_digits);
  if (to_hex(hash_bytes(copy.data(), copy.size())) != noted) refuse(path, "damaged: its checksum differs");
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
                      {"graphs", std::move(graphs)}}.dump());
  return pack;
}

PackDescription read_pack(std::span<const char> bytes, const std::string& path) {
  const Payload payload = find_payload(bytes, path);
  check_sum(bytes, payload, path);
  const json j = graph::parse_json<json>({bytes.data() + payload.at + checksum_digits, payload.size - checksum_digits});
  if (j.is_discarded()) refuse(path, "damaged: its description can't be read");
  try {
    if (const int format = j.at("format").get<int>(); format != pack_format)
      refuse(path, fmt::format("made by another numjit: format {}, this one reads {}. Build it anew.", format, pack_format));
    return {j.at("target").get<std::string>(), j.at("compiler").get<std::string>(), j.at("bits").get<int>(),
            j.at("abi").get<int>(), j.at("graphs").get<std::vector<std::string>>()};
  } catch (const nlohmann::json::exception&) {
    refuse(path, "damaged: its description can't be read");
  }
}

}  // namespace numjit::runtime
