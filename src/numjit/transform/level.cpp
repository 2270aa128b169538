// Levels: their notes, and what they do about each kind of operation.
#include <numjit/transform/level.h>

#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

#include <numjit/base/error.h>
#include <numjit/ops/calls.h>
#include <numjit/ops/location_of.h>
#include <numjit/ops/promotion.h>
#include <numjit/ops/stores_into.h>
#include <numjit/transform/paths.h>

namespace numjit::transform {
namespace {

// Held by a level that ends, and by threads that free arrays which a level of another thread has notes of.
std::mutex& others_mutex() {
  static auto& mutex = *new std::mutex;
  return mutex;
}

}  // namespace

// ---- notes ----

void Level::unlink(Note* k) noexcept {
  if (k->after) k->after->before = k->before;
  (k->before ? k->before->after : notes_) = k->after;
}

void Level::drop(Note* k) noexcept {
  if (node* n = k->of) {
    if (k->version > 0 && n->deleter && is_of_active(*k)) lost_at_ = others_stored_at_;
    Note** link = &n->notes;
    while (*link != k) link = &(*link)->next;
    *link = k->next;
  }
  unlink(k);
  k->companion = array();
  k->path = Path();
  k->root = array();
  k->next = free_;
  free_ = k;
}

Note& Level::note_for(node* n) {
  if (Note* k = note_of(n)) return *k;
  Note* k = free_;
  if (k) {
    free_ = k->next;
    *k = Note();
  } else {
    k = new Note;
  }
  k->of = n;
  k->level = this;
  k->next = n->notes;
  n->notes = k;
  k->after = notes_;
  if (notes_) notes_->before = k;
  notes_ = k;
  return *k;
}

Note& Level::fresh_note(node* n) {
  Note& k = note_for(n);
  k.variable = k.made_by = no_number;
  k.made_inside = false;
  k.version = 0;
  if (!k.companion.empty_handle()) k.companion = array();
  if (!k.path.empty()) k.path = Path();
  if (!k.root.empty_handle()) k.root = array();
  return k;
}

// The array goes. A level of another thread finds the note without an array when it ends.
void drop_notes(node* n) noexcept {
  while (Note* k = n->notes) {
    if (k->level->thread_ == detail::this_thread()) {
      k->level->drop(k);
    } else {
      const std::lock_guard lock(others_mutex());
      n->notes = k->next;
      k->of = nullptr;
    }
  }
}

void refuse_followed_elsewhere(const node* n, std::string_view op) {
  const char* by = nullptr;
  {
    const std::lock_guard lock(others_mutex());
    for (const Note* k = n->notes; k && !by; k = k->next)
      if ((k->variable != no_number || !k->companion.empty_handle()) && k->level->thread_ != detail::this_thread())
        by = k->level->name();
  }
  if (by)
    throw ValueError(
        std::string(op),
        fmt::format("an array that {0} follows on another thread is used here, where nobody follows it. Compute with it "
                    "on the thread that calls {0}, or pass stop_gradient(x).",
                    by));
}

namespace {
[[maybe_unused]] const bool installed = [] {
  detail::drop_notes = &drop_notes;
  detail::refuse_followed_elsewhere = &refuse_followed_elsewhere;
  return true;
}();
}  // namespace

Level::Level(const char* name, bool notes_results)
    : name_(name),
      notes_results_(notes_results),
      outer_(detail::own_context.top_interpreter == detail::own_context.base_interpreter ? nullptr
                                                                                         : detail::own_context.top_interpreter) {
  detail::own_context.top_interpreter = this;
  number_ = ++detail::own_context.levels;
  if (!std::exchange(detail::counted_by_levels, true)) {
    ++detail::recording_threads;
    counts_thread_ = true;
  }
}

Level::~Level() {
  --detail::own_context.levels;
  if (counts_thread_) {
    detail::counted_by_levels = false;
    --detail::recording_threads;
  }
  detail::own_context.top_interpreter = below_or_null();
  {
    const std::lock_guard lock(others_mutex());
    for (Note* k = notes_; k; k = k->after) {
      node* const n = std::exchange(k->of, nullptr);
      if (!n) continue;
      Note** link = &n->notes;
      while (*link != k) link = &(*link)->next;
      *link = k->next;
    }
  }
  while (Note* k = notes_) {  // what they hold may go, and notes of others with it
    notes_ = k->after;
    if (notes_) notes_->before = nullptr;
    delete k;
  }
  while (Note* k = free_) {
    free_ = k->next;
    delete k;
  }
}

void Level::sees_read(node* n, const char* why, const location& where) {
  read(n, why, where);
  if (outer_) outer_->sees_read(n, why, where);
}

void Level::sees_view(node* of, node* view, const location& where) {
  if (of == view) {  // not a view: new, and filled with values
    if (notes_results_) came(of);
  } else if (is_active(of)) {
    if (of->type != view->type)
      throw NotImplementedError(name_,
                                "no derivative goes through a view of elements as another dtype. Use astype, or real and imag.");
    node* const memory = memory_of(of);
    const array keep = array::share(memory);
    if (!written(memory)) know_memory(memory, where);
    forget(view);
  }
  if (outer_) outer_->sees_view(of, view, where);
}

void Level::check_nothing_lost() const {
  if (lost_at_.line == 0) return;
  throw NotImplementedError(
      name_,
      fmt::format("at {}:{} a value that depends on the arguments is stored into an array of NumPy's, which nobody "
                  "follows: it would have no derivative. Make the array inside of the function, as by np.zeros or np.copy, "
                  "or pass it as an argument.",
                  lost_at_.file, lost_at_.line));
}

// ---- memory ----

node* Level::memory_of(node* n) {
  detail::pending_view view;
  while (n->is(node::lazy) && detail::view_of_pending && detail::view_of_pending(n, view)) n = view.of;
  return detail::storage_owner(n);
}

bool Level::is_operand(const op_call& call, const node* made) {
  for (const operand& o : call.in)
    if (o.n() == made) return true;
  return false;
}

bool Level::is_view_of_operand(const op_call& call, node* made) {
  return kind_of(call.op) == op_kind::view && call.in[0].n() && memory_of(made) == memory_of(call.in[0].n());
}

Path Level::path_of(node* n) const {
  if (const Note* k = note_of(n); k && !k->path.empty()) return k->path;
  auto step = std::make_unique<ViewStep>();
  step->shape = dims(n->shape, n->rank);
  if (n->is(node::unsized)) step->unsized = array::share(n);
  step->type = n->type;
  detail::pending_view view;
  if (n->is(node::lazy)) {
    if (!detail::view_of_pending || !detail::view_of_pending(n, view)) {
      if (!n->base) return {};
      // It stands for a part of a batch further out, which knows how it came.
      const auto* const outer = dynamic_cast<const Level*>(outer_);
      return outer ? outer->path_of(n) : Path();
    }
    step->op = view.op;
    step->params = *view.params;
    return {path_of(view.of), std::move(step)};
  }
  const node* memory = detail::storage_owner(n);
  if (memory == n) return {};
  step->op = ViewStep::by_place;
  step->strides = dims(n->strides, n->rank);
  step->owner_strides = dims(memory->strides, memory->rank);
  step->offset = n->data - memory->data;
  return {{}, std::move(step)};
}

Path Level::path_of_view(const op_call& call, node* of, const node* result) const {
  auto step = std::make_unique<ViewStep>();
  step->op = call.op;
  step->params = call.p();
  step->shape = dims(result->shape, result->rank);
  if (result->is(node::unsized)) step->unsized = array::share(const_cast<node*>(result));
  step->type = result->type;
  step->where = call.where.line || call.in.empty() ? call.where : call.in[0].where();
  return {path_of(of), std::move(step)};
}

Note& Level::note_view(const op_call& call, node* result) {
  Path path = path_of_view(call, call.in[0].n(), result);
  Note& k = fresh_note(result);
  k.path = std::move(path);
  if (result->is(node::lazy)) k.root = array::share(memory_of(result));  // so that it stays the same when the graph has run
  if (const Note* owner = written(memory_of(result))) k.version = owner->version;
  return k;
}

array Level::same_memory(const array& x) {
  const Below below(*this);
  std::vector<layout::index_entry> whole(static_cast<std::size_t>(x.get()->rank));
  return detail::call(op_id::index, {operand(x, "", "", 0)}, layout::index_params(whole));
}

array Level::companion_of(node* n) {
  Note* const own = note_of(n);
  node* const memory = stores_ > 0 ? memory_of(n) : nullptr;
  Note* const owner = memory ? written(memory) : nullptr;
  if (!owner) return own ? own->companion : array();
  if (n == memory) return owner->companion;
  Note& view = own ? *own : note_for(n);
  if (view.version != owner->version) {
    if (view.path.empty()) view.path = path_of(n);
    const Below below(*this);
    view.companion = follow(owner->companion, view.path);
    view.version = owner->version;
  }
  return view.companion;
}

array Level::follow(const array& whole, const Path& path) { return read_along(whole, path); }

array Level::stopped(const array& x) {
  if (array made = stopped_batch(x); !made.empty_handle()) return made;
  return stopped_below(x);
}

array Level::stopped_below(const array& x) {
  const Below below(*this);
  // Whose operand it is goes without note, as what no operation of this level gave.
  return outer_ ? static_cast<Level*>(outer_)->stopped(x) : detail::contiguous_copy(x);
}

// ---- operations ----

template <class... Operand>
bool Level::any_active(const Operand&... operands) {
  const auto one = [&](node* n) { return n && (n->notes || stores_ > 0 || (n->base && n->base->notes)) && is_active(n); };
  return (one(operands.n()) || ...);
}

array Level::apply_ufunc(op_id op, const operand& a) {
  if (any_active(a)) return active({op, a});
  const Below below(*this);
  array result = bind_ufunc(op, a);
  came(result.get());
  if (sees_all_) [[unlikely]]
    inactive({op, a}, result.get());
  return result;
}
array Level::apply_ufunc(op_id op, const operand& a, const operand& b) {
  if (any_active(a, b)) return active({op, {a, b}});
  const Below below(*this);
  array result = bind_ufunc(op, a, b);
  came(result.get());
  if (sees_all_) [[unlikely]]
    inactive({op, {a, b}}, result.get());
  return result;
}

array Level::apply(const op_call& call) {
  if (call.out) return with_out(call);
  const op_kind kind = kind_of(call.op);
  if (kind == op_kind::store) return store(call);
  bool any = false;
  for (const operand& o : call.in) any = any_active(o) || any;
  std::optional<Writing> writing;
  if (is_opaque(call.op)) {
    writing.emplace(*this);
    any = before_opaque(call) || any;
  }
  if (any || (call.where_mask && any_active(operand(array::share(call.where_mask), "", "", 0)))) return active(call);
  array result = carry_out(call);
  node* const n = result.get();
  if (is_operand(call, n)) return result;
  if (is_view_of_operand(call, n)) {
    note_view(call, n);
    return result;
  }
  came(n);
  if (sees_all_) [[unlikely]]
    inactive(call, n);
  return result;
}

bool Level::before_opaque(const op_call& call) {
  for (const operand& o : call.in)
    if (o.n()) before_store(o.n());
  return false;
}

// The result, then a store of it, after the checks of the one-step form.
array Level::with_out(const op_call& call) {
  bool any = is_memory_active(memory_of(call.out)) || (is_opaque(call.op) && before_opaque(call));
  for (const operand& o : call.in) any = any || any_active(o);
  const array out = array::share(call.out);
  if (!any) {
    {
      const Writing writing(*this, call.out);
      before_store(call.out);
      carry_out(call);
    }
    tell_behind_store(call.out);
    return out;
  }
  // Lengths that depend on data have to be those of the array that is stored into.
  detail::sized(call.out, call.where);
  for (const operand& o : call.in)
    if (o.n()) detail::sized(o.n(), call.where);
  inference checked;
  infer(call, checked);
  op_call plain = call;
  plain.out = nullptr;
  op_params joined;  // what adds up looks for its loop with the output's dtype, too
  if ((kind_of(call.op) == op_kind::reduction || kind_of(call.op) == op_kind::scan) && !call.p().has_type() && call.in[0].n() &&
      call.out->type != call.in[0].n()->type) {
    joined = call.p();
    joined.type(promote_types(call.in[0].n()->type, call.out->type));
    plain.params = &joined;
  }
  const bool masked = call.where_mask && kind_of(call.op) == op_kind::ufunc;
  if (masked) plain.where_mask = nullptr;
  const array value = apply(plain);
  const auto& [file, function, line] = call.where;
  const array mask = masked ? array::share(call.where_mask) : array();
  const operand in[] = {{out, file, function, line}, {value, file, function, line}, {masked ? mask : out, file, function, line}};
  apply({masked ? op_id::masked_store : op_id::store, {in, masked ? 3u : 2u}, nullptr, nullptr, nullptr, call.where});
  return out;
}

array Level::store(const op_call& call) {
  node* const target = call.in[0].n();
  {
    const Writing writing(*this, target);
    before_store(target);
    bool any = is_memory_active(memory_of(target));
    for (const operand& o : call.in) any = any || any_active(o);
    if (any && memory_of(target)->deleter) [[unlikely]]
      others_stored_at_ = detail::known_location(location_of(call));
    if (any)
      active_store(call);
    else
      carry_out(call);
  }
  tell_behind_store(target);
  return array::share(target);
}

// By the level that the program's operations come to.
void Level::tell_behind_store(node* n) {
  if (detail::own_context.levels != number_) return;
  for (Level* level = this; level; level = level->outer()) level->behind_store(n);
}

std::vector<const ViewStep*> Path::steps() const {
  std::vector<const ViewStep*> all;
  for (const ViewStep* step = last_; step; step = step->outer) all.push_back(step);
  return {all.rbegin(), all.rend()};
}

}  // namespace numjit::transform
