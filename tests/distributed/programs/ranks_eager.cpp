// Every operation on this number of ranks, against what one process computes from the arrays of all ranks.
//
// Each rank makes the arrays of all of them, so that it knows what has to come out.
#include <complex>
#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

#include <numjit/np.h>
#include <numjit/np_distributed.h>

#include "ranks_expect.h"

namespace np = numjit;
namespace nd = np::distributed;

namespace {

void same(const std::string& what, const np::array& got, const np::array& expected) {
  if (got.dtype() == expected.dtype() && got.shape() == expected.shape() && np::array_equal(got, expected, {.equal_nan = true}) &&
      np::array_equal(np::signbit(np::real(got).astype(np::float64)), np::signbit(np::real(expected).astype(np::float64))))
    return;
  expect(false, what + "\ngot " + std::string(got.dtype().name()) + "\n" + np::array_str(got) + "\nexpected " +
                    std::string(expected.dtype().name()) + "\n" + np::array_str(expected));
}

/// What a rank has, of a dtype: numbers whose sums show the order of additions.
np::array made(std::int64_t rank, np::dims shape, np::dtype type) {
  auto random = np::random::default_rng(static_cast<std::uint64_t>(1000 + rank));
  const np::array x = random.standard_normal({.size = shape}) * 100;
  if (type.kind() == 'b') return x > 0;
  if (type.kind() == 'c') return (x + std::complex<double>(0, 1) * random.standard_normal({.size = shape})).astype(type);
  if (type.kind() == 'u') return np::abs(x).astype(type);
  return x.astype(type);
}

std::vector<np::array> made_by_all(np::dims shape, np::dtype type) {
  std::vector<np::array> all;
  for (std::int64_t r = 0; r < nd::world().size(); ++r) all.push_back(made(r, shape, type));
  return all;
}

const std::vector<np::dtype> types{np::bool_,  np::int8,    np::int32,   np::int64,   np::uint8,
                                   np::uint64, np::float16, np::float32, np::float64, np::complex128};

void check_reductions(np::dims shape) {
  const std::int64_t rank = nd::world().rank();
  for (const np::dtype& type : types) {
    const std::vector<np::array> all = made_by_all(shape, type);
    const np::array stack = np::stack(all), &x = all[static_cast<std::size_t>(rank)];
    const std::string name = std::string(type.name()) + " of " + std::to_string(x.size());
    same("sum of " + name, nd::all_reduce(x), np::sum(stack, {.axis = 0}));
    same("max of " + name, nd::all_reduce(x, {.op = "max"}), np::max(stack, {.axis = 0}));
    same("min of " + name, nd::all_reduce(x, {.op = "min"}), np::min(stack, {.axis = 0}));
    same("prod of " + name, nd::all_reduce(x, {.op = "prod"}), np::prod(stack, {.axis = 0}));
    same("mean of " + name, nd::all_reduce(x, {.op = "mean"}), np::mean(stack, {.axis = 0}));
    if (x.ndim() == 0) continue;
    same("part of the sum of " + name, nd::reduce_scatter(x), np::sum(stack, {.axis = 0})(nd::part(x.shape(0))));
    same("part of the maximum of " + name, nd::reduce_scatter(x, {.op = "max"}),
         np::max(stack, {.axis = 0})(nd::part(x.shape(0))));
    same("part of the mean of " + name, nd::reduce_scatter(x, {.op = "mean"}),
         np::mean(stack, {.axis = 0})(nd::part(x.shape(0))));
  }
}

void check_gathers() {
  const std::int64_t rank = nd::world().rank(), size = nd::world().size();
  const std::vector<np::array> all = made_by_all({3, 2}, np::float64);
  const np::array& x = all[static_cast<std::size_t>(rank)];
  same("all_gather", nd::all_gather(x), np::concatenate(all, 0));
  same("all_gather of the last axis", nd::all_gather(x, {.axis = -1}), np::concatenate(all, 1));
  same("all_gather of an array in another order", nd::all_gather(x.T()), np::concatenate(all, 1).T());
  same("all_gather of numbers", nd::all_gather(np::array(rank)), np::arange(size));
  for (const std::int64_t n : {0, 1, 7, 50}) {
    const np::array whole = np::arange(static_cast<double>(n) * 3).reshape(n, 3);
    same("all_gather of parts", nd::all_gather(whole(nd::part(n)), {.length = n}), whole);
  }
  for (std::int64_t root = 0; root < size; ++root)
    for (const std::int64_t n : {1, 100, 50000})
      same("broadcast", nd::broadcast(np::full({n}, static_cast<double>(rank)), {.root = root}),
           np::full({n}, static_cast<double>(root)));
  const np::array blocks = np::arange(size * 2) + 100 * rank;
  same("all_to_all", nd::all_to_all(blocks),
       (np::arange(size).reshape(size, 1) * 100 + np::arange(2) + 2 * rank).reshape(size * 2));
  const np::array large = np::full({size, 20000}, static_cast<double>(rank));
  same("all_to_all of much", nd::all_to_all(large), np::repeat(np::arange(static_cast<double>(size)).reshape(size, 1), 20000, 1));
  std::vector<std::pair<std::int64_t, std::int64_t>> shift;
  for (std::int64_t r = 0; r + 1 < size; ++r) shift.emplace_back(r, r + 1);
  for (const std::int64_t n : {3, 30000}) same("permute", nd::permute(np::full({n}, rank + 1), shift), np::full({n}, rank));
}

void check_halos() {
  const std::int64_t size = nd::world().size();
  const std::int64_t n = 3 * size + 1;
  for (const std::int64_t columns : {2, 3000}) {
    const np::array u = np::arange(static_cast<double>(n * columns)).reshape(n, columns) + 1;
    const np::slice mine = nd::part(n);
    for (const std::int64_t width : {0, 1, 2, 3}) {
      const np::array rows = np::arange(mine.start - width, mine.stop + width);
      const np::array inside = ((rows >= 0) & (rows < n)).reshape(rows.size(), 1);
      same("exchange_halo", nd::exchange_halo(u(mine), width), np::where(inside, u(np::clip(rows, 0, n - 1)), 0.0));
      same("periodic exchange_halo", nd::exchange_halo(u(mine), width, {.periodic = true}), u(rows % n));
      same("exchange_halo of columns", nd::exchange_halo(u(mine).T(), width, {.axis = 1, .periodic = true}), u(rows % n).T());
    }
  }
}

void check_sums() {
  auto random = np::random::default_rng(7);
  for (const std::int64_t n : {0, 1, 5, 100, 1023, 1024, 1025, 2500, 8192, 40000}) {
    for (const std::int64_t columns : {1, 3}) {
      const np::array x = random.standard_normal({.size = {n, columns}}) * 1000;
      for (const np::dtype& type : {np::float64, np::float32, np::float16, np::int32, np::complex128}) {
        const np::array whole = x.astype(type), mine = whole(nd::part(n));
        const std::string name = std::to_string(n) + " rows of " + std::to_string(columns) + " " + std::string(type.name());
        same("sum of rows, " + name, nd::sum(mine, {.axis = 0}), np::sum(whole, {.axis = 0}));
        same("sum, " + name, nd::sum(mine), np::sum(whole));
        same("sum of a column, " + name, nd::sum(mine(np::_, 0)), np::sum(whole(np::_, 0)));
      }
    }
  }
}

void check_groups() {
  const nd::communicator world = nd::world();
  const nd::communicator half = world.split(world.rank() % 2);
  const std::int64_t others = (world.size() + (world.rank() % 2 == 0 ? 1 : 0)) / 2;
  same("size of a half", np::array(half.size()), np::array(others));
  same("ranks of a half", nd::all_gather(np::array(world.rank()), {.on = half}), np::arange(world.rank() % 2, world.size(), 2));
  const nd::communicator backwards = world.split(0, -world.rank());
  same("ranks in another order", np::array(backwards.rank()), np::array(world.size() - 1 - world.rank()));
  nd::barrier();
  nd::barrier(half);
}

}  // namespace

int main() {
  check_reductions({});
  check_reductions({5, 3});
  check_reductions({4001});
  check_gathers();
  check_halos();
  check_sums();
  check_groups();
  return finished();
}
