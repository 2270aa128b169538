// Which values of a kernel become tiles, and how they are read.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <numjit/graph/stencil.h>

namespace {

namespace np = numjit;
using namespace np::graph;
using np::dtype_id;
using np::op_id;

/// A kernel over places of arrays of one dtype.
struct Kernel {
  explicit Kernel(dtype_id type_in = dtype_id::float64) : type(type_in) {}
  std::uint16_t read(int array, Shift at, std::uint8_t still = 0) {
    operands.push_back({array, at, still});
    spec.operand_types.push_back(type);
    return add({KernelNodeKind::operand, {}, 0, type, static_cast<std::uint16_t>(operands.size() - 1), {}});
  }
  std::uint16_t op(op_id id, std::uint16_t a, std::uint16_t b = 0) {
    const auto loops = np::info(id).loops;
    std::uint8_t l = 0;
    while (loops[l].in[0] != spec.nodes[a].type) ++l;
    return add({KernelNodeKind::op, id, l, loops[l].out, 0, {a, b, 0}});
  }
  std::uint16_t cast(std::uint16_t a, dtype_id to) { return add({KernelNodeKind::cast, {}, 0, to, 0, {a, 0, 0}}); }
  std::uint16_t add(const KernelNode& node) {
    return spec.nodes.push_back(node), static_cast<std::uint16_t>(spec.nodes.size() - 1);
  }
  std::string text(TilesSpare spare = TilesSpare::a_kernel) {
    if (spec.outputs.empty()) spec.outputs = {static_cast<std::uint16_t>(spec.nodes.size() - 1)};
    found = find_stencil(spec, operands, spare);
    return found ? to_text(found->spec) : "";
  }

