// How the programs of docs/programs/gradients are tested: they converge, and compiled they give the same bits, while kernels are
// made and with them.
#pragma once

#include <gtest/gtest.h>

#include "table.h"

#include <support/code_generator.h>

namespace ported {

/// `inputs` are made anew for each call: programs may draw from a generator among them.
template <class Run, class Inputs, class Check>
void expect_the_same_compiled(const char* name, Run run, Inputs inputs, Check check) {
  const auto found = std::apply(run, inputs());
  const results eager = as_results(found);
  if constexpr (std::invocable<Check, results>)
    EXPECT_NO_THROW(check(eager));
  else
    EXPECT_NO_THROW(std::apply(check, found));
  const auto compiled = np::compile(run, {.name = name});
  for (const char* call : {"first", "second", "third"}) {
    const results got = as_results(std::apply(compiled, inputs()));
    ASSERT_EQ(got.size(), eager.size());
    for (std::size_t i = 0; i < eager.size(); ++i)
      EXPECT_TRUE(got[i].dtype() == eager[i].dtype() && got[i].shape() == eager[i].shape() &&
                  np::tobytes(got[i]) == np::tobytes(eager[i]))
          << "result " << i << " of the " << call << " call";
    np::wait_for_compiles();
  }
}

}  // namespace ported

#define GRADIENT_PROGRAM(name)                                                              \
  TEST(GradientPrograms, name) {                                                            \
    SKIP_WITHOUT_CODE_GENERATOR();                                                          \
    ported::expect_the_same_compiled(#name, &::name::run, &::name::inputs, &::name::check); \
  }
