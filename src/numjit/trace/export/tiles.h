// What a call of an exported program needs, and whether it can be done in parts: both by its graphs and the shapes of
// its arguments, without running it.
//
// A *part* of a call has a range of one axis of some arguments (the others whole), and gives the same range of an
// axis of each result. That is proved node by node: each value is either whole, that is the same in every part, or
// cut along one of its axes, so that the part of the value is the value of the parts.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <numjit/trace/export/program.h>

namespace numjit::tracing {

/// An array without its elements.
struct ArrayShape {
  dtype_id type{};
  dims shape;
  std::int64_t bytes() const;
  friend bool operator==(const ArrayShape&, const ArrayShape&) = default;
};

/// What a call needs.
struct CallCost {
  std::int64_t bytes = 0;           // arguments, results and the temporaries of the worst moment, run op by op
  std::vector<ArrayShape> results;  // of the path that the first example took
  bool complete = true;             // false: lengths that depend on data were met, or a value that the program reads
};
/// Errors of the operations as they are, for arguments that don't fit.
CallCost call_cost(const Program& program, const ProgramEntry& entry, const std::vector<ArrayShape>& arguments);

/// A way to take a call apart.
struct Tiling {
  std::int64_t extent = 0;         // of the axis
  std::vector<int> argument_axis;  // by argument; -1: given whole
  std::vector<int> result_axis;    // by result; -1: the same in every part
};
struct TilingAnswer {
  std::optional<Tiling> tiling;
  std::string why;  // there is none: the obstacle that was met first, on the way that went furthest
};
/// The tiling that cuts most bytes, by the first axis if several do.
TilingAnswer find_tiling(const Program& program, const ProgramEntry& entry, const std::vector<ArrayShape>& arguments);

/// The arguments of a part of `count` elements along the axis.
std::vector<ArrayShape> part_of(const std::vector<ArrayShape>& arguments, const Tiling& tiling, std::int64_t count);

/// The entry of a program for such arguments. ValueError as find_entry.
const ProgramEntry& entry_for(const Program& program, const std::vector<ArrayShape>& arguments);

}  // namespace numjit::tracing
