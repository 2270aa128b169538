// Pages of reports: what explain and report_scope saw, as HTML with its data; a process that writes one for each thread.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numjit/np.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>

#include "support/code_generator.h"
#include "support/trace_values.h"

namespace np = numjit;

namespace {

using np::testing::message;
using np::testing::ramp;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

std::string text_of(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

auto breaking() {
  return np::compile(
      [](const np::array& x) {
        auto y = x * 2;
        np::graph_break("</script>");
        return y + 1;
      },
      {.name = "f"});
}

TEST(Report, APageHoldsItsDataAndItsGraphsTheirPlaces) {
  const np::explain_report report = np::explain(breaking())(ramp(4));
  ASSERT_EQ(report.graphs.size(), 2u);
  const np::graph_report& graph = report.graphs[0];
  ASSERT_EQ(graph.places.size(), 2u);
  EXPECT_EQ(graph.places[0], "");
  EXPECT_THAT(graph.places[1], HasSubstr("report_test.cpp:"));
  ASSERT_EQ(graph.kernels.size(), 1u);
  EXPECT_EQ(graph.kernels[0].nodes, std::vector<int>{1});
  EXPECT_TRUE(report.timeline.empty());
  const std::string page = report.html();
  EXPECT_THAT(page, AllOf(StartsWith("<!doctype html>"), HasSubstr("\"graph_break_count\":1"), HasSubstr("report_test.cpp:"),
                          Not(HasSubstr("/*report*/null"))));
  EXPECT_EQ(page.find("</script>"), page.rfind("</script>")) << "text of a program must not end the script";
}

TEST(Report, AScopeNotesWhatHappensWhen) {
  const std::string path = ::testing::TempDir() + "numjit_report_test.html";
  {
    np::report_scope scope(path);
    auto f = breaking();
    f(ramp(4));
    f(ramp(4));
    const np::explain_report report = scope.report();
    std::map<std::string, int> kinds;
    for (const np::timeline_event& event : report.timeline) {
      ++kinds[event.kind];
      EXPECT_GE(event.begin_ns, 0);
      EXPECT_GE(event.ns, 0);
      EXPECT_GT(event.memory, 0);
    }
    EXPECT_EQ(kinds["call"], 2);
    EXPECT_EQ(kinds["segment"], 4);
    EXPECT_EQ(kinds["break"], 2);
    const auto last = std::find_if(report.timeline.rbegin(), report.timeline.rend(),
                                   [](const np::timeline_event& event) { return event.kind != "compile"; });
    EXPECT_EQ(last->name, "f");
    EXPECT_EQ(report.html().find("\"code\":"), std::string::npos);
  }
  EXPECT_THAT(text_of(path), AllOf(HasSubstr("\"kind\":\"call\""), HasSubstr("\"code\":{")));
  std::remove(path.c_str());
}

TEST(Report, ShowWritesThePageOrSaysWhyNot) {
  const np::explain_report report = np::explain(breaking())(ramp(4));
  const std::string path = ::testing::TempDir() + "numjit_shown.html";
  np::show(report, path);
  // Each listing numbers the code generator's names anew.
  EXPECT_THAT(text_of(path), AllOf(StartsWith("<!doctype html>"), HasSubstr("\"code\":{"), HasSubstr("\"graph_break_count\":1")));
  std::remove(path.c_str());
  EXPECT_EQ(message([&] { np::show(report, "/none/there.html"); }),
            "[report] the page can't be written: got the path /none/there.html, expected one of a file in a folder that is there "
            "and may be written to.");
}

}  // namespace
