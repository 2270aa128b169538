// The rules of Fourier transforms: linear, so that an adjoint is a transform again.
#include <bit>

#include <numjit/ops/fft_kind.h>
#include <numjit/transform/matrices.h>
#include <numjit/transform/routine_rules.h>

namespace numjit::transform {

using detail::fft_kind;
using detail::routine_id;

namespace {

struct Transform {
  fft_kind kind;
  std::int64_t n;
  int axis;
  std::int64_t factor;  // bits

  explicit Transform(const op_params& p)
      : kind(static_cast<fft_kind>(p[1])), n(p[2]), axis(static_cast<int>(p[3])), factor(p[4]) {}
  array run(fft_kind as, const array& a) const {
    return run_routine(routine_id::fft, {a}, {static_cast<std::int64_t>(as), n, axis, factor});
  }
};

/// So many elements along an axis: cut, or with zeros behind.
array with_length(const array& a, int axis, std::int64_t n) {
  dims shape = shape_of(a);
  if (shape[axis] == n) return a;
  if (shape[axis] > n) return slice(a, axis, 0, n);
  shape[axis] = n - shape[axis];
  return joined(a, zeros(shape, type_of(a)), axis);
}

/// A factor for each of the n / 2 + 1 numbers along an axis: 1 for the first, and for the last where n is even; 2 for others,
/// which stand for a pair.
array of_pairs(const Transform& t, int rank, dtype_id type) {
  const std::int64_t count = t.n / 2 + 1;
  array k = count_to(count);
  array alone = binary(op_id::equal, k, operand(0, "", "", 0));
  if (t.n % 2 == 0) alone = binary(op_id::logical_or, alone, binary(op_id::equal, k, operand(t.n / 2, "", "", 0)));
  dims shape;
  for (int i = 0; i < rank; ++i) shape.push_back(i == t.axis ? count : 1);
  return reshaped(select(alone, full_of(dims(), type, 1), full_of(dims(), type, 2)), shape);
}

}  // namespace

void adjoint_fft(Adjoint& a) {
  const Transform t(a.p());
  const array& g = a.g();
  array back;
  switch (t.kind) {
    case fft_kind::forward: back = t.run(fft_kind::backward, g); break;
    case fft_kind::backward: back = t.run(fft_kind::forward, g); break;
    case fft_kind::from_real: back = real_of(t.run(fft_kind::backward, with_length(g, t.axis, t.n))); break;
    case fft_kind::to_real: back = times(t.run(fft_kind::from_real, g), of_pairs(t, rank_of(g), type_of(g))); break;
  }
  a.give(0, with_length(back, t.axis, a.shape(0)[t.axis]));
}
array tangent_fft(const Tangent& t) {
  const operand in[] = {t.change(0)};
  return bind({op_id::routine, in, t.applied().params.get()});
}

}  // namespace numjit::transform
