// Reading kernel specs: a line is read for what it says, then the whole is printed again and must be the same text.
#include <numjit/graph/kernel_text.h>

#include <charconv>
#include <optional>
#include <string>

#include <fmt/format.h>

#include <numjit/base/error.h>
#include <numjit/graph/loop_text.h>

namespace numjit::graph {
namespace {

constexpr std::size_t longest_quote = 60;

[[noreturn]] void refuse(const std::string& what) { throw ValueError("graphs", what); }

/// A line of someone else's as an error shows it: short, without control characters.
std::string quoted(std::string_view line) {
  std::string text;
  for (char c : line.substr(0, longest_quote)) text += c < ' ' || c > '~' ? '?' : c;
  return "'" + text + (line.size() > longest_quote ? "..." : "") + "'";
}

/// Takes texts off the front of a line.
class Reader {
 public:
  explicit Reader(std::string_view line) : line_(line), rest_(line) {}

  bool take(std::string_view word) {
    if (!rest_.starts_with(word)) return false;
    rest_.remove_prefix(word.size());
    return true;
  }
  void expect(std::string_view word) {
    if (!take(word)) fail();
  }
  std::uint16_t number() {
    std::uint16_t value = 0;
    const auto [end, failure] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    if (failure != std::errc()) fail();
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    return value;
  }
  /// Up to `mark`, which is taken too.
  std::string_view until(char mark) {
    const std::size_t end = rest_.find(mark);
    if (end == std::string_view::npos) fail();
    const std::string_view word = rest_.substr(0, end);
    rest_.remove_prefix(end + 1);
    return word;
  }
  dtype_id type() {
    if (rest_.empty()) fail();
    const char c = rest_.front();
    const dtype_id id = dtype_of_char(c);
    if (dtype(id).character() != c) refuse(fmt::format("unknown type character in {}", quoted(line_)));
    rest_.remove_prefix(1);
    return id;
  }
  bool empty() const { return rest_.empty(); }
  [[noreturn]] void fail() const { refuse(fmt::format("a line is no part of a graph: {}", quoted(line_))); }

 private:
  std::string_view line_, rest_;
};

class Lines {
 public:
  explicit Lines(std::string_view text) : text_(text) {}
  bool empty() const { return text_.empty(); }
  bool next_starts_with(std::string_view word) const { return text_.starts_with(word); }
  Reader next() {
    if (text_.empty()) refuse("a graph is cut short: it has no line of outputs");
    const std::size_t end = std::min(text_.find('\n'), text_.size());
    const std::string_view line = text_.substr(0, end);
    text_.remove_prefix(std::min(end + 1, text_.size()));
    return Reader(line);
  }

