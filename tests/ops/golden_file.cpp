// Reading of goldens and calls of ops for comparing with them.
#include "golden_file.h"

#include <cstring>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace numjit::test {

std::vector<std::string> golden_lines(const std::string& name) {
  std::ifstream file(NUMJIT_TEST_SOURCE_DIR "/tests/ops/golden/" + name);
  if (!file) throw std::runtime_error("golden " + name + " is missing: run numpy_compat/oracle/oracle.py");
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);)
    if (!line.empty() && line[0] != '#') lines.push_back(line);
  if (lines.empty()) throw std::runtime_error("golden " + name + " is empty");
  return lines;
}

std::vector<std::string> words(const std::string& line) {
  std::istringstream text(line);
  std::vector<std::string> list;
  for (std::string word; text >> word;) list.push_back(word);
  return list;
}

std::vector<std::string> expand_runs(const std::vector<std::string>& words, std::size_t first) {
  std::vector<std::string> list;
  for (std::size_t i = first; i < words.size(); ++i) {
    std::size_t star = words[i].find('*');
    std::size_t n = star == std::string::npos ? 1 : std::stoul(words[i].substr(star + 1));
    list.insert(list.end(), n, words[i].substr(0, star));
  }
  return list;
}

bool is_numpys(std::string_view op) {
  for (const std::string& line : golden_lines("loops.txt"))
    if (line.starts_with(std::string(op) + ": ")) return !line.ends_with(": not in NumPy");
  throw std::runtime_error(std::string(op) + " is not in the ledger: run numpy_compat/oracle/oracle.py");
}

std::string class_name(int input_class) {
  static const char* weak[] = {"weak_bool", "weak_int", "weak_float", "weak_complex"};
  if (input_class >= dtype_count) return weak[input_class - dtype_count];
  return std::string(dtype(static_cast<dtype_id>(input_class)).name());
}

dtype_id dtype_named(const std::string& name) {
  for (int i = 0; i < dtype_count; ++i)
    if (dtype(static_cast<dtype_id>(i)).name() == name) return static_cast<dtype_id>(i);
  throw std::runtime_error("no dtype is named " + name);
}

array zeros(const dims& shape, dtype_id type) {
  node* n = detail::new_node(type, shape.size(), shape.data());
  std::memset(n->data, 0, static_cast<std::size_t>(n->block_bytes));
  return array::adopt(n);
}

operand operand_of(int input_class, array& held) {
  switch (input_class - dtype_count) {
    case 0: return operand(true);
    case 1: return operand(1);
    case 2: return operand(1.0);
    case 3: return operand(std::complex<double>(0, 1));
  }
  held = zeros({1}, static_cast<dtype_id>(input_class));
  return operand(held);
}

std::string error_line(const error& e) {
  std::string text = e.what();
  if (!e.op().empty()) text.erase(0, e.op().size() + 3);
  return e.code() + '|' + text;
}

answer ask(op_id op, const std::vector<operand>& in, const op_params* params, const array* out,
           const array* mask) {
  op_call call;
  call.op = op;
  call.in = in;
  call.params = params;
  call.out = out ? out->get() : nullptr;
  call.where_mask = mask ? mask->get() : nullptr;
  answer a;
  try {
    infer_ufunc(call, a.result);
    for (std::size_t i = 0; i < in.size(); ++i) a.loop += dtype(a.result.in_type[i]).character();
    a.loop += std::string(":") + dtype(a.result.type).character();
  } catch (const error& e) {
    a.error = error_line(e);
  }
  return a;
}

}  // namespace numjit::test
