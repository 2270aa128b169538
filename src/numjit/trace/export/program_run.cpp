// The steps of a program, carried out.
#include <numjit/trace/export/program_run.h>

#include <algorithm>
#include <exception>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include <numjit/array/remote.h>
#include <numjit/base/config.h>
#include <numjit/base/error.h>
#include <numjit/ops/borrowed.h>
#include <numjit/ops/eager_on_thread.h>
#include <numjit/ops/inferred_layout.h>
#include <numjit/runtime/kernels/cache.h>
#include <numjit/runtime/plan/unknown_lengths.h>
#include <numjit/trace/export/call_log.h>
#include <numjit/trace/record/bound_graph.h>
#include <numjit/trace/state/counters.h>
#include <numjit/trace/state/stance.h>

namespace numjit::tracing {

using graph::Node;
using graph::NodeKind;

namespace {

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

}  // namespace

/// One graph of the program with what it needs from run to run.
class ProgramRunner::SegmentRun {
 public:
  SegmentRun(const ProgramStep& step, const std::string& program) : step_(step), program_(program), scalars_(step.scalars) {
    bound_.graph = step.graph;
    const std::vector<Node>& nodes = bound_.graph.nodes;
    names_ = runtime::names_of_lengths(bound_.graph);
    nodes_.resize(nodes.size());
    offsets_.resize(nodes.size());
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      bound_.slots.push_back(&nodes_[nodes[i].kind == NodeKind::store ? at(nodes[i].in[0].node) : i]);
      bound_.params.push_back(&nodes[i].params);
      bound_.view_offsets.push_back(nodes[i].kind == NodeKind::view ? &offsets_[i] : nullptr);
    }
    for (const runtime::ScalarValue& v : scalars_) bound_.scalars.push_back(&v);
    bound_.brings_host_arrays = true;  // constants of the program
    bound_.complete();
    live_.assign(bound_.lazies.size(), [&](std::size_t i) { return nodes[bound_.lazies[i]].live; });
    layouts_.resize(bound_.inputs.size());
  }
  ~SegmentRun() { release_lazies(); }

  void run(const std::vector<node*>& inputs, const std::vector<node*>& arguments, std::vector<array>& computed) {
    // Where lengths depend on data, the nodes that a run gave them to are not for the next one.
    bool changed = bind(inputs);
    changed = set_sizes(arguments) || changed || !ready_ || unsized_;
    ready_ = false;
    if (changed) {
      ++epoch_;
      lay_out();
    }
    SegmentVariant* variant = bound_.find_variant(live_, epoch_);
    if (!variant) variant = &bound_.add_variant(live_, std::make_unique<runtime::Plan>(bound_.graph, bound_.run_inputs));
    // Whoever has a device can wait for its kernels: without them all arrays would move to the host and back.
    std::optional<runtime::defer_compiles_scope> now;
    if (bound_.on_device || detail::device_now() != 0) [[unlikely]]
      now.emplace(current_stance() == Stance::run_only);
    try {
      bound_.run(*variant, epoch_, program_, false);
    } catch (...) {
      release_lazies();
      throw;
    }
    own_counters().eager_ops += variant->plan->take_single_ops();
    const std::exception_ptr late_error = variant->plan->take_error();
    for (std::size_t i = 0; i < nodes_.size(); ++i)
      if (bound_.graph.nodes[i].live) computed.push_back(array::share(*bound_.slots[i]));
    bound_.give_out(live_);
    ready_ = true;
    if (late_error) std::rethrow_exception(late_error);
  }

 private:
  struct Layout {
    std::uint64_t signature = 0;
    bool readonly = false;
    dims shape, strides;
  };

