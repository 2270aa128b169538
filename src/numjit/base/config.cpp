// Settings: the table of fields, the environment that fills it, and per-thread scopes.
#include <numjit/base/config.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <limits>
#include <memory>
#include <mutex>
#include <set>
#include <span>
#include <utility>

#include <fmt/format.h>
#include <unistd.h>

#include <numjit/base/buffer_pool.h>
#include <numjit/base/cpu.h>
#include <numjit/base/debug_folder.h>
#include <numjit/base/device_name.h>
#include <numjit/base/error.h>
#include <numjit/base/fault.h>
#include <numjit/base/fusion.h>
#include <numjit/base/log.h>
#include <numjit/base/repro_level.h>
#include <numjit/base/scope_entry.h>
#include <numjit/base/thread_end.h>

namespace numjit::detail {

std::atomic<config_word> config_words[config_field_count];
constinit settings the_settings;
std::atomic<bool> config_loaded{false};

namespace {

enum class value_kind : std::uint8_t { boolean, integer, bytes, choice, text, device };

struct field_row {
  std::string_view name;
  value_kind kind;
  config_word low, high;      // integers
  std::string_view expected;  // what the error says; of a choice, the words
};

constexpr config_word most = std::numeric_limits<config_word>::max();
constexpr const char* truth = "0, 1, false or true";
constexpr const char* count = "an integer from 1 to 1000000";
constexpr const char* some_bytes = "a number of bytes such as 1073741824, 512MiB or 2GiB";

constexpr field_row rows[config_field_count] = {
#define SETTING(name, type, kind, low, high, initial, expected) {#name, value_kind::kind, low, high, expected},
#include <numjit/base/config.def>
#undef SETTING
};

std::string variable_of(const field_row& row) {
  std::string text = "NUMJIT_";
  for (char c : row.name) text += static_cast<char>(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
  return text;
}

// Variables that are not fields: read elsewhere in the library, or set by the build for its tests.
constexpr const char* other_variables[] = {
    "NUMJIT_LOGS",        "NUMJIT_TARGET",        "NUMJIT_ISA",        "NUMJIT_DEBUG",    "NUMJIT_DEBUG_FILES",
    "NUMJIT_REPRO_AFTER", "NUMJIT_REPRO_LEVEL",   "NUMJIT_FUSION",     "NUMJIT_FAULT",    "NUMJIT_RECORD",
    "NUMJIT_REPORT",      "NUMJIT_BUILD_DIR",     "NUMJIT_SOURCE_DIR", "NUMJIT_ACCURACY", "NUMJIT_DEVICE_MEMORY_LIMIT",
    "NUMJIT_CUDA_DRIVER", "NUMJIT_CUDA_LIBRARIES"};
constexpr int public_others = 11;

const field_row& row_of(config_field field) { return rows[static_cast<int>(field)]; }

[[noreturn]] void bad_value(const field_row& row, std::string_view source, const std::string& got) {
  throw ValueError("config", fmt::format("{}: got {}, expected {}.", source, got, row.expected));
}

bool is_text(const field_row& row) { return row.kind == value_kind::text || row.kind == value_kind::device; }

/// The word of a text setting, as an error prints it.
std::string word_text(const field_row& row, config_word word) {
  if (is_text(row))
    return fmt::format("'{}'", config_codec<std::string>::decode(word));
  return std::to_string(word);
}

bool valid(const field_row& row, config_word word) {
  if (!is_text(row)) return word >= row.low && word <= row.high;
  const std::string& text = config_codec<std::string>::decode(word);
  return row.kind == value_kind::device ? is_device_name(text) : text.find('\0') == std::string::npos;
}

/// The value may be asked for from here on. With `open`, a device has to be there.
void announce(const field_row& row, config_word word, bool open) {
  if (row.kind != value_kind::device) return;
  const std::string& name = config_codec<std::string>::decode(word);
  if (name == "cpu") return;
  if (open && open_config_device) open_config_device(name);
  config_names_device.store(true, std::memory_order_release);
}

void check(const field_row& row, std::string_view source, config_word word) {
  if (!valid(row, word)) bad_value(row, source, word_text(row, word));
  announce(row, word, true);
}

std::vector<std::string_view> choices_of(const field_row& row) {
  std::vector<std::string_view> choices;
  const std::size_t last = row.expected.find(" or ");
  for (std::size_t at = 0; at <= last;) {
    const std::size_t end = std::min(row.expected.find(", ", at), last);
    choices.push_back(row.expected.substr(at, end - at));
    at = end == last ? last + 1 : end + 2;
  }
  choices.push_back(row.expected.substr(last + 4));
  return choices;
}

std::optional<config_word> parse_integer(std::string_view text) {
  config_word value = 0;
  auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failure != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<config_word> parse(const field_row& row, std::string_view text) {
  switch (row.kind) {
    case value_kind::boolean:
      if (text == "1" || text == "true") return 1;
      if (text == "0" || text == "false") return 0;
      return std::nullopt;
    case value_kind::integer: return parse_integer(text);
    case value_kind::bytes: return parse_bytes(text);
    case value_kind::choice:
      for (int i = 0; const std::string_view choice : choices_of(row)) {
        if (text == choice) return i;
        ++i;
      }
      return std::nullopt;
    case value_kind::text:
    case value_kind::device: return config_codec<std::string>::encode(text);
  }
  return std::nullopt;
}

std::string default_cache_dir() {
  if (const char* base = std::getenv("XDG_CACHE_HOME"); base && base[0] == '/')
    return std::string(base) + "/numjit";
  if (const char* home = std::getenv("HOME"); home && home[0] == '/')
    return std::string(home) + "/.cache/numjit";
  return "off";
}

config_word default_word(config_field field) {
  switch (field) {
#define SETTING(name, type, kind, low, high, initial, ...) \
  case config_field::name:                                 \
    return config_codec<type>::encode(initial);
#include <numjit/base/config.def>
#undef SETTING
    case config_field::count_: break;
  }
  return 0;
}

void check_variable_name(std::string_view name) {
  for (const field_row& row : rows)
    if (name == variable_of(row)) return;
  for (const char* other : other_variables)
    if (name == other) return;
  std::string names;
  for (const field_row& row : rows) names += variable_of(row) + ", ";
  for (int i = 0; i < public_others; ++i)
    names += std::string(other_variables[i]) + (i + 1 < public_others ? ", " : ".");
  throw ValueError("config",
                   fmt::format("unknown environment variable {}: valid names are {}", name, names));
}

std::mutex load_mutex;

void load_config_locked() {
  for (char** entry = environ; entry && *entry; ++entry) {
    std::string_view text = *entry;
    if (text.starts_with("NUMJIT_")) check_variable_name(text.substr(0, text.find('=')));
  }
  config_word words[config_field_count];
  for (int i = 0; i < config_field_count; ++i) {
    const field_row& row = rows[i];
    const std::string variable = variable_of(row);
    const char* text = std::getenv(variable.c_str());
    if (!text) {
      words[i] = default_word(static_cast<config_field>(i));
      continue;
    }
    std::optional<config_word> word = parse(row, text);
    if (!word || !valid(row, *word)) bad_value(row, variable, fmt::format("'{}'", text));
    words[i] = *word;
  }
  log_options channels;
  if (const char* text = std::getenv("NUMJIT_LOGS")) channels = parse_logs(text);
  check_target(kernel_target());
  const char* faults = std::getenv("NUMJIT_FAULT");
  inject_fault(faults ? faults : "");
  // The code behind these is no part of the module that pages load first.
  if (const char* debug = std::getenv("NUMJIT_DEBUG"); debug || debugging()) set_debug(debug);
  if (const char* files = std::getenv("NUMJIT_DEBUG_FILES"); files || debugging()) set_debug_files(files);
  set_fusion(std::getenv("NUMJIT_FUSION"));
  set_repro(std::getenv("NUMJIT_REPRO_AFTER"), std::getenv("NUMJIT_REPRO_LEVEL"));
  // All or nothing: a bad variable must not leave half of the settings changed.
  for (int i = 0; i < config_field_count; ++i) {
    announce(rows[i], words[i], false);  // NUMJIT_DEVICE is opened by who uses it first
    config_words[i].store(words[i], std::memory_order_release);
  }
  store_logs(channels);
}

/// The overlay that a thread had before its first scope: that of a job's owner, on a thread of the pool.
constinit thread_local const config_overlay* overlay_below = nullptr;

template <class T>
void overlay_field(config_overlay& overlay, config_field field, const std::optional<T>& value) {
  if (!value) return;
  config_word word = config_codec<T>::encode(*value);
  check(row_of(field), row_of(field).name, word);
  overlay.set |= 1u << static_cast<int>(field);
  overlay.words[static_cast<int>(field)] = word;
}

}  // namespace

std::optional<std::int64_t> parse_bytes(std::string_view text) {
  std::size_t digits = text.find_first_not_of("0123456789");
  if (digits == std::string_view::npos) return parse_integer(text);
  static constexpr struct {
    const char* suffix;
    int shift;
  } units[] = {{"KiB", 10}, {"MiB", 20}, {"GiB", 30}, {"TiB", 40},
               {"K", 10},   {"M", 20},   {"G", 30},   {"T", 40}};
  std::optional<config_word> number = parse_integer(text.substr(0, digits));
  for (const auto& unit : units)
    if (number && text.substr(digits) == unit.suffix && *number <= (most >> unit.shift)) return *number << unit.shift;
  return std::nullopt;
}

constinit std::atomic<bool> config_names_device{false};
constinit DeviceOpener open_config_device = nullptr;

bool is_device_name(std::string_view name) {
  const std::size_t colon = name.find(':');
  const std::string_view kind = name.substr(0, colon);
  const std::string_view number = colon == std::string_view::npos ? "0" : name.substr(colon + 1);
  const bool known = kind == "cpu" || kind == "cuda" || kind == "opencl";
  return known && !number.empty() && number.size() <= 3 && number.find_first_not_of("0123456789") == std::string_view::npos;
}

std::vector<std::string_view> config_choices(config_field field) { return choices_of(row_of(field)); }

const std::string* intern_text(std::string_view text) {
  // Never freed: readers hold plain references without a lock.
  static std::mutex mutex;
  static auto& texts = *new std::set<std::string, std::less<>>;
  std::lock_guard lock(mutex);
  auto found = texts.find(text);
  return found != texts.end() ? &*found : &*texts.emplace(text).first;
}

void assign_config(config_field field, config_word word) {
  check(row_of(field), row_of(field).name, word);
  config();  // an assignment before the first read must not be overwritten by the environment
  config_words[static_cast<int>(field)].store(word, std::memory_order_release);
}

void load_config() {
  std::lock_guard lock(load_mutex);
  if (config_loaded.load(std::memory_order_relaxed)) return;
  load_config_locked();
  config_loaded.store(true, std::memory_order_release);
}

void reload_config() {
  std::lock_guard lock(load_mutex);
  config_loaded.store(false, std::memory_order_relaxed);
  load_config_locked();
  config_loaded.store(true, std::memory_order_release);
}

}  // namespace numjit::detail

namespace numjit {

namespace detail {

namespace {
// The memory of the scope that ended last on a thread: calls of functions with a float_mode of their own open one each.
constinit thread_local void* spare_entry = nullptr;
enum class Spare : std::uint8_t { unused, kept, over };
constinit thread_local Spare spare_state = Spare::unused;
}  // namespace

/// What one scope sets, and with it the scopes around it.
struct ConfigEntry final : ScopeEntry {
  ConfigEntry() : ScopeEntry(scope_kind::config) {}
  static void* operator new(std::size_t bytes) {
    return spare_entry ? std::exchange(spare_entry, nullptr) : ::operator new(bytes);
  }
  static void operator delete(void* entry) {
    if (spare_state == Spare::unused) {
      spare_state = Spare::kept;
      at_end_of_thread(nullptr, [](void*) {
        spare_state = Spare::over;
        ::operator delete(std::exchange(spare_entry, nullptr));
      });
    }
    if (spare_entry || spare_state == Spare::over)
      ::operator delete(entry);
    else
      spare_entry = entry;
  }
  void apply() noexcept override { own_context.overlay = merged(scope_of_kind<ConfigEntry>(scope_kind::config)); }
  static const config_overlay* merged(ConfigEntry* entry) noexcept {
    if (!entry) return overlay_below;
    entry->all.set = entry->own;
    if (const config_overlay* around = merged(scope_of_kind<ConfigEntry>(scope_kind::config, entry->outer()))) {
      entry->all.set |= around->set;
      for (int i = 0; i < config_field_count; ++i)
        if (!(entry->own >> i & 1)) entry->all.words[i] = around->words[i];
    }
    return &entry->all;
  }

  std::uint32_t own = 0;  // the fields that it sets itself, whose words never change
  config_overlay all;
};

namespace {

ConfigEntry* opened(std::unique_ptr<ConfigEntry> entry) {
  entry->own = entry->all.set;
  if (!scope_of_kind(scope_kind::config, innermost_scope)) overlay_below = own_context.overlay;
  open_scope(entry.get());
  return entry.release();
}
ConfigEntry* opened(const config_overlay& own) {
  auto entry = std::make_unique<ConfigEntry>();
  entry->all = own;
  return opened(std::move(entry));
}

ConfigEntry* opened(const config_options& options) {
  config();
  auto entry = std::make_unique<ConfigEntry>();
  config_overlay& overlay = entry->all;
#define SETTING(name, ...) overlay_field(overlay, config_field::name, options.name);
#include <numjit/base/config.def>
#undef SETTING
  return opened(std::move(entry));
}

}  // namespace
}  // namespace detail

config_scope::config_scope(const config_options& options) : entry_(detail::opened(options)) {}
config_scope::config_scope(const detail::config_overlay& overlay) : entry_(detail::opened(overlay)) {}
config_scope::~config_scope() { detail::end_scope(entry_); }

}  // namespace numjit
