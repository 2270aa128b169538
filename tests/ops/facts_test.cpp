// What rows say of their ops, held to what the ops do.
#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <optional>
#include <vector>

#include <numjit/np.h>
#include <numjit/ops/rows.h>

namespace numjit::test {
namespace {

template <class T>
std::vector<T> some_values() {
  if constexpr (std::is_same_v<T, bool>) {
    return {false, true};
  } else if constexpr (m::is_complex_type<T>) {
    using R = decltype(T{}.re);
    return {T(R(1), R(-2)), T(R(-0.5), R(3))};
  } else if constexpr (std::is_same_v<T, half>) {
    return {half(0.0f), half::of_bits(0x8000), half(1.5f), half::of_bits(0xfc00), half::of_bits(0x7c00)};
  } else {
    using limits = std::numeric_limits<T>;
    std::vector<T> values{T(0), T(1), T(3), limits::lowest(), limits::max()};
    if constexpr (std::is_floating_point_v<T>) values.insert(values.end(), {-T(0), limits::infinity(), -limits::infinity()});
    return values;
  }
}

template <op_id Op, dtype_id Type>
void expect_neutral() {
  using T = cpp_type<Type>;
  using E = std::conditional_t<std::is_same_v<T, half>, float, T>;
  if constexpr (Op == op_id::prod && m::is_complex_type<T>) return;  // (1, 0) changes signs of zeros there, and is skipped
  const E neutral = static_cast<E>(neutral_value<T>(neutral_of(Op)));
  for (const T value : some_values<T>()) {
    const E e = static_cast<E>(value), joined = static_cast<E>(op_row<Op>::combine(neutral, e));
    EXPECT_EQ(std::memcmp(&joined, &e, sizeof e), 0) << info(Op).name << " of " << dtype(Type).name();
  }
}

template <op_id Op, std::size_t... Loop>
void expect_neutral_in_loops(std::index_sequence<Loop...>) {
  (expect_neutral<Op, loops_of<Op>[Loop].out>(), ...);
}

TEST(Facts, NeutralValuesChangeNothing) {
#define REDUCTION(name, ...) expect_neutral_in_loops<op_id::name>(std::make_index_sequence<loops_of<op_id::name>.size()>{});
#include <numjit/ops/all_rows.inc>
}

TEST(Facts, ReductionsOfNothing) {
#define REDUCTION(name, ...)                                                                                 \
  if (has_identity(op_id::name))                                                                             \
    EXPECT_EQ(name(zeros({0})).item<double>(), neutral_of(op_id::name) == op_neutral::one ? 1 : 0) << #name; \
  else                                                                                                       \
    EXPECT_THROW(name(zeros({0})), ValueError) << #name;
#include <numjit/ops/all_rows.inc>
}

TEST(Facts, AUfuncsReductionIsTheOneThatJoinsByIt) {
  EXPECT_EQ(reduction_by(op_id::add), op_id::sum);
  EXPECT_EQ(reduction_by(op_id::minimum), op_id::min);
  EXPECT_EQ(reduction_by(op_id::subtract), std::nullopt);
  for (int i = 0; i < op_count; ++i) {
    const auto op = static_cast<op_id>(i);
    const op_kind kind = info(op).kind;
    const bool joins = kind == op_kind::reduction || kind == op_kind::argreduction || kind == op_kind::scan;
    EXPECT_EQ(ufunc_of(op) != op_id::count_, joins) << info(op).name;
    if (kind == op_kind::reduction) {
      EXPECT_EQ(reduction_by(ufunc_of(op)), op);
    }
  }
}

TEST(Facts, PricesRise) {
  double before = 0;
  for (const op_cost cost : {op_cost::simple, op_cost::division, op_cost::function, op_cost::long_function, op_cost::series}) {
    EXPECT_GT(ns_of(cost), before);
    before = ns_of(cost);
  }
  EXPECT_EQ(additions_of(facts_of(op_id::add).cost), 1);
  EXPECT_EQ(additions_of(facts_of(op_id::exp).cost), 20);
  EXPECT_EQ(facts_of(op_id::radians).cost, op_cost::simple);
}

}  // namespace
}  // namespace numjit::test
