// An operation that was carried out under a level, as the rules of derivatives see it.
#pragma once

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <unordered_map>
#include <vector>

#include <numjit/ops/bind.h>
#include <numjit/transform/calls.h>

namespace numjit::transform {

inline constexpr int no_number = -1;

/// Shapes and dtypes, by number.
class Layouts {
 public:
  Layouts() {  // what small functions need, in one piece each
    entries_.reserve(24);
    extents_.reserve(32);
  }
  int add(dtype_id type, const std::int64_t* shape, int rank) {
    if (interns_) [[unlikely]]
      if (const int known = interned(type, shape, rank); known >= 0) return known;
    entries_.push_back({static_cast<std::uint32_t>(extents_.size()), type, static_cast<std::uint8_t>(rank)});
    extents_.insert(extents_.end(), shape, shape + rank);
    return static_cast<int>(entries_.size()) - 1;
  }
  int add(node* n) {
    if (!n->is(node::unsized)) [[likely]]
      return add(n->type, n->shape, n->rank);
    const bool interns = std::exchange(interns_, false);
    const int number = add(n->type, n->shape, n->rank);
    interns_ = interns;
    unsized_.emplace(number, array::share(n));
    return number;
  }
  dims shape(int number) const {
    if (!unsized_.empty()) [[unlikely]]
      if (const auto found = unsized_.find(number); found != unsized_.end())
        return dims(detail::sized(found->second.get())->shape, found->second.get()->rank);
    const Entry& e = at(number);
    return dims(extents_.data() + e.begin, e.rank);
  }
  /// Has an array this dtype and shape? False also where a length of either depends on data.
  bool is_of(const node* n, int number) const {
    const Entry& e = at(number);
    if (!unsized_.empty() || n->is(node::unsized) || n->type != e.type || n->rank != e.rank) return false;
    for (int i = 0; i < e.rank; ++i)
      if (n->shape[i] != extents_[e.begin + static_cast<std::size_t>(i)]) return false;
    return true;
  }
  int rank(int number) const { return at(number).rank; }
  dtype_id type(int number) const { return at(number).type; }
  void clear() {
    entries_.clear();
    extents_.clear();
    unsized_.clear();
    by_hash_.clear();
  }
  /// Equal ones get one number from now on.
  void intern() { interns_ = true; }

 private:
  struct Entry {
    std::uint32_t begin;
    dtype_id type;
    std::uint8_t rank;
  };
  int interned(dtype_id type, const std::int64_t* shape, int rank) {
    std::size_t hash = static_cast<std::size_t>(type);
    for (int i = 0; i < rank; ++i) hash = (hash ^ static_cast<std::size_t>(shape[i])) * 0x9e3779b97f4a7c15u;
    const auto [begin, end] = by_hash_.equal_range(hash);
    for (auto k = begin; k != end; ++k) {
      const Entry& e = at(k->second);
      if (e.type == type && e.rank == rank && std::equal(shape, shape + rank, extents_.begin() + e.begin)) return k->second;
    }
    by_hash_.emplace(hash, static_cast<int>(entries_.size()));
    return no_number;
  }
  const Entry& at(int number) const { return entries_[static_cast<std::size_t>(number)]; }

  std::vector<Entry> entries_;
  std::vector<std::int64_t> extents_;
  bool interns_ = false;
  std::unordered_multimap<std::size_t, int> by_hash_;
  std::map<int, array> unsized_;  // with lengths that depend on data: known when the array has its value
};

/// A step from an array to a view of it: an operation, or, where the view was not made under the level, where it lies in the
/// memory of the array. Shared by the views that were made of the view; counted without atomics, as a level has one thread.
struct ViewStep {
  static constexpr op_id by_place = op_id::count_;

