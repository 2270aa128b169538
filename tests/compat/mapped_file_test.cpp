// Which file an array lies over, of what memmap and load make, of views and of what is computed from them.
#include <filesystem>
#include <functional>

#include <gtest/gtest.h>

#include <numjit/mapped_file.h>
#include <numjit/np.h>

#include "support/error_text.h"

namespace np = numjit;

namespace {

std::string scratch(const char* name) { return testing::TempDir() + "numjit_mapped_file_" + name; }
TEST(mapped_file, views_lie_over_it_and_copies_do_not) {
  const std::string path = scratch("a.bin");
  const np::array m = np::memmap(path, {.dtype = np::float64, .mode = "w+", .offset = 16, .shape = np::dims{3, 4}});
  for (const np::array& view : {m, m(1), m(np::slice(1, 3)), np::transpose(m), m.reshape(-1), np::flip(m)}) {
    const auto file = np::file_of(view);
    ASSERT_TRUE(file);
    EXPECT_EQ(file->filename, std::filesystem::absolute(path).lexically_normal().string());
    EXPECT_EQ(file->offset, 16);
    EXPECT_EQ(file->mode, "w+");
    EXPECT_FALSE(file->given_as_path);
    np::flush_file(view);
  }
  for (const np::array& own : {np::copy(m), m + 1, np::sum(m), np::ones({3})}) EXPECT_FALSE(np::file_of(own));
}

TEST(mapped_file, files_of_arrays) {
  const std::string path = scratch("b.npy");
  np::save(path, np::arange(6).reshape(2, 3));
  for (const char* mode : {"r", "r+", "c"}) {
    const auto file = np::file_of(np::load(path, mode));
    ASSERT_TRUE(file);
    EXPECT_EQ(file->offset, 128);
    EXPECT_EQ(file->mode, mode);
  }
  EXPECT_FALSE(np::file_of(np::load(path)));
}

TEST(mapped_file, empty_arrays_have_one_too) {
  const std::string path = scratch("c.bin");
  const np::array m = np::memmap(path, {.mode = "w+", .shape = np::dims{0, 3}});
  ASSERT_TRUE(np::file_of(m));
  EXPECT_EQ(m.shape(), (np::dims{0, 3}));
  np::flush_file(m);
  EXPECT_EQ(std::filesystem::file_size(path), 1u);  // as NumPy: an empty file can't be mapped
  std::filesystem::resize_file(path, 0);
  EXPECT_EQ(np::class_and_text_of([&] { np::memmap(path, {.mode = "r"}); }), "ValueError: [memmap] cannot mmap an empty file");
  EXPECT_EQ(np::class_and_text_of([&] { np::memmap(path, {.mode = "r", .shape = np::dims{2}}); }),
            "ValueError: [memmap] mmap length is greater than file size");
}

}  // namespace
