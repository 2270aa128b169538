// An OpenCL device that has libraries: they compute on the host, so that what kernels make of operands before them, and of
// results after them, is computed by real kernels.
#pragma once

#include <algorithm>
#include <complex>
#include <cstdlib>
#include <memory>
#include <numbers>
#include <stdexcept>
#include <string>

#include <numjit/device/device.h>
#include <numjit/device/products.h>
#include <numjit/device/solvers.h>
#include <numjit/device/transforms.h>

#include <device/on_device.h>

namespace numjit::testing {

/// By rows, as the interface has it.
class HostProducts final : public devices::Products {
 public:
  explicit HostProducts(devices::Stream& stream) : stream_(stream) {}
  bool multiply(const devices::Product& p) override {
    stream_.synchronize();
    ++calls;
    switch (p.type) {
      case dtype_id::float32: compute<float>(p); break;
      case dtype_id::float64: compute<double>(p); break;
      case dtype_id::complex64: compute<std::complex<float>>(p); break;
      default: compute<std::complex<double>>(p);
    }
    return true;
  }
  inline static int calls = 0;

 private:
  template <class T>
  static void compute(const devices::Product& p) {
    auto element = [&](const devices::Factor& f, std::int64_t batch, std::int64_t row, std::int64_t column) {
      return reinterpret_cast<const T*>(f.at)[batch * f.batch + (f.turned ? column * f.lead + row : row * f.lead + column)];
    };
    auto* c = reinterpret_cast<T*>(p.c);
    for (std::int64_t batch = 0; batch < p.count; ++batch)
      for (std::int64_t i = 0; i < p.m; ++i)
        for (std::int64_t j = 0; j < p.n; ++j, ++c) {
          *c = T{};
          for (std::int64_t k = 0; k < p.k; ++k) *c += element(p.a, batch, i, k) * element(p.b, batch, k, j);
        }
  }
  devices::Stream& stream_;
};

/// By their definition.
class HostTransforms final : public devices::Transforms {
 public:
  explicit HostTransforms(devices::Stream& stream) : stream_(stream) {}
  bool run(const devices::Transform& t) override {
    stream_.synchronize();
    ++calls;
    t.single ? compute<float>(t) : compute<double>(t);
    return true;
  }
  inline static int calls = 0;

 private:
  template <class T>
  static void compute(const devices::Transform& t) {
    using C = std::complex<T>;
    using devices::TransformKind;
    const bool from_real = t.kind == TransformKind::from_real, to_real = t.kind == TransformKind::to_real;
    const std::int64_t half = t.n / 2 + 1, in = to_real ? half : t.n, out = from_real ? half : t.n;
    const double way = t.kind == TransformKind::forward || from_real ? -1 : 1;
    for (std::int64_t line = 0; line < t.count; ++line) {
      auto element = [&](std::int64_t k) -> std::complex<double> {
        if (from_real) return reinterpret_cast<const T*>(t.from)[line * in + k];
        const C* x = reinterpret_cast<const C*>(t.from) + line * in;
        return std::complex<double>(to_real && 2 * k > t.n ? std::conj(x[t.n - k]) : x[k]);
      };
      for (std::int64_t k = 0; k < out; ++k) {
        std::complex<double> sum = 0;
        for (std::int64_t j = 0; j < t.n; ++j)
          sum += element(j) *
                 std::polar(1.0, way * 2 * std::numbers::pi * static_cast<double>(j * k % t.n) / static_cast<double>(t.n));
        if (to_real) reinterpret_cast<T*>(t.to)[line * out + k] = static_cast<T>(sum.real());
        else reinterpret_cast<C*>(t.to)[line * out + k] = C(sum);
      }
      // As cuFFT may.
      if (to_real) std::fill_n(reinterpret_cast<C*>(t.from) + line * in, in, C(T(-1e30), T(1e30)));
    }
  }
  devices::Stream& stream_;
};

/// The library's own layer, over a library that computes at once (fake/fake_cusolver.cpp).
class HostSolvers final : public devices::Solvers {
 public:
  explicit HostSolvers(devices::Stream& stream) : stream_(stream) {
    setenv("NUMJIT_CUDA_LIBRARIES", NUMJIT_TEST_BUILD_DIR "/bin/tests/cuda_libraries", 1);
    std::string why;
    inner_ = devices::open_cusolver("opencl:9", nullptr, why);
    if (!inner_) throw std::runtime_error(why);
  }
  void lu(const devices::Decomposition& d, devices::address pivots, const Room& room) override { ready().lu(d, pivots, room); }
  void solve(const devices::Decomposition& d, devices::address pivots, devices::address x, std::int64_t n) override {
    ready().solve(d, pivots, x, n);
  }
  void cholesky(const devices::Decomposition& d, bool upper, const Room& room) override { ready().cholesky(d, upper, room); }
  void eigh(const devices::Decomposition& d, bool vectors, bool upper, devices::address w, const Room& room) override {
    ready().eigh(d, vectors, upper, w, room);
  }
  void svd(const devices::Decomposition& d, char job, devices::address s, devices::address u, devices::address v,
           const Room& room) override {
    ready().svd(d, job, s, u, v, room);
  }
  void qr(const devices::Decomposition& d, devices::address factors, const Room& room) override { ready().qr(d, factors, room); }
  void qr_vectors(const devices::Decomposition& d, std::int64_t count, devices::address factors, const Room& room) override {
    ready().qr_vectors(d, count, factors, room);
  }
  bool eig(const devices::Decomposition& d, devices::address w, devices::address v, const Room& room) override {
    return ready().eig(d, w, v, room);
  }
  inline static int calls = 0;

