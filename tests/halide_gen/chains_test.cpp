// How long the chains of operations are, and what follows: vectors side by side, calls of what is rarely needed.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <chains.h>
#include <compiler.h>
#include <expr_value.h>
#include <kernels/kernel_fixture.h>
#include <numjit/base/error.h>
#include <numjit/runtime/kernels/linker.h>
#include <numjit/runtime/kernels/objects.h>

namespace numjit::testing {
namespace {

using halide_gen::chain_length;
using halide_gen::HalideCompiler;

Halide::Expr number() { return Halide::Internal::Variable::make(Halide::Float(64), "x"); }
Halide::Expr constant(double value) { return Halide::Internal::make_const(Halide::Float(64), value); }

TEST(Chains, LongestAndAll) {
  const Halide::Expr x = number();
  const Halide::Expr sum = Halide::strict_float(x) + x;  // what is used twice counts once
  const Halide::Expr product = sum * sum, quotient = product / x;
  EXPECT_EQ(chain_length({x}).all, 0);
  EXPECT_EQ(chain_length({product}).longest, 2 + chain_length({Halide::strict_float(x)}).longest);
  EXPECT_EQ(chain_length({quotient}).longest, chain_length({product}).longest + 4);
  EXPECT_EQ(chain_length({quotient, product}).all, chain_length({quotient}).all);
  const Halide::Expr beside = x - constant(1);
  EXPECT_EQ(chain_length({quotient, beside}).all, chain_length({quotient}).all + 1);
  EXPECT_EQ(chain_length({quotient, beside}).longest, chain_length({quotient}).longest);
}

TEST(Chains, WhatIsSeldomNeededCountsForNothing) {
  const Halide::Expr x = number(), far = x * x * x * x * x, usual = x + constant(1);
  const Halide::Expr rare = Halide::Internal::Call::make(Halide::Float(64), halide_gen::rare_name, {x > constant(2), far, usual},
                                                         Halide::Internal::Call::PureExtern);
  EXPECT_EQ(chain_length({rare}).longest, 1);
  EXPECT_EQ(chain_length({rare}).all, 2);
}

graph::KernelSpec chain_of(const char* op, int count, dtype_id type = dtype_id::float64) {
  SpecBuilder b;
  int value = b.operand(type);
  for (int i = 0; i < count; ++i) value = b.op(op, value);
  return b.outputs({value});
}
runtime::KernelListing list(const graph::KernelSpec& spec, const char* target = "x86-64-v3") {
  return HalideCompiler().list(spec, {"elementwise", {1, 1}, 0, false}, "nj_test", target);
}
bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(Chains, TwoVectorsSideBySideWhereTheChainIsLong) {
  EXPECT_TRUE(contains(list(chain_of("negative", 1)).loop_nest, "nj_out[4 lanes]"));
  EXPECT_TRUE(contains(list(chain_of("log", 1)).loop_nest, "nj_out[8 lanes]"));
  EXPECT_TRUE(contains(list(chain_of("log", 1, dtype_id::float32)).loop_nest, "nj_out[16 lanes]"));
  const auto fast = HalideCompiler().list(chain_of("log", 1), {"elementwise", {1, 1}, 0, true}, "nj_test", "x86-64-v3");
  EXPECT_TRUE(contains(fast.loop_nest, "nj_out[4 lanes]")) << "products and sums are fused in vectors of one register";
  SpecBuilder b;  // as much beside the chain as eight logarithms are
  std::vector<int> logs;
  for (int i = 0; i < 8; ++i) logs.push_back(b.op("log", b.operand(dtype_id::float64)));
  const auto spec = b.outputs(logs);
  const std::vector<std::uint8_t> strides(spec.operand_types.size() + logs.size(), 1);
  const auto listing = HalideCompiler().list(spec, {"elementwise", strides, 0, false}, "nj_test", "x86-64-v3");
  EXPECT_TRUE(contains(listing.loop_nest, "nj_out[4 lanes]")) << listing.loop_nest;
}

/// The wide reduction of angles would be most of a kernel's code: it is called, and linked where it is called.
TEST(Chains, FarSidesAreCalledWhereTheyCanBeLinked) {
  for (const char* op : {"sin", "cos", "tan"})
    EXPECT_TRUE(contains(list(chain_of(op, 1)).assembly, std::string("numjit_far_") + op)) << op;
  EXPECT_FALSE(contains(list(chain_of("exp", 1)).assembly, "numjit_far_"));
  EXPECT_FALSE(contains(list(chain_of("sin", 1), "wasm-32-wasmrt-wasm_simd128").assembly, "numjit_far_"));
  const auto object = HalideCompiler().compile(chain_of("sin", 1), {"elementwise", {1, 1}, 0, false}, "nj_test", "x86-64-v2");
  const auto with = runtime::link_kernel(runtime::pack_kernel_objects(object), "nj_test");
  const auto plain = HalideCompiler().compile(chain_of("exp", 1), {"elementwise", {1, 1}, 0, false}, "nj_test", "x86-64-v2");
  const auto without = runtime::link_kernel(runtime::pack_kernel_objects(plain), "nj_test");
  const auto names_far = [](const std::vector<char>& linked) {
    return std::string_view(linked.data(), linked.size()).find("numjit_far_") != std::string_view::npos;
  };
  EXPECT_FALSE(names_far(with)) << "what is linked in is nobody else's";
  EXPECT_FALSE(names_far(without));
}

/// Expressions that are made on the thread later hold all code again, also after a kernel that can't be made.
TEST(Chains, FarCallsEndWithTheKernel) {
  list(chain_of("sin", 1));
  EXPECT_FALSE(halide_gen::far_calls);
  EXPECT_THROW(HalideCompiler().compile(chain_of("sin", 1), {"diagonal", {1, 1}, 0, false}, "nj_test", "host"), CompileError);
  EXPECT_FALSE(halide_gen::far_calls);
}

}  // namespace
}  // namespace numjit::testing
