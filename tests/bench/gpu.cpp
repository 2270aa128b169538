// Work on a device, timed there: share of its measured copy bandwidth, and what a call costs on the host.
//
//   gpu DEVICE [MEGABYTES]      one line of JSON for each workload
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>

#include <numjit/device/device.h>
#include <numjit/device/memory.h>
#include <numjit/np.h>
#include <numjit/np_cuda_graphs.h>

namespace np = numjit;

namespace {

using clock_type = std::chrono::steady_clock;

struct Bench {
  std::string device;
  np::devices::Stream& stream;
  double copy_bandwidth = 0;  // bytes per second

  /// Seconds of a call, best of several, work of the device included.
  double seconds(const std::function<void()>& call) const {
    for (int i = 0; i < 3; ++i) call();
    stream.synchronize();
    double best = 1e9;
    for (int round = 0; round < 7; ++round) {
      constexpr int calls = 5;
      const auto start = clock_type::now();
      for (int i = 0; i < calls; ++i) call();
      stream.synchronize();
      best = std::min(best, std::chrono::duration<double>(clock_type::now() - start).count() / calls);
    }
    return best;
  }

  /// What everything else is a share of: the driver's own copy of an array, read and written.
  void report_copy(std::size_t bytes) {
    const std::uint8_t index = np::devices::open(device);
    const np::devices::address from = np::devices::allocate(index, bytes, stream),
                               to = np::devices::allocate(index, bytes, stream);
    const double s = seconds([&] { stream.copy(to, from, bytes); });
    np::devices::free(index, from, bytes, &stream);
    np::devices::free(index, to, bytes, &stream);
    copy_bandwidth = 2 * static_cast<double>(bytes) / s;
    std::printf(
        "{\"device\": \"%s\", \"workload\": \"driver's copy\", \"ms\": %.4f, \"GB_per_s\": %.1f, \"share_of_copy\": 1.0}\n",
        device.c_str(), 1e3 * s, 1e-9 * copy_bandwidth);
  }

  void report(const std::string& name, double bytes, const std::function<np::array()>& call) {
    const double s = seconds(call), check = sum_of_first(call());
    std::printf(
        "{\"device\": \"%s\", \"workload\": \"%s\", \"ms\": %.4f, \"GB_per_s\": %.1f, \"share_of_copy\": %.3f, \"check\": "
        "%.9g}\n",
        device.c_str(), name.c_str(), 1e3 * s, 1e-9 * bytes / s, bytes / s / copy_bandwidth, check);
    std::fflush(stdout);
  }

  /// Of absolute values, up to 1,000: other programs that compute the same have the same.
  static double sum_of_first(const np::array& result) {
    const np::array all = np::ravel(result), some = all(np::slice(0, std::min<std::int64_t>(all.size(), 1000)));
    return np::sum(np::absolute(some.to("cpu").astype(np::float64))).item<double>();
  }

  /// What the host spends on a call that it does not wait for.
  void report_call(const std::string& name, bool graphs, const std::function<void()>& call) const {
    double best = 1e9;
    for (int round = 0; round < 50; ++round) {
      const auto start = clock_type::now();
      for (int i = 0; i < 20; ++i) call();
      best = std::min(best, std::chrono::duration<double>(clock_type::now() - start).count() / 20);
      stream.synchronize();
    }
    std::printf("{\"device\": \"%s\", \"workload\": \"%s\", \"graphs\": %s, \"host_us\": %.2f}\n", device.c_str(), name.c_str(),
                graphs ? "true" : "false", 1e6 * best);
  }
};

}  // namespace

