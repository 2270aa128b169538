// The stored samples of calls that NumPy answered (golden/, by make_oracle_goldens.py, whose head says how a line reads), without
// Python: ufuncs and reductions of all dtypes, eagerly and recorded in compiled functions, many calls to a graph; and the
// functions of functions.def with each of their options.
#include <cmath>
#include <cstdlib>
#include <deque>
#include <fstream>
#include <functional>
#include <sstream>

#include <numjit/np_fft.h>
#include <numjit/ops/bind.h>
#include <numjit/ops/op.h>
#include <nlohmann/json.hpp>

#include "against_numpy.h"

namespace np = numjit;

namespace {

using json = nlohmann::ordered_json;
using arrays = std::vector<np::array>;

struct call {
  json line;
  std::string name;
  std::deque<np::array> given;  // of the arguments, then of the options
  arrays targets;               // those that are written to
};

std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> parts;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, at);) parts.push_back(part);
  if (!text.empty() && text.back() == at) parts.emplace_back();
  return parts;
}

np::dtype dtype_named(const std::string& name) {
  for (int i = 0; i < np::dtype_count; ++i)
    if (np::detail::dtype_table[i].name == name) return static_cast<np::dtype_id>(i);
  throw std::runtime_error("no dtype " + name);
}

const np::slice whole_backwards(np::none, np::none, -1), every_second(np::none, np::none, 2);

np::array sliced(np::array a, const np::slice& s) {
  for (int axis = 0; axis < a.ndim(); ++axis) a = np::moveaxis(np::moveaxis(a, axis, 0)(s), 0, axis);
  return a;
}

np::array elements_of(const std::string& text, np::dtype type) {
  std::vector<std::complex<double>> wide;
  std::vector<std::int64_t> whole;
  const char kind = type.kind();
  for (const std::string& one : split(text, ' ')) {
    const auto parts = split(one, ',');
    if (kind == 'f' || kind == 'c')
      wide.emplace_back(std::strtod(parts[0].c_str(), nullptr), parts.size() > 1 ? std::strtod(parts[1].c_str(), nullptr) : 0);
    else
      whole.push_back(kind == 'u' ? static_cast<std::int64_t>(std::stoull(one)) : std::stoll(one));
  }
  if (kind == 'c') return np::array(wide).astype(type);
  if (kind != 'f') return np::array(whole).astype(type);
  std::vector<double> real;
  for (const std::complex<double>& v : wide) real.push_back(v.real());
  return np::array(real).astype(type);
}

/// dtype:shape:layout:elements
np::array array_of(const std::string& text) {
  const auto parts = split(text, ':');
  np::dims shape;
  for (const std::string& n : split(parts[1], ',')) shape.push_back(std::stoll(n));
  const np::array c = elements_of(parts.size() > 3 ? parts[3] : "", dtype_named(parts[0])).reshape(shape);
  if (parts[2] == "F") return c.T().copy().T();
  if (parts[2] == "R") return sliced(sliced(c, whole_backwards).copy(), whole_backwards);
  if (parts[2] != "S") return c;
  np::dims twice = shape;
  for (std::int64_t& n : twice) n *= 2;
  np::array target = sliced(np::zeros(twice, c.dtype()), every_second);
  target(np::ellipsis) = c;
  return target;
}

np::operand literal_of(const json& value) {
  if (value.is_boolean()) return {value.get<bool>()};
  if (value.is_number()) return {value.get<std::int64_t>()};
  const std::string text = value.get<std::string>().substr(2);
  switch (value.get<std::string>()[0]) {
    case 'i':
      if (text[0] != '-' && std::stoull(text) > std::uint64_t{1} << 62) return {static_cast<std::uint64_t>(std::stoull(text))};
      return {static_cast<std::int64_t>(std::stoll(text))};
    case 'f': return {std::strtod(text.c_str(), nullptr)};
    default: {
      const auto parts = split(text, ',');
      return {std::complex<double>(std::strtod(parts[0].c_str(), nullptr), std::strtod(parts[1].c_str(), nullptr))};
    }
  }
}

bool is_array_text(const json& value) {
  const std::string text = value.is_string() ? value.get<std::string>() : "";
  return text.starts_with("a:") || text.starts_with("w:");
}

/// Arrays in a value and in the lists in it, in their order.
void collect_arrays(const json& value, call& to) {
  if (value.is_array())
    for (const json& item : value) collect_arrays(item, to);
  if (!is_array_text(value)) return;
  const std::string text = value.get<std::string>();
  to.given.push_back(array_of(text.substr(2)));
  if (text[0] == 'w') to.targets.push_back(to.given.back());
}

std::vector<call> read_calls(const std::string& name) {
  std::ifstream in(std::string(NUMJIT_TEST_SOURCE_DIR) + "/tests/compat/golden/" + name);
  std::vector<call> calls;
  for (std::string text; std::getline(in, text);) {
    if (!text.starts_with("{")) continue;
    call& c = calls.emplace_back();
    c.line = json::parse(text);
    c.name = c.line["f"];
    collect_arrays(c.line["a"], c);
    if (c.line.contains("o"))
      for (const json& value : c.line["o"]) collect_arrays(value, c);
  }
  return calls;
}

