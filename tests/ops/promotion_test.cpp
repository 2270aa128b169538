// Promotion against NumPy: every ufunc row, all classes of inputs, with and without dtype=.
#include <gtest/gtest.h>

#include <numjit/ops/promotion.h>

#include "golden_file.h"

namespace numjit::test {
namespace {

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += by.size())
    text.replace(at, what.size(), by);
  return text;
}

std::string numpy_class(int input_class) {
  static const char* names[class_count] = {
      "BoolDType",    "Int8DType",    "Int16DType",   "Int32DType",     "Int64DType",
      "UInt8DType",   "UInt16DType",  "UInt32DType",  "UInt64DType",    "Float16DType",
      "Float32DType", "Float64DType", "Complex64DType", "Complex128DType", "BoolDType",
      "_PyLongDType", "_PyFloatDType", "_PyComplexDType"};
  return std::string("<class 'numpy.dtypes.") + names[input_class] + "'>";
}

/// The error of a golden entry with its placeholders filled in.
std::string expected_error(std::string text, const std::string& op, const std::vector<int>& combo,
                           const std::string& forced) {
  std::string inputs = numpy_class(combo[0]);
  for (std::size_t i = 1; i < combo.size(); ++i) inputs += ", " + numpy_class(combo[i]);
  if (combo.size() > 1) inputs = '(' + inputs + ')';
  text = replaced(text, "{op}", op);
  text = replaced(text, "{inputs}", inputs);
  text = replaced(text, "{dtype}", forced);
  for (std::size_t i = 0; i < combo.size(); ++i)
    text = replaced(text, "{in" + std::to_string(i) + "}",
                    combo[i] == dtype_count ? "bool" : class_name(combo[i]));
  return text;
}

/// All combinations of input classes in the golden's order.
std::vector<std::vector<int>> combos_of(const std::string& op, int arity) {
  std::vector<std::vector<int>> combos{{}};
  for (int i = 0; i < arity; ++i) {
    std::vector<int> choices;
    if (op == "where" && i == 0)
      choices = {0, static_cast<int>(dtype_id::float64), dtype_count + 1};
    else
      for (int c = 0; c < class_count; ++c) choices.push_back(c);
    std::vector<std::vector<int>> longer;
    for (const auto& combo : combos)
      for (int c : choices) {
        longer.push_back(combo);
        longer.back().push_back(c);
      }
    combos = longer;
  }
  return combos;
}

class Promotion : public testing::Test {
 protected:
  void check_line(const std::string& op, int arity, const std::vector<std::string>& line) {
    const auto expected = expand_runs(line, 1);
    const auto combos = combos_of(op, arity);
    ASSERT_EQ(expected.size(), combos.size()) << op << ' ' << line[0];
    op_params params;
    if (line[0] != "plain") params.type(dtype_named(line[0]));
    for (std::size_t i = 0; i < combos.size(); ++i) {
      array held[3];
      std::vector<operand> in;
      for (std::size_t k = 0; k < combos[i].size(); ++k)
        in.push_back(operand_of(combos[i][k], held[k]));
      const answer got = ask(*find_op(op), in, &params);
      const bool is_error = expected[i][0] == 'E' && expected[i].find(':') == std::string::npos;
      const std::string want =
          is_error ? expected_error(errors_.at(expected[i]), op, combos[i], line[0]) : expected[i];
      ++compared_;
      if ((is_error ? got.error : got.loop) == want) continue;
      if (++wrong_ > 40) continue;
      std::string call = op;
      for (int c : combos[i]) call += ' ' + class_name(c);
      ADD_FAILURE() << call << " dtype=" << line[0] << "\n  NumPy  " << want << "\n  numjit "
                    << got.loop << got.error;
    }
  }

  std::map<std::string, std::string> errors_;
  int compared_ = 0, wrong_ = 0;
};

TEST_F(Promotion, EveryRowAndEveryClassOfInputsAsNumPy) {
  std::map<std::string, int> seen;
  std::vector<std::string> ops;
  int arity = 0;
  for (const std::string& line : golden_lines("promotion.txt")) {
    auto list = words(line);
    if (list[0][0] == 'E' && isdigit(list[0][1])) {
      errors_[list[0]] = line.substr(list[0].size() + 1);
    } else if (list[0] == "ops") {
      ops.assign(list.begin() + 1, list.end());
    } else if (list[0] == "arity") {
      arity = std::stoi(list[1]);
    } else {
      for (const std::string& op : ops) {
        check_line(op, arity, list);
        ++seen[op];
      }
    }
  }
  for (int i = 0; i < op_count; ++i) {
    const op_info& row = info(static_cast<op_id>(i));
    if (row.kind != op_kind::ufunc || !is_numpys(row.name)) continue;
    EXPECT_EQ(seen[std::string(row.name)], row.arity == 3 ? 1 : 1 + dtype_count)
        << row.name << " has no golden: run numpy_compat/oracle/oracle.py";
  }
  EXPECT_EQ(wrong_, 0) << "of " << compared_;
  EXPECT_GT(compared_, 150000);
}

TEST(Casts, PairsAsNumPy) {
  int compared = 0;
  for (const std::string& line : golden_lines("casts.txt")) {
    const auto list = words(line);
    ++compared;
    if (list[0] == "promote") {
      EXPECT_EQ(promote_types(dtype_named(list[1]), dtype_named(list[2])), dtype_named(list[3])) << line;
    } else if (list[0] == "can_cast") {
      const dtype_id a = dtype_named(list[1]), b = dtype_named(list[2]);
      EXPECT_EQ(can_cast(a, b), list[3] == "1") << line;
      EXPECT_EQ(can_cast(a, b, casting::same_kind), list[4] == "1") << line;
      EXPECT_EQ(can_cast(a, b, casting::equiv), a == b) << line;
      EXPECT_TRUE(can_cast(a, b, casting::unsafe_));
    } else if (list[0] == "three") {
      const auto expected = expand_runs(list, 1);
      ASSERT_EQ(expected.size(), 14u * 14 * 14);
      for (int i = 0; i < 14 * 14 * 14; ++i) {
        const dtype_id types[] = {static_cast<dtype_id>(i / 196), static_cast<dtype_id>(i / 14 % 14),
                                  static_cast<dtype_id>(i % 14)};
        EXPECT_EQ(promote_types(types), dtype_named(expected[static_cast<std::size_t>(i)])) << i;
      }
    } else {
      ASSERT_EQ(list[0], "result_type");
      array held[2];
      std::vector<operand> in;
      for (int k = 0; k < 2 && list[1 + k] != "-"; ++k)
        for (int c = 0; c < class_count; ++c)
          if (class_name(c) == list[1 + k]) in.push_back(operand_of(c, held[k]));
      EXPECT_EQ(result_type(in), dtype_named(list[3])) << line;
    }
  }
  EXPECT_EQ(compared, 2 * 14 * 14 + 18 * 18 + 18 + 1);
}

}  // namespace
}  // namespace numjit::test
