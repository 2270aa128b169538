// Calls in parts: which axis the graphs prove independent, what stands in the way elsewhere, and what calls need.
#include <filesystem>
#include <functional>
#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>

#include <numjit/array/same_bits.h>
#include <numjit/np.h>
#include <numjit/trace/export/program_run.h>
#include <numjit/trace/export/tiles.h>
#include <support/trace_values.h>

namespace np = numjit;
using numjit::tracing::ArrayShape;
using numjit::tracing::find_tiling;
using numjit::tracing::Program;
using numjit::tracing::Tiling;
using numjit::testing::message;
using numjit::testing::ramp;

namespace {

/// A function as a program, by way of a bundle.
template <class F, class... A>
Program program_of(F f, const A&... arguments) {
  char name[] = "/tmp/numjit-tiles-XXXXXX";
  const std::string folder = mkdtemp(name), path = folder + "/f.npj";
  np::export_function(f, std::tuple(arguments...), path, {.targets = {}});
  Program program = numjit::tracing::load_program(path);
  std::filesystem::remove_all(folder);
  return program;
}

/// No simple pattern, and of any shape.
np::array noise(const np::dims& shape) {
  std::int64_t count = 1;
  for (std::int64_t e : shape) count *= e;
  return (np::sin(ramp(count) * 12.9898) * 3.5).reshape(shape);
}

std::vector<ArrayShape> shapes_of(const std::vector<np::array>& arrays) {
  std::vector<ArrayShape> shapes;
  for (const np::array& a : arrays) shapes.push_back({a.get()->type, a.shape()});
  return shapes;
}

np::array range_of(const np::array& a, int axis, std::int64_t first, std::int64_t count) {
  if (axis < 0) return a;
  return np::take(a, np::arange(first, first + count), {.axis = axis});
}

std::vector<np::array> run(const Program& program, const std::vector<np::array>& arguments,
                           const std::vector<np::array>& like) {
  std::vector<numjit::node*> nodes;
  for (const np::array& a : arguments) nodes.push_back(a.get());
  const auto& entry = numjit::tracing::entry_for(program, shapes_of(like));
  return numjit::tracing::ProgramRunner(program).run(entry, nodes);
}

/// Runs it whole and in parts of different sizes: arguments and results must have the same bits.
void expect_same_in_parts(const Program& program, const std::vector<np::array>& arguments, const Tiling& tiling) {
  auto copies = [](const std::vector<np::array>& list) {
    std::vector<np::array> made;
    for (const np::array& a : list) made.push_back(a.copy());
    return made;
  };
  const std::vector<np::array> whole_arguments = copies(arguments);
  const std::vector<np::array> whole = run(program, whole_arguments, arguments);
  ASSERT_EQ(whole.size(), tiling.result_axis.size());
  for (std::int64_t first = 0, count = 2; first < tiling.extent; first += count, count = 3) {
    if (tiling.extent - first < count + 2) count = tiling.extent - first;
    std::vector<np::array> part_arguments;
    for (std::size_t i = 0; i < arguments.size(); ++i)
      part_arguments.push_back(range_of(arguments[i], tiling.argument_axis[i], first, count).copy());
    const std::vector<np::array> part = run(program, part_arguments, arguments);
    for (std::size_t i = 0; i < part.size(); ++i) {
      const np::array expected = range_of(whole[i], tiling.result_axis[i], first, count);
      ASSERT_EQ(part[i].shape(), expected.shape()) << "result " << i;
      EXPECT_FALSE(numjit::detail::first_difference(part[i].get(), expected.copy().get())) << "result " << i;
    }
    for (std::size_t i = 0; i < arguments.size(); ++i)
      EXPECT_FALSE(numjit::detail::first_difference(
          part_arguments[i].get(), range_of(whole_arguments[i], tiling.argument_axis[i], first, count).copy().get()))
          << "argument " << i;
  }
}

/// A tiling is found with these axes, and parts give what the whole gives.
template <class F, class... A>
void expect_tiling(const std::string& what, F f, const std::vector<int>& arguments, const std::vector<int>& results,
                   const A&... example) {
  SCOPED_TRACE(what);
  const Program program = program_of(f, example...);
  const std::vector<np::array> arrays{example...};
  const auto answer = find_tiling(program, program.entries[0], shapes_of(arrays));
  ASSERT_TRUE(answer.tiling) << answer.why;
  EXPECT_EQ(answer.tiling->argument_axis, arguments);
  EXPECT_EQ(answer.tiling->result_axis, results);
  expect_same_in_parts(program, arrays, *answer.tiling);
}

/// No tiling: the obstacle, without its place.
template <class F, class... A>
std::string obstacle(F f, const A&... example) {
  const Program program = program_of(f, example...);
  const auto answer = find_tiling(program, program.entries[0], shapes_of({example...}));
  if (answer.tiling) return "none";
  std::string why = answer.why;
  if (const std::size_t at = why.find(" at " __FILE__); at != std::string::npos)
    why.erase(at, why.find(' ', at + 4) - at);
  return why;
}

np::array first_free(np::array x) {
  np::mark_dynamic(x, 0);
  return x;
}

np::array dynamic(np::array x) {
  for (int axis = 0; axis < x.ndim(); ++axis) np::mark_dynamic(x, axis);
  return x;
}

}  // namespace

