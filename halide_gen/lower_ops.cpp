// The table of op rows instantiated on Halide expressions, generated from the rows.
#include <lower_ops.h>

#include <array>
#include <utility>

#include <expr_value.h>
#include <numjit/base/error.h>
#include <numjit/ops/rows.h>

namespace numjit::halide_gen {
namespace {

using Halide::Expr;

constexpr bool in_kernels(dtype_id type) {
  return type != dtype_id::float16 && type != dtype_id::complex64 && type != dtype_id::complex128;
}

template <op_id Op> concept ufunc_row = requires { op_row<Op>::arity; };
template <op_id Op> concept reduction_row = requires { op_row<Op>::start; };
template <op_id Op> concept arg_row = requires { op_row<Op>::template wins<int>(0, 0); };

template <dtype_id D> using value = hx<cpp_type<D>>;

/// One loop of one row. Results of rows are values or masks of them: both carry `e`.
template <op_id Op, int Loop>
constexpr apply_function apply_of() {
  constexpr op_loop loop = loops_of<Op>[Loop];
  if constexpr (!in_kernels(loop.in[0]) || !in_kernels(loop.out)) {
    return nullptr;
  } else if constexpr (ufunc_row<Op>) {
    return [](const Expr* in) -> Expr {
      if constexpr (op_row<Op>::arity == 1)
        return op_row<Op>::eval(value<loop.in[0]>(in[0])).e;
      else if constexpr (op_row<Op>::arity == 2)
        return op_row<Op>::eval(value<loop.in[0]>(in[0]), value<loop.in[1]>(in[1])).e;
      else
        return op_row<Op>::eval(value<loop.in[0]>(in[0]), value<loop.in[1]>(in[1]),
                                value<loop.in[2]>(in[2])).e;
    };
  } else if constexpr (reduction_row<Op>) {
    return [](const Expr* in) -> Expr {
      return op_row<Op>::combine(value<loop.out>(in[0]), value<loop.out>(in[1])).e;
    };
  } else if constexpr (arg_row<Op>) {
    return [](const Expr* in) -> Expr {
      return op_row<Op>::wins(value<loop.in[0]>(in[0]), value<loop.in[0]>(in[1])).e;
    };
  } else {
    return nullptr;
  }
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