bool is_an_error(const call& c) { return c.line.contains("e"); }

np::array run(const call& c) {
  std::vector<np::operand> operands;
  for (std::size_t i = 0, k = 0; i < c.line["a"].size(); ++i)
    operands.push_back(is_array_text(c.line["a"][i]) ? np::operand(c.given[k++]) : literal_of(c.line["a"][i]));
  np::reduce_options o;
  np::var_options v;
  np::scan_options s;
  np::arg_options g;
  np::count_options n;
  if (c.line.contains("o") && c.line["o"].contains("axis"))
    o.axis = v.axis = n.axis = *(s.axis = g.axis = c.line["o"]["axis"].get<std::int64_t>());
  o.keepdims = v.keepdims = g.keepdims = n.keepdims = c.line.contains("o") && c.line["o"].contains("keepdims");
  const np::operand& a = operands[0];
  if (c.name == "sum") return np::sum(a, o);
  if (c.name == "prod") return np::prod(a, o);
  if (c.name == "max") return np::max(a, o);
  if (c.name == "min") return np::min(a, o);
  if (c.name == "any") return np::any(a, o);
  if (c.name == "all") return np::all(a, o);
  if (c.name == "mean") return np::mean(a, o);
  if (c.name == "var") return np::var(a, v);
  if (c.name == "std") return np::std(a, v);
  if (c.name == "argmax") return np::argmax(a, g);
  if (c.name == "argmin") return np::argmin(a, g);
  if (c.name == "cumsum") return np::cumsum(a, s);
  if (c.name == "cumprod") return np::cumprod(a, s);
  if (c.name == "count_nonzero") return np::count_nonzero(a, n);
  if (c.name == "float_power") return np::float_power(a, operands[1]);
  if (c.name == "logaddexp") return np::logaddexp(a, operands[1]);
  const std::optional<np::op_id> op = np::find_op(c.name);
  if (!op) throw std::runtime_error("no operation " + c.name);
  return np::bind({*op, np::operand_list(operands.data(), operands.size())});
}

double coarsest(const call& c, np::dtype result) {
  double found = 0;
  auto take = [&](np::dtype t) {
    if (t == np::float16) found = std::max(found, 0x1p-10);
    if (t == np::float32 || t == np::complex64) found = std::max(found, 0x1p-23);
    if (t == np::float64 || t == np::complex128) found = std::max(found, 0x1p-52);
  };
  take(result);
  for (const np::array& a : c.given) take(a.dtype());
  return found;
}

bool close(double got, double expected, double tolerance) {
  if (std::isnan(expected)) return std::isnan(got);
  return got == expected || std::abs(got - expected) <= tolerance * std::abs(expected) + tolerance * 0x1p-4;
}

/// Empty if an array is the golden's.
std::string difference(const call& c, const np::array& got, const std::string& golden) {
  const np::array expected = array_of(golden.substr(2));
  if (got.dtype() != expected.dtype())
    return "dtype " + std::string(got.dtype().name()) + ", expected " + std::string(expected.dtype().name());
  if (!(got.shape() == expected.shape())) return "shape " + got.shape().str() + ", expected " + expected.shape().str();
  const char kind = got.dtype().kind();
  if (kind != 'f' && kind != 'c')
    return np::tobytes(got) == np::tobytes(expected) ? "" : "got " + got.str() + ", expected " + expected.str();
  const auto a = got.astype(np::complex128).tolist<std::complex<double>>(),
             b = expected.astype(np::complex128).tolist<std::complex<double>>();
  const double tolerance = 64 * coarsest(c, got.dtype());
  for (std::size_t i = 0; i < a.size(); ++i)
    if (!close(a[i].real(), b[i].real(), tolerance) || !close(a[i].imag(), b[i].imag(), tolerance))
      return "got " + got.str() + ", expected " + expected.str();
  return "";
}

// ---- options ----

void add(arrays& to, const np::array& a) { to.push_back(a); }
void add(arrays& to, bool v) { to.emplace_back(np::array(v)); }
template <class List>
requires requires(const List& list) { list.begin(); }
void add(arrays& to, const List& list) { to.insert(to.end(), list.begin(), list.end()); }
void add(arrays& to, const np::histogram_result& r) { to.insert(to.end(), {r.counts, r.edges}); }
void add(arrays& to, const np::histogram2d_result& r) { to.insert(to.end(), {r.counts, r.x_edges, r.y_edges}); }
void add(arrays& to, const np::histogramdd_result& r) {
  to.push_back(r.counts);
  add(to, r.edges);
}
void add(arrays& to, const np::average_result& r) { to.insert(to.end(), {r.average, r.sum_of_weights}); }
void add(arrays& to, const np::unique_result& r) { to.insert(to.end(), {r.values, r.indices, r.inverse_indices, r.counts}); }
void add(arrays& to, const std::pair<np::array, np::array>& both) { to.insert(to.end(), {both.first, both.second}); }
void add(arrays& to, const np::unique_counts_result& r) { to.insert(to.end(), {r.values, r.counts}); }
void add(arrays& to, const np::unique_inverse_result& r) { to.insert(to.end(), {r.values, r.inverse_indices}); }
void add(arrays& to, const np::linalg::slogdet_result& r) { to.insert(to.end(), {r.sign, r.logabsdet}); }
void add(arrays& to, const np::linalg::lstsq_result& r) {
  to.insert(to.end(), {r.x, r.residuals, np::array(r.rank).astype(np::int32), r.s});
}
void add(arrays& to, const np::linspace_result& r) { to.insert(to.end(), {r.samples, r.step}); }
void add(arrays& to, const np::intersect1d_result& r) { to.insert(to.end(), {r.values, r.a_indices, r.b_indices}); }

