// Code for the values of a graph at one place of a loop: for one element, or for several in vectors.
//
// A value of several elements takes as many vectors as they need, one after the other; where they do not fill one,
// its upper part holds anything. A condition is all bits or none, as wide as what was compared; for one element it
// is an i32, 0 or 1.
#pragma once

#include <functional>
#include <vector>

#include "dag.h"
#include "function.h"

namespace numjit::wasm_gen {

/// Memory that leaves are read from, or results written to: a pointer that walks along, or stands still.
struct Array {
  enum class Walk : std::uint8_t { still, dense, strided };
  int pointer = 0;  // local: address of the element at hand
  Type type{};      // of its parts
  Walk walk = Walk::dense;
  int stride = 0;   // strided: local with the bytes from element to element; 0: two parts of complex elements
};

/// What a leaf is; leaves name it by their `imm`.
struct Source {
  enum class Kind : std::uint8_t {
    array,   // element of arrays[index], `part`
    scalar,  // behind argument `index` of the kernel
    state,   // what locals hold: `index` is the first of them
    place,   // an i32 local plus the number of the element in the loop's step
    fixed,   // an i32 local
  } kind;
  int index = 0;
  int part = 0;
};

/// The surroundings of a kernel's code.
struct Context {
  Function& code;
  const Dag& dag;
  const std::vector<Array>& arrays;
  const std::vector<Source>& sources;
};

class Pass {
 public:
  /// `roots`: what will be pushed. `lanes`: elements at once; 1: no vectors.
  Pass(const Context& context, std::vector<Id> roots, int lanes);

  /// Before the loop: what is the same for all its elements.
  void before();
  /// Inside: computes what push() needs. Reads all memory that is read.
  void compute();
  /// Pushes vector `i` of a value (the only one, for one element).
  void push(Id id, int i = 0);
  /// Pushes a condition in bytes, all bits or none.
  void push_condition(Id id, int i) { push_mask(id, 1, i); }
  /// Pushes a value as it is stored: of a condition bytes 0 or 1.
  void push_stored(Id id, int i = 0);
  /// Vectors of a value that is stored with this width.
  int vectors(int width) const { return lanes_ == 1 || lanes_ * width <= 16 ? 1 : lanes_ * width / 16; }
  /// Stores the value into an array at the element at hand.
  void store(Id id, const Array& to, int part);
  /// Moves on by the step.
  void advance(const Array& array);

  int lanes() const { return lanes_; }

 private:
  using Push = std::function<void(int)>;

  bool is_vector() const { return lanes_ > 1; }
  const DagNode& node(Id id) const { return c_.dag[id]; }
  bool is_constant(Id id) const { return node(id).prim == Prim::constant; }
  int count_of(Id id) const;
  /// Bytes of an element where the value is kept.
  int width_kept(Id id) const;

  void analyse(const std::vector<Id>& roots);
  bool is_scalarized(const DagNode& n) const;
  bool wants_locals(Id id) const;
  void keep(Id id);
  void keep_rare(Id id);
  void keep_all(const std::vector<Id>& wanted);

  void push_one(Id id);
  void push_leaf(Id id, int i);
  void push_constant(Type type, std::uint64_t bits);
  void push_mask(Id id, int width, int i);
  void push_natural(Id id, int i);
  void push_vector_op(Id id, int i);
  void push_comparison(const DagNode& n, int i);
  void push_convert(const DagNode& n, int i);
  void push_truncated(Id in, Type to, bool is_unsigned, int i);
  void push_quotient(const DagNode& n, int i);
  bool push_bound(const DagNode& n, int i);
  bool is_held_below(Id id, Id v, Id l) const;
  void push_shift(const DagNode& n, int i);
  void push_narrow_product(const DagNode& n, int i);
  void push_lanes(const DagNode& n, int i);
  void push_lane(Id id, int element);
  void push_resized(const Push& push, int count, int from, int to, bool is_signed, int i);
  void push_to_i32(Id id, int i);
  void push_low_halves(const Push& push, int count, int i);
  void push_again();
  void bring_down();
  void load_vector(const Array& array, int part, int i);

  Context c_;
  int lanes_;
  std::vector<Id> roots_;
  std::vector<bool> needed_, hot_, same_, forced_;
  std::vector<std::uint8_t> natural_;
  std::vector<std::uint16_t> uses_, depth_;
  std::vector<int> local_;      // first local of a value that is kept, -1
  std::vector<Id> kept_;        // in order, to forget at the end of a block
  int step_ = -1, twice_ = -1;  // scratch: an address, a vector
};

/// The operation of a node on values for one element that stand on the stack.
void write_scalar_op(Function& code, const Dag& dag, const DagNode& n);
Wasm scalar_type(Type type);
void write_scalar_constant(Function& code, Type type, std::uint64_t bits);

/// A loop over `count` (a local that is used up) elements: steps of `lanes`, and the rest one by one. All dense and
/// strided arrays move along.
struct Stored {
  Id value;
  int array;
  int part;
};
/// `index`: a local that counts elements for Source::place, or -1.
void write_loop(const Context& context, const std::vector<Stored>& stores, int count, int lanes, int index);

}  // namespace numjit::wasm_gen
