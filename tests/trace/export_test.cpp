// Bundles: functions written to files, and carried out without them.
#include <atomic>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <numjit/base/fault.h>
#include <numjit/base/hash.h>
#include <numjit/base/subprocess.h>
#include <numjit/np.h>
#include <numjit/runtime/bundle/bundle.h>
#include <support/code_generator.h>
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
using numjit::testing::values;
using numjit::testing::with_kernels;

TEST(Export, A_function_of_arrays_runs_from_a_bundle) {
  BundleFile file;
  auto f = [](const np::array& x, const np::array& y) { return np::sum(np::exp(x - y) * 0.5, {.axis = 1}); };
  const np::array x = noise(600).reshape(20, 30), y = noise(30);
  np::export_function(f, std::tuple(x, y), file.path, with_kernels());
  const auto g = np::load_function(file.path);
  EXPECT_EQ(g.name(), "f");
  EXPECT_EQ(g.output_count(), 1u);
  ASSERT_EQ(g.inputs().size(), 1u);
  EXPECT_EQ(g.inputs()[0][0].shape, (np::dims{20, 30}));
  const np::array a = np::cos(x), b = np::cos(y);
  EXPECT_TRUE(same_bits(np::sum(g(a, b)) + g(x, y) * 2.0, np::sum(f(a, b)) + f(x, y) * 2.0));
  for (int round = 0; round < 3; ++round) {
    const np::array got = g(a, b);
    EXPECT_TRUE(same_bits(got, f(a, b)));
    EXPECT_TRUE(same_bits(g(x, y), f(x, y)));
  }
}

TEST(Export, Several_results_structs_and_stores) {
  BundleFile file;
  auto f = [](np::array u, const np::array& v) {
    u(np::slice(1, -1)) += 0.25 * (v(np::slice(2, np::none)) - v(np::slice(np::none, -2)));
    return std::tuple(u, v(np::slice(np::none, np::none, -1)), np::max(u) - np::min(v));
  };
  np::export_function(f, std::tuple(noise(50), noise(50)), file.path, with_kernels());
  const auto g = np::load_function(file.path);
  EXPECT_TRUE(g.inputs()[0][0].changed);
  EXPECT_FALSE(g.inputs()[0][1].changed);
  np::array u = np::cos(ramp(50)), v = np::sin(ramp(50)), u2 = u.copy();
  const auto expected = f(u2, v);
  const auto [a, b, c] = g.call<std::tuple<np::array, np::array, np::array>>(u, v);
  EXPECT_TRUE(same_bits(u, u2));
  EXPECT_EQ(a.get(), u.get()) << "an argument that is returned is that array";
  EXPECT_TRUE(same_bits(b, std::get<1>(expected)));
  EXPECT_EQ(b.get()->base, v.get()) << "a view of an argument is a view";
  EXPECT_TRUE(same_bits(c, std::get<2>(expected)));
  const auto all = g(u, v);
  EXPECT_EQ(all.size(), 3u);
  EXPECT_EQ(message([&] { np::sum(all); }),
            "[load_function] the function returns 3 arrays: got a conversion to one, expected an index or "
            "call<std::tuple<...>>().");
}

namespace {

// Two graphs: the truth of a sum decides.
np::array two_ways(const np::array& x) {
  np::array y = x * 2.0;
  if (np::sum(y) > 0.0) return np::sqrt(np::abs(y)) + 1.0;
  return y - 1.0;
}
constexpr int two_ways_line = __LINE__ - 3;

np::array halve_until_small(np::array x) {
  while (np::max(x).item() > 1.0) x = x * 0.5;
  return x;
}

}  // namespace

