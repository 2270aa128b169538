// np::export_function: examples to a program, its kernels, and the file.
#include <numjit/array/remote.h>
#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <numjit/array/same_bits.h>
#include <numjit/base/config.h>
#include <numjit/base/device_name.h>
#include <numjit/base/error.h>
#include <numjit/base/hash.h>
#include <numjit/runtime/bundle/bundle.h>
#include <numjit/runtime/kernels/cache.h>
#include <numjit/runtime/kernels/key.h>
#include <numjit/runtime/kernels/portable.h>
#include <numjit/runtime/repro/repro.h>
#include <numjit/trace/export/exporter.h>
#include <numjit/trace/export/program_run.h>
#include <numjit/trace/state/function_state.h>

namespace numjit::tracing {
namespace {

using json = nlohmann::ordered_json;

bool is_device_target(const std::string& target) { return detail::is_device_name(target) && !target.starts_with("cpu"); }

void check_options(const std::string& path, const export_options& options) {
  if (detail::recording)
    throw ValueError("export_function", fmt::format("{}: called inside a compiled function. Call it outside.", path));
  if (FunctionState().passes_through())
    throw ValueError("export_function", fmt::format("{}: nothing is recorded now: got config.disable or the stance "
                                                    "'force_eager', expected neither.",
                                                    path));
  if (path.empty()) throw ValueError("export_function", "the path is empty: expected one such as \"heat.npj\".");
  for (const std::string& target : options.targets)
    if (target != "host" && target != "x86-64-v2" && target != "x86-64-v3" && target != "x86-64-v4" && !is_device_target(target))
      throw ValueError("export_function", fmt::format("unknown target: got '{}', expected host, x86-64-v2, x86-64-v3, "
                                                      "x86-64-v4, or a device as 'cuda' or 'opencl'.",
                                                      target));
}

std::string stem(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  std::string name = slash == std::string::npos ? path : path.substr(slash + 1);
  if (name.ends_with(".npj")) name.resize(name.size() - 4);
  return name;
}

// ---- examples ----

// New sizes for the free axes: distinct ones stay distinct.
SizeMap other_sizes(const Recording& first, const std::function<std::int64_t(std::int64_t, std::int64_t)>& change) {
  SizeMap sizes;
  for (std::size_t i = 0; i < first.arguments.size(); ++i)
    for (int axis = 0; axis < first.arguments[i].ndim(); ++axis)
      if (first.free[i] >> axis & 1) sizes[first.arguments[i].get()->shape[axis]] = 0;
  std::int64_t number = 0;
  for (auto& [old_size, new_size] : sizes) new_size = change(old_size, number++);
  return sizes;
}

/// One example with what was learned of other sizes. The first recording's steps hold the terms.
struct Studied {
  std::vector<Recording> recordings;
  ProgramEntry entry;
};

void check_free_axes(const Recording& first, const std::string& path) {
  for (std::size_t i = 0; i < first.arguments.size(); ++i)
    for (int axis = 0; axis < first.arguments[i].ndim(); ++axis)
      if ((first.free[i] >> axis & 1) && first.arguments[i].get()->shape[axis] < 2)
        throw ValueError("export_function",
                         fmt::format("{}: axis {} of argument {} is marked by np::mark_dynamic: got size {}, expected 2 "
                                     "or more (a size of 1 broadcasts).",
                                     path, axis, i, first.arguments[i].get()->shape[axis]));
}

bool follows_at(Example& example, const Recording& first, const std::string& path, const SizeMap& sizes) {
  try {
    return follows(first, record(example, path, sizes));
  } catch (const std::exception&) {
    return false;
  }
}

/// Sizes below the example's at which another function is looked for: all short ones, where slices by fixed numbers end
/// (x[1:3] of two elements has one), then about every power of two.
std::vector<std::int64_t> smaller_sizes(std::int64_t example) {
  std::vector<std::int64_t> sizes;
  for (std::int64_t size = 2; size < std::min<std::int64_t>(example, 33); ++size) sizes.push_back(size);
  for (std::int64_t power = 64; power <= example; power *= 2)
    for (std::int64_t size : {power - 1, power})
      if (size < example) sizes.push_back(size);
  return sizes;
}

// The smallest size from which on the function does the same. Sizes 1 and 0 are code of their own in many functions:
// allowed if this one does the same for them.
std::int64_t least_size(Example& example, const Recording& first, const std::string& path) {
  const SizeMap free = other_sizes(first, [](std::int64_t size, auto) { return size; });
  const std::vector<std::int64_t> smaller = smaller_sizes(free.begin()->first);
  for (auto size = smaller.rbegin(); size != smaller.rend(); ++size)
    if (!follows_at(example, first, path, other_sizes(first, [&](auto, std::int64_t number) { return *size + number; })))
      return *size + 1;
  std::int64_t least = 2;
  for (std::int64_t size : {1, 0}) {
    if (!follows_at(example, first, path, other_sizes(first, [&](auto, auto) { return size; }))) break;
    least = size;
  }
  return least;
}

bool has_stores(const Recording& recording) {
  for (const ProgramStep& step : recording.steps)
    for (const graph::Node& n : step.graph.nodes)
      if (n.kind == graph::NodeKind::store) return true;
  return false;
}

Studied study(Example& example, const std::string& path) {
  Studied studied;
  studied.recordings.push_back(record(example, path));
  // Not a reference: the list grows.
  const std::vector<std::uint16_t> free = studied.recordings[0].free;
  const std::vector<std::int64_t> pattern = sharing_pattern(studied.recordings[0].nodes());
  if (std::any_of(free.begin(), free.end(), [](std::uint16_t f) { return f != 0; })) {
    check_free_axes(studied.recordings[0], path);
    if (shares(pattern))
      throw NotImplementedError("export_function", fmt::format("{}: arguments that share memory have fixed sizes: got "
                                                               "axes marked by np::mark_dynamic.",
                                                               path));
    auto more = [&](auto change) {
      studied.recordings.push_back(record(example, path, other_sizes(studied.recordings[0], change)));
    };
    more([](std::int64_t old_size, std::int64_t number) { return old_size + 3 + 2 * number; });
    more([](std::int64_t old_size, std::int64_t number) { return 2 * old_size + 1 + 5 * number; });
    find_size_terms(studied.recordings);
    studied.entry.least_free = least_size(example, studied.recordings[0], path);
  }
  const Recording& first = studied.recordings[0];
  for (std::size_t i = 0; i < first.arguments.size(); ++i) {
    const node* n = first.arguments[i].get();
    studied.entry.arguments.push_back({n->type, dims(n->shape, n->rank), free[i]});
  }
  studied.entry.values = first.values;
  if (shares(pattern) || has_stores(first)) studied.entry.pattern = pattern;
  return studied;
}

// ---- the program ----

bool same_kind(const ProgramEntry& a, const ProgramEntry& b) {
  if (a.arguments.size() != b.arguments.size() || a.values != b.values || a.pattern != b.pattern || a.least_free != b.least_free)
    return false;
  for (std::size_t i = 0; i < a.arguments.size(); ++i) {
    const ProgramArgument &x = a.arguments[i], &y = b.arguments[i];
    if (x.type != y.type || x.free != y.free || x.shape.size() != y.shape.size()) return false;
    for (int axis = 0; axis < x.shape.size(); ++axis)
      if (!(x.free >> axis & 1) && x.shape[axis] != y.shape[axis]) return false;
  }
  return true;
}

class ProgramBuilder {
 public:
  ProgramBuilder(Program& program, const std::string& path) : program_(program), path_(path) {}

