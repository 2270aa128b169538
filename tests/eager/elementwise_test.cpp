// The elementwise driver: any layout, cast, mask or overlap gives what one element at a time gives.
#include <random>

#include <gtest/gtest.h>

#include <numjit/base/config.h>
#include <numjit/eager/loop_table.h>

#include "helpers.h"

namespace numjit::testing {
namespace {

using entry = layout::index_entry;

/// Values of a dtype that are harmless for every op: small, positive, not zero.
array sample(dtype_id type, std::int64_t n, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<double> v(static_cast<std::size_t>(n));
  for (double& x : v) x = dtype(type).kind() == 'f' || dtype(type).kind() == 'c'
                              ? 0.25 + 0.0001 * static_cast<double>(random() % 5000)
                              : 1.0 + static_cast<double>(random() % 5);
  return run(op_id::astype, {doubles(v)}, layout::type_params(type));
}

/// The op element by element through 0-D arrays, as bytes in C order of the broadcast shape.
std::string one_by_one(op_id op, const std::vector<array>& in, const dims& shape) {
  std::vector<array> wide;
  for (const array& a : in) wide.push_back(contiguous(run(op_id::broadcast_to, {a}, layout::shape_params(shape))));
  std::string out;
  for (std::int64_t i = 0; i < element_count(shape); ++i) {
    std::vector<array> scalars;
    for (const array& a : wide)
      scalars.push_back(from_bytes(a.dtype().id(), dims(), a.get()->data + i * static_cast<std::int64_t>(a.itemsize())));
    std::vector<operand> operands(scalars.begin(), scalars.end());
    out += bytes(run(op, operands));
  }
  return out;
}

TEST(Elementwise, ShortAxesInsideALongOneGiveTheBitsOfCopies) {
  // (shape of one, shape of the other): the last two axes are short, the long one is not next to them
  const std::pair<dims, dims> cases[] = {{{1000, 1, 3}, {1, 8, 3}},    {{3, 700, 1, 2}, {5, 1}}, {{17, 2, 1}, {2, 3}},
                                         {{15, 1, 3}, {4, 3}},         {{256, 1, 1}, {1, 6, 4}}, {{70000, 1, 3}, {2, 1}},
                                         {{2, 300, 3, 1}, {2, 1, 1, 5}}, {{513, 1, 7}, {9, 1}}};
  for (const auto& [first, second] : cases)
    for (const bool backward : {false, true}) {
      array a = reshape(sample(dtype_id::float64, element_count(first), 1), first);
      const array b = reshape(sample(dtype_id::float64, element_count(second), 2), second);
      if (backward) a = index(a, {entry::range(layout::none, layout::none, -1)});
      const array got = run(op_id::subtract, {a, b});
      auto wide = [&](const array& x) { return contiguous(run(op_id::broadcast_to, {x}, layout::shape_params(got.shape()))); };
      EXPECT_EQ(bytes(got), bytes(run(op_id::subtract, {wide(a), wide(b)}))) << first.size() << " " << first[0] << backward;
    }
}

TEST(Elementwise, LayoutsGiveTheBitsOfSingleElements) {
  for (int o = 0; o < op_count; ++o) {
    const op_id op = static_cast<op_id>(o);
    if (info(op).kind != op_kind::ufunc) continue;
    for (const op_loop& loop : info(op).loops) {
      std::vector<array> plain, strided, spread;
      for (int i = 0; i < info(op).arity; ++i) {
        const array a = reshape(sample(loop.in[i], 60, static_cast<unsigned>(i + 1)), dims{6, 10});
        plain.push_back(a);
        // every second column backwards; a column against a row
        strided.push_back(index(a, {entry::all(), entry::range(layout::none, layout::none, -2)}));
        spread.push_back(i == 0 ? index(a, {entry::all(), entry::range(3, 4)}) : index(a, {entry::range(2, 3)}));
      }
      auto check = [&](const std::vector<array>& in, const dims& shape, const char* what) {
        const std::vector<operand> operands(in.begin(), in.end());
        const array got = run(op, operands);
        ASSERT_EQ(got.shape(), shape);
        ASSERT_EQ(bytes(got), one_by_one(op, in, shape))
            << info(op).name << " " << what << " " << dtype(loop.in[0]).name();
      };
      check(plain, dims{6, 10}, "contiguous");
      check(strided, dims{6, 5}, "strided");
      if (info(op).arity > 1) check(spread, dims{6, 10}, "broadcast");
      std::vector<array> turned;
      for (const array& a : plain) turned.push_back(transpose(a));
      check(turned, dims{10, 6}, "transposed");
    }
  }
}

TEST(Elementwise, TargetsAreThoseOfKernels) {
  const eager::loop_table* best = nullptr;
  for (const char* level : {"v4", "v3", "v2"})
    if (!best) best = eager::loops_for(level);
  EXPECT_EQ(&eager::loops_for_target("host"), best);
  for (const char* target : {"x86-64-v2", "x86-64-v3", "x86-64-v4"})
    if (const eager::loop_table* level = eager::loops_for(std::string_view(target).substr(7))) {
      EXPECT_EQ(&eager::loops_for_target(target), level);
    }
  EXPECT_EQ(error_of([] { eager::loops_for_target("v3"); }),
            "ValueError: [config] NUMJIT_TARGET: got 'v3', expected host, x86-64-v2, x86-64-v3 or x86-64-v4.");
}

TEST(Elementwise, LevelsOfTheProcessorGiveTheSameBits) {
  const char* levels[] = {"v2", "v3", "v4"};
  std::vector<const eager::loop_table*> tables;
  for (const char* level : levels)
    if (const eager::loop_table* t = eager::loops_for(level)) tables.push_back(t);
  ASSERT_FALSE(tables.empty());
  const std::int64_t n = 1003;
  for (int o = 0; o < op_count; ++o) {
    const op_info& op = info(static_cast<op_id>(o));
    if (op.kind != op_kind::ufunc) continue;
    for (std::size_t l = 0; l < op.loops.size(); ++l) {
      std::vector<array> in;
      char* ptr[4];
      std::int64_t step[4];
      for (int i = 0; i < op.arity; ++i) {
        in.push_back(sample(op.loops[l].in[i], n, static_cast<unsigned>(7 + i)));
        ptr[i] = in.back().get()->data;
        step[i] = static_cast<std::int64_t>(in.back().itemsize());
      }
      std::string first;
      for (const eager::loop_table* table : tables) {
        const dims shape{n};
        array out = array::adopt(detail::new_node(op.loops[l].out, 1, shape.data()));
        ptr[op.arity] = out.get()->data;
        step[op.arity] = static_cast<std::int64_t>(out.itemsize());
        ASSERT_NE(table->ufunc[o][l], nullptr) << op.name << " " << l;
        table->ufunc[o][l](ptr, step, n);
        if (table == tables[0]) first = bytes(out);
        ASSERT_EQ(bytes(out), first) << op.name << " loop " << l << " on " << table->isa;
      }
    }
  }
}

TEST(Elementwise, MixedDtypesAreCastInBlocks) {
  const array a = iota(5000, dtype_id::int16), b = iota(5000, dtype_id::float64);
  const array got = run(op_id::add, {a, b});
  EXPECT_EQ(got.dtype(), float64);
  const std::vector<double> v = values<double>(got);
  for (std::size_t i = 0; i < v.size(); ++i) ASSERT_EQ(v[i], 2.0 * static_cast<double>(i));
}

TEST(Elementwise, LiteralsTakeTheArraysDtype) {
  const array a = iota(5, dtype_id::float32);
  EXPECT_EQ(run(op_id::multiply, {a, 2}).dtype(), float32);
  EXPECT_EQ(values<float>(run(op_id::subtract, {1, a})), (std::vector<float>{1, 0, -1, -2, -3}));
  EXPECT_EQ(run(op_id::add, {iota(3, dtype_id::uint8), 1}).dtype(), uint8);
  EXPECT_EQ(error_of([&] { run(op_id::add, {iota(3, dtype_id::uint8), 300}); }),
            "OverflowError: [add] Python integer 300 out of bounds for uint8");
}

TEST(Elementwise, EmptyAndZeroDimensional) {
  EXPECT_EQ(run(op_id::add, {iota(0), 1.0}).shape(), dims{0});
  const array empty = reshape(iota(0), dims{0, 3});
  EXPECT_EQ(run(op_id::add, {empty, iota(3)}).shape(), (dims{0, 3}));
  EXPECT_EQ(values<double>(run(op_id::add, {1.5, 2})), std::vector<double>{3.5});
}

TEST(Elementwise, OutIsWrittenAndCast) {
  array out = run(op_id::full, {}, layout::full_params(dims{2, 3}, layout::number::of(0.0), dtype_id::float32));
  const array got = run(op_id::add, {iota(3), reshape(iota(2), dims{2, 1})}, op_call::no_params(), out.get());
  EXPECT_EQ(got.get(), out.get());
  EXPECT_EQ(values<float>(out), (std::vector<float>{0, 1, 2, 1, 2, 3}));
  array integers = iota(3, dtype_id::int64);
  EXPECT_EQ(error_of([&] { run(op_id::add, {iota(3), 1}, op_call::no_params(), integers.get()); }),
            "TypeError: [add] Cannot cast ufunc 'add' output from dtype('float64') to dtype('int64') with "
            "casting rule 'same_kind'");
}

TEST(Elementwise, OverlapIsAsIfCopiedFirst) {
  for (const std::int64_t shift : {1, -1, 3, 0}) {
    const array a = iota(10000);
    const std::int64_t first = shift < 0 ? -shift : 0, n = 10000 - std::abs(shift);
    const array from = slice(a, first, first + n), to = slice(a, first + shift, first + shift + n);
    const std::vector<double> before = values<double>(from);
    run(op_id::add, {from, 0.5}, op_call::no_params(), to.get());
    const std::vector<double> after = values<double>(to);
    for (std::size_t i = 0; i < after.size(); ++i) ASSERT_EQ(after[i], before[i] + 0.5) << shift;
  }
  const array a = iota(1000);
  const array backwards = slice(a, layout::none, layout::none, -1);
  run(op_id::add, {a, backwards}, op_call::no_params(), a.get());
  for (double v : values<double>(a)) ASSERT_EQ(v, 999.0);
}

TEST(Elementwise, WhereMaskLeavesTheRest) {
  const array a = iota(6), mask = bools({1, 0, 0, 1, 1, 0});
  const array out = run(op_id::full, {}, layout::full_params(dims{6}, layout::number::of(-1.0), dtype_id::float64));
  run(op_id::add, {a, 10}, op_call::no_params(), out.get(), mask.get());
  EXPECT_EQ(values<double>(out), (std::vector<double>{10, -1, -1, 13, 14, -1}));
}

TEST(Elementwise, Errors) {
  EXPECT_EQ(error_of([] { run(op_id::add, {reshape(iota(6), dims{2, 3}), iota(4)}); }),
            "ValueError: [add] operands could not be broadcast together with shapes (2,3) (4,)");
  EXPECT_EQ(error_of([] { run(op_id::power, {ints({2, 3}), ints({1, -1})}); }),
            "ValueError: [power] Integers to negative integer powers are not allowed.");
  const array frozen = run(op_id::broadcast_to, {iota(1)}, layout::shape_params(dims{3}));
  EXPECT_EQ(error_of([&] { run(op_id::add, {iota(3), 1}, op_call::no_params(), frozen.get()); }),
            "ValueError: [add] output array is read-only");
}

TEST(Elementwise, ThreadCountsGiveTheSameBits) {
  const array a = reshape(iota(600000), dims{600, 1000}), b = iota(1000);
  std::string first;
  for (const int threads : {1, 2, 7}) {
    config().threads = threads;
    const std::string got = bytes(run(op_id::arctan2, {transpose(a), reshape(b, dims{1000, 1})}));
    if (first.empty()) first = got;
    EXPECT_EQ(got, first) << threads;
  }
  config().threads = 0;
}

}  // namespace
}  // namespace numjit::testing
