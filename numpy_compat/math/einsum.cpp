// np::einsum: subscripts read, then operands contracted two at a time by products, sums and matmul.
#include <algorithm>
#include <map>
#include <numeric>

#include <at_hand.h>
#include "contraction_path.h"

namespace numjit {

namespace {

/// An operand with one label per axis.
struct labelled {
  array a;
  std::string labels;
};

bool has(const std::string& labels, char c) { return labels.find(c) != std::string::npos; }

struct subscripts {
  std::vector<std::string> inputs;
  std::string output;

  /// Is the result a view of one operand?
  bool sums_nothing() const {
    return inputs.size() == 1 && std::all_of(inputs[0].begin(), inputs[0].end(), [&](char c) { return has(output, c); });
  }
};

[[noreturn]] void fail(const std::string& text) { throw ValueError("einsum", text); }

/// Axes that "..." stands for have labels of their own below the letters: the last one has the highest number.
constexpr char first_unnamed = 1;
bool is_unnamed(char c) { return c >= first_unnamed && c < first_unnamed + max_rank; }
std::string unnamed_labels(int from, int to) {
  std::string labels;
  for (int i = from; i < to; ++i) labels += static_cast<char>(first_unnamed + i);
  return labels;
}

/// One operand's subscripts as letters, and how many stand before "..." (-1: there is none).
struct term {
  std::string letters;
  int dots = -1;
};
term read_term(const std::string& text, const std::string& whose) {
  const bool is_output = whose == "the output";
  term t;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '.') {
      if (t.dots >= 0 || text.compare(i, 3, "...") != 0)
        fail("einstein sum subscripts string contains a '.' that is not part of an ellipsis ('...') in " + whose);
      t.dots = static_cast<int>(t.letters.size());
      i += 2;
    } else if (c == '-' && !is_output) {
      fail("einstein sum subscript string does not contain proper '->' output specified");
    } else if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'))) {
      std::size_t end = i + 1;  // behind all bytes of the letter
      while (end < text.size() && (text[end] & 0xC0) == 0x80) ++end;
      fail("invalid subscript '" + text.substr(i, end - i) + "' in einstein sum subscripts string, subscripts must be letters");
    } else {
      t.letters += c;
    }
  }
  return t;
}

/// The subscripts with all axes labelled, for operands of these ranks.
subscripts parse(std::string text, const std::vector<int>& ranks) {
  text.erase(std::remove(text.begin(), text.end(), ' '), text.end());
  const std::size_t arrow = text.find("->");
  const std::string left = text.substr(0, arrow);
  std::vector<term> terms;
  for (std::size_t from = 0; from <= left.size();) {
    const std::size_t comma = std::min(left.find(',', from), left.size());
    terms.push_back(read_term(left.substr(from, comma - from), "operand " + std::to_string(terms.size())));
    from = comma + 1;
  }
  if (terms.size() != ranks.size())
    // NumPy counts from the subscripts' side.
    fail(terms.size() < ranks.size() ? "fewer operands provided to einstein sum function than specified in the subscripts string"
                                     : "more operands provided to einstein sum function than specified in the subscripts string");
  subscripts s;
  int unnamed = 0;
  for (std::size_t i = 0; i < terms.size(); ++i) {
    const int left_over = ranks[i] - static_cast<int>(terms[i].letters.size());
    if (left_over < 0) fail("einstein sum subscripts string contains too many subscripts for operand " + std::to_string(i));
    if (left_over > 0 && terms[i].dots < 0)
      fail(
          "operand has more dimensions than subscripts given in einstein sum, but no '...' ellipsis provided to "
          "broadcast the extra dimensions.");
    unnamed = std::max(unnamed, left_over);
  }
  for (std::size_t i = 0; i < terms.size(); ++i) {
    std::string labels = terms[i].letters;
    const int left_over = ranks[i] - static_cast<int>(labels.size());
    if (left_over > 0) labels.insert(static_cast<std::size_t>(terms[i].dots), unnamed_labels(unnamed - left_over, unnamed));
    s.inputs.push_back(labels);
  }
  if (arrow == std::string::npos) {  // implicit: labels that occur once, in alphabetic order
    std::map<char, int> count;
    for (const term& t : terms)
      for (char c : t.letters) ++count[c];
    s.output = unnamed_labels(0, unnamed);
    for (auto [c, n] : count)
      if (n == 1) s.output += c;
    return s;
  }
  const term out = read_term(text.substr(arrow + 2), "the output");
  for (std::size_t i = 0; i < out.letters.size(); ++i) {
    const char c = out.letters[i];
    if (out.letters.find(c, i + 1) != std::string::npos)
      fail("einstein sum subscripts string includes output subscript '" + std::string(1, c) + "' multiple times");
    if (!has(left, c))
      fail("einstein sum subscripts string included output subscript '" + std::string(1, c) +
           "' which never appeared in an input");
  }
  s.output = out.letters;
  if (out.dots >= 0)
    s.output.insert(static_cast<std::size_t>(out.dots), unnamed_labels(0, unnamed));
  else if (unnamed > 0)
    fail(
        "output has more dimensions than subscripts given in einstein sum, but no '...' ellipsis provided to broadcast "
        "the extra dimensions.");
  return s;
}