TEST(Export, A_read_value_decides_between_the_examples) {
  BundleFile file;
  const np::array positive = ramp(6) + 1.0, negative = positive * -1.0;
  np::export_function(two_ways, std::vector{std::tuple(positive), std::tuple(negative)}, file.path, with_kernels());
  const auto g = np::load_function(file.path);
  EXPECT_TRUE(same_bits(g(positive), two_ways(positive)));
  EXPECT_TRUE(same_bits(g(negative), two_ways(negative)));
  const np::array other = np::cos(ramp(6));
  EXPECT_TRUE(same_bits(g(other), two_ways(other)));
  EXPECT_EQ(g.inputs().size(), 1u) << "both examples are one kind of arguments";
  EXPECT_NE(g.str().find("bool() of value"), std::string::npos) << g.str();
}

TEST(Export, A_value_that_no_example_read_is_named) {
  BundleFile file;
  np::export_function(two_ways, std::tuple(ramp(6)), file.path, with_kernels());
  const auto g = np::load_function(file.path);
  EXPECT_EQ(message([&] { g(ramp(6) * -1.0); }),
            "[f] bool() at " + at_line(two_ways_line) +
                " reads a value that no exported example had: got false, expected one of: true. Add an example that "
                "reads it to np::export_function.");
  // The call is complete or it did not happen: the function goes on working.
  EXPECT_TRUE(same_bits(g(ramp(6)), two_ways(ramp(6))));
}

TEST(Export, A_loop_that_reads_numbers) {
  BundleFile file;
  auto example = [](double top) { return std::tuple(np::array{0.25, top}); };
  np::export_function(halve_until_small, std::vector{example(8), example(2), example(0.5)}, file.path, with_kernels());
  const auto g = np::load_function(file.path);
  for (double top : {8.0, 2.0, 0.5})
    EXPECT_TRUE(same_bits(g(np::array{0.25, top}), halve_until_small(np::array{0.25, top})));
  const std::string text = message([&] { g(np::array{0.25, 4.0}); });
  EXPECT_NE(text.find("item() at " __FILE__), std::string::npos) << text;
  EXPECT_NE(text.find("got 4, expected one of: 8, 2, 0.5"), std::string::npos) << text;
}

TEST(Export, Breaks_without_effect_split_the_graphs_and_no_more) {
  BundleFile file;
  auto f = [](np::array x) {
    np::array y = np::exp(x);
    np::graph_break("two graphs");
    x(0) = 7.0;
    y.eval();
    return np::sum(y * x);
  };
  np::export_function(f, std::tuple(noise(9)), file.path, with_kernels());
  const auto g = np::load_function(file.path);
  np::array a = noise(9), b = noise(9);
  EXPECT_TRUE(same_bits(g(a), f(b)));
  EXPECT_TRUE(same_bits(a, b));
  std::size_t graphs = 0, at = 0;
  const std::string text = g.str();
  while ((at = text.find("graph of", at)) != std::string::npos) ++graphs, ++at;
  EXPECT_EQ(graphs, 2u) << text;
}

TEST(Export, Breaks_with_effects_are_errors_at_their_place) {
  BundleFile file;
  auto place = [&](auto f) {
    try {
      np::export_function(f, std::tuple(ramp(3)), file.path);
    } catch (const np::GraphBreakError& e) {
      return e.code() + " " + std::string(e.what());
    }
    return std::string("no error");
  };
  const int line = __LINE__ + 2;
  const std::string off = place([](const np::array& x) {
    np::disable_scope scope({.reason = "prints"});
    return x + 1;
  });
  EXPECT_EQ(off.substr(0, off.find("\nGraph Break Reason")),
            "NJ0007 [export_function] a bundle can't hold what happens at this break.\n"
            "Graph break in user code at " + at_line(line));
  EXPECT_EQ(place([](const np::array& x) { return np::array(std::stod((x + 1).str().substr(1, 1))); }).substr(0, 6),
            "NJ0004");
  EXPECT_EQ(place([](const np::array& x) { return x + x.tolist<double>()[0]; }).substr(0, 6), "NJ0003");
  EXPECT_EQ(place([](const np::array& x) { return x + static_cast<double>(np::npy_bytes(x + 1).size()); }).substr(0, 6),
            "NJ0006");
  EXPECT_EQ(place([](const np::array& x) { return x * np::array(x(x > 1)).size(); }).substr(0, 6), "NJ0005");
  // A body that catches the error gains nothing.
  EXPECT_EQ(place([](const np::array& x) {
              try {
                return x + x.data<double>()[0];
              } catch (const np::error&) {
                return x + 1.0;
              }
            }).substr(0, 6),
            "NJ0003");
  EXPECT_FALSE(std::filesystem::exists(file.path));
}

