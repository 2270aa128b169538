// The traceback of a graph break: one line, or where it is asked for the whole chain of user frames.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include <numjit/base/user_frames.h>
#include <numjit/np.h>

#include "support/trace_values.h"

namespace np = numjit;

namespace {

using np::testing::message;

// Each has a line of its own; the result of a call is used, so that it is no tail call, which leaves no frame.
template <class T>
struct Model {
  [[gnu::noinline]] np::array step(const np::array& x) const {
    const double limit = np::sum(x).item<double>();
    return x * limit;
  }
};
[[gnu::noinline]] np::array inner(const np::array& x) { return Model<int>().step(x) + 1; }
[[gnu::noinline]] np::array outer(const np::array& x) { return inner(x * 2) - 1; }
constexpr int step_line = 22, inner_line = 26, outer_line = 27;

std::string frame(int line, const std::string& function) { return __FILE__ ":" + std::to_string(line) + " in " + function; }

/// The lines of an explained call's only break.
std::vector<std::string> stack_of_break() {
  const auto report = np::explain(np::compile(outer))(np::arange(3.0));
  EXPECT_EQ(report.break_reasons.size(), 1u);
  return report.break_reasons.at(0).user_stack;
}

TEST(UserStack, IsOneLineByItself) { EXPECT_EQ(stack_of_break(), std::vector<std::string>{frame(step_line, "step")}); }

TEST(UserStack, HasAllFramesWhereItIsAskedFor) {
  const np::config_scope scope({.user_stack = true});
  if (np::detail::user_frames().empty()) GTEST_SKIP() << "the library was built without libbacktrace";
  const std::vector<std::string> stack = stack_of_break();
  // Before them those of the test and of the frame around it.
  ASSERT_GE(stack.size(), 5u);
  const std::vector<std::string> last(stack.end() - 3, stack.end());
  EXPECT_EQ(last, (std::vector{frame(outer_line, "outer"), frame(inner_line, "inner"), frame(step_line, "step")}));
  EXPECT_NE(stack[stack.size() - 4].find("stack_of_break"), std::string::npos);
  for (const std::string& line : stack) EXPECT_EQ(line.find("numjit::"), std::string::npos) << line;
}

TEST(UserStack, IsInTheErrorOfFullgraphToo) {
  if (np::detail::user_frames().empty()) GTEST_SKIP() << "the library was built without libbacktrace";
  const np::config_scope scope({.user_stack = true});
  const std::string text = message([] { np::compile(outer, {.fullgraph = true})(np::arange(3.0)); });
  const std::size_t traceback = text.find("User code traceback:\n");
  ASSERT_NE(traceback, std::string::npos);
  EXPECT_TRUE(text.ends_with("  " + frame(inner_line, "inner") + "\n  " + frame(step_line, "step"))) << text;
}

}  // namespace
