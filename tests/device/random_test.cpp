// Random numbers that an OpenCL device draws: the host's numbers, its generator's state afterwards, and nothing that the
// host does.
#include <functional>
#include <string>
#include <vector>

#include <device/opencl.h>

namespace {

namespace np = numjit;
using numjit::testing::expect_same;
using np::random::Generator;
using np::random::Philox;

class OpenClRandom : public numjit::testing::OnOpenCl {};

std::int64_t host_draws() {
  for (const auto& w : np::device_host_work())
    if (w.op == "random_draw") return w.count;
  return 0;
}

void expect_same_state(const np::random::BitGenerator& want, const np::random::BitGenerator& got) {
  const auto a = want.state(), b = got.state();
  EXPECT_EQ(a.state, b.state);
  EXPECT_EQ(a.key, b.key);
  EXPECT_EQ(a.buffer, b.buffer);
  EXPECT_EQ(a.pos, b.pos);
  EXPECT_EQ(a.has_uint32, b.has_uint32);
  EXPECT_EQ(a.uinteger, b.uinteger);
}

using draw = std::function<np::array(const Generator&)>;

/// One draw after the other on the host and on the device, from generators that begin alike.
void expect_same_draws(const std::vector<draw>& draws, const Philox& seeded = Philox(7)) {
  Philox here = seeded, there(1);
  there.set_state(here.state());
  const Generator host(here), device(there);
  for (std::size_t i = 0; i < draws.size(); ++i) {
    SCOPED_TRACE(i);
    const np::array want = draws[i](host);
    auto compiled = np::compile([&] { return draws[i](device); });
    const std::int64_t before = host_draws();
    np::array got;
    {
      np::device scope(np::testing::device_kind());
      got = compiled();
    }
    EXPECT_EQ(got.device(), np::testing::device_name());
    EXPECT_EQ(host_draws(), before);
    expect_same(want, got);
    expect_same_state(here, there);
  }
}

TEST_F(OpenClRandom, UniformNumbersOfAllLengths) {
  std::vector<draw> draws;
  for (const std::int64_t n : {1, 2, 3, 4, 5, 8, 1, 255, 256, 257, 1000, 100003}) {
    draws.push_back([n](const Generator& g) { return g.random(n); });
    draws.push_back([n](const Generator& g) { return g.uniform(-3.5, 4.25, n); });
    draws.push_back([n](const Generator& g) { return g.random(n, {.dtype = np::float32}); });
  }
  draws.push_back([](const Generator& g) { return g.random({3, 5, 7}); });
  expect_same_draws(draws);
}

TEST_F(OpenClRandom, IntegersOfSeveralDtypes) {
  std::vector<draw> draws;
  for (const np::dtype& type : {np::dtype(np::uint16), np::dtype(np::int32)})
    draws.push_back(
        [=](const Generator& g) { return g.integers(0, 64, {.size = 1001, .dtype = type}); });  // no unit is passed over
  for (const np::dtype& type : {np::dtype(np::uint8), np::dtype(np::int64)})
    draws.push_back(
        [=](const Generator& g) { return g.integers(3, 103, {.size = 1003, .dtype = type}); });  // some of the short ones are
  for (const np::dtype& type : {np::dtype(np::int8), np::dtype(np::int64)})
    draws.push_back([=](const Generator& g) { return g.integers(-100, 100, {.size = 77, .dtype = type}); });
  draws.push_back([](const Generator& g) { return g.integers(0, 2, {.size = 1001, .dtype = np::bool_}); });
  draws.push_back([](const Generator& g) { return g.integers(0, 256, {.size = 13, .dtype = np::uint8}); });
  draws.push_back([](const Generator& g) { return g.integers(0, 4294967296, {.size = 13, .dtype = np::uint32}); });
  expect_same_draws(draws);
}

TEST_F(OpenClRandom, UnitsThatArePassedOver) {
  std::vector<draw> draws;
  for (const std::int64_t n : {1, 2, 17, 1000, 20001}) {
    draws.push_back([n](const Generator& g) { return g.integers(0, 129, {.size = n, .dtype = np::uint8}); });
    draws.push_back([n](const Generator& g) { return g.integers(0, 33000, {.size = n, .dtype = np::uint16}); });
    draws.push_back([n](const Generator& g) { return g.integers(0, 2147483649, n); });
    draws.push_back([n](const Generator& g) { return g.integers(-3, 6148914691236517205, n); });
    draws.push_back([n](const Generator& g) { return g.integers(0, 9223372036854775807, {.size = n, .endpoint = true}); });
  }
  expect_same_draws(draws);
}

TEST_F(OpenClRandom, CountersCarry) {
  Philox seeded(3);
  auto state = seeded.state();
  state.state = {~0ull - 2, ~0ull, ~0ull, 5};
  state.pos = 4;
  seeded.set_state(state);
  expect_same_draws({[](const Generator& g) { return g.random(7); }, [](const Generator& g) { return g.random(1000); }}, seeded);
}

TEST_F(OpenClRandom, FuseIntoProgramsOnArraysOfTheDevice) {
  Philox here(11), there(11);
  const auto noisy = [](const Generator& g) {
    return [&g](const np::array& x) { return np::cumsum(x + g.random(x.shape(0)) * 0.5); };
  };
  const Generator host(here), device(there);
  const np::array x = numjit::testing::numbers(5000), y = x.to(np::testing::device_kind());
  auto f = np::compile(noisy(device));
  for (int i = 0; i < 4; ++i) {  // the second and later calls must draw anew
    const np::array got = f(y);
    EXPECT_EQ(got.device(), np::testing::device_name());
    expect_same(noisy(host)(x), got);
  }
  expect_same_state(here, there);
}

// What is drawn otherwise is the host's, counted, with the same numbers.
TEST_F(OpenClRandom, OtherDrawsAreTheHosts) {
  const std::vector<draw> draws = {[](const Generator& g) { return g.standard_normal(9); },
                                   [](const Generator& g) { return g.integers(4, 5, 3); },
                                   [](const Generator& g) { return g.integers(0, np::array({5, 6}), 2); }};
  for (const draw& d : draws) {
    Philox here(5), there(5);
    const Generator host(here), device(there);
    auto compiled = np::compile([&] { return d(device); });
    const np::array want = d(host);
    const std::int64_t before = host_draws();
    np::device scope(np::testing::device_kind());
    expect_same(want, compiled());
    EXPECT_EQ(host_draws(), before + 1);
    expect_same_state(here, there);
  }
  // So are those of generators whose numbers are no functions of a counter.
  const Generator pcg = np::random::default_rng(1), same = np::random::default_rng(1);
  auto compiled = np::compile([&] { return pcg.random(9); });
  const std::int64_t before = host_draws();
  np::array got;
  {
    np::device scope(np::testing::device_kind());
    got = compiled();
  }
  expect_same(same.random(9), got);
  EXPECT_EQ(host_draws(), before + 1);
}

// Words that are left over in a state which somebody set need not be those of its counter: the host knows them.
TEST_F(OpenClRandom, WordsThatSomebodySetAreUsed) {
  Philox here(5), there(5);
  auto state = here.state();
  state.buffer = {1ull << 60, 2ull << 60, 3ull << 60, 4ull << 60};
  state.pos = 1;
  here.set_state(state), there.set_state(state);
  const Generator host(here), device(there);
  auto compiled = np::compile([&] { return device.random(9); });
  np::array got;
  {
    np::device scope(np::testing::device_kind());
    got = compiled();
  }
  const np::array want = host.random(9);
  expect_same(want, got);
  EXPECT_EQ(want(0).item<double>(), 0.125);
  expect_same_state(here, there);
}

}  // namespace
