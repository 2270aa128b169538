// Trigonometric and hyperbolic loops of float32 and float64.
#include <numjit/eager/loops/ufunc.h>

namespace numjit::eager::NUMJIT_ISA {

namespace {

/// ufunc_loop::circular() with the magnitudes compared as integers: their largest one is found by vectors, that of floats
/// element by element, which took twice the time of the sines.
template <op_id Op, class T>
void angles_by_blocks(const T* a, T* r, std::int64_t n) {
  constexpr std::int64_t block = 256;
  using Int = m::int_of<T>;
  for (std::int64_t first = 0; first < n; first += block) {
    const std::int64_t count = n - first < block ? n - first : block;
    const T* from = a + first;
    T* to = r + first;
    Int largest = 0;  // of the finite magnitudes, whose bits are ordered as they are
    for (std::int64_t i = 0; i < count; ++i) {
      const Int finite = static_cast<Int>(m::bits(m::finite_magnitude(from[i])));
      largest = finite > largest ? finite : largest;
    }
    if (m::ordinary_angle(m::from_bits<T>(static_cast<m::uint_of<T>>(largest)))) {
      NUMJIT_INDEPENDENT
      for (std::int64_t i = 0; i < count; ++i) to[i] = op_row<Op>::eval(m::tame<T>{from[i]});
    } else {
      for (std::int64_t i = 0; i < count; ++i) to[i] = op_row<Op>::eval(from[i]);
    }
  }
}

}  // namespace

// Loops 1 and 2 of these rows are those of float32 and float64.
#define NUMJIT_ANGLES(op)                                                                        \
  template <>                                                                                    \
  void ufunc_loop<op_id::op, 1>::circular(const float* a, float* r, std::int64_t n) {            \
    angles_by_blocks<op_id::op>(a, r, n);                                                        \
  }                                                                                              \
  template <>                                                                                    \
  void ufunc_loop<op_id::op, 2>::circular(const double* a, double* r, std::int64_t n) {          \
    angles_by_blocks<op_id::op>(a, r, n);                                                        \
  }
NUMJIT_ANGLES(sin)
NUMJIT_ANGLES(cos)
NUMJIT_ANGLES(tan)
#undef NUMJIT_ANGLES

void fill_real_trigonometric(loop_table& table) { fill_family<family::real_trigonometric>(table); }

}  // namespace numjit::eager::NUMJIT_ISA