  void add(const ProgramEntry& kind, Recording& recording) {
    place_constants(recording);
    std::size_t number = 0;
    while (number < program_.entries.size() && !same_kind(program_.entries[number], kind)) ++number;
    if (number == program_.entries.size()) program_.entries.push_back(kind);
    // Where the next step's number goes: the entry, a step, or a known value of a read.
    int from = -1, value = -1;
    auto link = [&]() -> int& {
      if (from < 0) return program_.entries[number].first;
      ProgramStep& s = program_.steps[static_cast<std::size_t>(from)];
      return value < 0 ? s.next : s.known[static_cast<std::size_t>(value)].second;
    };
    for (ProgramStep& step : recording.steps) {
      if (link() < 0) {
        program_.steps.push_back(step);
        link() = static_cast<int>(program_.steps.size()) - 1;
        from = static_cast<int>(program_.steps.size()) - 1;
        value = step.kind == ProgramStep::Kind::read ? 0 : -1;
        continue;
      }
      from = link();
      value = join(program_.steps[static_cast<std::size_t>(from)], step);
    }
  }

 private:
  // An example meets a known step: it must be the same. Returns the number of the value it read.
  int join(ProgramStep& known, const ProgramStep& step) {
    if (step_key(known) != step_key(step)) {
      const location where =
          step.kind == ProgramStep::Kind::graph && !step.graph.nodes.empty() ? step.graph.nodes.back().where : step.where;
      throw ValueError("export_function",
                       fmt::format("{}: two examples with arguments of one kind do different things although they "
                                   "read the same values, before {}:{}. The function must depend on its arguments "
                                   "only.",
                                   path_, where.file, where.line));
    }
    if (step.kind != ProgramStep::Kind::read) return -1;
    for (std::size_t i = 0; i < known.known.size(); ++i)
      if (known.known[i].first == step.known[0].first) return static_cast<int>(i);
    known.known.push_back(step.known[0]);
    return static_cast<int>(known.known.size()) - 1;
  }