TEST(Tiles, elementwise_work_is_cut_along_the_first_axis) {
  const np::array x = noise({9, 5}), y = noise({9, 5}), row = noise({5}), column = noise({9, 1});
  expect_tiling("one", [](const np::array& a) { return np::exp(a) * 2.0 - 1.0; }, {0}, {0}, x);
  expect_tiling("two", [](const np::array& a, const np::array& b) { return np::where(a > b, a, b.astype(np::float32)); },
                {0, 0}, {0}, x, y);
  expect_tiling("a row is given whole", [](const np::array& a, const np::array& b) { return a * b; }, {0, -1}, {0}, x,
                row);
  expect_tiling("a column is cut", [](const np::array& a, const np::array& b) { return a * b; }, {0, 0}, {0}, x, column);
  expect_tiling("a vector meets the second axis",
                [](const np::array& a, const np::array& b) { return a(np::_, np::newaxis) + b; }, {0, -1}, {0}, x, column);
}

TEST(Tiles, reductions_and_scans_over_other_axes) {
  const np::array x = noise({9, 5, 4});
  expect_tiling("rows", [](const np::array& a) { return np::sum(a, {.axis = 1}); }, {0}, {0}, x);
  expect_tiling("columns", [](const np::array& a) { return np::sum(a, {.axis = 0}); }, {1}, {0}, x);
  expect_tiling("two axes", [](const np::array& a) { return np::mean(a, {.axis = {0, 2}}); }, {1}, {0}, x);
  expect_tiling("kept", [](const np::array& a) { return a / np::max(a, {.axis = 0, .keepdims = true}); }, {1}, {1}, x);
  expect_tiling("argmax", [](const np::array& a) { return np::argmax(a, {.axis = 2}); }, {0}, {0}, x);
  expect_tiling("scan", [](const np::array& a) { return np::cumsum(a, {.axis = 0}); }, {1}, {1}, x);
  expect_tiling("sort", [](const np::array& a) { return std::tuple(np::sort(a), np::argsort(a, 0)); }, {1},
                {1, 1}, x);
  expect_tiling(
      "deviation",
      [](const np::array& a) {
        return (a - np::mean(a, {.axis = -1, .keepdims = true})) / np::std(a, {.axis = -1, .keepdims = true});
      },
      {0}, {0}, x);
}

