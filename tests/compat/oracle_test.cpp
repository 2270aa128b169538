// The stored sample of calls that NumPy answered (golden/oracle.txt, by make_oracle_goldens.py), without Python:
// eagerly, and recorded in compiled functions, many calls to a graph.
#include <cmath>
#include <fstream>
#include <map>
#include <sstream>

#include <numjit/ops/bind.h>
#include <numjit/ops/op.h>

#include "against_numpy.h"

namespace np = numjit;

namespace {

struct call {
  std::string line, name, options, result;
  std::vector<np::operand> operands;
  std::vector<np::array> arrays;  // behind the operands
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

/// dtype:shape:layout:hex
np::array array_of(const std::string& text) {
  const auto parts = split(text, ':');
  np::dims shape;
  for (const std::string& n : split(parts[1], ',')) shape.push_back(std::stoll(n));
  const np::array c =
      np::frombuffer(compat::hex_to_bytes(parts.size() > 3 ? parts[3] : ""), dtype_named(parts[0])).reshape(shape);
  if (parts[2] == "F") return c.T().copy().T();
  if (parts[2] == "R") return sliced(sliced(c, whole_backwards).copy(), whole_backwards);
  if (parts[2] != "S") return c;
  np::dims twice = shape;
  for (std::int64_t& n : twice) n *= 2;
  np::array target = sliced(np::zeros(twice, c.dtype()), every_second);
  target(np::ellipsis) = c;
  return target;
}

np::operand literal_of(const std::string& text) {
  const std::string value = text.substr(2);
  switch (text[0]) {
    case 'b': return {value == "1"};
    case 'i':
      if (value[0] != '-' && std::stoull(value) > std::uint64_t{1} << 62) return {static_cast<std::uint64_t>(std::stoull(value))};
      return {static_cast<std::int64_t>(std::stoll(value))};
    case 'f': return {std::stod(value)};
    default: {
      const auto parts = split(value, ',');
      return {std::complex<double>(std::stod(parts[0]), std::stod(parts[1]))};
    }
  }
}

std::vector<call> read_calls() {
  std::ifstream in(std::string(NUMJIT_TEST_SOURCE_DIR) + "/tests/compat/golden/oracle.txt");
  std::vector<call> calls;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("#")) continue;
    const auto fields = split(line, '\t');
    call c{line.substr(0, 300), fields[0], fields[1], fields[3], {}, {}};
    const auto arguments = split(fields[2], '|');
    c.arrays.reserve(arguments.size());
    for (const std::string& a : arguments) {
      if (a[1] == ':') {
        c.operands.push_back(literal_of(a));
      } else {
        c.arrays.push_back(array_of(a));
        c.operands.emplace_back(c.arrays.back());
      }
    }
    calls.push_back(std::move(c));
  }
  return calls;
}

np::array run(const call& c) {
  np::reduce_options o;
  np::var_options v;
  np::scan_options s;
  np::arg_options g;
  np::count_options n;
  for (const std::string& option : split(c.options, ',')) {
    const int value = std::atoi(option.substr(option.find('=') + 1).c_str());
    if (option.starts_with("axis")) {
      o.axis = value;
      v.axis = value;
      s.axis = value;
      g.axis = value;
      n.axis = value;
    } else if (option.starts_with("keepdims")) {
      o.keepdims = v.keepdims = g.keepdims = n.keepdims = true;
    }
  }
  const np::operand& a = c.operands[0];
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
  if (c.name == "float_power") return np::float_power(c.operands[0], c.operands[1]);
  if (c.name == "logaddexp") return np::logaddexp(c.operands[0], c.operands[1]);
  const std::optional<np::op_id> op = np::find_op(c.name);
  if (!op) throw std::runtime_error("no operation " + c.name);
  return np::bind({*op, np::operand_list(c.operands.data(), c.operands.size())});
}

double coarsest(const call& c, np::dtype result) {
  double found = 0;
  auto take = [&](np::dtype t) {
    if (t == np::float16) found = std::max(found, 0x1p-10);
    if (t == np::float32 || t == np::complex64) found = std::max(found, 0x1p-23);
    if (t == np::float64 || t == np::complex128) found = std::max(found, 0x1p-52);
  };
  take(result);
  for (const np::array& a : c.arrays) take(a.dtype());
  return found;
}

bool close(double got, double expected, double tolerance) {
  if (std::isnan(expected)) return std::isnan(got);
  return got == expected || std::abs(got - expected) <= tolerance * std::abs(expected) + tolerance * 0x1p-8;
}

/// Empty if the result is the golden's.
std::string difference(const call& c, const np::array& got) {
  if (c.result.starts_with("error")) return "no error, expected " + c.result;
  const np::array expected = array_of(c.result);
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

}  // namespace

TEST(StoredOracle, every_call_as_numpy_answered_it) {
  const std::vector<call> calls = read_calls();
  ASSERT_GT(calls.size(), 4000U);
  std::size_t wrong = 0;
  for (const call& c : calls) {
    std::string found;
    try {
      found = difference(c, run(c));
    } catch (const np::error& e) {
      if (c.result != "error:" + e.code()) found = e.code() + ": " + e.what();
    }
    if (!found.empty() && ++wrong <= 20) ADD_FAILURE() << c.line << "\n" << found;
  }
  EXPECT_EQ(wrong, 0U) << "of " << calls.size();
}

TEST(StoredOracle, the_same_recorded) {
  std::vector<call> good;
  for (call& c : read_calls())
    if (!c.result.starts_with("error")) good.push_back(std::move(c));
  std::size_t wrong = 0;
  constexpr std::size_t batch = 60;
  for (std::size_t begin = 0; begin < good.size(); begin += batch) {
    const std::size_t end = std::min(begin + batch, good.size());
    auto f = np::compile(
        [&](const np::array&) {
          std::vector<np::array> results;
          for (std::size_t i = begin; i < end; ++i) results.push_back(run(good[i]));
          return results;
        },
        {.backend = "graph"});
    const std::vector<np::array> got = f(np::array(0.0));
    for (std::size_t i = begin; i < end; ++i) {
      const std::string found = difference(good[i], got[i - begin]);
      if (!found.empty() && ++wrong <= 20) ADD_FAILURE() << good[i].line << "\n" << found;
    }
  }
  EXPECT_EQ(wrong, 0U) << "of " << good.size();
}