 private:
  std::string_view text_;
};

std::vector<dtype_id> types_of(Reader line, std::string_view word) {
  line.expect(word);
  std::vector<dtype_id> types;
  while (!line.empty()) types.push_back(line.type());
  if (types.size() > most_kernel_nodes) refuse(fmt::format("{}: got {}, expected at most {}", word.substr(0, word.size() - 1),
                                                           types.size(), most_kernel_nodes));
  return types;
}

/// "(%0, %1)", all of them earlier nodes.
int read_inputs(Reader& line, KernelNode& node, std::size_t earlier) {
  int count = 0;
  do {
    if (count == 3) line.fail();
    line.expect("%");
    node.in[count] = line.number();
    if (node.in[count++] >= earlier) refuse(fmt::format("node %{} reads one that does not stand before it", earlier));
  } while (line.take(", "));
  line.expect(")");
  return count;
}

dtype_id listed(const std::vector<dtype_id>& types, std::uint16_t index, std::size_t node, const char* what) {
  if (index >= types.size()) refuse(fmt::format("node %{}: {} {} of {}", node, what, index, types.size()));
  return types[index];
}

/// A row's inputs have its loop's types; those of a reduction are cast to the type it accumulates in.
void check_loop(const KernelSpec& spec, const KernelNode& node) {
  const op_info& row = info(node.op);
  const op_loop& loop = row.loops[node.loop];
  for (int i = 0; i < row.arity; ++i) {
    const dtype_id type = spec.nodes[node.in[i]].type;
    if (type != loop.in[i] && !(row.kind == op_kind::reduction && type == loop.out))
      refuse(
          fmt::format("node %{}: {}.{} of a {}", spec.nodes.size(), row.name, loop_text(node.op, node.loop), dtype(type).name()));
  }
}

KernelNode row_node(Reader& line, const KernelSpec& spec) {
  const std::string_view name = line.until('.'), loop = line.until('(');
  const std::optional<op_id> op = find_op(name);
  if (!op) refuse(fmt::format("unknown operation {}", quoted(name)));
  KernelNode node{KernelNodeKind::op, *op, 0, {}, 0, {}};
  const op_info& row = info(*op);
  const int number = find_loop(*op, loop);
  if (number < 0) refuse(fmt::format("{} has no loop {}", row.name, quoted(loop)));
  node.loop = static_cast<std::uint8_t>(number);
  node.type = row.loops[node.loop].out;
  const int count = read_inputs(line, node, spec.nodes.size());
  if (count != row.arity) refuse(fmt::format("{}: got {} inputs, expected {}", row.name, count, row.arity));
  if (line.take(" over axis ")) {
    node.kind = KernelNodeKind::reduce;
    node.index = line.number();
    if (node.index >= spec.reduction_levels)
      refuse(fmt::format("node %{}: reduced axis {} of {}", spec.nodes.size(), node.index, spec.reduction_levels));
  }
  const bool reduces = row.kind == op_kind::reduction || row.kind == op_kind::argreduction;
  if (reduces != (node.kind == KernelNodeKind::reduce) || (!reduces && row.kind != op_kind::ufunc))
    refuse(fmt::format("{} is no operation of a kernel at node %{}", row.name, spec.nodes.size()));
  check_loop(spec, node);
  return node;
}

KernelNode read_node(Reader line, const KernelSpec& spec) {
  line.expect("%");
  const std::size_t at = spec.nodes.size();
  if (line.number() != at) line.fail();
  line.expect(" = ");
  KernelNode node{KernelNodeKind::operand, {}, 0, {}, 0, {}};
  if (line.take("operand ")) {
    node.index = line.number();
    node.type = listed(spec.operand_types, node.index, at, "operand");
  } else if (line.take("scalar ")) {
    node.kind = KernelNodeKind::scalar;
    node.index = line.number();
    node.type = listed(spec.scalar_types, node.index, at, "scalar");
  } else if (const bool imaginary = line.take("imag."); imaginary || line.take("cast.")) {
    node.kind = KernelNodeKind::cast;
    node.index = imaginary;
    node.type = line.type();
    line.expect("(");
    if (read_inputs(line, node, at) != 1) line.fail();
  } else {
    node = row_node(line, spec);
  }
  if (!line.empty()) line.fail();
  return node;
}

/// Casts of imaginary parts are of complex values; reductions of the first level stand below those of the second, and
/// what is stored stands behind all of them.
void check_shape(const KernelSpec& spec) {
  if (spec.nodes.empty() || spec.outputs.empty()) refuse("a graph has no outputs");
  std::vector<int> level(spec.nodes.size(), 0);  // reductions that a value is behind
  int levels = 0;
  for (std::size_t i = 0; i < spec.nodes.size(); ++i) {
    const KernelNode& node = spec.nodes[i];
    const bool row = node.kind == KernelNodeKind::op || node.kind == KernelNodeKind::reduce;
    const int inputs = row ? info(node.op).arity : node.kind == KernelNodeKind::cast ? 1 : 0;
    for (int k = 0; k < inputs; ++k) level[i] = std::max(level[i], level[node.in[k]]);
    if (node.kind == KernelNodeKind::cast && node.index && dtype(spec.nodes[node.in[0]].type).kind() != 'c')
      refuse(fmt::format("node %{}: the imaginary part of a {}", i, dtype(spec.nodes[node.in[0]].type).name()));
    if (node.kind != KernelNodeKind::reduce) continue;
    if (level[i] > node.index) refuse(fmt::format("node %{} reduces axis {} of what is reduced already", i, node.index));
    level[i] = node.index + 1;
    levels = std::max(levels, level[i]);
  }
  if (levels != spec.reduction_levels)
    refuse(fmt::format("reduced axes: got {}, expected {}, as the nodes reduce", int{spec.reduction_levels}, levels));
}

KernelSpec read_spec(Lines lines) {
  KernelSpec spec;
  spec.operand_types = types_of(lines.next(), "operands ");
  spec.scalar_types = types_of(lines.next(), "scalars ");
  if (lines.next_starts_with("reduced axes ")) {
    Reader line = lines.next();
    line.expect("reduced axes ");
    const std::uint16_t levels = line.number();
    if (levels < 1 || levels > 2 || !line.empty()) line.fail();
    spec.reduction_levels = static_cast<std::uint8_t>(levels);
  }
  while (!lines.next_starts_with("outputs")) {
    if (spec.nodes.size() == most_kernel_nodes) refuse(fmt::format("a graph has more than {} nodes", most_kernel_nodes));
    KernelNode node = read_node(lines.next(), spec);
    spec.nodes.push_back(node);
  }
  Reader line = lines.next();
  line.expect("outputs");
  while (!line.empty()) {
    line.expect(" %");
    spec.outputs.push_back(line.number());
    if (spec.outputs.back() >= spec.nodes.size())
      refuse(fmt::format("output %{} of {} nodes", spec.outputs.back(), spec.nodes.size()));
    if (spec.outputs.size() > most_kernel_nodes) refuse("a graph has too many outputs");
  }
  if (!lines.empty()) lines.next().fail();
  return spec;
}

}  // namespace

KernelSpec kernel_spec_from_text(std::string_view text) {
  KernelSpec spec = read_spec(Lines(text));
  check_shape(spec);
  if (to_text(spec) != text) refuse("a graph is not in the form that numjit writes");
  return spec;
}

}  // namespace numjit::graph
