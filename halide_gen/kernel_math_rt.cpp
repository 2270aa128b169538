// What kernels call instead of holding its code: the sides of functions that are hardly ever taken, for one element.
// From the same source as what kernels hold, so with the same bits. Linked into the kernels that call them.
#include <numjit/ops/math/complex_parts.h>
#include <numjit/ops/math/fmod.h>

namespace m = numjit::m;
using m::detail::circular;

#define KERNEL_CALL(result, function) extern "C" __attribute__((visibility("hidden"))) result function
KERNEL_CALL(double, numjit_far_sin)(double a);
KERNEL_CALL(double, numjit_far_cos)(double a);
KERNEL_CALL(double, numjit_far_tan)(double a);
KERNEL_CALL(double, numjit_far_turn)(double a);
KERNEL_CALL(double, numjit_far_turn_rest)(double a);
KERNEL_CALL(double, numjit_far_fmod)(double x, double y);

double numjit_far_sin(double a) { return m::detail::wide_angle<circular::sine>::of(a); }
double numjit_far_cos(double a) { return m::detail::wide_angle<circular::cosine>::of(a); }
double numjit_far_tan(double a) { return m::detail::wide_angle<circular::tangent>::of(a); }
double numjit_far_turn(double a) { return m::detail::wide_turn<false>::of(a); }
double numjit_far_turn_rest(double a) { return m::detail::wide_turn<true>::of(a); }
double numjit_far_fmod(double x, double y) { return m::detail::far_fmod::of(x, y); }
