// Every ufunc as a function, made from the op rows, and the operators on arrays.
#pragma once

#include <numjit/np_options.h>
#include <numjit/np_ufunc_methods.h>
#include <numjit/ops/bind.h>

namespace numjit {

namespace detail {
array call_ufunc(op_id op, const operand& a, const operand& b, const ufunc_options& options);
}  // namespace detail

/// A ufunc of two arguments: called as a function is, with the methods of np::ufunc beside.
///   np::add(a, b), np::add.reduce(a), np::subtract.outer(a, b), np::maximum.accumulate(a),
///   np::add.at(a, places, 1)
template <op_id Op>
class binary_ufunc : public ufunc {
 public:
  constexpr binary_ufunc() : ufunc(Op) {}
  array operator()(const argument& a, const argument& b) const { return bind_last(Op, a, b); }
  array operator()(const operand& a, const operand& b, const ufunc_options& options) const {
    return detail::call_ufunc(Op, a, b, options);
  }
};

// Names that functions of the C and C++ libraries have too are functions here as well: `fmax(x, y)`
// and `using std::fmax;` in generic code find them by their arguments, which is not so for objects.
// np::ufunc("fmax") has the methods.
#define NUMJIT_NAMED_AS_IN_STD_fmod ,
#define NUMJIT_NAMED_AS_IN_STD_remainder ,
#define NUMJIT_NAMED_AS_IN_STD_hypot ,
#define NUMJIT_NAMED_AS_IN_STD_copysign ,
#define NUMJIT_NAMED_AS_IN_STD_nextafter ,
#define NUMJIT_NAMED_AS_IN_STD_fmax ,
#define NUMJIT_NAMED_AS_IN_STD_fmin ,
#define NUMJIT_NAMED_AS_IN_STD_gcd ,
#define NUMJIT_NAMED_AS_IN_STD_lcm ,
#define NUMJIT_SECOND(a, b, ...) b
#define NUMJIT_SECOND_OF(...) NUMJIT_SECOND(__VA_ARGS__)
#define NUMJIT_UFUNC2_FUNCTION(name)                                                              \
  inline array name(const operand& a, const operand& b) { return bind_ufunc(op_id::name, a, b); } \
  array name(const operand& a, const operand& b, const ufunc_options& options);
#define NUMJIT_UFUNC2_OBJECT(name) inline constexpr binary_ufunc<op_id::name> name{};
/// One of the two macros above, by name.
#define NUMJIT_UFUNC2_FORM(name) \
  NUMJIT_SECOND_OF(NUMJIT_NAMED_AS_IN_STD_##name NUMJIT_UFUNC2_FUNCTION, NUMJIT_UFUNC2_OBJECT, )

// np::name(a, options), np::name(a, b, options), np::where(c, a, b) and np::clip(a, low, high):
// what each computes, its dtypes and an example stand in its row in src/numjit/ops/elementwise.def.
// Operands broadcast; literals are weak (NEP 50). Errors, in NumPy's words:
//   TypeError      no loop for the dtypes; `out` can't hold the result under 'same_kind'
//   ValueError     shapes do not broadcast, or not to the shape of `out`
//   OverflowError  an integer literal is out of the array's range
#define UFUNC1(name, ...)                                                     \
  inline array name(const argument& a) { return bind_last(op_id::name, a); } \
  array name(const operand& a, const ufunc_options& options);
#define UFUNC2(name, ...) NUMJIT_UFUNC2_FORM(name)(name)
#define UFUNC3(name, ...)                                          \
  array name(const operand& a, const operand& b, const operand& c, \
             const ufunc_options& options = {});
#define SPECIAL1(...)
#define POWER1(...)
#define LINEAR2(...)
#include <numjit/ops/all_rows.inc>

/// What NumPy has not: ufuncs under the names of scipy.special. float16 as well, and integers become
/// floats, as with np::exp.
///   np::special::erf(0.5), np::special::gammaln(np::arange(1, 5))
namespace special {
#define SPECIAL1(name, ...)                                                   \
  inline array name(const argument& a) { return bind_last(op_id::name, a); } \
  array name(const operand& a, const ufunc_options& options);
#include <numjit/ops/all_rows.inc>
}  // namespace special

namespace detail {
// Number of operands of each target of an alias (0: a reduction), to give the alias its signature.
#define UFUNC1(name, ...) inline constexpr int arity_of_##name = 1;
#define UFUNC2(name, ...) inline constexpr int arity_of_##name = 2;
#define UFUNC3(name, ...) inline constexpr int arity_of_##name = 3;
#define REDUCTION(name, ...) inline constexpr int arity_of_##name = 0;
#define POWER1(...)
#define LINEAR2(...)
#include <numjit/ops/all_rows.inc>
/// T, but known only when N is: delays the choice of the target's overload.
template <int N, class T>
struct delayed {
  using type = T;
};
template <int N, class T>
using delayed_t = const typename delayed<N, T>::type&;
}  // namespace detail

// Other names of ufuncs (abs, pow, mod, ...) and of reductions (amax, amin).
#define ALIAS(alias, target)                                                                    \
  template <int N = detail::arity_of_##target>                                                  \
    requires(N == 1)                                                                            \
  array alias(const operand& a, const ufunc_options& options = {}) {                            \
    return target(static_cast<detail::delayed_t<N, operand>>(a), options);                      \
  }                                                                                             \
  template <int N = detail::arity_of_##target>                                                  \
    requires(N == 2)                                                                            \
  array alias(const operand& a, const operand& b, const ufunc_options& options = {}) {          \
    return target(static_cast<detail::delayed_t<N, operand>>(a), b, options);                   \
  }                                                                                             \
  template <int N = detail::arity_of_##target>                                                  \
    requires(N == 0)                                                                            \
  array alias(const operand& a, const reduce_options& options = {}) {                           \
    return target(static_cast<detail::delayed_t<N, operand>>(a), options);                      \
  }
#include <numjit/ops/all_rows.inc>

// Operators: the ufuncs of the same meaning. At least one side is an array. `^` is bitwise xor, not a
// power; `&&`, `||` and `!` are C++'s own and read the truth of a single element.
inline array operator+(const argument& a, const argument& b) { return bind_last(op_id::add, a, b); }
inline array operator-(const argument& a, const argument& b) { return bind_last(op_id::subtract, a, b); }
inline array operator*(const argument& a, const argument& b) { return bind_last(op_id::multiply, a, b); }
inline array operator/(const argument& a, const argument& b) { return bind_last(op_id::divide, a, b); }
inline array operator%(const argument& a, const argument& b) { return bind_last(op_id::remainder, a, b); }
inline array operator&(const argument& a, const argument& b) { return bind_last(op_id::bitwise_and, a, b); }
inline array operator|(const argument& a, const argument& b) { return bind_last(op_id::bitwise_or, a, b); }
inline array operator^(const argument& a, const argument& b) { return bind_last(op_id::bitwise_xor, a, b); }
inline array operator<<(const argument& a, const argument& b) { return bind_last(op_id::left_shift, a, b); }
inline array operator>>(const argument& a, const argument& b) { return bind_last(op_id::right_shift, a, b); }
inline array operator==(const argument& a, const argument& b) { return bind_last(op_id::equal, a, b); }
inline array operator!=(const argument& a, const argument& b) { return bind_last(op_id::not_equal, a, b); }
inline array operator<(const argument& a, const argument& b) { return bind_last(op_id::less, a, b); }
inline array operator<=(const argument& a, const argument& b) { return bind_last(op_id::less_equal, a, b); }
inline array operator>(const argument& a, const argument& b) { return bind_last(op_id::greater, a, b); }
inline array operator>=(const argument& a, const argument& b) { return bind_last(op_id::greater_equal, a, b); }
inline array operator-(const argument& a) { return bind_last(op_id::negative, a); }
inline array operator+(const argument& a) { return bind_last(op_id::positive, a); }
inline array operator~(const argument& a) { return bind_last(op_id::invert, a); }

}  // namespace numjit
