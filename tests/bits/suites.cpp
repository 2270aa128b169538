// The three suites of ./dev test bits.
#include <cstring>
#include <memory>

#include <numjit/ops/bind.h>
#include <support/random_program.h>
#include <support/special_values.h>

#include "case.h"
#include "reduction_cases.h"

namespace bits {
namespace {

using np::dtype_id;

// ---- the op matrix ----

using np::testing::fitting;
using np::testing::operand_values;

std::string loop_text(const np::op_info& row, std::size_t loop) {
  std::string text;
  for (int k = 0; k < row.arity; ++k) text += np::dtype(row.loops[loop].in[k]).character();
  return text;
}

/// One row on some of its loops: all results come out of one function, so that kernels of mixed dtypes are made.
Case matrix_case(np::op_id op, std::size_t first, std::size_t end) {
  const np::op_info& row = np::info(op);
  Case c;
  c.name = std::string(row.name) + " " + loop_text(row, first) + (end - first > 1 ? ".." + loop_text(row, end - 1) : "");
  for (std::size_t l = first; l < end; ++l) {
    c.labels.push_back(std::string(row.name) + "." + loop_text(row, l));
    for (int k = 0; k < row.arity; ++k)
      c.arguments.push_back(fitting(op, row.loops[l].in[k], k, operand_values(row.loops[l].in[k], k)));
  }
  c.run = [op, arity = row.arity](std::vector<np::array> in) {
    Outcome out;
    for (std::size_t i = 0; i < in.size(); i += static_cast<std::size_t>(arity)) {
      std::vector<np::operand> operands(in.begin() + static_cast<std::ptrdiff_t>(i),
                                        in.begin() + static_cast<std::ptrdiff_t>(i) + arity);
      out.values.push_back(np::bind({op, operands, nullptr, nullptr, nullptr, np::location::here()}));
    }
    return out;
  };
  return c;
}

/// Casts between all dtypes: one case a source.
Case cast_case(dtype_id from) {
  Case c;
  c.name = std::string("astype from ") + std::string(np::dtype(from).name());
  c.arguments = {operand_values(from, 0)};
  for (int t = 0; t < np::dtype_count; ++t) c.labels.push_back(std::string(np::dtype(static_cast<dtype_id>(t)).name()));
  c.run = [](std::vector<np::array> in) {
    Outcome out;
    for (int t = 0; t < np::dtype_count; ++t) out.values.push_back(in[0].astype(np::dtype(static_cast<dtype_id>(t))));
    return out;
  };
  return c;
}

}  // namespace

Suite matrix_suite() {
  struct Piece {
    np::op_id op;
    std::size_t first, end;
  };
  auto pieces = std::make_shared<std::vector<Piece>>();
  for (int i = 0; i < np::op_count; ++i) {
    const auto op = static_cast<np::op_id>(i);
    if (np::info(op).kind != np::op_kind::ufunc) continue;
    // Pieces end at a change of kind of dtype: integers, floats, complex.
    const auto& loops = np::info(op).loops;
    auto kind = [&](std::size_t l) {
      const char k = np::dtype(loops[l].in[np::info(op).arity - 1]).kind();
      return k == 'f' || k == 'c' ? k : 'i';
    };
    for (std::size_t first = 0, l = 1; l <= loops.size(); ++l)
      if (l == loops.size() || kind(l) != kind(first) || l - first == 8) pieces->push_back({op, first, l}), first = l;
  }
  return {static_cast<std::int64_t>(pieces->size()) + np::dtype_count, [pieces](std::int64_t i) {
            if (i < np::dtype_count) return cast_case(static_cast<dtype_id>(i));
            const Piece& p = (*pieces)[static_cast<std::size_t>(i - np::dtype_count)];
            return matrix_case(p.op, p.first, p.end);
          }};
}

Suite reduction_suite() {
  auto cases = std::make_shared<std::vector<ReductionCase>>();
  for (int t = 0; t < np::dtype_count; ++t)
    for (const ReductionCase& c : reduction_cases(static_cast<dtype_id>(t))) cases->push_back(c);
  return {static_cast<std::int64_t>(cases->size()), [cases](std::int64_t i) {
            const ReductionCase& r = (*cases)[static_cast<std::size_t>(i)];
            Case c;
            c.name = r.name();
            c.arguments = reduction_arguments(r);
            c.labels = reduction_names(r);
            c.run = [r](std::vector<np::array> in) { return Outcome{run_reductions(r, in), "", false}; };
            c.reference = [r] {
              Outcome out;
              for (const reference::Tensor& t : reference_reductions(r, reduction_arguments(r))) {
                np::dims shape;
                for (std::int64_t extent : t.shape) shape.push_back(extent);
                np::array a = np::zeros(shape, {.dtype = np::dtype(t.type)});
                if (!t.bytes.empty()) std::memcpy(a.raw_data(), t.bytes.data(), t.bytes.size());
                out.values.push_back(a);
              }
              return out;
            };
            return c;
          }};
}

Suite program_suite(std::uint64_t seed, std::int64_t count) {
  return {count, [seed](std::int64_t i) {
            const fuzz::Program program = fuzz::make_program(seed + static_cast<std::uint64_t>(i), fuzz::Purpose::bits);
            Case c;
            c.name = "program " + std::to_string(program.seed);
            c.arguments = fuzz::make_arguments(program, static_cast<int>(program.seed % 4));
            c.text = fuzz::to_text(program);
            c.run = [program](std::vector<np::array> in) {
              Outcome out;
              out.values = fuzz::run(program, std::move(in), out.error);
              return out;
            };
            return c;
          }};
}

}  // namespace bits
