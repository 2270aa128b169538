// One call of an example, and the steps it consists of.
#include <numjit/array/remote.h>
#include <cstring>

#include <fmt/format.h>

#include <numjit/array/marks.h>
#include <numjit/base/error.h>
#include <numjit/trace/export/call_log.h>
#include <numjit/trace/export/exporter.h>
#include <numjit/trace/record/copies.h>
#include <numjit/trace/record/recorder.h>

namespace numjit::tracing {

std::vector<node*> Recording::nodes() const {
  std::vector<node*> list;
  for (const array& a : arguments) list.push_back(a.get());
  return list;
}

namespace {

// The elements of `n` in another shape: repeated where it is longer.
array tiled(const node* n, const dims& shape) {
  array made = array::adopt(detail::new_node(n->type, shape.size(), shape.data()));
  detail::readable_on_host(n);
  const auto size = static_cast<std::int64_t>(dtype(n->type).itemsize());
  dims at;
  at.resize(shape.size());
  for (std::int64_t i = 0; i < made.size(); ++i) {
    const char* from = n->data;
    for (int axis = 0; axis < shape.size(); ++axis)
      if (n->shape[axis] > 0) from += at[axis] % n->shape[axis] * n->strides[axis];
    std::memcpy(made.get()->data + i * size, from, static_cast<std::size_t>(size));
    for (int axis = shape.size() - 1; axis >= 0 && ++at[axis] == shape[axis]; --axis) at[axis] = 0;
  }
  return made;
}

std::vector<array> copies_of(const std::vector<node*>& nodes, const std::vector<std::uint16_t>& free, const SizeMap& sizes) {
  std::vector<array> copies;
  if (sizes.empty()) {
    std::vector<node*> made;
    copy_sharing(nodes, made);
    for (node* n : made) copies.push_back(array::adopt(n));
    return copies;
  }
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    dims shape(nodes[i]->shape, nodes[i]->rank);
    for (int axis = 0; axis < shape.size(); ++axis)
      if (free[i] >> axis & 1) shape[axis] = sizes.at(shape[axis]);
    copies.push_back(tiled(nodes[i], shape));
  }
  return copies;
}

array deep_copy(const array& a) { return a.empty_handle() ? array() : a.copy(); }

// Finds sources of nodes; collects what comes from nowhere as constants.
class Sources {
 public:
  Sources(Recording& recording, const std::string& path) : recording_(recording), path_(path) {
    for (const array& a : recording.arguments) arguments_.push_back(a.get());
  }
  void add_computed(const array& a) { computed_.push_back(a.get()); }

  ProgramSource of(const array& a) {
    using Kind = ProgramSource::Kind;
    if (a.empty_handle()) return {};
    node* n = a.get();
    // The latest first: outputs of an earlier run may be inputs that a later one gave back.
    for (std::size_t i = computed_.size(); i-- > 0;)
      if (computed_[i] == n) return {Kind::computed, static_cast<std::uint32_t>(i)};
    for (std::size_t i = 0; i < arguments_.size(); ++i)
      if (arguments_[i] == n) return {Kind::argument, static_cast<std::uint32_t>(i)};
    for (std::size_t i = 0; i < constants_.size(); ++i)
      if (constants_[i] == n) return {Kind::constant, static_cast<std::uint32_t>(i)};
    for (const auto& known : {computed_, arguments_})
      for (node* other : known)
        if (detail::storage_owner(other) == detail::storage_owner(n))
          throw NotImplementedError("export_function",
                                    fmt::format("{}: a view was made where nothing is recorded: got a view of an "
                                                "argument or of a result, expected np:: operations inside the "
                                                "function.",
                                                path_));
    constants_.push_back(n);
    recording_.constants.push_back(deep_copy(a));
    return {Kind::constant, static_cast<std::uint32_t>(constants_.size() - 1)};
  }

