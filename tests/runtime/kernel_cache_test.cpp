// The kernel table: compiling, sharing, failing, time limits, threads, the disk behind it.
#include <numjit/runtime/kernels/cache.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <numjit/base/config.h>
#include <numjit/base/error.h>
#include <numjit/base/fault.h>
#include <numjit/base/log.h>
#include <numjit/runtime/kernels/disk_cache.h>
#include <numjit/runtime/kernels/plugin.h>
#include <runtime/fake_compiler.h>

namespace numjit::runtime {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::MatchesRegex;

/// A spec of `n` scalar nodes: each n is other content.
graph::KernelSpec spec_number(int n) {
  graph::KernelSpec spec;
  spec.operand_types = {dtype_id::float64};
  spec.nodes.push_back({graph::KernelNodeKind::operand, op_id::add, 0, dtype_id::float64});
  for (int i = 0; i < n; ++i) {
    spec.scalar_types.push_back(dtype_id::float64);
    spec.nodes.push_back({graph::KernelNodeKind::scalar, op_id::add, 0, dtype_id::float64,
                          static_cast<std::uint16_t>(i)});
  }
  spec.outputs = {0};
  return spec;
}

const KernelVariant elementwise{"elementwise", {1, 1}};

std::int64_t call(const Kernel& kernel) {
  std::int64_t result = -1;
  void* argv[] = {&result};
  auto entry = kernel.entry.load();
  return entry && entry(argv) == 0 ? result : -1;
}

std::string compile_error(auto&& action) {
  try {
    action();
  } catch (const CompileError& e) {
    return e.what();
  }
  return "no CompileError";
}

class KernelCache : public testing::Test {
 protected:
  void SetUp() override {
    // Never deleted: a compile beyond its time limit may still be using it at the end.
    static auto& compilers = *new std::vector<std::unique_ptr<FakeCompiler>>;
    compiler = compilers.emplace_back(std::make_unique<FakeCompiler>()).get();
    register_kernel_compiler(compiler);
    folder = testing::TempDir() + "numjit_cache_" + std::to_string(getpid());
    fs::remove_all(folder);
    config().cache_dir = folder;
    set_log_sink([this](std::string_view text) {
      std::lock_guard lock(mutex);
      lines.emplace_back(text);
    });
    reset_kernels();
    detail::forget_warnings();
  }
  void TearDown() override {
    wait_for_compiles();
    detail::inject_fault("");
    set_log_sink({});
    set_logs({});
    detail::reload_config();
    reset_kernels();
    register_kernel_compiler(nullptr);
    fs::remove_all(folder);
  }
  std::vector<fs::path> entries() const {
    std::vector<fs::path> files;
    if (!fs::exists(folder)) return files;
    for (const auto& file : fs::directory_iterator(folder)) files.push_back(file.path());
    return files;
  }
  /// Of the one kernel in the folder.
  CacheKind kind_on_disk() const {
    wait_for_compiles();
    const auto files = list_cache(folder);
    EXPECT_EQ(files.size(), 1u);
    return files.at(0).kind;
  }
  /// Forgets all but what is on disk, as a new process would.
  void restart() {
    reset_kernels();
    compiler->compiles = 0;
    lines.clear();
  }

