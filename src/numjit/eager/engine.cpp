// The interpreter at the bottom of the stack: infers, allocates, runs, returns a concrete array.
#include <numjit/eager/engine.h>

#include <atomic>
#include <span>
#include <vector>

#include <numjit/array/remote.h>
#include <numjit/array/unusable.h>
#include <numjit/eager/internal.h>
#include <numjit/eager/short_calls.h>
#include <numjit/eager/zeros.h>
#include <numjit/graph/indices.h>
#include <numjit/ops/inferred_layout.h>
#include <numjit/ops/op_text.h>
#include <numjit/ops/promotion.h>

namespace numjit::eager {
namespace {

void run_structural(op_id op, const structural_call& call) {
  switch (op) {
#define NUMJIT_RUN_view(name)
#define NUMJIT_RUN_creation(name) case op_id::name: return run_##name(call);
#define NUMJIT_RUN_gather(name) NUMJIT_RUN_creation(name)
#define NUMJIT_RUN_store(name) NUMJIT_RUN_creation(name)
#define NUMJIT_RUN_opaque(name) NUMJIT_RUN_creation(name)
#define STRUCTURAL(name, kind, ...) NUMJIT_RUN_##kind(name)
#include <numjit/ops/all_rows.inc>
    default:
      throw InternalError(std::string(info(op).name), "a view has nothing to run");
  }
}

[[noreturn, gnu::cold]] void throw_lazy(op_id op, const node* n) {
  numjit::detail::throw_unusable(std::string(info(op).name), n);
}

// ---- the short way for ufuncs -------------------------------------------------------------------
// Arrays of one shape, contiguous or of one axis, and dtypes that are those of a loop, beside numbers, or numbers alone:
// no iteration over axes, no casts of arrays.

constexpr int pair_count = dtype_count * dtype_count;
/// By dtypes of one or two arrays: 0 is not asked yet, 1 another loop's dtypes, else loop + 2.
constinit std::atomic<std::uint8_t> known_loops[op_count][pair_count] = {};

[[gnu::noinline]] std::uint8_t find_loop(const op_call& call, int key) {
  dtype_id in[3];
  const int loop = choose_loop(call, in);
  bool exact = true;
  for (std::size_t i = 0; i < call.in.size(); ++i) exact = exact && in[i] == call.in[i].n()->type;
  const auto found = static_cast<std::uint8_t>(exact ? loop + 2 : 1);
  known_loops[static_cast<int>(call.op)][key].store(found, std::memory_order_relaxed);
  return found;
}

/// Loop of one or two arrays without literals, or -1 if their dtypes need casts.
inline int loop_of_arrays(const op_call& call, const node* a, const node* b) {
  const int key = static_cast<int>(a->type) * dtype_count + static_cast<int>(b->type);
  std::uint8_t known = known_loops[static_cast<int>(call.op)][key].load(std::memory_order_relaxed);
  if (known == 0) [[unlikely]] known = find_loop(call, key);
  return known - 2;
}

/// Do the elements follow each other by one step?
inline bool is_row(const node* n) { return n->is(node::c_contiguous) || n->rank == 1; }
/// That step; 0 for one number.
inline std::int64_t step_of(const node* n) {
  return n->rank == 0 ? 0 : n->rank == 1 ? n->strides[0] : size_of(n->type);
}

/// May the short way write to `out`? It must be like the inputs (null: numbers), and the same memory or none of it.
bool short_output(const node* out, const node* like, const op_call& call, dtype_id type) {
  if (out->type != type || !is_row(out) || !is_plain(out) || out->is(node::readonly) ||
      (like ? !numjit::detail::same_shape(out, like) : out->rank != 0) || (out->size > 1 && step_of(out) == 0))
    return false;
  for (const operand& o : call.in) {
    const node* n = o.n();
    if (!n || (n->data == out->data && n->type == out->type && n->size == out->size && step_of(n) == step_of(out))) continue;
    if (numjit::detail::may_overlap(n, out)) return false;
  }
  return true;
}

#ifdef __EMSCRIPTEN__  // pages do with the general way
constexpr bool short_powers = false;
#else
constexpr bool short_powers = true;
#endif
/// The result, or null if the call is not of the simple kind.
node* apply_short(const op_call& call) {
  const std::size_t n_in = call.in.size();
  if (call.where_mask || call.params || (!short_powers && call.op == op_id::power)) return nullptr;
  const node* full = nullptr;  // the first operand that is not a single number
  bool literals = false;
  for (const operand& o : call.in) {
    const node* n = o.n();
    if (!n) {
      literals = true;
      continue;
    }
    if (!is_plain(n)) return nullptr;
    if (n->rank == 0) continue;
    if (!is_row(n) || n->size > short_size) return nullptr;
    if (full && full != n && !numjit::detail::same_shape(full, n)) return nullptr;
    if (!full) full = n;
  }
  dtype_id in_type[3];
  int loop;
  if (!literals && n_in <= 2) {
    loop = loop_of_arrays(call, call.in[0].n(), call.in[n_in - 1].n());
    if (loop < 0) return nullptr;
  } else {
    loop = choose_loop(call, in_type);
    for (std::size_t i = 0; i < n_in; ++i)
      if (call.in[i].n() && call.in[i].n()->type != in_type[i]) return nullptr;
  }
  const op_loop& types = info(call.op).loops[static_cast<std::size_t>(loop)];
  if (call.out && !short_output(call.out, full, call, types.out)) return nullptr;
  if (short_powers && call.op == op_id::power && kind_of(types.in[1]) == 'i')  // choose_loop has seen numbers
    if (const node* n = call.in[1].n()) check_exponents(n->data, step_of(n), n->size, size_of(n->type));

  alignas(16) char numbers[3][16];
  char* ptr[4];
  std::int64_t step[4];
  for (std::size_t i = 0; i < n_in; ++i) {
    const node* n = call.in[i].n();
    step[i] = n ? step_of(n) : 0;
    ptr[i] = n ? n->data : numbers[i];
    if (!n) write_number(layout::number::of_literal(call.in[i]), types.in[i], numbers[i]);
  }
  node* result = call.out;
  if (result)
    numjit::detail::retain(result);
  else
    result = numjit::detail::new_node(types.out, full ? full->rank : 0, full ? full->shape : nullptr);
  ptr[n_in] = result->data;
  step[n_in] = step_of(result);
  loops().ufunc[static_cast<int>(call.op)][loop](ptr, step, result->size);
  return result;
}

// ---- the general way ------------------------------------------------------------------------------

/// The device of a call's arrays. DeviceError if there are two, unless a scope says where things belong or the
/// call stores into one of them. Numbers, that is 0-D arrays of the host, and the host's indices go with any.
[[gnu::cold]] std::uint8_t device_of(const op_call& call) {
  const node* found = nullptr;
  bool mixed = false;
  int position = -1;
  for (const operand& o : call.in) {
    const node* n = o.n();
    ++position;
    if (!n || (n->device == 0 && (n->rank == 0 || graph::is_index_operand(call.op, static_cast<std::size_t>(position)))))
      continue;
    if (found && found->device != n->device) mixed = true;
    if (mixed && numjit::detail::device_now() == 0 && info(call.op).kind != op_kind::store)
      numjit::detail::throw_mixed_devices(info(call.op).name, found->device, n->device);
    if (!found || found->device == 0) found = n;
  }
  return found ? found->device : 0;
}

/// The host has computed what arrays of a device asked for: the result goes there.
[[gnu::cold]] void place_result(const op_call& call, node* result, std::uint8_t device) {
  const auto item = static_cast<std::int64_t>(dtype(result->type).itemsize());
  numjit::detail::remote.note(device, op_text(call.op, call.p()), result->size * item);
  if (!result->is(node::remote) && !call.out && info(call.op).kind != op_kind::store)
    numjit::detail::remote.adopt(result, device);
}

[[gnu::cold]] void read_mask(const op_call& call, const node* mask) {
  if (mask->is(node::lazy)) throw_lazy(call.op, mask);
  numjit::detail::remote.read(mask);
}

/// Inputs as nodes; literals become 0-D nodes on the stack, of the dtype the op wants them in.
class input_nodes {
 public:
  input_nodes(const op_call& call, const inference& inferred) {
    const std::size_t n = call.in.size();
    const bool ufunc = info(call.op).kind == op_kind::ufunc;
    const bool typed = ufunc || info(call.op).kind == op_kind::store;
    nodes_ = n <= few ? nodes_few_ : (many_.resize(n), many_.data());
    if (n > few) scalars_many_ = std::vector<scalar_node>(n);
    scalar_node* scalars = n > few ? scalars_many_.data() : scalars_few_;
    for (std::size_t i = 0; i < n; ++i) {
      const operand& o = call.in[i];
      if (o.is_array()) {
        if (o.n()->flags & not_plain) [[unlikely]] read(call, o.n());
        nodes_[i] = o.n();
        continue;
      }
      scalars[i].set(layout::number::of_literal(o),
                     typed && i < 3 ? inferred.in_type[i] : literal_type(o));
      nodes_[i] = scalars[i].n();
    }
  }
  node* const* data() const { return nodes_; }
  /// Of the arrays among them; 0 if all are the host's.
  std::uint8_t device() const { return device_; }

