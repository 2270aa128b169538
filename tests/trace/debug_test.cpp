// What compiled functions tell about their kernels: log channels, and the files of the debug folder.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <sstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <numjit/base/debug_folder.h>
#include <numjit/np.h>
#include <support/code_generator.h>
#include <support/trace_values.h>

namespace np = numjit;

namespace numjit::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string content(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

/// Line of a call, as hints name it; without the folder.
std::string without_folders(std::string text) {
  for (std::size_t at; (at = text.find(__FILE__)) != std::string::npos;) text.replace(at, sizeof(__FILE__) - 1, "FILE");
  return text;
}

/// Kernel names replaced by "KERNEL": they hash all that the code depends on.
std::string without_names(std::string text) {
  for (std::size_t at; (at = text.find("nj_")) != std::string::npos && at + 19 <= text.size() &&
                       text.find_first_not_of("0123456789abcdef", at + 3) >= at + 19;)
    text.replace(at, 19, "KERNEL");
  return text;
}

class Debugging : public ::testing::Test {
 protected:
  void SetUp() override {
    root = fs::temp_directory_path() / ("numjit_trace_debug_" + std::to_string(getpid()));
    fs::remove_all(root);
    np::reset();
    np::config().compile = np::compile_mode::sync;
    np::set_log_sink([this](std::string_view text) {
      std::lock_guard lock(mutex);
      lines.push_back(without_names(without_folders(std::string(text))));
    });
  }
  void TearDown() override {
    np::wait_for_compiles();
    np::set_logs({});
    np::detail::set_debug(nullptr);
    np::set_logs({});
    np::set_log_sink({});
    np::config().compile = np::compile_mode::async;
    fs::remove_all(root);
  }
  std::string only_folder() const {
    std::vector<std::string> folders;
    for (const auto& entry : fs::directory_iterator(root)) folders.push_back(entry.path());
    return folders.size() == 1 ? folders[0] : "";
  }
  std::string root;
  std::mutex mutex;
  std::vector<std::string> lines;
};

TEST_F(Debugging, HintsNameTheOpsThatRunByThemselves) {
  SKIP_WITHOUT_CODE_GENERATOR();
  np::set_logs({.perf_hints = true});
  const int line = __LINE__ + 2;
  auto f = np::compile([](const np::array& x, const np::array& h) {
    auto sorted = np::sort(x * 2);
    auto common = np::gcd(h, 6);
    return np::add(sorted, common, {.where = x > 0});
  }, {.name = "demo"});
  for (int i = 0; i < 2; ++i) f(np::ones(8), np::arange(8));
  auto hint = [&](int offset, const char* text) {
    return "performance hint at FILE:" + std::to_string(line + offset) + " in demo: " + text;
  };
  EXPECT_THAT(lines, ElementsAre(hint(0, "sort runs by itself: it has no kernel form."),
                                 hint(1, "gcd runs by itself: it has no kernel form."),
                                 hint(2, "add runs by itself: where= has no kernel form.")));
}

TEST_F(Debugging, HintsNameLargeTemporaries) {
  SKIP_WITHOUT_CODE_GENERATOR();
  np::set_logs({.perf_hints = true});
  const int line = __LINE__ + 2;
  auto f = np::compile([](const np::array& x) {
    auto y = np::exp(x * 2);
    return np::cumsum(y);
  }, {.name = "demo"});
  f(np::ones(300000));
  const std::string at = "performance hint at FILE:";
  EXPECT_THAT(lines, ElementsAre(at + std::to_string(line) + " in demo: the result of exp, 2.29 MiB, is stored "
                                 "for a later kernel and dropped then.",
                                 at + std::to_string(line + 1) +
                                     " in demo: cumsum runs by itself: it has no kernel form."));
}

TEST_F(Debugging, HintsNameStridedOperands) {
  SKIP_WITHOUT_CODE_GENERATOR();
  np::set_logs({.perf_hints = true});
  auto f = np::compile([](const np::array& x) { return np::sqrt(x) + 1; }, {.name = "demo"});
  f(np::ones(100));
  EXPECT_THAT(lines, ElementsAre());
  f(np::ones(100)(np::slice(0, 100, 2)));
  EXPECT_THAT(lines, ElementsAre("performance hint: kernel KERNEL (elementwise: sqrt, add) of demo picks the "
                                 "elements of operand 0 one by one: they do not lie side by side in memory. "
                                 "np::ascontiguousarray() once, where it is read often."));
}

TEST_F(Debugging, ScheduleAndCodeShowEachKernel) {
  SKIP_WITHOUT_CODE_GENERATOR();
  np::set_logs({.schedule = true});
  auto f = np::compile([](const np::array& x) { return np::sqrt(x) * 3; });
  f(np::ones(100));
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_THAT(lines[0], StartsWith("schedule of kernel KERNEL (elementwise: sqrt, multiply):\nproduce nj_out\n"
                                   "  for nj_y\n    for nj_x\n"));
  np::reset();  // from disk now, if there is a disk cache: it is listed all the same
  lines.clear();
  np::set_logs({.code = true});
  f(np::ones(100));
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_THAT(lines[0], StartsWith("code of kernel KERNEL (elementwise: sqrt, multiply):\nmodule name="));
  EXPECT_THAT(lines[0], HasSubstr("strict_mul("));
}

TEST_F(Debugging, TheFolderHoldsGraphsPlansKernelsAndTimings) {
  SKIP_WITHOUT_CODE_GENERATOR();
  np::detail::set_debug(root.c_str());
  np::set_logs({});
  auto f = np::compile([](const np::array& x) { return np::cumsum(np::sqrt(x) + 1, {.axis = 0}); }, {.name = "my demo"});
  const std::string line = "  # " __FILE__ ":" + std::to_string(__LINE__ - 1) + "\n";
  const auto report = np::explain(f)(np::ones(10));
  const std::string folder = only_folder();
  ASSERT_NE(folder, "");
  EXPECT_EQ(report.debug_folder, folder);
  EXPECT_THAT(report.str(), HasSubstr("\ndebug folder: " + folder + "\n"));
  EXPECT_THAT(report.json(), HasSubstr("\"debug_folder\": \"" + folder + "\""));

  const std::string graph = folder + "/graphs/000-my_demo";
  EXPECT_EQ(content(graph + ".txt"),
            "%0 = input : float64[?]\n"
            "%1 = sqrt(%0) : float64[?]" +
                line + "%2 = add(%1, $0:float64) : float64[?]" + line + "%3 = cumsum(%2, axis=0) : float64[?]  -> output" + line);
  EXPECT_EQ(content(graph + ".dot"),
            "digraph graph_ {\n  label=\"my demo\";\n  node [shape=box];\n"
            "  subgraph cluster_0 {\n    label=\"kernel 0\";\n"
            "    n1 [label=\"%1 sqrt\nfloat64[?]\"];\n    n2 [label=\"%2 add\nfloat64[?]\"];\n  }\n"
            "  n0 [label=\"%0 input\nfloat64[?]\", shape=oval];\n"
            "  n3 [label=\"%3 cumsum\nfloat64[?]\", peripheries=2];\n"
            "  n0 -> n1;\n  n1 -> n2;\n  n2 -> n3;\n}\n");
  EXPECT_THAT(content(graph + ".plan.txt"), StartsWith("step 0 fused: %1 %2\n  kernel spec "));
  EXPECT_THAT(content(graph + ".plan.txt"),
              HasSubstr("step 1 by itself: %3 = cumsum (it has no kernel form)\n  free %2\n"));
  EXPECT_THAT(content(graph + ".json"), StartsWith("{\"format\":1,"));

  const std::string kernel = folder + "/kernels/" + report.kernels[0].name;
  EXPECT_THAT(content(kernel + ".spec.txt"), StartsWith("kernel " + report.kernels[0].name + " of my demo\nspec "));
  EXPECT_THAT(content(kernel + ".spec.txt"), HasSubstr("= sqrt.d->d("));
  EXPECT_THAT(content(kernel + ".schedule.txt"), StartsWith("produce nj_out\n"));
  EXPECT_THAT(content(kernel + ".stmt"), StartsWith("module name=" + report.kernels[0].name));
  EXPECT_THAT(content(kernel + ".s"), HasSubstr(report.kernels[0].name + "_argv:"));
  EXPECT_THAT(content(folder + "/timings.json"), HasSubstr("\"kernel\": \"" + report.kernels[0].name + "\""));
  EXPECT_THAT(content(folder + "/timings.json"), HasSubstr("\"ops\": [\n        \"sqrt\",\n        \"add\"\n      ]"));
  EXPECT_THAT(content(folder + "/log.txt"), HasSubstr("cumsum runs by itself: it has no kernel form."));
  EXPECT_THAT(lines, ElementsAre());  // the sink hears only what it was asked to
}

}  // namespace
}  // namespace numjit::testing