TEST(Export, Lengths_that_depend_on_data_stay_open) {
  SKIP_WITHOUT_CODE_GENERATOR();
  BundleFile file;
  auto f = [](const np::array& x, const np::array& y) {
    auto m = x > 0;
    np::array a = x(m), b = y(m), bin = (np::abs(x) * 4).astype(np::int64);
    auto h = np::histogram(x, 5);
    auto u = np::unique_all(bin);
    auto windows = np::lib::sliding_window_view(x * 2, 3);
    return std::vector<np::array>{
        a * b, np::mean(b), np::concatenate({a, b * 2}), a(np::_, np::newaxis), np::nonzero(m)[0], np::sum(x(x > 1)),
        np::bincount(bin) * 2, np::bincount(np::minimum(bin, 5), {}, 6).reshape(2, 3) + 1, np::repeat(x, bin),
        u.values * u.counts, h.counts + h.edges(np::slice(1, np::none)), np::sum(windows, {.axis = 1}),
        np::searchsorted(np::sort(x), x) + np::digitize(x, h.edges)};
  };
  const np::array x = noise(40), y = np::cos(ramp(40));
  np::export_function(f, std::tuple(x, y), file.path);
  const auto g = np::load_function(file.path);
  for (double shift : {0.0, 1.0, -9.0, 9.0, -3.3, 0.5, 0.0}) {
    const auto expected = f(x + shift, y), got = g.call<std::vector<np::array>>(x + shift, y);
    ASSERT_EQ(got.size(), expected.size());
    for (std::size_t i = 0; i < got.size(); ++i) EXPECT_TRUE(same_bits(got[i], expected[i])) << i << " " << shift;
  }
}

TEST(Export, Captured_arrays_and_literals_are_constants) {
  BundleFile file;
  np::array weights = noise(12).reshape(3, 4);
  auto f = [&](const np::array& x) {
    return std::vector<np::array>{np::matmul(weights, x) + np::array{1.0, 2.0, 4.0}, weights(1), weights};
  };
  np::export_function(f, std::tuple(ramp(4)), file.path, with_kernels());
  const auto g = np::load_function(file.path);
  const auto expected = f(ramp(4));
  weights(np::slice(np::none, np::none)) = 0.0;
  for (int round = 0; round < 2; ++round) {
    const auto got = g.call<std::vector<np::array>>(ramp(4));
    ASSERT_EQ(got.size(), 3u);
    EXPECT_TRUE(same_bits(got[0], expected[0]));
    if (round == 0) {
      got[1].data<double>()[0] = 1e9;  // the caller's own
      got[2].data<double>()[0] = 1e9;
    }
  }
}

TEST(Export, Stores_into_captured_arrays_are_refused) {
  BundleFile file;
  np::array state = np::zeros({3});
  const int line = __LINE__ + 2;
  auto f = [&](const np::array& x) {
    state += x;
    return state * 2.0;
  };
  EXPECT_EQ(message([&] { np::export_function(f, std::tuple(ramp(3)), file.path); }),
            "[export_function] " + file.path + ": " + at_line(line) +
                " stores into an array that is no argument: got a captured array, or one made from values. Pass it "
                "as an argument, or store into a copy.");
}

TEST(Export, Plain_arguments_keep_their_values) {
  BundleFile file;
  auto f = [](const np::array& x, double a, const std::string& how) { return how == "times" ? x * a : x + a; };
  np::export_function(f, std::vector{std::tuple(ramp(3), 2.5, std::string("times")),
                                     std::tuple(ramp(3), 2.5, std::string("plus"))},
                      file.path, with_kernels());
  const auto g = np::load_function(file.path);
  EXPECT_EQ(values(g(ramp(3), 2.5, std::string("times"))), (std::vector<double>{0, 2.5, 5}));
  EXPECT_EQ(values(g(ramp(3), 2.5, std::string("plus"))), (std::vector<double>{2.5, 3.5, 4.5}));
  EXPECT_THROW(g(ramp(3), 2.0, std::string("plus")), np::ValueError);
  EXPECT_NE(message([&] { g.run({ramp(3)}); }).find("plain arguments with several known values"), std::string::npos);
}

