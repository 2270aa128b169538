// Reproductions: what is written when a compile fails, the program that runs it, the minifier; and groups that
// are split when their kernel takes too long.
#include <filesystem>
#include <fstream>
#include <mutex>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <numjit/array/same_bits.h>
#include <numjit/base/fault.h>
#include <numjit/base/repro_level.h>
#include <numjit/base/subprocess.h>
#include <numjit/np.h>
#include <numjit/runtime/repro/repro.h>
#include <support/code_generator.h>
#include <support/trace_values.h>

namespace np = numjit;

namespace numjit::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

std::string content(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

int run_numjit(const std::vector<std::string>& arguments, std::string* said) {
  std::vector<std::string> command{std::string(NUMJIT_TEST_BUILD_DIR) + "/bin/numjit"};
  command.insert(command.end(), arguments.begin(), arguments.end());
  return detail::run_program(command, said, {"NUMJIT_LOGS=", "NUMJIT_FAULT="});
}

/// Over 200 operations, tanh somewhere in the middle.
np::array two_hundred(const np::array& x, const np::array& y) {
  np::array a = x, b = y;
  for (int i = 0; i < 50; ++i) {
    a = a * 0.5 + b;
    if (i == 27) a = np::tanh(a);
    b = b * 0.75 + 0.25;
    if (i % 20 == 0) b = b + np::sum(a, {.axis = 0});
  }
  return a + b;
}

class Reproduction : public ::testing::Test {
 protected:
  void SetUp() override {
    folder = fs::temp_directory_path() / ("numjit_repro_test_" + std::to_string(getpid()));
    fs::remove_all(folder);
    np::reset();
    np::config().cache_dir = folder;
    np::config().compile = np::compile_mode::sync;
    np::set_log_sink([this](std::string_view text) {
      std::lock_guard lock(mutex);
      lines.emplace_back(text);
    });
  }
  void TearDown() override {
    np::detail::inject_fault("");
    np::detail::repro_level = 1;
    np::wait_for_compiles();
    np::set_log_sink({});
    np::detail::reload_config();
    np::reset();
    fs::remove_all(folder);
  }
  /// The .npj file that the last line names.
  std::string named_repro() const {
    std::smatch match;
    if (lines.empty() || !std::regex_search(lines.back(), match, std::regex("numjit repro (\\S+\\.npj)$"))) return "";
    return match[1];
  }
  std::string fail(const char* fault, int level) {
    np::detail::repro_level = level;
    np::detail::inject_fault(fault);
    auto f = np::compile(&two_hundred, {.fullgraph = true, .name = "two hundred"});
    try {
      f(np::ones({4, 5}), np::ones({4, 5}));
    } catch (const np::CompileError& e) {  // as fullgraph has it
      const std::lock_guard lock(mutex);
      lines.emplace_back(e.what());
    }
    np::detail::inject_fault("");
    return named_repro();
  }
  std::string folder;
  std::mutex mutex;
  std::vector<std::string> lines;
};

// It knows neither threads after fork() nor programs that are built without it.
#ifdef __SANITIZE_THREAD__
#define SKIP_UNDER_THREAD_SANITIZER() GTEST_SKIP() << "not with ThreadSanitizer: a fork or an uninstrumented program"
#else
#define SKIP_UNDER_THREAD_SANITIZER() static_cast<void>(0)
#endif

TEST_F(Reproduction, TheMinifierReducesAFailingCompileToTheGuiltyOp) {
  SKIP_WITHOUT_CODE_GENERATOR();
  const std::string path = fail("halide@tanh", 1), smaller = folder + "/small.npj";
  const auto whole = runtime::repro_from_json(content(path));
  EXPECT_GE(whole.op_count(), 200);
  EXPECT_EQ(whole.function, "two hundred");
  std::string said;
  EXPECT_EQ(run_numjit({"repro", "--minify", path, "-o", smaller}, &said), 1);
  EXPECT_THAT(said, HasSubstr("%0 = input : float64[?, ?]\n%1 = tanh(%0) : float64[?, ?]  -> output\n"));
  EXPECT_EQ(runtime::repro_from_json(content(smaller)).op_count(), 1);
  EXPECT_EQ(run_numjit({"repro", smaller}, &said), 1);  // it shows the fault still
  EXPECT_EQ(run_numjit({"repro", "--layer", "graph", smaller}, &said), 0);
}

TEST_F(Reproduction, TheMinifierReducesAWrongValueToTheGuiltyOp) {
  SKIP_WITHOUT_CODE_GENERATOR();
  const std::string path = fail("value@tanh", 4);  // minified at once
  EXPECT_THAT(lines.back(), HasSubstr("two hundred, layer halide: element 0 of the result of "));
  EXPECT_THAT(path, HasSubstr("-min.npj"));
  const auto repro = runtime::repro_from_json(content(path));
  EXPECT_EQ(repro.op_count(), 1);
  EXPECT_EQ(graph::to_text(repro.graph), "%0 = input : float64[?, ?]\n%1 = tanh(%0) : float64[?, ?]  -> output\n");
  EXPECT_FALSE(repro.memories[0].data.empty());  // the values that it went wrong on
  std::string said;
  EXPECT_EQ(run_numjit({"repro", path}, &said), 1);
  EXPECT_THAT(said, HasSubstr("halide  element 0 of the result of %1 = tanh at "));
}

TEST_F(Reproduction, LevelTwoMinifiesAFailingCompileAtOnce) {
  SKIP_WITHOUT_CODE_GENERATOR();
  EXPECT_EQ(runtime::repro_from_json(content(fail("lower@tanh", 2))).op_count(), 1);
}

TEST_F(Reproduction, LevelZeroWritesNothing) {
  SKIP_WITHOUT_CODE_GENERATOR();
  EXPECT_EQ(fail("lower@tanh", 0), "");
  EXPECT_FALSE(fs::exists(folder + "/repro"));
}

TEST_F(Reproduction, AfterGraphChecksThePassesAlone) {
  SKIP_WITHOUT_CODE_GENERATOR();
  np::detail::repro_after_graph = true;
  EXPECT_EQ(fail("value@tanh", 3), "");  // kernels are not used, so that nothing is wrong
  np::detail::repro_after_graph = false;
  EXPECT_EQ(np::counters().quarantined, 0u);
}

TEST_F(Reproduction, ACodeGeneratorThatEndsTheProcessLeavesTheSegmentBehind) {
  SKIP_UNDER_THREAD_SANITIZER();
  SKIP_WITHOUT_CODE_GENERATOR();
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    fail("crash@tanh", 2);
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT) << status;
  std::vector<std::string> files;
  for (const auto& entry : fs::directory_iterator(folder + "/repro"))
    if (entry.path().extension() == ".npj") files.push_back(entry.path());
  ASSERT_EQ(files.size(), 1u);
  std::string said;
  EXPECT_EQ(run_numjit({"repro", "--minify", files[0]}, &said), 1);
  EXPECT_THAT(said, HasSubstr("halide  it ends by signal 6\n"));
  EXPECT_THAT(said, HasSubstr("%0 = input : float64[?, ?]\n%1 = tanh(%0) : float64[?, ?]  -> output\n"));
}