/// A diagonal as the last axis, which may be written where the array may.
array diagonal_view(const array& a, std::size_t i, std::size_t j) {
  const array view = diagonal(a, 0, static_cast<std::int64_t>(i), static_cast<std::int64_t>(j));
  node* const n = view.get();
  if (!n->is(node::lazy) && !a.get()->is(node::readonly) && !detail::levels_are_open()) n->flags &= ~node::readonly;
  return view;
}

/// Repeated labels of one operand become one axis: the diagonal. `whose` names the operand in errors.
labelled without_repeats(labelled x, const std::string& whose) {
  for (std::size_t i = 0; i < x.labels.size(); ++i) {
    std::size_t j = x.labels.find(x.labels[i], i + 1);
    if (j == std::string::npos) continue;
    if (x.a.shape(static_cast<int>(i)) != x.a.shape(static_cast<int>(j)))
      fail("dimensions in " + whose + " for collapsing index '" + std::string(1, x.labels[i]) + "' don't match (" +
           std::to_string(x.a.shape(static_cast<int>(i))) + " != " + std::to_string(x.a.shape(static_cast<int>(j))) + ")");
    const char c = x.labels[i];
    x.a = diagonal_view(x.a, i, j);
    x.labels.erase(j, 1);
    x.labels.erase(i, 1);
    x.labels += c;  // diagonal() puts its axis last
    return without_repeats(std::move(x), whose);
  }
  return x;
}

array arranged(const labelled& x, const std::string& order) {
  dims axes;
  for (char c : order) axes.push_back(static_cast<std::int64_t>(x.labels.find(c)));
  return detail::permute(x.a, axes);
}

array shaped(const array& a, const dims& shape) { return a.shape() == shape ? a : reshape(a, shape); }

/// The array with its labels in an order, and some of the axes joined.
array laid_out(const labelled& x, const std::string& order, const dims& shape) {
  return shaped(order == x.labels ? x.a : arranged(x, order), shape);
}

labelled sum_out(labelled x, const std::string& keep) {
  dims gone;
  std::string left;
  for (std::size_t i = 0; i < x.labels.size(); ++i) {
    if (has(keep, x.labels[i]))
      left += x.labels[i];
    else
      gone.push_back(static_cast<std::int64_t>(i));
  }
  if (gone.empty()) return x;
  const dtype t = x.a.dtype();
  if (t == bool_) return {any(x.a, {.axis = gone}), left};
  return {sum(x.a, {.axis = gone, .dtype = t}), left};
}

std::int64_t extent(const std::map<char, std::int64_t>& sizes, const std::string& labels) {
  std::int64_t n = 1;
  for (char c : labels) n *= sizes.at(c);
  return n;
}

/// a and b contracted; labels not in `keep` are summed over.
labelled contract(labelled a, labelled b, const std::string& keep, const std::map<char, std::int64_t>& sizes) {
  a = sum_out(std::move(a), keep + b.labels);
  b = sum_out(std::move(b), keep + a.labels);
  std::string batch, inside, rows, columns;
  for (char c : a.labels) (has(b.labels, c) ? (has(keep, c) ? batch : inside) : rows) += c;
  for (char c : b.labels)
    if (!has(a.labels, c)) columns += c;
  dims shape;
  const std::string labels = batch + rows + columns;
  for (char c : labels) shape.push_back(sizes.at(c));
  const std::int64_t n = extent(sizes, batch), k = extent(sizes, inside), r = extent(sizes, rows), c = extent(sizes, columns);
  array product;
  if (!inside.empty() && !(rows.empty() && columns.empty())) {
    const bool one = batch.empty();
    product = matmul(laid_out(a, batch + rows + inside, one ? dims{r, k} : dims{n, r, k}),
                     laid_out(b, batch + inside + columns, one ? dims{k, c} : dims{n, k, c}));
  } else {
    // No matrix in it: products, then the canonical sum over the last axis.
    const array left = laid_out(a, batch + rows + inside, {n, r, 1, k}),
                right = laid_out(b, batch + columns + inside, {n, 1, c, k});
    if (!inside.empty()) product = detail::sum_of_products_at_hand(left, right);
    if (product.empty_handle()) {
      product = multiply(left, right);
      const dtype t = product.dtype();
      if (!inside.empty()) product = t == bool_ ? any(product, {.axis = -1}) : sum(product, {.axis = -1, .dtype = t});
    }
  }
  return {shaped(product, shape), labels};
}

