// An exported function: the steps that its calls consist of, and the conditions under which they hold.
//
// An entry is one kind of arguments (dtypes, sizes, plain values). Its steps form a tree: graphs in the
// order they ran, and between them the values that the function's body read, which decide how it goes on.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <numjit/array/array.h>
#include <numjit/graph/graph.h>
#include <numjit/runtime/plan/plan.h>

namespace numjit::tracing {

/// Where an array comes from. computed: counted over all outputs of the graphs so far.
struct ProgramSource {
  enum class Kind : std::uint8_t { none, argument, computed, constant };
  Kind kind = Kind::none;  // none: an empty handle
  std::uint32_t at = 0;
  friend bool operator==(const ProgramSource&, const ProgramSource&) = default;
};

/// factor * (product of sizes of arguments) + offset.
struct SizeTerm {
  std::int64_t factor = 1, offset = 0;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> sizes;  // argument, axis
  friend bool operator==(const SizeTerm&, const SizeTerm&) = default;
};

/// A parameter or scalar of a graph that is a term of sizes.
struct SizedWord {
  std::int32_t node = -1;    // parameter `word` of this node, or
  std::int32_t scalar = -1;  // this scalar
  std::uint32_t word = 0;
  SizeTerm term;
  friend bool operator==(const SizedWord&, const SizedWord&) = default;
};

struct ProgramStep {
  enum class Kind : std::uint8_t { graph, read, results };
  Kind kind = Kind::results;
  // graph
  graph::Graph graph;
  std::vector<runtime::ScalarValue> scalars;
  std::vector<ProgramSource> inputs;
  std::vector<SizedWord> sized;
  int next = -1;
  // read
  ProgramSource of;
  dtype_id type{};
  std::string what;
  location where;
  std::vector<std::pair<std::string, int>> known;  // value_read() of call_log.h -> next step
  // results
  std::vector<ProgramSource> results;
};

struct ProgramArgument {
  dtype_id type{};
  dims shape;
  std::uint16_t free = 0;  // bit per axis of any size
};

struct ProgramEntry {
  std::vector<ProgramArgument> arguments;
  std::vector<std::uint64_t> values;  // plain arguments, as LeafList gives them
  std::vector<std::int64_t> pattern;  // which arguments share memory; empty: no matter
  std::int64_t least_free = 2;        // smallest size of free axes
  int first = -1;
};

struct Program {
  std::string name;
  bool fast = false;  // float_mode
  std::vector<ProgramEntry> entries;
  std::vector<ProgramStep> steps;  // a step's successors stand behind it
  std::vector<array> constants;
};

/// What value_read() gives, as text: "true", "3.5".
std::string value_text(dtype_id type, std::string_view what, const std::string& value);

/// Numbers of arguments that share storage with an earlier one, and how far apart: two entries each.
std::vector<std::int64_t> sharing_pattern(const std::vector<node*>& arguments);
/// Is some pair of arguments on one storage?
bool shares(const std::vector<std::int64_t>& pattern);

/// Value of a term for these arguments.
std::int64_t value_of(const SizeTerm& term, const std::vector<node*>& arguments);

/// The parameters with another word `at`.
op_params with_word(const op_params& params, int at, std::int64_t value);
/// Gives a literal another value: an integer carries it as a real too.
void set_size(runtime::ScalarValue& scalar, std::int64_t value);

/// Calls visit(store, where its target comes from) for the stores of a graph into inputs and views of them.
void visit_stores(const ProgramStep& step, const std::function<void(const graph::Node&, const ProgramSource&)>& visit);
/// Which arguments the steps of an entry store into.
std::vector<bool> changed_arguments(const Program& program, const ProgramEntry& entry);

/// Number of results of an entry (of its first path; typed exports give all paths the same).
std::size_t result_count(const Program& program, const ProgramEntry& entry);

/// For people: arguments, graphs, reads and results.
std::string to_text(const Program& program);

// ---- files (program_file.cpp) ----
/// JSON without the constants' elements. ValueError or OSError from reading: nothing is trusted.
std::string program_to_json(const Program& program);
Program program_from_json(std::string_view text, std::vector<array> constants);
/// The program of a bundle, for those who study it (load.cpp). OSError as load_function.
Program load_program(const std::string& path);
/// The step without its successors and without the values of sizes: equal texts are equal steps.
std::string step_key(const ProgramStep& step);

}  // namespace numjit::tracing
