// The table of rules, cotangents that come together, and what rules share.
#include <numjit/transform/rules.h>

#include <atomic>

#include <numjit/base/error.h>
#include <numjit/transform/shapes.h>

namespace numjit::transform {

using detail::call;
using detail::cast;
using detail::expand_to;

// ---- operands ----

void Operand::set_number(const operand& o) {
  kind = o.kind();
  bits = o.kind() == weak_kind::bool_ || o.kind() == weak_kind::int_ ? o.int_value() : std::bit_cast<std::int64_t>(o.real());
  if (o.above_int64()) {  // beside floats it is one
    kind = weak_kind::float_;
    bits = std::bit_cast<std::int64_t>(o.real());
  }
  imag = o.imag();
}

operand Operand::number() const {
  switch (kind) {
    case weak_kind::bool_: return {bits != 0, "", "", 0};
    case weak_kind::int_: return {bits, "", "", 0};
    case weak_kind::complex_: return {std::complex(std::bit_cast<double>(bits), imag), "", "", 0};
    default: return {std::bit_cast<double>(bits), "", "", 0};
  }
}

// ---- the table ----

namespace {

constexpr std::uint8_t all_values = needs_all_inputs | needs_result;

/// What the rules of rows that have their own need.
constexpr std::uint8_t needs_of(op_id op) {
  switch (op) {
    case op_id::prod:
    case op_id::sort: return needs_all_inputs;
    case op_id::max:
    case op_id::min:
    case op_id::cumprod:
    case op_id::linear_scan: return all_values;
    case op_id::matmul: return needs_all_inputs;
    case op_id::take:
    case op_id::mask_select:
    case op_id::masked_store:
    case op_id::put_index:
    case op_id::mask_put: return 0b110;  // places and masks
    case op_id::add_places: return 0b010;
    case op_id::take_places: return needs_all_inputs & ~1;
    case op_id::random_draw: return all_values & ~1;  // not the state, which moves on
    case op_id::bincount:
    case op_id::histogram_counts: return 0b001;
    default: return 0;
  }
}

constexpr Rule zero_rule{};
constexpr Rule unknown_rule{Rule::kind::unknown};

template <op_derivative Derivative>
constexpr Rule rule_for(op_id op, void (*adjoint)(Adjoint&), array (*tangent)(const Tangent&)) {
  if constexpr (Derivative == op_derivative::known) return {Rule::kind::known, needs_of(op), adjoint, tangent};
  return Derivative == op_derivative::zero ? zero_rule : unknown_rule;
}

/// The functions are named only where there are some.
#define NUMJIT_RULE(name, derivative)                                                       \
  [] {                                                                                      \
    if constexpr ((derivative) == op_derivative::known)                                     \
      return rule_for<op_derivative::known>(op_id::name, &adjoint_##name, &tangent_##name); \
    else                                                                                    \
      return rule_for<(derivative)>(op_id::name, nullptr, nullptr);                         \
  }()

constexpr op_derivative derivative_of_reduction(op_id op) {
  return group_of(ufunc_of(op)) == op_group::logic ? op_derivative::zero : op_derivative::known;
}

constexpr Rule rules[op_count] = {
#define UFUNC1(...) {Rule::kind::known, 0, &adjoint_of_ufunc, &tangent_of_ufunc},
#define UFUNC2(...) {Rule::kind::known, 0, &adjoint_of_ufunc, &tangent_of_ufunc},
#define UFUNC3(...) {Rule::kind::known, 0, &adjoint_of_ufunc, &tangent_of_ufunc},
#define REDUCTION(name, ...) NUMJIT_RULE(name, derivative_of_reduction(op_id::name)),
#define ARGREDUCTION(...) zero_rule,
#define SCAN(name, ...) NUMJIT_RULE(name, op_derivative::known),
#define STRUCTURAL(name, ...) NUMJIT_RULE(name, structure_of(op_id::name).derivative),
#include <numjit/ops/all_rows.inc>
};

}  // namespace

const Rule& rule_of(op_id op) { return rules[static_cast<int>(op)]; }

Rule::kind kind_of_rule(op_id op, unsigned active, const op_params& params) {
  if (kind_of(op) == op_kind::ufunc) return kind_of_ufunc_rule(op, active);
  if (op == op_id::random_draw) return kind_of_draw(active, params);
  return op == op_id::routine ? kind_of_routine(params) : rule_of(op).is;
}

// ---- contributions ----

array zeros(const dims& shape, dtype_id type) {
  return detail::create(op_id::full, layout::full_params(shape, layout::number::of(std::int64_t{0}), type));
}

array as_contribution(const array& g, const dims& shape, dtype_id type) {
  array sum = sum_to_shape(g, shape);
  const bool was_complex = dtype(sum.get()->type).kind() == 'c';
  if (was_complex && dtype(type).kind() != 'c') sum = call(op_id::real_view, {sum});
  return sum.get()->type == type ? sum : cast(sum, type);
}

array as_result(const array& t, const dims& shape, dtype_id type) {
  array made = t;
  if (made.get()->type != type) {
    if (dtype(made.get()->type).kind() == 'c' && dtype(type).kind() != 'c') made = call(op_id::real_view, {made});
    if (made.get()->type != type) made = cast(made, type);
  }
  return shape_of(made) == shape ? made : expand_to(made, shape);
}

array Tangent::change_or_zeros(std::size_t i) const { return changes(i) ? change(i) : zeros(shape(i), type(i)); }

bool is_sole(const array& a) {
  const node* n = a.get();
  return !n->is(node::lazy) && !n->base && !n->deleter && !n->is(node::readonly) &&
         std::atomic_ref(const_cast<node*>(n)->refs).load(std::memory_order_acquire) == 1;
}

void Cotangents::add(int variable, const array& contribution) {
  Sum& sum = at(variable);
  const int layout = layout_of(variable);
  array c = layouts_.is_of(contribution.get(), layout)
                ? contribution
                : as_contribution(contribution, layouts_.shape(layout), layouts_.type(layout));
  if (sum.value.empty_handle()) {
    sum = {std::move(c), false};
  } else {
    sum = {bind_ufunc(op_id::add, sum.value, c), true};
  }
}

void Cotangents::add_at(int variable, op_id view, const op_params& params, const array& contribution) {
  Sum& sum = at(variable);
  const dtype_id type = layouts_.type(layout_of(variable));
  const bool first = sum.value.empty_handle();
  if (first)
    sum.value = zeros(layouts_.shape(layout_of(variable)), type);
  else if (!sum.own)
    sum.value = detail::contiguous_copy(sum.value);
  sum.own = true;
  const array part = call(view, {sum.value}, params);
  const array c = as_contribution(contribution, shape_of(part), type);
  const operand in[] = {part, c};
  if (first)
    bind({op_id::store, in});
  else
    bind({op_id::add, in, nullptr, part.get()});
}

array Cotangents::take(int variable) {
  Sum& sum = at(variable);
  sum.own = false;
  return std::exchange(sum.value, array());
}

array Cotangents::take_own(int variable) {
  Sum& sum = at(variable);
  const bool own = std::exchange(sum.own, false);
  array value = std::exchange(sum.value, array());
  if (value.empty_handle()) return value;
  // In C order, so that parts of it are views.
  return (own || is_sole(value)) && value.get()->is(node::c_contiguous) ? value : detail::contiguous_copy(value);
}

void Cotangents::put_own(int variable, array sum) {
  Sum& to = at(variable);
  if (to.value.empty_handle())
    to = {std::move(sum), true};
  else
    add(variable, sum);
}

}  // namespace numjit::transform
