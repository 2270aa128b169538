// Which axis of each value is cut when a call is done in parts. Internal to tiles.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <numjit/trace/export/shape_walk.h>

namespace numjit::tracing {

/// Labels for one choice of axes: an axis, or `whole` for values that are the same in every part.
class TileLabels {
 public:
  static constexpr int whole = -1;

  /// The same path with the whole arguments, of `extent` along the axis, and with a part of `count`.
  TileLabels(const ShapeWalk& all, const ShapeWalk& part, std::int64_t extent, std::int64_t count)
      : all_(all), part_(part), extent_(extent), count_(count) {}

  /// Labels everything, and the results. Returns what stands in the way, "" if nothing does.
  std::string run(const std::vector<int>& argument_axes, std::vector<int>* result_axes);
  /// How far it came.
  std::size_t nodes_seen() const { return nodes_seen_; }

 private:
  struct Obstacle {
    std::string text;
  };
  int label_of(const ProgramSource& source) const;
  int label_node(const ShapeWalk::Step& step, std::size_t i);
  void check_shapes(const array& all, const array& part, int label) const;
  void check_params(const ShapeWalk::Step& all, const ShapeWalk::Step& part, std::size_t i) const;

  // By axis_rule.
  int broadcast(const ShapeWalk::Step& step, const graph::Node& n, const dims& result, std::size_t from = 0) const;
  int reduction(const ShapeWalk::Step& step, const graph::Node& n, const op_params& params) const;
  int along_axis(const ShapeWalk::Step& step, const graph::Node& n, const op_params& params) const;
  int index(const graph::Node& n, const op_params& params) const;
  int reshape(const ShapeWalk::Step& step, const graph::Node& n, const dims& to) const;
  int transpose(const graph::Node& n, const op_params& params, int rank) const;
  int diagonal(const graph::Node& n, const op_params& params, int rank) const;
  int windows(const graph::Node& n, const op_params& params) const;
  int take(const ShapeWalk::Step& step, const graph::Node& n, const op_params& params) const;
  int take_places(const ShapeWalk::Step& step, const graph::Node& n, int result_rank) const;
  int matmul(const ShapeWalk::Step& step, const graph::Node& n, const dims& result) const;
  int concatenate(const ShapeWalk::Step& step, const graph::Node& n, const op_params& params) const;
  int store(const ShapeWalk::Step& step, const graph::Node& n) const;
  int fill(const ShapeWalk::Step& step, std::size_t i) const;
  int search(const graph::Node& n, std::size_t input) const;
  int length(const ShapeWalk::Step& step, const graph::Node& n, const op_params& params) const;
  void require_whole_inputs(const graph::Node& n, const char* otherwise) const;
  int input_label(const graph::Node& n, std::size_t k) const;

  const ShapeWalk& all_;
  const ShapeWalk& part_;
  std::int64_t extent_, count_;
  std::vector<int> argument_axes_, computed_, labels_;  // labels_: of the graph at work
  std::size_t nodes_seen_ = 0;
};

}  // namespace numjit::tracing
