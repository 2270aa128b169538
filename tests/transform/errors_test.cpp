// The errors of derivatives, word by word.
#include <gtest/gtest.h>

#include <numjit/np.h>

namespace np = numjit;

namespace {

using np::array;

template <class Error, class F>
std::string text_of(F&& f) {
  try {
    f();
  } catch (const Error& e) {
    return e.what();
  }
  return "no such error";
}

struct model {
  array w;
  std::vector<array> b;
  int layers = 1;
  NUMJIT_FIELDS(model, w, b, layers)
};

TEST(TransformErrors, IntegersHaveNoDerivative) {
  EXPECT_EQ(text_of<np::TypeError>([] { np::grad([](const array& x) { return np::sum(x); })(np::arange(3)); }),
            "[grad] argument 0 has dtype int64, expected float16, float32, float64, complex64 or complex128: integers have no "
            "derivative. Cast it, as in x.astype(float64).");
  const auto f = [](const array& x, const model& m) { return np::sum(x * m.w); };
  EXPECT_EQ(
      text_of<np::TypeError>([&] {
        np::grad<1>(f)(np::ones({2}), model{np::ones({2}), {np::ones({1}), np::arange(2)}});
      }),
      "[grad] argument 1.b[1] has dtype int64, expected float16, float32, float64, complex64 or complex128: integers have no "
      "derivative. Cast it, as in x.astype(float64).");
}

TEST(TransformErrors, ResultsHaveToBeRealNumbers) {
  const array x = np::arange(3.0);
  EXPECT_EQ(text_of<np::ValueError>([&] { np::grad([](const array& a) { return a * 2.0; })(x); }),
            "[grad] the function returned shape (3,), expected a real 0-D array. Return a sum or mean, or use vjp or jacobian.");
  EXPECT_EQ(
      text_of<np::ValueError>([&] { np::grad([](const array& a) { return np::sum(a) * std::complex<double>(0, 1); })(x); }),
      "[grad] the function returned dtype complex128, expected a real 0-D array. Return its real part or modulus, or use vjp.");
  EXPECT_EQ(text_of<np::ValueError>([&] { np::grad([](const array& a) { return np::argmax(a); })(x); }),
            "[grad] the function returned dtype int64, expected a real 0-D array: integers have no derivative.");
}

TEST(TransformErrors, CotangentsAndTangentsAreLikeWhatTheyBelongTo) {
  const auto [y, pull] = np::vjp([](const array& a) { return std::pair(a, a * 2.0); }, np::arange(3.0));
  EXPECT_EQ(text_of<np::ValueError>([&, &p = pull] { p(std::pair(np::ones({3}), np::ones({2}))); }),
            "[vjp] cotangent 1 has shape (2,), the result has shape (3,).");
  EXPECT_EQ(text_of<np::ValueError>([&, &p = pull] { p(std::pair(np::ones({3}), np::ones({3}, {.dtype = np::float32}))); }),
            "[vjp] cotangent 1 has dtype float32, the result has dtype float64.");
  EXPECT_EQ(text_of<np::ValueError>(
                [] { np::jvp([](const array& a) { return a; }, std::tuple(np::arange(3.0)), std::tuple(np::arange(2.0))); }),
            "[jvp] tangent 0 has shape (2,), the argument has shape (3,).");
}

TEST(TransformErrors, OperationsWithoutAKnownDerivativeSaySo) {
  EXPECT_EQ(text_of<np::NotImplementedError>(
                [] { np::grad([](const array& a) { return np::sum(np::special::gamma(a)); })(np::arange(1.0, 3.0)); }),
            "[grad] no derivative of 'gamma' is known. Use stop_gradient, or give one by custom_vjp.");
  EXPECT_EQ(text_of<np::NotImplementedError>([] {
              np::jvp([](const array& a) { return np::special::gammaln(a); }, std::tuple(np::arange(1.0, 3.0)),
                      std::tuple(np::ones({2})));
            }),
            "[jvp] no derivative of 'gammaln' is known. Use stop_gradient, or give one by custom_vjp.");
}

TEST(TransformErrors, ViewsOfOtherDtypesSaySo) {
  EXPECT_EQ(text_of<np::NotImplementedError>([] {
              np::grad([](const array& a) { return np::sum((a * 2.0).view(np::int64)).astype(np::float64); })(np::arange(3.0));
            }),
            "[grad] no derivative goes through a view of elements as another dtype. Use astype, or real and imag.");
}

TEST(TransformErrors, ArgumentsThatShareMemoryAndAreStoredInto) {
  const array x = np::arange(4.0);
  const int line = __LINE__ + 2;
  const auto f = [](const array& a, const array& b) {
    a(0) = 5.0;
    return np::sum(a * b);
  };
  EXPECT_EQ(text_of<np::ValueError>([&] { np::grad<0, 1>(f)(x, x); }),
            "[grad] arguments 0 and 1 share memory, and the function stores into it at " + std::string(__FILE__) + ":" +
                std::to_string(line) + ". Pass a copy.");
  EXPECT_EQ(x(0).item(), 0.0);  // nothing was stored
}

// A transform that fails leaves the levels of the thread as they were.
TEST(TransformErrors, EndTheirLevel) {
  const array x = np::arange(3.0);
  EXPECT_THROW(np::grad([](const array& a) {
                 if (a.size() == 3) throw std::runtime_error("user");
                 return a;
               })(x),
               std::runtime_error);
  EXPECT_FALSE(np::detail::levels_are_open());
  EXPECT_TRUE(np::array_equal(np::grad([](const array& a) { return np::sum(a * a); })(x), 2.0 * x));
}

}  // namespace
