// What the identifiers and classes of errors mean, as text: the pages that an installed program has at hand.
#include <fmt/format.h>

#include <numjit/base/error.h>
#include <numjit/trace/api/api.h>
#include <numjit/trace/state/breaks.h>

namespace numjit {
namespace {

struct ErrorRow {
  std::string_view name, base, when, hint;
};
constexpr ErrorRow error_rows[] = {
#define ERROR(name, base, when, hint) {#name, #base, when, hint},
#include <numjit/base/errors.def>
#undef ERROR
};

}  // namespace

std::string help(std::string_view topic) {
  for (const tracing::BreakRow& row : tracing::break_rows()) {
    if (row.id != topic) continue;
    tracing::BreakEvent any{static_cast<tracing::BreakId>(&row - tracing::break_rows().data()), "...", "", {}};
    return fmt::format(
        "{}: {}\n\n{}\n\nThe compiled function's graph ends here: what is pending runs, the program gets its value, and a "
        "new graph begins after it. Results are the same as without np::compile; only speed is lost. np::explain "
        "lists the breaks of a call with their lines and cost; with the option fullgraph a break is an error.\n\n"
        "Hint: {}\n",
        row.id, row.title, tracing::explanation(any), row.hint);
  }
  std::string known;
  for (const ErrorRow& row : error_rows) {
    if (row.name == topic) return fmt::format("{}\n\n{}\n\nHint: {}\n", row.name, row.when, row.hint);
    known += fmt::format(", {}", row.name);
  }
  throw ValueError("help",
                   fmt::format("unknown topic: got '{}', expected the identifier of a graph break, {} to {}, or a class of "
                               "errors{}.",
                               topic, tracing::break_rows().front().id, tracing::break_rows().back().id, known));
}

}  // namespace numjit
