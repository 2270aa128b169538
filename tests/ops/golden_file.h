// Goldens that numpy_compat/oracle wrote, and calls of ops by name for comparing with them.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <numjit/ops/bind.h>

namespace numjit::test {

/// Lines of tests/ops/golden/<name>, without comments and empty lines. A missing file throws: a golden
/// that is not there is a failed test.
std::vector<std::string> golden_lines(const std::string& name);
std::vector<std::string> words(const std::string& line);
/// "a*3 b" -> a, a, a, b; from word `first` on.
std::vector<std::string> expand_runs(const std::vector<std::string>& words, std::size_t first);

/// Is the row one of NumPy's ufuncs? Others have no goldens. Throws if the ledger does not know it.
bool is_numpys(std::string_view op);

/// Input classes in the goldens' order: the 14 dtypes, weak bool, int, float, complex.
inline constexpr int class_count = 18;
std::string class_name(int input_class);
dtype_id dtype_named(const std::string& name);
/// An operand of the class: `held` keeps the array it refers to alive.
operand operand_of(int input_class, array& held);

/// An array of the given shape; its elements are zero.
array zeros(const dims& shape, dtype_id type = dtype_id::float64);

/// What infer() answers: "ll:l" (dtypes of inputs, then the result), or "TypeError|text" where the
/// text has lost its "[op] ".
struct answer {
  std::string loop, error;
  inference result;
};
answer ask(op_id op, const std::vector<operand>& in, const op_params* params = nullptr,
           const array* out = nullptr, const array* mask = nullptr);

/// "class|text" of an error, without "[op] ".
std::string error_line(const error& e);

}  // namespace numjit::test
