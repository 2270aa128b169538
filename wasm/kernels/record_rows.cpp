// Writes the table of rows: the formula of every loop of every row, recorded by running its eval on noted values.
// Runs while the module is built; row_table.h describes what it writes.
#include <array>
#include <cstdio>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <numjit/graph/row_expression.h>

#include "recorded.h"
#include "row_table.h"

namespace numjit::wasm_gen {
namespace {

template <class T> using argument = typename graph::row_argument<rec, T>::type;

/// Leaf 2 i is input i, 2 i + 1 its imaginary part.
template <class T>
argument<T> input(int i) {
  const auto leaf = [&](Type type, int part) { return recording().leaf(type, static_cast<std::uint64_t>(2 * i + part)); };
  if constexpr (m::is_complex_type<T>) {
    using R = decltype(T{}.re);
    return {rec<R>::of(leaf(type_of<R>(), 0)), rec<R>::of(leaf(type_of<R>(), 1))};
  } else if constexpr (std::is_same_v<T, half>) {
    return widened(rec<std::uint16_t>::of(leaf(Type::u16, 0)));
  } else {
    return rec<T>::of(leaf(type_of<T>(), 0));
  }
}

using Ids = std::vector<Id>;

template <class R, class V>
Ids results(const V& v) {
  if constexpr (m::is_complex_type<R>) return {v.re.id, v.im.id};
  else if constexpr (std::is_same_v<R, half>) return {rounded(v).id};
  else return {rec<R>(v).id};
}

/// Leaves in, wanted values out.
struct Noted {
  template <class T> argument<T> input(int i) const { return wasm_gen::input<T>(i); }
  template <class R, class V> Ids result(const V& v) const { return results<R>(v); }
  template <class V> Ids to_half(const V& v) const { return {rounded(v).id}; }
  Ids next_half() const {
    const auto leaf = [](int i) {
      return rec<std::uint16_t>::of(recording().leaf(Type::u16, static_cast<std::uint64_t>(2 * i)));
    };
    return {wasm_gen::next_half(leaf(0), leaf(1)).id};
  }
};

template <op_id Op, int Loop>
Ids record_row() { return graph::evaluate_row<Op, Loop>(Noted()); }

using recorder = Ids (*)();

template <op_id Op, int Loop>
constexpr recorder recorder_of() {
  if constexpr (graph::is_row_expression<Op, Loop>()) return record_row<Op, Loop>;
  else return nullptr;
}

template <op_id Op, int... Loop>
std::vector<recorder> recorders_of(std::integer_sequence<int, Loop...>) {
  return {recorder_of<Op, Loop>()...};
}

/// By op; empty for rows that are no expressions.
std::vector<std::vector<recorder>> all_recorders() {
  std::vector<std::vector<recorder>> table(op_count);
#define NUMJIT_ROW(name) \
  table[static_cast<int>(op_id::name)] = recorders_of<op_id::name>(std::make_integer_sequence<int, loop_count<op_id::name>>{});
#include <numjit/ops/expression_rows.inc>
  return table;
}

template <class From, class To>
Ids record_cast() {
  if constexpr (std::is_same_v<From, To>) return {};
  else return graph::evaluate_cast<From, To>(Noted());
}

/// The table as it grows: formulas one after the other, equal ones once, constants apart.
class Writer {
 public:
  void add(const Ids& wanted) {
    const std::vector<std::uint8_t> formula = wanted.empty() ? std::vector<std::uint8_t>() : code(wanted);
    const bool late = is_late(formula.size(), wanted.size());
    std::vector<std::uint8_t>& to = late ? late_formulas_ : formulas_;
    const auto [at, is_new] = places_.try_emplace(formula, static_cast<std::uint32_t>(to.size()) | (late ? late_formula_bit : 0));
    if (is_new) to.insert(to.end(), formula.begin(), formula.end());
    starts_.push_back(wanted.empty() ? no_formula : at->second);
    recording().clear();
  }

  void write(const char* path, const char* late_path) const {
    std::FILE* file = begun(path);
    std::fprintf(file, "const std::uint64_t row_constants[] = {");
    for (std::size_t i = 0; i < constants_.size(); ++i)
      std::fprintf(file, "%s0x%llxu,", i % 6 ? " " : "\n  ", static_cast<unsigned long long>(constants_[i]));
    std::fprintf(file, "\n};\n");
    put_bytes(file, "row_formulas", formulas_);
    std::fprintf(file, "const std::uint32_t row_starts[] = {");
    for (std::size_t i = 0; i < starts_.size(); ++i) std::fprintf(file, "%s0x%x,", i % 12 ? "" : "\n  ", starts_[i]);
    std::fprintf(file, "\n};\nconst std::uint16_t op_starts[] = {");
    for (std::size_t i = 0; i < op_starts.size(); ++i) std::fprintf(file, "%s%u,", i % 20 ? "" : "\n  ", op_starts[i]);
    std::fprintf(file, "\n};\n");
    end(file);
    file = begun(late_path);
    put_bytes(file, "late_formulas", late_formulas_);
    std::fprintf(file, "const std::uint8_t* late_formula(std::uint32_t start) { return late_formulas + start; }\n");
    end(file);
    std::fprintf(stderr, "rows: %zu formulas, %zu bytes and %zu late ones, %zu constants\n", starts_.size(), formulas_.size(),
                 late_formulas_.size(), constants_.size());
  }

