// Values, terms and texts of exported programs.
#include <numjit/trace/export/program.h>

#include <cstring>

#include <fmt/format.h>

#include <numjit/base/error.h>

namespace numjit::tracing {

std::string value_text(dtype_id type, std::string_view what, const std::string& value) {
  if (what == "bool" || type == dtype_id::bool_) return value[0] ? "true" : "false";
  std::string text;
  visit_dtype(type, [&]<class T>() {
    T x;
    if (value.size() != sizeof x) return;
    std::memcpy(&x, value.data(), sizeof x);
    if constexpr (std::is_same_v<T, complex<float>> || std::is_same_v<T, complex<double>>)
      text = fmt::format("({}{:+}j)", x.re, x.im);
    else if constexpr (std::is_same_v<T, half>)
      text = fmt::format("{}", static_cast<float>(x));
    else
      text = fmt::format("{}", x);
  });
  return text;
}

std::vector<std::int64_t> sharing_pattern(const std::vector<node*>& arguments) {
  std::vector<std::int64_t> pattern;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    std::int64_t first = static_cast<std::int64_t>(i), distance = 0;
    for (std::size_t k = 0; k < i; ++k) {
      if (detail::storage_owner(arguments[k]) != detail::storage_owner(arguments[i])) continue;
      first = static_cast<std::int64_t>(k);
      distance = arguments[i]->data - arguments[k]->data;
      break;
    }
    pattern.push_back(first);
    pattern.push_back(distance);
  }
  return pattern;
}

bool shares(const std::vector<std::int64_t>& pattern) {
  for (std::size_t i = 0; i < pattern.size(); i += 2)
    if (pattern[i] != static_cast<std::int64_t>(i / 2)) return true;
  return false;
}

op_params with_word(const op_params& params, int at, std::int64_t value) {
  op_params edited;
  for (int i = 0; i < params.size(); ++i) edited.push(i == at ? value : params[i]);
  if (params.has_type()) edited.type(params.type());
  return edited;
}

void set_size(runtime::ScalarValue& scalar, std::int64_t value) {
  if (scalar.kind == weak_kind::int_) scalar.integer = value;
  scalar.real = static_cast<double>(value);
}

std::int64_t value_of(const SizeTerm& term, const std::vector<node*>& arguments) {
  std::int64_t value = term.factor;
  bool overflow = false;
  for (auto [argument, axis] : term.sizes) overflow |= __builtin_mul_overflow(value, arguments[argument]->shape[axis], &value);
  if (overflow | __builtin_add_overflow(value, term.offset, &value)) [[unlikely]]
    throw ValueError("loaded_function",
                     fmt::format("a number made of lengths is beyond int64: got {} * the lengths of {} axes + {}. "
                                 "Pass smaller arrays.",
                                 term.factor, term.sizes.size(), term.offset));
  return value;
}

