// A recorded segment with what it ran on, so that it can be run again elsewhere: by `numjit repro`, by
// the minifier, and beside compiled code that is to be checked.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <numjit/array/array.h>
#include <numjit/graph/graph.h>
#include <numjit/runtime/plan/plan.h>

namespace numjit::runtime {

struct Repro {
  /// Layout of an input: it lies in memory `memory`, from byte `offset` on.
  struct Place {
    dims shape, strides;
    std::int64_t offset = 0;
    int memory = 0;
  };
  /// A block that inputs share. Without data it is filled with random elements of `type`.
  struct Memory {
    std::int64_t bytes = 0;
    dtype_id type{};
    std::vector<char> data;
  };

  graph::Graph graph;         // with live marks and the parameters of this run
  std::vector<Place> places;  // per input of the graph, in order
  std::vector<Memory> memories;
  std::vector<ScalarValue> scalars;  // per scalar of the graph
  std::string function;              // compiled function it was recorded from
  std::string layer = "halide";      // at fault: "halide", or "graph" for the passes
  std::string fault;                 // what was seen
  bool fast_math = false;
  std::int64_t timeout_ms = 0;  // config.compile_timeout_ms
  std::string injected;         // NUMJIT_FAULT in effect, "" outside of tests

  int op_count() const { return graph.op_count(); }
};

/// What a run of a repro showed.
struct ReproOutcome {
  enum Kind { clean, compile_error, wrong_value, crash, timeout, unusable } kind = clean;
  std::string text;  // error, or where values differ; unusable: why the program itself fails
};

/// The segment at hand. `with_data` copies the inputs' memory. nullopt for a graph with a function of
/// np::allow_in_graph, which can't be run elsewhere.
std::optional<Repro> capture(const graph::Graph& graph, const RunInputs& inputs, bool with_data);

/// Arrays for the graph's inputs, with the saved or random elements.
std::vector<array> make_inputs(const Repro& repro);

/// Runs the graph as the program would without compile, op by op through bind(). Entry i is the value of
/// node i (inputs: the arrays given, which stores change; stores: their target).
std::vector<array> run_eagerly(const Repro& repro, const std::vector<array>& inputs);

/// Where results of a run differ from run_eagerly()'s: "element 3 of the result of %12 = tanh at x.cpp:7".
std::optional<std::string> find_difference(const graph::Graph& graph, const RunInputs& ran, const std::vector<array>& expected);

/// Runs a repro in this process, eagerly and compiled with `layer` ("eager", "graph", "halide").
ReproOutcome run_repro(const Repro& repro, const std::string& layer);

/// Text form of a .npj file of a repro, and back. ValueError for a text that is none.
std::string repro_to_json(const Repro& repro);
Repro repro_from_json(std::string_view text);

/// A C++ program that does what the repro does and ends with exit status 1 if the fault shows.
std::string repro_program(const Repro& repro);

/// Writes both into detail::repro_folder(), and a smaller one beside if it is to be minified. Returns the path
/// of the (smaller) .npj file, "" if NUMJIT_REPRO_LEVEL is 0 or it fails.
std::string write_repro(const Repro& repro, bool minifies) noexcept;
/// Removes both files.
void remove_repro(const std::string& path) noexcept;
/// " Reproduce it: numjit repro PATH", "" for no path: stands at the end of errors.
inline constexpr std::string_view repro_hint_start = " Reproduce it: ";
std::string repro_hint(const std::string& path);

/// The run that this thread is about, for kernels it asks for; null outside of runs.
struct RunContext {
  const graph::Graph* graph;
  const RunInputs* inputs;
};
inline constinit thread_local const RunContext* run_context [[gnu::tls_model("initial-exec")]] = nullptr;
class [[nodiscard]] RunContextScope {
 public:
  explicit RunContextScope(const RunContext& context) : outer_(run_context) { run_context = &context; }
  ~RunContextScope() { run_context = outer_; }
  RunContextScope(const RunContextScope&) = delete;
  RunContextScope& operator=(const RunContextScope&) = delete;

 private:
  const RunContext* outer_;
};

}  // namespace numjit::runtime
