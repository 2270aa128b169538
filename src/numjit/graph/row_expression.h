// One loop of a row as an expression: what the back ends that write code run on values of their own.
#pragma once

#include <type_traits>

#include <numjit/graph/kernel_ops.h>
#include <numjit/ops/rows.h>

namespace numjit::graph {

template <op_id Op> concept reduction_row = kind_of(Op) == op_kind::reduction;
template <op_id Op> concept arg_row = kind_of(Op) == op_kind::argreduction;

/// What a row's eval takes for an element of T where a T is Lane<T>: float16 is evaluated as float.
template <template <class> class Lane, class T> struct row_argument { using type = Lane<T>; };
template <template <class> class Lane, class T> struct row_argument<Lane, complex<T>> { using type = complex<Lane<T>>; };
template <template <class> class Lane> struct row_argument<Lane, half> { using type = Lane<float>; };

/// Whether a loop is an expression: reductions of float16 go through float.
template <op_id Op, int Loop>
constexpr bool is_row_expression() {
  constexpr op_loop loop = loops_of<Op>[Loop];
  constexpr bool reduces_half =
      (reduction_row<Op> && loop.out == dtype_id::float16) || (arg_row<Op> && loop.in[0] == dtype_id::float16);
  return has_kernel_form(Op) && !reduces_half;
}

/// The loop's formula: eval, or how a reduction combines two values, or whether the first of two wins. `values` has
/// input<T>(i), result<T>(value) and next_half(), the nextafter of two float16.
template <op_id Op, int Loop, class Values>
auto evaluate_row(const Values& values) {
  constexpr op_loop loop = loops_of<Op>[Loop];
  using A = cpp_type<loop.in[0]>;
  using B = cpp_type<loop.in[1]>;
  using C = cpp_type<loop.in[2]>;
  using R = cpp_type<loop.out>;
  if constexpr (Op == op_id::nextafter && std::is_same_v<A, half>)
    return values.next_half();
  else if constexpr (reduction_row<Op>)
    return values.template result<R>(op_row<Op>::combine(values.template input<R>(0), values.template input<R>(1)));
  else if constexpr (arg_row<Op>)
    return values.template result<bool>(op_row<Op>::wins(values.template input<A>(0), values.template input<A>(1)));
  else if constexpr (op_row<Op>::arity == 1)
    return values.template result<R>(op_row<Op>::eval(values.template input<A>(0)));
  else if constexpr (op_row<Op>::arity == 2)
    return values.template result<R>(op_row<Op>::eval(values.template input<A>(0), values.template input<B>(1)));
  else
    return values.template result<R>(
        op_row<Op>::eval(values.template input<A>(0), values.template input<B>(1), values.template input<C>(2)));
}

/// The cast from one type to another. `values` has to_half(value), too, which rounds once.
template <class From, class To, class Values>
auto evaluate_cast(const Values& values) {
  if constexpr (!std::is_same_v<To, half>) return values.template result<To>(m::cast<To>(values.template input<From>(0)));
  else if constexpr (m::is_complex_type<From>) return values.to_half(values.template input<From>(0).re);
  else return values.to_half(values.template input<From>(0));
}

}  // namespace numjit::graph