namespace {

// Steps of an entry, parents first.
template <class F>
void visit_steps(const Program& program, const ProgramEntry& entry, F&& f) {
  std::vector<int> open{entry.first};
  while (!open.empty()) {
    const int at = open.back();
    open.pop_back();
    const ProgramStep& step = program.steps[static_cast<std::size_t>(at)];
    f(at, step);
    if (step.kind == ProgramStep::Kind::graph) open.push_back(step.next);
    for (auto known = step.known.rbegin(); known != step.known.rend(); ++known) open.push_back(known->second);
  }
}

std::string source_text(const ProgramSource& source) {
  switch (source.kind) {
    case ProgramSource::Kind::none: return "empty";
    case ProgramSource::Kind::argument: return fmt::format("argument {}", source.at);
    case ProgramSource::Kind::computed: return fmt::format("value {}", source.at);
    case ProgramSource::Kind::constant: return fmt::format("constant {}", source.at);
  }
  __builtin_unreachable();
}

std::string argument_text(const ProgramArgument& a) {
  std::string text(dtype(a.type).name());
  text += '[';
  for (int axis = 0; axis < a.shape.size(); ++axis) {
    if (axis) text += ", ";
    text += a.free >> axis & 1 ? "any" : std::to_string(a.shape[axis]);
  }
  return text + ']';
}

std::string list(const std::vector<ProgramSource>& sources) {
  std::string text;
  for (const ProgramSource& s : sources) text += (text.empty() ? "" : ", ") + source_text(s);
  return text;
}

std::string step_text(int at, const ProgramStep& step) {
  std::string text = fmt::format("step {}: ", at);
  if (step.kind == ProgramStep::Kind::results) return text + fmt::format("results {}\n", list(step.results));
  if (step.kind == ProgramStep::Kind::read) {
    text += fmt::format("{}() of {} at {}:{}\n", step.what, source_text(step.of), step.where.file, step.where.line);
    for (const auto& [value, next] : step.known) {
      text += fmt::format("  {} -> step {}\n", value_text(step.type, step.what, value), next);
    }
    return text;
  }
  text += fmt::format("graph of {}, then step {}\n", step.inputs.empty() ? "nothing" : list(step.inputs), step.next);
  std::string lines = graph::to_text(step.graph);
  for (std::size_t from = 0; from < lines.size();) {
    const std::size_t end = lines.find('\n', from);
    text += "  " + lines.substr(from, end - from) + "\n";
    from = end + 1;
  }
  return text;
}

}  // namespace

void visit_stores(const ProgramStep& step, const std::function<void(const graph::Node&, const ProgramSource&)>& visit) {
  std::vector<std::int32_t> input_of(step.graph.nodes.size(), -1);
  std::int32_t inputs = 0;
  for (std::size_t i = 0; i < step.graph.nodes.size(); ++i) {
    const graph::Node& n = step.graph.nodes[i];
    if (n.kind == graph::NodeKind::input) input_of[i] = inputs++;
    if (n.kind == graph::NodeKind::view) input_of[i] = input_of[static_cast<std::size_t>(n.in[0].node)];
    if (n.kind != graph::NodeKind::store) continue;
    const std::int32_t target = input_of[static_cast<std::size_t>(n.in[0].node)];
    if (target >= 0) visit(n, step.inputs[static_cast<std::size_t>(target)]);
  }
}

std::vector<bool> changed_arguments(const Program& program, const ProgramEntry& entry) {
  std::vector<bool> changed(entry.arguments.size());
  visit_steps(program, entry, [&](int, const ProgramStep& step) {
    visit_stores(step, [&](const graph::Node&, const ProgramSource& target) {
      if (target.kind == ProgramSource::Kind::argument) changed[target.at] = true;
    });
  });
  return changed;
}

std::size_t result_count(const Program& program, const ProgramEntry& entry) {
  std::size_t count = 0;
  visit_steps(program, entry, [&](int, const ProgramStep& step) {
    if (step.kind == ProgramStep::Kind::results) count = step.results.size();
  });
  return count;
}

std::string to_text(const Program& program) {
  std::string text =
      fmt::format("{}: {} kind{} of arguments\n", program.name, program.entries.size(), program.entries.size() == 1 ? "" : "s");
  for (const ProgramEntry& entry : program.entries) {
    std::string arguments;
    const std::vector<bool> changed = changed_arguments(program, entry);
    for (std::size_t i = 0; i < entry.arguments.size(); ++i)
      arguments += fmt::format("{}{}{}", i ? ", " : "", argument_text(entry.arguments[i]), changed[i] ? " (changed)" : "");
    text += fmt::format("arguments ({})", arguments);
    if (!entry.values.empty())
      text += fmt::format(" and {} plain word{}", entry.values.size(), entry.values.size() == 1 ? "" : "s");
    text += "\n";
    visit_steps(program, entry, [&](int at, const ProgramStep& step) { text += step_text(at, step); });
  }
  return text;
}

}  // namespace numjit::tracing
