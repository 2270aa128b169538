// np::einsum: subscripts read, then operands contracted two at a time by products, sums and matmul.
#include <algorithm>
#include <map>

#include "surface.h"

namespace numjit {

using detail::at;

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
};

[[noreturn]] void fail(const std::string& text) { throw ValueError("einsum", text); }

subscripts parse(std::string text, std::size_t operands) {
  text.erase(std::remove(text.begin(), text.end(), ' '), text.end());
  if (text.find('.') != std::string::npos)
    throw NotImplementedError("einsum", "'...' in subscripts: got '" + text +
                                            "', expected one letter per axis.");
  std::size_t arrow = text.find("->");
  std::string left = text.substr(0, arrow);
  subscripts s{{""}, ""};
  for (char c : left) {
    if (c == ',') s.inputs.emplace_back();
    else if (!std::isalpha(static_cast<unsigned char>(c)))
      fail("invalid subscript '" + std::string(1, c) + "' in einstein sum subscripts string, "
           "subscripts must be letters");
    else s.inputs.back() += c;
  }
  if (s.inputs.size() != operands)
    // NumPy counts from the subscripts' side.
    fail(s.inputs.size() < operands
             ? "fewer operands provided to einstein sum function than specified in the subscripts string"
             : "more operands provided to einstein sum function than specified in the subscripts string");
  if (arrow == std::string::npos) {  // implicit: labels that occur once, in alphabetic order
    std::map<char, int> count;
    for (const std::string& in : s.inputs)
      for (char c : in) ++count[c];
    for (auto [c, n] : count)
      if (n == 1) s.output += c;
    return s;
  }
  s.output = text.substr(arrow + 2);
  for (std::size_t i = 0; i < s.output.size(); ++i) {
    const char c = s.output[i];
    if (s.output.find(c, i + 1) != std::string::npos)
      fail("einstein sum subscripts string includes output subscript '" + std::string(1, c) +
           "' multiple times");
    if (!has(left, c))
      fail("einstein sum subscripts string included output subscript '" + std::string(1, c) +
           "' which never appeared in an input");
  }
  return s;
}

/// Repeated labels of one operand become one axis: the diagonal.
labelled without_repeats(labelled x, const location& w) {
  for (std::size_t i = 0; i < x.labels.size(); ++i) {
    std::size_t j = x.labels.find(x.labels[i], i + 1);
    if (j == std::string::npos) continue;
    if (x.a.shape(static_cast<int>(i)) != x.a.shape(static_cast<int>(j)))
      fail("dimensions in single operand for collapsing index '" + std::string(1, x.labels[i]) +
           "' don't match (" + std::to_string(x.a.shape(static_cast<int>(i))) +
           " != " + std::to_string(x.a.shape(static_cast<int>(j))) + ")");
    const char c = x.labels[i];
    x.a = diagonal(at(x.a, w), 0, static_cast<std::int64_t>(i), static_cast<std::int64_t>(j));
    x.labels.erase(j, 1);
    x.labels.erase(i, 1);
    x.labels += c;  // diagonal() puts its axis last
    return without_repeats(std::move(x), w);
  }
  return x;
}

array arranged(const labelled& x, const std::string& order, const location& w) {
  dims axes;
  for (char c : order) axes.push_back(static_cast<std::int64_t>(x.labels.find(c)));
  return detail::permute(at(x.a, w), axes);
}

labelled sum_out(labelled x, const std::string& keep, const location& w) {
  dims gone;
  std::string left;
  for (std::size_t i = 0; i < x.labels.size(); ++i) {
    if (has(keep, x.labels[i])) left += x.labels[i];
    else gone.push_back(static_cast<std::int64_t>(i));
  }
  if (gone.empty()) return x;
  const dtype t = x.a.dtype();
  if (t == bool_) return {any(at(x.a, w), {.axis = gone}), left};
  return {sum(at(x.a, w), {.axis = gone, .dtype = t}), left};
}

std::int64_t extent(const std::map<char, std::int64_t>& sizes, const std::string& labels) {
  std::int64_t n = 1;
  for (char c : labels) n *= sizes.at(c);
  return n;
}

