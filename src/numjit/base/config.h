// Settings: one process-wide object, its environment variables, and scopes that overlay it per
// thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <numjit/base/thread_context.h>

namespace numjit {

/// When kernels are compiled: behind the running program, or before a call goes on.
enum class compile_mode : std::uint8_t { async, sync };

/// `exact`: the same bits everywhere (docs/numerics.md). `fast`: FMA, reassociation,
/// approximations.
enum class float_mode : std::uint8_t { exact, fast };
enum class recompute_mode : std::uint8_t { never, cheap, all };
/// Who puts kernels into memory.
enum class linker_choice : std::uint8_t { built_in, system };

namespace detail {

enum class config_field : std::uint8_t {
#define SETTING(name, ...) name,
#include <numjit/base/config.def>
#undef SETTING
  count_,
};
inline constexpr int config_field_count = static_cast<int>(config_field::count_);

/// Every value fits a word; strings are pointers to interned, immortal texts.
using config_word = std::int64_t;

struct ConfigEntry;

/// The settings that scopes of one thread override.
struct config_overlay {
  std::uint32_t set = 0;  // bit per field
  config_word words[config_field_count] = {};
};

extern std::atomic<config_word> config_words[config_field_count];

inline config_word read_config(config_field field) noexcept {
  int i = static_cast<int>(field);
  const config_overlay* overlay = own_context.overlay;
  if (overlay && (overlay->set >> i & 1)) return overlay->words[i];
  return config_words[i].load(std::memory_order_acquire);
}

/// Stores a process-wide value. ValueError if it is not valid for the field.
void assign_config(config_field field, config_word word);

/// The words of a setting that is a choice, in the order of its enumerators.
std::vector<std::string_view> config_choices(config_field field);

/// The text's immortal copy, the same for equal ones.
const std::string* intern_text(std::string_view text);

template <class T>
struct config_codec {
  using value = T;
  static T decode(config_word word) noexcept { return static_cast<T>(word); }
  static config_word encode(T value) { return static_cast<config_word>(value); }
};
template <>
struct config_codec<std::string> {
  using value = const std::string&;
  static const std::string& decode(config_word word) noexcept {
    return *reinterpret_cast<const std::string*>(word);
  }
  static config_word encode(std::string_view text) { return reinterpret_cast<config_word>(intern_text(text)); }
};

}  // namespace detail

/// One field of config(): reads like its value, and checks what is assigned.
///
///     numjit::config().threads = 4;
///     int n = numjit::config().threads;
///     numjit::config().threads = -1;   // ValueError: [config] threads: got -1, expected an
///     integer
///                                      // from 0 to 1024 (0 = all cores).
///
/// Reading sees this thread's config_scope, assigning changes the process-wide value.
template <class T>
class setting {
 public:
  using value_type = T;
  constexpr explicit setting(detail::config_field field) : field_(field) {}
  setting(const setting&) = delete;
  setting& operator=(const setting&) = delete;

  typename detail::config_codec<T>::value get() const noexcept {
    return detail::config_codec<T>::decode(detail::read_config(field_));
  }
  operator typename detail::config_codec<T>::value() const noexcept { return get(); }
  setting& operator=(const T& value) {
    detail::assign_config(field_, detail::config_codec<T>::encode(value));
    return *this;
  }

 private:
  detail::config_field field_;
};

/// The settings: the rows of config.def. At start each is read from the environment variable NUMJIT_<FIELD>.
struct settings {
#define SETTING(name, type, ...) setting<type> name{detail::config_field::name};
#include <numjit/base/config.def>
#undef SETTING
};

namespace detail {
extern settings the_settings;
extern std::atomic<bool> config_loaded;
void load_config();
}  // namespace detail

/// The process-wide settings. The first call reads the environment; a NUMJIT_ variable that is
/// unknown or has a bad value is a ValueError that lists what is valid, thrown by each call until
/// it is mended.
inline settings& config() {
  if (!detail::config_loaded.load(std::memory_order_acquire)) detail::load_config();
  return detail::the_settings;
}

/// What a config_scope sets; fields left out keep their value.
struct config_options {
#define SETTING(name, type, ...) std::optional<type> name = {};
#include <numjit/base/config.def>
#undef SETTING
};

/// Overlays settings on this thread until the scope ends; of scopes that are open, the one opened last holds. Like every scope
/// of numjit it may end before scopes that were opened after it, and takes along what it set and nothing else; and it may
/// end on another thread: the thread that opened it drops it when it next opens or ends a scope or begins a compiled call.
///
///     numjit::config_scope scope({.compile = numjit::compile_mode::sync, .threads = 1});
class [[nodiscard]] config_scope {
 public:
  explicit config_scope(const config_options& options);
  /// Continues another thread's scopes (captured by detail::captured_config) on this one.
  explicit config_scope(const detail::config_overlay& overlay);
  ~config_scope();
  config_scope(const config_scope&) = delete;
  config_scope& operator=(const config_scope&) = delete;

 private:
  detail::ConfigEntry* entry_;
};

namespace detail {
/// This thread's overlay, to be handed to a job that runs elsewhere (job_context.h takes it along with the rest).
inline config_overlay captured_config() { return own_context.overlay ? *own_context.overlay : config_overlay{}; }

/// "1048576", "512MiB", "2G" in bytes; nullopt for anything else.
std::optional<std::int64_t> parse_bytes(std::string_view text);

/// Reads the environment again, as at start: for tests.
void reload_config();
}  // namespace detail
}  // namespace numjit
