// Programs as JSON, and the checks of what is read.
#include <set>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <numjit/base/config.h>
#include <numjit/base/error.h>
#include <numjit/graph/graph_file.h>
#include <numjit/graph/json_limits.h>
#include <numjit/trace/export/program.h>

namespace numjit::tracing {
namespace {

using json = nlohmann::ordered_json;
using Kind = ProgramStep::Kind;

[[noreturn]] void refuse(const std::string& what) { throw OSError("load_function", "the bundle is damaged: " + what); }

std::string hex(const std::string& bytes) {
  std::string text;
  for (char c : bytes) text += fmt::format("{:02x}", static_cast<unsigned char>(c));
  return text;
}

std::string unhex(const std::string& text) {
  std::string bytes;
  for (std::size_t i = 0; i + 1 < text.size(); i += 2) bytes += static_cast<char>(std::stoi(text.substr(i, 2), nullptr, 16));
  return bytes;
}

json to_json(const ProgramSource& s) {
  constexpr const char* letters[] = {"none", "argument", "computed", "constant"};
  return json::array({letters[static_cast<int>(s.kind)], s.at});
}

ProgramSource source_of(const json& j) {
  const auto kind = j.at(0).get<std::string>();
  const auto at = j.at(1).get<std::uint32_t>();
  if (kind == "none") return {};
  if (kind == "argument") return {ProgramSource::Kind::argument, at};
  if (kind == "computed") return {ProgramSource::Kind::computed, at};
  if (kind == "constant") return {ProgramSource::Kind::constant, at};
  refuse("a source of unknown kind");
}

json to_json(const std::vector<ProgramSource>& sources) {
  json list = json::array();
  for (const ProgramSource& s : sources) list.push_back(to_json(s));
  return list;
}

std::vector<ProgramSource> sources_of(const json& j) {
  std::vector<ProgramSource> sources;
  for (const json& s : j) sources.push_back(source_of(s));
  return sources;
}

// Reals go by their bits: every NaN and -0.0 comes back.
json to_json(const runtime::ScalarValue& v) {
  return json::array({static_cast<int>(v.kind), v.above_int64, v.integer, std::bit_cast<std::int64_t>(v.real),
                      std::bit_cast<std::int64_t>(v.imag)});
}

runtime::ScalarValue scalar_of(const json& j) {
  const int kind = j.at(0).get<int>();
  if (kind < 1 || kind > static_cast<int>(weak_kind::complex_)) refuse("a scalar of unknown kind");
  return {static_cast<weak_kind>(kind), j.at(1).get<bool>(), j.at(2).get<std::int64_t>(),
          std::bit_cast<double>(j.at(3).get<std::int64_t>()), std::bit_cast<double>(j.at(4).get<std::int64_t>())};
}

json to_json(const SizedWord& w) {
  json sizes = json::array();
  for (auto [argument, axis] : w.term.sizes) sizes.push_back(json::array({argument, axis}));
  return json{{"node", w.node},          {"scalar", w.scalar},      {"word", w.word},
              {"factor", w.term.factor}, {"offset", w.term.offset}, {"sizes", sizes}};
}

SizedWord sized_of(const json& j) {
  SizedWord w;
  w.node = j.at("node").get<std::int32_t>();
  w.scalar = j.at("scalar").get<std::int32_t>();
  w.word = j.at("word").get<std::uint32_t>();
  w.term.factor = j.at("factor").get<std::int64_t>();
  w.term.offset = j.at("offset").get<std::int64_t>();
  for (const json& s : j.at("sizes")) w.term.sizes.emplace_back(s.at(0).get<std::uint32_t>(), s.at(1).get<std::uint32_t>());
  return w;
}

json dims_json(const dims& d) { return json(std::vector<std::int64_t>(d.begin(), d.end())); }

json step_json(const ProgramStep& step, bool successors) {
  json j;
  switch (step.kind) {
    case Kind::results: return json{{"results", to_json(step.results)}};
    case Kind::read:
      j = json{{"read", step.what},
               {"of", to_json(step.of)},
               {"type", dtype(step.type).name()},
               {"at", json::array({step.where.file, step.where.line, step.where.function})}};
      if (!successors) return j;
      j["known"] = json::array();
      for (const auto& [value, next] : step.known) j["known"].push_back(json::array({hex(value), next}));
      return j;
    case Kind::graph: break;
  }
  j["graph"] = json::parse(graph::graph_to_json(step.graph));
  j["scalars"] = json::array();
  for (const auto& s : step.scalars) j["scalars"].push_back(to_json(s));
  j["inputs"] = to_json(step.inputs);
  j["sized"] = json::array();
  for (const SizedWord& w : step.sized) j["sized"].push_back(to_json(w));
  if (successors) j["next"] = step.next;
  return j;
}

dtype_id type_named(const std::string& name) {
  for (int type = 0; type < dtype_count; ++type)
    if (numjit::detail::dtype_table[type].name == name) return static_cast<dtype_id>(type);
  refuse(fmt::format("unknown dtype '{}'", name));
}

location place_of(const json& at) {
  return {numjit::detail::intern_text(at.at(0).get<std::string>())->c_str(),
          numjit::detail::intern_text(at.at(2).get<std::string>())->c_str(), at.at(1).get<int>()};
}

ProgramStep step_of(const json& j) {
  ProgramStep step;
  if (j.contains("results")) {
    step.results = sources_of(j.at("results"));
    return step;
  }
  if (j.contains("read")) {
    step.kind = Kind::read;
    step.what = j.at("read").get<std::string>();
    step.of = source_of(j.at("of"));
    step.type = type_named(j.at("type").get<std::string>());
    step.where = place_of(j.at("at"));
    for (const json& known : j.at("known"))
      step.known.emplace_back(unhex(known.at(0).get<std::string>()), known.at(1).get<int>());
    return step;
  }
  step.kind = Kind::graph;
  step.graph = graph::graph_from_json(j.at("graph").dump());
  for (const json& s : j.at("scalars")) step.scalars.push_back(scalar_of(s));
  step.inputs = sources_of(j.at("inputs"));
  for (const json& w : j.at("sized")) step.sized.push_back(sized_of(w));
  step.next = j.at("next").get<int>();
  return step;
}

json entry_json(const ProgramEntry& e) {
  json arguments = json::array();
  for (const ProgramArgument& a : e.arguments)
    arguments.push_back(json{{"type", dtype(a.type).name()}, {"shape", dims_json(a.shape)}, {"free", a.free}});
  return json{
      {"arguments", arguments}, {"values", e.values}, {"pattern", e.pattern}, {"least_free", e.least_free}, {"first", e.first}};
}

ProgramEntry entry_of(const json& j) {
  ProgramEntry entry;
  for (const json& a : j.at("arguments")) {
    ProgramArgument argument;
    argument.type = type_named(a.at("type").get<std::string>());
    const auto shape = a.at("shape").get<std::vector<std::int64_t>>();
    if (shape.size() > static_cast<std::size_t>(max_rank)) refuse("too many axes");
    argument.shape = dims(shape.data(), static_cast<int>(shape.size()));
    argument.free = a.at("free").get<std::uint16_t>();
    entry.arguments.push_back(argument);
  }
  entry.values = j.at("values").get<std::vector<std::uint64_t>>();
  entry.pattern = j.at("pattern").get<std::vector<std::int64_t>>();
  if (!entry.pattern.empty() && entry.pattern.size() != 2 * entry.arguments.size()) refuse("a pattern of other length");
  entry.least_free = j.at("least_free").get<std::int64_t>();
  entry.first = j.at("first").get<int>();
  return entry;
}

// ---- checks ----

struct Checker {
  const Program& program;
  const ProgramEntry* entry = nullptr;
  std::set<int> reached{};

