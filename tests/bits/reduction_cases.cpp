// The list of cases, their inputs and what runs on them.
#include "reduction_cases.h"

#include <map>
#include <random>

#include "numjit/base/hash.h"

namespace bits {
namespace {

using Shape = std::vector<std::int64_t>;

bool is_integer(np::dtype_id type) {
  const char kind = np::dtype(type).kind();
  return kind != 'f' && kind != 'c';
}

/// One value as the dtype's nearest double; integers use their whole range.
double wild_value(std::mt19937_64& random, np::dtype_id type) {
  const double unit = static_cast<double>(random() >> 11) * 0x1p-53;
  if (is_integer(type)) return static_cast<double>(random() % 251) - (np::dtype(type).kind() == 'i' ? 125 : 0);
  return std::ldexp(unit - 0.3, static_cast<int>(random() % 20) - 10);
}

double special_value(std::mt19937_64& random) {
  static const double values[] = {0.0, -0.0, 0.0, -0.0, 1.0, -1.0, INFINITY, -INFINITY, NAN, 5e-5, -3.0};
  return random() % 64 ? values[random() % 6] : values[random() % 11];
}

np::array values_of(const ReductionCase& c, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const std::int64_t n = reference::element_count(c.shape);
  np::dims shape;
  for (std::int64_t extent : c.shape) shape.push_back(extent);
  const bool is_complex = np::dtype(c.type).kind() == 'c';
  np::array flat = np::zeros({n}, {.dtype = is_complex ? np::complex128 : np::float64});
  auto* to = static_cast<double*>(flat.raw_data());
  for (std::int64_t i = 0; i < n * (is_complex ? 2 : 1); ++i)
    to[i] = c.values == ReductionCase::wild ? wild_value(random, c.type) : special_value(random);
  return flat.astype(np::dtype(c.type)).reshape(shape);
}

using Reduce = np::array (*)(const np::operand&, const np::reduce_options&);
const std::map<std::string, Reduce>& basic() {
  static const std::map<std::string, Reduce> table = {{"sum", np::sum}, {"prod", np::prod}, {"max", np::max},
                                                      {"min", np::min}, {"any", np::any},   {"all", np::all}};
  return table;
}

double initial_of(const ReductionCase& c, const std::string& name) {
  if (c.type == np::dtype_id::bool_ || name == "any" || name == "all") return 1;
  return is_integer(c.type) ? 3 : 1.37;
}

std::optional<std::int64_t> one_axis(const ReductionCase& c) {
  return c.axes && c.axes->size() == 1 ? std::optional((*c.axes)[0]) : std::nullopt;
}

np::axis_list axis_list_of(const ReductionCase& c) {
  if (!c.axes) return {};
  np::dims axes;
  for (std::int64_t a : *c.axes) axes.push_back(a);
  return axes;
}

double norm_order(const std::string& name) {
  return name == "norm0" ? 0 : name == "norm1" ? 1 : name == "norm_inf" ? np::inf : -np::inf;
}

np::array run_one(const ReductionCase& c, const std::string& name, const std::vector<np::array>& arguments) {
  const np::array &a = arguments[0], &mask = arguments[1], &b = arguments[2];
  const np::axis_list axes = axis_list_of(c);
  const np::array where = c.where ? mask : np::array();
  if (auto it = basic().find(name); it != basic().end()) {
    np::reduce_options o{.axis = axes, .keepdims = c.keepdims, .where = where};
    if (c.initial && is_integer(c.type)) o.initial = static_cast<std::int64_t>(initial_of(c, name));
    else if (c.initial) o.initial = initial_of(c, name);
    return it->second(a, o);
  }
  if (name == "sum64") return np::sum(a, {.axis = axes, .dtype = np::float64, .keepdims = c.keepdims});
  if (name == "mean") return np::mean(a, {.axis = axes, .keepdims = c.keepdims, .where = where});
  if (name == "var") return np::var(a, {.axis = axes, .keepdims = c.keepdims, .where = where});
  if (name == "std") return np::std(a, {.axis = axes, .ddof = 1, .keepdims = c.keepdims, .where = where});
  // Over any number of axes, counted as one.
  if (name == "norm") return np::linalg::vector_norm(a, {.axis = axes, .keepdims = c.keepdims});
  if (name.starts_with("norm")) return np::linalg::norm(a, {.ord = norm_order(name), .axis = axes, .keepdims = c.keepdims});
  if (name == "nansum") return np::nansum(a, {.axis = axes, .keepdims = c.keepdims, .where = where});
  if (name == "nanmean") return np::nanmean(a, {.axis = axes, .keepdims = c.keepdims, .where = where});
  if (name == "nanmax") return np::nanmax(a, {.axis = axes, .keepdims = c.keepdims});
  if (name == "nanmin") return np::nanmin(a, {.axis = axes, .keepdims = c.keepdims});
  if (name == "argmax") return np::argmax(a, {.axis = one_axis(c), .keepdims = c.keepdims});
  if (name == "argmin") return np::argmin(a, {.axis = one_axis(c), .keepdims = c.keepdims});
  if (name == "cumsum") return np::cumsum(a, {.axis = one_axis(c)});
  if (name == "cumprod") return np::cumprod(a, {.axis = one_axis(c)});
  if (name == "dot") return np::dot(a, b);
  if (name == "inner") return np::inner(a, b);
  if (name == "matmul") return np::matmul(a, b);
  return np::vdot(a, b);
}

reference::Tensor expect_one(const ReductionCase& c, const std::string& name,
                             const std::vector<reference::Tensor>& arguments) {
  reference::Options o{.axes = c.axes, .keepdims = c.keepdims, .where = c.where ? &arguments[1] : nullptr};
  if (basic().contains(name) && c.initial) o.initial = initial_of(c, name);
  if (name == "std") o.ddof = 1;
  if (name == "sum64") {
    o.dtype = np::dtype_id::float64;
    return reference::reduce("sum", arguments[0], o);
  }
  if (name.starts_with("arg")) return reference::arg_reduce(name, arguments[0], one_axis(c), c.keepdims);
  if (name.starts_with("cum")) return reference::scan(name, arguments[0], one_axis(c));
  if (name == "dot" || name == "inner" || name == "matmul") return reference::dot("dot", arguments[0], arguments[2]);
  if (name == "vdot") return reference::dot(name, arguments[0], arguments[2]);
  return reference::reduce(name, arguments[0], o);
}

}  // namespace

std::string ReductionCase::name() const {
  std::string text = std::string(np::dtype(type).name()) + " (";
  for (std::int64_t extent : shape) text += std::to_string(extent) + ",";
  text += ") axes ";
  if (!axes) text += "all";
  for (std::size_t k = 0; axes && k < axes->size(); ++k) text += (k ? "," : "") + std::to_string((*axes)[k]);
  if (keepdims) text += " keepdims";
  if (where) text += " where";
  if (initial) text += " initial";
  return text + (values == special ? " special" : "");
}

std::vector<ReductionCase> reduction_cases(np::dtype_id type) {
  using C = ReductionCase;
  std::vector<C> cases;
  for (const std::int64_t n : {0, 1, 2, 3, 8, 31, 32, 33, 127, 128, 129, 1023, 1024, 1025, 4103})
    cases.push_back({type, {n}, std::nullopt});
  for (const std::int64_t n : {5, 33, 1025, 4103}) {
    cases.push_back({type, {n}, Shape{-1}, true, false, false, C::special});
    cases.push_back({type, {n}, Shape{0}, false, true, false, C::special});
    cases.push_back({type, {n}, Shape{0}, true, true, true});
    cases.push_back({type, {n}, std::nullopt, false, false, true});
  }
  const std::vector<Shape> shapes = {{5, 7}, {33, 40}, {1025, 3}, {3, 1025}, {0, 3}, {3, 0}, {1, 1}, {130, 130}};
  for (const Shape& shape : shapes) {
    cases.push_back({type, shape, std::nullopt});
    cases.push_back({type, shape, Shape{0}});
    cases.push_back({type, shape, Shape{-1}, true});
    cases.push_back({type, shape, Shape{1, 0}, true, false, true});
    cases.push_back({type, shape, Shape{0}, false, true, true, C::special});
    cases.push_back({type, shape, Shape{1}, false, true, false});
    cases.push_back({type, shape, Shape{1}, false, false, false, C::special});
  }
  cases.push_back({type, {}, std::nullopt});
  cases.push_back({type, {4, 5}, Shape{}});
  cases.push_back({type, {7, 2, 1030}, Shape{0}});
  cases.push_back({type, {7, 2, 1030}, Shape{-2}, true});
  cases.push_back({type, {7, 2, 1030}, Shape{0, 2}});
  cases.push_back({type, {1100, 3, 2}, Shape{-1, 0}, true, true, true});
  cases.push_back({type, {2, 3, 4, 5}, std::nullopt, true});
  cases.push_back({type, {2, 3, 4, 5}, Shape{1, 3}});
  cases.push_back({type, {2, 3, 4, 5}, Shape{-4, -2}, false, true, false});
  cases.push_back({type, {2100, 67}, Shape{0}});
  cases.push_back({type, {67, 2100}, Shape{1}, false, true, true});
  cases.push_back({type, {1024 * 1024 + 5}, std::nullopt});
  return cases;
}

std::vector<np::array> reduction_arguments(const ReductionCase& c) {
  // Not std::hash: every standard library must draw the same inputs.
  const std::string name = c.name();
  const std::uint64_t seed = numjit::hash_bytes_64(name.data(), name.size());
  np::array a = values_of(c, seed);
  std::mt19937_64 random(seed + 1);
  np::array mask = np::zeros(a.shape(), {.dtype = np::bool_});
  // Sparse, dense, or nothing chosen at all.
  const std::uint64_t density = random() % 3;
  auto* to = static_cast<char*>(mask.raw_data());
  for (std::int64_t i = 0; i < a.size(); ++i)
    to[i] = density == 0 ? random() % 4 == 0 : density == 1 ? random() % 8 != 0 : a.ndim() == 1 ? 0 : random() % 2;
  return {a, mask, values_of(c, seed + 2)};
}

std::vector<std::string> reduction_names(const ReductionCase& c) {
  const char kind = np::dtype(c.type).kind();
  const bool is_complex = kind == 'c', plain = !c.where && !c.initial;
  bool empty = false;  // some line has no element
  for (std::size_t k = 0; k < c.shape.size(); ++k) {
    bool reduced = !c.axes;
    for (std::int64_t a : c.axes.value_or(Shape{}))
      reduced = reduced || a == static_cast<std::int64_t>(k) ||
                a + static_cast<std::int64_t>(c.shape.size()) == static_cast<std::int64_t>(k);
    empty = empty || (reduced && c.shape[k] == 0);
  }
  std::vector<std::string> names = {"sum", "prod", "any", "all"};
  if (c.initial || (!c.where && !empty)) names.insert(names.end(), {"max", "min"});
  if (c.initial) return names;
  if (!empty) names.insert(names.end(), {"mean", "var", "std"});
  const bool is_special = c.values == ReductionCase::special && kind == 'f';
  if (is_special && !empty) names.insert(names.end(), {"nansum", "nanmean"});
  if (!plain) return names;
  if (is_special && !empty) names.insert(names.end(), {"nanmax", "nanmin"});
  if (kind != 'c' && c.type != np::dtype_id::float64) names.push_back("sum64");
  names.push_back("norm");
  const bool single = c.axes ? c.axes->size() == 1 : c.shape.size() == 1;
  if (single && !is_complex) names.insert(names.end(), {"norm0", "norm1"});
  if (single && !is_complex && !empty) names.insert(names.end(), {"norm_inf", "norm_low"});
  if (!c.axes || c.axes->size() == 1) {
    if (!empty && !c.shape.empty()) names.insert(names.end(), {"argmax", "argmin"});
    names.insert(names.end(), {"cumsum", "cumprod"});
  }
  if (c.shape.size() == 1 && !c.axes) names.insert(names.end(), {"dot", "inner", "vdot", "matmul"});
  return names;
}

std::vector<np::array> run_reductions(const ReductionCase& c, const std::vector<np::array>& arguments) {
  std::vector<np::array> results;
  for (const std::string& name : reduction_names(c)) results.push_back(run_one(c, name, arguments));
  return results;
}

std::vector<reference::Tensor> reference_reductions(const ReductionCase& c, const std::vector<np::array>& arguments) {
  std::vector<reference::Tensor> in, results;
  for (const np::array& a : arguments) in.push_back(reference::tensor_of(a));
  for (const std::string& name : reduction_names(c)) results.push_back(expect_one(c, name, in));
  return results;
}

}  // namespace bits
