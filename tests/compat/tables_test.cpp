// Text tables, .npz files, raw bytes.
#include <cstdio>
#include <filesystem>
#include <fstream>

#include <unistd.h>

#include "against_numpy.h"
#include "support/error_text.h"

namespace np = numjit;

namespace {

class tables : public ::testing::Test {
 protected:
  tables() : folder_(std::filesystem::temp_directory_path() / ("numjit_tables_" + std::to_string(getpid()))) {
    std::filesystem::create_directories(folder_);
  }
  ~tables() override { std::filesystem::remove_all(folder_); }
  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  std::filesystem::path folder_;
};

TEST_F(tables, loadtxt) {
  VALUE("np.loadtxt(['1 2 # x', '', '# y', '3 4.5e-3'])", np::loadtxt_string("1 2 # x\n\n# y\r\n3 4.5e-3\n"));
  VALUE("np.loadtxt(['a|b', '1| 2', '3|+4'], delimiter='|', skiprows=1, dtype=np.int64)",
        np::loadtxt_string("a|b\n1| 2\n3|+4", {.dtype = np::int64, .delimiter = "|", .skiprows = 1}));
  VALUE("np.loadtxt(['1 2 3', '4 5 6'], usecols=(2, 0), unpack=True)",
        np::loadtxt_string("1 2 3\n4 5 6\n", {.usecols = {2, 0}, .unpack = true}));
  VALUE("np.loadtxt(['1 2 3'], ndmin=2)", np::loadtxt_string("1 2 3", {.ndmin = 2}));
  VALUE("np.loadtxt(['7'])", np::loadtxt_string("7"));
  VALUE("np.loadtxt(['1', '2', '3'], max_rows=2)", np::loadtxt_string("1\n2\n3\n", {.max_rows = 2}));
  VALUE("np.loadtxt(['nan inf', '-inf 1e400'])", np::loadtxt_string("nan inf\n-inf 1e400"));
  VALUE("np.loadtxt(['(1+2j) 3', '-1e-2-.5j 2j'], dtype=complex)",
        np::loadtxt_string("(1+2j) 3\n-1e-2-.5j 2j", {.dtype = np::complex128}));
  ERROR("np.loadtxt(['1 2', '3 x'])", np::loadtxt_string("1 2\n3 x"));
  ERROR("np.loadtxt(['1 2', '3'])", np::loadtxt_string("1 2\n3"));
  ERROR("np.loadtxt(['1 300'], dtype=np.uint8)", np::loadtxt_string("1 300", {.dtype = np::uint8}));
  EXPECT_EQ(np::class_and_text_of([&] { np::loadtxt(path("none.txt")); }),
            "OSError: [loadtxt] " + path("none.txt") + " not found.");
}

TEST_F(tables, genfromtxt) {
  VALUE("np.genfromtxt(['1,,3', '4,x,6'], delimiter=',')", np::genfromtxt_string("1,,3\n4,x,6", {.delimiter = ","}));
  VALUE("np.genfromtxt(['1,,3', '4,x,6'], delimiter=',', filling_values=9)",
        np::genfromtxt_string("1,,3\n4,9,6", {.delimiter = ",", .filling_values = 9}));
  VALUE("np.genfromtxt(['a b', '1 2', '3 4', 'end of it'], skip_header=1, skip_footer=1)",
        np::genfromtxt_string("a b\n1 2\n3 4\nend of it", {.skip_header = 1, .skip_footer = 1}));
}

TEST_F(tables, savetxt) {
  const np::array a = np::array{{1.0, -2.5}, {3e-7, np::inf}};
  EXPECT_EQ(np::savetxt_string(a), "1.000000000000000000e+00 -2.500000000000000000e+00\n"
                                   "2.999999999999999864e-07 inf\n");
  EXPECT_EQ(np::savetxt_string(np::arange(3), {.fmt = "%03d", .header = "x\ny", .footer = "end"}),
            "# x\n# y\n000\n001\n002\n# end\n");
  EXPECT_EQ(np::savetxt_string(np::array{std::complex<double>(1, -2)}, {.fmt = "%.1f"}), " (1.0-2.0j)\n");
  np::savetxt(path("a.txt"), a, {.delimiter = ","});
  EXPECT_TRUE(np::array_equal(np::loadtxt(path("a.txt"), {.delimiter = ","}), a));
  ERROR("np.savetxt('x', np.ones((2, 2, 2)))", np::savetxt_string(np::ones({2, 2, 2})));
  EXPECT_EQ(np::class_and_text_of([&] { np::savetxt_string(a, {.fmt = "%s"}); }),
            "ValueError: [savetxt] invalid fmt: got '%s', expected one conversion of a number, as in '%.18e' or '%d'.");
}

TEST_F(tables, npz) {
  const np::array u = np::arange(6.0).reshape(2, 3), v = np::array{true, false};
  for (bool compressed : {false, true}) {
    const std::string file = path(compressed ? "c" : "p");
    (compressed ? np::savez_compressed : np::savez)(file, {{"u", u}, {"v", v}, {"point", np::array(2.5)}});
    const np::npz_file z(file + ".npz");
    EXPECT_EQ(z.files(), (std::vector<std::string>{"u", "v", "point"}));
    EXPECT_TRUE(np::array_equal(z["u"], u));
    EXPECT_EQ(z["v"].dtype(), np::bool_);
    EXPECT_EQ(z["point"].ndim(), 0);
    EXPECT_FALSE(z.contains("w"));
    EXPECT_EQ(np::class_and_text_of([&] { z["w"]; }),
              "ValueError: [load] w is not a file in the archive: got 'w', expected one of 'u', 'v', 'point'.");
  }
  // Truncated at every length: an error, never a crash.
  std::ifstream in(path("c.npz"), std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(in)), {});
  for (std::size_t n = 0; n < bytes.size(); n += 7) {
    std::ofstream(path("cut.npz"), std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(n));
    EXPECT_NE(np::class_and_text_of([&] { np::npz_file z(path("cut.npz")); }), "no error") << n;
  }
  EXPECT_EQ(np::class_and_text_of([&] { np::npz_file z(path("none.npz")); }),
            "OSError: [load] [Errno 2] No such file or directory: '" + path("none.npz") + "'");
  std::ofstream(path("text.npz")) << "no archive";
  EXPECT_EQ(np::class_and_text_of([&] { np::npz_file z(path("text.npz")); }),
            "ValueError: [load] '" + path("text.npz") + "' is no .npz file: it is not a zip archive, or a damaged one.");
  EXPECT_EQ(np::class_and_text_of([&] {
              np::savez(path("two"), {{"a", u}, {"a", v}});
            }),
            "ValueError: [savez] two arrays have one name: got 'a' twice, expected different names.");
}

