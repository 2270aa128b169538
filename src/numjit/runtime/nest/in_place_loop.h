// Stores in place that follow each other on the same rows, as the steps of a loop over time are: tile by tile through
// several steps, in two images of the tile that stay in a core's cache, with one meeting of the threads for all steps.
//
//   for step in range(8): u(in, in) += 0.1 * (u(up, in) + u(down, in) + ...)
//
//     step by step: u is read and written 8 times      tile by tile: once
//                                                        image A = rows t0 - 8 .. t1 + 8 of u
//                                                        step 1: A to image B, rows t0 - 7 .. t1 + 7
//                                                        step 2: B to A,       rows t0 - 6 .. t1 + 6
//                                                        step 8: B to u,       rows t0 .. t1
//
// So do several arrays, as the two of a reaction and diffusion: each stage writes all of them from all of them.
// Rows around a tile are computed again by its neighbour ("overlapped tiling": Krishnamoorthy et al., Effective
// automatic parallelization of stencil computations, PLDI 2007). What a tile overwrites and the next one has to read
// as it was, waits in a buffer. Same bits: each element is computed by the same kernel from the same values.
#pragma once

#include <numjit/runtime/nest/nest.h>

namespace numjit::runtime {

class InPlaceLoop final : public JointSteps {
 public:
  ~InPlaceLoop() override;

  /// Takes those of `stores`, in order, that run so; null stays in their places.
  static std::vector<std::unique_ptr<InPlaceLoop>> take(std::vector<std::unique_ptr<Nest>>& stores, const PlannedSteps& planned);

  bool keeps(int i) const override;
  bool run() override;
  std::string_view name() const override { return "in place, several steps"; }
  std::int64_t scratch_bytes() const override;

 private:
  InPlaceLoop() = default;
  struct Lane;
  struct Tile;
  struct Image;
  struct Field;

  static std::unique_ptr<InPlaceLoop> make(std::vector<std::unique_ptr<Nest>>& stores, std::size_t from, std::size_t to);
  bool fits();
  bool bind();
  std::int64_t image_rows() const { return tile_ + up_ + down_ + 1; }
  std::int64_t lane_bytes() const;
  std::int64_t share_begin(std::int64_t share, std::int64_t shares) const { return rows_ * share / shares; }

  bool places_hold();
  void place_lane(Lane& lane, char* memory) const;
  void save_borders(Lane& lane, std::int64_t begin, std::int64_t end, bool is_first, bool is_last) const;
  void run_share(Lane& lane, std::int64_t begin, std::int64_t end);
  void run_tile(Lane& lane, const Tile& tile);
  void compute(Lane& lane, std::size_t stage, bool to_targets) const;

  std::vector<std::unique_ptr<Nest>> stages_;
  std::vector<Field> fields_;            // the targets of each stage
  std::int64_t up_ = 0, down_ = 0;       // rows that all stages together look at below and above their own
  std::vector<std::vector<int>> moves_;  // per stage and operand: the field whose rows it reads, -1: none
  std::int64_t rows_ = 0, tile_ = 0;
  double estimate_ns_ = 0;
  std::vector<std::unique_ptr<Lane>> lanes_;
};

}  // namespace numjit::runtime