 private:
  devices::Solvers& ready() {
    stream_.synchronize();
    ++calls;
    return *inner_;
  }
  devices::Stream& stream_;
  std::unique_ptr<devices::Solvers> inner_;
};

class StreamWithLibraries final : public devices::Stream {
 public:
  explicit StreamWithLibraries(devices::Stream& inner) : inner_(inner), products_(inner), transforms_(inner), solvers_(inner) {}
  void copy_in(devices::address to, const void* from, std::size_t bytes) override { inner_.copy_in(to, from, bytes); }
  void copy_out(void* to, devices::address from, std::size_t bytes) override { inner_.copy_out(to, from, bytes); }
  void copy(devices::address to, devices::address from, std::size_t bytes) override { inner_.copy(to, from, bytes); }
  void launch(devices::Program& program, const char* entry, const devices::LaunchShape& shape,
              std::span<const devices::KernelArgument> arguments) override {
    inner_.launch(program, entry, shape, arguments);
  }
  std::unique_ptr<devices::Event> record() override { return inner_.record(); }
  void wait(const devices::Event& event) override { inner_.wait(event); }
  void synchronize() override { inner_.synchronize(); }
  devices::Products* products(std::string&) override { return &products_; }
  devices::Transforms* transforms(std::string&) override { return &transforms_; }
  devices::Solvers* solvers(std::string&) override { return &solvers_; }

 private:
  devices::Stream& inner_;
  HostProducts products_;
  HostTransforms transforms_;
  HostSolvers solvers_;
};

class DeviceWithLibraries final : public devices::Device {
 public:
  explicit DeviceWithLibraries(devices::Device& inner) : inner_(inner), info_(inner.info()), stream_(inner.stream()) {
    info_.name = "opencl:9";
  }
  const devices::DeviceInfo& info() const override { return info_; }
  devices::address allocate(std::size_t bytes) override { return inner_.allocate(bytes); }
  void free(devices::address memory) noexcept override { inner_.free(memory); }
  devices::Stream& stream() override { return stream_; }  // the tests have one thread
  std::unique_ptr<devices::Program> load(std::string_view source) override { return inner_.load(source); }
  std::string kernel_target() const override { return inner_.kernel_target(); }

 private:
  devices::Device& inner_;
  devices::DeviceInfo info_;
  StreamWithLibraries stream_;
};

/// The device with libraries: that one, or a GPU with its own.
inline std::string library_name() { return device_kind() == "opencl" ? "opencl:9" : device_name(); }
/// Calls of the libraries are counted by those of the tests.
template <class T>
void expect_library_calls(const T& got, const T& want) {
  if (device_kind() != "opencl") return;
  EXPECT_EQ(got, want);
}

/// Tests on it.
class OnLibraries : public OnOpenCl {
 protected:
  void SetUp() override {
    OnOpenCl::SetUp();
    if (IsSkipped() || device_kind() != "opencl") return;
    static const bool added = [] {
      devices::add(std::make_unique<DeviceWithLibraries>(devices::device(devices::open("opencl:0"))));
      return true;
    }();
    (void)added;
  }
};

}  // namespace numjit::testing