  // The arguments of a call outlive it. Did a layout change?
  bool bind(const std::vector<node*>& inputs) {
    bool changed = false;
    bound_.on_device = false;
    for (std::size_t k = 0; k < inputs.size(); ++k) {
      const Node& n = bound_.graph.nodes[bound_.inputs[k]];
      node* given = inputs[k];
      if (given->type != n.type || given->rank != n.rank)
        throw ValueError(program_, fmt::format("a graph takes {}, got {}", graph::type_text(n.type, n.rank),
                                               graph::type_text(given->type, given->rank)));
      const dims shape(given->shape, given->rank), strides(given->strides, given->rank);
      Layout& layout = layouts_[k];
      const bool readonly = given->is(node::readonly);
      changed |= layout.signature != given->signature || layout.readonly != readonly || !(layout.shape == shape) ||
                 !(layout.strides == strides);
      layout = {given->signature, readonly, shape, strides};
      *bound_.slots[bound_.inputs[k]] = given;
      bound_.on_device |= given->device != 0;
    }
    return changed;
  }

  bool set_sizes(const std::vector<node*>& arguments) {
    bool changed = false;
    for (const SizedWord& w : step_.sized) {
      const std::int64_t value = value_of(w.term, arguments);
      if (w.scalar >= 0) {
        set_size(scalars_[at(w.scalar)], value);
        continue;
      }
      op_params& params = bound_.graph.nodes[at(w.node)].params;
      if (params[static_cast<int>(w.word)] == value) continue;
      params = with_word(params, static_cast<int>(w.word), value);
      changed = true;
    }
    return changed;
  }

  void lay_out() {
    release_lazies();
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      Node& n = bound_.graph.nodes[i];
      if (n.kind == NodeKind::input) continue;
      inference inferred;
      infer_node(n, inferred);
      if (n.kind == NodeKind::store) continue;
      runtime::put_name(n, names_[i], inferred);
      if (inferred.type != n.type || inferred.shape.size() != n.rank || inferred.loop != n.loop ||
          inferred.is_view != (n.kind == NodeKind::view))
        throw ValueError(std::string(info(n.op).name),
                         fmt::format("{}: the layouts of these arguments make another operation of it at {}:{} than "
                                     "those of the example: pass contiguous arrays, or export with such arguments.",
                                     program_, n.where.file, n.where.line));
      // The planner and the loops go by what was inferred, not by the file.
      std::copy(std::begin(inferred.in_type), std::end(inferred.in_type), std::begin(n.in_type));
      nodes_[i] = new_lazy(n, inferred);
      offsets_[i] = inferred.offset;
    }
  }

  void infer_node(const Node& n, inference& inferred) const {
    std::vector<operand> operands;
    node* mask = nullptr;
    for (std::size_t k = 0; k < n.in.size(); ++k) {
      const graph::Ref& ref = n.in[k];
      if (n.has_where && k + 1 == n.in.size())
        mask = *bound_.slots[at(ref.node)];
      else if (ref.node >= 0)
        operands.push_back(borrowed(*bound_.slots[at(ref.node)], n.where));
      else
        operands.push_back(runtime::operand_of(scalars_[at(ref.scalar)], n.where));
    }
    infer({n.op, operands, &n.params, nullptr, mask, n.where}, inferred);
  }

  node* new_lazy(const Node& n, const inference& inferred) {
    node* made = detail::allocate_node();
    detail::set_layout(made, inferred);
    made->flags |= node::lazy;
    if (runtime::has_name(inferred.shape)) {
      made->flags |= node::unsized;
      unsized_ = true;
    }
    const bool reads_readonly = inferred.is_view && (*bound_.slots[at(n.in[0].node)])->is(node::readonly);
    if (reads_readonly || (inferred.is_view && structure_of(n.op).readonly_view)) made->flags |= node::readonly;
    return made;
  }

  void release_lazies() noexcept {
    for (node** slot : bound_.lazy_slots)
      if (node* n = std::exchange(*slot, nullptr)) detail::release(n);
  }

  const ProgramStep& step_;
  const std::string& program_;
  BoundGraph bound_;
  LiveSet live_;
  std::vector<runtime::ScalarValue> scalars_;
  std::vector<node*> nodes_;  // of the graph: inputs are the caller's
  std::vector<std::int64_t> offsets_;
  std::vector<Layout> layouts_;
  std::uint32_t epoch_ = 0;
  std::vector<std::uint32_t> names_;  // of lengths that depend on data, by the node that makes them
  bool ready_ = false, unsized_ = false;
};

