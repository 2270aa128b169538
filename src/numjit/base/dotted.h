// Names of numjit in texts, as Python and JavaScript write them.
#pragma once

#include <string>
#include <string_view>

namespace numjit::detail {

/// "Use np.where" of "Use np::where".
inline std::string dotted(std::string_view text) {
  constexpr std::string_view name = "np::";
  std::string made;
  for (std::size_t at; (at = text.find(name)) != std::string_view::npos; text.remove_prefix(at + name.size())) {
    made += text.substr(0, at);
    made += "np.";
  }
  return made += text;
}

}  // namespace numjit::detail
