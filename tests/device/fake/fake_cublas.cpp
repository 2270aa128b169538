// cuBLAS over the recording driver: calls are written down, and products computed on the host when the stream comes to
// them, by columns as cuBLAS counts, so that a wrong transposition, leading dimension or stride is a wrong result.
#include <algorithm>
#include <complex>
#include <cstdio>
#include <string>

#include "fake_cuda.h"

namespace {

constexpr int not_initialized = 1, invalid_value = 7, not_supported = 15;
constexpr int real_32 = 0, real_64 = 1, complex_32 = 4, complex_64 = 5;
constexpr int compute_32 = 68, compute_32_tf32 = 77, compute_64 = 70;

struct Handle {
  void* stream = nullptr;
  int math = -1;
};

struct Gemm {
  bool turned_a, turned_b;
  int m, n, k, lda, ldb, ldc, count, type;
  long long stride_a, stride_b, stride_c;
  const void *a, *b;
  void* c;
  double alpha, beta;
};

template <class T>
void compute(const Gemm& g) {
  auto span = [&](int lead, int columns, long long stride) {
    return sizeof(T) * (static_cast<std::size_t>(lead) * static_cast<std::size_t>(columns - 1) +
                        static_cast<std::size_t>(stride * (g.count - 1)) + 1);
  };
  if (!fake_has(g.a, span(g.lda, g.turned_a ? g.m : g.k, g.stride_a)) ||
      !fake_has(g.b, span(g.ldb, g.turned_b ? g.k : g.n, g.stride_b)) || !fake_has(g.c, span(g.ldc, g.n, g.stride_c)))
    return;
  using real = decltype(std::abs(T{}));
  const T alpha = static_cast<real>(g.alpha), beta = static_cast<real>(g.beta);
  for (long long batch = 0; batch < g.count; ++batch) {
    const T* a = static_cast<const T*>(g.a) + batch * g.stride_a;
    const T* b = static_cast<const T*>(g.b) + batch * g.stride_b;
    T* c = static_cast<T*>(g.c) + batch * g.stride_c;
    for (long long j = 0; j < g.n; ++j)
      for (long long i = 0; i < g.m; ++i) {
        T sum{};
        for (long long p = 0; p < g.k; ++p)
          sum += (g.turned_a ? a[p + i * g.lda] : a[i + p * g.lda]) * (g.turned_b ? b[j + p * g.ldb] : b[p + j * g.ldb]);
        T& to = c[i + j * g.ldc];
        to = alpha * sum + (g.beta == 0 ? T{} : beta * to);
      }
  }
}

int give(void* handle, const char* name, const Gemm& g, int compute_type) {
  const auto* h = static_cast<const Handle*>(handle);
  char what[160];
  std::snprintf(what, sizeof what, "%c%c %d,%d,%d lead %d,%d,%d type %d compute %d math %d count %d", g.turned_a ? 'T' : 'N',
                g.turned_b ? 'T' : 'N', g.m, g.n, g.k, g.lda, g.ldb, g.ldc, g.type, compute_type, h->math, g.count);
  if (int code = fake_call(name, what)) return code;
  if (!h->stream) return not_initialized;
  if (g.m <= 0 || g.n <= 0 || g.k <= 0 || g.count <= 0) return invalid_value;
  if (g.lda < std::max(1, g.turned_a ? g.k : g.m) || g.ldb < std::max(1, g.turned_b ? g.n : g.k) || g.ldc < g.m)
    return invalid_value;
  const bool single = g.type == real_32 || g.type == complex_32;
  if (single ? compute_type != compute_32 && compute_type != compute_32_tf32 : compute_type != compute_64) return not_supported;
  fake_give(h->stream, [](void* context) {
    auto* work = static_cast<Gemm*>(context);
    switch (work->type) {
      case real_32: compute<float>(*work); break;
      case real_64: compute<double>(*work); break;
      case complex_32: compute<std::complex<float>>(*work); break;
      default: compute<std::complex<double>>(*work);
    }
  }, new Gemm(g), [](void* context) { delete static_cast<Gemm*>(context); });
  return 0;
}

double scalar(const void* at, int type) {
  return type == real_32 || type == complex_32 ? static_cast<double>(*static_cast<const float*>(at))
                                               : *static_cast<const double*>(at);
}

}  // namespace

extern "C" {

int cublasCreate_v2(void** handle) {
  if (int code = fake_call("cublasCreate", "")) return code;
  return *handle = new Handle, 0;
}
int cublasDestroy_v2(void* handle) {
  delete static_cast<Handle*>(handle);
  return 0;
}
int cublasSetStream_v2(void* handle, void* stream) {
  if (int code = fake_call("cublasSetStream", "")) return code;
  return static_cast<Handle*>(handle)->stream = stream, 0;
}
int cublasSetMathMode(void* handle, int mode) {
  if (int code = fake_call("cublasSetMathMode", std::to_string(mode).c_str())) return code;
  return static_cast<Handle*>(handle)->math = mode, 0;
}
const char* cublasGetStatusName(int code) {
  static thread_local char text[32];
  std::snprintf(text, sizeof text, "CUBLAS_STATUS_%d", code);
  return text;
}
int cublasGemmEx(void* handle, int ta, int tb, int m, int n, int k, const void* alpha, const void* a, int type_a, int lda,
                 const void* b, int type_b, int ldb, const void* beta, void* c, int type_c, int ldc, int compute_type, int) {
  if (type_a != type_b || type_a != type_c) return not_supported;
  return give(
      handle, "cublasGemmEx",
      {ta != 0, tb != 0, m, n, k, lda, ldb, ldc, 1, type_a, 0, 0, 0, a, b, c, scalar(alpha, type_a), scalar(beta, type_a)},
      compute_type);
}
int cublasGemmStridedBatchedEx(void* handle, int ta, int tb, int m, int n, int k, const void* alpha, const void* a, int type_a,
                               int lda, long long stride_a, const void* b, int type_b, int ldb, long long stride_b,
                               const void* beta, void* c, int type_c, int ldc, long long stride_c, int count, int compute_type,
                               int) {
  if (type_a != type_b || type_a != type_c) return not_supported;
  return give(handle, "cublasGemmStridedBatchedEx",
              {ta != 0, tb != 0, m, n, k, lda, ldb, ldc, count, type_a, stride_a, stride_b, stride_c, a, b, c,
               scalar(alpha, type_a), scalar(beta, type_a)},
              compute_type);
}

}  // extern "C"