TEST_F(Reproduction, StoresViewsAndSharedMemoryAreReproduced) {
  SKIP_WITHOUT_CODE_GENERATOR();
  np::detail::inject_fault("link@tanh");
  auto f = np::compile([](np::array x, np::array y) {
    x(np::slice(1, 9)) = np::tanh(y(np::slice(0, 8))) * 2;
    np::array z = (x * 3).reshape(2, 5).T();
    return np::sum(z, {.axis = 1}) + z.astype(np::float32)(0, 1);
  }, {.name = "stores"});
  np::array base = np::linspace(0, 1, 20);
  f(base(np::slice(0, 10)), base(np::slice(5, 15)));
  np::detail::inject_fault("");
  const std::string path = named_repro();
  const auto repro = runtime::repro_from_json(content(path));
  EXPECT_EQ(repro.memories.size(), 1u);  // two inputs, one block
  EXPECT_EQ(runtime::repro_to_json(repro), content(path));
  std::string said;
  EXPECT_EQ(run_numjit({"repro", path}, &said), 1) << said;
  EXPECT_THAT(said, HasSubstr("eager   right\ngraph   right\nhalide  [compile] kernel "));
  auto sound = repro;
  sound.injected.clear();
  np::reset();  // the kernel is in quarantine
  EXPECT_EQ(runtime::run_repro(sound, "halide").kind, runtime::ReproOutcome::clean);
}

TEST_F(Reproduction, TheProgramBesideItIsCompleteAndShowsTheFault) {
  SKIP_UNDER_THREAD_SANITIZER();
  SKIP_WITHOUT_CODE_GENERATOR();
  const auto compiler = detail::find_program("c++");
  if (!compiler) GTEST_SKIP() << "no C++ compiler in PATH";
  const std::string path = fail("lower@tanh", 2), source = path.substr(0, path.size() - 4) + ".cpp";
  const std::string program = folder + "/program", lib = std::string(NUMJIT_TEST_BUILD_DIR) + "/lib";
  std::vector<std::string> command{*compiler, "-std=c++20", source, "-o", program, "-L" + lib, "-lnumjit", "-Wl,-rpath," + lib};
  std::ifstream headers(lib + "/numjit_headers.txt");
  for (std::string include; std::getline(headers, include);) command.push_back("-I" + include);
  std::string said;
  ASSERT_EQ(detail::run_program(command, &said), 0) << said;
  EXPECT_EQ(detail::run_program({program}, &said, {"NUMJIT_FAULT=lower@tanh", "NUMJIT_CACHE_DIR=off"}), 1) << said;
  EXPECT_THAT(said, HasSubstr("fault injected into lower"));
  EXPECT_EQ(detail::run_program({program}, &said, {"NUMJIT_FAULT=", "NUMJIT_CACHE_DIR=off"}), 0) << said;
  EXPECT_THAT(said, HasSubstr("the fault does not show\n"));
}

