// poly1d, texts of numbers, print options of a scope, files as memory.
#include <filesystem>
#include <fstream>
#include <sstream>

#include "against_numpy.h"
#include "support/error_text.h"

namespace np = numjit;

namespace {

TEST(poly1d, arithmetic) {
  const np::poly1d p(np::array{1, 0, -2}), q(np::array{2.0, 1.0});
  VALUE("(np.poly1d([1, 0, -2]) * np.poly1d([2., 1])).coeffs", (p * q).coeffs());
  VALUE("(np.poly1d([1, 0, -2]) + np.poly1d([-1, 3, 1])).coeffs", (p + np::poly1d(np::array{-1, 3, 1})).coeffs());
  VALUE("(np.poly1d([1, 0, -2]) - np.poly1d([2., 1])).coeffs", (p - q).coeffs());
  VALUE("(-np.poly1d([1, 0, -2])).coeffs", (-p).coeffs());
  VALUE("(np.poly1d([1, 0, -2]) * 3).coeffs", (p * 3).coeffs());
  VALUE("(2 * np.poly1d([1, 0, -2])).coeffs", (2 * p).coeffs());
  VALUE("(np.poly1d([1, 0, -2]) / 2).coeffs", (p / 2).coeffs());
  VALUE("(np.poly1d([1, 0, -2]) / np.poly1d([2., 1]))[0].coeffs", (p / q).first.coeffs());
  VALUE("(np.poly1d([1, 0, -2]) / np.poly1d([2., 1]))[1].coeffs", (p / q).second.coeffs());
  VALUE("(np.poly1d([1, 0, -2]) ** 3).coeffs", p.pow(3).coeffs());
  VALUE("np.poly1d([1, 0, -2])([1., 3])", p(np::array{1.0, 3.0}));
  VALUE("np.poly1d([1, 0, -2])(np.poly1d([2., 1])).coeffs", p(q).coeffs());
  VALUE("np.poly1d([1, 0, -2]).deriv().coeffs", p.deriv().coeffs());
  VALUE("np.poly1d([1, 0, -2]).integ(2, [1., 2]).coeffs", p.integ(2, {1, 2}).coeffs());
  VALUE("np.poly1d([1, 0, -2]).roots", p.roots());
  VALUE("np.poly1d([1, 2, -3], r=True).coeffs", np::poly1d(np::array{1, 2, -3}, {.r = true}).coeffs());
  VALUE("np.poly1d([0, 0, 1, 5]).coeffs", np::poly1d(np::array{0, 0, 1, 5}).coeffs());
  VALUE("np.poly1d([0, 0]).coeffs", np::poly1d(np::array{0, 0}).coeffs());
  VALUE("np.poly1d([1, 0, -2])[0]", p[0]);
  VALUE("np.poly1d([1, 0, -2])[7]", p[7]);
  EXPECT_EQ(p.order(), 2);
  EXPECT_TRUE(p == np::poly1d(np::array{0, 1, 0, -2}));
  EXPECT_FALSE(p == q);
  ERROR("np.poly1d([[1, 2]])", np::poly1d(np::array{{1, 2}}));
  ERROR("np.poly1d([1, 2]) ** -1", p.pow(-1));
}

TEST(poly1d, text) {
  auto text = [](const np::poly1d& p) {
    std::ostringstream out;
    out << p;
    return out.str();
  };
  TEXT("str(np.poly1d([1, 0, -2.5]))", text(np::poly1d(np::array{1, 0, -2.5})));
  TEXT("str(np.poly1d([1, 2, 3], variable='z'))", text(np::poly1d(np::array{1, 2, 3}, {.variable = "z"})));
  TEXT("str(np.poly1d([1j, 2 + 1j]))",
       text(np::poly1d(np::array{std::complex<double>(0, 1), std::complex<double>(2, 1)})));
  TEXT("str(np.poly1d(np.arange(1, 15) / 7))", text(np::poly1d(np::arange(1, 15) / 7)));
  TEXT("str(np.poly1d([0]))", text(np::poly1d(np::array{0})));
}

TEST(texts, numbers) {
  TEXT("np.format_float_positional(1e-5)", np::format_float_positional(1e-5));
  TEXT("np.format_float_positional(12.0)", np::format_float_positional(12.0));
  TEXT("np.format_float_positional(12.0, trim='-')", np::format_float_positional(12.0, {.trim = '-'}));
  TEXT("np.format_float_positional(np.float32(0.1))", np::format_float_positional(0.1f));
  TEXT("np.format_float_positional(3.14159, precision=3, sign=True, pad_left=6)",
       np::format_float_positional(3.14159, {.precision = 3, .sign = true, .pad_left = 6}));
  TEXT("np.format_float_scientific(np.float32(12.5))", np::format_float_scientific(12.5f));
  TEXT("np.format_float_scientific(1234567.0, precision=2, exp_digits=3)",
       np::format_float_scientific(1234567.0, {.precision = 2, .exp_digits = 3}));
  TEXT("np.base_repr(255, 16)", np::base_repr(255, 16));
  TEXT("np.base_repr(-5, base=3, padding=2)", np::base_repr(-5, 3, 2));
  TEXT("np.base_repr(0)", np::base_repr(0));
  ERROR("np.base_repr(1, 37)", np::base_repr(1, 37));
  ERROR("np.base_repr(1, 1)", np::base_repr(1, 1));
  TEXT("np.binary_repr(10)", np::binary_repr(10));
  TEXT("np.binary_repr(-3)", np::binary_repr(-3));
  TEXT("np.binary_repr(-3, width=5)", np::binary_repr(-3, 5));
  TEXT("np.binary_repr(-4, width=3)", np::binary_repr(-4, 3));
  TEXT("np.binary_repr(0, width=4)", np::binary_repr(0, 4));
  TEXT("np.binary_repr(5, width=6)", np::binary_repr(5, 6));
  ERROR("np.binary_repr(5, width=2)", np::binary_repr(5, 2));
  ERROR("np.binary_repr(-5, width=2)", np::binary_repr(-5, 2));
  TEXT("np.array_repr(np.array([1., 2]))", np::array_repr(np::array{1.0, 2.0}));
  TEXT("np.array_str(np.array([1., 2]))", np::array_str(np::array{1.0, 2.0}));
  try {
    np::format_float_positional(1.0, {.trim = 'x'});
    FAIL() << "nothing thrown";
  } catch (const np::ValueError& e) {
    EXPECT_STREQ(e.what(), "[format_float_positional] trim option must be one of 'k', '.', '0', '-': got 'x'.");
  }
  {
    np::print_options three;
    three.precision = 3;
    np::printoptions scope(three);
    EXPECT_EQ(np::array_str(np::array{1.23456, 2.0}), "[1.235 2.   ]");
  }
  EXPECT_EQ(np::array_str(np::array{1.23456, 2.0}), "[1.23456 2.     ]");
}

// ---- files as memory ----

std::string scratch(const char* name) { return testing::TempDir() + "numjit_memmap_" + name; }
TEST(memmap, stores_reach_the_file) {
  const std::string path = scratch("a.bin");
  {
    np::array made = np::memmap(path, {.dtype = np::float64, .mode = "w+", .shape = np::dims{3, 4}});
    EXPECT_TRUE(np::array_equal(made, np::zeros({3, 4})));
    made(1) = np::arange(4.0);
    np::flush_file(made);
    EXPECT_TRUE(np::array_equal(np::fromfile(path).reshape(3, 4)(1), np::arange(4.0)));
    np::array part = made(2);  // keeps the pages
    made = np::array(0.0);
    part += 7;
  }
  EXPECT_TRUE(np::array_equal(np::fromfile(path).reshape(3, 4)(2), np::full({4}, 7.0)));
  const np::array row = np::memmap(path, {.dtype = np::float64, .mode = "r", .offset = 32, .shape = np::dims{4}});
  EXPECT_TRUE(np::array_equal(row, np::arange(4.0)));
  EXPECT_FALSE(row.writeable());
  np::array own = np::memmap(path, {.dtype = np::float64, .mode = "c"});
  EXPECT_EQ(own.size(), 12);
  own(0) = 5.0;
  EXPECT_EQ(np::fromfile(path)(0).item<double>(), 0.0);
  np::array longer = np::memmap(path, {.dtype = np::float64, .mode = "r+", .shape = np::dims{20}});
  longer(19) = 1.0;
  EXPECT_EQ(np::memmap(path, {.mode = "r"}).size(), 160);
  auto doubled = np::compile([](const np::array& x) { return np::sum(x * 2); });
  EXPECT_EQ(doubled(longer).item<double>(), 2 * (6 + 28 + 1));
}

TEST(memmap, npy_files) {
  const std::string path = scratch("b.npy");
  np::save(path, np::arange(6).reshape(2, 3));
  np::array mapped = np::load(path, "r+");
  EXPECT_TRUE(np::array_equal(mapped, np::arange(6).reshape(2, 3)));
  mapped(0, 0) = 9;
  EXPECT_EQ(np::load(path)(0, 0).item<std::int64_t>(), 9);
  np::save(scratch("f.npy"), np::arange(6).reshape(2, 3).T());
  EXPECT_TRUE(np::array_equal(np::load(scratch("f.npy"), "r"), np::arange(6).reshape(2, 3).T()));
}

TEST(memmap, errors) {
  const std::string path = scratch("c.bin");
  std::ofstream(path) << "abcde";
  EXPECT_EQ(np::class_and_text_of([&] { np::memmap(path, {.mode = "x"}); }),
            "ValueError: [memmap] mode must be one of 'r+', 'r', 'w+', 'c' (got 'x')");
  EXPECT_EQ(np::class_and_text_of([&] { np::memmap(path, {.mode = "w+"}); }),
            "ValueError: [memmap] shape must be given if mode == 'w+'");
  EXPECT_EQ(np::class_and_text_of([&] { np::memmap(path, {.dtype = np::int32, .mode = "r"}); }),
            "ValueError: [memmap] Size of available data is not a multiple of the data-type size.");
  EXPECT_EQ(np::class_and_text_of([&] { np::memmap(path, {.mode = "r", .shape = np::dims{6}}); }),
            "ValueError: [memmap] mmap length is greater than file size");
  EXPECT_EQ(np::class_and_text_of([&] { np::memmap(path, {.offset = -1}); }),
            "ValueError: [memmap] negative offset: got -1, expected at least 0.");
  EXPECT_EQ(np::class_and_text_of([&] { np::memmap("/nowhere/x", {.mode = "r"}); }),
            "OSError: [memmap] [Errno 2] No such file or directory: '/nowhere/x'");
  EXPECT_EQ(np::class_and_text_of([&] { np::flush_file(np::ones(2)); }),
            "ValueError: [flush_file] the array is not over a mapped file: got an array of its own memory.");
  EXPECT_EQ(np::class_and_text_of([&] { np::load(path, "w+"); }),
            "ValueError: [load] mode must be one of 'r+', 'r', 'c' (got 'w+')");
  std::string cut = np::npy_bytes(np::arange(100));
  std::ofstream(scratch("d.npy")) << cut.substr(0, 200);
  EXPECT_EQ(np::class_and_text_of([&] { np::load(scratch("d.npy"), "r"); }),
            "ValueError: [load] mmap length is greater than file size");
}

}  // namespace
