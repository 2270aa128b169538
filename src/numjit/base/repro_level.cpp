// Settings of reproductions.
#include <numjit/base/repro_level.h>

#include <string_view>

#include <fmt/format.h>

#include <numjit/base/debug_folder.h>
#include <numjit/base/error.h>

namespace numjit::detail {

void set_repro(const char* after, const char* level) {
  const std::string_view layer = after ? after : "halide", number = level ? level : "1";
  if (layer != "graph" && layer != "halide")
    throw ValueError("config",
                     fmt::format("NUMJIT_REPRO_AFTER: got '{}', expected graph or halide.", layer));
  if (number.size() != 1 || number[0] < '0' || number[0] > '4')
    throw ValueError("config", fmt::format("NUMJIT_REPRO_LEVEL: got '{}', expected an integer from 0 to 4 (0 = "
                                           "no files).",
                                           number));
  repro_after_graph.store(layer == "graph", std::memory_order_relaxed);
  repro_level.store(number[0] - '0', std::memory_order_relaxed);
}

std::string repro_folder() {
  if (const std::string folder = debug_folder(); !folder.empty()) return folder + "/repro";
  const std::string root = default_debug_root();  // ".../debug"
  return root.substr(0, root.size() - std::string_view("debug").size()) + "repro";
}

}  // namespace numjit::detail