  FakeCompiler* compiler;
  std::string folder;
  std::mutex mutex;
  std::vector<std::string> lines;
};

const config_options sync_mode{.compile = compile_mode::sync};
const config_options by_linker{.compile = compile_mode::sync, .linker = linker_choice::system};

TEST_F(KernelCache, SyncCompilesBeforeItReturns) {
  config_scope scope(sync_mode);
  auto kernel = get_kernel(spec_number(1), elementwise);
  EXPECT_EQ(kernel->state, KernelState::ready);
  EXPECT_EQ(call(*kernel), 42);
  EXPECT_THAT(kernel->name, MatchesRegex("nj_[0-9a-f]{16}"));
  EXPECT_EQ(kernel->schedule, "elementwise");
  EXPECT_EQ(kernel_counters().compiled, 1);
  EXPECT_EQ(kernel_counters().misses, 1);
}

TEST_F(KernelCache, AsyncCompilesBehindTheCaller) {
  std::atomic<bool> go{false};
  compiler->before = [&] {
    while (!go) std::this_thread::yield();
  };
  auto kernel = get_kernel(spec_number(1), elementwise);
  EXPECT_EQ(kernel->state, KernelState::queued);
  EXPECT_EQ(kernel->entry, nullptr);
  go = true;
  wait_for_compiles();
  EXPECT_EQ(kernel->state, KernelState::ready);
  EXPECT_EQ(call(*kernel), 42);
}

TEST_F(KernelCache, OneKernelPerContentAndVariant) {
  config_scope scope(sync_mode);
  auto a = get_kernel(spec_number(1), elementwise);
  auto same = get_kernel(spec_number(1), elementwise);
  EXPECT_EQ(a, same);
  EXPECT_EQ(kernel_counters().memory_hits, 1);
  KernelVariant fast = elementwise, strided = elementwise, other_class = elementwise,
                rows = elementwise;
  fast.fast_math = true;
  strided.inner_stride = {2, 1};
  other_class.size_class = 1;
  rows.schedule = "rows";
  for (const auto& variant : {fast, strided, other_class, rows})
    EXPECT_NE(get_kernel(spec_number(1), variant)->name, a->name);
  EXPECT_NE(get_kernel(spec_number(2), elementwise)->name, a->name);
  EXPECT_EQ(compiler->compiles, 6);
}

TEST_F(KernelCache, DifferentKernelsStayDifferentLibraries) {
  // File numbers are used again: each kernel must still be its own code.
  config_scope scope(sync_mode);
  std::vector<std::shared_ptr<Kernel>> kernels;
  for (int i = 0; i < 40; ++i) {
    compiler->value = i;
    kernels.push_back(get_kernel(spec_number(i), elementwise));
  }
  for (int i = 0; i < 40; ++i) EXPECT_EQ(call(*kernels[static_cast<std::size_t>(i)]), i);
}

TEST_F(KernelCache, WarmStartLoadsFromDisk) {
  set_logs({.cache = true});
  config_scope scope(sync_mode);
  std::string name = get_kernel(spec_number(1), elementwise)->name;
  wait_for_compiles();
  ASSERT_EQ(entries().size(), 1u);
  EXPECT_THAT(lines, ElementsAre(MatchesRegex(
                         "kernel nj_[0-9a-f]{16} \\(elementwise\\) compiled in [0-9.]+ ms: "
                         "codegen [0-9.]+, link [0-9.]+, load [0-9.]+")));
  restart();
  auto kernel = get_kernel(spec_number(1), elementwise);
  EXPECT_EQ(kernel->name, name);
  EXPECT_EQ(call(*kernel), 42);
  EXPECT_EQ(compiler->compiles, 0);
  EXPECT_EQ(kernel_counters().loaded, 1);
  EXPECT_EQ(kernel_counters().compiled, 0);
  EXPECT_EQ(kernel_counters().misses, 0);
  EXPECT_THAT(lines, ElementsAre(MatchesRegex(
                         "kernel nj_[0-9a-f]{16} \\(elementwise\\) loaded from disk in "
                         "[0-9.]+ ms")));
}

TEST_F(KernelCache, OffMeansNoFiles) {
  for (const char* off : {"", "off"}) {
    config_scope scope({.compile = compile_mode::sync, .cache_dir = off});
    EXPECT_EQ(call(*get_kernel(spec_number(1), elementwise)), 42);
    wait_for_compiles();
    restart();
  }
  EXPECT_FALSE(fs::exists(folder));
}

TEST_F(KernelCache, FailureIsOneLineAndQuarantinedOnDiskToo) {
  config_scope scope(sync_mode);
  compiler->before = [] { throw CompileError("compile", "the stars are not right"); };
  auto kernel = get_kernel(spec_number(1), elementwise);
  EXPECT_EQ(kernel->state, KernelState::failed);
  EXPECT_EQ(kernel->entry, nullptr);
  EXPECT_EQ(get_kernel(spec_number(1), elementwise), kernel);
  EXPECT_EQ(compiler->compiles, 1);
  EXPECT_THAT(lines, ElementsAre("kernel " + kernel->name +
                                 " (elementwise) can't be compiled: the stars are not "
                                 "right; its ops run one by one from now on."));
  EXPECT_EQ(kernel_counters().quarantined, 1);
  wait_for_compiles();
  restart();
  compiler->before = {};
  EXPECT_EQ(get_kernel(spec_number(1), elementwise)->state, KernelState::failed);
  EXPECT_EQ(compiler->compiles, 0);
  EXPECT_EQ(kernel_counters().quarantined, 1);
  EXPECT_THAT(lines, IsEmpty());
}

TEST_F(KernelCache, EachPhaseCanFail) {
  config_scope scope(sync_mode);
  int n = 0;
  for (const char* phase : {"lower", "halide", "link", "load"}) {
    detail::inject_fault(phase);
    auto kernel = get_kernel(spec_number(++n), elementwise);
    EXPECT_EQ(kernel->state, KernelState::failed);
    EXPECT_EQ(kernel->error, std::string("fault injected into ") + phase);
  }
  EXPECT_EQ(lines.size(), 4u);
  wait_for_compiles();
  // Faults of a test do not quarantine the real content.
  detail::inject_fault("");
  restart();
  for (; n > 0; --n) EXPECT_EQ(get_kernel(spec_number(n), elementwise)->state, KernelState::ready);
}

TEST_F(KernelCache, ForeignExceptionsAndGarbageAreFailuresToo) {
  config_scope scope(sync_mode);
  compiler->before = [] { throw std::runtime_error("not one of ours"); };
  EXPECT_EQ(get_kernel(spec_number(1), elementwise)->error, "not one of ours");
  compiler->before = [] { throw 7; };
  EXPECT_EQ(get_kernel(spec_number(2), elementwise)->error, "an exception of unknown type");
}

TEST_F(KernelCache, WithoutSuppressionTheErrorIsThrown) {
  compiler->before = [] { throw CompileError("compile", "the stars are not right"); };
  {
    config_scope scope({.compile = compile_mode::sync, .suppress_errors = false});
    for (int i = 0; i < 2; ++i)
      EXPECT_THAT(compile_error([] { get_kernel(spec_number(1), elementwise); }),
                  MatchesRegex("\\[compile\\] kernel nj_[0-9a-f]{16} \\(elementwise\\): the stars "
                               "are not right\\."));
    EXPECT_EQ(compile_error([] { wait_for_compiles(); }), "no CompileError");
  }
  {
    config_scope scope({.suppress_errors = false});
    auto kernel = get_kernel(spec_number(2), elementwise);
    EXPECT_THAT(
        compile_error([] { wait_for_compiles(); }),
        MatchesRegex(
            "\\[compile\\] kernel nj_[0-9a-f]{16} \\(elementwise\\): the stars are not right\\."));
    EXPECT_EQ(compile_error([] { wait_for_compiles(); }), "no CompileError");
    EXPECT_EQ(kernel->state, KernelState::failed);
    EXPECT_NE(compile_error([] { get_kernel(spec_number(2), elementwise); }), "no CompileError");
  }
  EXPECT_EQ(get_kernel(spec_number(2), elementwise)->state, KernelState::failed);
  EXPECT_THAT(lines, IsEmpty());
}

TEST_F(KernelCache, TimeLimitDropsTheResult) {
  std::atomic<bool> go{false};
  std::atomic<int> ended{0};
  compiler->before = [&] {
    while (!go) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    ++ended;
  };
  std::shared_ptr<Kernel> kernel;
  {
    config_scope scope({.compile = compile_mode::sync, .compile_timeout_ms = 30});
    kernel = get_kernel(spec_number(1), elementwise);
  }
  EXPECT_EQ(kernel->state, KernelState::failed);
  EXPECT_EQ(kernel->error, "not compiled within compile_timeout_ms = 30");
  EXPECT_THAT(lines, ElementsAre("kernel " + kernel->name +
                                 " (elementwise) can't be compiled: not compiled within "
                                 "compile_timeout_ms = 30; its ops run one by one from now on."));
  EXPECT_EQ(kernel_counters().quarantined, 1);
  // The slow compile does not hold up others, and its end changes nothing.
  go = true;
  config_scope scope(sync_mode);
  EXPECT_EQ(call(*get_kernel(spec_number(2), elementwise)), 42);
  while (ended < 2) std::this_thread::yield();  // it looks at what stands here
  EXPECT_EQ(kernel->state, KernelState::failed);
  EXPECT_EQ(kernel_counters().compiled, 1);
}

TEST_F(KernelCache, ALongerTimeLimitTriesAgain) {
  compiler->before = [] { std::this_thread::sleep_for(std::chrono::milliseconds(200)); };
  const auto state_within = [&](std::int64_t limit) {
    config_scope scope({.compile = compile_mode::sync, .compile_timeout_ms = limit});
    return get_kernel(spec_number(1), elementwise)->state.load();
  };
  EXPECT_EQ(state_within(30), KernelState::failed);
  restart();
  EXPECT_EQ(state_within(30), KernelState::failed);
  EXPECT_THAT(lines, ElementsAre(testing::HasSubstr(
                         " (elementwise), in an earlier process: not compiled within compile_timeout_ms = 30; "
                         "its ops run one by one until smaller kernels are there. A longer time tries it again.")));
  restart();
  EXPECT_EQ(state_within(20000), KernelState::ready);
  restart();
  EXPECT_EQ(state_within(30), KernelState::ready);
}

TEST_F(KernelCache, NoLinkerIsNeeded) {
  config_scope scope(sync_mode);
  const std::string path = std::getenv("PATH");
  setenv("PATH", "/nowhere", 1);
  EXPECT_EQ(call(*get_kernel(spec_number(1), elementwise)), 42);
  restart();
  EXPECT_EQ(call(*get_kernel(spec_number(1), elementwise)), 42);
  EXPECT_EQ(compiler->compiles, 0) << "the disk cache holds objects";
  setenv("PATH", path.c_str(), 1);
  EXPECT_THAT(lines, IsEmpty());
}

TEST_F(KernelCache, SharedObjectsOnDiskAreRead) {
  {
    config_scope scope(by_linker);
    EXPECT_EQ(call(*get_kernel(spec_number(1), elementwise)), 42);
  }
  EXPECT_EQ(kind_on_disk(), CacheKind::kernel);
  restart();
  config_scope scope(sync_mode);
  EXPECT_EQ(call(*get_kernel(spec_number(1), elementwise)), 42);
  EXPECT_EQ(compiler->compiles, 0);
}

TEST_F(KernelCache, ObjectsAreLinkedWhereTheLinkerIsAskedFor) {
  {
    config_scope scope(sync_mode);
    EXPECT_EQ(call(*get_kernel(spec_number(1), elementwise)), 42);
  }
  EXPECT_EQ(kind_on_disk(), CacheKind::objects);
  restart();
  config_scope scope(by_linker);
  EXPECT_EQ(call(*get_kernel(spec_number(1), elementwise)), 42);
  EXPECT_EQ(compiler->compiles, 0);
}

TEST_F(KernelCache, NoLinkerIsSaidOnce) {
  config_scope scope(by_linker);
  std::string path = std::getenv("PATH");
  setenv("PATH", "/nowhere", 1);
  EXPECT_EQ(get_kernel(spec_number(1), elementwise)->state, KernelState::failed);
  EXPECT_EQ(get_kernel(spec_number(2), elementwise)->state, KernelState::failed);
  setenv("PATH", path.c_str(), 1);
  EXPECT_THAT(
      lines,
      ElementsAre("no linker found (looked for ld, ld.bfd, ld.gold, ld.lld in PATH); compiled "
                  "functions run their ops one by one."));
  EXPECT_EQ(kernel_counters().quarantined, 0);
  EXPECT_THAT(entries(), IsEmpty());
}

TEST_F(KernelCache, LinkerErrorsAreQuoted) {
  config_scope scope(by_linker);
  // A linker that complains, first in PATH.
  fs::create_directories(folder + "/bin");
  std::ofstream(folder + "/bin/ld") << "#!/bin/sh\necho 'ld: out of paper' >&2\nexit 3\n";
  fs::permissions(folder + "/bin/ld", fs::perms::owner_all);
  std::string path = std::getenv("PATH");
  setenv("PATH", (folder + "/bin:" + path).c_str(), 1);
  EXPECT_EQ(get_kernel(spec_number(1), elementwise)->error,
            folder + "/bin/ld failed with status 3: ld: out of paper");
  setenv("PATH", path.c_str(), 1);
}

TEST_F(KernelCache, ManyThreadsShareOneCompile) {
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([&, t] {
      config_options mode{.compile = t % 2 ? compile_mode::sync : compile_mode::async};
      config_scope scope(mode);
      for (int i = 0; i < 10; ++i) {
        auto kernel = get_kernel(spec_number(i), elementwise);
        if (t % 2 && call(*kernel) != 42) ++wrong;
      }
    });
  for (auto& thread : threads) thread.join();
  wait_for_compiles();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(compiler->compiles, 10);
  EXPECT_EQ(kernel_counters().memory_hits, 70);
}

TEST_F(KernelCache, ResetForgetsButHeldKernelsStay) {
  config_scope scope({.compile = compile_mode::sync, .cache_dir = "off"});
  auto kernel = get_kernel(spec_number(1), elementwise);
  reset_kernels();
  EXPECT_EQ(kernel_counters().compiled, 0);
  EXPECT_EQ(call(*kernel), 42);
  EXPECT_NE(get_kernel(spec_number(1), elementwise), kernel);
  EXPECT_EQ(kernel_counters().compiled, 1);
}

TEST_F(KernelCache, LongUnusedKernelsAreDroppedIfNobodyHoldsThem) {
  config_scope scope({.compile = compile_mode::sync, .cache_dir = "off"});
  compiler->before = [] { throw CompileError("compile", "quick"); };  // no linker, to be fast
  auto held = get_kernel(spec_number(0), elementwise);
  KernelVariant variant = elementwise;
  for (unsigned i = 1; i <= 4096; ++i) {
    variant.size_class = i;
    get_kernel(spec_number(0), variant);
  }
  EXPECT_EQ(compiler->compiles, 4097);
  EXPECT_EQ(get_kernel(spec_number(0), elementwise), held);
  EXPECT_EQ(compiler->compiles, 4097);
  variant.size_class = 4096;
  get_kernel(spec_number(0), variant);
  EXPECT_EQ(compiler->compiles, 4097);
  variant.size_class = 1;  // the longest unused one
  get_kernel(spec_number(0), variant);
  EXPECT_EQ(compiler->compiles, 4098);
}

TEST_F(KernelCache, TimesAreKeptPerPhase) {
  compiler->before = [] { std::this_thread::sleep_for(std::chrono::milliseconds(5)); };
  config_scope scope(sync_mode);
  get_kernel(spec_number(1), elementwise);
  KernelTimes times = kernel_times();
  EXPECT_GE(times.codegen_ns, 5000000);
  EXPECT_GT(times.link_ns, 0);
  EXPECT_GT(times.load_ns, 0);
}

#if !defined(__SANITIZE_THREAD__)
TEST_F(KernelCache, AForkWaitsForWhatIsCompiledAndTheChildCompilesTheRest) {
  std::atomic<bool> forking{false};
  compiler->before = [&] {
    while (!forking) std::this_thread::yield();  // however long the queueing takes
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  };
  std::vector<std::shared_ptr<Kernel>> kernels;
  for (int i = 0; i < 20; ++i) kernels.push_back(get_kernel(spec_number(i), elementwise));
  while (compiler->compiles < 1) std::this_thread::yield();
  forking = true;
  const pid_t child = fork();
  if (child == 0) {
    if (std::none_of(kernels.begin(), kernels.end(), [](const auto& k) { return k->state == KernelState::queued; }))
      std::_Exit(1);
    compile_deferred();
    wait_for_compiles();
    for (const auto& kernel : kernels)
      if (kernel->state != KernelState::ready || call(*kernel) != 42)
        std::_Exit(kernel->error.find("forked") != std::string::npos ? 2 : 3);
    std::_Exit(call(*get_kernel(spec_number(3), elementwise)) == 42 ? 7 : 4);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(WEXITSTATUS(status), 7);
  wait_for_compiles();
  for (const auto& kernel : kernels) EXPECT_EQ(call(*kernel), 42);
}

TEST_F(KernelCache, AForkedChildForgetsWhatWasQueued) {
  std::atomic<bool> go{false};
  auto ready = [] {
    config_scope scope(sync_mode);
    return get_kernel(spec_number(1), elementwise);
  }();
  compiler->before = [&] {
    while (!go) std::this_thread::yield();
  };
  auto queued = get_kernel(spec_number(2), elementwise);
  while (compiler->compiles < 2) std::this_thread::yield();
  pid_t child = fork();
  if (child == 0) {
    // A compile was running in the parent: here kernels that exist work, others run eagerly.
    config_scope scope(sync_mode);
    bool fine = call(*ready) == 42 && queued->state == KernelState::failed &&
                get_kernel(spec_number(2), elementwise)->error ==
                    "no code generator: the process was forked during a compile";
    _exit(fine ? 7 : 1);
  }
  go = true;
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(WEXITSTATUS(status), 7);
  wait_for_compiles();
  EXPECT_EQ(call(*queued), 42);
}
#endif

TEST_F(KernelCache, ExitWaitsForTheRunningCompile) {
  auto leave = [&] {
    compiler->before = [] { std::this_thread::sleep_for(std::chrono::milliseconds(50)); };
    for (int i = 0; i < 20; ++i) get_kernel(spec_number(i), elementwise);
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    std::exit(5);  // 20 compiles would take a second; the queue is dropped
  };
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(leave(), testing::ExitedWithCode(5), "");
}

TEST_F(KernelCache, ExitDoesNotWaitForeverForAStuckCompile) {
  auto leave = [&] {
    config().compile_timeout_ms = 30;
    compiler->before = [] { std::this_thread::sleep_for(std::chrono::hours(1)); };
    get_kernel(spec_number(1), elementwise);
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    std::exit(6);
  };
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(leave(), testing::ExitedWithCode(6), "");
}

TEST_F(KernelCache, ExitTearsNothingDownUnderAStuckCompile) {
  struct UsedByTheCompile {
    ~UsedByTheCompile() { _exit(9); }
  };
  auto leave = [&] {
    config().compile_timeout_ms = 30;
    compiler->before = [] { std::this_thread::sleep_for(std::chrono::hours(1)); };
    get_kernel(spec_number(1), elementwise);
    std::this_thread::sleep_for(std::chrono::milliseconds(60));
    static UsedByTheCompile made_during_the_compile;
    static_cast<void>(&made_during_the_compile);
    std::exit(6);
  };
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(leave(), testing::ExitedWithCode(6), "");
}

}  // namespace
}  // namespace numjit::runtime
