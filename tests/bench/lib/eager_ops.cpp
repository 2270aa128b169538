// One eager call of every kind of operation, as a user writes it; eager.py has the same in NumPy's
// words, by the same names.
#include "eager_ops.h"

namespace bench {
namespace {

namespace np = numjit;
using np::_;

const auto every_other = np::slice(np::none, np::none, 2);
const auto backward = np::slice(np::none, np::none, -1);

np::array add_in_place(np::array x, const np::array& y) {
  x += y;
  return x;
}

#define UNARY(name) {#name, [](const arrays& in) { return np::name(in[0]); }},
#define BINARY(name) {#name, [](const arrays& in) { return np::name(in[0], in[1]); }},
#define REDUCTION(name)                                                                  \
  {#name, [](const arrays& in) { return np::name(in[0]); }},                             \
      {#name "_axis0", [](const arrays& in) { return np::name(in[0], {.axis = 0}); }},   \
      {#name "_axis1", [](const arrays& in) { return np::name(in[0], {.axis = 1}); }},
#define CAST(name) {"to_" #name, [](const arrays& in) { return in[0].astype(np::name); }},
#define CALL(name, expression) {name, [](const arrays& in) -> np::array { return expression; }},

const EagerOp all[] = {
    UNARY(negative) UNARY(absolute) UNARY(square) UNARY(sqrt) UNARY(reciprocal) UNARY(sign)
    UNARY(floor) UNARY(rint) UNARY(isnan) UNARY(isfinite) UNARY(signbit) UNARY(logical_not)
    UNARY(invert)
    BINARY(add) BINARY(subtract) BINARY(multiply) BINARY(divide) BINARY(floor_divide)
    BINARY(remainder) BINARY(maximum) BINARY(minimum) BINARY(fmax) BINARY(copysign)
    BINARY(equal) BINARY(not_equal) BINARY(less) BINARY(greater_equal)
    BINARY(logical_and) BINARY(logical_xor) BINARY(bitwise_and) BINARY(bitwise_or)
    BINARY(left_shift) BINARY(right_shift)
    REDUCTION(sum) REDUCTION(prod) REDUCTION(max) REDUCTION(min) REDUCTION(argmax)
    REDUCTION(argmin) REDUCTION(any) REDUCTION(all) REDUCTION(mean) REDUCTION(cumsum)
    CAST(bool_) CAST(uint8) CAST(int32) CAST(int64) CAST(float32) CAST(float64)
    CALL("add_number", in[0] + 2)
    CALL("number_less", in[0] < 1)
    CALL("floor_divide_number", np::floor_divide(in[0], 7))
    CALL("remainder_number", np::remainder(in[0], 7))
    CALL("square_root_of_sum", np::sqrt(in[0] + in[1]))
    CALL("add_in_place", add_in_place(in[0], in[1]))
    CALL("add_mixed", in[0] + in[1])
    CALL("add_every_other", in[0](every_other) + in[1](every_other))
    CALL("add_backward", in[0](backward) + in[1](backward))
    CALL("add_columns", in[0](_, every_other) + in[1](_, every_other))
    CALL("add_row", in[0] + in[1](0))
    CALL("add_column", in[0] + in[1](_, np::slice(0, 1)))
    CALL("add_transposed", in[0] + in[1].T())
    CALL("where", np::where(in[2], in[0], in[1]))
    CALL("where_number", np::where(in[2], in[0], 0))
    CALL("where_row", np::where(in[2](0), in[0], in[1]))
    CALL("clip", np::clip(in[0], 1, 2))
    CALL("copy", np::copy(in[0]))
    CALL("copy_transposed", np::copy(in[0].T()))
    CALL("copy_every_other", np::copy(in[0](every_other)))
    CALL("copy_columns", np::copy(in[0](_, every_other)))
    CALL("concatenate", np::concatenate({in[0], in[1]}))
    CALL("concatenate_axis1", np::concatenate({in[0], in[1]}, {.axis = 1}))
    CALL("stack", np::stack({in[0], in[1]}))
    CALL("stack_last", np::stack({in[0], in[1]}, {.axis = -1}))
    CALL("repeat", np::repeat(in[0], 3))
    CALL("repeat_axis0", np::repeat(in[0], 3, 0))
    CALL("tile", np::tile(in[0], 3))
    CALL("roll", np::roll(in[0], 3))
    CALL("take", np::take(in[0], in[3]))
    CALL("take_axis0", np::take(in[0], in[3], 0))
    CALL("take_axis1", np::take(in[0], in[3], 1))
    CALL("mask_select", in[0](in[2]))
    CALL("masked_store", (in[0](in[2]) = 1, in[0]))
    CALL("masked_array_store", (in[0](in[2]) = in[1](in[2]), in[0]))
    CALL("index_store", (in[0](in[3]) = 1, in[0]))
    CALL("nonzero", np::flatnonzero(in[2]))
    CALL("count_nonzero", np::count_nonzero(in[2]))
    CALL("fill", np::full(in[0].shape(), 3.0))
    CALL("arange", np::arange(in[0].size()))
};

}  // namespace

const EagerOp* find_eager_op(const std::string& name) {
  for (const EagerOp& op : all)
    if (name == op.name) return &op;
  return nullptr;
}

}  // namespace bench
