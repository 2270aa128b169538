// Settings: values, checks, environment variables, scopes.
#include <numjit/base/config.h>

#include <cstdlib>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numjit/base/buffer_pool.h>
#include <numjit/base/cpu.h>
#include <numjit/base/error.h>
#include <numjit/base/fault.h>
#include <numjit/base/log.h>

namespace numjit {
namespace {

std::string message(auto&& action) {
  try {
    action();
  } catch (const ValueError& e) {
    return e.what();
  }
  return "no ValueError";
}

/// A variable for the length of a test; the settings are read again before and after.
class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) {
    if (const char* before = std::getenv(name)) before_ = before;
    setenv(name, value, 1);
  }
  ~Variable() {
    if (before_)
      setenv(name_, before_->c_str(), 1);
    else
      unsetenv(name_);
    detail::reload_config();
  }

 private:
  const char* name_;
  std::optional<std::string> before_;
};

TEST(Config, Defaults) {
  detail::reload_config();
  EXPECT_EQ(config().compile, compile_mode::async);
  EXPECT_TRUE(config().suppress_errors);
  EXPECT_EQ(config().recompile_limit, 8);
  EXPECT_EQ(config().float_mode, float_mode::exact);
  EXPECT_EQ(config().cache_limit_bytes, std::int64_t{1} << 30);
  EXPECT_EQ(config().memory_limit, detail::physical_memory() / 5 * 4);
  EXPECT_EQ(config().threads, 0);
  EXPECT_EQ(config().compile_timeout_ms, 60000);
  EXPECT_FALSE(config().check_same_bits);
  EXPECT_FALSE(config().disable);
  EXPECT_EQ(config().device.get(), "cpu");
  EXPECT_FALSE(config().fallback_random);
  EXPECT_EQ(config().graph_limit, 10000);
  EXPECT_EQ(config().segment_limit, 512);
  EXPECT_FALSE(config().user_stack);
  EXPECT_TRUE(config().cuda_graphs);
}

TEST(Config, AssignmentIsSeenByAllThreads) {
  config().threads = 3;
  config().cache_dir = "/somewhere/else";
  std::int64_t threads = 0;
  std::string folder;
  std::thread([&] {
    threads = config().threads;
    folder = config().cache_dir.get();
  }).join();
  EXPECT_EQ(threads, 3);
  EXPECT_EQ(folder, "/somewhere/else");
  detail::reload_config();
}

TEST(Config, AssigningNonsenseListsWhatIsValid) {
  EXPECT_EQ(message([] { config().threads = -1; }),
            "[config] threads: got -1, expected an integer from 0 to 1024 (0 = all cores).");
  EXPECT_EQ(message([] { config().recompile_limit = 0; }),
            "[config] recompile_limit: got 0, expected an integer from 1 to 1000000.");
  EXPECT_EQ(message([] { config().memory_limit = -5; }),
            "[config] memory_limit: got -5, expected a number of bytes such as 1073741824, 512MiB "
            "or 2GiB.");
  EXPECT_EQ(message([] { config().device = "abacus"; }),
            "[config] device: got 'abacus', expected 'cpu', 'cuda', 'opencl', or one of these with a number, as "
            "'cuda:0'.");
  EXPECT_EQ(message([] { config().device = "cuda:"; }),
            "[config] device: got 'cuda:', expected 'cpu', 'cuda', 'opencl', or one of these with a number, as "
            "'cuda:0'.");
  EXPECT_EQ(message([] { config().compile = static_cast<compile_mode>(7); }),
            "[config] compile: got 7, expected async or sync.");
  EXPECT_EQ(message([] { config_scope scope({.compile_timeout_ms = -1}); }),
            "[config] compile_timeout_ms: got -1, expected an integer from 0 to 86400000 (0 = no "
            "limit).");
  EXPECT_EQ(config().threads, 0);
}

