// Making, running and printing random programs.
#include "random_program.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <sstream>

#include "support/element_bits.h"

namespace fuzz {
namespace {

using np::op_id;
using np::op_kind;

const np::dtype_id types[] = {
    np::dtype_id::float64, np::dtype_id::float32, np::dtype_id::int64,  np::dtype_id::int32,
    np::dtype_id::uint8,   np::dtype_id::bool_,   np::dtype_id::int16,  np::dtype_id::uint64,
    np::dtype_id::float16, np::dtype_id::complex128, np::dtype_id::uint32, np::dtype_id::int8,
    np::dtype_id::complex64, np::dtype_id::uint16,
};

const double specials[] = {0.0, -0.0, 1.0, NAN, INFINITY, -INFINITY, 5e-324, -1e-310, 1e300, 65504.0};

template <class T>
const T& pick(std::mt19937_64& random, const std::vector<T>& from) {
  return from[random() % from.size()];
}

}  // namespace

std::vector<op_id> ops_of(op_kind kind, int arity) {
  std::vector<op_id> ops;
  for (int i = 0; i < np::op_count; ++i) {
    const auto op = static_cast<op_id>(i);
    if (np::info(op).kind == kind && np::info(op).arity == arity) ops.push_back(op);
  }
  return ops;
}

Program make_program(std::uint64_t seed, Purpose purpose) {
  static const auto unary = ops_of(op_kind::ufunc, 1), binary = ops_of(op_kind::ufunc, 2),
                    ternary = ops_of(op_kind::ufunc, 3), reductions = ops_of(op_kind::reduction, 1),
                    arg_reductions = ops_of(op_kind::argreduction, 1), scans = ops_of(op_kind::scan, 1);
  std::mt19937_64 random(seed);
  Program program;
  program.seed = seed;
  program.purpose = purpose;
  const unsigned all_types = purpose == Purpose::bits ? 2 : 4;  // one in so many is of any dtype
  program.arguments = 1 + static_cast<int>(random() % 4);
  int variables = program.arguments;
  const int length = 2 + static_cast<int>(random() % 14);
  // A few plain kinds carry most programs; the odd ones are mixed in.
  static const std::vector<Statement::Kind> kinds = {
      Statement::ufunc1, Statement::ufunc1, Statement::ufunc2, Statement::ufunc2, Statement::ufunc2,
      Statement::ufunc2, Statement::ufunc3, Statement::reduce, Statement::reduce, Statement::arg_reduce,
      Statement::scan, Statement::slice, Statement::slice, Statement::reverse, Statement::transpose,
      Statement::newaxis, Statement::reshape, Statement::store, Statement::store, Statement::inplace,
      Statement::inplace, Statement::masked, Statement::cast, Statement::full, Statement::branch,
      Statement::read, Statement::rebind, Statement::concatenate, Statement::take, Statement::copy,
      Statement::select, Statement::places, Statement::statistic, Statement::masked_reduce, Statement::product};
  for (int i = 0; i < length; ++i) {
    Statement s;
    s.kind = pick(random, kinds);
    auto variable = [&] { return static_cast<int>(random() % static_cast<unsigned>(variables)); };
    s.a = variable();
    s.b = random() % 4 == 0 && s.kind == Statement::ufunc2 ? -1 : variable();
    s.c = variable();
    s.axis = static_cast<int>(random() % 4) - 1;
    s.start = static_cast<std::int64_t>(random() % 5) - 1;
    s.stop = static_cast<std::int64_t>(random() % 7) - 3;
    s.step = random() % 3 == 0 ? 2 : 1;
    s.literal = random() % 2 ? static_cast<double>(random() % 9) : static_cast<double>(random() % 100) / 7;
    s.type = types[random() % (random() % all_types == 0 ? 14 : 5)];
    s.flag = random() % 2;
    if (s.kind == Statement::ufunc1) s.op = pick(random, unary);
    if (s.kind == Statement::ufunc2) s.op = pick(random, binary);
    if (s.kind == Statement::ufunc3) s.op = pick(random, ternary);
    if (s.kind == Statement::reduce) s.op = pick(random, reductions);
    if (s.kind == Statement::arg_reduce) s.op = pick(random, arg_reductions);
    if (s.kind == Statement::scan) s.op = pick(random, scans);
    if (s.kind == Statement::inplace)
      s.op = random() % 2 ? op_id::add : random() % 2 ? op_id::multiply : op_id::subtract;
    s.target = random() % 5 == 0 ? variable() : variables++;
    program.statements.push_back(s);
  }
  return program;
}

std::vector<np::array> make_arguments(const Program& program, int round) {
  std::mt19937_64 random(program.seed * 2654435761u + 17);
  // Rounds differ in sizes, not in ranks and dtypes; lengths above 1 stay above 1.
  std::mt19937_64 sizes(program.seed + static_cast<unsigned>(round) * 1000003u);
  std::vector<std::int64_t> lengths = {1 + static_cast<std::int64_t>(sizes() % 5), 2, 1,
                                       static_cast<std::int64_t>(sizes() % 40)};
  if (round == 2) lengths[3] += 1100;  // beyond one chunk of the canonical sum
  if (round == 3) lengths[3] += 7001;
  std::vector<np::array> arguments;
  for (int i = 0; i < program.arguments; ++i) {
    const int rank = static_cast<int>(random() % 4);
    np::dims shape;
    for (int axis = 0; axis < rank; ++axis)
      shape.push_back(axis + 1 == rank ? lengths[random() % 4 ? 3 : 2] : lengths[random() % 3]);
    const bool any_type = random() % (program.purpose == Purpose::bits ? 2 : 4) == 0;
    const np::dtype_id type = types[random() % (any_type ? 14 : 4)];
    const std::int64_t n = np::element_count(shape);
    auto base = np::arange(n).astype(np::float64) * (1.0 + 0.37 * i) - 3.0 * i;
    auto a = np::sin(base) * 20;
    if (program.purpose == Purpose::bits && random() % 3 == 0)
      for (std::int64_t k = 0; k < n; ++k)
        if (const std::uint64_t r = random(); r % 16 == 0)
          static_cast<double*>(a.raw_data())[k] = specials[r / 16 % std::size(specials)];
    a = a.reshape(shape).astype(type);
    if (random() % 5 == 0 && rank > 0) a = a(np::slice(np::none, np::none, -1));
    if (random() % 5 == 0 && rank > 1) a = a.transpose();
    arguments.push_back(a);
  }
  return arguments;
}

namespace {

np::array apply(op_id op, std::vector<np::operand> in, const np::op_params* params = nullptr) {
  return np::bind({op, in, params, nullptr, nullptr, np::location::here()});
}

np::array reduce(const Statement& s, const np::array& a) {
  np::layout::reduction r;
  if (s.axis >= 0) r.axes = np::dims{s.axis};
  if (s.axis >= 0 && s.c % 3 == 0) r.axes->push_back((s.axis + 1 + s.c % 2) % 3);
  r.keepdims = s.flag;
  const np::op_params params = np::layout::reduction_params(r);
  return apply(s.op, {a}, &params);
}

np::array first_axis_slice(const Statement& s, const np::array& a) {
  return a(s.stop == 0 ? np::slice(s.start, np::none, s.step) : np::slice(s.start, s.stop, s.step));
}

np::axis_list axes_of(const Statement& s) { return s.axis < 0 ? np::axis_list() : np::axis_list(s.axis); }

np::array statistic(const Statement& s, const np::array& a) {
  switch (s.start + 1) {
    case 0: return np::var(a, {.axis = axes_of(s), .keepdims = s.flag});
    case 1: return np::std(a, {.axis = axes_of(s), .keepdims = s.flag});
    case 2: return np::linalg::norm(a, {.axis = axes_of(s), .keepdims = s.flag});
    default: return np::mean(a, {.axis = axes_of(s), .keepdims = s.flag});
  }
}

np::array masked_reduce(const Statement& s, const np::array& a, const np::array& c) {
  const np::array mask = np::broadcast_to(c.ndim() > a.ndim() ? np::any(c) : np::array(c > 1), a.shape());
  const np::reduce_options o{.axis = axes_of(s), .keepdims = s.flag, .initial = static_cast<std::int64_t>(s.stop + 3),
                             .where = mask};
  switch (s.start + 1) {
    case 0: return np::max(a, o);
    case 1: return np::prod(a, o);
    case 2: return np::mean(a, {.axis = axes_of(s), .where = mask});
    default: return np::sum(a, o);
  }
}

np::array value_of(const Statement& s, std::vector<np::array>& v, Purpose purpose) {
  const np::array& a = v[static_cast<std::size_t>(s.a)];
  const np::array& c = v[static_cast<std::size_t>(s.c)];
  auto b = [&]() -> np::operand {
    if (s.b >= 0) return v[static_cast<std::size_t>(s.b)];
    if (s.flag) return static_cast<std::int64_t>(s.literal);
    return s.literal;
  };
  switch (s.kind) {
    case Statement::ufunc1: return apply(s.op, {a});
    case Statement::ufunc2:
      // Negative powers of integers are an error that depends on values: compiled, it ends the call.
      if (purpose == Purpose::bits && s.op == op_id::power && a.dtype().kind() != 'f' && a.dtype().kind() != 'c')
        return a;
      return apply(s.op, {a, b()});
    case Statement::ufunc3: return apply(s.op, {a, b(), c});
    case Statement::reduce: return reduce(s, a);
    case Statement::arg_reduce: {
      const np::op_params p = np::layout::arg_params(s.axis < 0 ? np::layout::none : s.axis, s.flag);
      return apply(s.op, {a}, &p);
    }
    case Statement::scan: {
      const np::op_params p = np::layout::axis_params(s.axis < 0 ? np::layout::none : s.axis);
      return apply(s.op, {a}, &p);
    }
    case Statement::slice: return first_axis_slice(s, a);
    case Statement::reverse: return a(np::slice(np::none, np::none, -1));
    case Statement::transpose: return a.transpose();
    case Statement::newaxis: return s.flag ? a(np::newaxis) : a(np::ellipsis, np::newaxis);
    case Statement::reshape: return purpose == Purpose::bits ? np::array(a.reshape(-1)).copy() : a.reshape(-1);
    case Statement::cast: return a.astype(s.type);
    case Statement::full: return np::full(a.shape(), s.literal, {.dtype = np::dtype(s.type)});
    case Statement::rebind: return a;
    case Statement::copy: return a.copy();
    case Statement::concatenate: return np::concatenate({a, c}, {.axis = 0});
    case Statement::take: return np::take(a, np::array{0, 0}, s.axis < 0 ? std::nullopt : std::optional<std::int64_t>(s.axis));
    case Statement::select: {
      // One more, so that a reduction has something to reduce: its error would come when the graph runs.
      const np::array one = np::full({1}, s.literal, {.dtype = a.dtype()});
      return a.ndim() == 0 ? one : np::concatenate({a(a > 0), one});
    }
    case Statement::places:
      return a.ndim() == 0 ? a : np::concatenate({np::nonzero(a)[0], np::array{0}}) * 2;
    case Statement::statistic: return statistic(s, a);
    case Statement::masked_reduce: return masked_reduce(s, a, c);
    case Statement::product: return np::vdot(a, s.flag ? np::array(a * s.literal) : a);
    case Statement::store: {
      auto part = s.flag ? a(np::ellipsis) : first_axis_slice(s, a);
      std::move(part) = b();
      return a;
    }
    case Statement::inplace: {
      np::array target = a;
      if (s.op == op_id::add) target += b();
      else if (s.op == op_id::subtract) target -= b();
      else target *= b();
      return target;
    }
    case Statement::masked: {
      a(a > 0) = s.literal;
      return a;
    }
    case Statement::branch:
      return bool(np::any(a > 0)) ? np::add(a, 1) : np::negative(np::add(a, 0));
    case Statement::read: {
      if (a.size() == 0) return a;
      const bool zero = a.ravel()(0).item<std::complex<double>>() == 0.0;
      return zero ? np::add(a, 2) : np::add(a, 3);
    }
  }
  return a;
}

}  // namespace

std::vector<np::array> run(const Program& program, std::vector<np::array> variables, std::string& error) {
  // A program that was shrunk may read what no statement sets any more.
  std::size_t used = variables.size();
  for (const Statement& s : program.statements)
    used = std::max(used, static_cast<std::size_t>(std::max({s.a, s.b, s.c})) + 1);
  variables.resize(used, np::array(0.0));
  for (const Statement& s : program.statements) {
    try {
      np::array value = value_of(s, variables, program.purpose);
      const auto target = static_cast<std::size_t>(s.target);
      if (value.size() > 200000) {  // a branch on a size
        error += too_large;
        break;
      }
      if (target >= variables.size()) variables.resize(target + 1, np::array(0.0));
      variables[target] = value;
    } catch (const np::error& e) {
      if (e.code() == "MemoryError") {
        error += too_large;
        break;
      }
      error += e.code() + ": " + e.what();
      if (program.purpose == Purpose::meaning) break;
      error += "\n";  // most programs have such a statement: the others are worth comparing
    }
  }
  return variables;
}

std::string to_text(const Program& program) {
  std::ostringstream out;
  out << "seed " << program.seed << ", arguments v0..v" << program.arguments - 1 << "\n";
  for (const Statement& s : program.statements)
    out << "v" << s.target << " = kind " << s.kind << " " << np::info(s.op).name << " a=v" << s.a << " b="
        << s.b << " c=v" << s.c << " axis=" << s.axis << " slice " << s.start << ":" << s.stop << ":"
        << s.step << " literal " << s.literal << " dtype " << np::dtype(s.type).name() << " flag " << s.flag
        << "\n";
  return out.str();
}

std::string difference(const np::array& a, const np::array& b) {
  std::ostringstream out;
  if (a.dtype() != b.dtype()) {
    out << "dtype " << a.dtype().name() << " / " << b.dtype().name();
    return out.str();
  }
  if (a.shape() != b.shape()) {
    out << "shape " << a.shape().str() << " / " << b.shape().str();
    return out.str();
  }
  const np::array x = a.copy(), y = b.copy();
  const char* p = static_cast<const char*>(x.raw_data());
  const char* q = static_cast<const char*>(y.raw_data());
  const std::size_t item = a.dtype().itemsize();
  for (std::int64_t i = 0; i < a.size(); ++i) {
    const std::size_t at = static_cast<std::size_t>(i) * item;
    if (np::testing::same_element_bits(a.dtype().id(), p + at, q + at)) continue;
    out << "element " << i << " of " << a.shape().str() << " " << a.dtype().name() << ": eager "
        << x.ravel()(i).str() << ", compiled " << y.ravel()(i).str();
    return out.str();
  }
  return "";
}

}  // namespace fuzz
