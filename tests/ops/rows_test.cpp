// The op table: lookup, complete rows, and loop types against np.<name>.types.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include <numjit/ops/bind.h>

#include "golden_file.h"

namespace numjit::test {
namespace {

TEST(Rows, FoundByNameAndAlias) {
  for (int i = 0; i < op_count; ++i) {
    const op_id op = static_cast<op_id>(i);
    EXPECT_EQ(find_op(info(op).name), op) << info(op).name;
  }
  for (const op_alias& alias : op_aliases()) {
    EXPECT_EQ(find_op(alias.name), alias.op) << alias.name;
    EXPECT_NE(info(alias.op).name, alias.name);
  }
  EXPECT_EQ(find_op("abs"), op_id::absolute);
  EXPECT_EQ(find_op("true_divide"), op_id::divide);
  EXPECT_EQ(find_op("nonsense"), std::nullopt);
  EXPECT_EQ(find_op(""), std::nullopt);
}

TEST(Rows, NamesAreUnique) {
  std::set<std::string_view> names;
  for (int i = 0; i < op_count; ++i)
    EXPECT_TRUE(names.insert(info(static_cast<op_id>(i)).name).second);
  for (const op_alias& alias : op_aliases()) EXPECT_TRUE(names.insert(alias.name).second) << alias.name;
}

TEST(Rows, AreComplete) {
  const std::set<std::string_view> domains = {"any",      "positive", "nonzero", "unit",       "small",
                                              "above_one", "shift",    "nonnegative"};
  // Ops that only the library itself calls have no expression over np to show.
  const std::set<std::string_view> internal = {"store", "masked_store", "put_index", "mask_put",
                                               "nonzero_flat", "axis_length", "black_box", "repeat_places",
                                               "histogram_edges", "histogram_places", "histogram_counts",
                                               "random_draw", "routine", "scale", "unscale", "scale2",
                                               "linear_scan", "add_places", "communicate"};
  int ufuncs = 0;
  for (int i = 0; i < op_count; ++i) {
    const op_info& row = info(static_cast<op_id>(i));
    const std::string name(row.name);
    EXPECT_FALSE(row.doc.empty()) << name;
    EXPECT_EQ(row.doc.back(), '.') << name << ": its doc is not a sentence";
    EXPECT_EQ(row.example.empty(), internal.contains(row.name)) << name;
    const bool has_loops = row.kind == op_kind::ufunc || row.kind == op_kind::reduction ||
                           row.kind == op_kind::argreduction || row.kind == op_kind::scan;
    EXPECT_EQ(!row.loops.empty(), has_loops) << name;
    if (has_loops) {
      EXPECT_TRUE(domains.contains(row.domain)) << name << ": " << row.domain;
    }
    ufuncs += row.kind == op_kind::ufunc;
    if (row.kind == op_kind::ufunc) {
      EXPECT_EQ(row.is_pure_elementwise(), true);
      EXPECT_TRUE(row.arity >= 1 && row.arity <= 3) << name;
    }
  }
  EXPECT_GE(ufuncs, 60);
}

TEST(Rows, LoopTextsAreWellFormed) {
  for (int i = 0; i < op_count; ++i) {
    const op_info& row = info(static_cast<op_id>(i));
    if (row.loops.empty()) continue;
    std::size_t at = 0;
    for (const std::string& loop : words(std::string(row.loops_text))) {
      ASSERT_LT(at, row.loops.size()) << row.name;
      const int inputs = row.kind == op_kind::ufunc ? row.arity : 1;
      ASSERT_EQ(loop.size(), static_cast<std::size_t>(inputs) + 2) << row.name << ' ' << loop;
      for (int k = 0; k < inputs; ++k)
        EXPECT_EQ(dtype(row.loops[at].in[k]).character(), loop[static_cast<std::size_t>(k)]) << row.name;
      EXPECT_EQ(dtype(row.loops[at].out).character(), loop.back()) << row.name;
      ++at;
    }
    EXPECT_EQ(at, row.loops.size()) << row.name;
  }
}

/// NumPy's loop types without what numjit leaves out: long double (g, G), object (O), dates (m, M),
/// q and Q (int64 and uint64, as l and L are), and repeated entries.
std::vector<std::string> numpy_loops(const std::vector<std::string>& list) {
  std::vector<std::string> kept;
  for (std::string loop : list) {
    if (loop.find_first_of("gGOmM") != std::string::npos) continue;
    for (char& c : loop) c = c == 'q' ? 'l' : c == 'Q' ? 'L' : c;
    const std::size_t arrow = loop.find("->");
    loop = loop.substr(0, arrow) + ':' + loop.substr(arrow + 2);
    if (std::find(kept.begin(), kept.end(), loop) == kept.end()) kept.push_back(loop);
  }
  return kept;
}

TEST(Rows, LoopsAreNumPysInOrder) {
  std::set<std::string> seen;
  for (const std::string& line : golden_lines("loops.txt")) {
    auto list = words(line);
    const std::string name = list[0].substr(0, list[0].size() - 1);
    seen.insert(name);
    list.erase(list.begin());
    if (line.ends_with(": not in NumPy")) continue;
    if (name == "where") continue;  // NumPy's where is no ufunc; the promotion golden covers it
    ASSERT_TRUE(find_op(name)) << name;
    const auto ours = words(std::string(info(*find_op(name)).loops_text));
    EXPECT_EQ(ours, numpy_loops(list)) << name;
  }
  for (int i = 0; i < op_count; ++i) {
    const op_info& row = info(static_cast<op_id>(i));
    if (row.kind == op_kind::ufunc) {
      EXPECT_TRUE(seen.contains(std::string(row.name)))
          << row.name << " is not in the ledger: run numpy_compat/oracle/oracle.py";
    }
  }
}

}  // namespace
}  // namespace numjit::test