  void source(const ProgramSource& s, std::size_t computed) const {
    using SourceKind = ProgramSource::Kind;
    const bool there = s.kind == SourceKind::none || (s.kind == SourceKind::argument && s.at < entry->arguments.size()) ||
                       (s.kind == SourceKind::computed && s.at < computed) ||
                       (s.kind == SourceKind::constant && s.at < program.constants.size());
    if (!there) refuse("a source that does not exist");
  }

  void sized(const ProgramStep& step) const {
    for (const SizedWord& w : step.sized) {
      const bool scalar = w.scalar >= 0 && static_cast<std::size_t>(w.scalar) < step.scalars.size() && w.node < 0;
      const bool word = w.scalar < 0 && w.node >= 0 && static_cast<std::size_t>(w.node) < step.graph.nodes.size() &&
                        std::cmp_less(w.word, step.graph.nodes[static_cast<std::size_t>(w.node)].params.size());
      if (!scalar && !word) refuse("a size for a parameter that does not exist");
      for (auto [argument, axis] : w.term.sizes)
        if (argument >= entry->arguments.size() || std::cmp_greater_equal(axis, entry->arguments[argument].shape.size()))
          refuse("a size of an axis that does not exist");
    }
  }

  /// Checks one step; adds its outputs to `computed`.
  void step(const ProgramStep& step, std::size_t& computed) const {
    for (const ProgramSource& s : step.results) source(s, computed);
    if (step.kind == Kind::read) {
      source(step.of, computed);
      if (step.of.kind == ProgramSource::Kind::none) refuse("a read of nothing");
      const bool truth = step.what == "bool" || step.type == dtype_id::bool_;
      for (const auto& [value, next] : step.known) {
        if (value.size() != (truth ? 1 : dtype(step.type).itemsize())) refuse("a read value of another size");
        if (truth && value[0] != '\0' && value[0] != '\1') refuse("a read truth value that is neither 0 nor 1");
      }
    }
    if (step.kind != Kind::graph) return;
    std::size_t inputs = 0, outputs = 0;
    for (const graph::Node& n : step.graph.nodes) {
      inputs += n.kind == graph::NodeKind::input;
      outputs += n.live;
      if (n.live && n.kind == graph::NodeKind::input) refuse("an input as output");
    }
    if (inputs != step.inputs.size()) refuse("a graph with other inputs");
    if (step.scalars.size() != step.graph.scalars.size()) refuse("a graph with other scalars");
    for (const ProgramSource& s : step.inputs) {
      source(s, computed);
      if (s.kind == ProgramSource::Kind::none) refuse("an empty input");
    }
    sized(step);
    computed += outputs;
  }

