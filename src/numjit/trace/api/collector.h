// What explain(), profilers and budgets gather about compiled calls.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include <numjit/runtime/plan/plan.h>
#include <numjit/trace/api/explain.h>
#include <numjit/trace/record/observer.h>

namespace numjit::tracing {

/// "86% hidden": of the time of what ranks sent, that for which the program did not wait.
std::string hidden_text(std::int64_t hidden_ns, std::int64_t ns);

struct Collector : CallObserver {
  /// `sums_only`: no graphs, for those that watch long.
  explicit Collector(bool sums_only);
  /// Notes from now on what happens when.
  void keep_timeline();
  /// All that was seen; `watched` is the name of what was watched, which waits for kernels that are not ready or does not.
  explain_report report_on(const std::string& watched, bool waits) const;

  struct Segment {
    std::string graph_text;
    int op_count = 0;
    std::vector<runtime::StepInfo> steps;
    std::vector<std::string> guards;
    std::int64_t peak_bytes = 0;
    std::uint64_t runs = 1;  // of equal segments, whose steps are added up
    int backward_ops = 0;
    int recomputed_ops = 0;  // by more kernels than one, of the way there
    std::vector<location> places{};  // of the graph's nodes
  };
  struct Break {
    BreakEvent event;
    std::uint64_t hits = 0;
    std::int64_t cost_ns = 0;
  };
  struct Recompile {
    std::string reason;
    location where;
  };
  struct Kept {
    std::string array;  // "float64 (1000, 1000)"
    std::int64_t bytes = 0;
    location where;  // of the op that made it
  };
  struct Cut {
    std::string reason;  // as in cut_reason
    location where;
    std::uint64_t hits = 0;
  };
  std::vector<Cut> cut_reasons;  // those that are not for size
  std::vector<Kept> kept;        // large results that a break made the segment store
  std::vector<Recompile> recompiles;
  std::vector<Segment> segments;
  std::vector<Break> breaks;
  std::uint64_t cuts = 0, calls = 0;
  std::string eager_choice;      // why calls like this one run eagerly
  std::int64_t saved_bytes = 0;  // the most that a tape held
  int thinned_segments = 0;
  int recipe_operations = 0;  // that a way back carried out again, in another graph than the way there
  std::int64_t segment_ns = 0, kernel_ns = 0;
  /// What happened when, since it was asked for.
  std::vector<timeline_event> timeline;
  std::int64_t timeline_begin_ns = -1;  // of the clock; -1: nobody asks
  std::int64_t slowest_ns = 0;  // of one segment, outside kernels
  std::string slowest_function;

 protected:
  ~Collector() = default;

 private:
  void on_segment(const SegmentEvent& event) override;
  void on_cut() override { ++cuts; }
  void on_cut_reason(const std::string& reason, const location& where) override;
  void on_break(const BreakEvent& event, std::int64_t cost_ns) override;
  void on_recompile(const std::string& text, const location& where) override;
  void on_call_begin(const std::string& function) override;
  void on_call_end() override;
  void on_eager_choice(const std::string& times) override { eager_choice = times; }
  void on_tape(std::int64_t bytes, int thinned, int by_recipe) override {
    saved_bytes = std::max(saved_bytes, bytes);
    thinned_segments += thinned;
    recipe_operations += by_recipe;
  }
  void add_graph(const SegmentEvent& event);
  void add(Segment segment);
  void add_kept(const SegmentEvent& event);
  void note(std::string kind, std::string name, std::int64_t begin_ns, std::int64_t ns);
  void note_segment(const SegmentEvent& event, const std::vector<runtime::StepInfo>& steps);

  const bool sums_only_;
  std::string call_;  // the one that is under way, for the timeline
  std::int64_t call_begin_ns_ = 0;
};

}  // namespace numjit::tracing
