// What a tape holds, bounded by config.tape_memory: of runs of entries it keeps what they took from outside, and carries them
// out again on the way back.
#include <algorithm>
#include <iterator>
#include <limits>

#include <numjit/array/shown.h>
#include <numjit/base/config.h>
#include <numjit/ops/random_draw.h>
#include <numjit/ops/stores_into.h>
#include <numjit/transform/checkpoint.h>
#include <numjit/transform/held.h>
#include <numjit/transform/recipe.h>
#include <numjit/transform/rerun.h>
#include <numjit/transform/shapes.h>

namespace numjit::transform {
namespace {

std::int64_t bytes_of(const node* n) {
  return n->is(node::unsized) ? 0 : n->size * static_cast<std::int64_t>(dtype(n->type).itemsize());
}

/// Appends a segment to the one before it. The bytes of what need not be known any more.
std::int64_t join(Segment& to, Segment&& from) {
  std::int64_t went = 0;
  std::unordered_set<int> known;
  for (const KnownValue& k : to.known) known.insert(k.variable);
  for (KnownValue& k : from.known) {
    const bool made_here = k.is_from_outside && k.variable >= to.first_variable;
    if (made_here || !known.insert(k.variable).second)
      went += bytes_of(k.value.get());
    else
      to.known.push_back(std::move(k));
  }
  to.packed.append(std::move(from.packed));
  to.bytes += from.bytes;
  to.known_bytes += from.known_bytes - went;
  to.count += from.count;
  return went;
}

bool can_join(const Segment& a, const Segment& b) { return a.is_thin && b.is_thin && a.parts.empty() && b.parts.empty(); }

}  // namespace

// ---- segments ----

void Tape::open_segment(bool can_run_again) {
  Segment& s = segments.emplace_back();
  s.first_variable = variables();
  s.can_run_again = can_run_again;
}

std::int64_t Tape::thin(Segment& s) {
  for (Applied& e : s.entries) s.packed.add(std::move(e), forms_);
  s.entries = std::vector<Applied>();
  s.is_thin = true;
  return s.bytes;
}

int Tape::thinned_segments() const {
  return static_cast<int>(std::count_if(segments.begin(), segments.end(), [](const Segment& s) { return s.is_thin; }));
}

// Thin ones become longer, all by the same number.
std::int64_t Tape::join_segments() {
  std::int64_t went = 0;
  std::vector<Segment> joined;
  for (Segment& s : segments) {
    if (!joined.empty() && can_join(joined.back(), s) && joined.back().count + s.count <= stride_)
      went += join(joined.back(), std::move(s));
    else
      joined.push_back(std::move(s));
  }
  segments = std::move(joined);
  return went;
}

std::int64_t Tape::thin_one() {
  for (std::size_t i = 0; i + 1 < segments.size(); ++i) {
    Segment& s = segments[i];
    if (!s.can_run_again || s.is_thin) continue;
    std::int64_t went = thin(s);
    if (i > 0 && can_join(segments[i - 1], s) && segments[i - 1].count + s.count <= stride_) {
      went += join(segments[i - 1], std::move(s));
      segments.erase(segments.begin() + static_cast<std::ptrdiff_t>(i));
    }
    return went;
  }
  const auto alike = [&] {
    for (std::size_t i = 1; i < segments.size(); ++i)
      if (can_join(segments[i - 1], segments[i])) return true;
    return false;
  };
  while (alike()) {
    stride_ *= 2;
    if (const std::int64_t went = join_segments(); went > 0) return went;
  }
  return 0;
}

// Not counted where there is enough in any case.
std::int64_t Tape::room_for(const Segment& s) {
  const std::int64_t limit = config().tape_memory;
  if (limit == 0) return std::numeric_limits<std::int64_t>::max();
  if (s.bytes < limit / 16) return limit / 4;
  return std::max(limit / 4, limit - saved_bytes());
}

// ---- the level ----

namespace {
thread_local TapeLevel* lowest_of_thread = nullptr;
/// Entries that tapes of the thread have room for from the beginning, as long ones had: programs that take gradients take the
/// same ones again, and a tape that grows moves what it has.
thread_local std::size_t room = 0;
constexpr std::size_t most_room = 1024;
}  // namespace

TapeLevel::TapeLevel(const char* name) : Level(name), tape_(std::make_shared<Tape>()) {
  if (!has_outer()) lowest_of_thread = this;
  tape_->open().entries.reserve(room);
  // Of two levels of derivatives the inner one keeps all: what the outer one sees, and so its sums, are the same then.
  for (const Level* level = outer(); level; level = level->outer()) may_thin_ = may_thin_ && !level->differentiates();
  check_at_ = config().tape_memory == 0 || !may_thin_ ? std::numeric_limits<std::int64_t>::max() : config().tape_memory / 8;
}

TapeLevel::~TapeLevel() {
  if (lowest_of_thread == this) lowest_of_thread = nullptr;
  room = std::min(std::max(room, tape_->open().entries.capacity()), most_room);
}

// What the tape holds of memory that others can write unseen is a copy.
void TapeLevel::hold(array& to, node* n) {
  saved_ += tracks() ? bytes_once(n) : bytes_of(n);
  to = array::share(n);
  if (n->is(node::lazy) || !detail::is_shown(detail::storage_owner(n))) return;
  const Below below(*this);
  to = detail::contiguous_copy(to);
}

void TapeLevel::hold_value(array& to, node* n) {
  if (checkpoints_ > 0) {  // it would go at the end
    tape_->open().bytes += bytes_of(n);
    return;
  }
  const std::int64_t before = saved_;
  hold(to, n);
  tape_->open().bytes += saved_ - before;
}

void TapeLevel::know_value(int variable, node* n, bool is_from_outside) {
  if (!tracks() || !known_.insert(variable).second) return;
  const std::int64_t before = saved_;
  KnownValue k{variable, {}, is_from_outside};
  hold(k.value, n);
  Segment& s = tape_->open();
  s.known.push_back(std::move(k));
  s.known_bytes += saved_ - before;
}

// Of what the open segment does not hold already.
std::int64_t TapeLevel::bytes_once(const node* n) { return counted_.insert(n).second ? bytes_of(n) : 0; }

void TapeLevel::open_segment(bool can_run_again) {
  tape_->open_segment(can_run_again);
  if (can_run_again) tape_->layouts.intern();
  first_variable_ = can_run_again ? tape_->variables() : -1;
  sees_all_ = can_run_again;
  known_.clear();
  counted_.clear();
  looked_at_ = 0;
}

// What is made without active values is made again, too, rather than held: of draws the generator's state is.
void TapeLevel::inactive(const op_call& call, node* result) {
  if (kind_of(call.op) == op_kind::view || runs_once(call.op) || result->base || result->is(node::unsized)) return;
  const std::vector<int> variables(call.in.size(), no_number);
  note_unfollowed(call, variables, result);
}

bool TapeLevel::before_opaque(const op_call& call) {
  if (call.op == op_id::random_draw && tracks()) {
    const Below below(*this);
    state_ = detail::draws.copy_of_state(array::share(call.in[0].n()));
  }
  return Level::before_opaque(call);
}

void TapeLevel::begin_checkpoint() {
  if (!may_thin_) return;
  if (checkpoints_++ == 0)
    open_segment(true);
  else
    tape_->open().parts.push_back(tape_->open().entries.size());
}

void TapeLevel::end_checkpoint() {
  if (!may_thin_) return;
  if (--checkpoints_ > 0) {
    tape_->open().parts.push_back(tape_->open().entries.size());
    return;
  }
  index_held();
  tape_->thin(tape_->open());
  index_packed(tape_->segments.size() - 1);
  open_segment(is_thinning_);
  indexed_segment_ = tape_->segments.size() - 1;
  indexed_ = indexed_known_ = 0;
}

Checkpoint::Checkpoint() {
  if (!detail::levels_are_open()) return;
  for (auto* level = dynamic_cast<Level*>(detail::top_interpreter()); level; level = level->outer())
    if (auto* tape = dynamic_cast<TapeLevel*>(level)) levels_.push_back(tape);
  for (TapeLevel* level : levels_) level->begin_checkpoint();
}
Checkpoint::~Checkpoint() {
  for (TapeLevel* level : levels_) level->end_checkpoint();
}

// ---- what the end of a graph need not store ----

// Only where no level stands below: what it sees, and so its sums, shall not depend on what is held. On the way back entries are
// in use.
TapeLevel* TapeLevel::lowest() {
  TapeLevel* const level = detail::own_context.sweeping_back ? nullptr : lowest_of_thread;
  return level && !level->tracks() && level->checkpoints_ == 0 && !level->writes_anything_ ? level : nullptr;
}

std::vector<TapeLevel::HeldValue> TapeLevel::values_held() {
  std::vector<HeldValue> found;
  std::vector<Applied>& entries = tape_->open().entries;
  for (; looked_at_ < entries.size(); ++looked_at_)
    if (!entries[looked_at_].custom)
      for_held(entries[looked_at_], [&](array& a, int slot) { found.push_back({a.get(), looked_at_, slot}); });
  return found;
}

void TapeLevel::give_up(std::span<const HeldValue> values, std::span<const int> numbers, std::shared_ptr<Recipe> recipe) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    Applied& e = tape_->open().entries[values[i].entry];
    transform::held_at(e, values[i].slot) = array();
    if (!e.by_recipe) e.by_recipe = std::make_unique<std::vector<ByRecipe>>();
    e.by_recipe->push_back({values[i].slot, recipe, recipe->want(numbers[i])});
  }
  tape_->recipes.push_back(std::move(recipe));
}

