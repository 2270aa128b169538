// The debug folder: where it lies, what NUMJIT_DEBUG may say.
#include <numjit/base/debug_folder.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <numjit/base/config.h>
#include <numjit/base/error.h>
#include <numjit/base/log.h>

namespace numjit {
namespace {

namespace fs = std::filesystem;
using testing::MatchesRegex;

std::string content(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

class DebugFolder : public testing::Test {
 protected:
  void SetUp() override {
    root = fs::temp_directory_path() / ("numjit_debug_test_" + std::to_string(getpid()));
    fs::remove_all(root);
    set_log_sink([this](std::string_view text) { lines.emplace_back(text); });
  }
  void TearDown() override {
    detail::set_debug(nullptr);
    set_logs({});
    set_log_sink({});
    fs::remove_all(root);
  }
  std::string root;
  std::vector<std::string> lines;
};

TEST_F(DebugFolder, IsOffUnlessAskedFor) {
  for (const char* off : {static_cast<const char*>(nullptr), "", "0"}) {
    detail::set_debug(off);
    EXPECT_FALSE(detail::debugging());
    EXPECT_EQ(detail::debug_folder(), "");
    detail::write_debug_file("a.txt", "a");
  }
  EXPECT_FALSE(fs::exists("a.txt"));
}

TEST_F(DebugFolder, LiesBelowThePathOrTheCache) {
  detail::set_debug(root.c_str());
  EXPECT_THAT(detail::debug_folder(), MatchesRegex(root + "/[0-9]{8}-[0-9]{6}-" + std::to_string(getpid())));
  EXPECT_EQ(detail::debug_folder(), detail::debug_folder());
  config_scope cache({.cache_dir = root + "/cache"});
  detail::set_debug("1");
  EXPECT_THAT(detail::debug_folder(), MatchesRegex(root + "/cache/debug/[0-9]{8}-[0-9]{6}-[0-9]+"));
  config_scope no_cache({.cache_dir = "off"});
  setenv("XDG_STATE_HOME", (root + "/state").c_str(), 1);
  detail::set_debug("1");
  EXPECT_THAT(detail::debug_folder(), MatchesRegex(root + "/state/numjit/debug/[0-9]{8}-[0-9]{6}-[0-9]+"));
  unsetenv("XDG_STATE_HOME");
}

TEST_F(DebugFolder, OtherTextsAreAnError) {
  try {
    detail::set_debug("yes");
    FAIL();
  } catch (const ValueError& e) {
    EXPECT_STREQ(e.what(), "[config] NUMJIT_DEBUG: got 'yes', expected 0, 1 or an absolute path.");
  }
}

TEST_F(DebugFolder, HoldsTheLogOfAllChannelsWhateverTheSinkHears) {
  detail::set_debug(root.c_str());
  set_logs({.cache = true});
  EXPECT_TRUE(detail::log_enabled(log_channel::guards));
  EXPECT_EQ(logs(), (log_options{.cache = true}));
  detail::log(log_channel::cache, "for both");
  detail::log(log_channel::guards, "for the folder");
  detail::warn("a warning");
  EXPECT_EQ(content(detail::debug_folder() + "/log.txt"), "for both\nfor the folder\na warning\n");
  EXPECT_EQ(lines, (std::vector<std::string>{"for both", "a warning"}));
}

TEST_F(DebugFolder, WritesFilesInFoldersOfItsOwn) {
  detail::set_debug(root.c_str());
  detail::write_debug_file("one/two.txt", "old");
  detail::write_debug_file("one/two.txt", "new");
  detail::append_debug_file("one/two.txt", " and more");
  EXPECT_EQ(content(detail::debug_folder() + "/one/two.txt"), "new and more");
  EXPECT_EQ(fs::status(detail::debug_folder()).permissions() & fs::perms::others_all, fs::perms::none);
}

TEST_F(DebugFolder, AFolderThatCanNotBeMadeIsSaidOnce) {
  std::ofstream(root) << "a file";
  detail::set_debug(root.c_str());
  detail::write_debug_file("a", "");
  detail::write_debug_file("b", "");
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_THAT(lines[0], MatchesRegex("the debug folder " + root + "/.* can't be made: Not a directory\\."));
}

TEST(FileNamePart, IsPlain) {
  EXPECT_EQ(detail::file_name_part("function 1/../x"), "function_1____x");
}

}  // namespace
}  // namespace numjit
