// Log channels and warnings: what numjit tells the user, off by default, through a replaceable
// sink.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string_view>

namespace numjit {

/// Which channels are on. `set_logs({.graph_breaks = true})`.
struct log_options {
  bool graph_breaks = false;
  bool recompiles = false;
  bool guards = false;
  bool graph = false;
  bool code = false;
  bool schedule = false;
  bool cache = false;
  bool perf_hints = false;
  friend bool operator==(const log_options&, const log_options&) = default;
};

enum class log_channel : std::uint8_t {
  graph_breaks,
  recompiles,
  guards,
  graph,
  code,
  schedule,
  cache,
  perf_hints,
};

/// Replaces the whole setting: `set_logs({})` is off. At start the channels are those of
/// NUMJIT_LOGS (a comma list of channel names, or `all`).
void set_logs(log_options options);

/// The channels that are on.
log_options logs();

/// Sends every log entry and warning to `sink`, without prefix and without a final newline. Calls
/// are serialised; a call from inside a sink goes to stderr. An empty function restores the
/// default, which writes "numjit: <text>" lines to stderr.
void set_log_sink(std::function<void(std::string_view)> sink);

namespace detail {

inline std::atomic<std::uint32_t> log_mask{0};

/// Cheap enough to guard the making of the text: `if (log_enabled(log_channel::cache)) log(...)`.
inline bool log_enabled(log_channel channel) {
  return log_mask.load(std::memory_order_relaxed) >> static_cast<unsigned>(channel) & 1;
}

/// Writes an entry (one or more lines) if the channel is on.
void log(log_channel channel, std::string_view text);

/// Writes a warning: always on, through the same sink.
void warn(std::string_view text);

/// Writes the warning the first time `key` is seen, until forget_warnings(). True if it was
/// written.
bool warn_once(std::string_view key, std::string_view text);

/// Forgets which warnings were given (np::reset()).
void forget_warnings();

/// set_logs() without a look at the environment.
void store_logs(log_options options);

/// Channels from the text of NUMJIT_LOGS. ValueError listing the valid names.
log_options parse_logs(std::string_view text);

}  // namespace detail
}  // namespace numjit
