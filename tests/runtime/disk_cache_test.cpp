// The disk cache: damage, foreign files, rights, limits, many writers.
#include <numjit/runtime/kernels/disk_cache.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <numjit/base/config.h>
#include <numjit/base/error.h>
#include <numjit/base/fault.h>
#include <numjit/base/hash.h>
#include <numjit/base/log.h>
#include <numjit/runtime/kernels/cache.h>
#include <runtime/fake_compiler.h>

namespace numjit::runtime {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::IsEmpty;

std::vector<char> bytes_of(const std::string& text) { return {text.begin(), text.end()}; }

class DiskCache : public testing::Test {
 protected:
  void SetUp() override {
    folder = testing::TempDir() + "numjit_disk_" + std::to_string(getpid());
    fs::remove_all(folder);
    set_log_sink([this](std::string_view text) {
      std::lock_guard lock(mutex);
      lines.emplace_back(text);
    });
    detail::forget_warnings();
  }
  void TearDown() override {
    detail::inject_fault("");
    set_log_sink({});
    detail::reload_config();
    fs::remove_all(folder);
  }
  std::string path_of(const std::string& key) const {
    return folder + "/" + to_hex(hash_text(key)) + ".njk";
  }
  void store(const std::string& key, const std::string& text) {
    write_cache(folder, key, CacheKind::kernel, bytes_of(text));
  }
  std::string load(const std::string& key) {
    auto entry = read_cache(folder, key);
    return entry ? std::string(entry->payload.begin(), entry->payload.end()) : "absent";
  }
  /// Overwrites one byte of the entry's file.
  void flip(const std::string& key, std::int64_t at) {
    std::fstream file(path_of(key), std::ios::in | std::ios::out | std::ios::binary);
    file.seekg(at);
    char c = static_cast<char>(file.get());
    file.seekp(at);
    file.put(static_cast<char>(c ^ 0x10));
  }
  std::string damaged(const std::string& key, const std::string& reason) const {
    return "disk cache entry " + path_of(key) + " is damaged (" + reason +
           "); it is compiled anew.";
  }