TEST(Export, What_a_bundle_can_not_express_is_a_type_error) {
  BundleFile file;
  struct Closed {
    np::array a;
  };
  auto refused = [&](auto f, auto... args) {
    try {
      np::export_function(f, std::tuple(args...), file.path);
    } catch (const np::TypeError& e) {
      const std::string text = e.what();
      return text.substr(text.find(": ") + 2, text.find(". Expected") - text.find(": ") - 2);
    }
    return std::string("no error");
  };
  EXPECT_EQ(refused([](const Closed& c) { return c.a + 1.0; }, Closed{ramp(2)}),
            "an argument has a type whose arrays can't be seen");
  EXPECT_EQ(refused([](const np::array& x) { return x.ndim(); }, ramp(2)),
            "the result holds something else than arrays (return numbers as 0-D arrays)");
  EXPECT_EQ(refused([](const np::array& x) { return x; }, 1.5),
            "the function can't be called with the example's arguments");
  EXPECT_EQ(message([&] { np::export_function([](const np::array& x) { return x; }, std::tuple(np::array()), file.path); }),
            "[export_function] " + file.path + ": argument 0 is an empty handle: expected an array.");
  EXPECT_EQ(message([&] {
              np::export_function([](np::array& x) { x = x + 1.0; }, std::tuple(ramp(2)), file.path);
            }),
            "[export_function] " + file.path +
                ": the function rebinds argument 0, which no caller of a bundle would see. Return the array instead.");
  EXPECT_EQ(message([&] { np::export_function(two_ways, {ramp(2)}, file.path, {.targets = {"riscv"}}); }),
            "[export_function] unknown target: got 'riscv', expected host, x86-64-v2, x86-64-v3, x86-64-v4, or a device as "
            "'cuda' or 'opencl'.");
  EXPECT_EQ(message([&] { np::export_function(two_ways, {ramp(2)}, "/nowhere/f.npj", {.targets = {}}); }),
            "[export_function] /nowhere/f.npj: No such file or directory");
}

TEST(Export, A_function_that_depends_on_more_than_its_arguments_is_caught) {
  BundleFile file;
  double factor = 1.0;
  const int line = __LINE__ + 1;
  auto f = [&](const np::array& x) { return x * (factor += 1.0); };
  EXPECT_EQ(message([&] { np::export_function(f, std::vector{std::tuple(ramp(3)), std::tuple(ramp(3))}, file.path); }),
            "[export_function] " + file.path +
                ": two examples with arguments of one kind do different things although they read the same values, "
                "before " + at_line(line) +
                ". The function must depend on its arguments only.");
}

TEST(Export, All_forms_of_the_call) {
  BundleFile file;
  auto f = [](const np::array& x, const np::array& y) { return x * y; };
  auto check = [&] { EXPECT_EQ(values(np::load_function(file.path)(ramp(3), ramp(3))), (std::vector<double>{0, 1, 4})); };
  np::export_function(f, std::tuple(ramp(3), ramp(3)), file.path, {.targets = {}});
  check();
  np::export_function(f, {ramp(3), ramp(3)}, file.path, {.targets = {}});
  check();
  np::export_function(np::compile(f), std::vector{std::tuple(ramp(3), ramp(3))}, file.path, {.targets = {}, .name = "product"});
  check();
  EXPECT_EQ(np::load_function(file.path).name(), "product");
  auto g = [](const np::array& x) { return x * x; };
  SKIP_WITHOUT_CODE_GENERATOR();
  np::export_function(f, ramp(3), ramp(3), file.path);
  check();
  np::export_function(f, {ramp(3), ramp(3)}, file.path.c_str());
  check();
  np::export_function(g, {ramp(3)}, file.path.c_str());
  EXPECT_EQ(values(np::load_function(file.path)(ramp(3))), (std::vector<double>{0, 1, 4}));
  np::export_function(g, ramp(4), file.path.c_str());
  EXPECT_EQ(values(np::load_function(file.path)(ramp(4))), (std::vector<double>{0, 1, 4, 9}));
}