np::array_list parts_of(const np::unique_result& r, bool index, bool inverse, bool counts) {
  np::array_list parts{r.values};
  if (index) parts.push_back(r.indices);
  if (inverse) parts.push_back(r.inverse_indices);
  if (counts) parts.push_back(r.counts);
  return parts;
}
np::array_list columns(const np::array& points) { return np::unstack(points, {.axis = 1}); }

template <class F>
arrays results_of(F&& f) {
  arrays made;
  if constexpr (std::is_void_v<decltype(f())>)
    f();
  else
    add(made, f());
  return made;
}

struct option_call {
  std::size_t line;
  arrays (*run)(const std::deque<np::array>& given);
};
const option_call option_calls[] = {
#define OPTION_CALL(line, ...)                                                   \
  {line, [](const std::deque<np::array>& given) {                                \
     const auto x = [&](std::size_t i) -> const np::array& { return given[i]; }; \
     (void)x;                                                                    \
     return results_of([&] { return __VA_ARGS__; });                             \
   }},
#include "golden/options.inc"
};

/// Texts of the arrays in a golden, those of lists one after the other.
void flatten(const json& golden, std::vector<std::string>& to) {
  if (golden.is_string()) to.push_back(golden);
  if (golden.is_array())
    for (const json& item : golden) flatten(item, to);
}

std::string difference(const call& c, const option_call& option) {
  try {
    arrays got = option.run(c.given);
    if (is_an_error(c)) return "no error, expected " + c.line["e"].get<std::string>();
    got.insert(got.end(), c.targets.begin(), c.targets.end());
    std::vector<std::string> expected;
    flatten(c.line["r"], expected);
    if (got.size() != expected.size()) return std::to_string(got.size()) + " arrays, expected " + std::to_string(expected.size());
    for (std::size_t i = 0; i < got.size(); ++i)
      if (const std::string found = difference(c, got[i], expected[i]); !found.empty()) return found;
    return "";
  } catch (const np::error& e) {
    return c.line.value("e", "") == e.code() ? "" : e.code() + std::string(": ") + e.what();
  }
}

}  // namespace

TEST(StoredOracle, every_call_as_numpy_answered_it) {
  const std::vector<call> calls = read_calls("oracle.txt");
  ASSERT_GT(calls.size(), 4000U);
  std::size_t wrong = 0;
  for (const call& c : calls) {
    std::string found;
    try {
      const np::array got = run(c);
      found = is_an_error(c) ? "no error" : difference(c, got, c.line["r"][0]);
    } catch (const np::error& e) {
      if (c.line.value("e", "") != e.code()) found = std::string(e.code()) + ": " + e.what();
    }
    if (!found.empty() && ++wrong <= 20) ADD_FAILURE() << c.line << "\n" << found;
  }
  EXPECT_EQ(wrong, 0U) << "of " << calls.size();
}

TEST(StoredOracle, every_option_of_every_function) {
  const std::vector<call> calls = read_calls("options.txt");
  ASSERT_GT(std::size(option_calls), 1400U);
  std::size_t wrong = 0;
  for (const option_call& option : option_calls) {
    const call& c = calls.at(option.line);
    const std::string found = difference(c, option);
    if (!found.empty() && ++wrong <= 60) ADD_FAILURE() << c.line << "\n" << found;
  }
  EXPECT_EQ(wrong, 0U) << "of " << std::size(option_calls);
}

TEST(StoredOracle, the_same_recorded) {
  std::vector<call> good;
  for (call& c : read_calls("oracle.txt"))
    if (!is_an_error(c)) good.push_back(std::move(c));
  std::size_t wrong = 0;
  constexpr std::size_t batch = 60;
  for (std::size_t begin = 0; begin < good.size(); begin += batch) {
    const std::size_t end = std::min(begin + batch, good.size());
    auto f = np::compile(
        [&](const np::array&) {
          arrays results;
          for (std::size_t i = begin; i < end; ++i) results.push_back(run(good[i]));
          return results;
        },
        {.backend = "graph"});
    const arrays got = f(np::array(0.0));
    for (std::size_t i = begin; i < end; ++i) {
      const std::string found = difference(good[i], got[i - begin], good[i].line["r"][0]);
      if (!found.empty() && ++wrong <= 20) ADD_FAILURE() << good[i].line << "\n" << found;
    }
  }
  EXPECT_EQ(wrong, 0U) << "of " << good.size();
}