TEST_F(tables, bytes) {
  VALUE("np.frombuffer(b'\\x01\\x02\\x03\\x04', dtype=np.uint8, count=2, offset=1)",
        np::frombuffer("\x01\x02\x03\x04", np::uint8, 2, 1));
  VALUE("np.fromstring('1, 2, 3', sep=',')", np::fromstring("1, 2, 3", np::float64, -1, ","));
  EXPECT_EQ(np::tobytes(np::array{1, 2}.astype(np::int16)), std::string("\x01\0\x02\0", 4));
  const np::array x = np::arange(10).reshape(2, 5).T();
  np::tofile(x, path("raw"));
  EXPECT_TRUE(np::array_equal(np::fromfile(path("raw"), np::int64), x.ravel()));
  EXPECT_TRUE(np::array_equal(np::fromfile(path("raw"), np::int64, 3, 8), x.ravel()(np::slice(1, 4))));
  ERROR("np.frombuffer(b'123', dtype=np.int16)", np::frombuffer("123", np::int16));
  ERROR("np.frombuffer(b'123', dtype=np.int16, count=2)", np::frombuffer("123", np::int16, 2));
  ERROR("np.frombuffer(b'123', dtype=np.int8, offset=9)", np::frombuffer("123", np::int8, -1, 9));
}

}  // namespace
