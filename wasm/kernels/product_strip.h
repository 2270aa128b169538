// The innermost kernel of matrix products: a part of c += a b, four rows by two registers at a
// time.
#pragma once

#include <cstddef>
#include <vector>

namespace numjit::wasm_gen {

/// c = a b, or added to c, of `tiles` times four rows and as many columns as two registers hold.
/// Steps are in bytes: between rows of a and along them, between rows of b, between rows of c.
/// Returns 0.
using ProductStrip = int (*)(const void* a, int a_row, int a_step, const void* b, int b_step,
                             void* c, int c_row, int depth, int tiles, int adds);

/// The bytes of a module whose `run` is one with fused multiplication and addition, of relaxed
/// SIMD, which Emscripten 3.1.6 can't compile; for numbers of 4 or 8 bytes.
std::vector<char> write_fused_strip(std::size_t bytes);

/// Makes that one, once, if this machine has such instructions. On the thread that has the arrays;
/// others find it then.
void prepare_fused_strip(std::size_t bytes);

/// What a product of this size is computed by, from its shape alone: the fused one, or null where
/// it is small, or where the machine has none.
ProductStrip fused_strip(std::size_t bytes, int m, int n, int depth);

}  // namespace numjit::wasm_gen
