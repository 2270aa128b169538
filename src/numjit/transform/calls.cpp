// Calls of transformed functions: arguments in, checks, results out.
#include <numjit/transform/calls.h>

#include <algorithm>
#include <complex>

#include <fmt/format.h>

#include <numjit/base/error.h>
#include <numjit/base/log.h>
#include <numjit/transform/forward.h>
#include <numjit/transform/shapes.h>
#include <numjit/transform/tape.h>
#include <numjit/transform/tree.h>

namespace numjit::transform {

void check_differentiable(const char* name, int argument, const array& leaf, const std::function<std::string()>& leaf_name) {
  const dtype type(leaf.get()->type);
  if (type.kind() == 'f' || type.kind() == 'c') return;
  throw TypeError(name,
                  fmt::format("argument {}{} has dtype {}, expected float16, float32, float64, complex64 or complex128: {} "
                              "no derivative. Cast it, as in x.astype(float64).",
                              argument, leaf_name(), type.name(), type.kind() == 'b' ? "truth values have" : "integers have"));
}

void check_leaf_counts(const char* op, std::size_t expected, std::size_t got) {
  if (got != expected) throw ValueError(op, fmt::format("got {} arrays, the tree has {}.", got, expected));
}

void check_like(const char* name, const char* what, std::size_t number, const array& given, const array& like, const char* of) {
  if (shape_of(given) != shape_of(like))
    throw ValueError(name, fmt::format("{} {} has shape {}, the {} has shape {}.", what, number, shape_of(given).str(), of,
                                       shape_of(like).str()));
  if (type_of(given) != type_of(like))
    throw ValueError(name, fmt::format("{} {} has dtype {}, the {} has dtype {}.", what, number, given.dtype().name(), of,
                                       like.dtype().name()));
}

array stopped(const array& x) {
  if (!detail::levels_are_open()) return x;
  return static_cast<Level*>(detail::own_context.top_interpreter)->stopped(x);
}

// ---- reverse ----

ReverseCall::ReverseCall(const char* name) : name_(name), level_(std::make_unique<TapeLevel>(name)), tape_(level_->tape()) {
  tape_->sink = gradients_taken_by::begin();
}
ReverseCall::~ReverseCall() = default;

std::vector<array> ReverseCall::pull(std::span<const array> cotangents) const {
  return tape_->pull(results_, cotangents, arguments_, true);
}
std::vector<array> ReverseCall::push(std::span<const array> changes) const { return tape_->push(arguments_, changes, results_); }
void ReverseCall::own_values() { tape_->own_values(); }

void ReverseCall::activate(int argument, std::span<array* const> leaves, const LeafName& leaf_name) {
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    check_differentiable(name_, argument, *leaves[i], [&] { return leaf_name(i); });
    *leaves[i] = level_->argument(*leaves[i], argument);
    arguments_.push_back(level_->variable_of(leaves[i]->get()));
    if (tape_->sink) tape_->argument_of.push_back(argument);
  }
}

void ReverseCall::finish(std::span<array* const> results) {
  level_->check_nothing_lost();
  for (array* result : results) {
    node* const n = result->get();
    results_.push_back(is_inexact(n->type) ? level_->variable_of(n) : no_number);
  }
  read_at_ = level_->read_at();
  level_.reset();
}

void ReverseCall::warn_of_reads() const {
  if (read_at_.line == 0) return;
  detail::warn(
      fmt::format("RuntimeWarning: {}: the result depends on no argument, but the value of an array that does was read at "
                  "{}:{}, as a constant. Compute with the array.",
                  name_, read_at_.file, read_at_.line));
}

std::vector<array> ReverseCall::gradients(const array& result) {
  const dtype type = result.dtype();
  if (type.kind() == 'c')
    throw ValueError(name_,
                     fmt::format("the function returned dtype {}, expected a real 0-D array. Return its real part or modulus, "
                                 "or use vjp.",
                                 type.name()));
  if (result.ndim() != 0)
    throw ValueError(name_,
                     fmt::format("the function returned shape {}, expected a real 0-D array. Return a sum or mean, or use vjp "
                                 "or jacobian.",
                                 shape_of(result).str()));
  if (type.kind() != 'f')
    throw ValueError(name_, fmt::format("the function returned dtype {}, expected a real 0-D array: integers have no derivative.",
                                        type.name()));
  if (results_[0] == no_number) warn_of_reads();
  const array one = full_of(dims(), type_of(result), 1);
  if (tape_->sink) return tape_->pull_into_sink(results_, {&one, 1}, arguments_);
  return tape_->pull(results_, {&one, 1}, arguments_, false);
}

// ---- forward ----

ForwardCall::ForwardCall(const char* name) : name_(name), level_(std::make_unique<ForwardLevel>(name)) {}
ForwardCall::~ForwardCall() = default;

void ForwardCall::activate(int argument, std::span<array* const> leaves, std::span<array* const> changes,
                           const LeafName& leaf_name) {
  if (leaves.size() != changes.size())
    throw ValueError(name_,
                     fmt::format("tangent {} has {} arrays, the argument has {}.", argument, changes.size(), leaves.size()));
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    check_differentiable(name_, argument, *leaves[i], [&] { return leaf_name(i); });
    check_like(name_, "tangent", static_cast<std::size_t>(argument), *changes[i], *leaves[i], "argument");
    *leaves[i] = level_->argument(*leaves[i], *changes[i]);
  }
}

