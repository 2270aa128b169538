// Random numbers for a GPU: each is a function of a unit of the stream of Philox 4x64 with 10 rounds, whose blocks of
// four words are functions of a counter (Salmon et al., Parallel Random Numbers: As Easy as 1, 2, 3, 2011), as in
// numpy_compat/random/engines.h.
//
//   for b in blocks of 64:     gpu blocks and threads
//     words[0..3] = rounds(counter + b)
//     for u:                   out(u, b) = f(unit number first + u of the words)
//
// A unit is of the spec's operand 0's dtype: a word, a part of one, or a bit (bool), the lowest first. Scalars 0 to 5 are
// the counter of block 0 and the key. u has fewer values where the numbers begin or end in the middle of a block.
#include <array>

#include <gpu_exact.h>
#include <gpu_steps.h>
#include <numjit/runtime/kernels/device_abi.h>

namespace numjit::halide_gen {
namespace {

using Halide::Expr;

Expr word(std::uint64_t value) { return Halide::Internal::make_const(Halide::UInt(64), value); }

/// The upper half of a product of 64 bits by 64 bits.
Expr upper_product(const Expr& a, const Expr& b) {
  const Expr mask = word(0xffffffffu), half = word(32);
  const Expr a0 = a & mask, a1 = a >> half, b0 = b & mask, b1 = b >> half;
  const Expr middle = a1 * b0 + ((a0 * b0) >> half);
  return a1 * b1 + (middle >> half) + ((a0 * b1 + (middle & mask)) >> half);
}

/// The blocks as a Func of b: words 0 to 3, and the key, which the rounds change as well.
Halide::Func blocks_of_words(const KernelInputs& inputs, const Halide::Var& b) {
  std::array<Expr, 4> counter;  // of 256 bits: a carry goes from word to word
  Expr carry = Halide::cast<std::uint64_t>(b);
  for (std::size_t k = 0; k < 4; ++k) {
    counter[k] = inputs.scalar(static_cast<int>(k)).re + carry;
    carry = Halide::cast<std::uint64_t>(counter[k] < carry);
  }
  Halide::Func words("nj_words");
  words(b) = Halide::Tuple(counter[0], counter[1], counter[2], counter[3], inputs.scalar(4).re, inputs.scalar(5).re);
  const Halide::RDom round(0, 10, "nj_round");
  const Halide::FuncRef c = words(b);
  const Expr p = word(0xd2e7470ee14c6c93u), q = word(0xca5a826395121157u);
  const Expr first = Halide::select(round >= 0, c[0], word(0));  // an update has to name its variable
  words(b) = Halide::Tuple(upper_product(q, c[2]) ^ c[1] ^ c[4], q * c[2], upper_product(p, first) ^ c[3] ^ c[5], p * first,
                           c[4] + word(0x9e3779b97f4a7c15u), c[5] + word(0xbb67ae8584caa73bu));
  return words;
}

}  // namespace

KernelPipeline build_gpu_philox(const graph::KernelSpec& spec, const runtime::KernelVariant& variant,
                                const Halide::Target& target) {
  KernelInputs inputs(spec, variant, 2);
  const Expr first = inputs.parameter("first");
  Halide::Var u("nj_u"), b("nj_b"), block("nj_block"), thread("nj_thread");
  Halide::Func words = blocks_of_words(inputs, b);
  const dtype_id unit = spec.operand_types[0];
  const int bits = unit == dtype_id::bool_ ? 1 : 8 * static_cast<int>(dtype(unit).itemsize());
  const int parts = 64 / bits;
  const Expr number = u + first, which = number / parts;
  const Halide::FuncRef made = words(b);
  const Expr chosen = Halide::select(which == 0, made[0], which == 1, made[1], which == 2, made[2], made[3]);
  const Expr moved = chosen >> Halide::cast<std::uint64_t>(number % parts * bits);
  Leaves leaves;
  leaves.operand = [&](int) {
    if (unit == dtype_id::bool_) return Value{(moved & word(1)) != word(0), {}};
    return Value{Halide::cast(storage_type(unit), moved), {}};
  };
  leaves.scalar = [&](int i) { return inputs.scalar(i); };
  Halide::Func out("nj_out");
  out(u, b) = Halide::Tuple(lower_outputs(spec, leaves));
  out.split(b, block, thread, 64, Halide::TailStrategy::GuardWithIf)
      .reorder(u, thread, block)
      .gpu_blocks(block)
      .gpu_threads(thread);
  words.compute_at(out, thread);
  KernelPipeline kernel = finish_kernel(out, inputs, output_types(spec), 2, true);
  add_gpu_pass(kernel.pipeline, target);
  return kernel;
}

}  // namespace numjit::halide_gen
