// Memory that others see is never stale in a compiled function: pointers, spans, owners, tensors, files.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <numeric>
#include <vector>

#include <unistd.h>

#include <numjit/dlpack.h>
#include <numjit/dlpack_layout.h>
#include <numjit/interop.h>
#include <numjit/np.h>

#if __has_include(<Eigen/Core>)
#include <numjit/eigen.h>
#endif

namespace np = numjit;
using testing::HasSubstr;

namespace {

// What a body gives plainly, and three times compiled.
template <class F>
void expect_same(F body, const std::function<np::array()>& argument) {
  const std::vector<double> plain = body(argument());
  auto compiled = np::compile(body);
  for (int call = 0; call < 3; ++call) EXPECT_EQ(compiled(argument()), plain) << call;
}

np::array numbers() { return np::arange(4.0); }

int graphs_of(const np::array& x) {
  auto step = [](np::array a) {
    a += 1;
    a *= 2;
    return np::sum(a);
  };
  return np::explain(np::compile(step))(x).graph_count;
}

}  // namespace

TEST(ShownMemory, spans_and_pointers_taken_inside) {
  expect_same(
      [](np::array a) {
        const auto s = np::as_span<double>(a);
        a += 1;
        return std::vector<double>{s[0], s[3]};
      },
      numbers);
  expect_same(
      [](np::array a) {
        const double* p = a.data<double>();
        a(np::slice(1, 3)) *= 5;
        a(0) = 9.0;
        return std::vector<double>(p, p + 4);
      },
      numbers);
  expect_same(
      [](np::array a) {
        const auto* p = static_cast<const double*>(a.raw_data());
        a(a > 1) = 7.0;
        return std::vector<double>(p, p + 4);
      },
      numbers);
  expect_same(
      [](np::array a) {  // of a result
        np::array y = a * 2;
        double* p = y.data<double>();
        y -= 1;
        std::vector<double> seen(p, p + 4);
        p[0] = 50;
        const np::array z = y + 0;
        p[0] = 60;
        seen.push_back(z.item(0));
        return seen;
      },
      numbers);
  expect_same(
      [](np::array a) {  // of a view, read before the span stores
        np::array part = a(np::slice(1, np::none));
        const auto s = np::as_span<double>(part);
        const np::array sum = np::sum(a), twice = part * 2;
        s[0] = 100;
        return std::vector<double>{sum.item(), twice.item(0), np::sum(a).item()};
      },
      numbers);
  expect_same(
      [](np::array a) {  // taken where nothing is recorded
        const double* p = nullptr;
        {
          np::disable_scope off;
          p = a.data<double>();
        }
        a += 1;
        return std::vector<double>(p, p + 4);
      },
      numbers);
}

TEST(ShownMemory, addresses_count_until_the_call_ends) {
  np::array x = numbers();
  auto f = np::compile([](const np::array& a) { return *a.data<double>(); });
  f(x);
  EXPECT_EQ(graphs_of(x), 1);
  const double* p = x.data<double>();
  EXPECT_EQ(graphs_of(x), 1);
  np::share(x);
  EXPECT_GT(graphs_of(x), 1);
  EXPECT_EQ(graphs_of(x.copy()), 1);
  auto g = np::compile([p](np::array a) {
    a += 1;
    return *p;
  });
  const double before = *p;
  EXPECT_EQ(g(x), before + 1);
  EXPECT_EQ(g(x), before + 2);
}

TEST(ShownMemory, temporaries_whose_addresses_are_taken_are_not_held) {
  auto f = np::compile([](const np::array& a) {
    double sum = 0;
    for (int i = 0; i < 100; ++i) sum += *(a + i).data<double>();
    return sum;
  });
  EXPECT_EQ(f(np::zeros(3)), 4950);
}

