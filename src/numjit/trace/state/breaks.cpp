// Texts of graph breaks.
#include <numjit/trace/state/breaks.h>

#include <fmt/format.h>

namespace numjit::tracing {
namespace {

constexpr BreakRow rows[] = {
#define BREAK(name, id, title, explanation, hint) {#name, id, title, explanation, hint},
#include <numjit/trace/state/breaks.def>
#undef BREAK
};

}  // namespace

std::span<const BreakRow> break_rows() { return rows; }
const BreakRow& break_row(BreakId id) { return rows[static_cast<int>(id)]; }

BreakId break_of(std::string_view reason) {
  if (reason == "bool") return BreakId::data_dependent_branch;
  if (reason == "data" || reason == "tolist" || reason == "sliding_window_view") return BreakId::memory_access;
  if (reason == "str" || reason == "repr" || reason == "print") return BreakId::printing;
  if (reason == "save" || reason == "savetxt" || reason == "tobytes") return BreakId::input_output;
  if (reason == "eval") return BreakId::evaluation;
  if (reason == "size") return BreakId::data_dependent_shape;
  return BreakId::scalar_read;
}

std::string explanation(const BreakEvent& event) {
  std::string text(break_row(event.id).explanation);
  const std::size_t at = text.find("{}");
  if (at == std::string::npos) return text;
  if (event.message.empty() && text.ends_with(": {}"))  // a sentence that only introduces the message
    return text.substr(0, text.rfind(". ", at) + 1);
  return text.replace(at, 2, event.message);
}

std::vector<std::string> user_stack(const BreakEvent& event) {
  std::vector<std::string> lines;
  for (const auto& [file, function, line] : event.frames) lines.push_back(fmt::format("{}:{} in {}", file, line, function));
  if (lines.empty()) lines.push_back(fmt::format("{}:{} in {}", event.where.file, event.where.line, event.where.function));
  return lines;
}

std::string break_text(const BreakEvent& event) {
  const BreakRow& row = break_row(event.id);
#ifdef __EMSCRIPTEN__
  const std::string more;  // pages have no help()
#else
  const std::string more = fmt::format("For more: np::help(\"{}\")\n", row.id);
#endif
  return fmt::format(
      "Graph break in user code at {}:{}\n"
      "Graph Break Reason: {}\n"
      "  Explanation: {}\n"
      "  Hint: {}\n"
      "  Developer debug context: {}\n"
      "{}"
      "User code traceback:\n"
      "  {}",
      event.where.file, event.where.line, row.title, explanation(event), row.hint, event.context, more,
      fmt::join(user_stack(event), "\n  "));
}

}  // namespace numjit::tracing
