// An open transform: who sees each operation of a function before the level below carries it out.
#pragma once

#include <numjit/transform/applied.h>

namespace numjit::transform {

class Level;

/// What an open level knows of an array. Goes with the array or with the level, whichever ends first.
struct Note {
  Note* next = nullptr;                      // of the same array, by another level
  Note *before = nullptr, *after = nullptr;  // of the same level
  node* of = nullptr;
  Level* level = nullptr;
  std::int32_t variable = no_number;  // of a tape
  std::int32_t made_by = no_number;   // of a tape that may be thinned, of what is not active but made of active values
  bool made_inside = false;           // of a batch: by the function itself
  std::uint32_t version = 0;          // of what owns memory: counts stores; of others: those that the note knows of
  array companion;                    // of a forward level: the change; of a batch: the stack
  Path path;                          // from what owns the memory, of views that were made under the level
  array root;                         // what owns it, of views that are pending
};

/// Levels stand on each other, and the lowest on the thread's base interpreter (the eager engine, a recorder, who looks for
/// floating-point errors), which scopes and compiled calls change below them: it is asked for at each call.
///
/// A level knows which arrays are active: its arguments, and what was made of them. Memory that is stored into has versions: what
/// is known of a view of it is found anew from what is known of the whole when that has moved on.
class Level : public interpreter {
 public:
  /// Opens it on this thread. `name`: what errors begin with.
  /// `notes_results`: what the function makes has a note, active or not.
  explicit Level(const char* name, bool notes_results = false);
  /// Closes it. Levels close in the reverse order of opening.
  ~Level() override;
  Level(const Level&) = delete;
  Level& operator=(const Level&) = delete;

  array apply(const op_call& call) final;
  array apply_ufunc(op_id op, const operand& a) final;
  array apply_ufunc(op_id op, const operand& a, const operand& b) final;

  const char* name() const { return name_; }
  /// The values of an array as a constant to derivatives, here and below.
  array stopped(const array& x);
  void sees_read(node* n, const char* why, const location& where) final;
  void sees_view(node* of, node* view, const location& where) final;
  /// The array that owns the memory of `n`, which may be pending.
  static node* memory_of(node* n);
  /// Is the array active at this level?
  bool knows(node* n) { return is_active(n); }
  interpreter* below_or_null() const { return outer_ ? outer_ : detail::own_context.base_interpreter; }
  bool has_outer() const { return outer_ != nullptr; }
  Level* outer() const { return static_cast<Level*>(outer_); }
  /// Do derivatives go through what it sees?
  virtual bool differentiates() const { return true; }
  bool is_followed(node* n) final { return is_active(n) || (outer_ && outer_->is_followed(n)); }

  /// Throws if a value that is followed went into memory that others see and nobody here has any more.
  void check_nothing_lost() const;
  /// Is the note of something that is active, other than by what it is made of?
  static bool is_of_active(const Note& k) { return k.variable != no_number || !k.companion.empty_handle(); }

 protected:
  /// While it lives, operations go to the level below.
  class Below {
   public:
    explicit Below(Level& level) : top_(detail::own_context.top_interpreter) {
      detail::own_context.top_interpreter = level.below_or_null();
    }
    ~Below() { detail::own_context.top_interpreter = top_; }
    Below(const Below&) = delete;
    Below& operator=(const Below&) = delete;

   private:
    interpreter* const top_;  // another level, where one further out is told of a view
  };
  /// Carries a call out below.
  array carry_out(const op_call& call) {
    const Below below(*this);
    return bind(call);
  }

  // ---- what the kinds of levels say ----
  /// The program reads the value of an array.
  virtual void read(node*, const char* /*why*/, const location&) {}
  /// Memory with something active in it is known by its owner from now on, as if it had been stored into: views of it that no
  /// operation made are found by their place.
  virtual void know_memory(node* memory, const location& where) = 0;
  /// Is the array active, as it is now?
  virtual bool is_active(node* n) = 0;
  /// The same of a batch: one for each example. Empty: not active, or a constant is wanted.
  virtual array stopped_batch(const array&) { return {}; }
  /// An operation with an active input. Carries it out.
  virtual array active(const op_call& call) = 0;
  /// What stores, of active values or into active memory. Carries it out.
  virtual void active_store(const op_call& call) = 0;
  /// The memory of `n` is about to be written.
  virtual void before_store(node* n) = 0;
  /// It was, by an operation of the program's.
  virtual void behind_store(node*) {}
  /// What has given `result`, which is no view, without active operands: where sees_all_.
  virtual void inactive(const op_call& /*call*/, node* /*result*/) {}
  /// A call of code that is not the engine's, or has a state: it may store into its operands. True: it is as a call with an
  /// active operand.
  virtual bool before_opaque(const op_call& call);
  /// Is there anything active in memory, which this array owns?
  virtual bool is_memory_active(node* memory) = 0;

