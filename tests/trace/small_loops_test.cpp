// Loops over elements and short rows inside compiled functions: the bits of eager code, and no graphs where they don't pay.
#include <cstring>

#include <gtest/gtest.h>

#include <numjit/np.h>

#include <support/code_generator.h>
#include <support/trace_values.h>

namespace numjit::testing {
namespace {

namespace np = numjit;

/// LU decomposition in place, element by element.
np::array lu(const np::array& a) {
  const std::int64_t n = a.shape(0);
  for (std::int64_t i = 0; i < n; ++i) {
    for (std::int64_t j = 0; j < i; ++j) {
      a(i, j) -= np::dot(a(i, np::slice(0, j)), a(np::slice(0, j), j));
      a(i, j) /= a(j, j);
    }
    for (std::int64_t j = i; j < n; ++j) a(i, j) -= np::dot(a(i, np::slice(0, i)), a(np::slice(0, i), j));
  }
  return a;
}

/// A recurrence along rows, whose elements are read as numbers.
np::array relax(const np::array& a) {
  for (std::int64_t i = 1; i + 1 < a.shape(0); ++i)
    for (std::int64_t j = 1; j + 1 < a.shape(1); ++j)
      a(i, j) = 0.25 * (a(i - 1, j).item() + a(i + 1, j).item() + a(i, j - 1).item() + a(i, j + 1).item());
  return a;
}

np::array matrix(std::int64_t n) { return np::sin(ramp(n * n)).reshape(n, n) + static_cast<double>(n) * np::eye(n); }

bool same_bits(const np::array& a, const np::array& b) {
  const np::array x = np::ascontiguousarray(a), y = np::ascontiguousarray(b);
  return x.shape() == y.shape() && std::memcmp(x.raw_data(), y.raw_data(), static_cast<std::size_t>(x.nbytes())) == 0;
}

/// Calls `f` compiled, several times, and compares each with the eager result. Returns the ops that the last call ran eagerly.
template <class F>
std::uint64_t eager_ops_of_last_call(F& compiled, np::array (*plain)(const np::array&), std::int64_t n) {
  const np::array expected = plain(matrix(n));
  std::uint64_t before = 0;
  for (int call = 0; call < 6; ++call) {
    np::wait_for_compiles();
    before = np::counters().eager_ops;
    EXPECT_TRUE(same_bits(compiled(matrix(n)), expected)) << "call " << call;
  }
  return np::counters().eager_ops - before;
}

TEST(SmallLoops, AreThoseOfNumPy) {
  // From NumPy: a = np.array([[4., 3., 2.], [2., 5., 1.], [8., 7., 9.]]), decomposed by the same loops.
  auto f = np::compile(lu);
  EXPECT_EQ(values(f(np::array{{4.0, 3.0, 2.0}, {2.0, 5.0, 1.0}, {8.0, 7.0, 9.0}})),
            (std::vector<double>{4, 3, 2, 0.5, 3.5, 0, 2, 0.2857142857142857, 5}));
}

TEST(SmallLoops, RunOperationByOperation) {
  np::reset();
  auto f = np::compile(lu);
  EXPECT_GT(eager_ops_of_last_call(f, lu, 24), 500u);
  // No graph was made for it.
  const std::uint64_t graphs = np::counters().graphs;
  f(matrix(24));
  EXPECT_EQ(np::counters().graphs, graphs);
}

TEST(SmallLoops, ElementsReadAsNumbers) {
  np::reset();
  auto f = np::compile(relax);
  EXPECT_TRUE(eager_ops_of_last_call(f, relax, 40) > 500);
}

TEST(SmallLoops, LargeArraysAreRecordedAsEver) {
  np::reset();
  auto f = np::compile([](const np::array& a, const np::array& big) {
    lu(a);
    return np::sqrt(big * 2 + 1) - big;
  });
  const np::array big = ramp(20000);
  for (int call = 0; call < 6; ++call) f(matrix(24), big);
  np::wait_for_compiles();
  const std::uint64_t compiled = np::counters().kernels_compiled + np::counters().kernels_loaded;
  EXPECT_TRUE(same_bits(f(matrix(24), big), np::sqrt(big * 2 + 1) - big));
  EXPECT_EQ(np::counters().kernels_compiled + np::counters().kernels_loaded, compiled);
}

TEST(SmallLoops, BreaksAreErrorsWhereTheyWere) {
  np::reset();
  auto f = np::compile(relax);
  for (int call = 0; call < 6; ++call) f(matrix(40));
  np::error_on_graph_break_scope strict(true);
  EXPECT_THROW(f(matrix(40)), GraphBreakError);
}

TEST(SmallLoops, AreNoMatterForRegularLoops) {
  SKIP_WITHOUT_CODE_GENERATOR();
  np::reset();
  auto f = np::compile([](const np::array& x) {
    np::array y = x;
    for (int i = 0; i < 400; ++i) y = np::sqrt(y * 0.5 + 1.0) - y * 0.25;
    return y;
  });
  const np::array x = ramp(10);
  for (int call = 0; call < 6; ++call) f(x), np::wait_for_compiles();
  const std::uint64_t before = np::counters().eager_ops;
  f(x);
  EXPECT_EQ(np::counters().eager_ops, before);
}

TEST(SmallLoops, ExceptionsLeaveWhatWasDone) {
  np::reset();
  auto body = [](const np::array& a) {
    lu(a);
    a(0, 0) = 1.0;
    a(100, 100) = 2.0;
  };
  auto f = np::compile(body);
  for (int call = 0; call < 6; ++call) {
    np::array eager = matrix(24), compiled = matrix(24);
    EXPECT_EQ(message([&] { body(eager); }), message([&] { f(compiled); }));
    EXPECT_TRUE(same_bits(eager, compiled));
  }
}

}  // namespace
}  // namespace numjit::testing