/// a and b contracted; labels not in `keep` are summed over.
labelled contract(labelled a, labelled b, const std::string& keep,
                  const std::map<char, std::int64_t>& sizes, const location& w) {
  a = sum_out(std::move(a), keep + b.labels, w);
  b = sum_out(std::move(b), keep + a.labels, w);
  std::string batch, inside, rows, columns;
  for (char c : a.labels) (has(b.labels, c) ? (has(keep, c) ? batch : inside) : rows) += c;
  for (char c : b.labels)
    if (!has(a.labels, c)) columns += c;
  dims shape;
  const std::string labels = batch + rows + columns;
  for (char c : labels) shape.push_back(sizes.at(c));
  const std::int64_t n = extent(sizes, batch), k = extent(sizes, inside);
  array left = arranged(a, batch + rows + inside, w), right = arranged(b, batch + inside + columns, w);
  array product;
  if (!inside.empty() && !(rows.empty() && columns.empty())) {
    left = reshape(at(left, w), {n, extent(sizes, rows), k});
    right = reshape(at(right, w), {n, k, extent(sizes, columns)});
    if (batch.empty()) {
      left = detail::pick_axis(at(left, w), 0, 0);
      right = detail::pick_axis(at(right, w), 0, 0);
    }
    product = matmul(at(left, w), at(right, w));
  } else {
    // No matrix in it: products, then the canonical sum over the last axis.
    left = reshape(at(left, w), {n, extent(sizes, rows), 1, k});
    right = arranged(b, batch + columns + inside, w);
    right = reshape(at(right, w), {n, 1, extent(sizes, columns), k});
    product = multiply(at(left, w), at(right, w));
    const dtype t = product.dtype();
    if (inside.empty()) product = reshape(at(product, w), shape);
    else if (t == bool_) product = any(at(product, w), {.axis = -1});
    else product = sum(at(product, w), {.axis = -1, .dtype = t});
  }
  return {reshape(at(product, w), shape), labels};
}

}  // namespace

array einsum(const std::string& text, const array_list& operands, location w) {
  if (operands.empty()) fail("No input operands");
  subscripts s = parse(text, operands.size());
  std::map<char, std::int64_t> sizes;
  std::vector<labelled> parts;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const array& a = operands[i];
    if (static_cast<int>(s.inputs[i].size()) != a.ndim())
      fail(static_cast<int>(s.inputs[i].size()) > a.ndim()
               ? "einstein sum subscripts string contains too many subscripts for operand " +
                     std::to_string(i)
               : "operand has more dimensions than subscripts given in einstein sum, but no '...' "
                 "ellipsis provided to broadcast the extra dimensions.");
    parts.push_back(without_repeats({a, s.inputs[i]}, w));
    labelled& p = parts.back();
    for (std::size_t k = 0; k < p.labels.size(); ++k) {
      const std::int64_t n = p.a.shape(static_cast<int>(k));
      auto [known, fresh] = sizes.emplace(p.labels[k], n);
      if (!fresh && known->second != n && n != 1 && known->second != 1)
        throw ValueError("einsum", "operands could not be broadcast together with remapped shapes: "
                                   "label '" + std::string(1, p.labels[k]) + "' has sizes " +
                                       std::to_string(known->second) + " and " + std::to_string(n));
      known->second = std::max(known->second, n);
      if (known->second == 1 || n == 0) known->second = n;
    }
  }
  for (labelled& p : parts) {  // axes of length 1 broadcast
    dims shape;
    for (char c : p.labels) shape.push_back(sizes.at(c));
    if (!(p.a.shape() == shape)) p.a = detail::expand_to(at(p.a, w), shape);
  }
  labelled result = parts[0];
  for (std::size_t i = 1; i < parts.size(); ++i) {
    std::string keep = s.output;
    for (std::size_t j = i + 1; j < parts.size(); ++j) keep += parts[j].labels;
    result = contract(std::move(result), parts[i], keep, sizes, w);
  }
  result = sum_out(std::move(result), s.output, w);
  return arranged(result, s.output, w);
}

}  // namespace numjit