TEST(Config, EveryFieldFromTheEnvironment) {
  Variable v1("NUMJIT_COMPILE", "sync"), v2("NUMJIT_SUPPRESS_ERRORS", "0"),
      v3("NUMJIT_RECOMPILE_LIMIT", "2"), v4("NUMJIT_FLOAT_MODE", "fast"),
      v5("NUMJIT_CACHE_DIR", ""), v6("NUMJIT_CACHE_LIMIT_BYTES", "512MiB"),
      v7("NUMJIT_MEMORY_LIMIT", "2G"), v8("NUMJIT_THREADS", "5"),
      v9("NUMJIT_COMPILE_TIMEOUT_MS", "0"), v10("NUMJIT_CHECK_SAME_BITS", "true"),
      v11("NUMJIT_DISABLE", "1"), v12("NUMJIT_DEVICE", "cpu"), v13("NUMJIT_FALLBACK_RANDOM", "1"),
      v14("NUMJIT_GRAPH_LIMIT", "7"), v15("NUMJIT_SEGMENT_LIMIT", "9"),
      v16("NUMJIT_LOGS", "cache,graph_breaks"), v17("NUMJIT_CUDA_GRAPHS", "0");
  detail::reload_config();
  EXPECT_EQ(config().compile, compile_mode::sync);
  EXPECT_FALSE(config().suppress_errors);
  EXPECT_EQ(config().recompile_limit, 2);
  EXPECT_EQ(config().float_mode, float_mode::fast);
  EXPECT_EQ(config().cache_dir.get(), "");
  EXPECT_EQ(config().cache_limit_bytes, 512 << 20);
  EXPECT_EQ(config().memory_limit, std::int64_t{2} << 30);
  EXPECT_EQ(config().threads, 5);
  EXPECT_EQ(config().compile_timeout_ms, 0);
  EXPECT_TRUE(config().check_same_bits);
  EXPECT_TRUE(config().disable);
  EXPECT_TRUE(config().fallback_random);
  EXPECT_EQ(config().graph_limit, 7);
  EXPECT_EQ(config().segment_limit, 9);
  EXPECT_FALSE(config().cuda_graphs);
  EXPECT_EQ(logs(), (log_options{.graph_breaks = true, .cache = true}));
}

TEST(Config, CacheFolderFollowsXdg) {
  std::optional<std::string> set;
  if (const char* before = std::getenv("NUMJIT_CACHE_DIR")) set = before;
  unsetenv("NUMJIT_CACHE_DIR");
  {
    Variable xdg("XDG_CACHE_HOME", "/tmp/xdg");
    detail::reload_config();
    EXPECT_EQ(config().cache_dir.get(), "/tmp/xdg/numjit");
  }
  {
    Variable xdg("XDG_CACHE_HOME", "not/absolute"), home("HOME", "/home/ada");
    detail::reload_config();
    EXPECT_EQ(config().cache_dir.get(), "/home/ada/.cache/numjit");
  }
  if (set) setenv("NUMJIT_CACHE_DIR", set->c_str(), 1);
  detail::reload_config();
}

TEST(Config, BadVariableIsAnErrorUntilItIsMended) {
  {
    Variable threads("NUMJIT_THREADS", "abc");
    EXPECT_EQ(
        message([] { detail::reload_config(); }),
        "[config] NUMJIT_THREADS: got 'abc', expected an integer from 0 to 1024 (0 = all cores).");
    EXPECT_EQ(
        message([] { config(); }),
        "[config] NUMJIT_THREADS: got 'abc', expected an integer from 0 to 1024 (0 = all cores).");
    setenv("NUMJIT_THREADS", "1025", 1);
    EXPECT_EQ(
        message([] { config(); }),
        "[config] NUMJIT_THREADS: got '1025', expected an integer from 0 to 1024 (0 = all cores).");
    setenv("NUMJIT_THREADS", "2", 1);
    EXPECT_EQ(config().threads, 2);
  }
  EXPECT_EQ(config().threads, 0);
}

TEST(Config, BadValuesOfOtherVariables) {
  {
    Variable v("NUMJIT_COMPILE", "later");
    EXPECT_EQ(message([] { detail::reload_config(); }),
              "[config] NUMJIT_COMPILE: got 'later', expected async or sync.");
  }
  {
    Variable v("NUMJIT_DISABLE", "yes");
    EXPECT_EQ(message([] { detail::reload_config(); }),
              "[config] NUMJIT_DISABLE: got 'yes', expected 0, 1, false or true.");
  }
  {
    Variable v("NUMJIT_MEMORY_LIMIT", "lots");
    EXPECT_EQ(
        message([] { detail::reload_config(); }),
        "[config] NUMJIT_MEMORY_LIMIT: got 'lots', expected a number of bytes such as 1073741824, "
        "512MiB or 2GiB.");
  }
  {
    Variable v("NUMJIT_LOGS", "cache,guard");
    EXPECT_EQ(message([] { detail::reload_config(); }),
              "[config] NUMJIT_LOGS: got 'guard', expected a comma list of all, graph_breaks, "
              "recompiles, "
              "guards, graph, code, schedule, cache, perf_hints.");
  }
}