ProgramRunner::ProgramRunner(const Program& program) : program_(program), segments_(program.steps.size()) {}
ProgramRunner::~ProgramRunner() = default;

namespace {

[[noreturn]] void throw_unknown_value(const Program& program, const ProgramStep& step, const node* n, const std::string& value) {
  std::string known;
  for (std::size_t i = 0; i < step.known.size() && i < 8; ++i)
    known += (i ? ", " : "") + value_text(n->type, step.what, step.known[i].first);
  if (step.known.size() > 8) known += fmt::format(" and {} more", step.known.size() - 8);
  throw ValueError(program.name,
                   fmt::format("{}() at {}:{} reads a value that no exported example had: got {}, expected one of: "
                               "{}. Add an example that reads it to np::export_function.",
                               step.what, step.where.file, step.where.line, value_text(n->type, step.what, value), known));
}

int follow(const Program& program, const ProgramStep& step, const node* n) {
  if (n->size != 1 || n->type != step.type)
    throw ValueError(program.name, fmt::format("{}() at {}:{} reads one element: got {} of shape {}, expected one {}.", step.what,
                                               step.where.file, step.where.line, dtype(n->type).name(),
                                               dims(n->shape, n->rank).str(), dtype(step.type).name()));
  const std::string value = value_read(n, step.what);
  for (const auto& [known, next] : step.known)
    if (known == value) return next;
  throw_unknown_value(program, step, n, value);
}

}  // namespace

node* ProgramRunner::node_of(const ProgramSource& source, const std::vector<node*>& arguments) const {
  switch (source.kind) {
    case ProgramSource::Kind::none: return nullptr;
    case ProgramSource::Kind::argument: return arguments[source.at];
    case ProgramSource::Kind::computed: return computed_[source.at].get();
    case ProgramSource::Kind::constant: return program_.constants[source.at].get();
  }
  __builtin_unreachable();
}

void ProgramRunner::run_graph(std::size_t number, const std::vector<node*>& arguments) {
  const ProgramStep& step = program_.steps[number];
  inputs_.clear();
  for (const ProgramSource& source : step.inputs) inputs_.push_back(node_of(source, arguments));
  auto& segment = segments_[number];
  if (!segment) segment = std::make_unique<SegmentRun>(step, program_.name);
  segment->run(inputs_, arguments, computed_);
}

std::vector<array> ProgramRunner::run(const ProgramEntry& entry, const std::vector<node*>& arguments) {
  const detail::eager_on_thread eagerly;
  std::optional<config_scope> mode;
  const float_mode wanted = program_.fast ? float_mode::fast : float_mode::exact;
  if (config().float_mode != wanted) mode.emplace(config_options{.float_mode = wanted});
  // Values of this call; nothing of it stays behind.
  struct Values {
    std::vector<array>& list;
    ~Values() { list.clear(); }
  } values{computed_};
  int next = entry.first;
  for (;;) {
    const ProgramStep& step = program_.steps[at(next)];
    if (step.kind == ProgramStep::Kind::results) break;
    if (step.kind == ProgramStep::Kind::read) {
      next = follow(program_, step, node_of(step.of, arguments));
    } else {
      run_graph(at(next), arguments);
      next = step.next;
    }
  }
  std::vector<array> results;
  results.reserve(program_.steps[at(next)].results.size());
  for (const ProgramSource& source : program_.steps[at(next)].results) {
    results.push_back(array::share(node_of(source, arguments)));
    // Constants serve all calls: the caller gets one of its own.
    if (source.kind == ProgramSource::Kind::constant) results.back() = results.back().copy();
  }
  return results;
}

// ---- entries ----

