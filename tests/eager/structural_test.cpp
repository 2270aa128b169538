// Views, copies, stores, creation, gathering, sorting and matmul; values and texts are NumPy 2.4's.
#include <cmath>

#include <gtest/gtest.h>

#include <numjit/base/config.h>

#include "helpers.h"

namespace numjit::testing {
namespace {

using entry = layout::index_entry;
using layout::none;
using doubles_t = std::vector<double>;
using ints_t = std::vector<std::int64_t>;

layout::number num(double v) { return layout::number::of(v); }
layout::number num(int v) { return layout::number::of(static_cast<std::int64_t>(v)); }

TEST(Views, BasicIndexing) {
  const array a = reshape(iota(12), dims{3, 4});
  EXPECT_EQ(values<double>(index(a, {entry::at(-1)})), (doubles_t{8, 9, 10, 11}));
  EXPECT_EQ(values<double>(index(a, {entry::all(), entry::range(1, none, 2)})), (doubles_t{1, 3, 5, 7, 9, 11}));
  EXPECT_EQ(values<double>(index(a, {entry::range(none, none, -2), entry::at(0)})), (doubles_t{8, 0}));
  EXPECT_EQ(index(a, {entry::new_axis(), entry::at(1), entry::new_axis()}).shape(), (dims{1, 1, 4}));
  EXPECT_EQ(index(a, {entry::range(5, 2)}).shape(), (dims{0, 4}));
  EXPECT_EQ(index(a, {entry::range(-100, 100, 100)}).shape(), (dims{1, 4}));
  EXPECT_EQ(error_of([&] { index(a, {entry::at(0), entry::at(4)}); }),
            "IndexError: [index] index 4 is out of bounds for axis 1 with size 4");
  EXPECT_EQ(error_of([&] { index(a, {entry::at(0), entry::at(0), entry::at(0)}); }),
            "IndexError: [index] too many indices for array: array is 2-dimensional, but 3 were indexed");
  EXPECT_EQ(error_of([&] { slice(a, 0, 1, 0); }), "ValueError: [index] slice step cannot be zero");
  // A view shares storage.
  run(op_id::store, {index(a, {entry::at(0)}), -1});
  EXPECT_EQ(values<double>(slice(a, 0, 1)), (doubles_t{-1, -1, -1, -1}));
}

TEST(Views, Reshape) {
  const array a = iota(6);
  EXPECT_EQ(reshape(a, dims{2, -1}).shape(), (dims{2, 3}));
  EXPECT_EQ(reshape(a, dims{2, 3}).get()->data, a.get()->data);
  const array turned = transpose(reshape(a, dims{2, 3}));
  EXPECT_EQ(values<double>(reshape(turned, dims{6})), (doubles_t{0, 3, 1, 4, 2, 5}));
  EXPECT_EQ(reshape(slice(a, 0, 6, 2), dims{3, 1}).get()->data, a.get()->data);
  EXPECT_EQ(reshape(iota(0), dims{0, 7}).shape(), (dims{0, 7}));
  EXPECT_EQ(error_of([&] { reshape(a, dims{4, 2}); }),
            "ValueError: [reshape] cannot reshape array of size 6 into shape (4,2)");
  // The product is 10 modulo 2^64.
  EXPECT_EQ(error_of([] { reshape(iota(10), dims{2, 13, 419, 691, 823, 2977518503}); }),
            "ValueError: [reshape] cannot reshape array of size 10 into shape (2,13,419,691,823,2977518503)");
  EXPECT_EQ(error_of([&] { reshape(a, dims{-1, -1}); }), "ValueError: [reshape] can only specify one unknown dimension");
}

TEST(Views, TransposeBroadcastDiagonalParts) {
  const array a = reshape(iota(6), dims{2, 3});
  EXPECT_EQ(values<double>(transpose(a)), (doubles_t{0, 3, 1, 4, 2, 5}));
  EXPECT_EQ(transpose(reshape(iota(6), dims{1, 2, 3}), dims{2, 0, -2}).shape(), (dims{3, 1, 2}));
  EXPECT_EQ(error_of([&] { transpose(a, dims{0, 0}); }), "ValueError: [transpose] repeated axis in transpose");
  EXPECT_EQ(error_of([&] { transpose(a, dims{0}); }), "ValueError: [transpose] axes don't match array");
  const array wide = run(op_id::broadcast_to, {iota(3)}, layout::shape_params(dims{2, 3}));
  EXPECT_EQ(values<double>(wide), (doubles_t{0, 1, 2, 0, 1, 2}));
  EXPECT_FALSE(wide.writeable());
  EXPECT_EQ(error_of([&] { run(op_id::broadcast_to, {a}, layout::shape_params(dims{2, 2})); }),
            "ValueError: [broadcast_to] operands could not be broadcast together with remapped shapes "
            "[original->remapped]: (2,3)  and requested shape (2,2)");
  EXPECT_EQ(values<double>(run(op_id::diagonal, {a}, layout::diagonal_params(1, 0, 1))), (doubles_t{1, 5}));
  EXPECT_EQ(values<double>(run(op_id::diagonal, {a}, layout::diagonal_params(-1, 0, 1))), (doubles_t{3}));
  EXPECT_EQ(run(op_id::diagonal, {a}, layout::diagonal_params(9, 0, 1)).shape(), dims{0});
  const array z = run(op_id::astype, {iota(2)}, layout::type_params(dtype_id::complex64));
  run(op_id::store, {run(op_id::imag_view, {z}), 7});
  EXPECT_EQ(values<float>(run(op_id::imag_view, {z})), (std::vector<float>{7, 7}));
  EXPECT_EQ(values<float>(run(op_id::real_view, {z})), (std::vector<float>{0, 1}));
}

TEST(Store, CastsBroadcastsOverlaps) {
  const array a = reshape(iota(12, dtype_id::int32), dims{3, 4});
  run(op_id::store, {index(a, {entry::all(), entry::at(1)}), doubles({1.9, -2.9, 3.9})});
  EXPECT_EQ(values<std::int32_t>(a), (std::vector<std::int32_t>{0, 1, 2, 3, 4, -2, 6, 7, 8, 3, 10, 11}));
  const array v = iota(6);
  run(op_id::store, {slice(v, 1, 6), slice(v, 0, 5)});
  EXPECT_EQ(values<double>(v), (doubles_t{0, 0, 1, 2, 3, 4}));
  run(op_id::store, {v, slice(v, none, none, -1)});
  EXPECT_EQ(values<double>(v), (doubles_t{4, 3, 2, 1, 0, 0}));
  run(op_id::store, {v, reshape(iota(6), dims{1, 1, 6})});
  EXPECT_EQ(values<double>(v), (doubles_t{0, 1, 2, 3, 4, 5}));
  run(op_id::masked_store, {v, -1, bools({1, 0, 0, 0, 1, 1})});
  EXPECT_EQ(values<double>(v), (doubles_t{-1, 1, 2, 3, -1, -1}));
  EXPECT_EQ(error_of([&] { run(op_id::store, {iota(4), iota(3)}); }),
            "ValueError: [store] could not broadcast input array from shape (3,) into shape (4,)");
  const array frozen = run(op_id::broadcast_to, {iota(1)}, layout::shape_params(dims{3}));
  EXPECT_EQ(error_of([&] { run(op_id::store, {frozen, 1}); }), "ValueError: [store] assignment destination is read-only");
  EXPECT_EQ(error_of([&] { run(op_id::store, {iota(2, dtype_id::uint8), 256}); }),
            "OverflowError: [store] Python integer 256 out of bounds for uint8");
}

TEST(Create, FullArangeLinspaceEye) {
  EXPECT_EQ(values<std::int8_t>(run(op_id::full, {}, layout::full_params(dims{2}, num(-7), dtype_id::int8))),
            (std::vector<std::int8_t>{-7, -7}));
  EXPECT_EQ(error_of([] { run(op_id::full, {}, layout::full_params(dims{2}, num(300), dtype_id::uint8)); }),
            "OverflowError: [full] Python integer 300 out of bounds for uint8");
  EXPECT_EQ(error_of([] { run(op_id::full, {}, layout::full_params(dims{-1}, num(3), dtype_id::uint8)); }),
            "ValueError: [full] negative dimensions are not allowed");
  auto arange = [](layout::number a, layout::number b, layout::number s, dtype_id t) {
    return run(op_id::arange, {}, layout::arange_params(a, b, s, t));
  };
  EXPECT_EQ(values<double>(arange(num(0.0), num(1.0), num(0.3), dtype_id::float64)),
            (doubles_t{0.0, 0.3, 0.6, 0.8999999999999999}));
  EXPECT_EQ(values<std::int64_t>(arange(num(5), num(-5), num(-4), dtype_id::int64)), (ints_t{5, 1, -3}));
  EXPECT_EQ(arange(num(3), num(1), num(1), dtype_id::int64).shape(), dims{0});
  EXPECT_EQ(error_of([&] { arange(num(0), num(1), num(0), dtype_id::int64); }),
            "ZeroDivisionError: [arange] division by zero");
  EXPECT_EQ(values<double>(run(op_id::linspace, {}, layout::linspace_params(num(2.0), num(3.0), 5, true, dtype_id::float64))),
            (doubles_t{2.0, 2.25, 2.5, 2.75, 3.0}));
  EXPECT_EQ(values<std::int64_t>(run(op_id::linspace, {}, layout::linspace_params(num(0), num(10), 4, false, dtype_id::int64))),
            (ints_t{0, 2, 5, 7}));
  EXPECT_EQ(values<double>(run(op_id::eye, {}, layout::eye_params(2, 3, 1, dtype_id::float64))),
            (doubles_t{0, 1, 0, 0, 0, 1}));
  EXPECT_EQ(values<double>(run(op_id::eye, {}, layout::eye_params(2, 2, -1, dtype_id::float64))), (doubles_t{0, 0, 1, 0}));
}

TEST(Gather, ConcatenateTakePut) {
  const array a = reshape(iota(4), dims{2, 2}), b = reshape(iota(2, dtype_id::int32), dims{2, 1});
  const array joined = run(op_id::concatenate, {a, b}, layout::axis_params(1));
  EXPECT_EQ(values<double>(joined), (doubles_t{0, 1, 0, 2, 3, 1}));
  EXPECT_EQ(error_of([&] { run(op_id::concatenate, {a, b}, layout::axis_params(0)); }),
            "ValueError: [concatenate] all the input array dimensions except for the concatenation axis must match "
            "exactly, but along dimension 1, the array at index 0 has size 2 and the array at index 1 has size 1");
  const array m = reshape(iota(6), dims{2, 3});
  EXPECT_EQ(values<double>(run(op_id::take, {m, ints({-1, 0})}, layout::take_params(1))), (doubles_t{2, 0, 5, 3}));
  EXPECT_EQ(values<double>(run(op_id::take, {m, ints({5, 1})}, layout::take_params(none))), (doubles_t{5, 1}));
  EXPECT_EQ(values<double>(run(op_id::take, {iota(3), ints({7, -7})}, layout::take_params(0, layout::take_mode::wrap))),
            (doubles_t{1, 2}));
  EXPECT_EQ(values<double>(run(op_id::take, {iota(3), ints({7, -7})}, layout::take_params(0, layout::take_mode::clip))),
            (doubles_t{2, 0}));
  EXPECT_EQ(error_of([&] { run(op_id::take, {m, ints({-5})}, layout::take_params(1)); }),
            "IndexError: [take] index -5 is out of bounds for axis 1 with size 3");
  // Indices of other dtypes, elements of other sizes, and long ones, which several threads look at
  const array short_index = run(op_id::astype, {ints({1, -1, 0})}, layout::type_params(dtype_id::int32));
  EXPECT_EQ(values<double>(run(op_id::take, {iota(3), short_index}, layout::take_params(0))), (doubles_t{1, 2, 0}));
  EXPECT_EQ(error_of([&] { run(op_id::take, {iota(1), short_index}, layout::take_params(0)); }),
            "IndexError: [take] index 1 is out of bounds for axis 0 with size 1");
  const array pairs = reshape(iota(8), dims{4, 2}), threes = reshape(iota(9), dims{3, 3});
  EXPECT_EQ(values<double>(run(op_id::take, {pairs, ints({3, 1})}, layout::take_params(0))), (doubles_t{6, 7, 2, 3}));
  EXPECT_EQ(values<double>(run(op_id::take, {threes, ints({2, -3})}, layout::take_params(0))), (doubles_t{6, 7, 8, 0, 1, 2}));
  const array many = iota(300000, dtype_id::int64);
  EXPECT_EQ(values<std::int64_t>(run(op_id::take, {many, many}, layout::take_params(0))), values<std::int64_t>(many));
  EXPECT_EQ(error_of([&] { run(op_id::take, {iota(299999), many}, layout::take_params(0)); }),
            "IndexError: [take] index 299999 is out of bounds for axis 0 with size 299999");
  const array target = reshape(iota(6), dims{3, 2});
  run(op_id::put_index, {target, ints({2, 0}), doubles({-1, -2})});
  EXPECT_EQ(values<double>(target), (doubles_t{-1, -2, 2, 3, -1, -2}));
  EXPECT_EQ(error_of([&] { run(op_id::put_index, {iota(4), ints({1, 2, 3}), iota(2)}); }),
            "ValueError: [put_index] shape mismatch: value array of shape (2,) could not be broadcast to indexing result "
            "of shape (3,)");
}

TEST(Gather, Masks) {
  const array a = reshape(iota(6), dims{3, 2}), rows = bools({1, 0, 1});
  EXPECT_EQ(values<double>(run(op_id::mask_select, {a, rows})), (doubles_t{0, 1, 4, 5}));
  EXPECT_EQ(values<double>(run(op_id::mask_select, {a, run(op_id::greater, {a, 2})})), (doubles_t{3, 4, 5}));
  EXPECT_EQ(values<std::int64_t>(run(op_id::nonzero_flat, {a})), (ints_t{1, 2, 3, 4, 5}));
  run(op_id::mask_put, {a, run(op_id::less, {a, 2}), doubles({-5, -6})});
  EXPECT_EQ(values<double>(a), (doubles_t{-5, -6, 2, 3, 4, 5}));
  run(op_id::mask_put, {a, rows, 0});
  EXPECT_EQ(values<double>(a), (doubles_t{0, 0, 2, 3, 0, 0}));
  EXPECT_EQ(error_of([&] { run(op_id::mask_put, {iota(4), bools({1, 0, 1, 1}), iota(2)}); }),
            "ValueError: [mask_put] NumPy boolean array indexing assignment cannot assign 2 input values to the 3 output "
            "values where the mask is true");
  EXPECT_EQ(error_of([&] { run(op_id::mask_select, {iota(3), bools({1, 0, 1, 1})}); }),
            "IndexError: [mask_select] boolean index did not match indexed array along axis 0; size of axis is 3 but "
            "size of corresponding boolean axis is 4");
}

TEST(Sort, NanLastStableAnyAxis) {
  const double nan = std::nan("");
  const array a = doubles({3, nan, -1, 2, 3});
  const doubles_t sorted = values<double>(run(op_id::sort, {a}, layout::sort_params(-1)));
  EXPECT_EQ(doubles_t(sorted.begin(), sorted.begin() + 4), (doubles_t{-1, 2, 3, 3}));
  EXPECT_TRUE(std::isnan(sorted[4]));
  EXPECT_EQ(values<std::int64_t>(run(op_id::argsort, {a}, layout::sort_params(-1))), (ints_t{2, 3, 0, 4, 1}));
  const array m = reshape(ints({3, 1, 2, 0}), dims{2, 2});
  EXPECT_EQ(values<std::int64_t>(run(op_id::sort, {m}, layout::sort_params(0))), (ints_t{2, 0, 3, 1}));
  EXPECT_EQ(error_of([&] { run(op_id::sort, {a}, layout::sort_params(1)); }),
            "AxisError: [sort] axis 1 is out of bounds for array of dimension 1");
}

TEST(Matmul, ShapesDtypesLayouts) {
  const array a = reshape(iota(6), dims{2, 3}), b = reshape(iota(12), dims{3, 4});
  const doubles_t want{20, 23, 26, 29, 56, 68, 80, 92};
  EXPECT_EQ(values<double>(run(op_id::matmul, {a, b})), want);
  EXPECT_EQ(values<double>(run(op_id::matmul, {contiguous(a), transpose(contiguous(transpose(b)))})), want);
  for (dtype_id t : {dtype_id::float32, dtype_id::complex128, dtype_id::int8, dtype_id::float16}) {
    auto to = [&](const array& x) { return run(op_id::astype, {x}, layout::type_params(t)); };
    const array got = run(op_id::matmul, {to(a), to(b)});
    EXPECT_EQ(got.dtype().id(), t);
    EXPECT_EQ(values<double>(run(op_id::astype, {got}, layout::type_params(dtype_id::float64))), want);
  }
  EXPECT_EQ(values<double>(run(op_id::matmul, {a, iota(3)})), (doubles_t{5, 14}));
  EXPECT_EQ(values<double>(run(op_id::matmul, {iota(2), a})), (doubles_t{3, 4, 5}));
  EXPECT_EQ(run(op_id::matmul, {iota(3), iota(3)}).shape(), dims());
  EXPECT_EQ(values<double>(run(op_id::matmul, {iota(3), iota(3)})), doubles_t{5});
  const array batch = run(op_id::broadcast_to, {a}, layout::shape_params(dims{5, 1, 2, 3}));
  EXPECT_EQ(run(op_id::matmul, {batch, reshape(iota(24), dims{2, 3, 4})}).shape(), (dims{5, 2, 2, 4}));
  EXPECT_EQ(values<double>(run(op_id::matmul, {reshape(iota(0), dims{2, 0}), reshape(iota(0), dims{0, 2})})),
            (doubles_t{0, 0, 0, 0}));
  EXPECT_EQ(error_of([&] { run(op_id::matmul, {a, a}); }),
            "ValueError: [matmul] matmul: Input operand 1 has a mismatch in its core dimension 0, with gufunc signature "
            "(n?,k),(k,m?)->(n?,m?) (size 2 is different from 3)");
}

TEST(Matmul, ManySmallProductsEqualTheirOwnOnes) {
  const array a = reshape(iota(40 * 3 * 5), dims{40, 3, 5}), b = reshape(iota(40 * 5 * 4), dims{40, 5, 4});
  for (const std::int64_t threads : {1, 2, 7}) {
    config_scope scope({.threads = threads});
    const doubles_t all = values<double>(run(op_id::matmul, {a, b}));
    for (std::int64_t i = 0; i < 40; ++i) {
      const array one = run(op_id::matmul, {index(a, {entry::at(i)}), index(b, {entry::at(i)})});
      EXPECT_EQ(doubles_t(all.begin() + i * 12, all.begin() + (i + 1) * 12), values<double>(one)) << i;
    }
  }
}

}  // namespace
}  // namespace numjit::testing
