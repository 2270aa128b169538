// Kernels of a page, between those who make them, who bring them, and who ask for them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <numjit/ops/op.h>

#include "dag.h"
#include "kernel.h"

namespace numjit::wasm_gen {

/// This build.
Target page_target();

/// Bits of the value that changes nothing: of a part's type (reduction.h), and of float16.
std::uint64_t start_bits(op_id op, Type t);
std::uint64_t start_bits_of_half(op_id op);

}  // namespace numjit::wasm_gen

namespace numjit::runtime {

/// From now on the function at `place` of the host's table computes this graph. Where one that computes it is in use
/// already, its place is returned, for the function to be put there, too; else 0.
int provide_packed(std::string_view content, int place);

/// How many kernels were asked for: grows whenever recorded_graphs() has one more.
int count_graphs();

/// The graphs that kernels were asked for, as a graph file (kernels/list.h); without those of packs if `missing`.
std::string recorded_graphs(bool missing);

/// A kernel that there is no code for, whose operations run one by one.
struct MissingKernel {
  std::string name, schedule, ops, hint;
};
std::vector<MissingKernel> list_missing();

}  // namespace numjit::runtime
