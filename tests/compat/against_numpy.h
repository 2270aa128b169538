// VALUE, TEXT and ERROR: a C++ expression against what NumPy gave for a Python expression.
//
//   VALUE("np.arange(3) + 1", np::arange(3) + 1);     dtype, shape and elements
//   TEXT("str(np.ones(2))", np::ones(2).str());       exact text
//   ERROR("np.ones(2)[5]", np::ones(2)(5));           class, and NumPy's text first
// make_goldens.py finds these lines, evaluates the Python side and writes golden/expressions.txt; an
// expression without a golden fails.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>

#include <numjit/np.h>

namespace compat {

namespace np = numjit;

struct golden {
  std::string kind;   // value, text, error
  std::string dtype;  // or the error's class
  std::string shape;
  std::string body;   // elements, text or message
};

/// The golden of a Python expression; null if there is none.
const golden* find_golden(const std::string& expression);
/// Escapes of the golden files: \n, \t, \\ .
std::string unescape(const std::string& text);
std::string hex_to_bytes(const std::string& hex);

void expect_value(const char* python, const std::function<np::array()>& compute, double rtol,
                  const char* file, int line);
void expect_text(const char* python, const std::function<std::string()>& compute, const char* file,
                 int line);
void expect_error(const char* python, const std::function<void()>& run, const char* file, int line);

}  // namespace compat

// Elements may differ by a few units in the last place: sums have numjit's own order, and functions
// like exp at most one ULP. Integers and bools must be equal.
#define VALUE(python, ...) \
  compat::expect_value(python, [&]() -> np::array { return __VA_ARGS__; }, 4e-15, __FILE__, __LINE__)
#define VALUE_EXACT(python, ...) \
  compat::expect_value(python, [&]() -> np::array { return __VA_ARGS__; }, 0, __FILE__, __LINE__)
#define VALUE_CLOSE(python, rtol, ...) \
  compat::expect_value(python, [&]() -> np::array { return __VA_ARGS__; }, rtol, __FILE__, __LINE__)
#define TEXT(python, ...) \
  compat::expect_text(python, [&]() -> std::string { return __VA_ARGS__; }, __FILE__, __LINE__)
#define ERROR(python, ...) \
  compat::expect_error(python, [&] { (void)(__VA_ARGS__); }, __FILE__, __LINE__)