/// The operands of a call, with the sizes of their labels.
struct contraction {
  std::vector<labelled> parts;
  subscripts labels;
  std::string output;
  std::map<char, std::int64_t> sizes;

  contraction(const std::string& text, const array_list& operands)
      : labels(parse(text, ranks_of(operands))), output(labels.output) {
    for (std::size_t i = 0; i < operands.size(); ++i) {
      const std::string whose = labels.sums_nothing() ? "single operand" : "operand " + std::to_string(i);
      parts.push_back(without_repeats({operands[i], labels.inputs[i]}, whose));
      for (std::size_t k = 0; k < parts.back().labels.size(); ++k)
        set_size(parts.back().labels[k], parts.back().a.shape(static_cast<int>(k)));
    }
  }

  /// The operands contracted, some of them in each step.
  array result(const detail::contraction_path& path) {
    for (labelled& p : parts) {  // axes of length 1 broadcast
      dims shape;
      for (char label : p.labels) shape.push_back(sizes.at(label));
      if (!(p.a.shape() == shape)) p.a = detail::expand_to(p.a, shape);
    }
    for (const std::vector<int>& places : path) run(places, path.size() > 1);
    return arranged(sum_out(std::move(parts[0]), output), output);
  }
  detail::contraction_path all_at_once() const {
    std::vector<int> all(parts.size());
    std::iota(all.begin(), all.end(), 0);
    return {all};
  }

  /// Sums over the labels that nothing else has, of two operands at a time. In steps of a path the last one comes first, as in
  /// NumPy: results lie in C's order more often.
  void run(const std::vector<int>& places, bool is_step) {
    std::vector<labelled> used, left;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const bool taken = std::find(places.begin(), places.end(), static_cast<int>(i)) != places.end();
      (taken ? used : left).push_back(std::move(parts[i]));
    }
    if (is_step) std::reverse(used.begin(), used.end());
    std::string others = output;
    for (const labelled& part : left) others += part.labels;
    labelled result = used[0];
    for (std::size_t i = 1; i < used.size(); ++i) {
      std::string keep = others;
      for (std::size_t j = i + 1; j < used.size(); ++j) keep += used[j].labels;
      result = contract(std::move(result), used[i], keep, sizes);
    }
    left.push_back(std::move(result));
    parts = std::move(left);
  }

  /// What the search for an order sees: letters for the axes without a name too.
  detail::contraction_problem problem() const {
    detail::contraction_problem p;
    std::map<char, char> names;
    char free = 'Z';
    for (const auto& [label, size] : sizes) {
      char name = label;
      if (is_unnamed(label)) {
        while (sizes.contains(free)) --free;
        name = free--;
      }
      names[label] = name;
      p.sizes[name] = static_cast<double>(size);
    }
    auto named = [&](std::string text) {
      for (char& c : text) c = names.at(c);
      return text;
    };
    for (const std::string& input : labels.inputs) p.inputs.push_back(named(input));
    p.output = named(output);
    return p;
  }

 private:
  static std::vector<int> ranks_of(const array_list& operands) {
    if (operands.empty()) fail("must specify the einstein sum subscripts string and at least one operand");
    std::vector<int> ranks;
    for (const array& a : operands) ranks.push_back(a.ndim());
    return ranks;
  }

  void set_size(char label, std::int64_t n) {
    auto [known, fresh] = sizes.emplace(label, n);
    if (!fresh && known->second != n && n != 1 && known->second != 1)
      throw ValueError("einsum",
                       "operands could not be broadcast together with remapped shapes: "
                       "label '" +
                           (is_unnamed(label) ? "..." : std::string(1, label)) + "' has sizes " + std::to_string(known->second) +
                           " and " + std::to_string(n));
    if (n != 1) known->second = n;
  }
};

/// A path as it was given: each step has operands that are left, and one result is left at the end.
detail::contraction_path checked(const std::vector<std::vector<int>>& path, std::size_t operands, const char* op) {
  int left = static_cast<int>(operands);
  for (const std::vector<int>& step : path) {
    for (int place : step)
      if (place < 0 || place >= left || std::count(step.begin(), step.end(), place) != 1)
        throw IndexError(op, "invalid path: a step names operand " + std::to_string(place) + ", of " + std::to_string(left) +
                                 " that are left.");
    if (step.empty()) throw IndexError(op, "invalid path: a step names no operand.");
    left -= static_cast<int>(step.size()) - 1;
  }
  if (left != 1)
    throw ValueError(op,
                     "Invalid einsum_path is specified: " + std::to_string(left - 1) + " more operands has to be contracted.");
  return path;
}

