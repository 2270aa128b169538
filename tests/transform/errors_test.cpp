// The errors of derivatives, word by word.
#include <gtest/gtest.h>

#include <exception>
#include <string>
#include <thread>

#include <numjit/np.h>

#include "support/error_text.h"

namespace np = numjit;

namespace {

using np::text_of;
using np::array;

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
  EXPECT_EQ(text_of<np::NotImplementedError>([] {
              np::grad([](const array& a) { return np::sum(1.0 * np::random::default_rng(1).poisson(a)); })(np::arange(1.0, 3.0));
            }),
            "[grad] no derivative of 'poisson' is known. Use stop_gradient, or give one by custom_vjp.");
  EXPECT_EQ(text_of<np::NotImplementedError>([] {
              np::jvp([](const array& a) { return np::random::default_rng(1).beta(a, 2.0); }, std::tuple(np::arange(1.0, 3.0)),
                      std::tuple(np::ones({2})));
            }),
            "[jvp] no derivative of 'beta' is known. Use stop_gradient, or give one by custom_vjp.");
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

// What other threads make of active arrays would be lost.
TEST(TransformErrors, OtherThreadsDoNotFollow) {
  const array x = np::arange(3.0);
  const auto on_a_thread = [](auto&& body) {
    std::exception_ptr thrown;
    std::thread([&] {
      try {
        body();
      } catch (...) {
        thrown = std::current_exception();
      }
    }).join();
    if (thrown) std::rethrow_exception(thrown);
  };
  const std::string expected =
      "[multiply] an array that grad follows on another thread is used here, where nobody follows it. Compute with it on the "
      "thread that calls grad, or pass stop_gradient(x).";
  const auto with = [&](auto&& use) {
    return text_of<np::ValueError>([&] {
      np::grad([&](const array& a) {
        on_a_thread([&] { use(a); });
        return np::sum(a);
      })(x);
    });
  };
  EXPECT_EQ(with([](const array& a) { return a * 2.0; }), expected);
  EXPECT_EQ(with([](const array& a) { return a(np::slice(1, 3)) * 2.0; }).substr(0, 53), "[index" + expected.substr(9, 47));
  EXPECT_EQ(with([](const array& a) { return np::compile([](const array& b) { return b * 2.0; })(a); }), expected);
  EXPECT_EQ(with([](const array& a) { return np::grad([&](const array& b) { return np::sum(b * a); })(np::ones({3})); }),
            expected);
  // What is no longer followed, and what never was, is used anywhere.
  EXPECT_EQ(with([](const array&) { return np::ones({3}) * 2.0; }), "no error");
  array kept;
  const array g = np::grad([&](const array& a) {
    kept = a * 3.0;
    const array constant = np::stop_gradient(a);
    on_a_thread([&] { EXPECT_EQ((constant * 2.0)(2).item(), 4.0); });
    return np::sum(kept);
  })(x);
  on_a_thread([&] { EXPECT_EQ((kept * g).sum().item(), 27.0); });
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
