// What np::explain reports about one compiled call.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <numjit/base/config.h>

namespace numjit {

/// One reason for graph breaks, ranked by cost.
struct break_reason {
  std::string id, reason, explanation, hint, context, file;
  int line = 0;
  std::uint64_t hits = 0;
  std::int64_t cost_ns = 0;  // time spent ending segments for it
  std::vector<std::string> user_stack;  // "model.cpp:12 in step": with config().user_stack all frames, the outermost first
};

/// One kernel (fused group), or one op that ran by itself.
struct kernel_report {
  std::string name;  // "" for an op that ran by itself
  std::vector<std::string> ops;
  std::string schedule;    // "elementwise", "rows", ..., "eager", "sent"; without waiting "compiling", "rows (compiling)"
  std::int64_t bytes = 0;  // moved by the call; of an operation between ranks those that this rank sent
  std::int64_t ns = 0;
  double bandwidth_share = 0;  // of the machine's measured copy bandwidth; above 1: what it read was in the caches
  std::int64_t flops = 0;      // of matrix products
  std::vector<int> nodes{};    // of its graph's text, by their numbers
  std::int64_t hidden_ns = -1;  // of an operation between ranks: of its time, that for which the program did not wait; else -1
};

struct graph_report {
  std::string text;
  int op_count = 0;
  std::string role = "forward";  // "backward": a derivative's way back; "forward and backward"
  std::uint64_t runs = 1;  // in this call: bytes and times of its kernels are those of all runs
  std::vector<kernel_report> kernels;
  std::vector<std::string> places;  // "model.cpp:12", of each node of the text; "" of inputs
};

struct recompile_report {
  std::string reason, file;
  int line = 0;
};

/// What derivatives took.
struct tape_report {
  std::int64_t saved_bytes = 0;  // the most that one kept in memory between graphs for the way back, beside what the program has
  int thinned_segments = 0;      // runs of operations that were carried out again to keep less: see config().tape_memory
  int recomputed_ops = 0;        // of the way there, which the way back computes again where storing would take longer
};

/// An array over 1 MB that is alive at a graph break: it is stored, where without the break it might
/// have stayed inside a kernel.
struct kept_array_report {
  std::string array;  // "float64 (1000, 1000)"
  std::int64_t bytes = 0;
  std::string file;  // of the operation that made it
  int line = 0;
};

/// A place where a graph was ended for a reason of numjit's own: not a graph break.
struct cut_reason {
  std::string reason, file;  // "solve fails for some values", "shown by memoryview at app.py:3: runs at its line"
  int line = 0;
  std::uint64_t hits = 0;
};

/// Something that happened while a report_scope watched.
struct timeline_event {
  // "call", "segment", "kernel", "communication", "wait" (for communication), "break", "recompile", "compile" (of a kernel, on a
  // thread of its own)
  std::string kind;
  std::string name;           // the function, the kernel's operations, the reason
  std::int64_t begin_ns = 0;  // since the scope began; kernels stand one behind the other from the beginning of their segment
  std::int64_t ns = 0;
  std::int64_t memory = 0;  // bytes of arrays alive at the end
};

/// What was sent to other ranks and came from them, see np::distributed.
struct communication_report {
  int operations = 0;
  std::int64_t bytes = 0;      // that this rank sent
  std::int64_t ns = 0;         // from their starts to their ends
  std::int64_t hidden_ns = 0;  // of these, while the program did not wait for them
};

/// The result of `np::explain(f)(args...)`. Prints as a page a person reads at first sight.
struct explain_report {
  std::string function;
  int graph_count = 0;  // different ones
  int graph_break_count = 0;
  int op_count = 0;
  std::vector<break_reason> break_reasons;
  std::vector<graph_report> graphs;
  std::vector<kernel_report> kernels;
  std::vector<std::string> guards;
  std::vector<recompile_report> recompiles;
  std::vector<kept_array_report> kept_arrays;
  std::vector<std::pair<std::string, double>> compile_times;  // phase, milliseconds
  std::int64_t peak_bytes = 0;
  tape_report tape;
  communication_report communication;
  std::uint64_t cuts = 0;
  std::vector<cut_reason> cut_reasons;  // of those cuts that are not for size
  std::string eager_choice;             // "2.3 ms recorded, 0.5 ms eagerly": such calls run eagerly; "": they don't
  std::string debug_folder;             // of NUMJIT_DEBUG; "" while that is off
  std::vector<timeline_event> timeline;  // of a report_scope

  std::string str() const;
  std::string json() const;
  /// One page, which needs nothing else: what str() says, with graphs drawn and a timeline that Perfetto opens as well. `code`:
  /// with the loops, Halide's statement and the assembly of its kernels, each of which is compiled once more for that.
  std::string html(bool code = false) const;
};
std::ostream& operator<<(std::ostream& out, const explain_report& report);

/// Options of np::explain.
struct explain_options {
  bool wait = true;  // for kernels that are not ready; without, operations run one by one where they are needed
};

namespace tracing {
struct Collector;
class CollectorEntry;
/// Collects on this thread for the scope's life, or until another thread ends it.
class Explaining {
 public:
  explicit Explaining(std::string function, bool sums_only = false);
  Explaining(std::string function, const explain_options& options);
  ~Explaining();
  Explaining(const Explaining&) = delete;
  Explaining& operator=(const Explaining&) = delete;
  const Collector& collected() const;
  explain_report report() const;
  /// Sees nothing until it goes on: for the thread that opened it, while another context runs there.
  void pause() noexcept;
  void go_on() noexcept;
  CollectorEntry& entry() { return *entry_; }
  const CollectorEntry& entry() const { return *entry_; }

 private:
  CollectorEntry* entry_;
  std::optional<config_scope> ready_kernels_;
};
/// Measured once per process: bytes per second of a large copy on all threads.
double copy_bandwidth();
}  // namespace tracing

}  // namespace numjit
