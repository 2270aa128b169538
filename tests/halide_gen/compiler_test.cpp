// The code generator itself: targets, errors that stay ours, many threads at once.
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include <compiler.h>
#include <kernels/kernel_fixture.h>
#include <numjit/base/error.h>
#include <numjit/runtime/kernels/abi.h>

namespace numjit::testing {
namespace {

using halide_gen::HalideCompiler;

graph::KernelSpec add_spec() {
  SpecBuilder b;
  int x = b.operand(dtype_id::float64), y = b.operand(dtype_id::float64);
  return b.outputs({b.op("add", x, y)});
}
const runtime::KernelVariant contiguous{"elementwise", {1, 1, 1}, 0, false};

bool is_object(const std::vector<char>& bytes) {
  return bytes.size() > 64 && std::string(bytes.data(), 4) == "\177ELF";
}

bool contains(const std::vector<char>& bytes, const std::string& text) {
  return std::string_view(bytes.data(), bytes.size()).find(text) != std::string_view::npos;
}

TEST(Compiler, GivesAnObjectWithTheEntryPoint) {
  for (const char* target : {"host", "x86-64-v2", "x86-64-v3", "x86-64-v4"}) {
    std::vector<char> object = HalideCompiler().compile(add_spec(), contiguous, "nj_test", target);
    EXPECT_TRUE(is_object(object)) << target;
    EXPECT_TRUE(contains(object, runtime::entry_symbol("nj_test"))) << target;
  }
}

TEST(Compiler, EqualSpecsGiveEqualCode) {
  auto compile = [] { return HalideCompiler().compile(add_spec(), contiguous, "nj_test", "x86-64-v3"); };
  EXPECT_EQ(compile(), compile());
}

/// No marker of a lowering pass is left as a call, and nothing but libc, libm and the memory hooks is
/// called, whatever the reduction.
TEST(Compiler, MasksAreLoweredAway) {
  for (const char* schedule : {"rows", "panel"})
    for (std::uint8_t stride : {0, 1, 2}) {
      SpecBuilder b;
      auto spec = b.outputs({b.reduce("sum", b.operand(dtype_id::float32))});
      std::vector<char> object =
          HalideCompiler().compile(spec, {schedule, {stride, 1}, 0, false}, "nj_test", "x86-64-v3");
      EXPECT_FALSE(contains(object, "nj_mask")) << schedule;
      EXPECT_FALSE(contains(object, "halide_error")) << schedule;
    }
}

TEST(Compiler, ListsAKernelAsTexts) {
  const runtime::KernelListing listing = HalideCompiler().list(add_spec(), contiguous, "nj_test", "x86-64-v3");
  EXPECT_EQ(listing.loop_nest,
            "produce nj_out\n"
            "  for nj_y\n"
            "    for nj_x\n"
            "      nj_out[4 lanes] = ...\n"
            "    nj_out[4 lanes] = ...\n");
  EXPECT_EQ(listing.statement.find("module name=nj_test"), 0u);
  EXPECT_NE(listing.statement.find("strict_add(nj_in0"), std::string::npos);
  EXPECT_NE(listing.assembly.find("nj_test_argv:"), std::string::npos);
  EXPECT_NE(listing.assembly.find("vaddpd"), std::string::npos);
}

TEST(Compiler, UnknownTemplateIsACompileError) {
  try {
    HalideCompiler().compile(add_spec(), {"diagonal", {1, 1, 1}, 0, false}, "nj_test", "host");
    FAIL() << "expected CompileError";
  } catch (const CompileError& e) {
    EXPECT_STREQ(e.what(), "[compile] no schedule template of this name: got diagonal");
  }
}

TEST(Compiler, HalidesOwnErrorsBecomeCompileErrors) {
  try {
    HalideCompiler().compile(add_spec(), contiguous, "nj_test", "x86-64-nonsense");
    FAIL() << "expected CompileError";
  } catch (const CompileError& e) {
    EXPECT_TRUE(std::string(e.what()).starts_with("[compile] Halide: ")) << e.what();
  }
  // and the generator is as good as new
  EXPECT_TRUE(is_object(HalideCompiler().compile(add_spec(), contiguous, "nj_test", "host")));
}

TEST(Compiler, OpsWithoutKernelFormAreACompileError) {
  SpecBuilder b;
  const int a = b.operand(dtype_id::int32);
  auto spec = b.outputs({b.op("gcd", a, a)});
  EXPECT_THROW(HalideCompiler().compile(spec, {"elementwise", {1, 1, 1}, 0, false}, "nj_test", "host"), CompileError);
}

TEST(Compiler, ManyThreadsAtOnce) {
  const auto expected = HalideCompiler().compile(add_spec(), contiguous, "nj_test", "x86-64-v3");
  std::vector<std::vector<char>> objects(8);
  std::vector<std::thread> threads;
  for (auto& object : objects)
    threads.emplace_back([&object] {
      object = HalideCompiler().compile(add_spec(), contiguous, "nj_test", "x86-64-v3");
    });
  for (auto& thread : threads) thread.join();
  for (const auto& object : objects) EXPECT_EQ(object, expected);
}

TEST(Compiler, NamesItself) { EXPECT_EQ(HalideCompiler().identity(), "halide-21.0.0"); }

}  // namespace
}  // namespace numjit::testing
