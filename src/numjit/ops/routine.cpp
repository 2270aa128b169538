// The table of routines, their shape rule, and what reports call them.
#include <numjit/ops/routine.h>

#include <numjit/ops/op_text.h>

namespace numjit {
namespace detail {
namespace {

constexpr int count = static_cast<int>(routine_id::count_);
constinit routine table[count] = {};

}  // namespace

void add_routine(routine_id id, const routine& what) { table[static_cast<int>(id)] = what; }

const routine* find_routine(std::int64_t id) {
  return id >= 0 && id < count && table[id].run ? &table[id] : nullptr;
}

}  // namespace detail

std::string op_text(op_id op, const op_params& p) {
  const detail::routine* routine = op == op_id::routine && p.size() > 0 ? detail::find_routine(p[0]) : nullptr;
  if (!routine) return std::string(info(op).name);
  return routine->text ? routine->text(p) : routine->name;
}

namespace {

/// Second inputs lie beside the first: the same stack, the same rows.
bool fits(const detail::routine& r, const op_call& call) {
  const std::size_t count = call.in.size();
  if (call.p().size() != words_of(r) || count == 0 || count > static_cast<std::size_t>(r.max_inputs)) return false;
  if (r.any_arrays) {
    for (const operand& o : call.in)
      if (!o.is_array()) return false;
    return true;
  }
  const node* first = call.in[0].n();
  for (const operand& o : call.in) {
    const node* n = o.n();
    if (!n || n->type != first->type || n->rank < (r.matrices ? 2 : 1) || n->rank != first->rank) return false;
    for (int axis = 0; r.matrices && axis + 1 < n->rank; ++axis)
      if (n->shape[axis] != first->shape[axis]) return false;
  }
  const dtype t(first->type);
  if ((t.kind() != 'f' && t.kind() != 'c') || t == float16) return false;
  return !r.square || first->shape[first->rank - 1] == first->shape[first->rank - 2];
}

}  // namespace

void infer_routine(const op_call& call, inference& result) {
  const detail::routine* r = call.p().size() > 0 ? detail::find_routine(call.p()[0]) : nullptr;
  if (!r || !fits(*r, call))
    throw InternalError("routine", "inputs or parameters are not those of the routine");
  result = {};
  r->infer(call, result);
}

}  // namespace numjit
