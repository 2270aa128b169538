// How kernels of operations that are steps by themselves on devices are called, beyond abi.h.
//
//   template     operands                        parameters    stands for
//   gpu_scan     x(i, t, u, v), before(t, u, v)  m, length of t  out(i, t, u, v): running results of m elements i, see
//                                                              halide_gen/schedules/gpu_scan.cpp and the bits below
//   gpu_take     x(i, k, o), index(j)            length of k   out(i, j, o) = x(i, index(j), o)
//   gpu_numbers  x(j), not read                  -             out(j) = f(j), where x stands for j itself
//   gpu_philox   unit, not read                  first         out(u, b) = f(unit first + u of block b), see
//                                                              halide_gen/schedules/gpu_philox.cpp
//   gpu_merge    key(e), place(e)                n, run, steps, length of e   out(e): rows of n elements of which each
//                                                              `run` are sorted, sorted by twice as many; 2^steps > run
//   gpu_join     key(x, row), place(x, row)      n, run, steps   out(x, row): as gpu_merge; `run` a multiple of join_block
//   gpu_put      value(i, j), index(j), source(j)  length of i, of j, rows   out(i, index(j)) = value(i, source(j)) for the
//                                                              last j of each index, which are sorted
//   gpu_search   a(k), x(j)                      length of k   out(j) = the number of k with a(k) < x(j); search_after: <=
//   gpu_bins     x(k), begin(b), after(b)        length of k   out(b) = the sum of x(k) for begin(b) <= k < after(b), one
//                                                              after the other
//   gpu_places   upto(k)                         length of k   out(j) = the first k with upto(k) > j
//
// All arrays of a template have as many axes as it has letters, in its order; `before` has an axis i, index(j) two more
// axes, that nobody walks along.
#pragma once

#include <cstdint>

namespace numjit::runtime {

/// Bits of KernelVariant::size_class of `gpu_scan`.
enum : std::uint32_t { scan_totals = 1, scan_panel = 2, scan_long = 4, scan_seeded = 8 };
/// Elements of a segment of a scan (docs/numerics.md), and of the pieces in which their totals are scanned.
inline constexpr std::int64_t scan_segment = 128, scan_long_segment = 1024;

/// Elements that a block of `gpu_join` merges in shared memory.
inline constexpr std::int64_t join_block = 1024;

/// KernelVariant::size_class of `gpu_take`: a bit for short runs, and layout::take_mode times the unit.
enum : std::uint32_t { take_narrow = 1, take_mode_unit = 2 };

/// KernelVariant::size_class of `gpu_put`: short runs.
inline constexpr std::uint32_t put_narrow = 1;
/// KernelVariant::size_class of `gpu_search`.
inline constexpr std::uint32_t search_after = 1;

}  // namespace numjit::runtime