TEST(Tiles, views_move_the_axis) {
  const np::array x = noise({9, 5, 4});
  expect_tiling("transposed", [](const np::array& a) { return np::transpose(a) * 2.0; }, {0}, {2}, x);
  expect_tiling("newaxis", [](const np::array& a) { return a(np::newaxis) + 1.0; }, {0}, {1}, x);
  expect_tiling("slices elsewhere", [](const np::array& a) { return a(np::_, 2, np::slice(1, 3)) + 1.0; }, {0}, {0}, x);
  expect_tiling("stencil along the first axis",
                [](const np::array& a) { return a(np::slice(1, np::none)) - a(np::slice(np::none, -1)); }, {1}, {1}, x);
  expect_tiling("reshaped", [](const np::array& a) { return a.reshape({a.shape(0), -1}) + 1.0; }, {0}, {0}, first_free(x));
  expect_tiling("split", [](const np::array& a) { return np::sum(a.reshape({a.shape(0), 2, 10}), {.axis = 1}); }, {0}, {0},
                first_free(x));
  expect_tiling("diagonal", [](const np::array& a) { return np::diagonal(a, 0, 1, 2) * 1.0; }, {0}, {0}, x);
  expect_tiling("joined", [](const np::array& a) { return np::concatenate({a, a * 2.0}, {.axis = 1}); }, {0}, {0}, x);
  expect_tiling("taken", [](const np::array& a) { return np::take(a, np::array{3, 0}, {.axis = 1}); }, {0}, {0}, x);
  expect_tiling("sizes as shapes", [](const np::array& a) { return np::zeros_like(a) + np::ones(a.shape()) * a; }, {0}, {0},
                dynamic(x));
}

TEST(Tiles, stores_into_arguments_and_results) {
  const np::array x = noise({9, 5});
  expect_tiling("an argument changes",
                [](np::array a) {
                  a(np::_, np::slice(1, 3)) *= 2.0;
                  return np::sum(a, {.axis = 1});
                },
                {0}, {0}, x);
  expect_tiling("a result is filled",
                [](const np::array& a) {
                  np::array r = np::zeros_like(a);
                  r(np::_, 0) = a(np::_, 1);
                  r(a > 0.5) = 7.0;
                  return r;
                },
                {0}, {0}, first_free(x));
}

TEST(Tiles, rows_of_products) {
  const np::array x = noise({9, 4}), w = noise({4, 3}), stack = noise({9, 3, 4});
  const Program program = program_of([](const np::array& a, const np::array& b) { return np::matmul(a, b); }, x, w);
  const auto answer = find_tiling(program, program.entries[0], shapes_of({x, w}));
  ASSERT_TRUE(answer.tiling) << answer.why;
  EXPECT_EQ(answer.tiling->argument_axis, (std::vector<int>{0, -1}));
  EXPECT_EQ(answer.tiling->result_axis, (std::vector<int>{0}));
  expect_tiling("a stack", [](const np::array& a, const np::array& b) { return np::matmul(a, b); }, {0, -1}, {0}, stack, w);
}

TEST(Tiles, results_that_no_part_changes) {
  expect_tiling("constant", [](const np::array& a) { return std::tuple(a + 1.0, np::arange(3) * 2); }, {0}, {0, -1},
                noise({9, 5}));
}

TEST(Tiles, several_graphs) {
  expect_tiling("a break",
                [](const np::array& a) {
                  const np::array b = np::exp(a);
                  np::graph_break("here");
                  return b * np::sum(a, {.axis = 1, .keepdims = true});
                },
                {0}, {0}, noise({9, 5}));
}

