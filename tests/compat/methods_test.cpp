// Methods of arrays beside the functions of the same names.
#include <cstdio>

#include "against_numpy.h"

namespace np = numjit;

namespace {

np::array grid() { return np::arange(12).reshape(3, 4); }
np::array jumble() { return np::array{{3, 1, 2}, {9, 7, 8}}; }

template <class F>
np::array changed(np::array a, const F& f) {
  f(a);
  return a;
}

TEST(methods, values) {
  VALUE("np.arange(1, 5).cumprod()", np::arange(1, 5).cumprod());
  VALUE("np.arange(1, 13).reshape(3, 4).cumprod(axis=0)", (grid() + 1).cumprod({.axis = 0}));
  VALUE("np.arange(12).reshape(3, 4).trace()", grid().trace());
  VALUE("np.arange(12).reshape(3, 4).trace(1)", grid().trace(1));
  VALUE("np.arange(12).reshape(3, 4).repeat(2, axis=1)", grid().repeat(2, 1));
  VALUE("np.arange(3).repeat([2, 0, 1])", np::arange(3).repeat(np::array{2, 0, 1}));
  VALUE("np.arange(12).reshape(3, 4).compress([True, False, True], axis=0)", grid().compress(np::array{true, false, true}, 0));
  VALUE("np.array([2, 0, 1]).choose([[0, 1, 2], [10, 11, 12], [20, 21, 22]])",
        np::array({2, 0, 1}).choose({np::array{0, 1, 2}, np::array{10, 11, 12}, np::array{20, 21, 22}}));
  VALUE("np.stack(np.array([[3, 0], [0, 7]]).nonzero())", np::stack(np::array{{3, 0}, {0, 7}}.nonzero()));
  VALUE("np.arange(9).searchsorted([3, 2.5], side='right')", np::arange(9).searchsorted(np::array{3, 2.5}, "right"));
  VALUE("np.array([[3, 1, 2], [9, 7, 8]]).argsort()", jumble().argsort());
  VALUE("np.array([[3, 1, 2], [9, 7, 8]]).argsort(axis=0)", jumble().argsort(0));
  VALUE("np.arange(24).reshape(2, 3, 4).mT", np::arange(24).reshape(2, 3, 4).mT());
  VALUE("np.array([1 + 2j, -3j]).conjugate()", np::array({1.0, 0.0}) + np::array({2.0, -3.0}) * std::complex<double>(0, -1));
  ERROR("np.arange(3).mT", np::arange(3).mT());
}

TEST(methods, change_the_array) {
  VALUE("a = np.array([[3, 1, 2], [9, 7, 8]]); a.sort(); a", changed(jumble(), [](auto& a) { a.sort(); }));
  VALUE("a = np.array([[3, 9, 2], [9, 7, 8]]); a.sort(axis=0); a",
        changed(np::array{{3, 9, 2}, {9, 7, 8}}, [](auto& a) { a.sort(0); }));
  VALUE("a = np.array([3, 1, 2, 0]); a.partition(2); a[2]", changed(np::array{3, 1, 2, 0}, [](auto& a) { a.partition(2); })(2));
  VALUE("a = np.arange(5); a.put([0, 2], [-44, -55]); a", changed(np::arange(5), [](auto& a) {
          a.put(np::array{0, 2}, np::array{-44, -55});
        }));
  VALUE("a = np.array([[0, 1], [2, 3]]); a.resize((2, 3), refcheck=False); a", changed(np::array{{0, 1}, {2, 3}}, [](auto& a) {
          a.resize({2, 3});
        }));
  VALUE("a = np.arange(6.0); a.resize(2, refcheck=False); a", changed(np::arange(6.0), [](auto& a) { a.resize({2}); }));
  np::array fixed = np::arange(3);
  fixed.setflags(false);
  EXPECT_FALSE(fixed.writeable());
  EXPECT_THROW(fixed.sort(), np::ValueError);
  fixed.setflags(true);
  fixed(0) = 7;
  EXPECT_EQ(fixed.tolist<std::int64_t>(), (std::vector<std::int64_t>{7, 1, 2}));
}

TEST(methods, bytes) {
  VALUE("np.array([1.0, -2.0]).view(np.uint64)", np::array({1.0, -2.0}).view(np::uint64));
  VALUE("np.arange(4, dtype=np.int16).reshape(2, 2).view(np.int32)",
        np::arange(4, {.dtype = np::int16}).reshape(2, 2).view(np::int32));
  VALUE("np.arange(3, dtype=np.int32).view(np.uint8)", np::arange(3, {.dtype = np::int32}).view(np::uint8));
  VALUE("np.array([1, 256, 8755], dtype=np.int16).byteswap()", np::array({1, 256, 8755}, {.dtype = np::int16}).byteswap());
  VALUE("np.array([1 + 2j]).byteswap().view(np.uint64)",
        (np::array({1.0}) + np::array({2.0}) * std::complex<double>(0, 1)).byteswap().view(np::uint64));
  ERROR("np.array(1.0).view(np.int32)", np::array(1.0).view(np::int32));
  ERROR("np.arange(3, dtype=np.int32).view(np.int64)", np::arange(3, {.dtype = np::int32}).view(np::int64));
  ERROR("np.arange(12).reshape(3, 4).T.view(np.int32)", grid().T().view(np::int32));
  const np::array a = np::array({1, 2}, {.dtype = np::int16});
  EXPECT_EQ(a.tobytes(), std::string("\1\0\2\0", 4));
  np::array shared = a.copy();
  shared.view(np::uint8)(0) = 9;
  EXPECT_EQ(shared.tolist<std::int16_t>()[0], 9);
  const std::string path = ::testing::TempDir() + "methods.bin";
  a.tofile(path);
  EXPECT_TRUE(np::array_equal(np::fromfile(path, np::int16), a));
  std::remove(path.c_str());
}

}  // namespace
