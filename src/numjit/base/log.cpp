// Log channels and the sink that everything said to the user goes through.
#include <numjit/base/log.h>

#include <cstdio>
#include <mutex>
#include <string>
#include <unordered_set>
#include <vector>

#include <fmt/format.h>

#include <numjit/base/config.h>
#include <numjit/base/debug_folder.h>
#include <numjit/base/error.h>

namespace numjit {
namespace {

constexpr struct {
  const char* name;
  bool log_options::*field;
} channels[] = {
    {"graph_breaks", &log_options::graph_breaks},
    {"recompiles", &log_options::recompiles},
    {"guards", &log_options::guards},
    {"graph", &log_options::graph},
    {"code", &log_options::code},
    {"schedule", &log_options::schedule},
    {"cache", &log_options::cache},
    {"perf_hints", &log_options::perf_hints},
};
constexpr int channel_count = sizeof(channels) / sizeof(channels[0]);

struct sink_state {
  std::mutex mutex;
  std::function<void(std::string_view)> sink;
  std::mutex warned_mutex;
  std::unordered_set<std::string> warned;
};

sink_state& state() {
  static auto& instance = *new sink_state;  // entries may come while statics are being destroyed
  return instance;
}

constinit thread_local bool in_sink = false;
// Channels of the sink. log_mask has all of them while there is a debug folder to hear about them.
std::atomic<std::uint32_t> sink_mask{0};

void write_stderr(std::string_view text) {
  std::string lines = fmt::format("numjit: {}\n", text);
  std::fwrite(lines.data(), 1, lines.size(), stderr);
}

void note_in_debug_folder(std::string_view text) {
  if (detail::debugging()) detail::append_debug_file("log.txt", fmt::format("{}\n", text));
}

void emit(std::string_view text) {
  note_in_debug_folder(text);
  if (in_sink) return write_stderr(text);
  std::lock_guard lock(state().mutex);
  if (!state().sink) return write_stderr(text);
  in_sink = true;
  try {
    state().sink(text);
  } catch (...) {
    write_stderr(text);  // a sink that throws must not change what the program does
  }
  in_sink = false;
}

}  // namespace

void set_logs(log_options options) {
  config();  // NUMJIT_LOGS is read first, so that it can't override this later
  detail::store_logs(options);
}

void detail::store_logs(log_options options) {
  std::uint32_t mask = 0;
  for (int i = 0; i < channel_count; ++i)
    if (options.*channels[i].field) mask |= 1u << i;
  sink_mask.store(mask, std::memory_order_relaxed);
  log_mask.store(debugging() ? (1u << channel_count) - 1 : mask, std::memory_order_relaxed);
}

log_options logs() {
  std::uint32_t mask = sink_mask.load(std::memory_order_relaxed);
  log_options options;
  for (int i = 0; i < channel_count; ++i) options.*channels[i].field = (mask >> i & 1) != 0;
  return options;
}

void set_log_sink(std::function<void(std::string_view)> sink) {
  std::lock_guard lock(state().mutex);
  state().sink = std::move(sink);
}

namespace detail {

void log(log_channel channel, std::string_view text) {
  if (sink_mask.load(std::memory_order_relaxed) >> static_cast<unsigned>(channel) & 1)
    emit(text);
  else if (log_enabled(channel))
    note_in_debug_folder(text);
}

void warn(std::string_view text) { emit(text); }

bool warn_once(std::string_view key, std::string_view text) {
  {
    std::lock_guard lock(state().warned_mutex);
    if (!state().warned.emplace(key).second) return false;
  }
  warn(text);
  return true;
}

void forget_warnings() {
  std::lock_guard lock(state().warned_mutex);
  state().warned.clear();
}

log_options parse_logs(std::string_view text) {
  log_options options;
  while (!text.empty()) {
    std::size_t comma = text.find(',');
    std::string_view name = text.substr(0, comma);
    text = comma == std::string_view::npos ? std::string_view() : text.substr(comma + 1);
    bool known = name.empty() || name == "all";
    for (const auto& channel : channels) {
      if (name != channel.name && name != "all") continue;
      options.*channel.field = true;
      known = true;
    }
    if (known) continue;
    std::string names = "all";
    for (const auto& channel : channels) names += std::string(", ") + channel.name;
    throw ValueError(
        "config", fmt::format("NUMJIT_LOGS: got '{}', expected a comma list of {}.", name, names));
  }
  return options;
}

}  // namespace detail
}  // namespace numjit
