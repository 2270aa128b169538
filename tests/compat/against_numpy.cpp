// Reading goldens, and comparing with them.
#include "against_numpy.h"

#include <cmath>
#include <complex>
#include <fstream>
#include <map>
#include <sstream>
#include <vector>

namespace compat {

namespace {

std::vector<std::string> split(const std::string& line, char by) {
  std::vector<std::string> parts{""};
  for (char c : line) {
    if (c == by) parts.emplace_back();
    else parts.back() += c;
  }
  return parts;
}

const std::map<std::string, golden>& goldens() {
  static const auto& all = *[] {
    auto* map = new std::map<std::string, golden>;
    std::ifstream in(NUMJIT_TEST_SOURCE_DIR "/tests/compat/golden/expressions.txt");
    EXPECT_TRUE(in.good()) << "golden/expressions.txt is missing: run tests/compat/make_goldens.py";
    for (std::string line; std::getline(in, line);) {
      if (line.empty() || line[0] == '#') continue;
      std::vector<std::string> f = split(line, '\t');
      if (f.size() == 5) (*map)[unescape(f[0])] = {f[1], f[2], f[3], f[4]};
    }
    return map;
  }();
  return all;
}

// strtod, unlike stod, takes subnormal numbers.
double number(const std::string& text) { return std::strtod(text.c_str(), nullptr); }

bool close(double got, double wanted, double rtol) {
  if (std::isnan(wanted)) return std::isnan(got);
  if (got == wanted) return std::signbit(got) == std::signbit(wanted) || rtol > 0;
  return std::fabs(got - wanted) <= rtol * std::fabs(wanted);
}

/// Part by part; but where NumPy's part is 0, that of a product may be what BLAS rounded away from the other.
bool close(std::complex<double> got, std::complex<double> wanted, double rtol) {
  const double size = std::abs(wanted), rounding = rtol > 0 && std::isfinite(size) ? 2.3e-16 * size : 0;
  const auto part = [&](double x, double y) { return close(x, y, rtol) || (y == 0 && std::fabs(x) <= rounding); };
  return part(got.real(), wanted.real()) && part(got.imag(), wanted.imag());
}

}  // namespace

std::string unescape(const std::string& text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\' || i + 1 == text.size()) {
      out += text[i];
      continue;
    }
    char c = text[++i];
    out += c == 'n' ? '\n' : c == 't' ? '\t' : c;
  }
  return out;
}

std::string hex_to_bytes(const std::string& hex) {
  std::string bytes;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2)
    bytes += static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16));
  return bytes;
}

const golden* find_golden(const std::string& expression) {
  auto it = goldens().find(expression);
  return it == goldens().end() ? nullptr : &it->second;
}

#define NUMJIT_GOLDEN_OR_FAIL(wanted_kind)                                                      \
  testing::ScopedTrace trace(file, line, python);                                               \
  const golden* g = find_golden(python);                                                        \
  if (!g) {                                                                                     \
    ADD_FAILURE() << "no golden: run tests/compat/make_goldens.py";                             \
    return;                                                                                     \
  }                                                                                             \
  ASSERT_EQ(g->kind, wanted_kind) << "NumPy gave " << g->dtype << ": " << g->body

void expect_value(const char* python, const std::function<np::array()>& compute, double rtol,
                  const char* file, int line) {
  NUMJIT_GOLDEN_OR_FAIL("value");
  np::array got;
  try {
    got = compute();
  } catch (const np::error& e) {
    ADD_FAILURE() << e.code() << ": " << e.what();
    return;
  }
  EXPECT_EQ(std::string(got.dtype().name()), g->dtype);
  ASSERT_EQ(got.shape().str(), g->shape);
  std::vector<std::string> wanted;
  if (!g->body.empty()) wanted = split(g->body, ' ');
  ASSERT_EQ(static_cast<std::size_t>(got.size()), wanted.size());
  // float32 and float16 have fewer digits to agree in.
  double tolerance = rtol;
  if (rtol > 0 && (got.dtype() == np::float32 || got.dtype() == np::complex64))
    tolerance = std::max(rtol, 5e-7);
  if (rtol > 0 && got.dtype() == np::float16) tolerance = std::max(rtol, 2e-3);
  const char kind = got.dtype().kind();
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    np::array element = np::ravel(got)(static_cast<std::int64_t>(i));
    if (kind == 'c') {
      auto z = element.item<std::complex<double>>();
      std::vector<std::string> parts = split(wanted[i], ',');
      EXPECT_TRUE(close(z, {number(parts[0]), number(parts[1])}, tolerance))
          << "element " << i << ": got " << z << ", NumPy gave " << wanted[i];
    } else if (kind == 'f') {
      double x = element.item<double>();
      EXPECT_TRUE(close(x, number(wanted[i]), tolerance))
          << "element " << i << ": got " << x << ", NumPy gave " << wanted[i];
    } else {
      EXPECT_EQ(element.str(), wanted[i]) << "element " << i;
    }
    if (testing::Test::HasFailure()) return;
  }
}

void expect_text(const char* python, const std::function<std::string()>& compute, const char* file,
                 int line) {
  NUMJIT_GOLDEN_OR_FAIL("text");
  try {
    EXPECT_EQ(compute(), unescape(g->body));
  } catch (const np::error& e) { ADD_FAILURE() << e.code() << ": " << e.what(); }
}

void expect_error(const char* python, const std::function<void()>& run, const char* file, int line) {
  NUMJIT_GOLDEN_OR_FAIL("error");
  try {
    run();
    ADD_FAILURE() << "nothing was thrown; NumPy gave " << g->dtype << ": " << g->body;
  } catch (const np::error& e) {
    EXPECT_EQ(e.code(), g->dtype) << e.what();
    std::string text = e.what();
    if (!e.op().empty()) text = text.substr(e.op().size() + 3);
    const std::string wanted = unescape(g->body);
    EXPECT_EQ(text.substr(0, wanted.size()), wanted);
  }
}

}  // namespace compat
