// The folder that NUMJIT_DEBUG asks for: what was recorded, planned and compiled, as files for people.
#pragma once

#include <atomic>
#include <string>
#include <string_view>

namespace numjit::detail {

inline std::atomic<bool> debug_on{false};
/// Is a debug folder wanted? Guards the making of what would be written.
inline bool debugging() noexcept { return debug_on.load(std::memory_order_relaxed); }

/// What NUMJIT_DEBUG says: null, "" and "0" are off, "1" is a folder below default_debug_root(), an
/// absolute path is the folder to make it in. ValueError for other texts.
void set_debug(const char* text);

/// What NUMJIT_DEBUG_FILES says: kinds of files with commas between; null and "" are all. ValueError for unknown ones.
void set_debug_files(const char* text);
bool wants_debug_files(std::string_view kind);

/// <cache_dir>/debug; without a disk cache numjit/debug below XDG_STATE_HOME (~/.local/state).
std::string default_debug_root();

/// This process's folder, <root>/<date>-<time>-<pid>, made at the first call. "" while off, and if it
/// can't be made, which is said once.
std::string debug_folder();

/// Writes <folder>/<name>, with folders in between; replaces what is there. Nothing while off.
void write_debug_file(std::string_view name, std::string_view text) noexcept;
void append_debug_file(std::string_view name, std::string_view text) noexcept;

/// `text` with all but letters, digits, '-' and '_' replaced by '_', cut to 60: part of a file's name.
std::string file_name_part(std::string_view text);

/// Makes a folder and those above it, for this user only. False if that fails (errno says why).
bool make_folders(const std::string& folder);

}  // namespace numjit::detail