  void walk(int first) {
    struct Place {
      int at;
      std::size_t computed;
    };
    std::vector<Place> open{{first, 0}};
    auto follow = [&](int from, int to, std::size_t computed) {
      if (to <= from || static_cast<std::size_t>(to) >= program.steps.size()) refuse("a step that leads nowhere");
      open.push_back({to, computed});
    };
    if (first < 0 || static_cast<std::size_t>(first) >= program.steps.size()) refuse("an entry that leads nowhere");
    while (!open.empty()) {
      Place place = open.back();
      open.pop_back();
      if (!reached.insert(place.at).second) refuse("a step with two predecessors");
      const ProgramStep& s = program.steps[static_cast<std::size_t>(place.at)];
      step(s, place.computed);
      if (s.kind == Kind::graph) follow(place.at, s.next, place.computed);
      for (const auto& known : s.known) follow(place.at, known.second, place.computed);
    }
  }
};

}  // namespace

std::string step_key(const ProgramStep& given) {
  ProgramStep step = given;
  for (const SizedWord& w : step.sized) {
    if (w.scalar >= 0) {
      set_size(step.scalars[static_cast<std::size_t>(w.scalar)], 0);
    } else {
      op_params& params = step.graph.nodes[static_cast<std::size_t>(w.node)].params;
      params = with_word(params, static_cast<int>(w.word), 0);
    }
  }
  return step_json(step, false).dump(-1, ' ', false, json::error_handler_t::replace);
}

std::string program_to_json(const Program& program) {
  json j{{"name", program.name},
         {"float_mode", program.fast ? "fast" : "exact"},
         {"entries", json::array()},
         {"steps", json::array()}};
  for (const ProgramEntry& entry : program.entries) j["entries"].push_back(entry_json(entry));
  for (const ProgramStep& step : program.steps) j["steps"].push_back(step_json(step, true));
  return j.dump(-1, ' ', false, json::error_handler_t::replace);
}

Program program_from_json(std::string_view text, std::vector<array> constants) {
  const json j = graph::parse_json<json>(text);
  if (j.is_discarded() || !j.is_object()) refuse("its program is no JSON");
  Program program;
  program.constants = std::move(constants);
  try {
    program.name = j.at("name").get<std::string>();
    program.fast = j.at("float_mode").get<std::string>() == "fast";
    for (const json& entry : j.at("entries")) program.entries.push_back(entry_of(entry));
    for (const json& step : j.at("steps")) program.steps.push_back(step_of(step));
  } catch (const nlohmann::json::exception& e) {
    refuse(e.what());
  } catch (const std::logic_error& e) {  // of stoi
    refuse("a value that is no hexadecimal number");
  }
  Checker checker{program};
  for (const ProgramEntry& entry : program.entries) {
    checker.entry = &entry;
    checker.walk(entry.first);
  }
  return program;
}

}  // namespace numjit::tracing