  std::vector<unsigned> op_starts;
  std::size_t count() const { return starts_.size(); }

 private:
  /// Long formulas that few pages need: functions of complex numbers, gamma and its logarithm.
  static bool is_late(std::size_t bytes, std::size_t results) { return bytes > (results == 2 ? 1200 : 2700); }

  static std::FILE* begun(const char* path) {
    std::FILE* file = std::fopen(path, "w");
    if (!file) std::abort();
    std::fprintf(file, "// The formulas of all rows, as record_rows.cpp wrote them.\n#include \"row_table.h\"\n\n"
                       "namespace numjit::wasm_gen {\n\n");
    return file;
  }
  static void put_bytes(std::FILE* file, const char* name, const std::vector<std::uint8_t>& bytes) {
    std::fprintf(file, "const std::uint8_t %s[] = {", name);
    for (std::size_t i = 0; i < bytes.size(); ++i) std::fprintf(file, "%s%d,", i % 40 ? "" : "\n  ", bytes[i]);
    std::fprintf(file, "\n};\n");
  }
  static void end(std::FILE* file) {
    std::fprintf(file, "\n}  // namespace numjit::wasm_gen\n");
    std::fclose(file);
  }

  static void varint(std::vector<std::uint8_t>& to, std::uint64_t v) {
    for (; v >= 128; v >>= 7) to.push_back(static_cast<std::uint8_t>(v | 128));
    to.push_back(static_cast<std::uint8_t>(v));
  }

  std::vector<std::uint8_t> code(const Ids& wanted) {
    const Dag& dag = recording();
    std::vector<bool> needed(dag.size());
    for (Id id : wanted) needed[id] = true;
    for (Id id = dag.size(); id-- > 0;)
      if (needed[id])
        for (int i = 0; i < arity_of(dag[id].prim); ++i) needed[dag[id].in[i]] = true;
    std::vector<std::uint8_t> out;
    std::vector<Id> place(dag.size());
    Id count = 0;
    for (Id id = 0; id < dag.size(); ++id) count += needed[id];
    varint(out, count);
    varint(out, wanted.size());
    count = 0;
    for (Id id = 0; id < dag.size(); ++id) {
      if (!needed[id]) continue;
      const DagNode& node = dag[id];
      place[id] = count++;
      out.push_back(static_cast<std::uint8_t>(node.prim));
      out.push_back(static_cast<std::uint8_t>(node.type));
      for (int i = 0; i < arity_of(node.prim); ++i) varint(out, place[id] - place[node.in[i]]);
      if (node.prim == Prim::leaf) varint(out, node.imm);
      if (node.prim == Prim::constant) varint(out, constant(node.imm));
    }
    for (Id id : wanted) varint(out, place[id]);
    return out;
  }

  std::uint64_t constant(std::uint64_t bits) {
    const auto [at, is_new] = constant_places_.try_emplace(bits, constants_.size());
    if (is_new) constants_.push_back(bits);
    return at->second;
  }

  std::vector<std::uint8_t> formulas_, late_formulas_;
  std::vector<std::uint32_t> starts_;
  std::map<std::vector<std::uint8_t>, std::uint32_t> places_;
  std::vector<std::uint64_t> constants_;
  std::map<std::uint64_t, std::size_t> constant_places_;
};

}  // namespace
}  // namespace numjit::wasm_gen

int main(int count, char** arguments) {
  using namespace numjit;
  using namespace numjit::wasm_gen;
  if (count != 3) return 2;
  Writer writer;
  for (const auto& loops : all_recorders()) {
    writer.op_starts.push_back(static_cast<unsigned>(writer.count()));
    for (recorder record : loops) writer.add(record ? record() : Ids());
  }
  writer.op_starts.push_back(static_cast<unsigned>(writer.count()));
  for (int from = 0; from < dtype_count; ++from)
    for (int to = 0; to < dtype_count; ++to)
      writer.add(visit_dtype(static_cast<dtype_id>(from), [&]<class From>() {
        return visit_dtype(static_cast<dtype_id>(to), [&]<class To>() { return record_cast<From, To>(); });
      }));
  writer.write(arguments[1], arguments[2]);
  return 0;
}
