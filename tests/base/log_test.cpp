// Log channels, warnings and sinks.
#include <numjit/base/log.h>

#include <stdexcept>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numjit/base/error.h>

namespace numjit {
namespace {

using testing::ElementsAre;

class Log : public testing::Test {
 protected:
  void SetUp() override {
    set_log_sink([this](std::string_view text) { lines.emplace_back(text); });
  }
  void TearDown() override {
    set_log_sink({});
    set_logs({});
    detail::forget_warnings();
  }
  std::vector<std::string> lines;
};

TEST_F(Log, OnlyChannelsThatAreOn) {
  set_logs({.cache = true});
  detail::log(log_channel::cache, "stored");
  detail::log(log_channel::guards, "not wanted");
  EXPECT_TRUE(detail::log_enabled(log_channel::cache));
  EXPECT_FALSE(detail::log_enabled(log_channel::guards));
  set_logs({.guards = true});  // replaces the whole setting
  detail::log(log_channel::cache, "not wanted either");
  detail::log(log_channel::guards, "missed");
  EXPECT_THAT(lines, ElementsAre("stored", "missed"));
}

TEST_F(Log, SettingCanBeReadBack) {
  log_options some{.recompiles = true, .perf_hints = true};
  set_logs(some);
  EXPECT_EQ(logs(), some);
}

TEST_F(Log, WarningsAreAlwaysOnAndOnceIfAsked) {
  detail::warn("a");
  EXPECT_TRUE(detail::warn_once("key", "b"));
  EXPECT_FALSE(detail::warn_once("key", "b again"));
  detail::forget_warnings();
  EXPECT_TRUE(detail::warn_once("key", "b after reset"));
  EXPECT_THAT(lines, ElementsAre("a", "b", "b after reset"));
}

TEST_F(Log, NamesFromText) {
  EXPECT_EQ(detail::parse_logs("graph_breaks,recompiles"),
            (log_options{.graph_breaks = true, .recompiles = true}));
  EXPECT_EQ(detail::parse_logs(""), log_options{});
  EXPECT_EQ(detail::parse_logs("all"),
            (log_options{true, true, true, true, true, true, true, true}));
  try {
    detail::parse_logs("graph_break");
    FAIL();
  } catch (const ValueError& e) {
    EXPECT_STREQ(
        e.what(),
        "[config] NUMJIT_LOGS: got 'graph_break', expected a comma list of all, graph_breaks, "
        "recompiles, guards, graph, code, schedule, cache, perf_hints.");
  }
}

TEST_F(Log, DefaultSinkIsStderr) {
  set_log_sink({});
  testing::internal::CaptureStderr();
  detail::warn("no linker");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "numjit: no linker\n");
}

TEST_F(Log, SinkThatLogsOrThrowsDoesNoHarm) {
  testing::internal::CaptureStderr();
  set_log_sink([](std::string_view text) {
    detail::warn("from the sink: " + std::string(text));
    throw std::runtime_error("broken sink");
  });
  detail::warn("x");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "numjit: from the sink: x\nnumjit: x\n");
}

}  // namespace
}  // namespace numjit
