// How a fused group meets memory: iteration spaces brought to the few axes kernels take, argument
// blocks, and the plans that call kernels over ranges. Internal to runtime.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <numjit/base/config.h>
#include <numjit/graph/kernel_spec.h>
#include <numjit/runtime/kernels/abi.h>
#include <numjit/runtime/kernels/cache.h>
#include <numjit/runtime/launch/fused_call.h>

namespace numjit::runtime::detail {

/// One axis of an iteration space: its length and each array's stride along it, in elements.
struct Axis {
  std::int64_t extent = 1;
  std::vector<std::int64_t> stride;
};

/// An iteration space without needless axes: length-1 axes dropped, axes ordered by stride (the output
/// decides, then the inputs), runs that are contiguous for every array merged. Axes that the output
/// walks backwards are turned round, which `offset` (elements, per array) accounts for.
struct Space {
  std::vector<Axis> axes;  // outermost first, without reduced axes
  Axis reduced[2];         // as given: their order is part of the result
  std::vector<std::int64_t> offset;
  bool empty = false;       // some remaining axis has length 0
  std::int64_t points = 1;  // product of `axes`
};

/// False if some stride is not a multiple of its element size (no kernel reads such memory).
bool make_space(const graph::KernelSpec& spec, const Launch& launch, Space& space);

/// Element sizes of operands, then outputs.
std::vector<std::int64_t> item_sizes(const graph::KernelSpec& spec);

/// Types of the spec's outputs.
std::vector<dtype_id> output_types(const graph::KernelSpec& spec);

/// Parts of an element that kernels count strides in: 2 of complex elements, else 1.
int parts_of(dtype_id type);

/// Bytes of all arrays, each element counted once however often a broadcast repeats it.
std::int64_t bytes_moved(const graph::KernelSpec& spec, const Space& space);

/// 1, 0 or 2 (any). Along an axis of length 1 strides don't matter: 1.
std::uint8_t stride_class(std::int64_t stride, std::int64_t extent);

/// Largest count of steps along an axis so that kernels, which count elements in 32 bits, can reach all.
std::int64_t reachable_extent(const Axis& axis, const std::vector<std::int64_t>& reach_already);

/// Guess of the time one element of the spec's body takes on one thread, in ns, memory included.
double ns_per_point(const graph::KernelSpec& spec);

/// The arguments of one kernel call in one piece of memory, so that a thread can copy it.
class CallBlock {
 public:
  /// Operands with `axes_in` and outputs with `axes_out` axes, of these types.
  void init(const std::vector<dtype_id>& in, const std::vector<dtype_id>& scalars, int parameters,
            const std::vector<dtype_id>& out, int axes_in, int axes_out);
  /// A copy in `memory` (`bytes()` long, 8-aligned), valid while that lives.
  CallBlock copy_to(char* memory) const;
  std::size_t bytes() const { return bytes_; }

  kernel_buffer& in(int i) { return buffers()[i]; }
  kernel_buffer& out(int i) { return buffers()[in_ + i]; }
  /// The buffer's stride along an axis, given in elements.
  static void set_stride(kernel_buffer& buffer, int axis, std::int64_t elements) {
    buffer.dim[axis].stride = static_cast<std::int32_t>(elements * buffer.type_lanes);
  }
  std::int32_t& parameter(int i) { return parameters()[i]; }
  void set_scalars(const graph::KernelSpec& spec, const void* const* values);
  void** argv() { return reinterpret_cast<void**>(base_); }

 private:
  kernel_buffer* buffers() { return reinterpret_cast<kernel_buffer*>(base_ + buffers_at_); }
  std::int32_t* parameters() { return reinterpret_cast<std::int32_t*>(base_ + parameters_at_); }
  void link();

  std::unique_ptr<std::uint64_t[]> owned_;
  char* base_ = nullptr;
  std::size_t bytes_ = 0, buffers_at_ = 0, dims_at_ = 0, parameters_at_ = 0;
  // Counts of arrays, and the places they and the scalars take in argv.
  int in_ = 0, out_ = 0, in_places_ = 0, scalar_places_ = 0, out_places_ = 0;
  int parameter_count_ = 0, axes_in_ = 0, axes_out_ = 0;
};

/// Memory for a thread's copy of a CallBlock: on the stack unless there are very many arrays.
class BlockCopy {
 public:
  explicit BlockCopy(const CallBlock& from)
      : heap_(from.bytes() > sizeof(stack_) ? new std::uint64_t[from.bytes() / 8 + 1] : nullptr),
        block(from.copy_to(reinterpret_cast<char*>(heap_ ? heap_.get() : stack_))) {}

