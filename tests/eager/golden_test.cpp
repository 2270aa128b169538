// Every elementwise loop, cast, reduction and scan against what NumPy gave (golden/numpy.txt).
#include <cmath>
#include <fstream>
#include <map>
#include <sstream>

#include <gtest/gtest.h>

#include <numjit/ops/fixed_power.h>

#include "helpers.h"

namespace numjit::testing {
namespace {

struct line {
  int number;
  std::vector<std::string> field;
};

struct golden_file {
  std::map<std::string, array> pool;  // "a d"
  std::vector<line> lines;
};

std::string unhex(const std::string& text) {
  if (text == "-") return "";
  std::string out;
  for (std::size_t i = 0; i + 1 < text.size(); i += 2)
    out += static_cast<char>(std::stoi(text.substr(i, 2), nullptr, 16));
  return out;
}

const golden_file& golden() {
  static const golden_file file = [] {
    golden_file g;
    std::ifstream in(NUMJIT_TEST_SOURCE_DIR "/tests/eager/golden/numpy.txt");
    std::string text;
    for (int number = 1; std::getline(in, text); ++number) {
      std::istringstream words(text);
      line l{number, {}};
      for (std::string word; words >> word;) l.field.push_back(word);
      if (l.field[0] == "pool") {
        const std::string data = unhex(l.field[3]);
        const dtype_id type = dtype_of_char(l.field[2][0]);
        const auto size = static_cast<std::int64_t>(data.size() / dtype(type).itemsize());
        g.pool.emplace(l.field[1] + " " + l.field[2], from_bytes(type, dims{size}, data.data()));
      } else if (l.field[0] != "#") {
        g.lines.push_back(l);
      }
    }
    return g;
  }();
  return file;
}

dims parse_dims(const std::string& text) {
  dims d;
  if (text == "-") return d;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, ',');) d.push_back(std::stoll(part));
  return d;
}

/// Ops whose values are not fixed by IEEE arithmetic: within 4 ULP of NumPy's.
bool approximate(op_id op, char kind) {
  const op_group group = group_of(op);
  if (group == op_group::exponential || group == op_group::trigonometric || group == op_group::hyperbolic) return true;
  if (op == op_id::power || op == op_id::float_power) return kind == 'f' || kind == 'c';
  if (op == op_id::hypot || op == op_id::cbrt) return true;
  return kind == 'c' && (op == op_id::divide || op == op_id::sqrt || op == op_id::absolute ||
                         op == op_id::reciprocal || op == op_id::sign || op == op_id::multiply ||
                         op == op_id::square);
}

/// Distance in units of the dtype's last place at `want`; both NaN is 0.
template <class T>
double ulps(T got, T want) {
  const double g = static_cast<double>(got), w = static_cast<double>(want);
  if (std::isnan(g) && std::isnan(w)) return 0;
  if (g == w) return std::signbit(g) == std::signbit(w) ? 0 : 1e9;
  if (!std::isfinite(g) || !std::isfinite(w)) return 1e9;
  const int digits = std::is_same_v<T, half> ? 11 : std::is_same_v<T, float> ? 24 : 53;
  const int least = std::is_same_v<T, half> ? -24 : std::is_same_v<T, float> ? -149 : -1074;
  const int exponent = w == 0 ? least : std::max(least, std::ilogb(w) - digits + 1);
  return std::abs(g - w) / std::ldexp(1.0, exponent);
}

template <class T>
double distance(T got, T want, bool exact) {
  if constexpr (std::is_same_v<T, complex<float>> || std::is_same_v<T, complex<double>>) {
    if (exact) return std::max(ulps(got.re, want.re), ulps(got.im, want.im));
    if (std::isnan(want.re) || std::isnan(want.im))
      return std::isnan(got.re) || std::isnan(got.im) ? 0 : 1e9;
    if (!std::isfinite(want.re) || !std::isfinite(want.im)) return got.re == want.re ? 0 : 1e9;
    const double size = std::hypot(want.re, want.im);
    const double off = std::hypot(got.re - want.re, got.im - want.im);
    const double unit = std::is_same_v<T, complex<float>> ? 0x1p-23 : 0x1p-52;
    return off == 0 ? 0 : off / (size * unit);
  } else if constexpr (std::is_integral_v<T>) {
    return got == want ? 0 : 1e9;
  } else {
    return ulps(got, want);
  }
}

/// Largest distance of the elements; where it is.
std::pair<double, std::int64_t> compare(const array& got, const std::string& want, bool exact) {
  std::pair<double, std::int64_t> worst{0, 0};
  const std::string have = bytes(got);
  if (have.size() != want.size()) return {1e30, -1};
  visit_dtype(got.get()->type, [&]<class T>() {
    for (std::int64_t i = 0; i < got.size(); ++i) {
      T g, w;
      std::memcpy(&g, have.data() + i * static_cast<std::int64_t>(sizeof(T)), sizeof(T));
      std::memcpy(&w, want.data() + i * static_cast<std::int64_t>(sizeof(T)), sizeof(T));
      const double d = distance(g, w, exact);
      if (d > worst.first) worst = {d, i};
    }
  });
  return worst;
}