  dtype_id type;
  KernelSpec spec;
  std::vector<StencilOperand> operands;
  std::optional<Stencil> found;
};

/// Four neighbours and the point, whose array begins at its first row.
std::uint16_t sum_of_five(Kernel& k, int array = 0) {
  const std::uint16_t up = k.read(array, {0, 0, 0}), down = k.read(array, {0, 2, 0}), left = k.read(array, {-1, 1, 0}),
                      right = k.read(array, {1, 1, 0}), own = k.read(array, {0, 1, 0});
  return k.op(op_id::add, k.op(op_id::add, k.op(op_id::add, up, down), k.op(op_id::add, left, right)), own);
}

TEST(Stencil, AnArrayThatIsReadAroundEachPointIsATile) {
  Kernel k;
  sum_of_five(k);
  EXPECT_EQ(k.text(),
            "operands d\nscalars \n"
            "%0 = operand 0\n"
            "%1 = at 1,0,0 (%0)\n"
            "%2 = at 1,2,0 (%0)\n"
            "%3 = add.dd->d(%1, %2)\n"
            "%4 = at 0,1,0 (%0)\n"
            "%5 = at 2,1,0 (%0)\n"
            "%6 = add.dd->d(%4, %5)\n"
            "%7 = add.dd->d(%3, %6)\n"
            "%8 = at 1,1,0 (%0)\n"
            "%9 = add.dd->d(%7, %8)\n"
            "outputs %9\n");
  ASSERT_EQ(k.found->operands.size(), 1u);
  EXPECT_EQ(k.found->operands[0].moved, (Shift{-1, 0, 0}));
  EXPECT_EQ(k.found->operands[0].halo, (Shift{2, 2, 0}));
  const auto halos = tile_halos(k.found->spec);
  EXPECT_EQ(halos[0], (Shift{2, 2, 0}));
  const auto tile = choose_tile(k.found->spec);
  ASSERT_TRUE(tile);
  EXPECT_EQ(tile->y, 32);
  EXPECT_EQ(tile->bytes, 34 * 34 * 8);
}

/// Where no array is spared, caches do for few neighbours, and for what is cheap to compute again.
TEST(Stencil, TilesThatSpareExpressionsHaveToBeWorthIt) {
  Kernel five;
  sum_of_five(five);
  EXPECT_EQ(five.text(TilesSpare::expressions), "");
  for (const int side : {4, 5}) {
    Kernel k;
    std::uint16_t sum = k.read(0, {0, 0, 0});
    for (int i = 1; i < side * side; ++i) sum = k.op(op_id::add, sum, k.read(0, {i % side, i / side, 0}));
    EXPECT_EQ(k.text(TilesSpare::expressions).find("at 3,3,0 (%0)") != std::string::npos, side == 5);
  }
  for (const op_id id : {op_id::square, op_id::exp}) {
    Kernel k;
    std::uint16_t sum = k.op(id, k.read(0, {0, 0, 0}));
    for (int i = 1; i < 4; ++i) sum = k.op(op_id::add, sum, k.op(id, k.read(0, {0, i, 0})));
    EXPECT_EQ(k.text(TilesSpare::expressions).find("at 0,3,0 (%1)") != std::string::npos, id == op_id::exp);
  }
}

TEST(Stencil, ACastOfItIsComputedOnce) {
  Kernel k(dtype_id::uint8);
  const std::uint16_t a = k.cast(k.read(0, {0, 0, 0}), dtype_id::float32), b = k.cast(k.read(0, {0, 1, 0}), dtype_id::float32),
                      c = k.cast(k.read(0, {1, 2, 0}), dtype_id::float32);
  k.op(op_id::add, k.op(op_id::add, a, b), c);
  EXPECT_EQ(k.text(),
            "operands B\nscalars \n"
            "%0 = operand 0\n"
            "%1 = cast.f(%0)\n"
            "%2 = at 0,0,0 (%1)\n"
            "%3 = at 0,1,0 (%1)\n"
            "%4 = add.ff->f(%2, %3)\n"
            "%5 = at 1,2,0 (%1)\n"
            "%6 = add.ff->f(%4, %5)\n"
            "outputs %6\n");
  EXPECT_EQ(k.found->operands[0].halo, (Shift{1, 2, 0}));
}

/// exp(sum of five) at two places: one tile of it, over one of the array, whose halo has both.
TEST(Stencil, ACostlyValueOfATileIsATile) {
  Kernel k;
  const auto at = [&](int row) {
    const std::uint16_t a = k.read(0, {0, row, 0}), b = k.read(0, {1, row + 1, 0});
    return k.op(op_id::exp, k.op(op_id::add, a, b));
  };
  const std::uint16_t first = at(0), second = at(3);
  k.op(op_id::subtract, first, second);
  EXPECT_EQ(k.text(),
            "operands d\nscalars \n"
            "%0 = operand 0\n"
            "%1 = at 0,0,0 (%0)\n"
            "%2 = at 1,1,0 (%0)\n"
            "%3 = add.dd->d(%1, %2)\n"
            "%4 = exp.d->d(%3)\n"
            "%5 = at 0,0,0 (%4)\n"
            "%6 = at 0,3,0 (%4)\n"
            "%7 = subtract.dd->d(%5, %6)\n"
            "outputs %7\n");
  const auto halos = tile_halos(k.found->spec);
  EXPECT_EQ(halos[4], (Shift{0, 3, 0}));
  EXPECT_EQ(halos[0], (Shift{1, 4, 0}));
}

TEST(Stencil, WhatIsReadAtOnePointOrAlongARowOnlyIsNone) {
  Kernel line;
  const std::uint16_t a = line.read(0, {0, 0, 0}), b = line.read(0, {1, 0, 0}), c = line.read(0, {2, 0, 0});
  line.op(op_id::add, line.op(op_id::add, a, b), c);
  EXPECT_EQ(line.text(), "");
  Kernel others;
  others.op(op_id::add, others.op(op_id::add, others.read(0, {0, 0, 0}), others.read(1, {0, 0, 0})), others.read(2, {0, 0, 0}));
  EXPECT_EQ(others.text(), "");
}

TEST(Stencil, ATileHasRoomInSharedMemoryOrThereIsNone) {
  Kernel few;
  sum_of_five(few, 0);
  Kernel many;
  std::uint16_t all = sum_of_five(many, 0);
  for (int array = 1; array < 4; ++array) all = many.op(op_id::add, all, sum_of_five(many, array));
  many.text();
  ASSERT_TRUE(many.found);
  const auto tile = choose_tile(many.found->spec);
  ASSERT_TRUE(tile);
  EXPECT_EQ(tile->y, 16);  // four tiles of 34 by 18 numbers: half of what there is
  EXPECT_LE(tile->bytes, most_shared_bytes / 2);
  Kernel far(dtype_id::complex128);
  const std::uint16_t near = far.read(0, {0, 0, 0});
  far.op(op_id::add, far.op(op_id::add, near, far.read(0, {31, 31, 0})), far.read(0, {0, 0, 31}));
  far.text();
  ASSERT_TRUE(far.found);
  EXPECT_FALSE(choose_tile(far.found->spec));
}

}  // namespace
