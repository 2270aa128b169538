// The rules of ufuncs, from the formulas in their rows.
#include <numjit/transform/formula.h>
#include <numjit/transform/rules.h>
#include <numjit/transform/shapes.h>

namespace numjit::transform {
namespace {

/// Which of the two formulas of R is meant.
enum class mode : std::uint8_t { tangent, adjoint };

// What a column of a row is, by type: a formula whose function is complex where its operands are, one that is linear in the real
// and imaginary parts only, none because it is zero, none that is known.
template <class V>
struct RealLinear {
  Linear<V> g;
};
struct Nothing {};
struct Unknown {};

using formula::zero;

/// The columns of a row: derivative<I>(mode, g, a, b, c, y).
template <op_id Op>
struct Columns;

#define D(...) (__VA_ARGS__)
#define R(tangents, cotangents) \
  RealLinear<V> { m == mode::tangent ? (tangents) : (cotangents) }
#define NONE Nothing()
#define UNKNOWN Unknown()
#define NUMJIT_COLUMNS(name, columns)                                                                                           \
  template <>                                                                                                                   \
  struct Columns<op_id::name> {                                                                                                 \
    template <int I, class V>                                                                                                   \
    static constexpr auto derivative([[maybe_unused]] mode m, [[maybe_unused]] const Linear<V>& g, [[maybe_unused]] const V& a, \
                                     [[maybe_unused]] const V& b, [[maybe_unused]] const V& c, [[maybe_unused]] const V& y) {   \
      using namespace formula;                                                                                                  \
      columns                                                                                                                   \
    }                                                                                                                           \
  };
#define UFUNC1(name, group, facts, loops, eval, by_a, ...) NUMJIT_COLUMNS(name, return by_a;)
#define UFUNC2(name, group, facts, loops, eval, by_a, by_b, ...) \
  NUMJIT_COLUMNS(name, if constexpr (I == 0) return by_a; else return by_b;)
#define UFUNC3(name, group, facts, loops, eval, by_a, by_b, by_c, ...) \
  NUMJIT_COLUMNS(name, if constexpr (I == 0) return by_a; else if constexpr (I == 1) return by_b; else return by_c;)
#include <numjit/ops/all_rows.inc>
#undef NUMJIT_COLUMNS
#undef D
#undef R
#undef NONE
#undef UNKNOWN

/// A column, for tables.
struct Column {
  Rule::kind is = Rule::kind::zero;
  bool is_complex_linear = false;
  unsigned uses = 0;  // bits of Uses
  Value (*formula)(mode m, const Linear<Value>& g, const Value& a, const Value& b, const Value& c, const Value& y) = nullptr;
};

template <op_id Op, int I>
constexpr Column column_of() {
  using Found = decltype(Columns<Op>::template derivative<I, Uses>(mode{}, Linear<Uses>{}, Uses(), Uses(), Uses(), Uses()));
  if constexpr (std::is_same_v<Found, Nothing>) {
    return {};
  } else if constexpr (std::is_same_v<Found, Unknown>) {
    return {Rule::kind::unknown};
  } else {
    constexpr auto uses = [](mode m) {
      const auto found = Columns<Op>::template derivative<I, Uses>(m, Linear<Uses>{}, Uses(1U), Uses(2U), Uses(4U), Uses(8U));
      if constexpr (std::is_same_v<Found, RealLinear<Uses>>)
        return found.g.v.bits;
      else
        return found.v.bits;
    };
    return {Rule::kind::known, !std::is_same_v<Found, RealLinear<Uses>>, uses(mode::tangent) | uses(mode::adjoint),
            [](mode m, const Linear<Value>& g, const Value& a, const Value& b, const Value& c, const Value& y) {
              const auto found = Columns<Op>::template derivative<I, Value>(m, g, a, b, c, y);
              if constexpr (std::is_same_v<Found, RealLinear<Uses>>)
                return found.g.v;
              else
                return found.v;
            }};
  }
}

constexpr Column columns[op_count][3] = {
#define UFUNC1(name, ...) {column_of<op_id::name, 0>()},
#define UFUNC2(name, ...) {column_of<op_id::name, 0>(), column_of<op_id::name, 1>()},
#define UFUNC3(name, ...) {column_of<op_id::name, 0>(), column_of<op_id::name, 1>(), column_of<op_id::name, 2>()},
#define REDUCTION(...) {},
#define ARGREDUCTION(...) {},
#define SCAN(...) {},
#define STRUCTURAL(...) {},
#include <numjit/ops/all_rows.inc>
};

const Column& column(op_id op, std::size_t i) { return columns[static_cast<int>(op)][i]; }

/// The operands and the result of an operation, as its formulas read them: in the dtype that it was computed in.
class Values {
 public:
  explicit Values(const Seen& s) : seen_(s) {
    for (std::size_t i = 0; i < s.size(); ++i) in_[i] = input(i);
    if (!s.result().empty_handle()) result_ = Value(s.result());
  }
  Value derivative(mode m, std::size_t i, const array& g) const {
    const Column& c = column(seen_.applied().op, i);
    Linear<Value> linear{Value(g)};
    const bool turned = m == mode::adjoint && c.is_complex_linear;
    if (turned) linear = formula::conjugate(linear);
    linear = {c.formula(m, linear, in_[0], in_[1], in_[2], result_)};
    return turned ? formula::conjugate(linear).v : linear.v;
  }

