// Objects in memory: the same as what the system's linker makes of them, and clear words for what is not loaded.
#include <numjit/runtime/kernels/loader.h>

#include <array>
#include <cinttypes>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <numjit/base/config.h>
#include <numjit/base/error.h>
#include <numjit/base/log.h>
#include <numjit/runtime/kernels/library.h>
#include <numjit/runtime/kernels/linker.h>
#include <numjit/runtime/kernels/objects.h>
#include <runtime/fake_compiler.h>

namespace numjit::runtime {
namespace {

using testing::ElementsAre;
using Bytes = std::vector<char>;
using Result = std::array<int, 4>;

/// An object of tests/runtime/loader_parts.
Bytes part(const std::string& name) {
  std::ifstream file(std::string(NUMJIT_TEST_BUILD_DIR) + "/tests/loader_parts/" + name + ".o", std::ios::binary);
  EXPECT_TRUE(file) << name;
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

std::vector<std::span<const char>> views(const std::vector<Bytes>& objects) { return {objects.begin(), objects.end()}; }

Result call(void* entry) {
  Result result{};
  void* argv[] = {result.data()};
  EXPECT_EQ(reinterpret_cast<int (*)(void**)>(entry)(argv), 0);
  return result;
}

std::string refusal(const std::vector<Bytes>& objects) {
  try {
    const LoadedObjects loaded(views(objects));
  } catch (const CompileError& e) {
    return e.what();
  }
  return "no CompileError";
}

/// The rights of the mappings that lie in a range of addresses.
std::vector<std::string> rights(std::span<const char> range) {
  std::ifstream maps("/proc/self/maps");
  std::vector<std::string> found;
  for (std::string line; std::getline(maps, line);) {
    std::uint64_t begin, end;
    char words[8];
    if (std::sscanf(line.c_str(), "%" SCNx64 "-%" SCNx64 " %4s", &begin, &end, words) != 3) continue;
    const auto first = reinterpret_cast<std::uint64_t>(range.data());
    if (begin >= first && begin < first + range.size()) found.emplace_back(words);
  }
  return found;
}

TEST(Loader, BindsObjectsToEachOther) {
  const std::vector<Bytes> objects{part("kernel"), part("others")};
  const LoadedObjects loaded(views(objects));
  void* const entry = loaded.find("parts_argv");
  ASSERT_NE(entry, nullptr);
  EXPECT_THAT(call(entry), ElementsAre(45 + 20, 1, 6, 2));
  EXPECT_THAT(call(entry), ElementsAre(46 + 20, 2, 7, 2));
  EXPECT_EQ(loaded.find("calls"), nullptr);
  EXPECT_EQ(loaded.find("nothing"), nullptr);
  const LoadedObjects again(views(objects));
  EXPECT_THAT(call(again.find("parts_argv")), ElementsAre(45 + 20, 1, 6, 2)) << "data of its own";
}

TEST(Loader, NothingIsWritableAndExecutable) {
  std::span<const char> range;
  {
    const std::vector<Bytes> objects{part("kernel"), part("others")};
    const LoadedObjects loaded(views(objects));
    range = {loaded.code().data(), 3 * 4096};
    EXPECT_THAT(rights(range), ElementsAre("r-xp", "r--p", "rw-p"));
  }
  EXPECT_THAT(rights(range), testing::IsEmpty()) << "ends with its objects";
}

TEST(Loader, WhatIsNotLoadedIsNamed) {
  EXPECT_EQ(refusal({part("kernel")}),
            "[compile] the kernel can't be loaded: symbol next is not among those that kernels may use");
  EXPECT_EQ(refusal({part("outside")}),
            "[compile] the kernel can't be loaded: symbol puts is not among those that kernels may use");
  EXPECT_EQ(refusal({part("kernel"), part("others"), part("others")}), "[compile] the kernel can't be loaded: two symbols next");
  EXPECT_EQ(refusal({part("thread_local")}), "[compile] the kernel can't be loaded: section .tbss");
  EXPECT_EQ(refusal({part("constructor")}), "[compile] the kernel can't be loaded: section .init_array");
  EXPECT_EQ(refusal({part("common")}), "[compile] the kernel can't be loaded: symbol count");
  EXPECT_THAT(refusal({part("absolute")}),
              testing::MatchesRegex(".compile. the kernel can't be loaded: a relocation of type 1[01]"));
  EXPECT_EQ(refusal({Bytes{'x'}}), "[compile] the kernel can't be loaded: an object that is cut short");
  EXPECT_EQ(refusal({Bytes(100, 'x')}), "[compile] the kernel can't be loaded: no relocatable ELF object for x86-64");
}

TEST(Loader, NoPartOfAnObjectIsTakenForIt) {
  const Bytes object = part("others");
  for (std::size_t size = 0; size < object.size(); ++size)
    EXPECT_NE(refusal({Bytes(object.begin(), object.begin() + static_cast<std::ptrdiff_t>(size))}), "no CompileError") << size;
}

TEST(Loader, GivesWhatTheLinkerGives) {
  if (!find_linker()) GTEST_SKIP() << "no linker here";
  const Bytes packed =
      pack_kernel_objects(make_object("parts_argv", {0x48, 0x8b, 0x07, 0xc7, 0x00, 7, 0, 0, 0, 0x31, 0xc0, 0xc3}));
  ASSERT_EQ(why_not_loadable(packed), "");
  for (const linker_choice linker : {linker_choice::built_in, linker_choice::system}) {
    const config_scope scope({.linker = linker});
    const KernelLibrary library = open_kernel(packed, "parts");
    EXPECT_EQ(call(reinterpret_cast<void*>(library.entry))[0], 7);
    close_kernel(library.handle);
  }
  const config_scope scope({.linker = linker_choice::system});
  EXPECT_EQ(why_not_loadable(packed), "config.linker is system");
}

TEST(Loader, WhatItCanNotLoadIsLinked) {
  if (!find_linker()) GTEST_SKIP() << "no linker here";
  numjit::detail::forget_warnings();
  std::vector<std::string> lines;
  set_log_sink([&](std::string_view text) { lines.emplace_back(text); });
  const Bytes image = kernel_image(part("constructor"), "parts");
  kernel_image(part("constructor"), "parts");
  set_log_sink({});
  EXPECT_THAT(
      lines,
      ElementsAre("[compile] the kernel can't be loaded: section .init_array; kernels are linked by the system's linker."));
  EXPECT_FALSE(is_packed_objects(image));
  const KernelLibrary library = open_kernel(image, "parts");
  void* argv[1] = {};
  EXPECT_EQ(library.entry(argv), 1);
  close_kernel(library.handle);
}

TEST(Loader, PackedObjectsAreChecked) {
  Bytes packed = pack_kernel_objects(part("others"));
  EXPECT_EQ(unpack_objects(packed).front().size(), part("others").size());
  const auto problem = [](std::span<const char> bytes) {
    try {
      unpack_objects(bytes);
    } catch (const CompileError& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  EXPECT_EQ(problem(std::span(packed).first(packed.size() - 1)), "[compile] the kernel's objects are damaged");
  EXPECT_EQ(problem(std::span(packed).first(12)), "[compile] the kernel's objects are damaged");
  packed[8] = 17;  // how many
  EXPECT_EQ(problem(packed), "[compile] the kernel's objects are damaged");
}

TEST(Loader, PerfIsToldOnRequest) {
  const Bytes packed = pack_kernel_objects(make_object("told_argv", {0x31, 0xc0, 0xc3}));
  const std::string path = "/tmp/perf-" + std::to_string(getpid()) + ".map";
  std::filesystem::remove(path);
  const auto open_and_close = [&] { close_kernel(open_kernel(packed, "told").handle); };
  open_and_close();
  EXPECT_FALSE(std::filesystem::exists(path));
  {
    const config_scope scope({.perf = true});
    open_and_close();
  }
  std::ifstream map(path);
  std::string line;
  EXPECT_TRUE(std::getline(map, line));
  EXPECT_THAT(line, testing::MatchesRegex("[0-9a-f]+ [0-9a-f]+ told"));
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace numjit::runtime
