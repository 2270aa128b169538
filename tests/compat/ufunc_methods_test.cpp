// np::ufunc: reduce, accumulate, reduceat, outer and at of the ufuncs, their dtypes and errors.
#include "against_numpy.h"

namespace np = numjit;

namespace {

template <class F>
std::string message(F&& f) {
  try {
    f();
  } catch (const np::error& e) {
    return e.what();
  }
  return "no error";
}

np::array ints() { return np::array{3, 1, 2, 2}; }
np::array reals() { return np::array{1.5, -2.0, 4.0, 0.25}; }
np::array table() { return np::arange(12.0).reshape(3, 4) - 5; }

TEST(ufunc_reduce, joins_from_the_first_to_the_last) {
  VALUE("np.subtract.reduce(np.array([3, 1, 2, 2]))", np::ufunc("subtract").reduce(ints()));
  VALUE("np.divide.reduce(np.array([3, 1, 2, 2]))", np::ufunc("divide").reduce(ints()));
  VALUE("np.bitwise_or.reduce(np.array([3, 1, 2, 2]))", np::ufunc("bitwise_or").reduce(ints()));
  VALUE("np.bitwise_xor.reduce(np.arange(10000))", np::ufunc("bitwise_xor").reduce(np::arange(10000)));
  VALUE("np.gcd.reduce(np.arange(1, 5000) * 12)", np::ufunc("gcd").reduce(np::arange(1, 5000) * 12));
  VALUE("np.left_shift.reduce(np.array([3, 1, 2, 2]))", np::ufunc("left_shift").reduce(ints()));
  VALUE("np.logical_xor.reduce(np.array([3, 1, 0, 2]))", np::ufunc("logical_xor").reduce(np::array{3, 1, 0, 2}));
  VALUE("np.add.reduce(np.array([3, 1, 2, 2], np.int8))", np::ufunc("add").reduce(ints().astype(np::int8)));
  VALUE("np.maximum.reduce(np.array([1.5, -2.0, 4.0, 0.25]))", np::ufunc("maximum").reduce(reals()));
  VALUE("np.subtract.reduce(np.float64(3))", np::ufunc("subtract").reduce(np::array(3.0)));
}

TEST(ufunc_objects, have_the_methods_beside_the_call) {
  VALUE("np.subtract.reduce(np.arange(12.0).reshape(3, 4) - 5, 1)",
        np::subtract.reduce(table(), 1));
  VALUE("np.add.reduce(np.arange(12.0).reshape(3, 4) - 5, axis=(0, 1))",
        np::add.reduce(table(), {.axis = {0, 1}}));
  VALUE("np.maximum.accumulate(np.arange(12.0).reshape(3, 4) - 5, 1)",
        np::maximum.accumulate(table(), 1));
  VALUE("np.multiply.accumulate(np.array([3, 1, 2, 2]))", np::multiply.accumulate(ints()));
  VALUE("np.add.reduceat(np.array([3, 1, 2, 2]), [0, 2])", np::add.reduceat(ints(), {0, 2}));
  VALUE("np.add.reduceat(np.arange(12.0).reshape(3, 4), [0, 2], axis=1)",
        np::add.reduceat(np::arange(12.0).reshape(3, 4), {0, 2}, {.axis = 1}));
  VALUE("np.subtract.outer(np.array([3, 1, 2, 2]), np.arange(3))",
        np::subtract.outer(ints(), np::arange(3)));
  VALUE("np.add(np.array([3, 1, 2, 2]), 1, dtype=np.float32)",
        np::add(ints(), 1, {.dtype = np::float32}));
  const np::ufunc any_ufunc = np::logical_or;
  VALUE("np.logical_or.reduce(np.array([3, 1, 2, 2]))", any_ufunc.reduce(ints()));
  EXPECT_EQ(np::bitwise_and.identity(), -1);
  EXPECT_EQ(np::power.name(), "power");
  // Names that the standard library has as well are found by their arguments, also unqualified.
  using std::fmod, std::hypot;
  VALUE("np.fmod(np.array([3, 1, 2, 2]), 2)", fmod(ints(), 2));
  VALUE("np.hypot(np.array([1.5, -2.0, 4.0, 0.25]), 2)", hypot(reals(), 2));
}

TEST(ufunc_at, of_a_literal_inside_a_graph) {
  const auto count = np::compile(
      [](const np::array& places, const np::array& rows) {
        auto bins = np::zeros(5, np::int64);
        np::add.at(bins, places, 1);
        auto table = np::full({3, 5}, 2.0);
        np::multiply.at(table, {rows, places}, 1.5);
        return std::pair(bins, table);
      },
      {.fullgraph = true});
  const np::array places{1, 4, 1, 0}, rows{0, 2, 0, 1};
  for (int call = 0; call < 2; ++call, np::wait_for_compiles()) {
    const std::pair<np::array, np::array> made = count(places, rows);
    const np::array& bins = made.first;
    const np::array& table = made.second;
    VALUE("(lambda a: (np.add.at(a, [1, 4, 1, 0], 1), a)[1])(np.zeros(5, np.int64))", bins);
    VALUE(
        "(lambda a: (np.multiply.at(a, ([0, 2, 0, 1], [1, 4, 1, 0]), 1.5), a)[1])(np.full((3, 5), "
        "2.0))",
        table);
  }
}

TEST(ufunc_reduce, takes_axes_and_options) {
  VALUE("np.subtract.reduce(np.arange(12.0).reshape(3, 4) - 5)", np::ufunc("subtract").reduce(table()));
  VALUE("np.subtract.reduce(np.arange(12.0).reshape(3, 4) - 5, axis=1)", np::ufunc("subtract").reduce(table(), {.axis = 1}));
  VALUE("np.subtract.reduce(np.arange(12.0).reshape(3, 4) - 5, axis=-1, keepdims=True)",
        np::ufunc("subtract").reduce(table(), {.axis = -1, .keepdims = true}));
  VALUE("np.fmax.reduce(np.arange(12.0).reshape(3, 4) - 5, axis=None)", np::ufunc("fmax").reduce(table(), {.axis = np::none}));
  VALUE("np.floor_divide.reduce(np.array([3, 1, 2, 2]), initial=100)",
        np::ufunc("floor_divide").reduce(ints(), {.initial = 100}));
  VALUE("np.subtract.reduce(np.array([3, 1, 2, 2]), dtype=np.float32)",
        np::ufunc("subtract").reduce(ints(), {.dtype = np::float32}));
  VALUE("np.bitwise_or.reduce(np.array([3, 1, 4, 2]), where=np.array([True, False, False, True]))",
        np::ufunc("bitwise_or").reduce(np::array{3, 1, 4, 2}, {.where = np::array{true, false, false, true}}));
  VALUE("np.subtract.reduce(np.arange(12.0).reshape(3, 4), initial=100, where=np.arange(12).reshape(3, 4) % 2 == 0)",
        np::ufunc("subtract").reduce(np::arange(12.0).reshape(3, 4),
                                     {.initial = 100, .where = np::arange(12).reshape(3, 4) % 2 == 0}));
  VALUE("np.bitwise_and.reduce(np.zeros(0, np.uint8))", np::ufunc("bitwise_and").reduce(np::zeros(0, np::uint8)));
  VALUE("np.logical_or.reduce(np.array([0, 0]), initial=True)",
        np::ufunc("logical_or").reduce(np::array{0, 0}, {.initial = true}));
  np::array out = np::zeros(4, np::int32);
  np::ufunc("subtract").reduce(table(), {.out = out});
  VALUE("np.subtract.reduce(np.arange(12.0).reshape(3, 4) - 5).astype(np.int32)", out);
}

TEST(ufunc_reduce, says_what_it_can_not_do) {
  ERROR("np.sin.reduce(np.arange(3))", np::ufunc("sin").reduce(np::arange(3)));
  ERROR("np.less.reduce(np.array([3, 1]))", np::ufunc("less").reduce(np::array{3, 1}));
  ERROR("np.subtract.reduce(np.zeros(0))", np::ufunc("subtract").reduce(np::zeros(0)));
  ERROR("np.subtract.reduce(np.zeros((2, 2)), axis=(0, 1))", np::ufunc("subtract").reduce(np::zeros({2, 2}), {.axis = {0, 1}}));
  ERROR("np.subtract.reduce(np.zeros(2), where=np.array([True, False]))",
        np::ufunc("subtract").reduce(np::zeros(2), {.where = np::array{true, false}}));
  ERROR("np.power.reduce(np.array([2, -1]))", np::ufunc("power").reduce(np::array{2, -1}));
  ERROR("np.subtract.reduce(np.zeros(2), axis=1)", np::ufunc("subtract").reduce(np::zeros(2), {.axis = 1}));
  ERROR("np.subtract.reduce(np.array([True, False]))", np::ufunc("subtract").reduce(np::array{true, false}));
}

TEST(ufunc_accumulate, gives_running_results) {
  VALUE("np.maximum.accumulate(np.array([1.5, -2.0, 4.0, 0.25]))", np::ufunc("maximum").accumulate(reals()));
  VALUE("np.maximum.accumulate(np.array([1.0, np.nan, 3.0]))", np::ufunc("maximum").accumulate(np::array{1.0, NAN, 3.0}));
  VALUE("np.add.accumulate(np.array([3, 1, 2, 2], np.int8))", np::ufunc("add").accumulate(ints().astype(np::int8)));
  VALUE("np.subtract.accumulate(np.array([3, 1, 2, 2], np.int8))", np::ufunc("subtract").accumulate(ints().astype(np::int8)));
  VALUE("np.divide.accumulate(np.array([3, 1, 2, 2]))", np::ufunc("divide").accumulate(ints()));
  VALUE("np.logical_xor.accumulate(np.array([3, 1, 0, 2]))", np::ufunc("logical_xor").accumulate(np::array{3, 1, 0, 2}));
  VALUE("np.minimum.accumulate(np.arange(12.0).reshape(3, 4)[::-1] - 5)",
        np::ufunc("minimum").accumulate(np::flip(table(), {.axis = 0})));
  VALUE("np.minimum.accumulate(np.arange(12.0).reshape(3, 4)[:, ::-1], axis=1)",
        np::ufunc("minimum").accumulate(np::flip(np::arange(12.0).reshape(3, 4), {.axis = 1}), {.axis = 1}));
  VALUE("np.maximum.accumulate(np.arange(3000) * 7919 % 4001)", np::ufunc("maximum").accumulate(np::arange(3000) * 7919 % 4001));
  VALUE("np.maximum.accumulate(np.zeros((0, 3)), axis=1)", np::ufunc("maximum").accumulate(np::zeros({0, 3}), {.axis = 1}));
  VALUE("np.maximum.accumulate(np.array([3, 1, 2, 2]), dtype=np.float32)",
        np::ufunc("maximum").accumulate(ints(), {.dtype = np::float32}));
  ERROR("np.maximum.accumulate(np.float64(1))", np::ufunc("maximum").accumulate(np::array(1.0)));
  ERROR("np.maximum.accumulate(np.arange(4), out=np.zeros(3, int))",
        np::ufunc("maximum").accumulate(np::arange(4), {.out = np::zeros(3, np::int64)}));
  ERROR("np.sin.accumulate(np.arange(3))", np::ufunc("sin").accumulate(np::arange(3)));
  ERROR("np.power.accumulate(np.array([2, -1]))", np::ufunc("power").accumulate(np::array{2, -1}));
}

TEST(ufunc_reduceat, reduces_pieces) {
  VALUE("np.add.reduceat(np.array([3, 1, 2, 2]), [0, 2])", np::ufunc("add").reduceat(ints(), np::array{0, 2}));
  VALUE("np.add.reduceat(np.array([3, 1, 2, 2]), [3, 1, 0])", np::ufunc("add").reduceat(ints(), np::array{3, 1, 0}));
  VALUE("np.maximum.reduceat(np.arange(12.0).reshape(3, 4) - 5, [0, 2, 3], axis=1)",
        np::ufunc("maximum").reduceat(table(), np::array{0, 2, 3}, {.axis = 1}));
  VALUE("np.subtract.reduceat(np.arange(12.0).reshape(3, 4) - 5, [1, 0])",
        np::ufunc("subtract").reduceat(table(), np::array{1, 0}));
  VALUE("np.add.reduceat(np.arange(40, dtype=np.float16), [0, 3, 30])",
        np::ufunc("add").reduceat(np::arange(40).astype(np::float16), np::array{0, 3, 30}));
  VALUE("np.logical_or.reduceat(np.array([0, 0, 2, 0]), [0, 2, 3])",
        np::ufunc("logical_or").reduceat(np::array{0, 0, 2, 0}, np::array{0, 2, 3}));
  VALUE("np.hypot.reduceat(np.array([3, 4, 5, 12]), [0, 2])",
        np::ufunc("hypot").reduceat(np::array{3, 4, 5, 12}, np::array{0, 2}));
  VALUE("np.add.reduceat(np.array([3, 1, 2, 2]), np.zeros(0, int))", np::ufunc("add").reduceat(ints(), np::zeros(0, np::int64)));
  ERROR("np.add.reduceat(np.array([3, 1, 2, 2]), [4])", np::ufunc("add").reduceat(ints(), np::array{4}));
  ERROR("np.add.reduceat(np.array([3, 1, 2, 2]), [-1])", np::ufunc("add").reduceat(ints(), np::array{-1}));
  ERROR("np.add.reduceat(np.float64(3), [0])", np::ufunc("add").reduceat(np::array(3.0), np::array{0}));
  ERROR("np.add.reduceat(np.array([3, 1, 2, 2]), np.array([[0, 1]]))", np::ufunc("add").reduceat(ints(), np::array{{0, 1}}));
  ERROR("np.add.reduceat(np.array([3, 1, 2, 2]), np.array(0))", np::ufunc("add").reduceat(ints(), np::array(0)));
}

TEST(ufunc_outer, combines_all_pairs) {
  VALUE("np.multiply.outer(np.arange(3), np.arange(1, 5))", np::ufunc("multiply").outer(np::arange(3), np::arange(1, 5)));
  VALUE("np.subtract.outer(np.arange(4.0).reshape(2, 2), np.arange(2))",
        np::ufunc("subtract").outer(np::arange(4.0).reshape(2, 2), np::arange(2)));
  VALUE("np.power.outer(2, np.arange(4))", np::ufunc("power").outer(2, np::arange(4)));
  ERROR("np.sin.outer(1, 2)", np::ufunc("sin").outer(1, 2));
}

/// A target after what was done at places of it.
template <class F>
np::array after(np::array target, F&& change) {
  change(target);
  return target;
}

TEST(ufunc_at, counts_each_occurrence) {
  VALUE("[a := np.zeros(3, int), np.add.at(a, [0, 0, 2], 1)][0]",
        after(np::zeros(3, np::int64), [](auto& a) { np::ufunc("add").at(a, np::array{0, 0, 2}, 1); }));
  VALUE("[a := np.array([1.0, 2.0, 3.0]), np.subtract.at(a, [0, -1, 0], [10, 20, 30])][0]",
        after(np::array{1.0, 2.0, 3.0}, [](auto& a) {
          np::ufunc("subtract").at(a, np::array{0, -1, 0}, np::array{10, 20, 30});
        }));
  VALUE("[a := np.arange(6).reshape(2, 3), np.maximum.at(a, (0, [1, 1]), [9, 4])][0]",
        after(np::arange(6).reshape(2, 3), [](auto& a) { np::ufunc("maximum").at(a, {0, np::array{1, 1}}, np::array{9, 4}); }));
  VALUE("[a := np.arange(4), np.add.at(a, slice(1, 3), 10)][0]",
        after(np::arange(4), [](auto& a) { np::ufunc("add").at(a, np::slice(1, 3), 10); }));
  VALUE("[a := np.arange(4), np.add.at(a, np.array([True, False, True, False]), 10)][0]",
        after(np::arange(4), [](auto& a) { np::ufunc("add").at(a, np::array{true, false, true, false}, 10); }));
  VALUE("[a := np.arange(3), np.add.at(a, [1, 1], 1.75)][0]",
        after(np::arange(3), [](auto& a) { np::ufunc("add").at(a, np::array{1, 1}, 1.75); }));
  VALUE("[a := np.zeros(3, np.int8), np.add.at(a, [0, 0], np.array([300, 1]))][0]",
        after(np::zeros(3, np::int8), [](auto& a) { np::ufunc("add").at(a, np::array{0, 0}, np::array{300, 1}); }));
  VALUE("[a := np.arange(1, 4), np.negative.at(a, [0, 0, 1])][0]",
        after(np::arange(1, 4), [](auto& a) { np::ufunc("negative").at(a, np::array{0, 0, 1}); }));
  VALUE("[a := np.array([1.0, 2.0]), np.sqrt.at(a, [1, 1])][0]",
        after(np::array{1.0, 2.0}, [](auto& a) { np::ufunc("sqrt").at(a, np::array{1, 1}); }));
  VALUE("[a := np.zeros(1000), np.add.at(a, [5, 7, 5], [1.0, 2.0, 4.0])][0]",
        after(np::zeros(1000), [](auto& a) { np::ufunc("add").at(a, np::array{5, 7, 5}, np::array{1.0, 2.0, 4.0}); }));
  VALUE("[a := np.arange(6), np.add.at(a[::2], [0, 0, 2], 1)][0]", after(np::arange(6), [](auto& a) {
          np::ufunc("add").at(a(np::slice(np::none, np::none, 2)), np::array{0, 0, 2}, 1);
        }));
  ERROR("np.add.at(np.zeros(3), [5], 1)", np::ufunc("add").at(np::zeros(3), np::array{5}, 1));
  ERROR("np.power.at(np.array([2, 3]), [0, 0], -1)", np::ufunc("power").at(np::array{2, 3}, np::array{0, 0}, -1));
  ERROR("np.add.at(np.zeros(3), [0])", np::ufunc("add").at(np::zeros(3), np::array{0}));
  ERROR("np.sin.at(np.zeros(3), [0], 1)", np::ufunc("sin").at(np::zeros(3), np::array{0}, 1));
}

TEST(ufunc, goes_by_its_name) {
  EXPECT_EQ(np::ufunc("abs").name(), "absolute");
  EXPECT_EQ(np::ufunc("maximum").nin(), 2);
  EXPECT_EQ(np::ufunc("bitwise_and").identity(), -1.0);
  EXPECT_FALSE(np::ufunc("subtract").identity());
  VALUE("np.add(1, np.arange(3), dtype=np.float32)", np::ufunc("add")(1, np::arange(3), {.dtype = np::float32}));
  VALUE("np.sqrt(np.arange(3))", np::ufunc("sqrt")(np::arange(3)));
  for (const char* name : {"madd", "sum", "where"})
    EXPECT_EQ(message([&] { np::ufunc{name}; }),
              "[ufunc] unknown ufunc: got '" + std::string(name) +
                  "'; a name of NumPy's ufuncs is expected, as in np::ufunc(\"add\").");
}

}  // namespace