  // ---- notes ----
  Note* note_of(const node* n) const {
    for (Note* k = n->notes; k; k = k->next)
      if (k->level == this) return k;
    return nullptr;
  }
  /// The note of an array, a new one if it has none.
  Note& note_for(node* n);
  void forget(node* n) noexcept {
    if (n->notes) [[unlikely]]
      if (Note* k = note_of(n)) drop(k);
  }
  /// Forgets what an earlier value of a node was that is handed out again.
  Note& fresh_note(node* n);
  /// Of the owner of memory, if it was stored into under this level; else null.
  Note* written(node* memory) const {
    if (stores_ == 0) return nullptr;
    Note* const k = note_of(memory);
    return k && k->version > 0 ? k : nullptr;
  }
  array stopped_below(const array& x);
  /// From before_store() until the store was carried out: a graph that ends in between does not come to hold what it overwrites.
  class [[nodiscard]] Writing {
   public:
    Writing(Level& level, node* n) : Writing(level, memory_of(n), false) {}
    /// Any of the operands of code that is not the engine's.
    explicit Writing(Level& level) : Writing(level, nullptr, true) {}
    ~Writing() {
      level_.writing_ = memory_before_;
      level_.writes_anything_ = anything_before_;
    }
    Writing(const Writing&) = delete;
    Writing& operator=(const Writing&) = delete;

   private:
    Writing(Level& level, const node* memory, bool anything)
        : level_(level),
          memory_before_(std::exchange(level.writing_, memory)),
          anything_before_(std::exchange(level.writes_anything_, anything)) {}
    Level& level_;
    const node* const memory_before_;
    const bool anything_before_;
  };
  const node* writing_ = nullptr;  // memory
  bool writes_anything_ = false;
  bool sees_all_ = false;
  int stores_ = 0;  // under this level that made or kept memory active

  /// Is what an operation gave one of its operands?
  static bool is_operand(const op_call& call, const node* made);
  /// Is it a view of its first operand's memory, and no copy?
  static bool is_view_of_operand(const op_call& call, node* made);
  /// Notes the path of a view: its memory is active, or a store may make it so.
  Note& note_view(const op_call& call, node* result);
  /// Another array of the same elements in the same memory, which the levels below know as a view.
  array same_memory(const array& x);

  // ---- companions ----
  /// What stands beside an array as it is now, or an empty handle: its own, or, if its memory was stored into, what its path
  /// leads to from what stands beside that.
  array companion_of(node* n);
  /// What a path leads to from a companion of what owns the memory. Binds below.
  virtual array follow(const array& whole, const Path& path);

  // ---- memory ----
  /// How `n` comes from what owns its memory.
  Path path_of(node* n) const;
  /// The path of what a view operation gives; `of`: its input.
  Path path_of_view(const op_call& call, node* of, const node* result) const;

 private:
  friend void drop_notes(node* n) noexcept;
  friend void refuse_followed_elsewhere(const node* n, std::string_view op);
  void drop(Note* k) noexcept;
  void unlink(Note* k) noexcept;
  template <class... Operand>
  bool any_active(const Operand&... operands);
  array with_out(const op_call& call);
  array store(const op_call& call);
  void tell_behind_store(node* n);

  /// The result of an operation without active operands.
  void came(node* n) {
    if (notes_results_) [[unlikely]]
      fresh_note(n).made_inside = true;
    else
      forget(n);
  }

  const char* name_;
  const bool notes_results_;
  interpreter* const outer_;  // the level that was open before, or null
  int number_ = 0;            // from the outermost, 1
  bool counts_thread_ = false;  // the thread's first open level
  location others_stored_at_{}, lost_at_{};  // stores into memory that is others'; one whose note is lost
  Note* notes_ = nullptr;
  Note* free_ = nullptr;
  void* const thread_ = detail::this_thread();
};

}  // namespace numjit::transform