std::string context(const line& l) {
  std::string text = "golden/numpy.txt:" + std::to_string(l.number) + ":";
  for (std::size_t i = 0; i + 1 < l.field.size(); ++i) text += " " + l.field[i];
  return text;
}

TEST(Golden, EveryLoopOfEveryRowIsThere) {
  int loops = 0, lines = 0;
  for (int i = 0; i < op_count; ++i) {
    const op_id op = static_cast<op_id>(i);
    // The rest: tests/math, and what only formulas of derivatives use.
    const bool numpys = group_of(op) != op_group::special && !is_fixed_power(op) && !info(op).example.empty();
    if (numpys && info(op).kind == op_kind::ufunc) loops += static_cast<int>(info(op).loops.size());
  }
  for (const line& l : golden().lines) lines += l.field[0] == "ufunc";
  EXPECT_EQ(lines, loops) << "run tests/eager/make_golden.py";
}

TEST(Golden, Ufuncs) {
  for (const line& l : golden().lines) {
    if (l.field[0] != "ufunc") continue;
    const op_id op = *find_op(l.field[1]);
    const std::string ins = l.field[2].substr(0, l.field[2].find(':'));
    std::vector<operand> in;
    std::vector<array> keep;
    for (std::size_t i = 0; i < ins.size(); ++i) {
      array a = golden().pool.at(std::string(1, "abc"[i]) + " " + ins[i]);
      if (op == op_id::power && i == 1 && dtype(a.get()->type).kind() == 'i')
        a = run(op_id::absolute, {a});
      keep.push_back(a);
    }
    for (const array& a : keep) in.push_back(a);
    array got;
    ASSERT_NO_THROW(got = run(op, in)) << context(l);
    const char out = l.field[2].back();
    ASSERT_EQ(got.dtype().character(), dtype(dtype_of_char(out)).character()) << context(l);
    const char kind = dtype(keep.back().get()->type).kind();
    const bool loose = approximate(op, kind);
    const auto [distance, at] = compare(got, unhex(l.field[3]), !loose);
    // Complex powers of NumPy and numjit each err by a few units of the modulus.
    EXPECT_LE(distance, !loose ? 0 : kind == 'c' ? 8 : 4) << context(l) << " at element " << at;
  }
}

TEST(Golden, Casts) {
  for (const line& l : golden().lines) {
    if (l.field[0] != "cast") continue;
    const array& from = golden().pool.at(l.field[1] + " " + l.field[2]);
    const array got = run(op_id::astype, {from}, layout::type_params(dtype_of_char(l.field[3][0])));
    const auto [distance, at] = compare(got, unhex(l.field[4]), true);
    EXPECT_EQ(distance, 0) << context(l) << " at element " << at;
  }
}

TEST(Golden, Reductions) {
  for (const line& l : golden().lines) {
    if (l.field[0] != "reduce") continue;
    const op_id op = *find_op(l.field[1]);
    const array in = reshape(golden().pool.at("s " + l.field[2]), dims{2, 3, 4});
    const bool keep = l.field[4] == "1";
    op_params params;
    if (op == op_id::argmax || op == op_id::argmin) {
      params = layout::arg_params(l.field[3] == "all" ? layout::none : std::stoll(l.field[3]), keep);
    } else {
      layout::reduction r;
      r.keepdims = keep;
      if (l.field[3] != "all") r.axes = l.field[3] == "none" ? dims() : parse_dims(l.field[3]);
      params = layout::reduction_params(r);
    }
    // The same values from a contiguous array, a transposed copy and a reversed one.
    const array columns = transpose(contiguous(transpose(in)));
    const std::vector<layout::index_entry> backwards(
        3, layout::index_entry::range(layout::none, layout::none, -1));
    const array reversed = index(contiguous(index(in, backwards)), backwards);
    for (const array& same : {in, columns, reversed}) {
      const array got = run(op, {same}, params);
      ASSERT_EQ(got.dtype().character(), dtype(dtype_of_char(l.field[5][0])).character()) << context(l);
      ASSERT_EQ(got.shape(), parse_dims(l.field[6])) << context(l);
      const auto [distance, at] = compare(got, unhex(l.field[7]), true);
      EXPECT_EQ(distance, 0) << context(l) << " at element " << at;
    }
  }
}

TEST(Golden, Scans) {
  for (const line& l : golden().lines) {
    if (l.field[0] != "scan") continue;
    const array in = reshape(golden().pool.at("s " + l.field[2]), dims{2, 3, 4});
    const std::int64_t axis = l.field[3] == "all" ? layout::none : std::stoll(l.field[3]);
    const array got = run(*find_op(l.field[1]), {in}, layout::axis_params(axis));
    ASSERT_EQ(got.dtype().character(), dtype(dtype_of_char(l.field[4][0])).character()) << context(l);
    ASSERT_EQ(got.shape(), parse_dims(l.field[5])) << context(l);
    const auto [distance, at] = compare(got, unhex(l.field[6]), true);
    EXPECT_EQ(distance, 0) << context(l) << " at element " << at;
  }
}

}  // namespace
}  // namespace numjit::testing