TEST(ShownMemory, owners) {
  auto kept = std::make_shared<std::vector<double>>(std::vector<double>{1, 2, 3});
  np::array x = np::as_array(kept->data(), {3}, kept);
  EXPECT_GT(graphs_of(x), 1);
  auto add = np::compile([&](np::array a) {
    a += 1;
    return (*kept)[0];
  });
  const double before = (*kept)[0];
  EXPECT_EQ(add(x), before + 1);
  kept.reset();
  EXPECT_EQ(graphs_of(x), 1);
  EXPECT_EQ(graphs_of(np::as_array(std::vector<double>{1, 2, 3})), 1);  // taken over
  std::vector<double> mine{1, 2, 3};
  np::array shown = np::as_array(std::span(mine));
  EXPECT_GT(graphs_of(shown), 1);
  auto read = np::compile([&](const np::array& a) {
    const np::array y = a * 2;
    mine[0] = 100;
    return y.item(0);
  });
  for (int call = 0; call < 3; ++call) {
    mine[0] = 4;
    EXPECT_EQ(read(shown), 8);
  }
}

TEST(ShownMemory, tensors_count_while_they_live) {
  np::array x = numbers();
  auto* t = reinterpret_cast<np::detail::dl::ManagedVersioned*>(np::to_dlpack(x));
  EXPECT_GT(graphs_of(x), 1);
  auto f = np::compile([&](np::array a) {
    a += 1;
    return *static_cast<double*>(t->tensor.data);
  });
  const double before = x.item(0);
  EXPECT_EQ(f(x), before + 1);
  t->deleter(t);
  EXPECT_EQ(graphs_of(x), 1);
}

TEST(ShownMemory, files) {
  const auto path = std::filesystem::temp_directory_path() / ("numjit_shown_" + std::to_string(getpid()));
  np::array x = np::memmap(path.string(), {.dtype = np::float64, .mode = "w+", .shape = np::dims{4}});
  auto first = [&] {
    double value = 0;
    std::ifstream(path, std::ios::binary).read(reinterpret_cast<char*>(&value), sizeof value);
    return value;
  };
  auto f = np::compile([&](np::array a) {
    a += 3;
    return first();
  });
  EXPECT_EQ(f(x), 3);
  EXPECT_EQ(f(x), 6);
  EXPECT_GT(graphs_of(x), 1);
  EXPECT_EQ(graphs_of(np::memmap(path.string(), {.dtype = np::float64, .mode = "c"})), 1);
  std::filesystem::remove(path);
}

#if __has_include(<Eigen/Core>)
TEST(ShownMemory, maps_of_Eigen_count_while_they_live) {
  np::array x = np::zeros({2, 2});
  {
    auto m = np::to_eigen<double>(x);
    auto f = np::compile([&](np::array a) {
      a += 1;
      const np::array y = a * 2;
      m(0, 0) = 5;
      return y.item(0) + m(1, 1);
    });
    EXPECT_EQ(f(x), 3);
    EXPECT_GT(graphs_of(x), 1);
  }
  EXPECT_EQ(graphs_of(x), 1);
}
#endif

TEST(ShownMemory, cuts_are_told_and_are_no_breaks) {
  np::array x = numbers();
  np::share(x);
  auto f = np::compile(
      [](np::array a) {
        a += 1;
        return a * 2;
      },
      {.fullgraph = true});
  np::budget limit({.max_breaks = 0});
  const auto report = np::explain(f)(x);
  EXPECT_EQ(report.graph_break_count, 0);
  ASSERT_EQ(report.cut_reasons.size(), report.cuts);
  EXPECT_THAT(report.cut_reasons[0].reason,
              testing::MatchesRegex("shown by np::share at .*shown_memory_test.cpp:[0-9]+: runs at its line"));
  EXPECT_THAT(report.str(), HasSubstr("cuts, which are not graph breaks"));
}

TEST(ShownMemory, replay_promises_array_work_only) {
  int runs = 0;
  auto f = np::compile(
      [&](np::array a) {
        ++runs;
        a += 1;
        return a * 2;
      },
      {.mode = np::mode::replay});
  np::array x = np::zeros(3);
  const double* p = x.data<double>();
  f(x);
  np::share(x);
  for (int call = 2; call < 5; ++call) {
    EXPECT_EQ(f(x).item(0), 2.0 * call);
    EXPECT_EQ(*p, call);
  }
  EXPECT_EQ(runs, 1);
}
