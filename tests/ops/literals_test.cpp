// Integer literals beside every dtype, within and beyond its range, against NumPy.
#include <gtest/gtest.h>

#include <cstring>

#include <numjit/ops/promotion.h>

#include "golden_file.h"

namespace numjit::test {
namespace {

operand literal_of(const std::string& text) {
  if (text[0] != '-' && std::stoull(text) > static_cast<std::uint64_t>(INT64_MAX))
    return operand(static_cast<std::uint64_t>(std::stoull(text)));
  return operand(static_cast<std::int64_t>(std::stoll(text)));
}

/// One element of an integer or float dtype as a number wide enough for both 64-bit kinds.
template <class T>
long double number(const void* element) {
  T value;
  std::memcpy(&value, element, sizeof value);
  if constexpr (std::is_same_v<T, half>)
    return static_cast<float>(value);
  else if constexpr (requires { value.re; })
    return static_cast<long double>(value.re);
  else
    return static_cast<long double>(value);
}
long double literal_value(const operand& literal, dtype_id type) {
  alignas(16) char element[16];
  literal_element(literal, type, element);
  return visit_dtype(type, [&]<class T>() { return number<T>(element); });
}

bool compare(const std::string& op, long double a, long double b) {
  if (op == "equal") return a == b;
  if (op == "not_equal") return a != b;
  if (op == "less") return a < b;
  if (op == "less_equal") return a <= b;
  if (op == "greater") return a > b;
  return a >= b;
}

class Literals : public testing::Test {
 protected:
  /// The golden's words for what infer() and the literal's element give.
  std::string ours(const std::string& op, dtype_id type, const std::string& side,
                   const operand& literal) {
    array a = zeros({1}, type), mask = zeros({1}, dtype_id::bool_);
    const bool bound = op.starts_with("clip");
    const op_id id = *find_op(op == "where" ? "where" : bound ? "clip" : op);
    std::vector<operand> in;
    std::size_t at = 1;
    // NumPy's clip with one bound is ours with the dtype's own other one.
    if (op == "where") {
      in = {operand(mask), operand(a), literal};
      at = 2;
    } else if (op == "clip_low") {
      in = {operand(a), clip_bound(a, literal, true), operand(a)};
    } else if (op == "clip_high") {
      in = {operand(a), operand(a), clip_bound(a, literal, false)};
      at = 2;
    } else if (side == "alone") {
      in = {literal, operand(1)};
      at = 0;
    } else if (side == "left") {
      in = {literal, operand(a)};
      at = 0;
    } else {
      in = {operand(a), literal};
    }
    const answer got = ask(id, in);
    if (!got.error.empty()) return got.error;
    std::string text(dtype(got.result.type).name());
    const long double value = literal_value(in[at], got.result.in_type[at]);
    const char kind = dtype(got.result.type).kind();
    if (got.result.type == dtype_id::bool_ && group_of(id) == op_group::comparison) {
      const long double other = side == "alone" || type == dtype_id::bool_ ? 1 : 2;
      text += compare(op, at == 0 ? value : other, at == 0 ? other : value) ? "=1" : "=0";
    } else if ((op == "where" || bound) && (kind == 'i' || kind == 'u')) {
      long double result = value;
      const long double other = type == dtype_id::bool_ ? 1 : 2;
      if (op == "clip_low") result = value > other ? value : other;
      if (op == "clip_high") result = value < other ? value : other;
      text += '=' + (result < 0 ? std::to_string(static_cast<long long>(result))
                                : std::to_string(static_cast<unsigned long long>(result)));
    }
    return text;
  }
};

TEST_F(Literals, EveryDtypeAndRangeAsNumPy) {
  std::vector<std::string> literals, ops;
  std::map<std::string, std::string> errors;
  {
    for (const char* text : {"0", "1", "-1", "2", "127", "128", "-128", "-129", "255", "256", "300",
                             "-300", "32767", "32768", "-32768", "-32769", "65535", "65536",
                             "2147483647", "2147483648", "-2147483648", "-2147483649",
                             "4294967295", "4294967296", "9223372036854775807",
                             "-9223372036854775808", "9223372036854775808",
                             "18446744073709551615"})
      literals.push_back(text);
  }
  int compared = 0, wrong = 0;
  std::map<std::string, int> seen;
  for (const std::string& line : golden_lines("literals.txt")) {
    const auto list = words(line);
    if (list[0][0] == 'E' && isdigit(list[0][1])) {
      errors[list[0]] = line.substr(list[0].size() + 1);
    } else if (list[0] == "ops") {
      ops.assign(list.begin() + 1, list.end());
    } else {
      const auto expected = expand_runs(list, 2);
      ASSERT_EQ(expected.size(), literals.size());
      for (std::string op : ops) {
        op = op.substr(0, op.find('@'));
        ++seen[op];
        for (std::size_t i = 0; i < literals.size(); ++i) {
          const dtype_id type = list[0] == "alone" ? dtype_id::int64 : dtype_named(list[0]);
          const std::string side = list[0] == "alone" ? "alone" : list[1];
          const bool is_error = expected[i][0] == 'E';
          std::string want = is_error ? errors.at(expected[i]) : expected[i];
          if (auto at = want.find("{op}"); at != std::string::npos) want.replace(at, 4, op);
          if (auto at = want.find("{op}"); at != std::string::npos) want.replace(at, 4, op);
          std::string got = ours(op, type, side, literal_of(literals[i]));
          ++compared;
          if (got != want && ++wrong <= 40)
            ADD_FAILURE() << op << ' ' << list[0] << ' ' << side << ' ' << literals[i] << "\n  NumPy  "
                          << want << "\n  numjit " << got;
        }
      }
    }
  }
  for (int i = 0; i < op_count; ++i) {
    const op_info& row = info(static_cast<op_id>(i));
    if (row.kind == op_kind::ufunc && row.arity == 2 && is_numpys(row.name)) {
      EXPECT_EQ(seen[std::string(row.name)], 29) << row.name;
    }
  }
  EXPECT_EQ(wrong, 0) << "of " << compared;
  EXPECT_GT(compared, 30000);
}

}  // namespace
}  // namespace numjit::test
