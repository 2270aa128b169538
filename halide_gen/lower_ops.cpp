// The table of op rows instantiated on Halide expressions, generated from the rows.
#include <lower_ops.h>

#include <array>
#include <utility>

#include <expr_value.h>
#include <numjit/base/error.h>
#include <numjit/graph/kernel_ops.h>
#include <numjit/ops/rows.h>

namespace numjit::halide_gen {
namespace {

using graph::has_kernel_form;
using Halide::Expr;

template <op_id Op> concept reduction_row = requires { op_row<Op>::start; };
template <op_id Op> concept arg_row = requires { op_row<Op>::template wins<int>(0, 0); };

template <dtype_id D> using value = hx<cpp_type<D>>;

/// One loop of one row, on values of the loop's types.
template <op_id Op, int Loop>
Expr apply_row(const Expr* in) {
  constexpr op_loop loop = loops_of<Op>[Loop];
  using A = value<loop.in[0]>;
  using B = value<loop.in[1]>;
  using C = value<loop.in[2]>;
  using R = value<loop.out>;
  if constexpr (reduction_row<Op>)
    return op_row<Op>::combine(R(in[0]), R(in[1])).e;
  else if constexpr (arg_row<Op>)
    return op_row<Op>::wins(A(in[0]), A(in[1])).e;
  else if constexpr (op_row<Op>::arity == 1)
    return op_row<Op>::eval(A(in[0])).e;
  else if constexpr (op_row<Op>::arity == 2)
    return op_row<Op>::eval(A(in[0]), B(in[1])).e;
  else
    return op_row<Op>::eval(A(in[0]), B(in[1]), C(in[2])).e;
}

template <op_id Op, int Loop>
constexpr apply_function apply_of() {
  constexpr op_loop loop = loops_of<Op>[Loop];
  if constexpr (has_kernel_form(Op) && has_kernel_form(loop.in[0]) && has_kernel_form(loop.out))
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

Expr cast_value(dtype_id from, dtype_id to, const Expr& value) {
  return visit_dtype(to, [&]<class To>() -> Expr {
    return visit_dtype(from, [&]<class From>() -> Expr {
      if constexpr (std::is_arithmetic_v<From> && std::is_arithmetic_v<To>)
        return m::cast<To>(hx<From>(value)).e;
      else
        throw CompileError("cast", "kernels do not convert float16 and complex elements");
    });
  });
}

Halide::Type value_type(dtype_id type) {
  return visit_dtype(type, []<class T>() -> Halide::Type {
    if constexpr (std::is_arithmetic_v<T>)
      return Halide::type_of<T>();
    else
      throw CompileError("", "kernels have no float16 and complex elements");
  });
}

Halide::Type storage_type(dtype_id type) {
  return type == dtype_id::bool_ ? Halide::UInt(8) : value_type(type);
}

Expr from_storage(dtype_id type, const Expr& stored) {
  return type == dtype_id::bool_ ? stored != Halide::Internal::make_zero(stored.type()) : stored;
}

Expr to_storage(dtype_id type, const Expr& value) {
  return type == dtype_id::bool_ ? Halide::cast(Halide::UInt(8), value) : value;
}

}  // namespace numjit::halide_gen
