// Elementwise kernels over arrays that were put together from parts of others, as np.roll does, without these arrays.
//
//   u + 0.1 * (roll(u, 1, 0) + roll(u, -1, 0) + roll(u, 1, 1) + roll(u, -1, 1) - 4 * u)
//
//     one by one: four copies of u, read again            in pieces:  |t t t t t t|   inside: all that is read lies in one
//                                                                     |l inside  r|   part of u; the kernel reads it there
//                                                                     |l inside  r|   borders: the few elements are put
//                                                                     |b b b b b b|   together first
//
// Rolls of rolls, slices of them and other arrays side by side (concatenate, stack of parts, prepend=) are seen through.
// Same bits: each element is computed by the same kernel from the same values.
#pragma once

#include <optional>

#include <numjit/runtime/nest/nest.h>

namespace numjit::runtime {

class Pieces final : public JointSteps {
 public:
  ~Pieces() override;

  /// The runs of steps that end in such a kernel.
  static std::vector<std::unique_ptr<Pieces>> find(const graph::Graph& graph, PlannedSteps& planned, const RunInputs& inputs);

  /// What an operand is: an array that is there, all of it moved cyclically: element i is that at (i + ahead) of the array.
  struct Rolled {
    node* const* place = nullptr;  // null: the operand is as it is
    dims ahead;                    // at most half of an axis, to the one side or the other
  };
  /// The kernel, and its operands. Nothing: some are put together otherwise.
  std::optional<std::vector<Rolled>> rolled_operands() const;
  FusedPart& part() const { return *part_; }

  bool keeps(int i) const override { return joined_[static_cast<std::size_t>(i)]; }
  bool run() override;
  std::string_view name() const override { return "in pieces"; }
  std::int64_t scratch_bytes() const override { return scratch_bytes_; }

 private:
  Pieces() = default;
  struct Array;
  struct Box;
  struct Found;
  struct Region;
  class Finder;

  bool choose_regions();
  bool can_be_thin() const;
  bool bind();
  bool plan_region(Region& region);
  void lay_out(Region& region, std::size_t k, std::int64_t& bytes) const;
  std::int64_t item_of(std::size_t k) const;
  Found resolve(int array, Box box) const;
  void put_together(int array, const Box& box, char* to, const dims& strides) const;
  static void copy(LaunchOperand from, LaunchOperand to, const Box& box, std::int64_t item);
  char* start_of(std::size_t k, const Box& box) const;
  void run_region(Region& region, char* scratch) const;

  FusedPart* part_ = nullptr;
  std::vector<bool> joined_;  // per graph node: put together, but not stored
  std::vector<Array> arrays_;
  std::vector<int> array_of_;  // per operand: which of these it is, or -1
  dims shape_;
  std::vector<Region> regions_;  // the inside, then the borders
  detail::KernelSource kernels_;
  std::int64_t scratch_bytes_ = 0;
};

/// Takes those of `pieces` that follow each other with rolled operands together; null stays in their places. They are bound.
std::vector<std::unique_ptr<Nest>> take_periodic_rows(std::vector<std::unique_ptr<Pieces>>& pieces, const BoundPlan& plan);

}  // namespace numjit::runtime