  std::string folder;
  std::mutex mutex;
  std::vector<std::string> lines;
};

TEST_F(DiskCache, StoresAndFinds) {
  EXPECT_EQ(load("a"), "absent");
  store("a", "first");
  store("b", std::string(100000, 'x'));
  write_cache(folder, "c", CacheKind::quarantine, bytes_of("why"));
  EXPECT_EQ(load("a"), "first");
  EXPECT_EQ(load("b").size(), 100000u);
  EXPECT_EQ(read_cache(folder, "c")->kind, CacheKind::quarantine);
  store("a", "second");
  EXPECT_EQ(load("a"), "second");
  EXPECT_THAT(lines, IsEmpty());
}

TEST_F(DiskCache, FolderAndFilesAreTheUsersOwn) {
  store("a", "first");
  struct stat info;
  ASSERT_EQ(stat(folder.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0700u);
  ASSERT_EQ(stat(path_of("a").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0600u);
}

TEST_F(DiskCache, AnyFlippedByteIsSeen) {
  store("key of the entry", "payload");
  auto size = static_cast<std::int64_t>(fs::file_size(path_of("key of the entry")));
  ASSERT_EQ(size, 48 + 16 + 7);
  for (std::int64_t at = 0; at < size; ++at) {
    flip("key of the entry", at);
    EXPECT_EQ(load("key of the entry"), "absent") << at;
    flip("key of the entry", at);
  }
  EXPECT_EQ(load("key of the entry"), "payload");
  EXPECT_EQ(lines.size(), static_cast<std::size_t>(size));
  EXPECT_EQ(lines.front(), damaged("key of the entry", "not a numjit cache entry"));
  EXPECT_EQ(lines.back(), damaged("key of the entry", "checksum differs"));
}

TEST_F(DiskCache, CutFilesAreSeen) {
  for (int size : {0, 20, 47, 48, 50, 54}) {
    store("key", "payload");
    fs::resize_file(path_of("key"), static_cast<std::uintmax_t>(size));
    EXPECT_EQ(load("key"), "absent");
    EXPECT_THAT(lines, ElementsAre(damaged("key", "cut short"))) << size;
    lines.clear();
  }
}

TEST_F(DiskCache, ForeignFilesAreSeen) {
  store("key", "payload");
  std::ofstream(path_of("key")) << std::string(200, '#');
  EXPECT_EQ(load("key"), "absent");
  store("other", "payload");
  fs::copy_file(path_of("other"), path_of("key"), fs::copy_options::overwrite_existing);
  EXPECT_EQ(load("key"), "absent");
  fs::remove(path_of("key"));
  fs::create_symlink(path_of("other"), path_of("key"));
  EXPECT_EQ(load("key"), "absent");
  fs::remove(path_of("key"));
  fs::create_directory(path_of("key"));
  EXPECT_EQ(load("key"), "absent");
  EXPECT_THAT(lines, ElementsAre(damaged("key", "not a numjit cache entry"),
                                 damaged("key", "holds another key"),
                                 damaged("key", "Too many levels of symbolic links"),
                                 damaged("key", "not a regular file")));
}

TEST_F(DiskCache, AnotherFormatIsSeen) {
  store("key", "payload");
  flip("key", 8);
  EXPECT_EQ(load("key"), "absent");
  EXPECT_THAT(lines, ElementsAre(damaged("key", "format 17, expected 1")));
}

TEST_F(DiskCache, WhatOthersMayWriteIsNotUsed) {
  store("key", "payload");
  chmod(path_of("key").c_str(), 0622);
  EXPECT_EQ(load("key"), "absent");
  EXPECT_THAT(lines, ElementsAre(damaged("key", "writable by others")));
  lines.clear();
  chmod(path_of("key").c_str(), 0600);
  chmod(folder.c_str(), 0777);
  EXPECT_EQ(load("key"), "absent");
  store("more", "payload");
  EXPECT_FALSE(fs::exists(path_of("more")));
  EXPECT_THAT(lines, ElementsAre("the disk cache is off: " + folder +
                                 " is writable by others (mode 0777)."));
  chmod(folder.c_str(), 0700);
  EXPECT_EQ(load("key"), "payload");
}

TEST_F(DiskCache, AFolderOfAnotherUserIsNotUsed) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root to give a folder away";
  store("key", "payload");
  ASSERT_EQ(chown(folder.c_str(), 12345, 12345), 0);
  EXPECT_EQ(load("key"), "absent");
  EXPECT_THAT(lines, ElementsAre("the disk cache is off: " + folder +
                                 " belongs to another user (uid 12345)."));
  ASSERT_EQ(chown(folder.c_str(), 0, 0), 0);
  ASSERT_EQ(chown(path_of("key").c_str(), 12345, 12345), 0);
  lines.clear();
  EXPECT_EQ(load("key"), "absent");
  EXPECT_THAT(lines, ElementsAre(damaged("key", "belongs to another user")));
}

TEST_F(DiskCache, AFileInPlaceOfTheFolder) {
  std::ofstream(folder) << "not a folder";
  EXPECT_EQ(load("key"), "absent");
  store("key", "payload");
  EXPECT_THAT(lines, ElementsAre("the disk cache is off: " + folder + " is not a folder."));
}

TEST_F(DiskCache, NoSpaceIsSaidOnceAndLeavesNothing) {
  detail::inject_fault("cache_write");
  store("a", "payload");
  store("b", "payload");
  EXPECT_THAT(lines, ElementsAre("the disk cache can't store kernels in " + folder +
                                 ": No space left on device."));
  EXPECT_TRUE(fs::is_empty(folder));
}

TEST_F(DiskCache, AReadFaultIsDamage) {
  store("a", "payload");
  detail::inject_fault("cache_read");
  EXPECT_EQ(load("a"), "absent");
  EXPECT_THAT(lines, ElementsAre(damaged("a", "checksum differs")));
}

TEST_F(DiskCache, AFolderThatCantBeMade) {
  std::string below = "/proc/numjit_cache";
  write_cache(below, "a", CacheKind::kernel, bytes_of("x"));
  EXPECT_THAT(
      lines,
      ElementsAre("the disk cache can't store kernels in /proc/numjit_cache: No such file or "
                  "directory."));
}

TEST_F(DiskCache, AReadOnlyFolderIsStillRead) {
  if (geteuid() == 0) GTEST_SKIP() << "root writes everywhere";
  store("a", "payload");
  chmod(folder.c_str(), 0500);
  EXPECT_EQ(load("a"), "payload");
  store("b", "payload");
  EXPECT_THAT(lines, ElementsAre("the disk cache can't store kernels in " + folder +
                                 ": Permission denied."));
  chmod(folder.c_str(), 0700);
}

TEST_F(DiskCache, ListTellsWhatIsThere) {
  store("a", "payload");
  store("b", "payload");
  store("c", "payload");
  write_cache(folder, "q", CacheKind::quarantine, bytes_of("why"));
  flip("b", 50);
  fs::rename(path_of("c"), path_of("d"));
  std::ofstream(folder + "/README") << "not an entry";
  auto files = list_cache(folder);
  ASSERT_EQ(files.size(), 4u);
  for (const auto& file : files) {
    if (file.path == path_of("a")) {
      EXPECT_EQ(file.key, "a");
      EXPECT_EQ(file.problem, "");
      EXPECT_EQ(file.bytes, 48 + 1 + 7);
      EXPECT_EQ(file.kind, CacheKind::kernel);
    } else if (file.path == path_of("b")) {
      EXPECT_EQ(file.problem, "checksum differs");
    } else if (file.path == path_of("d")) {
      EXPECT_EQ(file.problem, "holds another key");
    } else {
      EXPECT_EQ(file.kind, CacheKind::quarantine);
    }
  }
  EXPECT_THAT(list_cache(folder + "/missing"), IsEmpty());
  chmod(folder.c_str(), 0777);
  try {
    list_cache(folder);
    FAIL();
  } catch (const OSError& e) {
    EXPECT_EQ(e.what(), "[cache] " + folder + " is writable by others (mode 0777).");
  }
}

TEST_F(DiskCache, PruneRemovesTheLongestUnused) {
  for (int i = 0; i < 5; ++i) {
    std::string key = "key" + std::to_string(i);
    store(key, std::string(1000 - 52, 'x'));  // 1000 bytes a file
    fs::last_write_time(path_of(key),
                        fs::file_time_type::clock::now() - std::chrono::hours(10 - i));
  }
  EXPECT_EQ(load("key0"), std::string(948, 'x'));  // used now
  std::ofstream(folder + "/.tmp.1.0") << "stray";
  fs::last_write_time(folder + "/.tmp.1.0",
                      fs::file_time_type::clock::now() - std::chrono::hours(2));
  std::ofstream(folder + "/.tmp.1.1") << "being written";
  PruneResult result = prune_cache(folder, 2500);
  EXPECT_EQ(result.files, 4);
  EXPECT_EQ(result.bytes, 3005);
  EXPECT_TRUE(fs::exists(path_of("key0")));
  EXPECT_TRUE(fs::exists(path_of("key4")));
  EXPECT_FALSE(fs::exists(path_of("key1")));
  EXPECT_FALSE(fs::exists(folder + "/.tmp.1.0"));
  EXPECT_TRUE(fs::exists(folder + "/.tmp.1.1"));
  EXPECT_THAT(list_cache(folder).size(), 2u);
}

TEST_F(DiskCache, WritingKeepsTheLimit) {
  config().cache_limit_bytes = 10000;
  for (int i = 0; i < 100; ++i) store("key" + std::to_string(i), std::string(948, 'x'));
  std::int64_t bytes = 0;
  for (const auto& file : list_cache(folder)) bytes += file.bytes;
  EXPECT_LE(bytes, 10000);
  EXPECT_GE(bytes, 8000);
  EXPECT_NE(load("key99"), "absent");
}

TEST_F(DiskCache, ManyProcessesAtOnce) {
  auto value = [](int key) {
    return std::string(static_cast<std::size_t>(500 + key), static_cast<char>('a' + key));
  };
  config().cache_limit_bytes = 8000;
  std::vector<pid_t> children;
  for (int p = 0; p < 4; ++p) {
    pid_t child = fork();
    if (child == 0) {
      set_log_sink({});
      int wrong = 0;
      for (int i = 0; i < 200; ++i) {
        int key = (i * 7 + p) % 20;
        store(std::to_string(key), value(key));
        std::string found = load(std::to_string((key + 3) % 20));
        wrong += found != "absent" && found != value((key + 3) % 20);
      }
      _exit(wrong == 0 ? 7 : 1);
    }
    children.push_back(child);
  }
  for (pid_t child : children) {
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(WEXITSTATUS(status), 7);
  }
  for (const auto& file : list_cache(folder)) EXPECT_EQ(file.problem, "");
}

/// A damaged kernel is never run: it is compiled anew and replaced.
TEST_F(DiskCache, DamagedKernelsAreCompiledAnewAndReplaced) {
  FakeCompiler compiler;
  register_kernel_compiler(&compiler);
  config().cache_dir = folder;
  config().compile = compile_mode::sync;
  reset_kernels();
  graph::KernelSpec spec;
  spec.operand_types = {dtype_id::float64};
  spec.nodes.push_back({graph::KernelNodeKind::operand, op_id::add, 0, dtype_id::float64});
  spec.outputs = {0};
  KernelVariant variant{"elementwise", {1, 1}};
  get_kernel(spec, variant);
  reset_kernels();
  std::vector<CacheFile> files = list_cache(folder);
  ASSERT_EQ(files.size(), 1u);
  // The middle of the code.
  std::fstream file(files[0].path, std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(files[0].bytes / 2);
  file.put('\x5a');
  file.close();
  compiler.value = 43;
  auto kernel = get_kernel(spec, variant);
  std::int64_t result = 0;
  void* argv[] = {&result};
  EXPECT_EQ(kernel->entry.load()(argv), 0);
  EXPECT_EQ(result, 43);
  EXPECT_EQ(compiler.compiles, 2);
  EXPECT_THAT(lines, ElementsAre("disk cache entry " + files[0].path +
                                 " is damaged (checksum differs); it is "
                                 "compiled anew."));
  reset_kernels();
  EXPECT_EQ(get_kernel(spec, variant)->state, KernelState::ready);
  EXPECT_EQ(compiler.compiles, 2);
  reset_kernels();
  register_kernel_compiler(nullptr);
}

}  // namespace
}  // namespace numjit::runtime
