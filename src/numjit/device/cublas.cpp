// cuBLAS, opened at run time.
#include <dlfcn.h>

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include <numjit/base/error.h>
#include <numjit/device/cuda_library.h>
#include <numjit/device/products.h>

namespace numjit::devices {
namespace {

using handle = void*;
using status = int;

// Values of cuBLAS's enumerations.
constexpr int op_n = 0, op_t = 1, default_algorithm = -1, default_math = 0;
constexpr int real_32 = 0, real_64 = 1, complex_32 = 4, complex_64 = 5;
constexpr int compute_32 = 68, compute_32_tf32 = 77, compute_64 = 70;

#define NUMJIT_CUBLAS(X)                                                                                               \
  X(Create, "cublasCreate_v2", handle*)                                                                                \
  X(Destroy, "cublasDestroy_v2", handle)                                                                               \
  X(SetStream, "cublasSetStream_v2", handle, void*)                                                                    \
  X(SetMathMode, "cublasSetMathMode", handle, int)                                                                     \
  X(GemmEx, "cublasGemmEx", handle, int, int, int, int, int, const void*, const void*, int, int, const void*, int,     \
    int, const void*, void*, int, int, int, int)                                                                       \
  X(GemmStridedBatchedEx, "cublasGemmStridedBatchedEx", handle, int, int, int, int, int, const void*, const void*,     \
    int, int, long long, const void*, int, int, long long, const void*, void*, int, int, long long, int, int, int)

struct Api {
  NUMJIT_CUBLAS(NUMJIT_LIBRARY_FIELD)
  const char* (*status_name)(status) = nullptr;  // of version 11.4 and later
  std::string why;  // it is not usable
};

Api load() {
  Api api;
  void* library = cuda::open_library({"cuBLAS", {"libcublas.so.13", "libcublas.so.12", "libcublas.so.11"}, 11},
                                     {NUMJIT_CUBLAS(NUMJIT_LIBRARY_FUNCTION)}, api.why);
  if (library) api.status_name = reinterpret_cast<decltype(api.status_name)>(dlsym(library, "cublasGetStatusName"));
  return api;
}

const Api& api() {
  static const auto& blas = *new Api(load());
  return blas;
}

std::string error_text(status code) {
  return fmt::format("{} ({})", api().status_name ? api().status_name(code) : "cuBLAS status", code);
}

/// Types of elements and of sums, and the number 1 (and 0) in the type of scalars.
struct Kind {
  int element, sum, sum_fast;
  const void *one, *zero;
};
Kind kind_of(dtype_id type) {
  static constexpr float one_32[2] = {1, 0}, zero_32[2] = {0, 0};
  static constexpr double one_64[2] = {1, 0}, zero_64[2] = {0, 0};
  switch (type) {
    case dtype_id::float32: return {real_32, compute_32, compute_32_tf32, one_32, zero_32};
    case dtype_id::float64: return {real_64, compute_64, compute_64, one_64, zero_64};
    case dtype_id::complex64: return {complex_32, compute_32, compute_32_tf32, one_32, zero_32};
    default: return {complex_64, compute_64, compute_64, one_64, zero_64};
  }
}

class Cublas final : public Products {
 public:
  Cublas(std::string device, handle opened) : device_(std::move(device)), handle_(opened) {}
  ~Cublas() override { api().Destroy(handle_); }

  bool multiply(const Product& p) override {
    constexpr std::int64_t most = std::numeric_limits<int>::max();
    if (std::max({p.m, p.n, p.k, p.a.lead, p.b.lead, p.count}) > most) return false;
    const Kind kind = kind_of(p.type);
    const int sum = p.fast ? kind.sum_fast : kind.sum;
    auto op = [](const Factor& f) { return f.turned ? op_t : op_n; };
    auto i = [](std::int64_t n) { return static_cast<int>(n); };
    auto at = [](address a) { return reinterpret_cast<void*>(a); };
    // cuBLAS counts by columns: to it rows are columns, and what is asked for is c' = b' a'.
    if (p.count == 1)
      check("cublasGemmEx", api().GemmEx(handle_, op(p.b), op(p.a), i(p.n), i(p.m), i(p.k), kind.one, at(p.b.at), kind.element,
                                         i(p.b.lead), at(p.a.at), kind.element, i(p.a.lead), kind.zero, at(p.c), kind.element,
                                         i(p.n), sum, default_algorithm));
    else
      check("cublasGemmStridedBatchedEx",
            api().GemmStridedBatchedEx(handle_, op(p.b), op(p.a), i(p.n), i(p.m), i(p.k), kind.one, at(p.b.at), kind.element,
                                       i(p.b.lead), p.b.batch, at(p.a.at), kind.element, i(p.a.lead), p.a.batch, kind.zero,
                                       at(p.c), kind.element, i(p.n), p.m * p.n, i(p.count), sum, default_algorithm));
    return true;
  }

 private:
  void check(const char* call, status code) const {
    if (code != 0) [[unlikely]] throw DeviceError("device", fmt::format("{}: {} failed: {}.", device_, call, error_text(code)));
  }
  const std::string device_;
  handle handle_;
};

}  // namespace

std::unique_ptr<Products> open_cublas(const std::string& device, void* stream, std::string& why) {
  const Api& blas = api();
  why = blas.why;
  if (!why.empty()) return nullptr;
  handle opened = nullptr;
  auto refused = [&](const char* call, status code) {
    why = fmt::format("its cuBLAS can't be used ({} failed: {})", call, error_text(code));
    return nullptr;
  };
  if (const status code = blas.Create(&opened); code != 0) return refused("cublasCreate", code);
  auto made = std::make_unique<Cublas>(device, opened);
  if (const status code = blas.SetStream(opened, stream); code != 0) return refused("cublasSetStream", code);
  // No TF32 but where it is asked for.
  if (const status code = blas.SetMathMode(opened, default_math); code != 0) return refused("cublasSetMathMode", code);
  return made;
}

}  // namespace numjit::devices
