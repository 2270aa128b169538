// Repros as C++ programs.
#include <cmath>
#include <string_view>

#include <fmt/format.h>

#include <numjit/runtime/repro/repro.h>

namespace numjit::runtime {
namespace {

using graph::Node;
using graph::NodeKind;

constexpr std::string_view start = R"text(// Written by numjit: a segment that failed, as a program of its own.
//
//   fault: {fault}
//   from:  {function}
//
// Build it as any program with numjit; it ends with exit status 1 if the fault shows. Inputs are filled with
// random numbers: `numjit repro` on the .npj file beside this one takes the saved ones.
{include} <cstdio>
{include} <random>
{include} <vector>

{include} <numjit/array/same_bits.h>
{include} <numjit/base/repro_level.h>
{include} <numjit/np.h>
{include} <numjit/ops/bind.h>

using numjit::array;
using numjit::dtype_id;
using numjit::op_id;

// A call as the program made it: the operation, what it is applied to, and its parameters.
static array call(op_id op, const std::vector<numjit::operand>& in, const std::vector<std::int64_t>& words = {{}},
                  int type = -1, bool where = false) {{
  numjit::op_params params;
  for (std::int64_t word : words) params.push(word);
  if (type >= 0) params.type(static_cast<dtype_id>(type));
  numjit::op_call c{{op, std::span(in).first(in.size() - where), &params}};
  if (where) c.where_mask = in.back().n();
  return numjit::bind(c);
}}

// Elements in [0.25, 2), as the same numbers in each run.
static array random_array(dtype_id type, const std::vector<std::int64_t>& shape, unsigned seed) {{
  std::mt19937 random(seed);
  array a = numjit::empty(numjit::dims(std::span(shape)));
  double* elements = a.data<double>();
  for (std::int64_t i = 0; i < a.size(); ++i) elements[i] = 0.25 + (random() >> 8) * 0x1p-24 * 1.75;
  return a.astype(numjit::dtype(type));
}}

)text";

constexpr std::string_view finish = R"text(
int main() {{
  numjit::config().compile = numjit::compile_mode::sync;
  numjit::config().suppress_errors = false;
  numjit::detail::repro_level = 0;
  numjit::config().float_mode = numjit::float_mode::{float_mode};
  const std::vector<array> in = inputs(), compiled_in = inputs();
  const std::vector<array> expected = program(in);
  std::vector<array> got;
  try {{
    got = numjit::compile(&program, {{.fullgraph = true, .backend = "{layer}"}})(compiled_in);
  }} catch (const numjit::CompileError& e) {{
    std::printf("%s\n", e.what());
    return 1;
  }}
  for (std::size_t i = 0; i < got.size(); ++i)
    if (auto element = numjit::detail::first_difference(expected[i].get(), got[i].get())) {{
      std::printf("element %lld of output %zu differs\n", static_cast<long long>(*element), i);
      return 1;
    }}
  for (std::size_t i = 0; i < in.size(); ++i)
    if (numjit::detail::first_difference(in[i].get(), compiled_in[i].get())) {{
      std::printf("input %zu differs after the stores\n", i);
      return 1;
    }}
  std::printf("the fault does not show\n");
  return 0;
}}
)text";

std::string type_name(dtype_id type) {
  return type == dtype_id::bool_ ? "bool_" : std::string(dtype(type).name());
}

std::string list_text(const dims& list) {
  return fmt::format("{{{}}}", fmt::join(list.begin(), list.end(), ", "));
}

std::string real_text(double v) {
  if (std::isnan(v)) return "std::nan(\"\")";
  if (std::isinf(v)) return v < 0 ? "-HUGE_VAL" : "HUGE_VAL";
  const std::string text = fmt::format("{}", v);
  return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
}

std::string scalar_text(const ScalarValue& v) {
  switch (v.kind) {
    case weak_kind::bool_: return v.integer ? "true" : "false";
    case weak_kind::int_:
      if (v.above_int64) return fmt::format("{}u", static_cast<std::uint64_t>(v.integer));
      return v.integer == INT64_MIN ? "INT64_MIN" : fmt::format("std::int64_t{{{}}}", v.integer);
    case weak_kind::float_: return real_text(v.real);
    default: return fmt::format("std::complex<double>({}, {})", real_text(v.real), real_text(v.imag));
  }
}

std::string params_text(const op_params& p) {
  std::string words;
  for (int i = 0; i < p.size(); ++i)
    words += (i ? ", " : "") + (p[i] == INT64_MIN ? std::string("INT64_MIN") : std::to_string(p[i]));
  return "{" + words + "}";
}

std::string call_text(const Repro& repro, const Node& n) {
  std::string in;
  for (const graph::Ref& ref : n.in)
    in += (in.empty() ? "" : ", ") + (ref.node >= 0 ? fmt::format("v{}", ref.node)
                                                    : scalar_text(repro.scalars[static_cast<std::size_t>(ref.scalar)]));
  std::string rest;
  if (n.params.size() || n.params.has_type() || n.has_where) rest = ", " + params_text(n.params);
  if (n.params.has_type() || n.has_where)
    rest += n.params.has_type() ? fmt::format(", int(dtype_id::{})", type_name(n.params.type())) : ", -1";
  if (n.has_where) rest += ", true";
  return fmt::format("call(op_id::{}, {{{}}}{})", info(n.op).name, in, rest);
}

/// Inputs are contiguous and share no memory here, unlike in the .npj file.
std::string inputs_text(const Repro& repro) {
  std::string text = "static std::vector<array> inputs() {\n  return {\n";
  std::size_t i = 0;
  for (const Node& n : repro.graph.nodes)
    if (n.kind == NodeKind::input) {
      text += fmt::format("      random_array(dtype_id::{}, {}, {}),\n", type_name(n.type),
                          list_text(repro.places[i].shape), i + 1);
      ++i;
    }
  return text + "  };\n}\n\n";
}

std::string program_text(const Repro& repro) {
  std::string text = "static std::vector<array> program(const std::vector<array>& in) {\n";
  std::string outputs;
  std::size_t input = 0;
  for (std::size_t i = 0; i < repro.graph.nodes.size(); ++i) {
    const Node& n = repro.graph.nodes[i];
    const std::string value = n.kind == NodeKind::input ? fmt::format("in[{}]", input++) : call_text(repro, n);
    const std::string place = n.where.line > 0 ? fmt::format("  // {}:{}", n.where.file, n.where.line) : "";
    text += n.kind == NodeKind::store ? fmt::format("  {};{}\n", value, place)
                                      : fmt::format("  array v{} = {};{}\n", i, value, place);
    if (n.live) outputs += fmt::format("{}v{}", outputs.empty() ? "" : ", ", i);
  }
  return text + fmt::format("  return {{{}}};\n}}\n", outputs);
}

/// One line of a comment.
std::string in_comment(std::string text) {
  for (char& c : text)
    if (c == '\n' || c == '\\') c = ' ';
  return text;
}

}  // namespace

std::string repro_program(const Repro& repro) {
  return fmt::format(start, fmt::arg("include", "#include"), fmt::arg("fault", in_comment(repro.fault)),
                     fmt::arg("function", in_comment(repro.function))) +
         inputs_text(repro) + program_text(repro) +
         fmt::format(finish, fmt::arg("float_mode", repro.fast_math ? "fast" : "exact"),
                     fmt::arg("layer", repro.layer));
}

}  // namespace numjit::runtime
