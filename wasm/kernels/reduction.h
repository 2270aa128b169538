// Reductions in kernels: the states of all reduce nodes of one level, and how they are joined.
#pragma once

#include <vector>

#include "lower.h"

namespace numjit::wasm_gen {

/// Lanes of the canonical order.
inline constexpr int lane_count = runtime::chunk_lanes;

/// A reduce node, and its state: a value, and of arg reductions the place it was found at.
struct Reduction {
  int node = 0;
  op_id op{};
  int loop = 0;
  std::uint16_t input = 0;
  dtype_id input_type{}, type{};
  bool is_arg = false;
  bool fills = false;       // has no identity: its state knows whether there is something in it
  std::vector<Type> parts;  // of the state: value, then place or whether it is filled
};
std::vector<Reduction> reductions_of(const graph::KernelSpec& spec, int level);

/// A state as values; `place` of arg reductions, `filled` of those without an identity.
struct State {
  Value value;
  Id place = 0;
  Id filled = 0;
};

class States {
 public:
  States(Kernel& kernel, const graph::KernelSpec& spec, int level);

  Kernel& k;
  std::vector<Reduction> list;
  std::vector<Type> parts;  // of all states, one after the other

  /// States from values of all parts, and back.
  std::vector<State> from(const std::vector<Id>& ids) const;
  std::vector<Id> ids(const std::vector<State>& states) const;

  /// Elements to be reduced, at `place`.
  std::vector<State> elements(const graph::KernelSpec& spec, const Leaves& leaves, Id place) const;
  /// States that change nothing, at `place`.
  std::vector<State> starts(Id place) const;

  /// `b`, which comes after all that is in `a`, joined to it.
  std::vector<State> append(const std::vector<State>& a, const std::vector<State>& b) const { return joined(a, b, false); }
  /// The same in any order: an arg reduction takes the smaller place among equals.
  std::vector<State> merge(const std::vector<State>& a, const std::vector<State>& b) const { return joined(a, b, true); }
  /// `b` where the condition holds, else `a`.
  std::vector<State> chosen(Id condition, const std::vector<State>& b, const std::vector<State>& a) const;

  Value finished(std::size_t i, const State& state) const;

 private:
  std::vector<State> joined(const std::vector<State>& a, const std::vector<State>& b, bool any_order) const;
  Id better(const Reduction& r, Value b, Value a) const;
  Id choose(Id condition, Type t, Id x, Id y) const;
  State join(const Reduction& r, const State& a, const State& b, bool any_order) const;
};

/// Bits of the value that changes nothing. Of sums -0.0: +0.0 is no identity.
std::uint64_t start_bits(op_id op, Type t);

/// Types of the spec's outputs; of what a kernel of one reduction level writes.
std::vector<dtype_id> output_types(const graph::KernelSpec& spec);
std::vector<dtype_id> reduced_types(const graph::KernelSpec& spec, const runtime::KernelVariant& variant);

/// What a kernel of one reduction level writes, from the finished states.
std::vector<Value> results(Kernel& k, const States& states, const std::vector<State>& finished, const Leaves& at_end);

std::vector<Buffer*> pointers(std::vector<Buffer>& a);
std::vector<Buffer*> pointers(std::vector<Buffer>& a, std::vector<Buffer>& b);

// The templates.
std::vector<char> write_elementwise(const graph::KernelSpec& spec, const runtime::KernelVariant& variant, const Target& target);
std::vector<char> write_rows(const graph::KernelSpec& spec, const runtime::KernelVariant& variant, const Target& target);
std::vector<char> write_panel(const graph::KernelSpec& spec, const runtime::KernelVariant& variant, const Target& target);
std::vector<char> write_product(const graph::KernelSpec& spec, const runtime::KernelVariant& variant, const Target& target);

}  // namespace numjit::wasm_gen