detail::contraction_path path_of(const contraction& c, const einsum_options& options, const char* op) {
  if (!options.path.empty()) return checked(options.path, c.parts.size(), op);
  const std::string_view kind = options.optimize;
  if (kind != "none" && kind != "greedy" && kind != "optimal")
    throw ValueError(op, "unknown optimize: got '" + std::string(kind) + "', expected 'none', 'greedy' or 'optimal'.");
  if (kind == "none" || c.parts.size() <= 2) return c.all_at_once();
  return detail::find_contraction_path(c.problem(), kind == "optimal", options.memory_limit);
}

dtype type_of_products(const array_list& operands) {
  const std::vector<operand> given(operands.begin(), operands.end());
  return dtype(result_type(given));
}

/// The operands in one dtype, which is that of the result: sums and products on the way are of that, as NumPy's are.
array_list in_one_dtype(const array_list& operands, dtype_id type) {
  array_list same;
  for (const array& a : operands) same.push_back(a.dtype().id() == type ? a : detail::cast(a, type));
  return same;
}

std::string repr(const dtype& type) { return "dtype('" + std::string(type.name()) + "')"; }

/// The dtype to compute in, that operands may be cast to by the rule.
dtype_id wanted_type(const array_list& operands, const einsum_options& o) {
  const bool as_out = !o.out.empty_handle() && std::string_view(o.casting) == "unsafe";
  const dtype type = o.dtype ? *o.dtype : as_out ? o.out.dtype() : type_of_products(operands);
  for (std::size_t i = 0; i < operands.size(); ++i)
    if (!can_cast(operands[i].dtype(), type, o.casting))
      throw TypeError("einsum", "Iterator operand " + std::to_string(i) + " dtype could not be cast from " +
                                    repr(operands[i].dtype()) + " to " + repr(type) + " according to the rule '" + o.casting +
                                    "'");
  return type.id();
}

array stored(const array& result, const einsum_options& o, std::size_t operands) {
  const array& out = o.out;
  if (out.ndim() != result.ndim())
    throw ValueError("einsum", "out parameter does not have the correct number of dimensions, has " + std::to_string(out.ndim()) +
                                   " but should have " + std::to_string(result.ndim()));
  if (!(out.shape() == result.shape()))
    throw ValueError("einsum",
                     "output array has the wrong shape: got " + out.shape().str() + ", expected " + result.shape().str());
  if (!can_cast(result.dtype(), out.dtype(), o.casting))
    throw TypeError("einsum", "Iterator requested dtype could not be cast from " + repr(result.dtype()) + " to " +
                                  repr(out.dtype()) + ", the operand " + std::to_string(operands) +
                                  " dtype, according to the rule '" + o.casting + "'");
  copyto(out, result, {.casting = "unsafe"});
  return out;
}

}  // namespace

array einsum(const std::string& text, const array_list& operands, location where) {
  const location_scope scope(where);
  contraction c(text, operands.size() > 1 ? in_one_dtype(operands, type_of_products(operands).id()) : operands);
  return c.result(c.all_at_once());
}

array einsum(const std::string& text, const array_list& operands, const einsum_options& o, location where) {
  const location_scope scope(where);
  can_cast(float64, float64, o.casting);  // refuses what is no rule
  if (operands.size() == 1 && o.out.empty_handle()) {
    contraction c(text, operands);
    if (c.labels.sums_nothing()) return c.result(c.all_at_once());
  }
  contraction c(text, operands.empty() ? operands : in_one_dtype(operands, wanted_type(operands, o)));
  const array result = c.result(path_of(c, o, "einsum"));
  if (!o.out.empty_handle()) return stored(result, o, operands.size());
  const bool falls = o.order == 'F' || (o.order == 'A' && std::all_of(operands.begin(), operands.end(), isfortran));
  return falls ? copy(result, 'F') : result;
}

contraction_order einsum_path(const std::string& text, const array_list& operands, const einsum_options& options) {
  const location unknown;  // arrays bring none along
  const location_scope scope(unknown);
  const contraction c(text, operands);
  contraction_order order;
  order.path = path_of(c, options, "einsum_path");
  order.text = detail::describe_contraction(c.problem(), order.path);
  return order;
}

}  // namespace numjit
