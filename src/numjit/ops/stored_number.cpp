// A number without axes on its way into an integer array, when a graph computes it: a routine of one element.
#include <cstring>
#include <type_traits>

#include <numjit/ops/routine.h>
#include <numjit/ops/stored_literal.h>

namespace numjit::detail {
namespace {

void infer(const op_call& call, inference& result) {
  const node* n = call.in[0].n();
  const std::int64_t type = call.p()[1];
  const bool known = type >= 0 && type < dtype_count && dtype(static_cast<dtype_id>(type)).kind() == 'i';
  if (!known || n->rank != 0 || dtype(n->type).kind() == 'c')
    throw InternalError("stored_number", "inputs or parameters are not those of the routine");
  result.type = static_cast<dtype_id>(type);
  result.shape = {};
}

void run(const routine_call& c) {
  const auto type = static_cast<dtype_id>(c.params[1]);
  visit_dtype(c.in[0]->type, [&]<class T>() {
    T value;
    std::memcpy(&value, c.in[0]->data, sizeof value);
    if constexpr (std::is_integral_v<T>) {
      check_literal("store", operand(value), type);
      literal_element(operand(value), type, c.result->data);
    } else if constexpr (std::is_floating_point_v<T> || std::is_same_v<T, half>) {
      using wide = std::conditional_t<std::is_same_v<T, half>, float, double>;
      const double x = static_cast<wide>(value);
      check_whole("", operand(x), type);
      literal_element(operand(static_cast<std::int64_t>(x)), type, c.result->data);
    }
  });
}

[[maybe_unused]] const bool installed = [] {
  add_routine(routine_id::stored_number, {"stored_number", "dtype:dtype", 1, false, false, infer, run, true});
  return true;
}();

}  // namespace

array stored_number(const operand& number, dtype_id type) {
  op_params params;
  params.push(static_cast<std::int64_t>(routine_id::stored_number)).push(static_cast<std::int64_t>(type));
  return bind({op_id::routine, operand_list(&number, 1), &params, nullptr, nullptr, number.where()});
}

}  // namespace numjit::detail
