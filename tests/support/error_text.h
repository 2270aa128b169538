// The text of the error that a piece of code throws.
#pragma once

#include <string>

namespace numjit {

/// "no error" if it throws none; errors of other types go on.
template <class Error, class F>
std::string text_of(F&& f) {
  try {
    f();
  } catch (const Error& e) {
    return e.what();
  }
  return "no error";
}

}  // namespace numjit
