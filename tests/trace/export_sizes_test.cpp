// Bundles for arrays of other sizes than the example's.
#include <string>
#include <tuple>

#include <gtest/gtest.h>

#include <numjit/np.h>
#include <numjit/runtime/bundle/bundle.h>
#include <support/trace_values.h>

#include "export_files.h"

namespace np = numjit;
using numjit::testing::at_line;
using numjit::testing::BundleFile;
using numjit::testing::message;
using numjit::testing::noise;
using numjit::testing::ramp;
using numjit::testing::replace_in_bundle;
using numjit::testing::same_bits;
using numjit::testing::with_kernels;

TEST(Export, Sizes_are_guarded) {
  BundleFile file;
  auto f = [](const np::array& x, const np::array& y) { return x + y; };
  np::export_function(f, {ramp(4), ramp(4)}, file.path, with_kernels());
  const auto g = np::load_function(file.path);
  auto fits = [](const std::string& what) {
    return "[f] no exported example fits: " + what +
           ". Export it with such an example, or mark the axes that change with np::mark_dynamic.";
  };
  EXPECT_EQ(message([&] { g(ramp(5), ramp(4)); }), fits("argument 0 has shape (5,), expected (4,)"));
  EXPECT_EQ(message([&] { g(ramp(4), ramp(4).reshape(2, 2)); }), fits("argument 1 has shape (2, 2), expected (4,)"));
  EXPECT_EQ(message([&] { g(ramp(4), ramp(4).astype(np::float32)); }),
            fits("argument 1 has dtype float32, expected float64"));
  EXPECT_EQ(message([&] { g(ramp(4)); }), fits("got 1 array, expected 2"));
  // Other strides, and one array twice, are no matter.
  EXPECT_TRUE(same_bits(g(ramp(8)(np::slice(np::none, np::none, 2)), ramp(4)),
                        f(ramp(8)(np::slice(np::none, np::none, 2)), ramp(4))));
  const np::array x = ramp(4);
  EXPECT_TRUE(same_bits(g(x, x), f(x, x)));
}

TEST(Export, Marked_axes_take_any_size) {
  BundleFile file;
  auto f = [](const np::array& x, const np::array& w) {
    const np::array inner = x(np::slice(1, x.len() - 1));
    return std::tuple(np::mean(x, {.axis = 0}) + w, np::sum(inner * inner), np::zeros({x.len(), 2}), x.reshape(-1),
                      np::std(x));
  };
  np::array x = noise(15).reshape(5, 3);
  np::mark_dynamic(x, 0);
  np::export_function(f, std::tuple(x, noise(3)), file.path, with_kernels());
  const auto g = np::load_function(file.path);
  EXPECT_TRUE(g.inputs()[0][0].any_size[0]);
  EXPECT_FALSE(g.inputs()[0][0].any_size[1]);
  using R = std::tuple<np::array, np::array, np::array, np::array, np::array>;
  for (std::int64_t n : {5, 2, 3, 17, 5000, 5}) {
    const np::array a = np::cos(ramp(3 * n)).reshape(n, 3), w = ramp(3);
    const auto expected = f(a, w);
    const auto got = g.call<R>(a, w);
    EXPECT_TRUE(same_bits(std::get<0>(got), std::get<0>(expected))) << n;
    EXPECT_TRUE(same_bits(std::get<1>(got), std::get<1>(expected))) << n;
    EXPECT_TRUE(same_bits(std::get<2>(got), std::get<2>(expected))) << n;
    EXPECT_TRUE(same_bits(std::get<3>(got), std::get<3>(expected))) << n;
    EXPECT_TRUE(same_bits(std::get<4>(got), std::get<4>(expected))) << n;
  }
  const np::array narrow = ramp(8).reshape(4, 2);
  EXPECT_THROW(g(narrow, ramp(3)), np::ValueError);
}

TEST(Export, Axes_of_one_size_stay_of_one_size) {
  BundleFile file;
  auto f = [](const np::array& x) { return np::full({x.shape(1), x.shape(0)}, 0.5) + x.T(); };
  np::array x = noise(9).reshape(3, 3);
  for (int axis : {0, 1}) np::mark_dynamic(x, axis);
  np::export_function(f, std::tuple(x), file.path, {.targets = {}});
  const auto g = np::load_function(file.path);
  const np::array square = noise(25).reshape(5, 5);
  EXPECT_TRUE(same_bits(g(square), f(square)));
  EXPECT_NE(message([&] { g(noise(10).reshape(5, 2)); })
                .find("no exported example fits: axis 0 of argument 0 has size 5 and axis 1 of argument 0 has size 2, "
                      "expected one size for both as in the example. "),
            std::string::npos);
}

