// np::distributed: arguments are checked and brought into the form of op communicate, which acts on the first axis.
#include <numjit/np_distributed.h>

#include <cstdio>
#include <cstdlib>
#include <string_view>

#include <fmt/format.h>
#include <unistd.h>

#include <numjit/base/error.h>
#include <numjit/base/location_provider.h>
#include <numjit/base/location_scope.h>
#include <numjit/distributed/heading.h>
#include <numjit/distributed/operations.h>
#include <numjit/distributed/process.h>
#include <numjit/np.h>
#include <numjit/ops/calls.h>
#include <numjit/ops/communicate.h>
#include <numjit/ops/eager_on_thread.h>
#include <numjit/ops/promotion.h>
#include <numjit/ops/random_draw.h>
#include <numjit/trace/record/recorder.h>
#include <surface.h>

namespace numjit::distributed {
namespace {

using kind = layout::communication;

kind words_of(kind::kind is, const communicator& on, const location& where) {
  ++detail::generators_made;  // a state moves on: calls of compiled functions that do this run their body
  kind words;
  words.is = is;
  words.number = on.number();
  words.line = noted_place(detail::known_location(where));
  return words;
}

dims shape_of(const array& a) { return dims(detail::sized(a.get())->shape, a.get()->rank); }

/// Is there nobody who would see an operation on this array, and nothing to do for it before?
bool is_eager(const node* x) {
  constexpr int unlike = node::lazy | node::remote | node::poisoned;
  return !detail::top_interpreter() && !detail::others_record() && !(x->flags & unlike) && !detail::is_misaligned(x);
}

/// The op at once, on memory that is there: to make an operation of it would take as long as a small message does.
array done(const kind& words, node* x, dtype_id type, int rank, const std::int64_t* shape) {
  array result = array::adopt(detail::new_node(type, rank, shape));
  communicate_now(words, x, result.get());
  return result;
}

/// The op on the first axis of `x`; the result has the shape of `words`.
array communicated(const kind& words, const array& x) {
  if (is_eager(x.get())) return done(words, x.get(), words.type, words.result.size(), words.result.data());
  const op_params params = words.params();
  return detail::call(op_id::communicate, {detail::communications.state(words.number), x}, params);
}

/// The same along another axis; `length`: of the result along it.
array along(kind words, const array& x, std::int64_t axis, std::int64_t length) {
  const array first = axis == 0 ? x : moveaxis(x, axis, 0);
  words.result = shape_of(first);
  words.result[0] = length;
  words.type = x.dtype().id();
  const array made = communicated(words, first);
  return axis == 0 ? made : moveaxis(made, 0, axis);
}

std::int64_t axis_of(const char* name, std::int64_t axis, const array& x) {
  if (x.ndim() == 0) throw ValueError(name, "got an array of shape (), expected one axis at least.");
  return normalize_axis(name, axis, static_cast<int>(x.ndim()));
}

enum class joining : std::uint8_t { sum, mean, prod, max, min };
joining joining_of(const char* name, std::string_view op) {
  constexpr std::string_view names[] = {"sum", "mean", "prod", "max", "min"};
  for (int i = 0; i < 5; ++i)
    if (names[i] == op) return static_cast<joining>(i);
  throw ValueError(name, fmt::format("got op '{}', expected 'sum', 'mean', 'prod', 'max' or 'min'.", op));
}

op_id row_of(joining op) {
  constexpr op_id rows[] = {op_id::sum, op_id::sum, op_id::prod, op_id::max, op_id::min};
  return rows[static_cast<int>(op)];
}

/// The dtype that a reduction adds up in, and that of its result.
struct ReducedTypes {
  dtype_id between, result;
};
ReducedTypes types_of(joining op, const array& x) {
  const numjit::dtype type = x.dtype();
  ReducedTypes types{type.id(), type.id()};
  const bool whole = type.kind() == 'i' || type.kind() == 'u' || type.kind() == 'b';
  if (op == joining::mean && whole) return {dtype_id::float64, dtype_id::float64};
  if (op != joining::max && op != joining::min && whole) {
    layout::reduction all;
    const op_params params = layout::reduction_params(all);
    const operand in[] = {x};
    inference inferred;
    infer({row_of(op), in, &params}, inferred);
    types = {inferred.type, inferred.type};
  }
  if (types.between == dtype_id::float16 && op != joining::max && op != joining::min) types.between = dtype_id::float32;
  return types;
}

/// Is that the dtype of the array, and nothing done to the sum?
bool adds_up_itself(joining op, dtype_id type) {
  const bool is_wide = numjit::dtype(type).kind() == 'c' || type == dtype_id::float64 || type == dtype_id::float32;
  return is_wide && (op == joining::sum || op == joining::prod);
}

array as_type(array x, dtype_id type) { return x.dtype().id() == type ? std::move(x) : x.astype(type); }

/// Extremes of bool, float16 and small integers have no kernels of their own dtype.
array extremes_of(const kind& words, const array& x) {
  const numjit::dtype type = x.dtype();
  kind made = words;
  made.result = shape_of(x);
  made.type = type.kind() == 'b' ? dtype_id::uint8 : type.id() == dtype_id::float16 ? dtype_id::float32 : type.id();
  return as_type(communicated(made, as_type(x, made.type)), type.id());
}

array mean_of(const array& sum, std::int64_t ranks) { return divide(sum, static_cast<double>(ranks)); }

}  // namespace

std::int64_t communicator::rank() const { return Process::instance().group(number_).rank(); }
std::int64_t communicator::size() const { return Process::instance().group(number_).size(); }

communicator world() {
  Process::instance();
  return {};
}

communicator adopt(std::uint64_t bits, const std::string& library) {
  return communicator(Process::instance().add_foreign(bits, library));
}

array all_reduce(const operand& x, const all_reduce_options& options) {
  const location_scope scope(x.where());
  const joining op = joining_of("all_reduce", options.op);
  kind words = words_of(kind::all_reduce, options.on, x.where());
  words.given_first = static_cast<std::int64_t>(row_of(op));
  if (node* n = x.n(); n && is_eager(n) && adds_up_itself(op, n->type)) {
    words.type = n->type;
    return done(words, n, n->type, n->rank, n->shape);
  }
  array a = detail::to_array(x);
  if (op == joining::max || op == joining::min) return extremes_of(words, a);
  const ReducedTypes types = types_of(op, a);
  words.type = types.between;
  words.result = shape_of(a);
  array joined = communicated(words, as_type(std::move(a), types.between));
  return as_type(op == joining::mean ? mean_of(joined, options.on.size()) : std::move(joined), types.result);
}

array all_gather(const operand& x, const all_gather_options& options) {
  const location_scope scope(x.where());
  const array given = detail::to_array(x), a = given.ndim() == 0 ? given.reshape(1) : given;
  const std::int64_t axis = axis_of("all_gather", options.axis, a), ranks = options.on.size(),
                     own = shape_of(a)[static_cast<int>(axis)];
  const std::int64_t length = options.length < 0 ? own * ranks : options.length;
  const slice mine = part(length, options.on);
  if (mine.stop - mine.start != own)
    throw ValueError("all_gather", fmt::format("got {} rows on rank {}, expected its part of {}, which has {}. Hint: "
                                               "x(np::distributed::part(n)) is this rank's part.",
                                               own, options.on.rank(), length, mine.stop - mine.start));
  kind words = words_of(kind::all_gather, options.on, x.where());
  words.agreed = length;
  return along(words, a, axis, length);
}

array reduce_scatter(const operand& x, const reduce_scatter_options& options) {
  const location_scope scope(x.where());
  const joining op = joining_of("reduce_scatter", options.op);
  const array a = detail::to_array(x);
  const std::int64_t axis = axis_of("reduce_scatter", options.axis, a), n = shape_of(a)[static_cast<int>(axis)];
  const slice mine = part(n, options.on);
  if (op != joining::sum && op != joining::mean) {
    const array all = moveaxis(all_reduce(a, {.op = options.op, .on = options.on}), axis, 0);
    return moveaxis(array(all(mine)), 0, axis);
  }
  const ReducedTypes types = types_of(op, a);
  const array sum =
      along(words_of(kind::reduce_scatter, options.on, x.where()), as_type(a, types.between), axis, mine.stop - mine.start);
  return as_type(op == joining::mean ? mean_of(sum, options.on.size()) : sum, types.result);
}

array broadcast(const operand& x, const broadcast_options& options) {
  const location_scope scope(x.where());
  const std::int64_t ranks = options.on.size();
  if (options.root < 0 || options.root >= ranks)
    throw ValueError("broadcast", fmt::format("got root {}, expected a rank from 0 to {}.", options.root, ranks - 1));
  const array a = detail::to_array(x);
  kind words = words_of(kind::broadcast, options.on, x.where());
  words.given_first = words.agreed = options.root;
  words.result = shape_of(a);
  words.type = a.dtype().id();
  return communicated(words, a);
}

array all_to_all(const operand& x, const all_to_all_options& options) {
  const location_scope scope(x.where());
  const array a = detail::to_array(x);
  const std::int64_t axis = axis_of("all_to_all", options.axis, a), n = shape_of(a)[static_cast<int>(axis)];
  if (n % options.on.size() != 0)
    throw ValueError("all_to_all", fmt::format("got an axis of {}, expected a multiple of the {} ranks.", n, options.on.size()));
  return along(words_of(kind::all_to_all, options.on, x.where()), a, axis, n);
}

array permute(const operand& x, const std::vector<std::pair<std::int64_t, std::int64_t>>& pairs, const permute_options& options) {
  const location_scope scope(x.where());
  const std::int64_t ranks = options.on.size(), own = options.on.rank();
  kind words = words_of(kind::permute, options.on, x.where());
  words.given_first = words.given_second = -1;
  std::vector<bool> sends(static_cast<std::size_t>(ranks)), receives(sends);
  for (const auto& [from, to] : pairs) {
    if (from < 0 || from >= ranks || to < 0 || to >= ranks)
      throw ValueError("permute", fmt::format("got the pair ({}, {}), expected ranks from 0 to {}.", from, to, ranks - 1));
    const auto is_second = [](std::vector<bool>& seen, std::int64_t rank) {
      const bool before = seen[static_cast<std::size_t>(rank)];
      seen[static_cast<std::size_t>(rank)] = true;
      return before;
    };
    if (is_second(sends, from) || is_second(receives, to))
      throw ValueError(
          "permute",
          fmt::format("got the pair ({}, {}), expected each rank to send once and to receive once at most.", from, to));
    if (to == own) words.given_first = from;
    if (from == own) words.given_second = to;
    words.agreed = words.agreed * 1000003 + from * ranks + to + 1;
  }
  const array a = detail::to_array(x);
  words.result = shape_of(a);
  words.type = a.dtype().id();
  return communicated(words, a);
}

array exchange_halo(const operand& u, std::int64_t width, const halo_options& options) {
  const location_scope scope(u.where());
  const array a = detail::to_array(u);
  const std::int64_t axis = axis_of("exchange_halo", options.axis, a), n = shape_of(a)[static_cast<int>(axis)];
  if (width < 0 || width > n)
    throw ValueError("exchange_halo",
                     fmt::format("got width {} for an axis of {} on rank {}, expected at most the length of the axis on every "
                                 "rank. Hint: use fewer ranks, or exchange more often.",
                                 width, n, options.on.rank()));
  kind words = words_of(kind::halo, options.on, u.where());
  words.given_first = width;
  words.given_second = options.periodic;
  words.agreed = 2 * width + (options.periodic ? 1 : 0);
  return along(words, a, axis, n + 2 * width);
}

array sum(const operand& x, const sum_options& options) {
  const location_scope scope(x.where());
  const array a = detail::to_array(x);
  const bool all = options.axis == slice_bound::omitted;
  const std::int64_t axis = axis_of("sum", all ? 0 : options.axis, a);
  const ReducedTypes types = types_of(joining::sum, a);
  array first = as_type(axis == 0 ? a : moveaxis(a, axis, 0), types.between);
  if (all && a.ndim() > 1) {
    dims others;
    for (std::int64_t i = 1; i < a.ndim(); ++i) others.push_back(i);
    first = numjit::sum(first, {.axis = others});
  }
  kind words = words_of(kind::sum, options.on, x.where());
  words.result = shape_of(first);
  words.result.erase(0);
  words.type = types.between;
  return as_type(communicated(words, first), types.result);
}

slice part(std::int64_t n, const communicator& on) {
  if (n < 0) throw ValueError("part", fmt::format("got {}, expected a length of 0 or more.", n));
  return slice(begin_of_part(n, on.rank(), on.size()), begin_of_part(n, on.rank() + 1, on.size()));
}

communicator communicator::split(std::int64_t color, std::int64_t key, location where) const {
  // MPI's own splitting waits for all ranks, however long: they meet before.
  barrier(*this, where);
  return communicator(
      Process::instance().add_split(Process::instance().group(number_), static_cast<int>(color), static_cast<int>(key)));
}

void barrier(const communicator& on, location where) {
  if (detail::recording) tracing::Recorder::current().graph_break(tracing::BreakId::barrier, where, nullptr, "barrier");
  kind words = words_of(kind::barrier, on, where);
  words.type = dtype_id::int64;
  const detail::eager_on_thread eagerly;
  communicated(words, zeros({}, int64));
}

void leave(const std::string& why) { Process::instance().leave(why, why.empty() ? 0 : 1); }

void abort(const std::string& text) {
  std::fflush(nullptr);
  std::fputs(("numjit: " + text + "\n").c_str(), stderr);
  leave(text);
  _exit(1);
}

}  // namespace numjit::distributed
