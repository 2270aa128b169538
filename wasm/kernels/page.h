// Kernels of a page, between those who make them.
#pragma once

#include <cstdint>

#include <numjit/ops/op.h>

#include "dag.h"
#include "kernel.h"

namespace numjit::wasm_gen {

/// This build, and its scratch memory.
Target page_target();

/// Bits of the value that changes nothing: of a part's type (reduction.h), and of float16.
std::uint64_t start_bits(op_id op, Type t);
std::uint64_t start_bits_of_half(op_id op);

}  // namespace numjit::wasm_gen
