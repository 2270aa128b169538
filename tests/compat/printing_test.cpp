// Printing: str and repr of arrays against NumPy's text, over golden/printing.txt.
#include <algorithm>
#include <cstring>
#include <fstream>
#include <numeric>
#include <sstream>

#include "against_numpy.h"

namespace np = numjit;

namespace {

np::dims parse_shape(const std::string& text) {
  np::dims shape;
  std::string number;
  for (char c : text) {
    if (c >= '0' && c <= '9') {
      number += c;
    } else if (!number.empty()) {
      shape.push_back(std::stoll(number));
      number.clear();
    }
  }
  return shape;
}

TEST(printing, str_and_repr_are_numpys) {
  std::ifstream in(NUMJIT_TEST_SOURCE_DIR "/tests/compat/golden/printing.txt");
  ASSERT_TRUE(in.good()) << "golden/printing.txt is missing";
  int cases = 0;
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line[0] == '#') continue;
    std::vector<std::string> f{""};
    for (char c : line) {
      if (c == '\t') f.emplace_back();
      else f.back() += c;
    }
    ASSERT_EQ(f.size(), 5u) << line;
    const np::dims shape = parse_shape(f[1]);
    const np::dtype t = np::dtype_of(f[0]);
    np::array a = f[2] == "arange" ? np::arange(np::element_count(shape)).reshape(shape)
                                   : np::zeros(shape, t);
    if (f[2] != "arange") {
      const std::string bytes = compat::hex_to_bytes(f[2]);
      ASSERT_EQ(static_cast<std::int64_t>(bytes.size()), a.nbytes()) << line;
      std::memcpy(a.raw_data(), bytes.data(), bytes.size());
    }
    EXPECT_EQ(a.str(), compat::unescape(f[3])) << f[0] << " " << f[1];
    EXPECT_EQ(a.repr(), compat::unescape(f[4])) << f[0] << " " << f[1];
    ++cases;
  }
  EXPECT_GE(cases, 150);
}

TEST(printing, of_views_reads_the_strides) {
  TEXT("str(np.arange(12).reshape(3, 4).T)", np::arange(12).reshape(3, 4).T().str());
  TEXT("str(np.arange(10)[::-3])", np::arange(10)(np::slice(np::none, np::none, -3)).str());
  TEXT("str(np.broadcast_to(np.float32(1.5), (2, 2)))",
       np::broadcast_to(np::float32(1.5), {2, 2}).str());
}

TEST(printing, stream_writes_str) {
  std::ostringstream out;
  out << np::arange(3) << " " << np::float32 << " " << np::arange(6).reshape(2, 3).shape();
  EXPECT_EQ(out.str(), "[0 1 2] float32 (2, 3)");
}

TEST(printing, options) {
  np::print_options o;
  o.precision = 3;
  o.suppress = true;
  TEXT("np.array2string(np.array([1e-5, 1.23456, 2]), precision=3, suppress_small=True)",
       np::array2string(np::array{1e-5, 1.23456, 2}, o));
  o = {};
  o.threshold = 5;
  o.edgeitems = 1;
  TEXT("np.array2string(np.arange(24).reshape(4, 6), threshold=5, edgeitems=1)",
       np::array2string(np::arange(24).reshape(4, 6), o));
  o = {};
  o.linewidth = 20;
  TEXT("np.array2string(np.arange(20), max_line_width=20)", np::array2string(np::arange(20), o));
}

