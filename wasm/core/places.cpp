// Where in JavaScript an operation was called: asked of the host when a record is made or a break reported.
#include <cstring>

#include <numjit/base/config.h>
#include <numjit/base/location_provider.h>
#include <numjit/base/log.h>

#include "call.h"

#define NUMJIT_EXPORT(name) __attribute__((export_name(#name), used)) extern "C"

/// Writes "file\0function\0" and returns the line, 0 where it is not known.
extern "C" __attribute__((import_module("env"), import_name("nj_host_place"))) int nj_host_place(char* text, int capacity);

namespace numjit::js {
namespace {

location find_place() {
  char text[1024] = {};
  const int line = nj_host_place(text, sizeof text);
  if (line == 0) return {};
  return {detail::intern_text(text)->c_str(), detail::intern_text(text + std::strlen(text) + 1)->c_str(), line};
}

}  // namespace

NUMJIT_EXPORT(nj_ask_for_places) void nj_ask_for_places() { numjit::detail::location_provider = find_place; }

/// One bit per channel, in the order of log_channel.
NUMJIT_EXPORT(nj_set_logs) void nj_set_logs(unsigned channels) {
  auto on = [&](log_channel c) { return (channels >> static_cast<unsigned>(c) & 1) != 0; };
  set_logs({.graph_breaks = on(log_channel::graph_breaks),
            .recompiles = on(log_channel::recompiles),
            .guards = on(log_channel::guards),
            .graph = on(log_channel::graph),
            .code = on(log_channel::code),
            .schedule = on(log_channel::schedule),
            .cache = on(log_channel::cache),
            .perf_hints = on(log_channel::perf_hints)});
}

}  // namespace numjit::js