std::vector<array> ForwardCall::finish(std::span<array* const> results) {
  level_->check_nothing_lost();
  std::vector<array> changes;
  for (array* result : results) {
    node* const n = result->get();
    array change = is_inexact(n->type) ? level_->change_of(n) : array();
    if (!change.empty_handle()) change = detail::contiguous_copy(change);
    changes.push_back(std::move(change));
  }
  level_.reset();
  for (std::size_t i = 0; i < changes.size(); ++i)
    if (changes[i].empty_handle()) changes[i] = zeros(shape_of(*results[i]), type_of(*results[i]));
  return changes;
}

// ---- Jacobians ----

namespace {

/// An array of zeros of this shape with a number at a place.
array basis(const dims& shape, dtype_id type, std::int64_t place, std::complex<double> number = 1.0) {
  const array flat = zeros(dims{element_count(shape)}, type);
  const array part = slice(flat, 0, place, place + 1);
  const operand in[] = {part, number.imag() == 0 ? operand(number.real(), "", "", 0) : operand(number, "", "", 0)};
  bind({op_id::store, in});
  return reshaped(flat, shape);
}

array stacked(const std::vector<array>& parts, const dims& of_one, dtype_id type) {
  dims row{1};
  for (const std::int64_t extent : of_one) row.push_back(extent);
  if (parts.empty()) {
    row[0] = 0;
    return zeros(row, type);
  }
  std::vector<array> rows;
  for (const array& part : parts) rows.push_back(reshaped(part, row));
  std::vector<operand> in;
  for (const array& r : rows) in.emplace_back(r, "", "", 0);
  const op_params axis = layout::axis_params(0);
  return bind({op_id::concatenate, in, &axis});
}

dims together(const dims& a, const dims& b) {
  dims both = a;
  for (const std::int64_t extent : b) both.push_back(extent);
  return both;
}

/// Row by row. A row of a holomorphic function is the conjugate of a cotangent. Of real arguments of a complex result a
/// cotangent is a real part only: that of the result's real and of its imaginary part make the row.
std::vector<array> jacobian_by_rows(const ReverseCall& call, std::span<const array> results, std::size_t which,
                                    std::span<const array> leaves) {
  const array& result = results[which];
  const dims shape = shape_of(result);
  std::vector<array> given(results.size());
  const auto pulled = [&](std::int64_t place, std::complex<double> number) {
    given[which] = basis(shape, type_of(result), place, number);
    return call.pull(given);
  };
  const auto in_two = [&](const array& leaf) { return is_complex(type_of(result)) && !is_complex(type_of(leaf)); };
  const bool any_in_two = std::any_of(leaves.begin(), leaves.end(), in_two);
  const operand i_unit(std::complex<double>(0, 1), "", "", 0);
  std::vector<std::vector<array>> rows(leaves.size());
  for (std::int64_t i = 0; i < element_count(shape); ++i) {
    const std::vector<array> row = pulled(i, 1), imaginary = any_in_two ? pulled(i, {0, 1}) : std::vector<array>();
    for (std::size_t k = 0; k < leaves.size(); ++k)
      rows[k].push_back(in_two(leaves[k]) ? bind_ufunc(op_id::add, row[k], bind_ufunc(op_id::multiply, i_unit, imaginary[k]))
                                          : conjugate(row[k]));
  }
  std::vector<array> made;
  for (std::size_t k = 0; k < leaves.size(); ++k) {
    const dims of_leaf = shape_of(leaves[k]);
    const dtype_id type = in_two(leaves[k]) ? type_of(result) : type_of(leaves[k]);
    made.push_back(reshaped(stacked(rows[k], of_leaf, type), together(shape, of_leaf)));
  }
  return made;
}

/// Column by column.
std::vector<array> jacobian_by_columns(const ReverseCall& call, std::span<const array> results, std::size_t which,
                                       std::span<const array> leaves) {
  const array& result = results[which];
  const dims shape = shape_of(result);
  std::vector<array> made;
  for (std::size_t k = 0; k < leaves.size(); ++k) {
    const dims of_leaf = shape_of(leaves[k]);
    std::vector<array> columns;
    for (std::int64_t i = 0; i < element_count(of_leaf); ++i) {
      std::vector<array> changes(leaves.size());
      changes[k] = basis(of_leaf, type_of(leaves[k]), i);
      array column = call.push(changes)[which];
      columns.push_back(column.empty_handle() ? zeros(shape, type_of(result)) : std::move(column));
    }
    const array whole = stacked(columns, shape, type_of(result));  // (columns, result...)
    const std::int64_t many = element_count(of_leaf), count = element_count(shape);
    made.push_back(reshaped(move_axis(reshaped(whole, dims{many, count}), 0, 1), together(shape, of_leaf)));
  }
  return made;
}

}  // namespace

void check_real(const char* name, const array& leaf) {
  if (is_complex(type_of(leaf)))
    throw TypeError(name, "the argument is complex, and its second derivatives make no matrix. Use vjp or jvp of the gradient.");
}

array zeros_like(const array& a) { return zeros(shape_of(a), type_of(a)); }

std::vector<array> jacobian(const ReverseCall& call, JacobianMode mode, std::span<const array> results, std::size_t which,
                            std::span<const array> leaves) {
  const array& result = results[which];
  std::int64_t columns = 0;
  for (const array& leaf : leaves) {
    columns += leaf.get()->size;
    if (is_complex(type_of(leaf)) && !is_complex(type_of(result)))
      throw TypeError(call.name(),
                      "the function takes complex numbers to real ones, which has no complex derivative. Use vjp or jvp.");
  }
  const bool by_columns = mode == JacobianMode::columns || (mode == JacobianMode::either && columns < result.get()->size);
  return by_columns ? jacobian_by_columns(call, results, which, leaves) : jacobian_by_rows(call, results, which, leaves);
}

}  // namespace numjit::transform
