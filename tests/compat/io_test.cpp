// .npy files: NumPy's own bytes read and written, damage reported. Images: round trips.
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <unistd.h>

#include <numjit/image.h>

#include "against_numpy.h"

namespace np = numjit;

namespace {

const std::string golden_folder = NUMJIT_TEST_SOURCE_DIR "/tests/compat/golden/npy/";

std::string bytes_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}
std::string temporary(const std::string& name) {
  std::string folder = testing::TempDir() + "numjit_compat_" + std::to_string(getpid());
  std::filesystem::create_directories(folder);
  return folder + "/" + name;
}

TEST(npy, reads_what_numpy_wrote_and_writes_the_same_bytes) {
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(golden_folder)) {
    const std::string name = entry.path().filename().string();
    if (name.rfind("ok_", 0) != 0 || entry.path().extension() != ".npy") continue;
    SCOPED_TRACE(name);
    np::array a = np::load(entry.path().string());
    ASSERT_TRUE(std::filesystem::exists(golden_folder + name + ".txt"));
    EXPECT_EQ(a.repr() + "\n", bytes_of(golden_folder + name + ".txt"));
    // Big-endian files and formats 2 and 3 come back in the common form.
    if (name.find("big") == std::string::npos && name.find("_v") == std::string::npos) {
      EXPECT_EQ(np::npy_bytes(a), bytes_of(entry.path().string()));
    }
    ++files;
  }
  EXPECT_GE(files, 20);
}

TEST(npy, round_trip) {
  auto a = np::sin(np::arange(24)).reshape(2, 3, 4);
  np::save(temporary("a"), a);
  EXPECT_TRUE(np::array_equal(np::load(temporary("a.npy")), a));
  auto f = a.T();
  np::save(temporary("f.npy"), f);
  auto back = np::load(temporary("f.npy"));
  EXPECT_TRUE(np::array_equal(back, f));
  EXPECT_TRUE(back.is_f_contiguous());
  auto strided = a(np::_, np::_, np::slice(np::none, np::none, -2));
  np::save(temporary("s.npy"), strided);
  EXPECT_TRUE(np::array_equal(np::load(temporary("s.npy")), strided));
}

std::string error_of(const std::string& bytes) {
  try {
    np::from_npy_bytes(bytes.data(), bytes.size(), "x.npy");
  } catch (const np::error& e) { return e.code() + ": " + e.what(); }
  return "nothing thrown";
}

TEST(npy, errors) {
  using testing::HasSubstr;
  try {
    np::load(temporary("missing.npy"));
    FAIL() << "nothing thrown";
  } catch (const np::OSError& e) {
    EXPECT_EQ(std::string(e.what()),
              "[load] [Errno 2] No such file or directory: '" + temporary("missing.npy") + "'");
  }
  EXPECT_THROW(np::save("/nowhere/at/all.npy", np::ones(2)), np::OSError);
  const std::string good = np::npy_bytes(np::arange(10));
  EXPECT_EQ(error_of(""), "ValueError: [load] No data left in file: x.npy");
  EXPECT_THAT(error_of("not a npy file at all"), HasSubstr("ValueError: [load] the magic string is not correct"));
  EXPECT_EQ(error_of("PK\x03\x04....."),
            "ValueError: [load] a .npz archive holds several arrays: got x.npy, expected a .npy file. "
            "Use np::npz_file(path)[\"name\"].");
  try {
    np::load(testing::TempDir());
    FAIL() << "nothing thrown";
  } catch (const np::OSError& e) {
    EXPECT_EQ(std::string(e.what()), "[load] [Errno 21] Is a directory: '" + testing::TempDir() + "'");
  }
  for (std::size_t cut = 0; cut < good.size(); ++cut)
    EXPECT_THAT(error_of(good.substr(0, cut)), HasSubstr("ValueError: [load]")) << cut;
  EXPECT_THAT(error_of(good.substr(0, good.size() - 8)),
              HasSubstr("cannot reshape array of size 9 into shape (10,): the file is truncated"));
  std::string version = good;
  version[6] = 9;
  EXPECT_THAT(error_of(version), HasSubstr("we only support format version (1,0), (2,0), and (3,0), not (9, 0)"));
  std::string damaged = good;
  damaged[20] = '?';
  EXPECT_THAT(error_of(damaged), HasSubstr("Error: [load]"));
  for (const char* name : {"bad_object", "bad_string", "bad_struct", "bad_date"}) {
    SCOPED_TRACE(name);
    const std::string bytes = bytes_of(golden_folder + name + ".npy");
    ASSERT_FALSE(bytes.empty());
    EXPECT_THAT(error_of(bytes), testing::AnyOf(HasSubstr("TypeError: [load]"),
                                                HasSubstr("ValueError: [load] Object arrays cannot be loaded")));
  }
}

