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
// Rows around a tile are computed again by its neighbour ("overlapped tiling": Krishnamoorthy et al., Effective
// automatic parallelization of stencil computations, PLDI 2007). What a tile overwrites and the next one has to read
// as it was, waits in a buffer. Same bits: each element is computed by the same kernel from the same values.
#pragma once

#include <algorithm>

#include <numjit/runtime/in_place.h>

namespace numjit::runtime {

class InPlaceLoop final : public JointSteps {
 public:
  ~InPlaceLoop() override;

  /// Takes those of `stores`, in order, that run so; null stays in their places.
  static std::vector<std::unique_ptr<InPlaceLoop>> take(std::vector<std::unique_ptr<InPlaceStore>>& stores,
                                                        const PlannedSteps& planned);

  bool keeps(int i) const override;
  bool run() override;
  std::string_view name() const override { return "in place, several steps"; }
  std::int64_t scratch_bytes() const override;

 private:
  InPlaceLoop() = default;
  struct Lane;
  struct Tile;
  struct Image;
  using Reach = InPlaceStore::Reach;

  static std::unique_ptr<InPlaceLoop> make(std::vector<std::unique_ptr<InPlaceStore>>& stores, std::size_t from,
                                           std::size_t to);
  bool fits();
  bool bind();
  std::int64_t image_rows() const { return tile_ + total_.up + total_.down + 1; }
  std::int64_t waiting_bytes(std::int64_t rows) const { return (rows + 1) * row_step_; }
  std::int64_t lane_bytes() const;
  std::int64_t share_begin(std::int64_t share, std::int64_t shares) const { return rows_ * share / shares; }

  bool reach_now();
  void run_share(Lane& lane, std::int64_t begin, std::int64_t end);
  void run_tile(Lane& lane, const Tile& tile);
  void load(const Lane& lane, const Tile& tile, Image to, std::int64_t end) const;
  void copy_rest(Image from, Image to, std::int64_t first, std::int64_t last, std::int64_t end) const;
  void compute(Lane& lane, std::size_t stage, Image from, Image to) const;
  void copy_out(char* to, std::int64_t from, std::int64_t end) const;
  std::int64_t inside(std::int64_t byte) const { return std::clamp(byte, region_begin_, region_end_); }

  std::vector<std::unique_ptr<InPlaceStore>> stages_;
  std::vector<Reach> reach_;         // of each stage, at this run
  Reach total_;                      // of all stages; that there is memory for
  std::vector<std::vector<bool>> moves_;  // per stage and operand: it reads the rows that are written
  std::int64_t rows_ = 0, row_step_ = 0, gap_ = 0, tile_ = 0;
  std::int64_t region_begin_ = 0, region_end_ = 0;  // bytes around the target's first that the stages read or write
  double estimate_ns_ = 0;
  std::vector<std::unique_ptr<Lane>> lanes_;
};

}  // namespace numjit::runtime