TEST(Tiles, what_stands_in_the_way) {
  const np::array v = noise({9}), x = noise({9, 5}), square = noise({6, 6});
  EXPECT_EQ(obstacle([](const np::array& a) { return np::sum(a); }, v), "along axis 0 of argument 0, sum reduces over the axis");
  EXPECT_EQ(obstacle([](const np::array& a) { return np::cumsum(a); }, v),
            "along axis 0 of argument 0, cumsum goes along the axis");
  EXPECT_EQ(obstacle([](const np::array& a) { return a(np::slice(1, np::none)) * 2.0; }, v),
            "along axis 0 of argument 0, index takes a range or an element of the axis");
  EXPECT_EQ(obstacle([](const np::array& a) { return a + np::arange(9); }, v),
            "along axis 0 of argument 0, add takes values along the axis that are not cut");
  EXPECT_EQ(obstacle([](const np::array& a) { return a + np::transpose(a); }, square),
            "along axis 0 of argument 0, add brings two different axes together");
  EXPECT_EQ(obstacle([](const np::array& a) { return a(a > 0.0) * 2.0; }, v), "the length of mask_select depends on data");
  EXPECT_EQ(obstacle([](const np::array& a) { return a(np::slice(np::none, np::none, -1)) * 2.0; }, v),
            "along axis 0 of argument 0, index takes a range or an element of the axis");
  EXPECT_EQ(obstacle([](const np::array& a) { return a * static_cast<double>(a.len()); }, dynamic(v)),
            "along axis 0 of argument 0, multiply uses the size of the axis as a number");
  EXPECT_EQ(obstacle([](const np::array& a) { return a + np::arange(a.len()); }, dynamic(v)),
            "along axis 0 of argument 0, arange depends on the size of the axis");
  EXPECT_EQ(obstacle([](const np::array& a) { return np::ravel(a) * 2.0; }, first_free(noise({9, 2}))),
            "along axis 0 of argument 0, reshape_view does not keep the axis");
  EXPECT_EQ(obstacle([](const np::array& a) { return a.reshape({9, 1}) * 2.0; }, noise({9})),
            "along axis 0 of argument 0, reshape_view has a size of its own: mark the axis by np::mark_dynamic where the "
            "function is exported");
  EXPECT_EQ(obstacle([](const np::array& a) -> np::array { return np::sum(a) > 0.0 ? a * 2.0 : a * 3.0; }, v),
            "the function reads values, which decide what it does");
  EXPECT_EQ(obstacle([](np::array a, const np::array& b) { a(0) = 1.0; return b * a(0); }, noise({2}), v),
            "along axis 0 of argument 1, store changes an array that each part takes whole");
  EXPECT_EQ(obstacle([](const np::array& a) { return a * 2.0; }, noise({3})),
            "no axis of its largest argument has four elements or more");
}

TEST(Tiles, costs_count_what_is_held_at_a_time) {
  const np::array x = noise({100, 10});
  const std::vector<ArrayShape> shapes = shapes_of({x});
  auto cost = [&](auto f) {
    const Program program = program_of(f, x);
    return numjit::tracing::call_cost(program, program.entries[0], shapes);
  };
  // The argument, a temporary and the result.
  const auto chain = cost([](const np::array& a) { return np::exp(np::sin(np::cos(a))); });
  EXPECT_EQ(chain.bytes, 3 * 8000);
  EXPECT_TRUE(chain.complete);
  ASSERT_EQ(chain.results.size(), 1u);
  EXPECT_EQ(chain.results[0], (ArrayShape{np::dtype_id::float64, {100, 10}}));
  // A view holds what it looks at.
  EXPECT_EQ(cost([](const np::array& a) {
              const np::array b = a + 1.0, c = np::transpose(b);
              return np::sum(a * 2.0) * c;
            }).bytes, 3 * 8000 + 8);
  EXPECT_FALSE(cost([](const np::array& a) { return a(a > 0.0) * 2.0; }).complete);
}

TEST(Tiles, other_sizes_than_the_example) {
  const Program program = program_of([](const np::array& a) { return np::sum(a, {.axis = 1}); }, dynamic(noise({9, 5})));
  const std::vector<ArrayShape> large{{np::dtype_id::float64, {1000000, 70}}};
  const auto& entry = numjit::tracing::entry_for(program, large);
  EXPECT_EQ(numjit::tracing::call_cost(program, entry, large).bytes, 568000000);
  const auto answer = find_tiling(program, entry, large);
  ASSERT_TRUE(answer.tiling);
  EXPECT_EQ(answer.tiling->extent, 1000000);
  EXPECT_EQ(numjit::tracing::part_of(large, *answer.tiling, 10)[0].shape, (np::dims{10, 70}));
  EXPECT_EQ(message([&] { numjit::tracing::entry_for(program, {{np::dtype_id::float32, {4, 4}}}); }),
            "[f] no exported example fits: argument 0 has dtype float32, expected float64. Export it with such an example, "
            "or mark the axes that change with np::mark_dynamic.");
}
