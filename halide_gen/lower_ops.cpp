// The table of op rows instantiated on Halide expressions, generated from the rows.
#include <lower_ops.h>

#include <array>
#include <utility>

#include <euclid.h>
#include <expr_value.h>
#include <half_value.h>
#include <numjit/graph/row_expression.h>

namespace numjit::halide_gen {
namespace {

using Halide::Expr;

template <class T> using argument = typename graph::row_argument<hx, T>::type;

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

struct Values {
  const Value* in;
  template <class T> argument<T> input(int i) const { return to_argument<T>(in[i]); }
  template <class R> Value result(const argument<R>& v) const { return to_value<R>(v); }
  template <class V> Value to_half(const V& v) const { return rounded(v); }
  Value next_half() const { return halide_gen::next_half(in[0].re, in[1].re); }
};

/// One loop of one row, on values of the loop's types.
template <op_id Op, int Loop>
Value apply_row(const Value* in) { return graph::evaluate_row<Op, Loop>(Values{in}); }

template <op_id Op, int Loop>
constexpr apply_function apply_of() {
  if constexpr (graph::is_row_expression<Op, Loop>())
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
#include <numjit/ops/expression_rows.inc>
  return table;
}

constexpr std::array<row_functions, op_count> table = make_table();

/// gcd and lcm of one dtype, as ops/math/integer.h has them.
template <op_id Op, int Loop>
Value apply_euclid(const Value* in) {
  using T = cpp_type<loops_of<Op>[Loop].out>;
  using U = m::uint_of<T>;
  const hx<U> x = bits(m::absolute(hx<T>(in[0].re))), y = bits(m::absolute(hx<T>(in[1].re)));
  const hx<U> divisor(greatest_common_divisor(x.e, y.e));
  if constexpr (Op == op_id::gcd) return from_bits<hx<T>>(divisor).e;
  const hx<U> zero(U(0)), safe = sel(eq(divisor, zero), hx<U>(U(1)), divisor);
  return from_bits<hx<T>>(wrap_mul(hx<U>(x.e / safe.e), y)).e;  // of a zero, x or y is one
}

template <op_id Op, int... Loop>
apply_function euclid_of(int loop, std::integer_sequence<int, Loop...>) {
  static constexpr apply_function functions[] = {apply_euclid<Op, Loop>...};
  return functions[loop];
}

}  // namespace

apply_function find_apply(op_id op, int loop) {
  return table[static_cast<std::size_t>(op)][static_cast<std::size_t>(loop)];
}

apply_function find_apply_of_loop(op_id op, int loop) {
  constexpr op_id gcd = op_id::gcd, lcm = op_id::lcm;
  if (op == gcd) return euclid_of<gcd>(loop, std::make_integer_sequence<int, loop_count<gcd>>{});
  if (op == lcm) return euclid_of<lcm>(loop, std::make_integer_sequence<int, loop_count<lcm>>{});
  return nullptr;
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
      else
        return graph::evaluate_cast<From, To>(Values{&value});
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
