// The table of op rows instantiated on Halide expressions, generated from the rows.
#include <lower_ops.h>

#include <array>
#include <utility>

#include <expr_value.h>
#include <half_value.h>
#include <numjit/graph/kernel_ops.h>
#include <numjit/ops/rows.h>

namespace numjit::halide_gen {
namespace {

using graph::has_kernel_form;
using Halide::Expr;

template <op_id Op> concept reduction_row = requires { op_row<Op>::start; };
template <op_id Op> concept arg_row = requires { op_row<Op>::template wins<int>(0, 0); };

/// What a row's eval takes for an element of T: float16 is evaluated as float.
template <class T> struct argument_of { using type = hx<T>; };
template <class T> struct argument_of<complex<T>> { using type = complex<hx<T>>; };
template <> struct argument_of<half> { using type = hx<float>; };
template <class T> using argument = typename argument_of<T>::type;

template <class T>
argument<T> to_argument(const Value& v) {
  if constexpr (m::is_complex_type<T>) {
    using part = hx<decltype(T{}.re)>;
    return {part(v.re), part(v.im)};
  } else if constexpr (std::is_same_v<T, half>) {
    return widened(v.re);
  } else {
    return hx<T>(v.re);
  }
}
template <class T>
Value to_value(const argument<T>& v) {
  if constexpr (m::is_complex_type<T>) return {v.re.e, v.im.e};
  else if constexpr (std::is_same_v<T, half>) return rounded(v);
  else return v.e;
}

template <dtype_id D> using cpp = cpp_type<D>;

/// One loop of one row, on values of the loop's types.
template <op_id Op, int Loop>
Value apply_row(const Value* in) {
  constexpr op_loop loop = loops_of<Op>[Loop];
  using A = cpp<loop.in[0]>;
  using R = cpp<loop.out>;
  if constexpr (Op == op_id::nextafter && std::is_same_v<A, half>)
    return next_half(in[0].re, in[1].re);
  else if constexpr (reduction_row<Op>)
    return to_value<R>(op_row<Op>::combine(to_argument<R>(in[0]), to_argument<R>(in[1])));
  else if constexpr (arg_row<Op>)
    return op_row<Op>::wins(to_argument<A>(in[0]), to_argument<A>(in[1])).e;
  else if constexpr (op_row<Op>::arity == 1)
    return to_value<R>(op_row<Op>::eval(to_argument<A>(in[0])));
  else if constexpr (op_row<Op>::arity == 2)
    return to_value<R>(
        op_row<Op>::eval(to_argument<A>(in[0]), to_argument<cpp<loop.in[1]>>(in[1])));
  else
    return to_value<R>(op_row<Op>::eval(to_argument<A>(in[0]), to_argument<cpp<loop.in[1]>>(in[1]),
                                        to_argument<cpp<loop.in[2]>>(in[2])));
}

template <op_id Op, int Loop>
constexpr apply_function apply_of() {
  constexpr op_loop loop = loops_of<Op>[Loop];
  constexpr bool reduces_half = (reduction_row<Op> && loop.out == dtype_id::float16) ||
                                (arg_row<Op> && loop.in[0] == dtype_id::float16);
  if constexpr (has_kernel_form(Op) && !reduces_half)
    return apply_row<Op, Loop>;
  else
    return nullptr;
}

constexpr int most_loops = 20;
using row_functions = std::array<apply_function, most_loops>;

template <op_id Op, int... Loop>
constexpr row_functions row_of(std::integer_sequence<int, Loop...>) {
  static_assert(sizeof...(Loop) <= most_loops);
  return {apply_of<Op, Loop>()...};
}

constexpr std::array<row_functions, op_count> make_table() {
  std::array<row_functions, op_count> table{};
#define NUMJIT_ROW(name) \
  table[static_cast<int>(op_id::name)] = \
      row_of<op_id::name>(std::make_integer_sequence<int, loop_count<op_id::name>>{});
#define UFUNC1(name, ...) NUMJIT_ROW(name)
#define UFUNC2(name, ...) NUMJIT_ROW(name)
#define UFUNC3(name, ...) NUMJIT_ROW(name)
#define REDUCTION(name, ...) NUMJIT_ROW(name)
#define ARGREDUCTION(name, ...) NUMJIT_ROW(name)
#include <numjit/ops/all_rows.inc>
#undef NUMJIT_ROW
  return table;
}

constexpr std::array<row_functions, op_count> table = make_table();

}  // namespace

apply_function find_apply(op_id op, int loop) {
  return table[static_cast<std::size_t>(op)][static_cast<std::size_t>(loop)];
}

Value select(const Expr& condition, const Value& a, const Value& b) {
  Value v(Halide::select(condition, a.re, b.re));
  if (a.is_complex()) v.im = Halide::select(condition, a.im, b.im);
  return v;
}

Value cast_value(dtype_id from, dtype_id to, const Value& value) {
  return visit_dtype(to, [&]<class To>() -> Value {
    return visit_dtype(from, [&]<class From>() -> Value {
      if constexpr (std::is_same_v<From, To>)
        return value;
      else if constexpr (!std::is_same_v<To, half>)
        return to_value<To>(m::cast<To>(to_argument<From>(value)));
      else if constexpr (m::is_complex_type<From>)
        return rounded(to_argument<From>(value).re);
      else
        return rounded(to_argument<From>(value));
    });
  });
}

bool is_complex(dtype_id type) { return dtype(type).kind() == 'c'; }

Halide::Type value_type(dtype_id type) {
  return visit_dtype(type, []<class T>() -> Halide::Type {
    if constexpr (std::is_same_v<T, half>) return Halide::UInt(16);
    else if constexpr (m::is_complex_type<T>) return Halide::type_of<decltype(T{}.re)>();
    else return Halide::type_of<T>();
  });
}

Halide::Type storage_type(dtype_id type) {
  return type == dtype_id::bool_ ? Halide::UInt(8) : value_type(type);
}

Value from_storage(dtype_id type, const Value& stored) {
  if (type != dtype_id::bool_) return stored;
  return stored.re != Halide::Internal::make_zero(stored.re.type());
}

Value to_storage(dtype_id type, const Value& value) {
  return type == dtype_id::bool_ ? Value(Halide::cast(Halide::UInt(8), value.re)) : value;
}

}  // namespace numjit::halide_gen
