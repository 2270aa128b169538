// Bins of values: found, and counted, some values at a time.
#pragma once

#include <cstdint>

#include <numjit/array/node.h>

namespace numjit::eager {

/// The bin of each value between the edges (1-D), or the number of bins for one in none; `equal`: all bins have one width,
/// as NumPy finds them. Values in C order, of any real dtype; on all threads. ValueError: edges that fall.
void find_bins(const node* values, const node* edges, bool equal, std::int64_t* bin);

/// How many of the contiguous values are in each bin.
void count_bins(const node* values, const node* edges, bool equal, std::int64_t* counts);

/// The sums of their weights (1-D, real or complex), in the order of the values. A complex sum has two parts in `sums`.
void sum_bins(const node* values, const node* edges, bool equal, const node* weights, double* sums);

}  // namespace numjit::eager