TEST(Export, Inside_a_compiled_function_and_from_many_threads) {
  BundleFile file;
  np::export_function(two_ways, {ramp(50)}, file.path, with_kernels());
  const auto g = np::load_function(file.path);
  auto outer = np::compile([&](const np::array& x) { return np::array(g(x + 1.0)) * 2.0; });
  EXPECT_TRUE(same_bits(outer(ramp(50)), two_ways(ramp(50) + 1.0) * 2.0));
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < 50; ++i) {
        const np::array x = ramp(50) + static_cast<double>(t * 50 + i);
        wrong += !same_bits(g(x), two_ways(x));
      }
    });
  for (auto& t : threads) t.join();
  EXPECT_EQ(wrong, 0);
}

TEST(Export, Overlapping_arguments_are_told_apart) {
  BundleFile file;
  auto f = [](np::array x, const np::array& y) { x += y(np::slice(np::none, np::none, -1)); };
  np::export_function(f, {ramp(4), ramp(4)}, file.path, with_kernels());
  const auto g = np::load_function(file.path);
  np::array x = ramp(4);
  g(x, ramp(4));
  EXPECT_EQ(values(x), (std::vector<double>{3, 3, 3, 3}));
  EXPECT_NE(message([&] { g(x, x); }).find("the arguments share memory in another way"), std::string::npos);
  // An example with one array twice.
  np::export_function(f, {x, x}, file.path, with_kernels());
  const auto h = np::load_function(file.path);
  np::array y = ramp(4), z = ramp(4);
  h(y, y);
  f(z, z);
  EXPECT_TRUE(same_bits(y, z));
  EXPECT_THROW(h(y, z), np::ValueError);
}

TEST(Export, Files_that_are_no_bundle) {
  BundleFile file;
  const std::string there = "[load_function] " + file.path + ": ";
  auto error = [&] { return message([&] { np::load_function(file.path); }); };
  auto write = [&](const std::string& bytes) { std::ofstream(file.path, std::ios::binary) << bytes; };
  EXPECT_EQ(error(), there + "No such file or directory");
  write("");
  EXPECT_EQ(error(), there + "not a numjit bundle");
  write("\x93NUMPY and so on");
  EXPECT_EQ(error(), there + "not a numjit bundle");
  np::export_function(two_ways, {ramp(3)}, file.path, {.targets = {}});
  std::stringstream whole;
  whole << std::ifstream(file.path, std::ios::binary).rdbuf();
  const std::string bytes = whole.str();
  write(bytes.substr(0, 20));
  EXPECT_EQ(error(), there + "cut short: got 20 bytes, less than a header");
  write(bytes.substr(0, bytes.size() - 7));
  EXPECT_EQ(error(), there + "cut short: got " + std::to_string(bytes.size() - 7) + " bytes, expected " +
                         std::to_string(bytes.size()));
  auto with = [&](std::size_t at, char c) {
    std::string changed = bytes;
    changed[at] = c;
    return changed;
  };
  write(with(8, 2));
  EXPECT_EQ(error(), there + "written by a newer numjit: format 2, this one reads up to 1. Update numjit.");
  write(with(bytes.size() / 2, static_cast<char>(bytes[bytes.size() / 2] ^ 1)));
  EXPECT_EQ(error(), there + "damaged: its checksum differs");
  write(bytes + "more");
  EXPECT_EQ(error(), there + "damaged: its checksum differs");
  write(bytes);
  chmod(file.path.c_str(), 0666);
  EXPECT_EQ(error(), there + "every user may write it (mode 0666), and it holds code that would run. Take that right "
                             "away: chmod o-w.");
}