TEST(printing, modes_and_signs) {
  const np::array positional{0.5, 1.25, 100.123456789, 3.0}, scientific{1e-7, 2.5, 3e10}, special{np::nan, 1.5, -np::inf, 2.0};
  TEXT("np.array2string(np.array([0.5, 1.25, 100.123456789, 3.0]), floatmode='fixed', precision=4, sign='-')",
       np::array2string(positional, {.precision = 4, .sign = '-', .floatmode = "fixed"}));
  TEXT("np.array2string(np.array([0.5, 1.25, 100.123456789, 3.0]), floatmode='fixed', precision=4, sign='+')",
       np::array2string(positional, {.precision = 4, .sign = '+', .floatmode = "fixed"}));
  TEXT("np.array2string(np.array([0.5, 1.25, 100.123456789, 3.0]), floatmode='fixed', precision=4, sign=' ')",
       np::array2string(positional, {.precision = 4, .sign = ' ', .floatmode = "fixed"}));
  TEXT("np.array2string(np.array([0.5, 1.25, 100.123456789, 3.0]), floatmode='unique', precision=4, sign='-')",
       np::array2string(positional, {.precision = 4, .sign = '-', .floatmode = "unique"}));
  TEXT("np.array2string(np.array([0.5, 1.25, 100.123456789, 3.0]), floatmode='unique', precision=4, sign='+')",
       np::array2string(positional, {.precision = 4, .sign = '+', .floatmode = "unique"}));
  TEXT("np.array2string(np.array([0.5, 1.25, 100.123456789, 3.0]), floatmode='unique', precision=4, sign=' ')",
       np::array2string(positional, {.precision = 4, .sign = ' ', .floatmode = "unique"}));
  TEXT("np.array2string(np.array([0.5, 1.25, 100.123456789, 3.0]), floatmode='maxprec', precision=4, sign='-')",
       np::array2string(positional, {.precision = 4, .sign = '-', .floatmode = "maxprec"}));
  TEXT("np.array2string(np.array([0.5, 1.25, 100.123456789, 3.0]), floatmode='maxprec', precision=4, sign='+')",
       np::array2string(positional, {.precision = 4, .sign = '+', .floatmode = "maxprec"}));
  TEXT("np.array2string(np.array([0.5, 1.25, 100.123456789, 3.0]), floatmode='maxprec', precision=4, sign=' ')",
       np::array2string(positional, {.precision = 4, .sign = ' ', .floatmode = "maxprec"}));
  TEXT("np.array2string(np.array([0.5, 1.25, 100.123456789, 3.0]), floatmode='maxprec_equal', precision=4, sign='-')",
       np::array2string(positional, {.precision = 4, .sign = '-', .floatmode = "maxprec_equal"}));
  TEXT("np.array2string(np.array([0.5, 1.25, 100.123456789, 3.0]), floatmode='maxprec_equal', precision=4, sign='+')",
       np::array2string(positional, {.precision = 4, .sign = '+', .floatmode = "maxprec_equal"}));
  TEXT("np.array2string(np.array([0.5, 1.25, 100.123456789, 3.0]), floatmode='maxprec_equal', precision=4, sign=' ')",
       np::array2string(positional, {.precision = 4, .sign = ' ', .floatmode = "maxprec_equal"}));
  TEXT("np.array2string(np.array([1e-7, 2.5, 3e10]), floatmode='fixed', precision=4, sign='-')",
       np::array2string(scientific, {.precision = 4, .sign = '-', .floatmode = "fixed"}));
  TEXT("np.array2string(np.array([1e-7, 2.5, 3e10]), floatmode='fixed', precision=4, sign='+')",
       np::array2string(scientific, {.precision = 4, .sign = '+', .floatmode = "fixed"}));
  TEXT("np.array2string(np.array([1e-7, 2.5, 3e10]), floatmode='fixed', precision=4, sign=' ')",
       np::array2string(scientific, {.precision = 4, .sign = ' ', .floatmode = "fixed"}));
  TEXT("np.array2string(np.array([1e-7, 2.5, 3e10]), floatmode='unique', precision=4, sign='-')",
       np::array2string(scientific, {.precision = 4, .sign = '-', .floatmode = "unique"}));
  TEXT("np.array2string(np.array([1e-7, 2.5, 3e10]), floatmode='unique', precision=4, sign='+')",
       np::array2string(scientific, {.precision = 4, .sign = '+', .floatmode = "unique"}));
  TEXT("np.array2string(np.array([1e-7, 2.5, 3e10]), floatmode='unique', precision=4, sign=' ')",
       np::array2string(scientific, {.precision = 4, .sign = ' ', .floatmode = "unique"}));
  TEXT("np.array2string(np.array([1e-7, 2.5, 3e10]), floatmode='maxprec', precision=4, sign='-')",
       np::array2string(scientific, {.precision = 4, .sign = '-', .floatmode = "maxprec"}));
  TEXT("np.array2string(np.array([1e-7, 2.5, 3e10]), floatmode='maxprec', precision=4, sign='+')",
       np::array2string(scientific, {.precision = 4, .sign = '+', .floatmode = "maxprec"}));
  TEXT("np.array2string(np.array([1e-7, 2.5, 3e10]), floatmode='maxprec', precision=4, sign=' ')",
       np::array2string(scientific, {.precision = 4, .sign = ' ', .floatmode = "maxprec"}));
  TEXT("np.array2string(np.array([1e-7, 2.5, 3e10]), floatmode='maxprec_equal', precision=4, sign='-')",
       np::array2string(scientific, {.precision = 4, .sign = '-', .floatmode = "maxprec_equal"}));
  TEXT("np.array2string(np.array([1e-7, 2.5, 3e10]), floatmode='maxprec_equal', precision=4, sign='+')",
       np::array2string(scientific, {.precision = 4, .sign = '+', .floatmode = "maxprec_equal"}));
  TEXT("np.array2string(np.array([1e-7, 2.5, 3e10]), floatmode='maxprec_equal', precision=4, sign=' ')",
       np::array2string(scientific, {.precision = 4, .sign = ' ', .floatmode = "maxprec_equal"}));
  TEXT("np.array2string(np.array([np.nan, 1.5, -np.inf, 2.0]), floatmode='fixed', precision=4, sign='-')",
       np::array2string(special, {.precision = 4, .sign = '-', .floatmode = "fixed"}));
  TEXT("np.array2string(np.array([np.nan, 1.5, -np.inf, 2.0]), floatmode='fixed', precision=4, sign='+')",
       np::array2string(special, {.precision = 4, .sign = '+', .floatmode = "fixed"}));
  TEXT("np.array2string(np.array([np.nan, 1.5, -np.inf, 2.0]), floatmode='fixed', precision=4, sign=' ')",
       np::array2string(special, {.precision = 4, .sign = ' ', .floatmode = "fixed"}));
  TEXT("np.array2string(np.array([np.nan, 1.5, -np.inf, 2.0]), floatmode='unique', precision=4, sign='-')",
       np::array2string(special, {.precision = 4, .sign = '-', .floatmode = "unique"}));
  TEXT("np.array2string(np.array([np.nan, 1.5, -np.inf, 2.0]), floatmode='unique', precision=4, sign='+')",
       np::array2string(special, {.precision = 4, .sign = '+', .floatmode = "unique"}));
  TEXT("np.array2string(np.array([np.nan, 1.5, -np.inf, 2.0]), floatmode='unique', precision=4, sign=' ')",
       np::array2string(special, {.precision = 4, .sign = ' ', .floatmode = "unique"}));
  TEXT("np.array2string(np.array([np.nan, 1.5, -np.inf, 2.0]), floatmode='maxprec', precision=4, sign='-')",
       np::array2string(special, {.precision = 4, .sign = '-', .floatmode = "maxprec"}));
  TEXT("np.array2string(np.array([np.nan, 1.5, -np.inf, 2.0]), floatmode='maxprec', precision=4, sign='+')",
       np::array2string(special, {.precision = 4, .sign = '+', .floatmode = "maxprec"}));
  TEXT("np.array2string(np.array([np.nan, 1.5, -np.inf, 2.0]), floatmode='maxprec', precision=4, sign=' ')",
       np::array2string(special, {.precision = 4, .sign = ' ', .floatmode = "maxprec"}));
  TEXT("np.array2string(np.array([np.nan, 1.5, -np.inf, 2.0]), floatmode='maxprec_equal', precision=4, sign='-')",
       np::array2string(special, {.precision = 4, .sign = '-', .floatmode = "maxprec_equal"}));
  TEXT("np.array2string(np.array([np.nan, 1.5, -np.inf, 2.0]), floatmode='maxprec_equal', precision=4, sign='+')",
       np::array2string(special, {.precision = 4, .sign = '+', .floatmode = "maxprec_equal"}));
  TEXT("np.array2string(np.array([np.nan, 1.5, -np.inf, 2.0]), floatmode='maxprec_equal', precision=4, sign=' ')",
       np::array2string(special, {.precision = 4, .sign = ' ', .floatmode = "maxprec_equal"}));
  TEXT("np.array2string(np.array([1.5, 2], dtype=np.float32) / 3, floatmode='fixed')",
       np::array2string(np::array{1.5, 2.0}.astype(np::float32) / 3, {.floatmode = "fixed"}));
  TEXT("np.array2string(np.array([1 + 2j, 3.25]), floatmode='fixed', precision=3, sign='+')",
       np::array2string(np::array{std::complex<double>(1, 2), std::complex<double>(3.25, 0)},
                        {.precision = 3, .sign = '+', .floatmode = "fixed"}));
  TEXT("np.array2string(np.array([1, 20, 3]), sign=' ')", np::array2string(np::array{1, 20, 3}, {.sign = ' '}));
  TEXT("np.array2string(np.array([1, -20, 3]), sign=' ')", np::array2string(np::array{1, -20, 3}, {.sign = ' '}));
  TEXT("np.array2string(np.array([1, -2, 0]), sign='+')", np::array2string(np::array{1, -2, 0}, {.sign = '+'}));
  ERROR("np.array2string(np.ones(2), floatmode='short')", np::array2string(np::ones(2), {.floatmode = "short"}));
  ERROR("np.set_printoptions(sign='x')", np::set_printoptions({.sign = 'x'}));
}

}  // namespace