TEST_F(Reproduction, OtherFilesAreExitStatusTwo) {
  SKIP_WITHOUT_CODE_GENERATOR();
  const std::string good = content(fail("lower@tanh", 1));
  auto status_of = [&](const std::string& text, const char* expected) {
    std::ofstream(folder + "/bad.npj") << text;
    std::string said;
    EXPECT_EQ(run_numjit({"repro", folder + "/bad.npj"}, &said), 2) << said;
    EXPECT_THAT(said, HasSubstr(expected));
  };
  auto replaced = [&](const std::string& from, const std::string& to) {
    std::string text = good;
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos);
    return text.replace(at, from.size(), to);
  };
  status_of("", "[repro] the file is no repro.");
  status_of(good.substr(0, good.size() / 2), "[repro] the file is no repro.");
  status_of(replaced("\"numjit_repro\":1", "\"numjit_repro\":7"), "[repro] the file has format 7, this numjit reads 1.");
  status_of(replaced("\"bytes\":160", "\"bytes\":80"), "[repro] an input reaches beyond its memory.");
  status_of(replaced("\"shape\":[4,5]", "\"shape\":[4]"), "[repro] the shape of an input does not fit its rank.");
  status_of(replaced("\"op\":\"sum\"", "\"op\":\"summ\""), "unknown operation 'summ'");
  std::string said;
  EXPECT_EQ(run_numjit({"repro", folder + "/none.npj"}, &said), 2);
  EXPECT_THAT(said, HasSubstr("/none.npj can't be read."));
}

// ---- the watchdog ----

TEST_F(Reproduction, AGroupWhoseKernelTakesTooLongIsSplit) {
  SKIP_WITHOUT_CODE_GENERATOR();
  np::config().compile_timeout_ms = 500;
  auto body = [](const np::array& x) {
    np::array a = x;
    for (int i = 0; i < 15; ++i) a = np::sqrt(a + 0.5);
    return a;
  };
  const np::array x = np::linspace(0, 9, 100), expected = body(x);
  np::detail::inject_fault("timeout>8");
  auto f = np::compile(body);
  std::vector<int> sizes;
  for (int call = 0; call < 4; ++call) {
    const auto report = np::explain(f)(x);
    sizes.clear();
    for (const auto& kernel : report.kernels) sizes.push_back(static_cast<int>(kernel.ops.size()));
    EXPECT_FALSE(detail::first_difference(f(x).get(), expected.get()));
  }
  // 30 ops take too long, and halves of 15; quarters do not.
  EXPECT_THAT(sizes, ::testing::ElementsAre(7, 8, 7, 8));
  EXPECT_EQ(np::counters().kernels_compiled, 4u);
  EXPECT_EQ(np::counters().quarantined, 3u);
  const auto before = np::counters().eager_ops;
  f(x);
  EXPECT_EQ(np::counters().eager_ops, before);  // nothing runs by itself any more
  EXPECT_THAT(lines[0], HasSubstr("not compiled within compile_timeout_ms = 500; its ops run one by one until two "
                                  "smaller kernels are there."));

  // The next process finds the verdict on disk, and the smaller kernels.
  np::reset();
  auto again = np::compile(body);
  for (int call = 0; call < 4; ++call) EXPECT_FALSE(detail::first_difference(again(x).get(), expected.get()));
  EXPECT_EQ(np::counters().kernels_compiled, 0u);
  EXPECT_EQ(np::counters().kernels_loaded, 4u);
}

TEST_F(Reproduction, SplitsKeepStoresReductionsAndSharedValues) {
  SKIP_WITHOUT_CODE_GENERATOR();
  np::config().compile_timeout_ms = 500;
  auto body = [](np::array x) {
    np::array a = x + 1, b = np::exp(x), c = a * b, d = np::sqrt(c + a) - b;
    x(np::slice(0, 5)) = (d * 2 + c)(np::slice(5, 10));
    return np::sum((d - a) * (c + b) / (a + b)) + x;
  };
  auto fresh = [] { return np::linspace(0.5, 2, 10); };
  np::array eager_x = fresh();
  const np::array expected = body(eager_x);
  np::detail::inject_fault("timeout>2");
  auto f = np::compile(body);
  for (int call = 0; call < 6; ++call) {
    np::array x = fresh();
    EXPECT_FALSE(detail::first_difference(f(x).get(), expected.get())) << call;
    EXPECT_FALSE(detail::first_difference(x.get(), eager_x.get())) << call;
  }
  EXPECT_GT(np::counters().kernels_compiled, 2u);
}

}  // namespace
}  // namespace numjit::testing
