// Formulas on arrays and numbers: what becomes of each operation.
#include <numjit/transform/formula.h>

#include <optional>

namespace numjit::transform {
namespace {

/// What an operation of two numbers gives, as a number again; none for operations that formulas don't use on two numbers.
std::optional<Value> of_numbers(op_id op, double a, double b) {
  switch (op) {
    case op_id::add: return a + b;
    case op_id::subtract: return a - b;
    case op_id::multiply: return a * b;
    case op_id::divide: return a / b;
    case op_id::equal: return a == b;
    case op_id::less: return a < b;
    case op_id::less_equal: return a <= b;
    case op_id::greater: return a > b;
    case op_id::greater_equal: return a >= b;
    default: return std::nullopt;
  }
}

bool is_false(const Value& v) { return v.is_literal() && v.number() == 0; }
bool is_true(const Value& v) { return v.is_literal() && v.number() != 0; }

}  // namespace

Value Value::as_array() const {
  if (!is_literal_) return *this;
  return Value(detail::create(op_id::full, layout::full_params(dims(), layout::number::of_literal(literal_), type_)));
}

Value apply(op_id op, const Value& a) {
  if (op == op_id::negative && a.is_literal_) return Value(-a.number());
  if (op == op_id::conjugate && !a.is_complex()) return a;
  return Value(bind_ufunc(op, a.as_array().get()));
}

Value apply(op_id op, const Value& a, const Value& b) {
  if (a.is_literal() && b.is_literal())
    if (const std::optional<Value> number = of_numbers(op, a.number(), b.number())) return *number;
  // Of conditions that are known
  if (op == op_id::bitwise_and) {
    if (is_false(a) || is_true(b)) return a;
    if (is_false(b) || is_true(a)) return b;
  }
  if (op == op_id::bitwise_or) {
    if (is_true(a) || is_false(b)) return a;
    if (is_true(b) || is_false(a)) return b;
  }
  return Value(bind_ufunc(op, a.get(), b.get()));
}

Value select(const Value& condition, const Value& a, const Value& b) {
  if (condition.is_literal()) return is_true(condition) ? a : b;
  const operand in[] = {condition.get(), a.get(), b.get()};
  return Value(bind({op_id::where, in}));
}

// A number has no infinities that would have to be kept from zeros.
Value scaled(const Value& g, const Value& by) {
  if (g.is_nothing()) return g;
  return apply(by.is_literal() ? op_id::multiply : op_id::scale, g, by);
}
Value unscaled(const Value& g, const Value& by) {
  if (g.is_nothing()) return g;
  return apply(by.is_literal() && by.number() != 0 ? op_id::divide : op_id::unscale, g, by);
}
Value summed(const Value& g, const Value& h) {
  if (g.is_nothing()) return h;
  return h.is_nothing() ? g : apply(op_id::add, g, h);
}
Value selected(const Value& condition, const Value& g, const Value& h) {
  if (condition.is_literal()) {
    const Value& taken = is_true(condition) ? g : h;
    return taken.is_literal() ? Value() : taken;  // the 0 of a branch that is zero
  }
  return select(condition, g.is_nothing() ? Value(0) : g, h.is_nothing() ? Value(0) : h);
}
Value changed(op_id op, const Value& g) {
  if (g.is_nothing() || (op == op_id::conjugate && !g.is_complex())) return g;
  return apply(op, g);
}
Value formula::real_part(const Value& g) {
  if (g.is_nothing() || !g.is_complex()) return g;
  return Value(detail::call(op_id::real_view, {g.get()}));
}

}  // namespace numjit::transform
