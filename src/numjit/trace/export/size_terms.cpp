// What depends on sizes: recordings of one function with different sizes, compared word by word.
#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include <numjit/array/same_bits.h>
#include <numjit/base/error.h>
#include <numjit/trace/export/exporter.h>

namespace numjit::tracing {
namespace {

using Kind = ProgramStep::Kind;
using graph::Node;

[[noreturn]] void refuse(const std::string& what) {
  throw ValueError("export_function",
                   fmt::format("the function is not the same for all sizes of the axes marked by np::mark_dynamic: {}. "
                               "Leave the axis unmarked, or give each size as an example.",
                               what));
}

std::string place(const location& where) { return fmt::format("{}:{}", where.file, where.line); }
std::string name_of(const Node& n) {
  return n.kind == graph::NodeKind::input ? "an input" : fmt::format("{} at {}", op_text(n), place(n.where));
}

bool same_but_params(const Node& a, const Node& b) {
  return a.kind == b.kind && a.op == b.op && a.type == b.type && a.rank == b.rank && a.loop == b.loop &&
         a.has_where == b.has_where && a.live == b.live && a.in == b.in && a.params.size() == b.params.size() &&
         a.params.has_type() == b.params.has_type() && (!a.params.has_type() || a.params.type() == b.params.type());
}

// Equal but for an integer's value, which may be a size.
bool same_but_integer(const runtime::ScalarValue& a, const runtime::ScalarValue& b) {
  if (a.kind != b.kind || a.above_int64 != b.above_int64) return false;
  auto bits = [](double x) { return std::bit_cast<std::int64_t>(x); };
  return a.kind == weak_kind::int_ || (bits(a.real) == bits(b.real) && bits(a.imag) == bits(b.imag));
}

bool same_constant(const array& a, const array& b) {
  const node *x = a.get(), *y = b.get();
  return x->type == y->type && detail::same_shape(x, y) && !detail::first_difference(x, y);
}

// What differs between two steps apart from words that may be sizes, "" if nothing does.
std::string difference(const ProgramStep& a, const ProgramStep& b) {
  if (a.kind != b.kind) return "it goes on in another way";
  if (a.kind == Kind::results) return a.results == b.results ? "" : "it returns other arrays";
  if (a.kind == Kind::read) {
    if (a.what != b.what || a.type != b.type || !(a.of == b.of) || a.where.line != b.where.line)
      return fmt::format("it reads another value than by {}() at {}", a.what, place(a.where));
    return a.known[0].first == b.known[0].first ? "" : fmt::format("{}() at {} reads another value", a.what, place(a.where));
  }
  const std::size_t count = std::min(a.graph.nodes.size(), b.graph.nodes.size());
  for (std::size_t i = 0; i < count; ++i)
    if (!same_but_params(a.graph.nodes[i], b.graph.nodes[i]))
      return fmt::format("{} becomes {}", name_of(a.graph.nodes[i]), name_of(b.graph.nodes[i]));
  if (a.graph.nodes.size() != b.graph.nodes.size())
    return fmt::format("it has {} operations, then {}", a.graph.op_count(), b.graph.op_count());
  return a.inputs == b.inputs ? "" : "a graph takes other arrays";
}

// The node that uses a scalar, for errors.
std::string user_of(const ProgramStep& step, std::int32_t scalar) {
  for (const Node& n : step.graph.nodes)
    for (const graph::Ref& ref : n.in)
      if (ref.scalar == scalar) return name_of(n);
  return "a scalar";
}

// A size that is free: where it stands first, and its values in each recording.
struct Symbol {
  std::uint32_t argument, axis;
  std::vector<std::int64_t> values;
};

std::vector<Symbol> symbols_of(const std::vector<Recording>& recordings) {
  std::vector<Symbol> symbols;
  const Recording& first = recordings.front();
  for (std::uint32_t i = 0; i < first.arguments.size(); ++i)
    for (std::uint32_t axis = 0; axis < static_cast<std::uint32_t>(first.arguments[i].ndim()); ++axis) {
      if (!(first.free[i] >> axis & 1)) continue;
      Symbol s{i, axis, {}};
      for (const Recording& r : recordings) s.values.push_back(r.arguments[i].get()->shape[axis]);
      bool known = false;
      for (const Symbol& other : symbols) known |= other.values == s.values;
      if (!known) symbols.push_back(std::move(s));
    }
  return symbols;
}

// factor * product + offset for the values of a word, if there is such a term: products of sizes first,
// then a size and a distance.
std::optional<SizeTerm> term_for(const std::vector<std::int64_t>& words, const std::vector<Symbol>& symbols) {
  const std::size_t count = std::min<std::size_t>(symbols.size(), 6);
  for (std::uint32_t set = 1; set < 1u << count; ++set) {
    SizeTerm term;
    std::vector<std::int64_t> products(words.size(), 1);
    for (std::size_t s = 0; s < count; ++s) {
      if (!(set >> s & 1)) continue;
      term.sizes.emplace_back(symbols[s].argument, symbols[s].axis);
      for (std::size_t r = 0; r < words.size(); ++r) products[r] *= symbols[s].values[r];
    }
    if (words[0] % products[0] != 0) continue;
    term.factor = words[0] / products[0];
    bool fits = true;
    for (std::size_t r = 0; r < words.size(); ++r) fits = fits && words[r] == term.factor * products[r];
    if (fits) return term;
  }
  for (const Symbol& s : symbols) {
    for (std::int64_t factor : {std::int64_t{1}, std::int64_t{-1}, std::int64_t{2}}) {
      SizeTerm term{factor, words[0] - factor * s.values[0], {{s.argument, s.axis}}};
      bool fits = true;
      for (std::size_t r = 0; r < words.size(); ++r) fits = fits && words[r] == factor * s.values[r] + term.offset;
      if (fits) return term;
    }
  }
  return std::nullopt;
}

class TermFinder {
 public:
  TermFinder(std::vector<Recording>& recordings) : recordings_(recordings), symbols_(symbols_of(recordings)) {}

