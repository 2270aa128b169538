// Expressions of kernels as graphs of a few primitive operations, shared where they are equal.
//
// Rows are recorded into such graphs when the module is built (record_rows.cpp), copied into the graph of a kernel
// when it is made (row_table.h), and written as WebAssembly from there (emit.h).
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace numjit::wasm_gen {

enum class Type : std::uint8_t { b, i8, u8, i16, u16, i32, u32, i64, u64, f32, f64 };
inline constexpr int type_count = 11;

/// Bytes of a value; of b, a condition, those of an element in memory.
constexpr int width_of(Type t) {
  constexpr int widths[type_count] = {1, 1, 1, 2, 2, 4, 4, 8, 8, 4, 8};
  return widths[static_cast<int>(t)];
}
constexpr bool is_float(Type t) { return t == Type::f32 || t == Type::f64; }
constexpr bool is_signed(Type t) { return t == Type::i8 || t == Type::i16 || t == Type::i32 || t == Type::i64; }

/// What a node does with its inputs. Comparisons and logic of conditions give b.
enum class Prim : std::uint8_t {
  leaf,         // what comes from outside; imm: which
  constant,     // imm: its bits
  reinterpret,  // the same bits as another type
  convert,      // static_cast, for float to integer only in range
  lt, le, eq, ne,
  bit_and, bit_or, bit_xor, bit_not,
  add, sub, mul,  // integers wrap
  div,            // floats
  quotient,       // integers, truncated; the divisor is neither 0 nor -1
  sqrt, floor, ceil, trunc, nearest,
  shl, shr,       // by in[1], of the same type and within the width; shr keeps the sign of signed ones
  popcount,
  select,         // in[0] ? in[1] : in[2]
  rarely,         // the same, where in[1] is hardly ever needed: computed behind a branch
};
inline constexpr int prim_count = static_cast<int>(Prim::rarely) + 1;

constexpr int arity_of(Prim p) {
  switch (p) {
    case Prim::leaf: case Prim::constant: return 0;
    case Prim::reinterpret: case Prim::convert: case Prim::bit_not: case Prim::sqrt: case Prim::floor: case Prim::ceil:
    case Prim::trunc: case Prim::nearest: case Prim::popcount: return 1;
    case Prim::select: case Prim::rarely: return 3;
    default: return 2;
  }
}

using Id = std::uint32_t;

struct DagNode {
  Prim prim = Prim::leaf;
  Type type = Type::b;
  Id in[3] = {0, 0, 0};
  std::uint64_t imm = 0;
  friend bool operator==(const DagNode&, const DagNode&) = default;
};

/// Nodes in order: inputs stand before those that use them.
class Dag {
 public:
  Id add(const DagNode& node);
  Id leaf(Type type, std::uint64_t which) { return add({Prim::leaf, type, {}, which}); }
  Id constant(Type type, std::uint64_t bits) { return add({Prim::constant, type, {}, bits}); }
  Id make(Prim prim, Type type, Id a, Id b = 0, Id c = 0) { return add({prim, type, {a, b, c}, 0}); }

  const DagNode& operator[](Id id) const { return nodes_[id]; }
  Id size() const { return static_cast<Id>(nodes_.size()); }
  void clear() {
    nodes_.clear();
    known_.clear();
  }

 private:
  struct Hash {
    std::size_t operator()(const DagNode& n) const {
      std::uint64_t h = n.imm * 0x9e3779b97f4a7c15u;
      h ^= (static_cast<std::uint64_t>(n.prim) << 8 | static_cast<std::uint64_t>(n.type)) * 0xff51afd7ed558ccdu;
      for (Id id : n.in) h = (h ^ id) * 0xc4ceb9fe1a85ec53u;
      return static_cast<std::size_t>(h ^ (h >> 31));
    }
  };
  std::vector<DagNode> nodes_;
  std::unordered_map<DagNode, Id, Hash> known_;
};

inline Id Dag::add(const DagNode& node) {
  const auto [at, is_new] = known_.try_emplace(node, size());
  if (is_new) nodes_.push_back(node);
  return at->second;
}

/// One element: a value, or the two parts of a complex number.
struct Value {
  Id re = 0, im = 0;
};

}  // namespace numjit::wasm_gen
