// Graphs and plans in logs and in the debug folder.
#include <numjit/trace/record/debug_graph.h>

#include <mutex>
#include <optional>
#include <unordered_set>

#include <fmt/format.h>

#include <numjit/base/debug_folder.h>
#include <numjit/base/log.h>
#include <numjit/base/subprocess.h>
#include <numjit/graph/dot.h>
#include <numjit/graph/graph_file.h>
#include <numjit/trace/state/function_state.h>

namespace numjit::tracing {
namespace {

/// Texts said since the last np::reset().
bool is_new(const std::string& text) {
  static std::mutex mutex;
  static auto& seen = *new std::unordered_set<std::string>;
  static std::uint64_t generation = 0;
  std::lock_guard lock(mutex);
  if (generation != reset_generation()) seen.clear();
  generation = reset_generation();
  return seen.insert(text).second;
}

void log_hints(const std::string& function, const runtime::Plan& plan, const runtime::RunInputs& inputs) {
  for (const runtime::PlanHint& hint : plan.hints(inputs)) {
    const std::string text =
        fmt::format("performance hint at {}:{} in {}: {}", hint.where.file, hint.where.line, function, hint.text);
    if (is_new(text)) detail::log(log_channel::perf_hints, text);
  }
}

/// The next file number of this process's debug folder.
int next_number() {
  static std::mutex mutex;
  static auto& folder = *new std::string;
  static int number = 0;
  std::lock_guard lock(mutex);
  if (folder != detail::debug_folder()) number = 0;
  folder = detail::debug_folder();
  return number++;
}

void draw(const std::string& base) {
  const auto program = detail::wants_debug_files("pictures") ? detail::find_program("dot") : std::nullopt;
  if (!program) return;
  const std::string path = detail::debug_folder() + "/" + base;
  std::string said;
  detail::run_program({*program, "-Tsvg", path + ".dot", "-o", path + ".svg"}, &said);
}

/// The text of a graph with the line of the program behind each operation.
std::string text_with_places(const graph::Graph& graph) {
  std::string text;
  std::size_t node = 0;
  for (const char c : graph::to_text(graph)) {
    if (c == '\n' && node < graph.nodes.size()) {
      const location& where = graph.nodes[node++].where;
      if (where.line != 0) text += fmt::format("  # {}:{}", where.file, where.line);
    }
    text += c;
  }
  return text;
}

void write_files(const std::string& function, const graph::Graph& graph, const runtime::Plan& plan) {
  const std::string text = graph::to_text(graph), steps = plan.to_text();
  if (!is_new(detail::debug_folder() + function + text + steps)) return;
  const std::string base = fmt::format("graphs/{:03}-{}", next_number(), detail::file_name_part(function));
  std::vector<graph::DotGroup> groups;
  int kernels = 0;
  for (const runtime::StepInfo& step : plan.steps())
    if (step.schedule != "eager") groups.push_back({fmt::format("kernel {}", kernels++), step.nodes});
  detail::write_debug_file(base + ".txt", text_with_places(graph));
  detail::write_debug_file(base + ".plan.txt", steps);
  detail::write_debug_file(base + ".dot", graph::to_dot(graph, function, groups));
  draw(base);
  try {
    detail::write_debug_file(base + ".json", graph::graph_to_json(graph));
  } catch (const error&) {
    // A graph with a black box has no such form; the text shows it.
  }
}

}  // namespace

void report_plan(const std::string& function, const graph::Graph& graph, const runtime::Plan& plan,
                 const runtime::RunInputs& inputs) {
  if (detail::log_enabled(log_channel::perf_hints)) log_hints(function, plan, inputs);
  if (!detail::debugging()) return;
  try {
    write_files(function, graph, plan);
  } catch (const error& e) {
    detail::warn(fmt::format("the graph of {} can't be written: {}", function, e.what()));
  }
}

}  // namespace numjit::tracing
