// Reading packs: what they say of themselves, and what their code wants. Pages read them, too.
#include <numjit/runtime/bundle/wasm_pack.h>

#include <algorithm>
#include <cstdint>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <numjit/base/error.h>
#include <numjit/base/hash.h>
#include <numjit/graph/json_limits.h>

namespace numjit::runtime {
namespace {

using json = nlohmann::ordered_json;

constexpr std::string_view module_head("\0asm\1\0\0\0", 8);

[[noreturn]] void refuse(const std::string& path, const std::string& what) {
  throw OSError("pack", fmt::format("{}: {}", path, what));
}

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
    if (size == pack_section.size() && text.substr(name, *size) == pack_section &&
        last_end >= name + *size + pack_checksum_digits)
      return {name + *size, last_end - name - *size};
  }
  refuse(path, "not a pack, or cut short: its last section is not numjit.pack");
}

void check_sum(std::span<const char> bytes, Payload payload, const std::string& path) {
  std::vector<char> copy(bytes.begin(), bytes.end());
  std::fill_n(copy.begin() + static_cast<std::ptrdiff_t>(payload.at), pack_checksum_digits, '0');
  const std::string_view noted(bytes.data() + payload.at, pack_checksum_digits);
  if (to_hex(hash_bytes(copy.data(), copy.size())) != noted) refuse(path, "damaged: its checksum differs");
}

}  // namespace

PackDescription read_pack(std::span<const char> bytes, const std::string& path) {
  const Payload payload = find_payload(bytes, path);
  check_sum(bytes, payload, path);
  const json j = graph::parse_json<json>({bytes.data() + payload.at + pack_checksum_digits, payload.size - pack_checksum_digits});
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

PackNeeds needs_of_pack(std::span<const char> bytes) {
  constexpr std::string_view name = "dylink.0";
  constexpr unsigned char of_memory = 1;
  std::size_t at = module_head.size();
  if (at >= bytes.size() || bytes[at++] != 0) return {};  // the section is the first one
  const std::optional<std::size_t> size = read_count(bytes, at);
  const std::optional<std::size_t> length = size ? read_count(bytes, at) : std::nullopt;
  if (length != name.size() || std::string_view(bytes.data(), bytes.size()).substr(at, name.size()) != name) return {};
  const std::size_t end = std::min(bytes.size(), at + *size - 1);
  at += name.size();
  while (at < end) {
    const auto kind = static_cast<unsigned char>(bytes[at++]);
    const std::optional<std::size_t> part = read_count(bytes, at);
    if (!part) return {};
    if (kind != of_memory) {
      at += std::min(*part, bytes.size() - at);
      continue;
    }
    const std::optional<std::size_t> memory = read_count(bytes, at), align = memory ? read_count(bytes, at) : std::nullopt;
    const std::optional<std::size_t> table = align ? read_count(bytes, at) : std::nullopt;
    return table ? PackNeeds{*memory, *align, *table} : PackNeeds{};
  }
  return {};
}

}  // namespace numjit::runtime
