// The ufuncs as functions, made from the op rows, and the in-place operators.
#include <surface.h>

namespace numjit {

namespace {

array call_ufunc(op_id op, const operand_list& in, const ufunc_options& o) {
  if (o.out.empty_handle() && o.where.empty_handle() && !o.dtype) [[likely]]
    return bind({op, in});  // the place is that of the first operand
  op_params params;
  if (o.dtype) params.type(o.dtype->id());
  if (!o.out.empty_handle()) detail::before_write();
  return bind({op, in, &params, detail::optional_node(o.out), detail::optional_node(o.where), in[0].where()});
}

}  // namespace

array detail::call_ufunc(op_id op, const operand& a, const operand& b, const ufunc_options& options) {
  return numjit::call_ufunc(op, {a, b}, options);
}

namespace {

void update(op_id op, const array& target, const operand& value) {
  detail::before_write();
  const location_scope scope(value.where());
  bind({op, {target, value}, nullptr, target.get()});
}

}  // namespace

#define UFUNC1(name, ...) \
  array name(const operand& a, const ufunc_options& options) { return call_ufunc(op_id::name, a, options); }
#undef NUMJIT_UFUNC2_FUNCTION
#undef NUMJIT_UFUNC2_OBJECT
#define NUMJIT_UFUNC2_FUNCTION(name)                                             \
  array name(const operand& a, const operand& b, const ufunc_options& options) { \
    return call_ufunc(op_id::name, {a, b}, options);                             \
  }
#define NUMJIT_UFUNC2_OBJECT(name)
#define UFUNC2(name, ...) NUMJIT_UFUNC2_FORM(name)(name)
#define UFUNC3(name, ...)                                                                                \
  array name(const operand& a, const operand& b, const operand& c, const ufunc_options& options) {       \
    const bool bounds = op_id::name == op_id::clip;                                                      \
    const operand in[] = {a, bounds ? clip_bound(a, b, true) : b, bounds ? clip_bound(a, c, false) : c}; \
    return call_ufunc(op_id::name, in, options);                                                         \
  }
#define SPECIAL1(...)
#define POWER1(...)
#define LINEAR2(...)
#include <numjit/ops/all_rows.inc>

namespace special {
#define SPECIAL1(name, ...) \
  array name(const operand& a, const ufunc_options& options) { return call_ufunc(op_id::name, a, options); }
#include <numjit/ops/all_rows.inc>
}  // namespace special

#define NUMJIT_IN_PLACE(symbol, op)                        \
  array& array::operator symbol(const operand& value)& {   \
    update(op_id::op, *this, value);                       \
    return *this;                                          \
  }                                                        \
  array&& array::operator symbol(const operand& value)&& { \
    update(op_id::op, *this, value);                       \
    return std::move(*this);                               \
  }
NUMJIT_IN_PLACE_OPERATORS(NUMJIT_IN_PLACE)
#undef NUMJIT_IN_PLACE

}  // namespace numjit
