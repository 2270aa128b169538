// Every reduction of every engine against the reference, bit by bit.
#include <gtest/gtest.h>

#include <support/code_generator.h>
#include <support/memory_layouts.h>

#include "reduction_cases.h"

namespace {

namespace np = numjit;
using bits::ReductionCase;

std::string first_difference(const ReductionCase& c, const std::vector<reference::Tensor>& expected,
                             const std::vector<np::array>& got) {
  const std::vector<std::string> names = bits::reduction_names(c);
  for (std::size_t i = 0; i < names.size(); ++i)
    if (const std::string wrong = reference::difference(expected[i], reference::tensor_of(got[i])); !wrong.empty())
      return names[i] + ": " + wrong;
  return "";
}

std::vector<np::array> laid_out(const std::vector<np::array>& arrays, np::testing::MemoryLayout layout) {
  std::vector<np::array> out;
  for (const np::array& a : arrays) out.push_back(np::testing::laid_out(a, layout));
  return out;
}

class Reductions : public ::testing::TestWithParam<int> {
 protected:
  np::dtype_id type() const { return static_cast<np::dtype_id>(GetParam()); }
};

TEST_P(Reductions, EagerIsTheDefinition) {
  for (const ReductionCase& c : bits::reduction_cases(type())) {
    const auto arguments = bits::reduction_arguments(c);
    const auto expected = bits::reference_reductions(c, arguments);
    const bool is_long = arguments[0].size() > 100000;
    for (const auto layout : np::testing::memory_layouts)
      for (const int threads : {1, 2, 7}) {
        if (is_long ? threads == 2 : threads == 7) continue;
        if (threads > 1 && layout != np::testing::MemoryLayout::c && layout != np::testing::MemoryLayout::strided) continue;
        const np::config_scope scope({.threads = threads});
        ASSERT_EQ(first_difference(c, expected, bits::run_reductions(c, laid_out(arguments, layout))), "")
            << c.name() << ", layout " << np::testing::layout_name(layout) << ", " << threads << " threads";
      }
  }
}

TEST_P(Reductions, CompiledIsTheDefinition) {
  SKIP_WITHOUT_CODE_GENERATOR();
  // All dtypes and all cases are compared by ./dev test bits: compiling takes long.
  if (type() != np::dtype_id::float32 && type() != np::dtype_id::int32) GTEST_SKIP() << "by ./dev test bits";
  const np::config_scope scope({.compile = np::compile_mode::sync, .suppress_errors = false, .recompile_limit = 100});
  const std::uint64_t before = np::counters().kernels_compiled + np::counters().kernels_loaded;
  int number = 0;
  for (const ReductionCase& c : bits::reduction_cases(type())) {
    if (number++ % 5 != 0) continue;
    const auto arguments = bits::reduction_arguments(c);
    const auto expected = bits::reference_reductions(c, arguments);
    const auto f = np::compile([&](const std::vector<np::array>& in) { return bits::run_reductions(c, in); });
    for (const auto layout : {np::testing::MemoryLayout::c, np::testing::MemoryLayout::negative})
      ASSERT_EQ(first_difference(c, expected, f(laid_out(arguments, layout))), "")
          << c.name() << ", layout " << np::testing::layout_name(layout);
  }
  EXPECT_GT(np::counters().kernels_compiled + np::counters().kernels_loaded, before + 15);
}

INSTANTIATE_TEST_SUITE_P(Of, Reductions, ::testing::Range(0, np::dtype_count), [](const auto& info) {
  return std::string(np::dtype(static_cast<np::dtype_id>(info.param)).name());
});

}  // namespace
