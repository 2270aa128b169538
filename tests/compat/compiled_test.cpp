// The NumPy surface inside compiled functions: composites, indexing and stores record, and give the
// bits they give eagerly, at the first call, when rerun, and with other sizes.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include <numjit/np.h>

namespace np = numjit;
using np::_, np::slice, np::none;

namespace {

bool same_bits(const np::array& a, const np::array& b) {
  if (!(a.shape() == b.shape()) || a.dtype() != b.dtype()) return false;
  return np::npy_bytes(a) == np::npy_bytes(b);
}

np::array sample(std::int64_t rows, std::int64_t columns, int seed) {
  return np::sin(np::arange(rows * columns) + seed).reshape(rows, columns);
}

template <class F>
void expect_same(const char* name, F body) {
  SCOPED_TRACE(name);
  auto fast = np::compile(body);
  int seed = 0;
  for (auto [rows, columns] : {std::pair{4, 6}, {4, 6}, {4, 6}, {7, 3}, {4, 6}, {7, 3}}) {
    np::array x = sample(rows, columns, ++seed), y = x.copy();
    np::array eager = body(x), compiled = fast(y);
    EXPECT_TRUE(same_bits(eager, compiled)) << "eager\n" << eager.repr() << "\ncompiled\n" << compiled.repr();
    EXPECT_TRUE(same_bits(x, y)) << "the argument\n" << x.repr() << "\ncompiled\n" << y.repr();
  }
}

#define SAME(...) expect_same(#__VA_ARGS__, [](const np::array& x) -> np::array { return __VA_ARGS__; })

TEST(compiled, composites) {
  SAME(np::mean(x));
  SAME(np::mean(x, {.axis = 0, .keepdims = true}));
  SAME(np::var(x, {.axis = 1}));
  SAME(np::std(x, {.axis = 0, .ddof = 1}));
  SAME(np::round(x, 2));
  SAME(np::diff(x, 2, 0));
  SAME(np::dot(x.T(), x));
  SAME(np::inner(x(0), x(1)));
  SAME(np::outer(x(0), x(1)));
  SAME(np::einsum("ij,kj->ik", {x, x}));
  SAME(np::pad(x, 1, {.mode = "edge"}));
  SAME(np::pad(x, 2));
  SAME(np::roll(x, 1, 0));
  SAME(np::tile(x, {2, 1}));
  SAME(np::repeat(x, 2, 1));
  SAME(np::flip(x) - x);
  SAME(np::triu(x, 1));
  SAME(np::stack({x, x + 1}, {.axis = -1}));
  SAME(np::concatenate({x, x * 2}, {.axis = 1}));
  SAME(np::clip(x, -0.5, none));
  SAME(np::nan_to_num(np::log(x)));
  SAME(np::isclose(x, x + 1e-9));
  SAME(np::average(x, 1, np::arange(x.shape(1)) + 1.0));
  SAME(np::median(x, 0));
  SAME(np::linalg::norm(x, {.axis = 1}));
  SAME(np::cumsum(x, {.axis = 1}));
  SAME(np::ptp(x, 0));
  SAME(np::trapezoid(x));
  SAME(np::gradient(x, 1.0, 1));
  SAME(np::fromfunction([](auto i, auto j) { return i * j; }, {3, 3}) * np::sum(x));
}

TEST(compiled, indexing_and_stores) {
  SAME(x(slice(1, none)) - x(slice(none, -1)));
  SAME(x(_, np::newaxis) - x(np::newaxis));
  SAME((x(0) = 7, x + 1));
  SAME((x(_, slice(none, none, 2)) += 1, x));
  SAME((x(x > 0) = 0, x));
  SAME((x(x > 0) *= 2, x));
  SAME((x(x > 0.5) = -1, x(x < -0.5) = 1, x));
  SAME(np::sum(x(x > 0)));
  SAME(x(np::array{2, 0}));
  SAME((x(np::array{2, 0}) = 0, x));
  SAME((x(np::array{1, 0}, np::array{2, 2}) += 1, x));
  SAME(x(np::argmax(x(_, 0))));
  SAME(np::array(x.T()(slice(0, 2))).reshape(-1) + 1);
  SAME(np::where(x > 0, x, 0).reshape(-1));
  SAME((x * 2).T().reshape(-1));
  SAME([&] {
    auto y = x(x > 0);
    x(x > 0) = 0;
    return np::sum(y) + np::sum(x);
  }());
}

TEST(compiled, a_mask_store_of_a_number_does_not_break_the_graph) {
  auto f = np::compile([](const np::array& x) { x(x > 0) = 0, x(x < -0.5) += 1; });
  const auto breaks = np::counters().breaks;
  auto x = sample(4, 6, 1);
  for (int i = 0; i < 3; ++i) f(x);
  EXPECT_EQ(np::counters().breaks, breaks);
}

// A number is a run-time value of the graph, and each must be one that integers hold.
TEST(compiled, floats_stored_into_integers_are_checked_at_each_call) {
  auto f = np::compile([](const np::array& x, double value) { x(slice(1, none)) = value; });
  for (double value : {1.5, 2.5, -3.5, np::nan, np::inf, 300.0, 4.5}) {
    np::array x = np::zeros(3, np::int8);
    auto text = [&]() -> std::string {
      try {
        f(x, value);
      } catch (const np::error& e) {
        return e.code() + ": " + e.what();
      }
      return x.str();
    };
    const std::string whole = std::to_string(static_cast<int>(std::isfinite(value) ? value : 0));
    const std::string wanted = std::isnan(value)   ? "ValueError: [store] cannot convert float NaN to integer"
                               : std::isinf(value) ? "OverflowError: [store] cannot convert float infinity to integer"
                               : value == 300      ? "OverflowError: [store] Python integer 300 out of bounds for int8"
                               : value < 0         ? "[ 0 " + whole + " " + whole + "]"
                                                   : "[0 " + whole + " " + whole + "]";
    EXPECT_EQ(text(), wanted);
    EXPECT_EQ(text(), wanted);
  }
}

TEST(compiled, errors_come_from_the_op_call) {
  auto f = np::compile([](const np::array& x) { return x + np::ones(5); });
  EXPECT_THROW(f(np::ones(4)), np::ValueError);
  auto g = np::compile([](const np::array& x) { return (x + 1)(10); });
  EXPECT_THROW(g(np::ones(4)), np::IndexError);
}

}  // namespace
