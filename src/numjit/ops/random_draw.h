// Draws of random numbers as operations: what stands in their parameters, and who carries them out.
//
// The first input of op random_draw is the state of a generator, an array of uint64 words that the draw
// reads and writes. So draws run in the program's order, each once per call, and are never folded: the
// recorder counts the state among what the segment stores to, and reading it runs what is pending.
#pragma once

#include <cstdint>

#include <numjit/array/dims.h>
#include <numjit/array/node.h>
#include <numjit/ops/params.h>

namespace numjit::layout {

/// Words of op random_draw: which distribution, options of it, up to three parameters (bits of a double, or
/// an integer), the shape; type() is the dtype drawn. Where bit i of the options is set, parameter i is an
/// array instead: the next input, of the result's shape.
struct draw {
  static constexpr int distribution = 0, options = 1, values = 2, shape = 5;
  static constexpr int max_values = 3;
};

}  // namespace numjit::layout

namespace numjit::detail {

/// One run of op random_draw. `result` is contiguous.
struct draw_call {
  void* state;
  const op_params& params;
  node* const* in;  // array parameters
  int n_in;
  node* result;
};
using draw_function = void (*)(const draw_call&);
/// Set by numpy_compat before main.
extern constinit draw_function draw_runner;

/// Generators made or seeded on this thread: a call that makes one can't be replayed without its body.
inline constinit thread_local std::uint64_t generators_made [[gnu::tls_model("initial-exec")]] = 0;

}  // namespace numjit::detail
