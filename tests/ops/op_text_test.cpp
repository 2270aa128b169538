// Operations in words: parameters by the names of their rows' schemas, and what is refused of words from files.
#include <bit>

#include <gtest/gtest.h>

#include <numjit/ops/op_text.h>
#include <numjit/ops/param_layout.h>
#include <numjit/ops/ufunc_routine.h>

namespace numjit::test {
namespace {

using layout::index_entry;
using layout::number;

TEST(OpText, ParametersAreKeywordArguments) {
  EXPECT_EQ(params_text(op_id::add, {}), "");
  EXPECT_EQ(params_text(op_id::add, layout::type_params(dtype_id::float32)), "dtype=float32");
  EXPECT_EQ(params_text(op_id::sum, layout::reduction_params({})), "");
  EXPECT_EQ(params_text(op_id::sum, layout::reduction_params({dims{1}, true, {}, {}})), "axis=1, keepdims=True");
  EXPECT_EQ(params_text(op_id::sum, layout::reduction_params({dims{0, -1}, false, number::of(2.5), dtype_id::float64})),
            "axis=(0, -1), initial=2.5, dtype=float64");
  EXPECT_EQ(params_text(op_id::max, layout::reduction_params({dims{}, false, {}, {}})), "axis=()");
  EXPECT_EQ(params_text(op_id::argmax, layout::arg_params(layout::none, false)), "");
  EXPECT_EQ(params_text(op_id::argmax, layout::arg_params(0, true)), "axis=0, keepdims=True");
  EXPECT_EQ(params_text(op_id::cumsum, layout::axis_params(-1)), "axis=-1");
  EXPECT_EQ(params_text(op_id::reshape_view, layout::shape_params({2, -1})), "shape=(2, -1)");
  EXPECT_EQ(params_text(op_id::transpose, layout::axes_params({})), "");
  EXPECT_EQ(params_text(op_id::diagonal, layout::diagonal_params(1, 0, 2)), "offset=1, axis1=0, axis2=2");
  EXPECT_EQ(params_text(op_id::full, layout::full_params({3}, number::of(std::int64_t{7}), dtype_id::int64)),
            "value=7, shape=(3,), dtype=int64");
  EXPECT_EQ(params_text(op_id::full, layout::full_params({}, number::of(1.0, -2.0), dtype_id::complex128)),
            "value=(1.0-2.0j), shape=(), dtype=complex128");
  EXPECT_EQ(params_text(op_id::linspace, layout::linspace_params(number::of(0.0), number::of(1.0), 5, true, dtype_id::float64)),
            "start=0.0, stop=1.0, num=5, endpoint=True, dtype=float64");
  EXPECT_EQ(params_text(op_id::take, layout::take_params(1, layout::take_mode::clip)), "axis=1, mode='clip'");
  EXPECT_EQ(params_text(op_id::take, layout::take_params(layout::none)), "");
  EXPECT_EQ(params_text(op_id::sort, layout::sort_params(0)), "axis=0");
  EXPECT_EQ(params_text(op_id::sort, op_params().push(std::int64_t{-1}).push(dims{3, 5})), "axis=-1, kth=(3, 5)");
  EXPECT_EQ(params_text(op_id::searchsorted, layout::side_params(true)), "right=True");
}

TEST(OpText, AnIndexIsWhatStandsInItsBrackets) {
  const auto text = [](std::initializer_list<index_entry> entries) {
    return params_text(op_id::index, layout::index_params(std::span(entries.begin(), entries.size())));
  };
  EXPECT_EQ(text({index_entry::all(), index_entry::range(1, layout::none)}), "[:, 1:]");
  EXPECT_EQ(text({index_entry::at(-1)}), "[-1]");
  EXPECT_EQ(text({index_entry::range(layout::none, layout::none, -1), index_entry::new_axis()}), "[::-1, None]");
  EXPECT_EQ(text({index_entry::range(0, 10, 2), index_entry::at(3)}), "[0:10:2, 3]");
  EXPECT_EQ(text({}), "[()]");
}

TEST(OpText, ARoutineIsCalledByWhatItDoes) {
  using namespace detail;
  EXPECT_EQ(op_text(op_id::sum, {}), "sum");
  EXPECT_EQ(op_text(op_id::routine, op_params().push(static_cast<std::int64_t>(routine_id::solve))), "linalg.solve");
  EXPECT_EQ(op_text(op_id::routine, op_params().push(static_cast<std::int64_t>(routine_id::fft)).push(std::int64_t{2})),
            "fft.rfft");
  EXPECT_EQ(op_text(op_id::routine, ufunc_routine_params(routine_id::ufunc_reduceat, op_id::maximum)), "maximum.reduceat");
  EXPECT_EQ(op_text(op_id::routine, op_params().push(std::int64_t{-1})), "routine");
}

TEST(OpText, ParametersOfRoutinesHaveTheirNames) {
  using namespace detail;
  const auto text = [](routine_id id, std::initializer_list<std::int64_t> words) {
    op_params p = op_params().push(static_cast<std::int64_t>(id));
    for (const std::int64_t word : words) p.push(word);
    EXPECT_EQ(params_problem(op_id::routine, p), "");
    return params_text(op_id::routine, p);
  };
  EXPECT_EQ(text(routine_id::solve, {}), "");
  EXPECT_EQ(text(routine_id::eigh, {'L'}), "UPLO='L'");
  EXPECT_EQ(text(routine_id::qr, {2}), "mode='r'");
  EXPECT_EQ(text(routine_id::cholesky, {0}), "");
  EXPECT_EQ(text(routine_id::cholesky, {1}), "upper=True");
  EXPECT_EQ(text(routine_id::svd, {0}), "full_matrices=False");
  EXPECT_EQ(text(routine_id::lstsq, {std::bit_cast<std::int64_t>(0.5)}), "rcond=0.5");
  EXPECT_EQ(text(routine_id::fft, {2, 16, 1, 0}), "n=16, axis=1");
  EXPECT_EQ(text(routine_id::stored_number, {static_cast<std::int64_t>(dtype_id::float32)}), "dtype=float32");
  EXPECT_EQ(params_text(op_id::routine, ufunc_routine_params(routine_id::ufunc_reduce, op_id::add, 1)), "axis=1");
}

TEST(OpText, WordsFromFilesAreHeldToTheSchema) {
  const auto words = [](std::initializer_list<std::int64_t> list) {
    op_params p;
    for (const std::int64_t word : list) p.push(word);
    return p;
  };
  EXPECT_EQ(params_problem(op_id::sum, words({0, 1, 0})), "");
  EXPECT_EQ(params_problem(op_id::sum, words({8, 0})), "unknown flags");
  EXPECT_EQ(params_problem(op_id::sum, words({0, 999999999})), "its list of axes is cut short");
  EXPECT_EQ(params_problem(op_id::sum, words({4, 0, 1})), "its initial value is cut short");
  EXPECT_EQ(params_problem(op_id::sum, words({2, 0, 5})), "3 words, expected 2");
  EXPECT_EQ(params_problem(op_id::eye, words({1, 2})), "no k");
  EXPECT_EQ(params_problem(op_id::eye, words({1, 2, 3, 4})), "4 words, expected 3");
  EXPECT_EQ(params_problem(op_id::diagonal, {}), "");
  EXPECT_EQ(params_problem(op_id::diagonal, words({1})), "no axis1");
  EXPECT_EQ(params_problem(op_id::arange, words({9, 0, 0, 0, 0, 0, 0, 0, 0})), "its start is of unknown kind");
  EXPECT_EQ(params_problem(op_id::reshape_view, words({3, 1, 1})), "its shape is cut short");
  EXPECT_EQ(params_problem(op_id::reshape_view, words({17, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1})),
            "its shape is cut short");
  EXPECT_EQ(params_problem(op_id::sort, words({0, 18, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17})), "");
  EXPECT_EQ(params_problem(op_id::sort, words({0, 3, 1, 2})), "its kth is cut short");
  EXPECT_EQ(params_problem(op_id::take, words({0, 3})), "an unknown mode");
  EXPECT_EQ(params_problem(op_id::index, words({7})), "an index entry of unknown kind");
  EXPECT_EQ(params_problem(op_id::index, words({1, 0, 4})), "its last index entry is cut short");
  EXPECT_EQ(params_problem(op_id::index, words({1, 0, 4, 0})), "a slice step of zero");
  EXPECT_EQ(params_problem(op_id::add, words({1})), "1 words, expected 0");
  EXPECT_EQ(params_problem(op_id::routine, words({-5})), "an unknown routine");
  EXPECT_EQ(params_problem(op_id::black_box, {}), "a function of np::allow_in_graph, which no file can hold");
  EXPECT_EQ(params_problem(op_id::random_draw, {}), "a draw of random numbers, which no file can hold");
}

TEST(OpText, EveryOpsSchemaReadsItsOwnWords) {
  for (int i = 0; i < op_count; ++i) {
    const auto op = static_cast<op_id>(i);
    op_params many;
    for (int k = 0; k < op_params::max_words; ++k) many.push(std::int64_t{k * 37 % 5 - 1});
    params_text(op, many);  // anything may stand in a file: no word is read behind the last
    params_problem(op, many);
    params_problem(op, {});
  }
}

}  // namespace
}  // namespace numjit::test
