// Real and imaginary parts of values that are not in memory: computed with them, with the same bits.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include <numjit/array/same_bits.h>
#include <numjit/np.h>

#include "support/compiled_kernels.h"

namespace np = numjit;
using np::_;

namespace {

class Parts : public np::testing::CompiledKernels, public ::testing::WithParamInterface<bool> {
 protected:
  // Numbers with infinities, NaN and zeros of both signs among them.
  static np::array numbers() {
    np::array x = np::array({0.0, -0.0, INFINITY, -INFINITY, NAN, 1.5, -2.25, 1e-310, 3.0});
    np::array z = np::zeros({81}, np::complex128);
    z.real() = np::repeat(x, 9);
    z.imag() = np::tile(x, 9);
    return GetParam() ? z.astype(np::complex64) : z;
  }

  template <class F>
  static std::string expect_same(F program) {
    const np::array z = numbers();
    auto compiled = np::compile([&](const np::array& in) { return program(in); });
    const std::vector<np::array> expected = program(z);
    for (int call = 0; call < 3; ++call) {
      const std::vector<np::array> got = compiled(z);
      EXPECT_EQ(got.size(), expected.size());
      for (std::size_t i = 0; i < expected.size(); ++i)
        EXPECT_FALSE(np::detail::first_difference(expected[i].get(), got[i].get())) << "result " << i;
    }
    return np::testing::as_text(np::explain(compiled)(z));
  }

  static int kernels(const std::string& text) {
    int count = 0;
    for (std::size_t at = text.find(" moved in"); at != std::string::npos; at = text.find(" moved in", at + 1)) ++count;
    return count;
  }
};

using arrays = std::vector<np::array>;

TEST_P(Parts, AreComputedWithTheirNumber) {
  const std::string text = expect_same([](const np::array& c) -> arrays {
    np::array z = c * c + c;
    for (int i = 0; i < 3; ++i) z = np::where(z.real() * z.real() + z.imag() * z.imag() < 4.0, z * z + c, z);
    return {z.imag() - 2 * z.real()};
  });
  EXPECT_EQ(kernels(text), 1) << text;
}

TEST_P(Parts, ThatArePartsOfResults) {
  expect_same([](const np::array& c) -> arrays {
    const np::array z = c * 2.0;
    return {z.real(), z, z.imag() + 1.0};
  });
  expect_same([](const np::array& c) -> arrays {
    const np::array z = c + 1.0;
    return {z, np::sqrt(np::abs(z.real())), z.imag()(np::slice(3, 60, 2)) * 2};
  });
}

TEST_P(Parts, Reduced) {
  expect_same([](const np::array& c) -> arrays {
    const np::array z = np::reshape(c * np::conj(c), {9, 9});
    return {np::max(z.real(), {.axis = 1}), np::sum(z.imag()), np::argmin(z.real() - z.imag(), {.axis = 0})};
  });
}

TEST_P(Parts, StoredTo) {
  expect_same([](const np::array& c) -> arrays {
    np::array z = c * 3.0;
    const np::array before = z.imag() + 1.0;
    z.real() = z.imag() * 2;
    z.imag() += z.real();
    return {z, before, np::transpose(np::reshape(z - c, {9, 9})).real() + 1};
  });
}

INSTANTIATE_TEST_SUITE_P(Of, Parts, ::testing::Bool(), [](const auto& info) {
  return std::string(info.param ? "complex64" : "complex128");
});

}  // namespace