namespace {

std::string listed(const std::vector<std::string>& differences) {
  std::string text;
  for (std::size_t i = 0; i < differences.size(); ++i) text += (i ? "; or " : "") + differences[i];
  return text;
}

// What keeps an argument from fitting, "" if nothing does.
std::string difference(const ProgramArgument& expected, const node* got, std::int64_t least, std::size_t number) {
  auto differs = [&](const std::string& what, const std::string& a, const std::string& b) {
    return fmt::format("argument {} has {} {}, expected {}", number, what, a, b);
  };
  if (got->type != expected.type)
    return differs("dtype", std::string(dtype(got->type).name()), std::string(dtype(expected.type).name()));
  std::string shape = "(";
  bool fits = got->rank == expected.shape.size(), small = false;
  for (int axis = 0; axis < expected.shape.size(); ++axis) {
    const bool free = expected.free >> axis & 1;
    shape += (axis ? ", " : "") + (free ? "any" : std::to_string(expected.shape[axis]));
    if (axis >= got->rank) continue;
    small |= free && got->shape[axis] < least;
    fits = fits && (free || got->shape[axis] == expected.shape[axis]);
  }
  shape += expected.shape.size() == 1 ? ",)" : ")";
  if (fits && small) return differs("shape", dims(got->shape, got->rank).str(), fmt::format("{} from {} on", shape, least));
  return fits ? "" : differs("shape", dims(got->shape, got->rank).str(), shape);
}

// The export saw what the function does where free axes that have one size in the example are changed
// together; of sizes that part it knows nothing.
std::string parted_sizes(const ProgramEntry& entry, const std::vector<node*>& arguments) {
  struct Size {
    std::int64_t example, now;
    std::size_t argument;
    int axis;
  };
  std::vector<Size> seen;
  for (std::size_t i = 0; i < arguments.size(); ++i)
    for (int axis = 0; axis < entry.arguments[i].shape.size(); ++axis) {
      if (!(entry.arguments[i].free >> axis & 1)) continue;
      const Size size{entry.arguments[i].shape[axis], arguments[i]->shape[axis], i, axis};
      for (const Size& other : seen)
        if (other.example == size.example && other.now != size.now)
          return fmt::format(
              "axis {} of argument {} has size {} and axis {} of argument {} has size {}, expected "
              "one size for both as in the example",
              other.axis, other.argument, other.now, size.axis, size.argument, size.now);
      seen.push_back(size);
    }
  return "";
}

std::string difference(const ProgramEntry& entry, const std::vector<node*>& arguments, const std::vector<std::uint64_t>* values) {
  if (arguments.size() != entry.arguments.size())
    return fmt::format("got {} array{}, expected {}", arguments.size(), arguments.size() == 1 ? "" : "s", entry.arguments.size());
  for (std::size_t i = 0; i < arguments.size(); ++i)
    if (std::string text = difference(entry.arguments[i], arguments[i], entry.least_free, i); !text.empty()) return text;
  if (std::string text = parted_sizes(entry, arguments); !text.empty()) return text;
  if (values && *values != entry.values)
    return "the plain values among the arguments (numbers, strings, sizes of containers) differ: got others than "
           "those of the example, expected the same types and values";
  if (!entry.pattern.empty() && sharing_pattern(arguments) != entry.pattern)
    return "the arguments share memory in another way than those of the example";
  return "";
}

}  // namespace

const ProgramEntry& find_entry(const Program& program, const std::vector<node*>& arguments,
                               const std::vector<std::uint64_t>* values) {
  std::vector<std::string> differences;
  const ProgramEntry* found = nullptr;
  for (const ProgramEntry& entry : program.entries) {
    const std::string text = difference(entry, arguments, values);
    if (text.empty()) {
      if (found && found->values != entry.values)
        throw ValueError(program.name,
                         "the function has plain arguments with several known values: got arrays only, "
                         "expected a call from C++ with all arguments.");
      if (!found) found = &entry;
    } else if (std::find(differences.begin(), differences.end(), text) == differences.end() && differences.size() < 4) {
      differences.push_back(text);
    }
  }
  if (found) return *found;
  throw ValueError(program.name,
                   fmt::format("no exported example fits: {}. Export it with such an example, or mark the axes that "
                               "change with np::mark_dynamic.",
                               listed(differences)));
}

}  // namespace numjit::tracing
