// A kernel under construction: its arguments, and the graph of what it computes.
#pragma once

#include <functional>
#include <vector>

#include <numjit/runtime/kernels/abi.h>

#include "kernel.h"
#include "pass.h"
#include "row_table.h"

namespace numjit::wasm_gen {

/// Where the values at the ends of an expression come from.
struct Leaves {
  std::function<Value(int operand)> operand;
  std::function<Value(int node)> reduced;  // value of a reduce node
};

/// A buffer among the arguments, its fields in locals.
struct Buffer {
  int place = 0;        // in argv
  dtype_id type{};
  int array = 0;        // its entry in Kernel::arrays
  std::vector<int> base;    // running addresses: [0] of the array, [l] of loop l, outermost first
  std::vector<int> stride;  // of the looped axes, innermost first: bytes
};

/// How a loop goes on: elements at once, and whether most of their operations wait for each other.
struct Step {
  int lanes;
  bool chain;
};

/// What all templates share.
class Kernel {
 public:
  /// `parameters` of the template; `outputs`: types of what is written.
  Kernel(const graph::KernelSpec& spec, const runtime::KernelVariant& variant, const Target& target, int parameters,
         const std::vector<dtype_id>& outputs);

  Function code;
  Dag dag;
  std::vector<Array> arrays;
  std::vector<Source> sources;
  const graph::KernelSpec& spec;
  const runtime::KernelVariant& variant;
  const Target& target;

  Context context() { return {code, dag, arrays, sources}; }

  /// Adds the array of an argument, which walks along axis 0 as `stride_class` says; the other axes are looped over.
  Buffer buffer(int place, dtype_id type, int axes, std::uint8_t stride_class);
  /// One that is looped over along all axes.
  Buffer still_buffer(int place, dtype_id type, int axes);
  Buffer operand(int i, int axes);
  /// An array in scratch memory: `pointer` is set by the caller. Returns its index.
  int scratch_array(Type type);

  /// Elements of a buffer as leaves.
  Value element(const Buffer& buffer);
  /// What operands of an expression are, one buffer each. `buffers` must outlive it.
  Leaves elements(const std::vector<Buffer>& buffers);
  Id leaf(Type type, const Source& source);

  /// Pushes what an argument's axis has.
  void push_extent(int place, int axis);
  void push_stride(const Buffer& buffer, int axis);
  void push_parameter(int i);
  int output_place(int i) const { return output_places_[static_cast<std::size_t>(i)]; }

  Value scalar(int i);
  /// Value of a node of `of` (with the same arguments as `spec`).
  Value lower(const graph::KernelSpec& of, int node, const Leaves& leaves);
  std::vector<Value> lower_all(const graph::KernelSpec& of, const Leaves& leaves);

  /// Where a buffer's parts are stored.
  void add_stores(std::vector<Stored>& stores, const Buffer& to, Value v) const;

  /// Elements at once that suit these expressions.
  Step step_for(const std::vector<Id>& roots) const;
  int lanes_for(const std::vector<Id>& roots) const { return step_for(roots).lanes; }

  /// Starts a loop of `extent` (a local) rounds over axis `level` of these buffers: base[level] starts at
  /// base[level - 1], or at the array. Ends with end_axis.
  int begin_axis(const std::vector<Buffer*>& buffers, int level, int extent);
  void end_axis(const std::vector<Buffer*>& buffers, int level, int count);
  /// Sets the arrays to the running addresses of a level.
  void start_walk(const std::vector<Buffer*>& buffers, int level);

 private:
  std::vector<int> operand_places_, scalar_places_, output_places_;
  int parameter_place_ = 0, parameters_ = 0;
  Buffer new_buffer(int place, dtype_id type, Array::Walk walk);
  void add_axis(Buffer& buffer, int axis);
  void push_host(Buffer& buffer);
};

}  // namespace numjit::wasm_gen
