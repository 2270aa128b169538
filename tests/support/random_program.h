// Random array programs: made from a seed, run the same way eagerly and inside a compiled function.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include <numjit/np.h>
#include <numjit/ops/bind.h>
#include <numjit/ops/param_layout.h>

namespace fuzz {

namespace np = numjit;

/// One statement over numbered variables. `a`, `b`, `c` are variables, negative = the literal.
struct Statement {
  enum Kind {
    ufunc1, ufunc2, ufunc3, reduce, arg_reduce, scan, slice, reverse, transpose, newaxis, reshape,
    store, inplace, masked, cast, full, branch, read, rebind, concatenate, take, copy,
    select, places, statistic, masked_reduce, product,
  } kind;
  np::op_id op{};
  int target = 0, a = 0, b = 0, c = 0;
  int axis = 0;
  std::int64_t start = 0, stop = 0, step = 1;
  double literal = 0;
  np::dtype_id type{};
  bool flag = false;
};

/// What a program is for. `meaning`: against the eager engine, results may be views of arguments. `bits`: also over
/// memory layouts, so no statement asks for a view where the layout decides whether there is one; arguments
/// have NaN, infinities and zeros of both signs, and all dtypes are as likely.
enum class Purpose { meaning, bits };

/// What a program says instead of the rest of its errors where a value takes too long, or there is no memory for it: in
/// a page, whose memory ends where a native process has plenty.
inline constexpr const char* too_large = "a value is too large\n";

struct Program {
  std::uint64_t seed = 0;
  Purpose purpose = Purpose::meaning;
  int arguments = 0;
  std::vector<Statement> statements;
};

/// Operations by arity, from the op table.
std::vector<np::op_id> ops_of(np::op_kind kind, int arity);

Program make_program(std::uint64_t seed, Purpose purpose = Purpose::meaning);

/// Rounds differ in sizes: 0 and 1 are small, 2 has axes longer than one chunk of a sum, 3 of several.
std::vector<np::array> make_arguments(const Program& program, int round);

/// Runs the statements. Errors of numjit end the program; their text goes to `error`.
std::vector<np::array> run(const Program& program, std::vector<np::array> variables, std::string& error);

/// Readable text of the program, for a failing case.
std::string to_text(const Program& program);

/// Empty if the two arrays have the same dtype, shape and bits (all NaN are one), else the difference.
std::string difference(const np::array& a, const np::array& b);

}  // namespace fuzz
