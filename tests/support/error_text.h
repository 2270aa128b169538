// The text of the error that a piece of code throws.
#pragma once

#include <string>

#include <numjit/base/error.h>

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

/// "ValueError: [op] text" of the error of numjit's that a piece of code throws, "no error" if it throws none.
template <class F>
std::string class_and_text_of(F&& f) {
  try {
    f();
  } catch (const error& e) {
    return e.code() + ": " + e.what();
  }
  return "no error";
}

}  // namespace numjit
