// What WebAssembly has no form of: floating-point text of C++17, pages of reports that a process leaves behind.
#include <cstdlib>
#include <cstring>
#include <string>

#include <fmt/format.h>

#include <numjit/trace/record/observer.h>

void numjit::tracing::report_thread(ObserverList&) {}

namespace std {

#ifndef __cpp_lib_to_chars
namespace {
to_chars_result put(char* first, char* last, const string& text) {
  if (static_cast<size_t>(last - first) < text.size()) return {last, errc::value_too_large};
  memcpy(first, text.data(), text.size());
  return {first + text.size(), errc()};
}
const char* presentation(chars_format format) { return format == chars_format::scientific ? "e" : "f"; }
template <class T>
to_chars_result shortest(char* first, char* last, T value, chars_format format) {
  // fmt's "{}" has the shortest digits, in a form of its own choice; "{:.{}e}" as many as those are.
  string digits = fmt::format("{:e}", value);
  for (int count = 0; count < 17; ++count) {
    string text = fmt::format("{:.{}e}", value, count);
    T back = sizeof(T) == 4 ? static_cast<T>(strtof(text.c_str(), nullptr)) : static_cast<T>(strtod(text.c_str(), nullptr));
    if (back == value) {
      digits = text;
      break;
    }
  }
  if (format == chars_format::scientific) return put(first, last, digits);
  return put(first, last, fmt::format("{}", value));
}
}  // namespace

to_chars_result to_chars(char* first, char* last, float value, chars_format format) {
  return shortest(first, last, value, format);
}
to_chars_result to_chars(char* first, char* last, double value, chars_format format) {
  return shortest(first, last, value, format);
}
to_chars_result to_chars(char* first, char* last, float value, chars_format format, int digits) {
  return to_chars(first, last, static_cast<double>(value), format, digits);
}
to_chars_result to_chars(char* first, char* last, double value, chars_format format, int digits) {
  return put(first, last, fmt::format(fmt::runtime(string("{:.{}") + presentation(format) + "}"), value, digits));
}

from_chars_result from_chars(const char* first, const char* last, double& value, chars_format) {
  // strtod takes leading blanks, signs and hexadecimal, from_chars does not.
  if (first == last || !(*first == '-' || *first == '.' || (*first >= '0' && *first <= '9') || *first == 'i' || *first == 'I' ||
                         *first == 'n' || *first == 'N'))
    return {first, errc::invalid_argument};
  const char* digits = first + (*first == '-');
  const string text(first, last);
  char* end = nullptr;
  errno = 0;
  const double read = strtod(text.c_str(), &end);
  if (end == text.c_str()) return {first, errc::invalid_argument};
  if (last - digits > 1 && digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X')) {
    value = 0;
    return {digits + 1, errc()};
  }
  if (errno == ERANGE) return {first + (end - text.c_str()), errc::result_out_of_range};
  value = read;
  return {first + (end - text.c_str()), errc()};
}
#endif

}  // namespace std
