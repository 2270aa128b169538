// Repros as files, and their way onto disk.
#include <numjit/runtime/repro/repro.h>

#include <unistd.h>
#include <bit>
#include <cstdio>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <numjit/base/debug_folder.h>
#include <numjit/base/error.h>
#include <numjit/base/hash.h>
#include <numjit/base/log.h>
#include <numjit/base/repro_level.h>
#include <numjit/base/subprocess.h>
#include <numjit/graph/graph_file.h>
#include <numjit/graph/json_limits.h>
#include <numjit/runtime/kernels/plugin.h>

namespace numjit::runtime {
namespace {

using json = nlohmann::ordered_json;

constexpr int repro_format = 1;
/// Inputs' elements are part of the file up to this size; larger ones are random in each run.
constexpr std::int64_t most_data = 1 << 20;

[[noreturn]] void refuse(const std::string& what) {
  throw ValueError("repro", what + ". Expected a .npj file that a failed compile has written.");
}

std::string to_hex_text(const std::vector<char>& data) {
  std::string text;
  text.reserve(2 * data.size());
  for (char c : data) text += fmt::format("{:02x}", static_cast<unsigned char>(c));
  return text;
}

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  refuse("its data are damaged");
}

std::vector<char> from_hex_text(const std::string& text) {
  std::vector<char> data(text.size() / 2);
  for (std::size_t i = 0; i < data.size(); ++i)
    data[i] = static_cast<char>(hex_digit(text[2 * i]) * 16 + hex_digit(text[2 * i + 1]));
  return data;
}

std::vector<std::int64_t> list_of(const dims& d) { return {d.begin(), d.end()}; }

dims dims_of(const json& j) {
  const auto list = j.get<std::vector<std::int64_t>>();
  if (list.size() > static_cast<std::size_t>(max_rank)) refuse("a shape is too long");
  return dims(std::span<const std::int64_t>(list));
}

dtype_id type_of(const std::string& name) {
  for (int i = 0; i < dtype_count; ++i)
    if (detail::dtype_table[i].name == name) return static_cast<dtype_id>(i);
  refuse(fmt::format("unknown dtype '{}'", name));
}

// ---- what must hold for a run to stay inside its memory ----

void check_place(const Repro& repro, const graph::Node& n, const Repro::Place& place) {
  if (place.shape.size() != n.rank || place.strides.size() != n.rank) refuse("the shape of an input does not fit its rank");
  std::int64_t low = place.offset, high = place.offset + static_cast<std::int64_t>(dtype(n.type).itemsize());
  bool empty = false, fits = place.offset >= 0;
  for (int axis = 0; axis < n.rank; ++axis) {
    std::int64_t reach = 0;
    empty |= place.shape[axis] == 0;
    fits &= place.shape[axis] >= 0 && !__builtin_mul_overflow(place.shape[axis] - 1, place.strides[axis], &reach);
    fits &= !__builtin_add_overflow(reach < 0 ? low : high, reach, reach < 0 ? &low : &high);
  }
  if (place.memory < 0 || place.memory >= static_cast<int>(repro.memories.size())) refuse("an input has no memory");
  if (!fits || (!empty && (low < 0 || high > repro.memories[static_cast<std::size_t>(place.memory)].bytes)))
    refuse("an input reaches beyond its memory");
}

void check_parts(const Repro& repro) {
  std::size_t inputs = 0;
  for (const graph::Node& n : repro.graph.nodes)
    if (n.kind == graph::NodeKind::input && inputs++ < repro.places.size()) check_place(repro, n, repro.places[inputs - 1]);
  if (repro.places.size() != inputs || repro.scalars.size() != repro.graph.scalars.size())
    refuse("its parts do not fit together");
  for (const ScalarValue& s : repro.scalars)
    if (s.kind == weak_kind::none || s.kind > weak_kind::complex_) refuse("a scalar has no kind");
}

Repro repro_of(const json& j) {
  if (const auto format = j.at("numjit_repro").get<int>(); format != repro_format)
    throw ValueError("repro", fmt::format("the file has format {}, this numjit reads {}.", format, repro_format));
  Repro repro;
  repro.function = j.at("function").get<std::string>();
  repro.layer = j.at("layer").get<std::string>();
  repro.fault = j.at("fault").get<std::string>();
  repro.fast_math = j.at("fast_math").get<bool>();
  repro.timeout_ms = j.at("compile_timeout_ms").get<std::int64_t>();
  repro.injected = j.at("injected").get<std::string>();
  repro.graph = graph::graph_from_json(j.at("graph").dump());
  for (const json& m : j.at("memories")) {
    Repro::Memory memory{m.at("bytes").get<std::int64_t>(), type_of(m.at("type").get<std::string>()), {}};
    if (m.contains("data")) memory.data = from_hex_text(m.at("data").get<std::string>());
    if (memory.bytes < 0 || memory.bytes > (std::int64_t{1} << 40) ||
        (!memory.data.empty() && static_cast<std::int64_t>(memory.data.size()) != memory.bytes))
      refuse("a memory's size is wrong");
    repro.memories.push_back(std::move(memory));
  }
  for (const json& p : j.at("places"))
    repro.places.push_back(
        {dims_of(p.at("shape")), dims_of(p.at("strides")), p.at("offset").get<std::int64_t>(), p.at("memory").get<int>()});
  for (const json& s : j.at("scalars"))
    repro.scalars.push_back({static_cast<weak_kind>(s.at(0).get<int>()), s.at(1).get<bool>(), s.at(2).get<std::int64_t>(),
                             std::bit_cast<double>(s.at(3).get<std::int64_t>()),
                             std::bit_cast<double>(s.at(4).get<std::int64_t>())});
  check_parts(repro);
  return repro;
}

bool write_file(const std::string& path, const std::string& text) {
  const std::string temporary = fmt::format("{}.{}", path, getpid());
  std::FILE* file = std::fopen(temporary.c_str(), "we");
  if (!file) return false;
  const bool whole = std::fwrite(text.data(), 1, text.size(), file) == text.size();
  return std::fclose(file) == 0 && whole && std::rename(temporary.c_str(), path.c_str()) == 0;
}

/// The program numjit of this installation.
std::optional<std::string> numjit_program() {
  for (const char* up : {"/../bin/numjit", "/../../bin/numjit"}) {
    std::string path = library_folder() + up;
    if (access(path.c_str(), X_OK) == 0) return path;
  }
  return detail::find_program("numjit");
}

/// Path of the minified repro, or of the one given if that did not succeed.
std::string minified(const std::string& path) {
  const auto program = numjit_program();
  if (!program) {
    detail::warn("the program numjit was not found: run numjit repro --minify " + path);
    return path;
  }
  const std::string smaller = path.substr(0, path.size() - 4) + "-min.npj";
  std::string said;
  const int status = detail::run_program({*program, "repro", "--minify", path, "-o", smaller}, &said,
                                         {"NUMJIT_REPRO_LEVEL=0", "NUMJIT_DEBUG=0", "NUMJIT_LOGS="});
  return status == 1 && access(smaller.c_str(), R_OK) == 0 ? smaller : path;
}

}  // namespace