// ---- bounded memory ----

// Segments begin where little is alive: of a few places that are told apart by the last operations the best one.
bool TapeLevel::is_good_place(std::int64_t target) {
  constexpr std::size_t trials = 8;
  const std::int64_t bytes = tape_->open().bytes;
  if (bytes < target) return false;
  if (bytes >= 2 * target) return true;
  if (tried_.size() < trials) return std::find(tried_.begin(), tried_.end(), last_ops_) == tried_.end();
  return last_ops_ == best_behind_;
}

void TapeLevel::rank_place() {
  const std::int64_t known = tape_->open().known_bytes;
  if (began_behind_ != 0 && (tried_.empty() || known < least_known_)) {
    least_known_ = known;
    best_behind_ = began_behind_;
  }
  if (began_behind_ != 0) tried_.push_back(began_behind_);
  began_behind_ = last_ops_;
}

// Past an eighth of the limit segments are told apart. Near the limit they are thinned, until half of it is held: the other half
// is for the states of the way back.
void TapeLevel::bound_memory() {
  const std::int64_t limit = config().tape_memory, step = std::max<std::int64_t>(limit / 64, 1);
  if (limit == 0 || checkpoints_ > 0) {
    check_at_ = saved_ + std::max<std::int64_t>(step, 1 << 20);
    return;
  }
  if (saved_ >= count_at_) {  // without what is pending, and what the program has too
    saved_ = tape_->saved_bytes();
    count_at_ = saved_ + limit / 8;
  }
  if (!is_thinning_) {
    is_thinning_ = saved_ > limit / 8;
    if (is_thinning_) open_segment(true);
    check_at_ = saved_ + (is_thinning_ ? 0 : step);
    return;
  }
  check_at_ = saved_;
  if (!is_good_place(2 * step)) return;
  rank_place();
  open_segment(true);
  if (saved_ <= limit / 8 * 7) return;
  while (saved_ > limit / 2) {
    const std::int64_t went = tape_->thin_one();
    if (went == 0) break;
    saved_ -= went;
  }
  check_at_ = count_at_ = saved_;
  held_in_.clear();
  indexed_ = indexed_known_ = indexed_segment_ = 0;
}

}  // namespace numjit::transform
