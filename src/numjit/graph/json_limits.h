// JSON from files, with a limit of nesting: what walks through a value or copies it calls itself.
#pragma once

#include <iterator>
#include <string_view>

#include <nlohmann/json.hpp>

namespace numjit::graph {

/// The value, or a discarded one if the text is no JSON or nests deeper than anything numjit writes.
template <class Json = nlohmann::json>
Json parse_json(std::string_view text) {
  constexpr int deepest = 64;
  bool too_deep = false;
  Json parsed = Json::parse(
      text.begin(), text.end(),
      [&](int depth, nlohmann::detail::parse_event_t, Json&) {
        too_deep |= depth > deepest;
        return !too_deep;  // what is left out takes no memory
      },
      false);
  return too_deep ? Json(Json::value_t::discarded) : parsed;
}

}  // namespace numjit::graph
