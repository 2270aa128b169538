// numpy.emath, and views by strides: what lies in namespaces of its own.
#include "against_numpy.h"

namespace np = numjit;

namespace {

TEST(emath, is_complex_where_real_functions_end) {
  VALUE("np.emath.sqrt(-1)", np::emath::sqrt(-1));
  VALUE("np.emath.sqrt(np.array([4.0, 9.0]))", np::emath::sqrt(np::array{4.0, 9.0}));
  VALUE("np.emath.sqrt(np.array([4, -9], np.int16))",
        np::emath::sqrt(np::array({4, -9}, {.dtype = np::int16})));
  VALUE("np.emath.sqrt(np.array([4, -9], np.float32))",
        np::emath::sqrt(np::array({4, -9}, {.dtype = np::float32})));
  VALUE("np.emath.sqrt(np.array([-4 + 0j, 1j]))",
        np::emath::sqrt(np::array{std::complex<double>(-4), std::complex<double>(0, 1)}));
  VALUE("np.emath.log(np.array([-1.0, 2.0]))", np::emath::log(np::array{-1.0, 2.0}));
  VALUE("np.emath.log2(np.array([-4.0, 8.0]))", np::emath::log2(np::array{-4.0, 8.0}));
  VALUE("np.emath.log10(np.array([10.0, 100.0]))", np::emath::log10(np::array{10.0, 100.0}));
  VALUE("np.emath.logn(2, np.array([-4.0, 8.0]))", np::emath::logn(2, np::array{-4.0, 8.0}));
  VALUE("np.emath.power(np.array([2, 4]), np.array([-2, 3]))",
        np::emath::power(np::array{2, 4}, np::array{-2, 3}));
  VALUE("np.emath.power(np.array([-2.0, 4.0]), 2)", np::emath::power(np::array{-2.0, 4.0}, 2));
  VALUE("np.emath.arccos(np.array([1.0, 2.0]))", np::emath::arccos(np::array{1.0, 2.0}));
  VALUE("np.emath.arcsin(np.array([0.5, -1.0]))", np::emath::arcsin(np::array{0.5, -1.0}));
  VALUE("np.emath.arctanh(np.array([0.5, 2.0]))", np::emath::arctanh(np::array{0.5, 2.0}));
}

TEST(stride_tricks, are_views_of_memory) {
  namespace tricks = np::lib::stride_tricks;
  np::array x = np::arange(6);
  np::array rolling = tricks::as_strided(x, {4, 3}, {8, 8});
  VALUE("np.lib.stride_tricks.as_strided(np.arange(6), (4, 3), (8, 8))", rolling);
  rolling(0, 1) = 10;
  EXPECT_EQ(x(1).item<int>(), 10);
  EXPECT_FALSE(tricks::as_strided(x, {2}, {8}, {.writeable = false}).writeable());
  EXPECT_THROW(tricks::as_strided(x, {4, 4}, {8, 8}), np::ValueError);
  ERROR("np.lib.stride_tricks.as_strided(np.arange(6), (4, 3), (8,))",
        tricks::as_strided(x, {4, 3}, {8}));
  const np::array table = np::arange(12).reshape(3, 4);
#define WINDOWS "np.lib.stride_tricks.sliding_window_view(np.arange(12).reshape(3, 4), "
  VALUE(WINDOWS "(2, 3))", tricks::sliding_window_view(table, {2, 3}));
  VALUE(WINDOWS "2, axis=1)", tricks::sliding_window_view(table, 2, {.axis = 1}));
  VALUE(WINDOWS "2, 0)", tricks::sliding_window_view(table, 2, 0));
  VALUE(WINDOWS "(2, 3), axis=(0, -1))",
        tricks::sliding_window_view(table, {2, 3}, {.axis = {0, -1}}));
  VALUE(WINDOWS "(3, 2), axis=(1, 0))",
        tricks::sliding_window_view(table, {3, 2}, {.axis = {1, 0}}));
  VALUE(WINDOWS "(2, 2), axis=(1, 1))",
        tricks::sliding_window_view(table, {2, 2}, {.axis = {1, 1}}));
  ERROR(WINDOWS "(2, 3), axis=0)", tricks::sliding_window_view(table, {2, 3}, {.axis = 0}));
  ERROR(WINDOWS "2, writeable=True)", tricks::sliding_window_view(table, 2, {.writeable = true}));
  ERROR(WINDOWS "5, axis=(1,))", tricks::sliding_window_view(table, 5, {.axis = {1}}));
#undef WINDOWS
}

TEST(stride_tricks, windows_along_some_axes_stay_in_graphs) {
  const auto f = np::compile(
      [](const np::array& x) {
        return np::lib::sliding_window_view(x, 2, {.axis = 1}).sum({.axis = -1});
      },
      {.fullgraph = true});
  VALUE(
      "np.lib.stride_tricks.sliding_window_view(np.arange(12.0).reshape(3, 4), 2, axis=1).sum(-1)",
      f(np::arange(12.0).reshape(3, 4)));
}

}  // namespace