 private:
  Value input(std::size_t i) const {
    if (!seen_.is_array(i)) {
      const operand o = seen_.value(i);
      if (o.kind() != weak_kind::complex_) return {o, computed_in()};
      return Value(
          detail::create(op_id::full, layout::full_params(dims(), layout::number::of(o.real(), o.imag()), computed_in())));
    }
    const array& a = seen_.array_value(i);
    if (a.empty_handle()) return {};
    const bool is_condition = i == 0 && facts_of(seen_.applied().op).promotion == op_promotion::selection;
    const dtype_id to = computed_in();
    const bool is_modulus = is_complex(type_of(a)) && !is_complex(to);
    return Value(is_condition || is_modulus || type_of(a) == to ? a : detail::cast(a, to));
  }
  /// Of the loop, but for a complex operand whose result is real.
  dtype_id computed_in() const { return seen_.result_type(); }

  const Seen& seen_;
  Value in_[3], result_;
};

/// What is masked out was not computed.
array masked(const Seen& s, const array& g) {
  return s.mask().empty_handle() || g.empty_handle() ? g : select(s.mask(), g, operand(0, "", "", 0));
}

}  // namespace

Rule::kind kind_of_ufunc_rule(op_id ufunc, unsigned active) {
  Rule::kind kind = Rule::kind::zero;
  for (std::size_t i = 0; i < 3; ++i) {
    if (!(active >> i & 1)) continue;
    const Rule::kind own = column(ufunc, i).is;
    if (own == Rule::kind::unknown) return own;
    if (own == Rule::kind::known) kind = own;
  }
  return kind;
}

std::uint8_t needs_of_rule(op_id ufunc, unsigned active) {
  unsigned uses = 0;
  for (std::size_t i = 0; i < 3; ++i)
    if (active >> i & 1) uses |= column(ufunc, i).uses;
  return static_cast<std::uint8_t>((uses & 7) | (uses & 8 ? needs_result : 0));
}

void adjoint_of_ufunc(Adjoint& a) {
  const Values values(a);
  const array g = masked(a, a.g());
  for (std::size_t i = 0; i < a.size(); ++i)
    if (a.is_active(i) && column(a.applied().op, i).is == Rule::kind::known)
      a.give(i, values.derivative(mode::adjoint, i, g).held());
}

array tangent_of_ufunc(const Tangent& t) {
  const Values values(t);
  Value sum;
  for (std::size_t i = 0; i < t.size(); ++i)
    if (t.changes(i) && column(t.applied().op, i).is == Rule::kind::known)
      sum = summed(sum, values.derivative(mode::tangent, i, t.change(i)));
  return masked(t, sum.held());
}

}  // namespace numjit::transform