 private:
  std::uint64_t stack_[1024];
  std::unique_ptr<std::uint64_t[]> heap_;

 public:
  CallBlock block;
};

/// A fused group bound to one layout.
class LaunchPlan {
 public:
  virtual ~LaunchPlan() = default;
  virtual void run(const Launch& launch) = 0;
  /// Can it run the first rows of its outermost axis, which has `rows`, alone?
  virtual bool can_run_first(std::int64_t /*rows*/) const { return false; }
  /// Runs the first `count` of them, on this thread.
  virtual void run_first(const Launch& /*launch*/, std::int64_t /*count*/, std::int64_t /*rows*/) {}
  /// The same of its two outermost axes, which have `rows` and `columns`.
  virtual bool can_run_corner(std::int64_t /*rows*/, std::int64_t /*columns*/) const { return false; }
  virtual void run_corner(const Launch& /*launch*/, std::int64_t /*rows*/, std::int64_t /*columns*/,
                          std::int64_t /*of_columns*/) {}
  /// Of a reduction over the outermost axis: chunks of it that can be run by themselves, in any order, on any thread, between the
  /// first and the last of these calls; 0: it is none.
  virtual std::int64_t chunks() const { return 0; }
  virtual void begin_chunks(const Launch& /*launch*/) {}
  virtual void run_chunks(const Launch& /*launch*/, std::int64_t /*from*/, std::int64_t /*to*/) {}
  virtual void finish_chunks(const Launch& /*launch*/) {}
  /// Of plans whose runs are one small kernel call and nothing else; null for others.
  virtual const DirectKernel* direct() const { return nullptr; }
  std::string schedule;  // for explain()
  std::string kernel;
  std::int64_t bytes = 0;  // moved by a run
};

/// Is config().float_mode fast in this scope?
inline bool is_fast() {
  using numjit::detail::config_field;
  return static_cast<float_mode>(numjit::detail::read_config(config_field::float_mode)) == float_mode::fast;
}

/// Kernels a FusedCall has asked for, so that a layout met again costs no hashing.
class KernelSource {
 public:
  /// The entry point for a variant of `spec`, or null while there is none. config().float_mode decides
  /// the variant's fast_math.
  kernel_entry find(const graph::KernelSpec& spec, KernelVariant variant, std::string* name);
  bool any_timed_out() const;

 private:
  struct Known {
    graph::KernelSpec spec;
    KernelVariant variant;
    std::shared_ptr<Kernel> kernel;
  };
  std::vector<Known> known_;
};

/// The part of a spec that computes `outputs`, with the nodes `cuts` as operands. `sources` gets what each
/// of its operands is: an operand of `spec`, or -1 - i for cuts[i]. Reduction levels below the cuts are
/// taken off.
graph::KernelSpec extract_spec(const graph::KernelSpec& spec, const std::vector<std::uint16_t>& outputs,
                               const std::vector<std::uint16_t>& cuts, std::vector<int>& sources);

/// Plans by kind of group; null if a kernel they need is not ready or the layout is not for kernels.
std::unique_ptr<LaunchPlan> plan_elementwise(const graph::KernelSpec& spec, const Space& space, KernelSource& kernels);
/// Elementwise work over a short inner axis, whose operands do not all merge with the next one.
bool is_narrow(const graph::KernelSpec& spec, const Space& space);
std::unique_ptr<LaunchPlan> plan_narrow(const graph::KernelSpec& spec, const Space& space, KernelSource& kernels);
std::unique_ptr<LaunchPlan> plan_reduce(const graph::KernelSpec& spec, const Space& space, KernelSource& kernels);
/// Two nested reductions: in one kernel where the product template serves, else in two, tile by tile.
std::unique_ptr<LaunchPlan> plan_product(const graph::KernelSpec& spec, const Space& space, KernelSource& kernels);
std::unique_ptr<LaunchPlan> plan_nested(const graph::KernelSpec& spec, const Space& space, KernelSource& kernels);

}  // namespace numjit::runtime::detail
