// What one call does, segment by segment, with the values that its body reads: noted for export.
#pragma once

#include <exception>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <numjit/array/array.h>
#include <numjit/graph/graph.h>
#include <numjit/runtime/plan/plan.h>
#include <numjit/trace/record/observer.h>

namespace numjit::tracing {

/// Watches a call. Holds its arrays, so that no address comes back for another one.
struct CallLog final : CallObserver {
  CallLog() : CallObserver(graphs | breaks | reads | copies) {}

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
  std::exception_ptr refused;  // what was thrown into the body for a break

 private:
  void on_segment(const SegmentEvent& event) override;
  void before_break(const BreakEvent& event) override;
  void before_read(const BreakEvent& event, const char* why) override;
  void after_read(const BreakEvent& event, node* of, const char* why) override;
  [[noreturn]] void refuse(const BreakEvent& event);
};

/// What a program learns from reading the single element of `n`: its truth for "bool", else its bytes.
std::string value_read(const node* n, std::string_view what);

}  // namespace numjit::tracing