std::string repro_to_json(const Repro& repro) {
  json j{{"numjit_repro", repro_format}, {"function", repro.function},
         {"layer", repro.layer},         {"fault", repro.fault},
         {"fast_math", repro.fast_math}, {"compile_timeout_ms", repro.timeout_ms},
         {"injected", repro.injected},   {"graph", json::parse(graph::graph_to_json(repro.graph))},
         {"memories", json::array()},    {"places", json::array()},
         {"scalars", json::array()}};
  std::int64_t data = 0;
  for (const Repro::Memory& m : repro.memories) data += static_cast<std::int64_t>(m.data.size());
  for (const Repro::Memory& m : repro.memories) {
    json memory{{"bytes", m.bytes}, {"type", dtype(m.type).name()}};
    if (!m.data.empty() && data <= most_data) memory["data"] = to_hex_text(m.data);
    j["memories"].push_back(std::move(memory));
  }
  for (const Repro::Place& p : repro.places)
    j["places"].push_back(
        {{"shape", list_of(p.shape)}, {"strides", list_of(p.strides)}, {"offset", p.offset}, {"memory", p.memory}});
  // Numbers as bits: JSON has no NaN.
  for (const ScalarValue& s : repro.scalars)
    j["scalars"].push_back(json::array({static_cast<int>(s.kind), s.above_int64, s.integer, std::bit_cast<std::int64_t>(s.real),
                                        std::bit_cast<std::int64_t>(s.imag)}));
  return j.dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
}

Repro repro_from_json(std::string_view text) {
  const json j = graph::parse_json<json>(text);
  if (j.is_discarded() || !j.is_object() || !j.contains("numjit_repro")) refuse("the file is no repro");
  try {
    return repro_of(j);
  } catch (const nlohmann::json::exception& e) {
    refuse(fmt::format("the file is damaged: {}", e.what()));
  }
}

std::string write_repro(const Repro& repro, bool minifies) noexcept {
  if (detail::repro_level.load(std::memory_order_relaxed) == 0) return "";
  try {
    const std::string text = repro_to_json(repro), folder = detail::repro_folder();
    const std::string base =
        fmt::format("{}/{}-{}", folder, detail::file_name_part(repro.function), to_hex(hash_text(text)).substr(0, 12));
    if (!detail::make_folders(folder) || !write_file(base + ".npj", text) || !write_file(base + ".cpp", repro_program(repro))) {
      detail::warn_once("repro " + folder, fmt::format("no repro can be written into {}.", folder));
      return "";
    }
    return minifies ? minified(base + ".npj") : base + ".npj";
  } catch (const std::exception& e) {
    detail::warn(fmt::format("no repro could be written: {}", e.what()));
    return "";
  }
}

void remove_repro(const std::string& path) noexcept {
  if (path.empty()) return;
  unlink(path.c_str());
  unlink((path.substr(0, path.size() - 4) + ".cpp").c_str());
}

std::string repro_hint(const std::string& path) {
  return path.empty() ? "" : fmt::format("{}numjit repro {}", repro_hint_start, path);
}

}  // namespace numjit::runtime
