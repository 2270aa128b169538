// Making arrays: literals, filled arrays, ranges, grids, dtypes as values.
#include "against_numpy.h"

namespace np = numjit;

namespace {

TEST(creation, literals_find_their_dtype) {
  VALUE("np.array([[1, 2], [3, 4]])", np::array{{1, 2}, {3, 4}});
  VALUE("np.array([1, 2.5])", np::array{1, 2.5});
  VALUE("np.array([True, False])", np::array{true, false});
  VALUE("np.array([True, 2])", np::array{true, 2});
  VALUE("np.array([1, 2 + 1j])", np::array{1, std::complex<double>(2, 1)});
  VALUE("np.array([1, 2], np.float32)", np::array({1, 2}, {.dtype = np::float32}));
  VALUE("np.array([1.9, -1.9]).astype(np.int32)", np::array({1.9, -1.9}, {.dtype = np::int32}));
  VALUE("np.array(3.5)", np::array(3.5));
  VALUE("np.array(1 + 2j)", np::array(std::complex<double>(1, 2)));
  VALUE("np.array([[[1], [2]], [[3], [4]]])", np::array{{{1}, {2}}, {{3}, {4}}});
  VALUE("np.array([2**63])", np::array{std::uint64_t{1} << 63});
  VALUE("np.array([2**63, -1])", np::array{std::uint64_t{1} << 63, -1});
  VALUE("np.array([np.arange(3), np.ones(3)])", np::array{np::arange(3), np::ones(3)});
  VALUE("np.array([np.float32(1), np.float32(2)])", np::array{np::float32(1), np::float32(2)});
  VALUE("np.array([0.1, 1], np.float16)", np::array({0.1, 1}, {.dtype = np::float16}));
  ERROR("np.array([[1, 2], [3]])", np::array{{1, 2}, {3}});
  ERROR("np.array([[1, 2], 3])", np::array{{1, 2}, 3});
  ERROR("np.array([300], np.uint8)", np::array({300}, {.dtype = np::uint8}));
  ERROR("np.array([-1], np.uint64)", np::array({-1}, {.dtype = np::uint64}));
  ERROR("np.array([np.nan]).astype(int) if False else int(np.nan)",
        np::array({np::nan}, {.dtype = np::int64}));
}

TEST(creation, filled) {
  VALUE("np.zeros((2, 3))", np::zeros({2, 3}));
  VALUE("np.zeros(4, np.int16)", np::zeros(4, np::int16));
  VALUE("np.ones((2, 2), np.complex64)", np::ones({2, 2}, {.dtype = np::complex64}));
  VALUE("np.ones(3, bool)", np::ones(3, np::bool_));
  VALUE("np.full(2, float('nan'), np.int32)", np::full(2, np::nan, {.dtype = np::int32}));
  VALUE("np.full(2, 1e300, np.int8)", np::full(2, 1e300, {.dtype = np::int8}));
  VALUE("np.full(2, -1.5, np.uint8)", np::full(2, -1.5, {.dtype = np::uint8}));
  VALUE("np.full(2, 300.5, np.uint8)", np::full(2, 300.5, {.dtype = np::uint8}));
  VALUE("np.full((2, 2), 7)", np::full({2, 2}, 7));
  VALUE("np.full((2, 2), 7.5, np.float32)", np::full({2, 2}, 7.5, {.dtype = np::float32}));
  VALUE("np.full((2, 3), np.arange(3))", np::full({2, 3}, np::arange(3)));
  VALUE("np.full(2, True)", np::full(2, true));
  VALUE("np.zeros_like(np.arange(3, dtype=np.int8))", np::zeros_like(np::arange(3, {.dtype = np::int8})));
  VALUE("np.ones_like(np.arange(3), dtype=float)", np::ones_like(np::arange(3), {.dtype = np::float64}));
  VALUE("np.full_like(np.ones(2), 3)", np::full_like(np::ones(2), 3));
  EXPECT_EQ(np::empty({3, 2}).shape(), (np::dims{3, 2}));
  EXPECT_EQ(np::empty_like(np::arange(3)).dtype(), np::int64);
  ERROR("np.zeros(-1)", np::zeros(-1));
  ERROR("np.full(2, 300, np.uint8)", np::full(2, 300, {.dtype = np::uint8}));
  std::int64_t n = 3, m = 2;
  VALUE("np.zeros((3, 2))", np::zeros({n, m}));
}

TEST(creation, ranges) {
  VALUE("np.arange(5)", np::arange(5));
  VALUE("np.arange(2, 10, 3)", np::arange(2, 10, 3));
  VALUE("np.arange(10, 2, -3)", np::arange(10, 2, -3));
  VALUE("np.arange(0, 1, 0.1)", np::arange(0, 1, 0.1));
  VALUE("np.arange(3.0)", np::arange(3.0));
  VALUE("np.arange(5, 2)", np::arange(5, 2));
  VALUE("np.arange(3, dtype=np.float32)", np::arange(3, {.dtype = np::float32}));
  VALUE("np.arange(np.int32(3))", np::arange(np::int32(3)));
  ERROR("np.arange(0, 5, 0)", np::arange(0, 5, 0));
  VALUE("np.linspace(0, 1, 5)", np::linspace(0, 1, 5));
  VALUE("np.linspace(-2, 3, 7)", np::linspace(-2, 3, 7));
  VALUE("np.linspace(0, 1, 4, endpoint=False)", np::linspace(0, 1, 4, {.endpoint = false}));
  VALUE("np.linspace(0, 10, 5, dtype=int)", np::linspace(0, 10, 5, {.dtype = np::int64}));
  VALUE("np.linspace(0, 1, 1)", np::linspace(0, 1, 1));
  VALUE("np.linspace(0, 1, 0)", np::linspace(0, 1, 0));
  ERROR("np.linspace(0, 1, -1)", np::linspace(0, 1, -1));
  VALUE("np.logspace(0, 3, 4)", np::logspace(0, 3, 4));
  VALUE("np.geomspace(1, 1000, 4)", np::geomspace(1, 1000, 4));
  VALUE("np.geomspace(-1, -16, 5)", np::geomspace(-1, -16, 5));
  VALUE("np.geomspace(1, 256, 9, endpoint=False)", np::geomspace(1, 256, 9, {.endpoint = false}));
  VALUE("np.geomspace(8, 1, 4, dtype=np.float32)", np::geomspace(8, 1, 4, {.dtype = np::float32}));
  VALUE("np.geomspace(1j, 1000j, 4)", np::geomspace(std::complex<double>(0, 1), std::complex<double>(0, 1000), 4));
  VALUE("np.geomspace([1, 2], [8, 16], 4)", np::geomspace(np::array{1, 2}, np::array{8, 16}, 4));
  VALUE("np.geomspace([1., 2], 16, 4, axis=1)", np::geomspace(np::array{1.0, 2.0}, 16, 4, {.axis = 1}));
  VALUE("np.geomspace(2, 16, 0)", np::geomspace(2, 16, 0));
  ERROR("np.geomspace(0, 16)", np::geomspace(0, 16));
  ERROR("np.geomspace([1, 2], [1, 0])", np::geomspace(np::array{1, 2}, np::array{1, 0}));
  VALUE("np.linspace([0, 1], [3, 5], 4)", np::linspace(np::array{0, 1}, np::array{3, 5}, 4));
  VALUE("np.linspace([0, 1.5], 3, 4, axis=1)", np::linspace(np::array{0.0, 1.5}, 3, 4, {.axis = 1}));
  VALUE("np.linspace(np.zeros((2, 1)), np.arange(3.), 3, endpoint=False, axis=-1)",
        np::linspace(np::zeros({2, 1}), np::arange(3.0), 3, {.endpoint = false, .axis = -1}));
  VALUE("np.linspace([0, 1], [0, 5], 3, dtype=int)", np::linspace(np::array{0, 1}, np::array{0, 5}, 3, {.dtype = np::int64}));
  VALUE("np.linspace(np.float32(0), 1, 4)", np::linspace(np::array(0.0).astype(np::float32), 1, 4));
  VALUE("np.linspace(np.array([0, 5e-324]), np.array([1, 1e-323]), 5)",
        np::linspace(np::array{0.0, 5e-324}, np::array{1.0, 1e-323}, 5));
  ERROR("np.linspace([0, 1], 3, 4, axis=2)", np::linspace(np::array{0, 1}, 3, 4, {.axis = 2}));
  VALUE("np.logspace([0, 1], 3, 4)", np::logspace(np::array{0, 1}, 3, 4));
  VALUE("np.logspace(0, 3, 4, base=[2, 3])", np::logspace(0, 3, 4, {.base = np::array{2, 3}}));
  VALUE("np.logspace([0, 1], 3, 3, endpoint=False, base=2, dtype=np.float32, axis=1)",
        np::logspace(np::array{0, 1}, 3, 3, {.endpoint = false, .base = 2, .dtype = np::float32, .axis = 1}));
}

TEST(creation, matrices) {
  VALUE("np.eye(3)", np::eye(3));
  VALUE("np.eye(2, 4, k=1, dtype=int)", np::eye(2, {.M = 4, .k = 1, .dtype = np::int64}));
  VALUE("np.eye(3, 4, -1)", np::eye(3, 4, -1));
  VALUE("np.identity(2)", np::identity(2));
  VALUE("np.diag([1, 2, 3])", np::diag(np::array{1, 2, 3}));
  VALUE("np.diag([1, 2], 1)", np::diag(np::array{1, 2}, 1));
  VALUE("np.diag([1, 2], -2)", np::diag(np::array{1, 2}, -2));
  VALUE("np.diag(np.arange(12).reshape(3, 4), 1)", np::diag(np::arange(12).reshape(3, 4), 1));
  VALUE("np.tri(3, 4, 1)", np::tri(3, {.M = 4, .k = 1}));
  VALUE("np.tril(np.arange(12).reshape(3, 4))", np::tril(np::arange(12).reshape(3, 4)));
  VALUE("np.tril(np.ones((3, 3)), -1)", np::tril(np::ones({3, 3}), -1));
  VALUE("np.triu(np.arange(12).reshape(3, 4), 1)", np::triu(np::arange(12).reshape(3, 4), 1));
  VALUE("np.vander(np.array([1, 2, 3]), 3)", np::vander(np::array{1, 2, 3}, 3));
  VALUE_EXACT("np.vander(np.array([0.1, 1.7, -3.3]), 9)", np::vander(np::array{0.1, 1.7, -3.3}, 9));
  VALUE("np.vander(np.array([True, False]), 2)", np::vander(np::array{true, false}, 2));
  VALUE("np.vander(np.array([1, 2]), 0)", np::vander(np::array{1, 2}, 0));
  VALUE("np.vander(np.array([1, 2], np.uint8), 1)", np::vander(np::array({1, 2}, {.dtype = np::uint8}), 1));
  ERROR("np.diag(np.zeros((2, 2, 2)))", np::diag(np::zeros({2, 2, 2})));
}

TEST(creation, grids) {
  VALUE("np.meshgrid(np.arange(3), np.arange(2))[0]", np::meshgrid({np::arange(3), np::arange(2)})[0]);
  VALUE("np.meshgrid(np.arange(3), np.arange(2))[1]", np::meshgrid({np::arange(3), np::arange(2)})[1]);
  VALUE("np.meshgrid(np.arange(3), np.arange(2), indexing='ij')[0]",
        np::meshgrid({np::arange(3), np::arange(2)}, {.indexing = "ij"})[0]);
  VALUE("np.indices((2, 3))", np::indices({2, 3}));
  VALUE("np.mgrid[0:2, 0:3]", np::mgrid(np::slice(0, 2), np::slice(0, 3)));
  VALUE("np.mgrid[1:10:4]", np::mgrid(np::slice(1, 10, 4)));
  VALUE("np.ogrid[0:2, 0:3][1]", np::ogrid(np::slice(0, 2), np::slice(0, 3))[1]);
  VALUE("np.fromfunction(lambda i, j: i * 10 + j, (2, 3))",
        np::fromfunction([](auto i, auto j) { return i * 10 + j; }, {2, 3}));
  VALUE("np.fromfunction(lambda i: i == 2, (4,), dtype=int)",
        np::fromfunction([](auto i) { return i == 2; }, {4}, {.dtype = np::int64}));
}

TEST(creation, from_other_arrays) {
  auto a = np::arange(6).reshape(2, 3);
  EXPECT_EQ(np::asarray(a).get(), a.get());
  EXPECT_NE(np::copy(a).get(), a.get());
  EXPECT_TRUE(np::ascontiguousarray(a.T()).is_c_contiguous());
  VALUE("np.ascontiguousarray(np.arange(6).reshape(2, 3).T)", np::ascontiguousarray(a.T()));
  VALUE("np.asarray(2.5)", np::asarray(2.5));
  VALUE("np.array([1.5, 2.5])", np::from_values(std::vector<double>{1.5, 2.5}));
  VALUE("np.array([[1, 2], [3, 4]], np.int16)",
        np::from_values(std::vector<std::int16_t>{1, 2, 3, 4}, {2, 2}));
  ERROR("np.array([1.0, 2.0]).reshape(3)", np::from_values(std::vector<double>{1, 2}, {3}));
}

TEST(dtypes, promotion_and_casting) {
  EXPECT_EQ(np::promote_types(np::int32, np::float32), np::float64);
  EXPECT_EQ(np::result_type(np::ones(2, np::float32), 1.0), np::float32);
  EXPECT_TRUE(np::can_cast(np::int32, np::float64));
  EXPECT_FALSE(np::can_cast(np::float64, np::int32, "same_kind"));
  EXPECT_TRUE(np::can_cast(np::float64, np::float32, "same_kind"));
  EXPECT_THROW(np::can_cast(np::int8, np::int8, "maybe"), np::ValueError);
  EXPECT_EQ(np::dtype_of("f4"), np::float32);
  EXPECT_EQ(np::dtype_of("<i8"), np::int64);
  EXPECT_EQ(np::dtype_of("?"), np::bool_);
  EXPECT_EQ(np::dtype_of("int"), np::int64);
  EXPECT_EQ(np::dtype_of("complex128"), np::complex128);
  ERROR("np.dtype('wrong')", np::dtype_of("wrong"));
}

TEST(dtypes, limits) {
  VALUE_EXACT("np.array([np.finfo(np.float32).eps, np.finfo(np.float32).max, np.finfo(np.float32).tiny], float)",
              np::array{np::finfo(np::float32).eps, np::finfo(np::float32).max, np::finfo(np::float32).tiny});
  VALUE_EXACT("np.array([np.finfo(float).eps, np.finfo(float).min, np.finfo(float).smallest_subnormal])",
              np::array{np::finfo(np::float64).eps, np::finfo(np::float64).min,
                        np::finfo(np::float64).smallest_subnormal});
  EXPECT_EQ(np::iinfo(np::int8).min, -128);
  EXPECT_EQ(np::iinfo(np::int64).min, std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(np::iinfo(np::uint64).max, std::numeric_limits<std::uint64_t>::max());
  ERROR("np.finfo(int)", np::finfo(np::int64));
  EXPECT_THROW(np::iinfo{np::float32}, np::ValueError);
}

TEST(creation, memory_order) {
  const np::array a = np::arange(6).reshape(2, 3), b = np::arange(24).reshape(2, 3, 4).transpose({1, 2, 0});
  TEXT("str(np.copy(np.arange(6).reshape(2, 3), 'F').strides)", np::copy(a, 'F').strides().str());
  TEXT("str(np.copy(np.arange(6).reshape(2, 3).T, 'K').strides)", np::copy(a.T(), 'K').strides().str());
  TEXT("str(np.copy(np.arange(6).reshape(2, 3).T, 'A').strides)", np::copy(a.T(), 'A').strides().str());
  TEXT("str(np.copy(np.arange(6).reshape(2, 3).T, 'C').strides)", np::copy(a.T(), 'C').strides().str());
  TEXT("str(np.copy(np.arange(24).reshape(2, 3, 4).transpose(1, 2, 0), 'K').strides)", np::copy(b, 'K').strides().str());
  TEXT("str(np.copy(np.arange(24).reshape(2, 3, 4).transpose(1, 2, 0)[::-1], 'K').strides)",
       np::copy(b(np::slice(np::none, np::none, -1)), 'K').strides().str());
  TEXT("str(np.copy(np.broadcast_to(np.arange(3), (2, 3)), 'K').strides)",
       np::copy(np::broadcast_to(np::arange(3), {2, 3}), 'K').strides().str());
  VALUE("np.copy(np.arange(24).reshape(2, 3, 4).transpose(1, 2, 0), 'K')", np::copy(b, 'K'));
  VALUE("np.asfortranarray(np.arange(6).reshape(2, 3))", np::asfortranarray(a));
  EXPECT_TRUE(np::asfortranarray(a).base().empty_handle());  // it owns its memory
  EXPECT_TRUE(np::isfortran(np::asfortranarray(a)));
  ERROR("np.copy(np.ones((2, 2)), 'X')", np::copy(np::ones({2, 2}), 'X'));
  const auto f = np::compile([](const np::array& x) { return np::copy(x + 1, 'F'); });
  EXPECT_EQ(f(a).strides(), np::copy(a + 1, 'F').strides());
}

TEST(reading, item_data_tolist) {
  EXPECT_EQ(np::array(3).item<int>(), 3);
  EXPECT_EQ(np::arange(3)(2).item(), 2.0);
  EXPECT_EQ(np::array(1.5).item<float>(), 1.5f);
  EXPECT_EQ(np::array(true).item<bool>(), true);
  EXPECT_EQ(np::array(2.0).item<std::complex<double>>(), std::complex<double>(2, 0));
  EXPECT_THROW(np::array(1.5).item<int>(), np::TypeError);
  EXPECT_THROW(np::array(300).item<std::uint8_t>(), np::TypeError);
  EXPECT_THROW(np::array(-1).item<unsigned>(), np::TypeError);
  EXPECT_THROW(np::array{std::complex<double>(1, 2)}.item(), np::TypeError);
  ERROR("np.arange(3).item()", np::arange(3).item());
  auto a = np::arange(6, {.dtype = np::float32}).reshape(2, 3);
  EXPECT_EQ(a.T().tolist<float>(), (std::vector<float>{0, 3, 1, 4, 2, 5}));
  EXPECT_EQ(a.tolist<double>()[5], 5.0);
  EXPECT_THROW(a.tolist<int>(), np::TypeError);
  a.data<float>()[0] = 9;
  EXPECT_EQ(a(0, 0).item<float>(), 9.0f);
  EXPECT_THROW(a.data<double>(), np::TypeError);
  EXPECT_EQ(static_cast<double>(np::array(2.5)), 2.5);
  EXPECT_EQ(static_cast<std::int64_t>(np::array(-2.5)), -2);
}

TEST(reading, empty_handles_are_errors) {
  np::array none;
  EXPECT_THROW(none.size(), np::ValueError);
  EXPECT_THROW(none + 1, np::ValueError);
  np::array a = np::ones(2), b = std::move(a);
  EXPECT_THROW(np::sum(a), np::ValueError);
  EXPECT_EQ(np::sum(b).item(), 2.0);
}

}  // namespace