TEST(images, round_trip) {
  auto image = np::arange(4 * 5 * 3).reshape(4, 5, 3).astype(np::uint8);
  np::imsave(temporary("i.png"), image);
  EXPECT_TRUE(np::array_equal(np::imread(temporary("i.png")), image));
  auto grey = np::arange(20).reshape(4, 5).astype(np::uint8) * 10;
  np::imsave(temporary("g.png"), grey);
  EXPECT_TRUE(np::array_equal(np::imread(temporary("g.png"), 1), grey));
  EXPECT_EQ(np::imread(temporary("g.png")).shape(), (np::dims{4, 5, 3}));
  np::imsave(temporary("f.png"), np::full({2, 2}, 300.7));
  EXPECT_EQ(np::imread(temporary("f.png"), 1)(0, 0).item<int>(), 255);
  np::imsave(temporary("j.jpg"), np::full({8, 8, 3}, 100, {.dtype = np::uint8}));
  EXPECT_TRUE(np::allclose(np::imread(temporary("j.jpg")), 100, {.atol = 3}));
}

TEST(images, pictures_of_arrays) {
  const auto image = np::arange(300 * 200 * 3).reshape(300, 200, 3).astype(np::uint8);
  EXPECT_TRUE(np::array_equal(np::picture(image), image)) << "as it is";
  const auto scaled = np::picture(np::array{{1.0, 2.0}, {np::nan, 3.0}});
  EXPECT_EQ(scaled.shape(), (np::dims{240, 240})) << "enlarged";
  EXPECT_EQ(scaled(0, 0).item<int>(), 0);
  EXPECT_EQ(scaled(0, 239).item<int>(), 128);
  EXPECT_EQ(scaled(239, 0).item<int>(), 0) << "not a number is black";
  EXPECT_EQ(scaled(239, 239).item<int>(), 255);
  EXPECT_EQ(np::picture(np::arange(480)).shape(), (np::dims{1, 480}));
  EXPECT_EQ(np::max(np::picture(np::full({3}, 7.0))).item<int>(), 0) << "nothing stands out";
  EXPECT_EQ(np::png(scaled).substr(1, 3), "PNG");
  np::show(np::arange(480), temporary("shown.png"));
  EXPECT_EQ(np::imread(temporary("shown.png"), 1).shape(), (np::dims{1, 480}));
}

TEST(images, errors) {
  const auto error_of_picture = [](const np::array& a) -> std::string {
    try {
      np::picture(a);
    } catch (const np::ValueError& e) {
      return e.what();
    }
    return "";
  };
  EXPECT_EQ(error_of_picture(np::ones({2, 2, 3})),
            "[show] there is no picture of such an array: got float64 of shape (2, 2, 3), expected one or two axes, or uint8 of "
            "shape (height, width, 1 to 4).");
  EXPECT_EQ(error_of_picture(np::zeros({0, 3})),
            "[show] there is no picture of an empty array: got shape (0, 3), expected elements.");
  EXPECT_THROW(np::imread(temporary("none.png")), np::OSError);
  EXPECT_THROW(np::imsave(temporary("x.gif"), np::ones({2, 2}, np::uint8)), np::ValueError);
  EXPECT_THROW(np::imsave(temporary("x.png"), np::ones(4, np::uint8)), np::ValueError);
  EXPECT_THROW(np::imsave(temporary("x.png"), np::ones({2, 2}, np::int32)), np::TypeError);
  EXPECT_THROW(np::imsave("/nowhere/x.png", np::ones({2, 2}, np::uint8)), np::OSError);
}

}  // namespace