 private:
  [[gnu::cold]] void read(const op_call& call, const node* n) {
    if (n->is(node::lazy)) throw_lazy(call.op, n);
    device_ = device_of(call);
    numjit::detail::remote.read(n);
  }

  static constexpr std::size_t few = 3;
  node* nodes_few_[few];
  scalar_node scalars_few_[few];
  std::vector<node*> many_;
  std::vector<scalar_node> scalars_many_;
  node** nodes_;
  std::uint8_t device_ = 0;
};

/// A view of the first input; of a literal, a view of a new 0-D array.
array apply_view(const op_call& call, const inference& inferred) {
  const operand& o = call.in[0];
  if (o.is_array() && o.n()->is(node::lazy)) throw_lazy(call.op, o.n());
  if (o.is_array() && o.n()->is(node::remote) && !inferred.is_view) numjit::detail::remote.read(o.n());
  array base;
  if (o.is_array()) {
    base = array::share(o.n());
  } else {
    base = array::adopt(numjit::detail::new_node(literal_type(o), 0, nullptr));
    write_number(layout::number::of_literal(o), literal_type(o), base.get()->data);
  }
  if (!inferred.is_view) {  // a reshape that strides can't express
    array copy = array::adopt(numjit::detail::new_node(
        inferred.type, inferred.shape.size(), inferred.shape.data()));
    layout_view from(base.get());
    copy_elements(from, layout_view(copy.get()->data, from.type, from.shape));
    if (base.get()->is(node::remote)) place_result(call, copy.get(), base.get()->device);
    return copy;
  }
  node* view = numjit::detail::new_view(base.get(), inferred.type, inferred.shape.size(),
                                        inferred.shape.data(), inferred.strides.data(),
                                        inferred.offset);
  if (structure_of(call.op).readonly_view) view->flags |= node::readonly;
  return array::adopt(view);
}

/// The length that only the data can tell.
void resolve_count(const op_call& call, const input_nodes& in, inference& inferred) {
  inferred.shape[0] = count_length(call.op, in.data()[length_of_result(call.op).input], call.p());
}

class engine final : public interpreter {
 public:
  array apply(const op_call& call) override { return eager::apply(call); }
};

/// Immortal, and in place before main.
engine& the_engine() {
  static engine& e = *new engine;
  return e;
}
[[maybe_unused]] const bool installed = [] {
  numjit::detail::eager_interpreter = &the_engine();
  return true;
}();

array apply_general(const op_call& call) {
  inference inferred;
  infer(call, inferred);
  const op_kind kind = info(call.op).kind;
  if (kind == op_kind::view) return apply_view(call, inferred);
  const input_nodes in(call, inferred);
  const int n_in = static_cast<int>(call.in.size());
  if (inferred.data_dependent) resolve_count(call, in, inferred);
  array result;
  bool zeroed = false;
  if (kind == op_kind::store)
    result = array::share(call.in[0].n());
  else if (call.out)
    result = array::share(call.out);
  else if (call.op == op_id::eye || numjit::detail::fills_with_zeros(call.op, call.p()))
    result = numjit::detail::new_zeros(inferred, zeroed);
  else
    result = numjit::detail::new_result(inferred);
  node* mask = call.where_mask;
  if (mask && (mask->flags & not_plain)) [[unlikely]] read_mask(call, mask);
  if (result.get()->flags & not_plain) [[unlikely]] {
    if (result.get()->is(node::lazy)) throw_lazy(call.op, result.get());
    numjit::detail::remote.write(result.get());
  }
  if (!zeroed)
    run_into(call.op, inferred, in.data(), n_in, call.p(), result.get(), mask);
  else if (call.op == op_id::eye)
    write_diagonal(call.p(), result.get());
  if (in.device() != 0) [[unlikely]] place_result(call, result.get(), in.device());
  else if (kind == op_kind::creation) numjit::detail::place_in_scope(result.get());
  return result;
}

}  // namespace

array apply(const op_call& call) {
  if (numjit::detail::others_record()) [[unlikely]]
    numjit::detail::settle_others(call);
  if (kind_of(call.op) == op_kind::ufunc) {
    if (node* result = apply_short(call)) return array::adopt(result);
#ifndef __EMSCRIPTEN__  // pages load no code for loops over elements
  } else if (call.op == op_id::store) {
    if (store_short(call)) return array::share(call.in[0].n());
  } else if (call.op == op_id::matmul && !call.out && call.in[0].n() && call.in[1].n()) {
    if (node* result = product_short(call.in[0].n(), call.in[1].n())) return array::adopt(result);
#endif
  }
  return apply_general(call);
}

namespace {

void run(op_id op, const inference& inferred, node* const* in, int n_in, const op_params& params, node* result,
         node* where_mask) {
  switch (info(op).kind) {
    case op_kind::ufunc: return run_ufunc(op, inferred, in, n_in, result, where_mask);
    case op_kind::reduction: return run_reduction(op, inferred, in[0], params, result, where_mask);
    case op_kind::argreduction: return run_arg_reduction(op, inferred, in[0], params, result);
    case op_kind::scan: return run_scan(op, inferred, in[0], params, result);
    default: return run_structural(op, {inferred, in, n_in, params, result});
  }
}

/// The array, or a copy of it that loops can run over.
array aligned(node* n) { return numjit::detail::is_misaligned(n) ? aligned_copy(n) : array::share(n); }

/// run() on copies of the arrays whose elements lie across their boundaries.
[[gnu::cold]] void run_on_copies(op_id op, const inference& inferred, node* const* in, int n_in, const op_params& params,
                                 node* result, node* where_mask) {
  const array target = aligned(result);
  std::vector<array> held;
  std::vector<node*> nodes;
  for (node* n : std::span(in, static_cast<std::size_t>(n_in))) {
    held.push_back(n == result ? target : aligned(n));
    nodes.push_back(held.back().get());
  }
  run(op, inferred, nodes.data(), n_in, params, target.get(), where_mask);
  if (target.get() != result) copy_elements(layout_view(target.get()), layout_view(result));
}

}  // namespace

void run_into(op_id op, const inference& inferred, node* const* in, int n_in, const op_params& params, node* result,
              node* where_mask) {
  bool misaligned = numjit::detail::is_misaligned(result);
  for (int i = 0; i < n_in; ++i) misaligned |= numjit::detail::is_misaligned(in[i]);
  if (misaligned) [[unlikely]]
    return run_on_copies(op, inferred, in, n_in, params, result, where_mask);
  run(op, inferred, in, n_in, params, result, where_mask);
}

}  // namespace numjit::eager
