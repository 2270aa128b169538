// What one call did, segment by segment, with the values that its body read: noted for export.
#pragma once

#include <array>
#include <exception>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <numjit/array/array.h>
#include <numjit/graph/graph.h>
#include <numjit/runtime/plan/plan.h>

namespace numjit::tracing {

/// Filled by the recorder while Recorder::call_log points to it. Holds its arrays, so that no address
/// comes back for another one.
struct CallLog {
  struct Segment {
    graph::Graph graph;  // parameters of this run, outputs marked
    std::vector<runtime::ScalarValue> scalars;
    std::vector<array> inputs;   // of the input nodes, in order
    std::vector<array> outputs;  // of the live nodes, in order
  };
  struct Read {
    array of;
    std::string what;  // "bool", "item", ...
    location where;
    std::string value;  // see value_read()
  };
  std::vector<std::variant<Segment, Read>> events;
  bool reading = false;        // a read is being carried out
  std::exception_ptr refused;  // what was thrown into the body for a break
};

/// What a program learns from reading the single element of `n`: its truth for "bool", else its bytes.
std::string value_read(const node* n, std::string_view what);

}  // namespace numjit::tracing