TEST(Export, Damaged_bundles_are_errors_never_crashes) {
  BundleFile file;
  np::export_function(two_ways, std::vector{std::tuple(ramp(3)), std::tuple(ramp(3) * -1.0)}, file.path,
                      {.targets = {}});
  std::stringstream whole;
  whole << std::ifstream(file.path, std::ios::binary).rdbuf();
  const std::string bytes = whole.str();
  std::mt19937 random(11);
  int refused = 0;
  for (int round = 0; round < 400; ++round) {
    std::string damaged = bytes;
    if (round % 2) damaged.resize(random() % damaged.size());
    for (unsigned flips = round % 2 ? 0 : 1 + random() % 4; flips > 0; --flips)
      damaged[random() % damaged.size()] ^= static_cast<char>(1 << random() % 8);
    if (damaged == bytes) continue;
    std::ofstream(file.path, std::ios::binary) << damaged;
    EXPECT_THROW(np::load_function(file.path), np::OSError) << round;
    ++refused;
  }
  EXPECT_GT(refused, 390);
}

// Checksums that fit, as a liar would make them: the program itself is checked.
TEST(Export, Programs_that_lie_are_errors_never_crashes) {
  BundleFile file;
  auto f = [](np::array x, const np::array& y) {
    x(np::slice(1, np::none)) += 1.5;
    if (np::sum(y) > 2.0) return np::sum(x.reshape(2, 2) + np::arange(2.0), {.axis = 0}) + np::array{5.0, 6.0};
    return np::zeros({2});
  };
  np::array y = ramp(5);
  np::mark_dynamic(y, 0);
  np::export_function(f, std::tuple(ramp(4), y), file.path, {.targets = {}});
  const numjit::runtime::Bundle bundle = numjit::runtime::read_bundle(file.path);
  // Sizes that are made up must not become memory.
  const np::config_scope limit({.memory_limit = 256 << 20});
  std::mt19937 random(5);
  int refused = 0, ran = 0;
  for (int round = 0; round < 500; ++round) {
    numjit::runtime::Bundle changed = bundle;
    auto& section = changed.sections[round % 8 ? 0 : random() % changed.sections.size()];
    if (section.bytes.empty()) continue;
    // Digits become other digits: sizes, counts, references, parameters.
    for (int flips = 0; flips < 2; ++flips) {
      std::size_t at = random() % section.bytes.size();
      for (int tries = 0; tries < 200 && !std::isdigit(static_cast<unsigned char>(section.bytes[at])); ++tries)
        at = random() % section.bytes.size();
      section.bytes[at] = round % 3 ? static_cast<char>('0' + random() % 10) : static_cast<char>(random());
      if (round % 5 == 0) section.bytes.insert(section.bytes.begin() + static_cast<std::ptrdiff_t>(at), '9');
    }
    numjit::runtime::write_bundle(changed);
    try {
      const auto g = np::load_function(file.path);
      g(ramp(4), ramp(5));
      ++ran;
    } catch (const np::error&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 100);
  EXPECT_GT(ran, 20);
}

namespace {

// What a process without PATH, cache and compiler makes of a bundle.
std::string in_another_process(const std::string& bundle, int n, const std::string& folder) {
  std::string text;
  numjit::detail::run_program({NUMJIT_TEST_BUILD_DIR "/bin/tests/programs/run_bundle", bundle, std::to_string(n)}, &text,
                              {"PATH=", "NUMJIT_CACHE_DIR=" + folder + "/cache", "NUMJIT_LOGS="});
  return text;
}

std::string hash_of(const np::array& a) {
  const np::array c = a.copy();
  return numjit::to_hex(numjit::hash_bytes(c.data<double>(), static_cast<std::size_t>(c.nbytes())));
}

}  // namespace

TEST(Export, A_process_without_compiler_computes_the_same_bits) {
  SKIP_WITHOUT_CODE_GENERATOR();
  BundleFile file;
  const std::string folder = std::filesystem::path(file.path).parent_path();
  auto whole = [](const np::array& x) { return np::sqrt(np::abs(x)) * 3.0 + np::exp(x); };
  const np::array x = np::sin(ramp(5000));
  np::export_function(whole, {x}, file.path);
  const std::string none = ", compiled 0, ops one by one 0\n";
  EXPECT_EQ(in_another_process(file.path, 5000, folder), "hash " + hash_of(whole(x)) + "\nkernels loaded 1" + none);
  // Two graphs, a read between them, and a kernel of a reduction in the first.
  auto two = [](const np::array& v) {
    const np::array y = v * 0.5;
    if (np::max(y).item() > 0.25) return np::tanh(y) - v;
    return y;
  };
  np::export_function(two, {x}, file.path);
  const std::string text = in_another_process(file.path, 5000, folder);
  EXPECT_EQ(text.substr(0, text.find('\n')), "hash " + hash_of(two(x)));
  EXPECT_NE(text.find(none), std::string::npos) << text;
  EXPECT_EQ(text.find("loaded: "), std::string::npos) << text;
  const auto compiled = np::compile(two);
  EXPECT_EQ(hash_of(compiled(x)), hash_of(two(x)));
}

TEST(Export, Kernels_for_named_targets) {
  SKIP_WITHOUT_CODE_GENERATOR();
  BundleFile file;
  const std::string folder = std::filesystem::path(file.path).parent_path();
  auto f = [](const np::array& x) { return np::exp(x) * 2.0 + x; };
  const np::array x = np::sin(ramp(100));
  np::export_function(f, {x}, file.path, {.targets = {"x86-64-v2", "x86-64-v3"}});
  EXPECT_EQ(in_another_process(file.path, 100, folder),
            "hash " + hash_of(f(x)) + "\nkernels loaded 1, compiled 0, ops one by one 0\n");
  // A processor that the bundle is not for: the text of its target names features that none has.
  for (const char* level : {"x86-64-v2", "x86-64-v3"}) ASSERT_TRUE(replace_in_bundle(file.path, level, "x86-64-v9"));
  const std::string error = message([&] { np::load_function(file.path); });
  EXPECT_EQ(error.substr(0, error.find(", this one is")),
            "[load_function] " + file.path + ": its kernels are for other processors: got x86-64-v9");
  EXPECT_THROW(np::load_function(file.path), np::DeviceError);
}

TEST(Export, Kernels_that_can_not_be_made_are_an_error) {
  SKIP_WITHOUT_CODE_GENERATOR();
  BundleFile file;
  auto f = [](const np::array& x) { return np::log1p(x) * 7.25 + np::sinh(x); };
  const np::config_scope no_cache({.cache_dir = "off"});
  numjit::detail::inject_fault("link");
  const std::string text = message([&] { np::export_function(f, {ramp(9)}, file.path); });
  numjit::detail::inject_fault("");
  const std::string begin = "[export_function] " + file.path + ": kernel nj_";
  EXPECT_EQ(text.substr(0, begin.size()), begin);
  const std::string end = "fault injected into link. A bundle without kernels, whose operations run one by one, needs "
                          "no compiler: export with .targets = {}.";
  const std::size_t repro = text.find(" Reproduce it: numjit repro ");
  ASSERT_NE(repro, std::string::npos) << text;
  EXPECT_EQ(text.substr(repro - end.size(), end.size()), end);
  EXPECT_FALSE(std::filesystem::exists(file.path));
}

TEST(Export, Without_targets_a_bundle_runs_one_by_one) {
  BundleFile file;
  const std::string folder = std::filesystem::path(file.path).parent_path();
  auto f = [](const np::array& x) { return np::exp(x) * 2.0 + x; };
  const np::array x = np::sin(ramp(100));
  np::export_function(f, {x}, file.path, {.targets = {}});
  const std::string text = in_another_process(file.path, 100, folder);
  EXPECT_EQ(text, "hash " + hash_of(f(x)) + "\nkernels loaded 0, compiled 0, ops one by one 3\n");
}