TEST(Config, TargetAndFaultAreChecked) {
  {
    Variable v("NUMJIT_TARGET", "sparc");
    EXPECT_EQ(
        message([] { detail::reload_config(); }),
        "[config] NUMJIT_TARGET: got 'sparc', expected host, x86-64-v2, x86-64-v3 or x86-64-v4.");
  }
  for (const char* target : {"host", ""}) {
    Variable v("NUMJIT_TARGET", target);
    EXPECT_EQ(message([] { detail::reload_config(); }), "no ValueError");
    EXPECT_EQ(detail::kernel_target(), "host");
  }
  {
    Variable v("NUMJIT_FAULT", "link,coffee");
    EXPECT_EQ(
        message([] { detail::reload_config(); }),
        "[config] NUMJIT_FAULT: got 'coffee', expected a comma list of lower, halide, link, load, "
        "cache_read, cache_write, value, allocation, timeout, crash, disk_full, slow_record, each with @op or >count if it is to "
        "concern some kernels only.");
  }
  Variable v("NUMJIT_FAULT", "link,load");
  detail::reload_config();
  EXPECT_TRUE(detail::fault_injected(detail::fault_point::link));
  EXPECT_FALSE(detail::fault_injected(detail::fault_point::halide));
}

TEST(Config, UnknownVariableListsTheValidOnes) {
  Variable v("NUMJIT_THREAD", "1");
  EXPECT_EQ(message([] { detail::reload_config(); }),
            "[config] unknown environment variable NUMJIT_THREAD: valid names are NUMJIT_COMPILE, "
            "NUMJIT_SUPPRESS_ERRORS, NUMJIT_RECOMPILE_LIMIT, NUMJIT_FLOAT_MODE, NUMJIT_CACHE_DIR, "
            "NUMJIT_CACHE_LIMIT_BYTES, NUMJIT_MEMORY_LIMIT, NUMJIT_TAPE_MEMORY, NUMJIT_RECOMPUTE, NUMJIT_THREADS, "
            "NUMJIT_COMPILE_TIMEOUT_MS, NUMJIT_LINKER, NUMJIT_PERF, NUMJIT_CHECK_SAME_BITS, NUMJIT_DISABLE, NUMJIT_DEVICE, "
            "NUMJIT_FALLBACK_RANDOM, "
            "NUMJIT_GRAPH_LIMIT, NUMJIT_SEGMENT_LIMIT, NUMJIT_ADAPTIVE, NUMJIT_CUDA_GRAPHS, NUMJIT_USER_STACK, "
            "NUMJIT_DISTRIBUTED_TIMEOUT_S, NUMJIT_LOGS, "
            "NUMJIT_TARGET, NUMJIT_ISA, NUMJIT_DEBUG, NUMJIT_DEBUG_FILES, NUMJIT_REPRO_AFTER, NUMJIT_REPRO_LEVEL, NUMJIT_FUSION, "
            "NUMJIT_FAULT, NUMJIT_RECORD, NUMJIT_REPORT.");
}

TEST(ConfigScope, OverlaysThisThreadAndRestoresInOrder) {
  config().threads = 4;
  {
    config_scope outer({.compile = compile_mode::sync, .threads = 1});
    EXPECT_EQ(config().threads, 1);
    EXPECT_EQ(config().compile, compile_mode::sync);
    {
      config_scope inner({.cache_dir = "off", .threads = 2});
      EXPECT_EQ(config().threads, 2);
      EXPECT_EQ(config().compile, compile_mode::sync);
      EXPECT_EQ(config().cache_dir.get(), "off");
      config().threads = 6;  // process-wide: hidden here
      EXPECT_EQ(config().threads, 2);
    }
    EXPECT_EQ(config().threads, 1);
    std::int64_t elsewhere = 0, continued = 0;
    detail::config_overlay captured = detail::captured_config();
    std::thread([&] {
      elsewhere = config().threads;
      config_scope scope(captured);
      continued = config().threads;
    }).join();
    EXPECT_EQ(elsewhere, 6);
    EXPECT_EQ(continued, 1);
  }
  EXPECT_EQ(config().threads, 6);
  EXPECT_EQ(config().compile, compile_mode::async);
  detail::reload_config();
}

}  // namespace
}  // namespace numjit