int main(int argc, char** argv) try {
  const std::string name = argc > 1 ? argv[1] : np::list_devices().back().name;
  const double megabytes = argc > 2 ? std::atof(argv[2]) : 256;
  np::config().compile = np::compile_mode::sync;
  Bench bench{name, np::devices::device(np::devices::open(name)).stream()};
  const auto n = static_cast<std::int64_t>(megabytes * 1e6 / 4);
  const std::int64_t side = static_cast<std::int64_t>(std::sqrt(static_cast<double>(n)));
  const np::array host = (np::arange(static_cast<double>(n)) * 1e-6).astype(np::float32);
  const np::array x = host.to(name), y = host.to(name),
                  square = np::reshape(np::array(x(np::slice(0, side * side))), {side, side});
  const double array = 4.0 * static_cast<double>(n), whole = 4.0 * static_cast<double>(side * side);

  bench.report_copy(static_cast<std::size_t>(array));
  auto negative = np::compile([](const np::array& a) { return -a; });
  bench.report("copy", 2 * array, [&] { return negative(x); });
  auto chain = np::compile([](const np::array& a, const np::array& b) { return a * b + np::sqrt(a) - b / (1.0 + a); });
  bench.report("chain", 3 * array, [&] { return chain(x, y); });
  auto black_scholes = np::compile([](const np::array& s, const np::array& k) {
    const np::array d = np::log((s + 1.0) / (k + 2.0)) + 0.02;
    return (s + 1.0) / (1.0 + np::exp(-1.702 * d)) - (k + 2.0) / (1.0 + np::exp(-1.702 * (d - 0.2)));
  });
  bench.report("black-scholes", 3 * array, [&] { return black_scholes(x, y); });
  auto softmax = np::compile([](const np::array& a) {
    const np::array e = np::exp(a - np::max(a, {.axis = 1, .keepdims = true}));
    return e / np::sum(e, {.axis = 1, .keepdims = true});
  });
  bench.report("softmax", 2 * whole, [&] { return softmax(square); });
  auto rows = np::compile([](const np::array& a) { return np::sum(a, {.axis = 1}); });
  bench.report("row sums", whole, [&] { return rows(square); });
  auto columns = np::compile([](const np::array& a) { return np::sum(a, {.axis = 0}); });
  bench.report("column sums", whole, [&] { return columns(square); });
  auto all = np::compile([](const np::array& a) { return np::sum(a); });
  bench.report("sum", array, [&] { return all(x); });
  auto heat = np::compile([](const np::array& u) {
    const auto in = np::slice(1, -1), up = np::slice(0, -2), down = np::slice(2, np::none);
    return u(in, in) + 0.2 * (u(up, in) + u(down, in) + u(in, up) + u(in, down) - 4.0 * u(in, in));
  });
  bench.report("stencil", 2 * whole, [&] { return heat(square); });
  const np::array points = np::reshape(np::array(x(np::slice(0, n / 8 / 16 * 8))), {-1, 8}),
                  centres = np::reshape(np::array(host(np::slice(0, 16 * 8))), {16, 8}).to(name);
  auto assign = np::compile([](const np::array& p, const np::array& c) {
    const np::array d = p(np::_, np::newaxis) - c(np::newaxis);
    return np::argmin(np::sum(d * d, {.axis = -1}), {.axis = 1});
  });
  bench.report("k-means", 4.0 * static_cast<double>(points.size()), [&] { return assign(points, centres); });

  // What the host spends on a call, in a queue that does not run full.
  const np::array small = np::array(host(np::slice(0, 256))).to(name);
  auto five = np::compile([](const np::array& a) { return np::sqrt(a * a + 1.0) - a * 0.5; }, {.mode = np::mode::replay});
  auto chained = np::compile([](const np::array& a) {
    const np::array e = np::exp(a - np::max(a));
    return e / np::sum(e);
  }, {.mode = np::mode::replay});
  for (const bool graphs : {false, true}) {
    np::cuda::use_graphs(graphs);
    bench.report_call("replayed call", graphs, [&] { five(small); });
    bench.report_call("replayed call of several kernels", graphs, [&] { chained(small); });
  }
  for (const np::host_work& w : np::device_host_work())
    std::printf("{\"device\": \"%s\", \"on_host\": \"%s\", \"count\": %lld}\n", w.device.c_str(), w.op.c_str(),
                static_cast<long long>(w.count));
} catch (const np::error& e) {
  std::fprintf(stderr, "%s\n", e.what());
  return 1;
}
