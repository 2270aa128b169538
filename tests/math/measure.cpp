// The table of largest errors: read from docs/numerics.md, or written to the file that
// NUMJIT_ACCURACY names.
#if __has_include(<mpfr.h>)
#include "measure.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>

#include <gtest/gtest.h>

namespace accuracy {
namespace {

/// "exp float64" -> ULP, from rows "| `exp` | float64 | 0.85 | ... |".
const std::map<std::string, double>& table() {
  static const auto& rows = *[] {
    auto* map = new std::map<std::string, double>;
    std::ifstream file(std::string(NUMJIT_TEST_SOURCE_DIR) + "/docs/numerics.md");
    for (std::string line; std::getline(file, line);) {
      char function[32], type[16];
      double ulps = 0;
      if (std::sscanf(line.c_str(), "| `%31[a-z0-9_]` | %15s | %lf |", function, type, &ulps) == 3)
        (*map)[std::string(function) + " " + type] = ulps;
    }
    return map;
  }();
  return rows;
}

/// Three digits, never below the value.
double rounded_up(double ulps) { return std::max(0.0, std::ceil(ulps * 1000 - 1e-9)) / 1000; }

}  // namespace

std::string Figure::text_of(double v) {
  char text[64];
  std::snprintf(text, sizeof text, "%a", v);
  return text;
}

bool full() { return std::getenv("NUMJIT_ACCURACY") != nullptr; }

void report(const Figure& f, double limit) {
  EXPECT_LE(f.ulps, limit) << f.function << " of " << f.type << " at " << f.where;
  const double shown = rounded_up(f.ulps);
  if (full()) {
    std::ofstream file(std::getenv("NUMJIT_ACCURACY"), std::ios::app);
    file << f.function << '\t' << f.type << '\t' << shown << '\t' << f.inputs << '\t' << f.where
         << '\n';
    return;
  }
  const auto row = table().find(f.function + " " + f.type);
  ASSERT_NE(row, table().end())
      << f.function << " of " << f.type
      << " has no row in docs/numerics.md: ./dev python tests/docs/generate.py --accuracy";
  EXPECT_LE(shown, row->second) << f.function << " of " << f.type << " at " << f.where
                                << ": above the table of docs/numerics.md";
}

}  // namespace accuracy
#endif
