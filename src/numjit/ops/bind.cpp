// What every op call shares: the eager interpreter's slot, the empty parameter list, and powers by fixed exponents.
#include <numjit/ops/bind.h>

#include <algorithm>
#include <atomic>
#include <initializer_list>
#include <string>

#include <numjit/base/error.h>
#include <numjit/ops/eager_on_thread.h>
#include <numjit/ops/location_of.h>
#include <numjit/ops/stores_into.h>

namespace numjit {

namespace detail {

// Filled by the eager engine before main.
constinit interpreter* eager_interpreter = nullptr;
constinit InterpreterFinder find_interpreter = nullptr;
constinit PendingViews view_of_pending = nullptr;

namespace {
[[maybe_unused]] const bool reads_are_seen = [] {
  read_hooks.read_under_levels = [](node* n, const char* why, const location& where) {
    top_interpreter()->sees_read(n, why, where);
  };
  return true;
}();
}  // namespace

array bind_power(const op_call& call) {
  const op_id op = op_of_power(call);
  if (op == op_id::power) return current_interpreter().apply(call);
  op_call fixed = call;
  fixed.op = op;
  fixed.in = call.in[0];
  return current_interpreter().apply(fixed);
}

#ifndef __EMSCRIPTEN__
namespace {

/// Is `n` nobody else's, and a plain array of the host in C order that owns its memory?
bool is_sole(node* n) {
  constexpr int unlike = node::lazy | node::readonly | node::poisoned | node::remote | node::marked;
  return std::atomic_ref(n->refs).load(std::memory_order_acquire) == 1 && !n->base && !n->deleter && !(n->flags & unlike) &&
         n->is(node::c_contiguous);
}

/// The temporary that the result of an eager call can be: one of its dtype and shape that nothing else refers to.
node* place_of_result(const op_call& call, std::initializer_list<const argument*> arguments) {
  if (call.op == op_id::power) return nullptr;
  inference result;
  for (const argument* a : arguments) {
    if (!a->temporary() || !is_sole(a->n())) continue;
    if (result.loop < 0) infer(call, result);
    if (result.type == a->n()->type && result.strides.empty() &&
        result.shape == dims(a->n()->shape, a->n()->rank))
      return a->n();
  }
  return nullptr;
}

array bind_temporaries(op_call call, std::initializer_list<const argument*> arguments) {
  call.out = place_of_result(call, arguments);
  array result = bind(call);
  for (const argument* a : arguments)
    if (a->temporary()) array gone = std::move(*a->temporary());
  return result;
}

}  // namespace

// The recorder decides for itself where its results lie, and has its short way for these calls.
array bind_temporaries(op_id op, const argument& a) {
  return top_interpreter() ? bind_ufunc(op, a) : bind_temporaries(op_call{op, a}, {&a});
}
array bind_temporaries(op_id op, const argument& a, const argument& b) {
  return top_interpreter() ? bind_ufunc(op, a, b) : bind_temporaries(op_call{op, {a, b}}, {&a, &b});
}
#endif

void throw_followed(const char* op, const char* what) {
  throw NotImplementedError(
      op, std::string(what) + " is read as a number, and neither derivatives nor batches go through it. Use stop_gradient.");
}

void throw_memory_followed() {
  throw NotImplementedError(
      "data",
      "the memory of an array is asked for that depends on the arguments of a transform: what becomes of it "
      "would have no derivative. Pass stop_gradient(x), or give the code a derivative by custom_vjp.");
}

void settle_others(const op_call& call) {
  const location where = given_location(call);
  const auto settle = [&](node* n, bool writes) {
    for (const node* part = n; part; part = part->base)
      if (part->notes) refuse_followed_elsewhere(part, info(call.op).name);
    read_hooks.settle_others(n, writes, info(call.op).name, where);
  };
  for (std::size_t i = 0; i < call.in.size(); ++i)
    if (node* n = call.in[i].n()) settle(n, may_store_into(call.op, i));
  if (call.out) settle(call.out, true);
  if (call.where_mask) settle(call.where_mask, false);
}

}  // namespace detail

op_id op_of_power(const operand& a, const operand& b) {
  if (b.is_array() || !a.is_array()) return op_id::power;
  const bool whole = b.kind() == weak_kind::int_ && !b.above_int64();
  if (!whole && b.kind() != weak_kind::float_) return op_id::power;
  const double exponent = whole ? static_cast<double>(b.int_value()) : b.real();
  const char kind = dtype(a.n()->type).kind();
  if (kind == 'f') return power_op(exponent);
  if (kind == 'c') return short_power_op(exponent);
  return whole && exponent == 2 && (kind == 'i' || kind == 'u') ? op_id::square : op_id::power;
}

op_id op_of_power(const op_call& call) {
  if (call.in.size() != 2 || call.params) return op_id::power;
  const node* n = call.in[0].n();
  auto is_like = [n](const node* other, dtype_id type) {
    return other->type == type && other->rank == n->rank && std::equal(n->shape, n->shape + n->rank, other->shape);
  };
  if (n && call.out && !is_like(call.out, n->type)) return op_id::power;
  if (n && call.where_mask && !is_like(call.where_mask, dtype_id::bool_)) return op_id::power;
  return op_of_power(call.in[0], call.in[1]);
}

const op_params& op_call::no_params() {
  // Leaked on purpose: calls may come while other static objects are being destroyed.
  static const op_params& empty = *new op_params;
  return empty;
}

}  // namespace numjit
