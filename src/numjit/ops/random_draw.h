// Draws of random numbers as operations: what stands in their parameters, and who carries them out.
//
// The first input of op random_draw is the state of a generator, an array of uint64 words that the draw
// reads and writes. So draws run in the program's order, each once per call, and are never folded: the
// recorder counts the state among what the segment stores to, and reading it runs what is pending.
#pragma once

#include <cstdint>
#include <mutex>
#include <string_view>

#include <numjit/array/array.h>
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
/// What is known of draws beside how they are carried out. Set by numpy_compat before main.
struct draw_facts {
  /// NumPy's name.
  std::string_view (*name)(const op_params& params) = nullptr;
  /// Is each number drawn by itself, in C order? Then draws of several results are one of all their elements.
  bool (*is_by_element)(const op_params& params) = nullptr;
  /// How the numbers change with parameter k, d drawn / d parameter: is it known, and what is it?
  bool (*has_slope)(const op_params& params, int k) = nullptr;
  array (*slope)(const op_params& params, int k, const array& drawn,
                 const operand (&parameters)[layout::draw::max_values]) = nullptr;
  /// A generator's state as another array, in the order of the program's draws.
  array (*copy_of_state)(const array& state) = nullptr;
};
extern constinit draw_facts draws;
/// Threads may share a generator: one draw at a time on a state.
std::mutex& draw_mutex(const void* state);

/// A draw each number of which is a function of its place in the stream of a counter-based generator (Philox 4x64):
/// all that a device needs to make the host's numbers. The stream is words of 64 bits, taken whole or in *units*, the
/// lower ones first.
struct counted_draw {
  std::uint64_t counter[4], key[2];  // of the block of four words that has the next one
  std::int64_t first;                // which of the four that is
  bool has_half;                     // 32 bits are left over, and drawn before it:
  std::uint32_t half;
  dtype_id unit;                     // uint64, uint32, uint16, uint8, or bool_: a bit
  enum class number { uniform, whole, bit } kind;
  double low, scale;                 // uniform: low + scale * u, for u in [0, 1)
  bool is_unit_interval;             // just u
  // Whole: offset + the upper half of unit * limit (limit 0: the unit itself). Units with a lower half below the
  // threshold are passed over.
  std::uint64_t offset, limit, threshold;
};
struct counted_draws {
  /// What `params` ask for in a dtype; false: no draw of this kind.
  bool (*plan)(const void* state, const op_params& params, dtype_id type, counted_draw& plan) = nullptr;
  /// Moves the generator on by a number of units.
  void (*move_on)(void* state, dtype_id unit, std::int64_t units) = nullptr;
};
/// Set by numpy_compat before main.
extern constinit counted_draws counted;

/// Generators made or seeded on this thread: a call that makes one can't be replayed without its body.
inline constinit thread_local std::uint64_t generators_made [[gnu::tls_model("initial-exec")]] = 0;

}  // namespace numjit::detail