TEST(Export, Two_marked_axes_and_products_of_sizes) {
  BundleFile file;
  auto f = [](const np::array& x) { return np::mean(x) + x.reshape(x.shape(0) * x.shape(1)); };
  np::array x = noise(12).reshape(3, 4);
  np::mark_dynamic(x, 0);
  np::mark_dynamic(x, 1);
  np::export_function(f, {x}, file.path, with_kernels());
  const auto g = np::load_function(file.path);
  for (auto [n, m] : {std::pair{3, 4}, {4, 4}, {2, 900}, {31, 7}}) {
    const np::array a = np::cos(ramp(n * m)).reshape(n, m);
    EXPECT_TRUE(same_bits(g(a), f(a))) << n << " " << m;
  }
}

// The largest factor that a file can hold, in place of 1.
TEST(Export, Sizes_beyond_int64_are_an_error) {
  BundleFile file;
  np::array x = noise(12).reshape(3, 4);
  np::mark_dynamic(x, 0);
  np::mark_dynamic(x, 1);
  np::export_function([](const np::array& a) { return np::sin(a).reshape(a.shape(0) * a.shape(1)); }, {x}, file.path,
                      {.targets = {}});
  ASSERT_TRUE(replace_in_bundle(file.path, "\"factor\":1,", "\"factor\":9223372036854775807,"));
  const auto g = np::load_function(file.path);
  EXPECT_EQ(message([&] { g(x); }),
            "[loaded_function] a number made of lengths is beyond int64: got 9223372036854775807 * the lengths of 2 "
            "axes + 0. Pass smaller arrays.");
}

TEST(Export, Read_truth_values_are_0_or_1) {
  BundleFile file;
  auto f = [](const np::array& a) { return np::any(a > 0).item<bool>() ? a * 2 : a - 1; };
  np::export_function(f, {np::array{1.0, 2.0}}, file.path, {.targets = {}});
  EXPECT_NE(np::load_function(file.path).str().find("true -> step"), std::string::npos);
  ASSERT_TRUE(replace_in_bundle(file.path, "[\"01\",", "[\"17\","));
  EXPECT_EQ(message([&] { (void)np::load_function(file.path); }),
            "[load_function] the bundle is damaged: a read truth value that is neither 0 nor 1");
}

TEST(Export, Masked_stores_into_slices_that_another_size_cuts_shorter) {
  BundleFile file;
  auto f = [](const np::array& x) {
    np::array part = np::array(x * 1.0)(np::slice(1, 3));
    part(part > 0) = 3.25;
    return part;
  };
  np::array x = noise(12).reshape(3, 2, 2);
  np::mark_dynamic(x, 0);
  np::export_function(f, std::tuple(x), file.path, {.targets = {}});
  const auto g = np::load_function(file.path);
  for (int n : {3, 5, 2}) {  // the slice has two elements, two, and one
    const np::array a = noise(4 * n).reshape(n, 2, 2);
    EXPECT_TRUE(same_bits(g(a), f(a))) << n;
  }
}

TEST(Export, Sizes_at_which_a_slice_ends_earlier_are_refused_where_its_length_counts) {
  BundleFile file;
  auto f = [](const np::array& x) { return np::mean(x(np::slice(1, 5))); };
  np::array x = noise(40);
  np::mark_dynamic(x, 0);
  np::export_function(f, std::tuple(x), file.path, {.targets = {}});
  const auto g = np::load_function(file.path);
  for (int n : {5, 6, 33, 40, 70}) EXPECT_TRUE(same_bits(g(noise(n)), f(noise(n)))) << n;
  EXPECT_NE(message([&] { g(noise(4)); }).find("argument 0 has shape (4,), expected (any,) from 5 on. "), std::string::npos);
}

TEST(Export, A_function_that_is_another_for_other_sizes_is_refused) {
  BundleFile file;
  auto refused = [&](auto f) {
    np::array x = ramp(6);
    np::mark_dynamic(x, 0);
    return message([&] { np::export_function(f, {x}, file.path); });
  };
  const std::string begin =
      "[export_function] the function is not the same for all sizes of the axes marked by np::mark_dynamic: ";
  const std::string end = ". Leave the axis unmarked, or give each size as an example.";
  int line = __LINE__ + 1;
  const auto number = [](const np::array& x) { return x + 1.0 / static_cast<double>(x.len()); };
  EXPECT_EQ(refused(number),
            begin + "a number in add at " + at_line(line) + " is " +
                "0.16666666666666666, then 0.1111111111111111" + end);
  line = __LINE__ + 1;
  const auto slice = [](const np::array& x) { return x(np::slice(0, x.len() * x.len() / 12)) + 1.0; };
  EXPECT_EQ(refused(slice),
            begin + "word 2 of the parameters of index at " + at_line(line) +
                " is 3 for size 6, 6 for size 9, which is no size plus a number and no product of sizes" + end);
  line = __LINE__ + 1;
  const auto branch = [](const np::array& x) { return x.len() > 7 ? np::exp(x) : np::sin(x); };
  EXPECT_EQ(refused(branch),
            begin + "sin at " + at_line(line) + " becomes exp at " + at_line(line) + end);
  line = __LINE__ + 1;
  const auto read = [](const np::array& x) { return np::sum(x).item() > 7 ? x : x + 1.0; };
  EXPECT_EQ(refused(read),
            begin + "item() at " + at_line(line) + " reads another value" + end);
}
