// float_mode = fast: products and sums are fused, into whole vectors, and nothing else changes.
#include <cstdio>
#include <cstdlib>
#include <fstream>

#include <gmock/gmock.h>
#include <unistd.h>

#include <compiler.h>
#include <kernels/kernel_fixture.h>

namespace numjit::testing {
namespace {

using halide_gen::HalideCompiler;
using ::testing::HasSubstr;
using ::testing::Not;

graph::KernelSpec polynomial(dtype_id type) {
  SpecBuilder b;
  int x = b.operand(type), y = b.operand(type);
  return b.outputs({b.op("subtract", b.op("add", b.op("multiply", x, y), x), b.op("multiply", y, y))});
}

std::vector<char> compile(const graph::KernelSpec& spec, bool fast, const char* target) {
  std::vector<std::uint8_t> strides(spec.operand_types.size() + spec.outputs.size(), 1);
  return HalideCompiler().compile(spec, {"elementwise", strides, 0, fast}, "nj_test", target);
}

/// What objdump says; empty without objdump.
std::string disassembled(const std::vector<char>& object) {
  const std::string name = ::testing::TempDir() + "fast_math_" + std::to_string(getpid()) + ".o";
  std::ofstream(name, std::ios::binary).write(object.data(), static_cast<std::streamsize>(object.size()));
  std::string text;
  if (FILE* pipe = popen(("objdump -d --no-show-raw-insn " + name + " 2>/dev/null").c_str(), "r")) {
    char part[4096];
    while (std::size_t n = fread(part, 1, sizeof part, pipe)) text.append(part, n);
    pclose(pipe);
  }
  std::remove(name.c_str());
  return text;
}

TEST(FastMath, FusesWholeVectors) {
  for (dtype_id type : {dtype_id::float32, dtype_id::float64}) {
    const std::string packed = type == dtype_id::float32 ? "ps" : "pd";
    for (const char* target : {"x86-64-v3", "x86-64-v4"}) {
      SCOPED_TRACE(target);
      const std::string fast = disassembled(compile(polynomial(type), true, target));
      if (fast.empty()) GTEST_SKIP() << "no objdump here";
      EXPECT_THAT(fast, ::testing::ContainsRegex("vfn?m(add|sub)[123]*" + packed));
      // Never lane by lane.
      EXPECT_THAT(fast, Not(::testing::ContainsRegex("vfn?m(add|sub)[123]*s[sd]")));
      EXPECT_THAT(disassembled(compile(polynomial(type), false, target)), Not(HasSubstr("vfm")));
    }
  }
}

TEST(FastMath, FunctionsOfTheVocabularyStayInVectors) {
  for (const char* op : {"exp", "log", "sin", "tanh", "expm1"})
    for (dtype_id type : {dtype_id::float64, dtype_id::float32})
      for (const char* target : {"x86-64-v3", "x86-64-v4"}) {
        SCOPED_TRACE(std::string(op) + " " + target);
        SpecBuilder b;
        auto spec = b.outputs({b.op(op, b.operand(type))});
        const std::string fast = disassembled(compile(spec, true, target));
        if (fast.empty()) GTEST_SKIP() << "no objdump here";
        if (type == dtype_id::float64) {
          EXPECT_THAT(fast, ::testing::ContainsRegex("vfn?m(add|sub)[123]*pd"));
        }
        EXPECT_THAT(fast, Not(::testing::ContainsRegex("vfn?m(add|sub)[123]*s[sd]")));
      }
}

TEST(FastMath, WithoutTheInstructionNothingChanges) {
  auto spec = polynomial(dtype_id::float64);
  EXPECT_EQ(compile(spec, true, "x86-64-v2"), compile(spec, false, "x86-64-v2"));
}

TEST(FastMath, IntegersAreNotConcerned) {
  SpecBuilder b;
  int x = b.operand(dtype_id::int64);
  auto spec = b.outputs({b.op("add", b.op("multiply", x, x), x)});
  EXPECT_EQ(compile(spec, true, "x86-64-v4"), compile(spec, false, "x86-64-v4"));
}

}  // namespace
}  // namespace numjit::testing