  // Constants of all examples share one list.
  void place_constants(Recording& recording) {
    std::vector<std::uint32_t> number;
    for (const array& a : recording.constants) {
      auto same = [&](const array& b) {
        return a.get()->type == b.get()->type && detail::same_shape(a.get(), b.get()) &&
               !detail::first_difference(a.get(), b.get());
      };
      auto found = std::find_if(program_.constants.begin(), program_.constants.end(), same);
      number.push_back(static_cast<std::uint32_t>(found - program_.constants.begin()));
      if (found == program_.constants.end()) program_.constants.push_back(a);
    }
    auto renumber = [&](ProgramSource& s) {
      if (s.kind == ProgramSource::Kind::constant) s.at = number[s.at];
    };
    for (ProgramStep& step : recording.steps) {
      for (ProgramSource& s : step.inputs) renumber(s);
      for (ProgramSource& s : step.results) renumber(s);
      renumber(step.of);
    }
  }

  Program& program_;
  const std::string& path_;
};

// ---- proof and kernels ----

void compare(const std::vector<array>& expected, const std::vector<array>& got, const std::string& what,
             const std::string& path) {
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const bool empty = expected[i].empty_handle();
    if (empty && got[i].empty_handle()) continue;
    const node *a = expected[i].get(), *b = got[i].get();
    if (a->type == b->type && detail::same_shape(a, b) && !detail::first_difference(a, b)) continue;
    throw ValueError("export_function",
                     fmt::format("{}: the bundle does not give what the function gave: {} {} differs. The function "
                                 "must depend on its arguments only.",
                                 path, what, i));
  }
}

// Runs the program on the examples: its results must be theirs, and the kernels it asks for are those the
// bundle needs.
void prove(const Program& program, std::vector<Studied>& examples, const std::string& path) {
  ProgramRunner runner(program);
  for (Studied& studied : examples)
    for (Recording& recording : studied.recordings) {
      std::vector<node*> nodes;
      for (const array& a : recording.before) nodes.push_back(a.get());
      compare(recording.results, runner.run(find_entry(program, nodes, &recording.values), nodes), "result", path);
      compare(recording.after, recording.before, "argument", path);
    }
}

void append_text(runtime::Bundle& bundle, const std::string& name, const std::string& text) {
  bundle.sections.push_back({name, std::vector<char>(text.begin(), text.end())});
}

void append_constants(runtime::Bundle& bundle, const Program& program) {
  json list = json::array();
  std::vector<runtime::BundleSection> sections;
  for (const array& a : program.constants) {
    const dims shape = a.shape();
    list.push_back(
        json{{"type", std::string(1, a.dtype().character())}, {"shape", std::vector<std::int64_t>(shape.begin(), shape.end())}});
    const char* from = detail::readable_on_host(a.get())->data;
    sections.push_back({fmt::format("constant {}", sections.size()), std::vector<char>(from, from + a.nbytes())});
  }
  append_text(bundle, "constants", list.dump());
  for (auto& s : sections) bundle.sections.push_back(std::move(s));
}

void append_kernels(runtime::Bundle& bundle, const std::vector<runtime::KernelRequest>& requests,
                    const std::vector<std::string>& targets) {
  json list = json::array();
  std::vector<runtime::BundleSection> sections;
  auto add = [&](const runtime::KernelRequest& request, const std::string& target) {
    const std::string name = fmt::format("kernel {}", sections.size());
    list.push_back(json{{"target", runtime::target_text(target)}, {"section", name}, {"content", request.content}});
    sections.push_back({name, runtime::linked_kernel(request, target)});
  };
  for (const runtime::KernelRequest& request : requests)
    if (!request.variant.target.empty())  // for a device
      add(request, request.variant.target);
    else
      for (const std::string& target : targets)
        if (!is_device_target(target)) add(request, target);
  append_text(bundle, "kernels", list.dump());
  for (auto& s : sections) bundle.sections.push_back(std::move(s));
}

// Kernels come while the program is proved: what the bundle needs is what its runs ask for.
void add_kernels(runtime::Bundle& bundle, const Program& program, std::vector<Studied>& examples, const export_options& options) {
  const bool wanted = !options.targets.empty();
  const config_scope settings({.compile = compile_mode::sync, .suppress_errors = !wanted});
  const runtime::defer_compiles_scope deferring(!wanted);
  runtime::kernel_notes_scope requested;
  try {
    {
      const device on("cpu");
      prove(program, examples, bundle.path);
    }
    for (const std::string& target : options.targets)
      if (is_device_target(target)) {
        const device on(target);
        prove(program, examples, bundle.path);
      }
    // What was compiled just now is on its way to the disk cache, where it is taken from.
    if (wanted) runtime::wait_for_compiles();
    append_kernels(bundle, requested.requests(), options.targets);
  } catch (const CompileError& e) {
    std::string text = e.what();
    if (const std::string tag = "[" + e.op() + "] "; text.starts_with(tag)) text.erase(0, tag.size());
    const std::size_t end = std::min(text.size(), text.find(runtime::repro_hint_start));
    throw CompileError("export_function", fmt::format("{}: {} A bundle without kernels, whose operations run one by "
                                                      "one, needs no compiler: export with .targets = {{}}.{}",
                                                      bundle.path, text.substr(0, end), text.substr(end)));
  }
}

}  // namespace

void throw_not_exportable(const std::string& path, const std::string& what) {
  throw TypeError("export_function",
                  fmt::format("{}: {}. Expected arrays, numbers, strings, enums, tuples, vectors, optionals and maps "
                              "of these, or structs with NUMJIT_FIELDS.",
                              path, what));
}

void export_examples(const Examples& examples, const std::string& path, const export_options& options) {
  check_options(path, options);
  if (examples.empty()) throw ValueError("export_function", fmt::format("{}: no example was given.", path));
  Program program;
  program.name = options.name.empty() ? stem(path) : options.name;
  program.fast = config().float_mode == float_mode::fast;
  std::vector<Studied> studied;
  ProgramBuilder builder(program, path);
  for (const auto& example : examples) {
    studied.push_back(study(*example, path));
    builder.add(studied.back().entry, studied.back().recordings.front());
  }
  runtime::Bundle bundle{path, {}};
  append_text(bundle, "program", program_to_json(program));
  append_constants(bundle, program);
  add_kernels(bundle, program, studied, options);
  runtime::write_bundle(bundle);
}

}  // namespace numjit::tracing
