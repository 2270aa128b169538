// Frames of C++ by GCC's libbacktrace, which reads them and their lines from debug information.
#include <numjit/base/user_frames.h>

#ifdef NUMJIT_HAVE_BACKTRACE
#include <backtrace.h>
#include <cxxabi.h>
#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>

#include <numjit/base/config.h>
#endif

namespace numjit::detail {

std::vector<location> (*user_frames_provider)() = nullptr;

#ifdef NUMJIT_HAVE_BACKTRACE
namespace {

/// A function of this library or of the standard one, by the name that the linker knows it by.
bool is_library_function(std::string_view name) {
  for (std::string_view start : {"_ZN", "_ZNK", "_ZZN", "_ZZNK"})
    if (name.starts_with(start)) {
      const std::string_view in = name.substr(start.size());
      if (in.starts_with("6numjit") || in.starts_with("St") || in.starts_with("9__gnu_cxx")) return true;
    }
  return name.starts_with("_ZSt");
}

/// "model" of "model(numjit::array const&)".
std::string without_parameters(std::string name) {
  if (name.ends_with(" const")) name.resize(name.size() - 6);
  if (!name.ends_with(')')) return name;
  int open = 0;
  for (std::size_t i = name.size(); i-- > 0;) {
    open += name[i] == ')' ? 1 : name[i] == '(' ? -1 : 0;
    if (open == 0) return name.substr(0, i);
  }
  return name;
}

std::string readable_name(const char* name) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(abi::__cxa_demangle(name, nullptr, nullptr, &status), &std::free);
  return status == 0 ? without_parameters(text.get()) : name;
}

/// Is it code of libnumjit.so? Some of its functions are known by plain names.
bool is_of_this_library(std::uintptr_t code) {
  Dl_info info;
  return dladdr(reinterpret_cast<void*>(code), &info) != 0 && info.dli_fname &&
         std::string_view(info.dli_fname).find("libnumjit.so") != std::string_view::npos;
}

int keep_frame(void* frames, std::uintptr_t code, const char* file, int line, const char* function) {
  const bool begins_program = function && std::string_view(function).starts_with("__libc_start");
  if (!file || !function || begins_program || is_library_function(function) || is_of_this_library(code)) return 0;
  auto& kept = *static_cast<std::vector<location>*>(frames);
  kept.push_back({intern_text(file)->c_str(), intern_text(readable_name(function))->c_str(), line});
  return 0;
}

void pass_over(void*, const char*, int) {}  // a part without debug information

backtrace_state* program_symbols() {
  static backtrace_state* const state = backtrace_create_state(nullptr, 1, pass_over, nullptr);
  return state;
}

void keep_name(void* name, std::uintptr_t code, const char* symbol, std::uintptr_t value, std::uintptr_t) {
  if (!symbol || code != value) return;
  std::string full = readable_name(symbol);
  if (full.find("operator") == std::string::npos)
    full.resize(std::min(full.find('<'), full.size()));  // without arguments of templates
  if (const std::size_t scope = full.rfind("::"); scope != std::string::npos) full.erase(0, scope + 2);
  full.erase(0, full.rfind(' ') + 1);  // templates come with the type of their result
  *static_cast<std::string*>(name) = std::move(full);
}

}  // namespace

std::vector<location> user_frames() {
  if (user_frames_provider) return user_frames_provider();
  std::vector<location> frames;
  backtrace_full(program_symbols(), 1, keep_frame, pass_over, &frames);
  std::reverse(frames.begin(), frames.end());
  return frames;
}

std::string function_name_at(const void* code) {
  std::string name;
  backtrace_syminfo(program_symbols(), reinterpret_cast<std::uintptr_t>(code), keep_name, pass_over, &name);
  return name;
}
#else
std::string function_name_at(const void*) { return {}; }
std::vector<location> user_frames() { return user_frames_provider ? user_frames_provider() : std::vector<location>{}; }
#endif

}  // namespace numjit::detail
