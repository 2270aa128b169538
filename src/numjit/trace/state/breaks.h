// Graph breaks: kinds, texts and counting.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <numjit/base/location.h>

namespace numjit::tracing {

enum class BreakId : std::uint8_t {
#define BREAK(name, ...) name,
#include <numjit/trace/state/breaks.def>
#undef BREAK
};

/// A row of breaks.def.
struct BreakRow {
  std::string_view name, id, title, explanation, hint;
};
std::span<const BreakRow> break_rows();
const BreakRow& break_row(BreakId id);

/// Which break it is to ask for a value: `reason` as the read hooks give it ("bool", "item", "data", ...).
BreakId break_of(std::string_view reason);

/// One break as it happened.
struct BreakEvent {
  BreakId id;
  std::string message;  // fills {} of the explanation
  std::string context;  // "bool(float64[]) of node %7 = sum(...)"
  location where;
  std::vector<location> frames = {};  // of the user's code down to `where`, where they are asked for
};

/// The explanation with the event's message in place of {}.
std::string explanation(const BreakEvent& event);

/// "model.py:12 in step" of each frame that is told of: all where they were asked for, else the innermost.
std::vector<std::string> user_stack(const BreakEvent& event);

/// The full text of the log entry, the error and the docs page.
std::string break_text(const BreakEvent& event);

}  // namespace numjit::tracing