  op_id op{};
  op_params params;
  dims shape;
  array unsized;  // the view, where a length depends on data: known when it has its value
  dtype_id type{};
  // by_place: in bytes, those of the array that owns the memory, too
  dims strides, owner_strides;
  std::int64_t offset = 0;
  location where{};
  ViewStep* outer = nullptr;
  int refs = 0;
};
/// A reference to the last step of a path; none: the array itself.
class Path {
 public:
  Path() = default;
  /// The path with one more step.
  Path(Path outer, std::unique_ptr<ViewStep> step) : last_(step.release()) {
    last_->outer = std::exchange(outer.last_, nullptr);
    last_->refs = 1;
  }
  Path(const Path& o) : last_(o.last_) {
    if (last_) ++last_->refs;
  }
  Path(Path&& o) noexcept : last_(std::exchange(o.last_, nullptr)) {}
  Path& operator=(Path o) noexcept {
    std::swap(last_, o.last_);
    return *this;
  }
  ~Path() {
    for (ViewStep* step = last_; step && --step->refs == 0;) delete std::exchange(step, step->outer);
  }
  bool empty() const { return !last_; }
  /// From the array to the view.
  std::vector<const ViewStep*> steps() const;

 private:
  ViewStep* last_ = nullptr;
};

/// An array or a number that an operation took.
struct Operand {
  array value;               // if a rule needs it
  int variable = no_number;  // if it is active
  int made_by = no_number;   // of what is not, but made of active values: its variable
  int layout = no_number;    // of an array
  weak_kind kind = weak_kind::none;
  std::int64_t bits = 0;
  double imag = 0;

  /// Its variable, also of what is made of active values; no_number: it is neither.
  int any_variable() const { return variable != no_number ? variable : made_by; }

  void set_number(const operand& o);
  /// The number.
  operand number() const;
};

struct Rule;
class Recipe;

/// Where the value comes from of an array that an entry does not hold.
struct ByRecipe {
  int slot;  // of the entry
  std::shared_ptr<Recipe> recipe;
  int result;
};

/// A function with a rule of its own, on a tape.
struct CustomEntry {
  CustomRule rule;
  std::vector<int> results;  // variables; no_number for results without derivatives
};

/// An operation, what it took and gave. Up to three operands without allocation.
struct Applied {
  op_id op{};
  const Rule* rule = nullptr;
  location where{};
  std::unique_ptr<op_params> params;  // null: none
  array mask;                         // where=
  array result;                       // if a rule needs it
  int variable = no_number;           // of the result
  int layout = no_number;
  std::uint8_t needs = 0;                     // values that the rule needs: see Rule::needs
  std::shared_ptr<const CustomEntry> custom;  // a function with a rule of its own, which has several results
  Path path;                                  // of stores: from the array whose memory is written to the view that is stored into
  std::unique_ptr<std::vector<ByRecipe>> by_recipe;  // null: what rules need is held

  const op_params& p() const { return params ? *params : op_call::no_params(); }
  std::size_t size() const { return size_; }
  void resize(std::size_t n) {
    size_ = n;
    if (n > few) more_.resize(n);
  }
  /// Do derivatives go through it?
  bool is_active() const {
    if (custom) return true;
    for (std::size_t i = 0; i < size_; ++i)
      if (in(i).variable != no_number) return true;
    return false;
  }
  /// What can be made again goes: the result, and values of active operands and of what is made of them.
  void give_up() {
    result = array();
    for (std::size_t i = 0; i < size_; ++i)
      if (in(i).any_variable() != no_number) in(i).value = array();
  }
  /// Arrays that a function's own rule keeps.
  std::size_t kept_count() const { return custom ? custom->rule.kept->size() : 0; }
  Operand& in(std::size_t i) { return size_ <= few ? few_[i] : more_[i]; }
  const Operand& in(std::size_t i) const { return size_ <= few ? few_[i] : more_[i]; }

 private:
  static constexpr std::size_t few = 3;
  std::array<Operand, few> few_;
  std::vector<Operand> more_;
  std::size_t size_ = 0;
};

}  // namespace numjit::transform