 private:
  Recording& recording_;
  const std::string& path_;
  std::vector<node*> arguments_, computed_, constants_;
};

void refuse_constant_stores(const ProgramStep& step, const std::string& path) {
  visit_stores(step, [&](const graph::Node& store, const ProgramSource& target) {
    if (target.kind == ProgramSource::Kind::constant)
      throw NotImplementedError("export_function",
                                fmt::format("{}: {}:{} stores into an array that is no argument: got a captured array, "
                                            "or one made from values. Pass it as an argument, or store into a copy.",
                                            path, store.where.file, store.where.line));
  });
}

void add_steps(Recording& recording, CallLog& log, const LeafList& results, const std::string& path) {
  Sources sources(recording, path);
  for (auto& event : log.events) {
    ProgramStep step;
    if (auto* segment = std::get_if<CallLog::Segment>(&event)) {
      step.kind = ProgramStep::Kind::graph;
      step.graph = std::move(segment->graph);
      step.scalars = std::move(segment->scalars);
      for (const array& a : segment->inputs) step.inputs.push_back(sources.of(a));
      for (const array& a : segment->outputs) sources.add_computed(a);
      refuse_constant_stores(step, path);
      for (const graph::Node& n : step.graph.nodes)
        if (n.op == op_id::random_draw && n.kind == graph::NodeKind::op)
          throw NotImplementedError("export_function",
                                    fmt::format("{}: draws of random numbers can't be written to a file: got one at "
                                                "{}:{}. Pass the numbers as an argument.",
                                                path, n.where.file, n.where.line));
      for (const graph::Node& n : step.graph.nodes)
        if (n.op == op_id::communicate && n.kind == graph::NodeKind::op)
          throw NotImplementedError("export_function",
                                    fmt::format("{}: operations between ranks can't be written to a file: got one at {}:{}. "
                                                "Communicate outside the exported function.",
                                                path, n.where.file, n.where.line));
      for (const graph::Node& n : step.graph.nodes)
        if (n.op == op_id::black_box && n.kind == graph::NodeKind::op)
          throw NotImplementedError("export_function",
                                    fmt::format("{}: a function of np::allow_in_graph can't be written to a file: it "
                                                "is called at {}:{}. Write it with operations.",
                                                path, n.where.file, n.where.line));
    } else {
      const auto& read = std::get<CallLog::Read>(event);
      step.kind = ProgramStep::Kind::read;
      step.of = sources.of(read.of);
      if (step.of.kind == ProgramSource::Kind::constant) continue;  // always the same
      step.type = read.of.get()->type;
      step.what = read.what;
      step.where = read.where;
      step.known.emplace_back(read.value, -1);
    }
    recording.steps.push_back(std::move(step));
  }
  ProgramStep end;
  for (array* a : results.arrays) end.results.push_back(sources.of(*a));
  recording.steps.push_back(std::move(end));
}

void check_after(const Example& example, const Recording& recording, const std::string& path) {
  for (std::size_t i = 0; i < recording.arguments.size(); ++i) {
    const array& now = *example.after.arrays[i];
    if (!now.empty_handle() && now.get() == recording.arguments[i].get()) continue;
    throw NotImplementedError("export_function", fmt::format("{}: the function rebinds argument {}, which no caller of "
                                                             "a bundle would see. Return the array instead.",
                                                             path, i));
  }
  if (example.after.values != example.arguments.values)
    throw NotImplementedError("export_function", fmt::format("{}: the function changes a plain argument, which no "
                                                             "caller of a bundle would see. Return a 0-D array.",
                                                             path));
}

}  // namespace

Recording record(Example& example, const std::string& path, const SizeMap& sizes) {
  Recording recording;
  example.make_arguments();
  std::vector<node*> given;
  for (array* a : example.arguments.arrays) {
    if (a->empty_handle())
      throw TypeError("export_function",
                      fmt::format("{}: argument {} is an empty handle: expected an array.", path, given.size()));
    given.push_back(detail::concrete(a->get(), "eval"));
    recording.free.push_back(detail::marks_of(a->get()).free);
  }
  recording.values = example.arguments.values;
  recording.arguments = copies_of(given, recording.free, sizes);
  std::vector<node*> made;
  copy_sharing(recording.nodes(), made);
  for (node* n : made) recording.before.push_back(array::adopt(n));
  for (std::size_t i = 0; i < given.size(); ++i) *example.arguments.arrays[i] = recording.arguments[i];

  CallLog log;
  FunctionState state;
  state.name = path;
  state.backend = Backend::eager;
  try {
    const ObserverScope watching(Recorder::current().observers, log);
    example.call(state);
  } catch (...) {
    if (log.refused) std::rethrow_exception(log.refused);
    throw;
  }
  if (log.refused) std::rethrow_exception(log.refused);
  check_after(example, recording, path);
  add_steps(recording, log, example.results, path);
  for (array* a : example.results.arrays) recording.results.push_back(deep_copy(*a));
  for (const array& a : recording.arguments) recording.after.push_back(a.copy());
  return recording;
}

}  // namespace numjit::tracing