  void step(std::size_t number) {
    ProgramStep& first = recordings_[0].steps[number];
    if (first.kind != Kind::graph) return;
    for (std::size_t i = 0; i < first.graph.nodes.size(); ++i)
      for (int w = 0; w < first.graph.nodes[i].params.size(); ++w)
        word(
            number, {static_cast<std::int32_t>(i), -1, static_cast<std::uint32_t>(w), {}},
            [&](const ProgramStep& s) { return s.graph.nodes[i].params[w]; },
            [&] { return fmt::format("word {} of the parameters of {}", w, name_of(first.graph.nodes[i])); });
    for (std::size_t k = 0; k < first.scalars.size(); ++k) scalar(number, k);
  }

 private:
  // Integers, and reals that are whole numbers in all recordings, may be terms of sizes.
  void scalar(std::size_t number, std::size_t k) {
    const ProgramStep& first = recordings_[0].steps[number];
    const runtime::ScalarValue& value = first.scalars[k];
    const auto at = static_cast<std::int32_t>(k);
    bool whole = value.kind == weak_kind::float_;
    const runtime::ScalarValue* another = nullptr;
    for (const Recording& r : recordings_) {
      const runtime::ScalarValue& other = r.steps[number].scalars[k];
      whole = whole && other.kind == value.kind && std::abs(other.real) < 0x1p53 && std::trunc(other.real) == other.real;
      if (!another && !same_but_integer(value, other)) another = &other;
    }
    if (another && !whole) refuse(fmt::format("a number in {} is {}, then {}", user_of(first, at), value.real, another->real));
    auto read = [&](const ProgramStep& s) {
      return whole && another ? static_cast<std::int64_t>(s.scalars[k].real) : s.scalars[k].integer;
    };
    word(number, {-1, at, 0, {}}, read, [&] { return fmt::format("a number in {}", user_of(first, at)); });
  }

  template <class Read, class Name>
  void word(std::size_t number, SizedWord found, const Read& read, const Name& name) {
    std::vector<std::int64_t> words;
    for (const Recording& r : recordings_) words.push_back(read(r.steps[number]));
    bool same = true;
    for (std::int64_t w : words) same = same && w == words[0];
    if (same) return;
    std::optional<SizeTerm> term = term_for(words, symbols_);
    if (!term) {
      refuse(fmt::format("{} is {} for size {}, {} for size {}, which is no size plus a number and no product of sizes", name(),
                         words[0], symbols_[0].values[0], words[1], symbols_[0].values[1]));
    }
    found.term = std::move(*term);
    recordings_[0].steps[number].sized.push_back(std::move(found));
  }

  std::vector<Recording>& recordings_;
  std::vector<Symbol> symbols_;
};

void check_same_steps(const Recording& first, const Recording& other) {
  for (std::size_t k = 0; k < std::min(first.steps.size(), other.steps.size()); ++k)
    if (std::string text = difference(first.steps[k], other.steps[k]); !text.empty()) refuse(text);
  if (first.steps.size() != other.steps.size())
    refuse(fmt::format("it has {} steps, then {}", first.steps.size(), other.steps.size()));
  bool same = first.constants.size() == other.constants.size();
  for (std::size_t i = 0; same && i < first.constants.size(); ++i) same = same_constant(first.constants[i], other.constants[i]);
  if (!same) refuse("an array that it captures or makes from values is another one");
}

}  // namespace

void find_size_terms(std::vector<Recording>& recordings) {
  for (const Recording& other : recordings) check_same_steps(recordings.front(), other);
  TermFinder finder(recordings);
  for (std::size_t k = 0; k < recordings.front().steps.size(); ++k) finder.step(k);
}

bool follows(const Recording& first, const Recording& other) {
  try {
    check_same_steps(first, other);
  } catch (const ValueError&) {
    return false;
  }
  const std::vector<node*> arguments = other.nodes();
  for (std::size_t k = 0; k < first.steps.size(); ++k) {
    ProgramStep expected = first.steps[k];
    if (expected.kind != Kind::graph) continue;
    for (const SizedWord& w : expected.sized) {
      const std::int64_t value = value_of(w.term, arguments);
      if (w.scalar >= 0) {
        set_size(expected.scalars[static_cast<std::size_t>(w.scalar)], value);
        continue;
      }
      op_params& p = expected.graph.nodes[static_cast<std::size_t>(w.node)].params;
      p = with_word(p, static_cast<int>(w.word), value);
    }
    expected.sized.clear();
    if (step_key(expected) != step_key(other.steps[k])) return false;
  }
  return true;
}

}  // namespace numjit::tracing
