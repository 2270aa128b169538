// cuSOLVER over the recording driver: calls are written down, and LAPACK computes when the stream comes to them. Without a
// stream it computes at once, on memory of the host.
#include <algorithm>
#include <complex>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <vector>

#include <linalg/lapack.h>

#include "fake_cuda.h"

namespace {

using std::int64_t;
namespace lapack = numjit::linalg::lapack;

constexpr int invalid_value = 3;
// What is asked for, so that it is seen whether it is given.
constexpr std::size_t work_there = 192, work_here = 48;

struct Handle {
  void* stream = nullptr;
};

template <class T> struct real_of { using type = T; };
template <class T> struct real_of<std::complex<T>> { using type = T; };

template <class F>
void with_type(int type, F&& f) {
  switch (type) {
    case 0: return f(float{});
    case 1: return f(double{});
    case 4: return f(std::complex<float>{});
    default: return f(std::complex<double>{});
  }
}
std::size_t bytes_of(int type) { return type == 0 ? 4 : type == 1 || type == 4 ? 8 : 16; }

/// Memory that the work uses: of the device, where there is one.
struct Span {
  const void* at;
  std::size_t bytes;
};

int give(void* handle, const char* name, const char* what, const std::vector<Span>& uses, std::function<void()> work) {
  if (const int code = fake_call(name, what)) return code;
  void* const stream = static_cast<Handle*>(handle)->stream;
  if (!stream) return work(), 0;
  for (const Span& span : uses)
    if (!fake_has(span.at, span.bytes)) return invalid_value;
  fake_give(stream, [](void* context) {
    (*static_cast<std::function<void()>*>(context))();
  }, new std::function<void()>(std::move(work)), [](void* context) { delete static_cast<std::function<void()>*>(context); });
  return 0;
}
int sizes(const char* name, std::size_t* there, std::size_t* here) {
  *there = work_there, *here = work_here;
  return fake_call(name, "");
}
bool has_room(std::size_t there, const void* here, std::size_t here_bytes) {
  return there == work_there && here && here_bytes == work_here;
}

template <class T>
std::vector<T> room(int64_t n) { return std::vector<T>(static_cast<std::size_t>(std::max<int64_t>(n, 1))); }

template <class T>
void substitute(int n, int64_t columns, const T* lu, const int64_t* pivots, T* x) {
  for (int64_t c = 0; c < columns; ++c, x += n) {
    for (int i = 0; i < n; ++i) std::swap(x[i], x[pivots[i] - 1]);
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < i; ++j) x[i] -= lu[j * n + i] * x[j];
    for (int i = n - 1; i >= 0; --i) {
      for (int j = i + 1; j < n; ++j) x[i] -= lu[j * n + i] * x[j];
      x[i] /= lu[i * n + i];
    }
  }
}

template <class T>
int decompose(char job, int m, int n, T* a, void* s, void* u, void* v) {
  using R = typename real_of<T>::type;
  const int64_t k = n, longest = m;
  auto real = room<R>(std::max(5 * k * k + 7 * k, 2 * longest * k + 2 * k * k + k));
  auto whole = room<int>(8 * k);
  auto work = room<T>(4 * k * k + 20 * longest + 7 * k + 64 * (longest + k));
  return lapack::gesdd(job, m, n, a, static_cast<R*>(s), static_cast<T*>(u), m, static_cast<T*>(v), n, work.data(),
                       static_cast<int>(work.size()), real.data(), whole.data());
}

template <class T>
int eigen(char job, char triangle, int n, T* a, void* w) {
  using R = typename real_of<T>::type;
  const int64_t k = n;
  auto real = room<R>(1 + 5 * k + 2 * k * k);
  auto whole = room<int>(3 + 5 * k);
  auto work = room<T>(1 + 6 * k + 2 * k * k);
  return lapack::heevd(job, triangle, n, a, static_cast<R*>(w), work.data(), static_cast<int>(work.size()), real.data(),
                       static_cast<int>(real.size()), whole.data(), static_cast<int>(whole.size()));
}

/// Real vectors stay as LAPACK has them, eigenvalues are complex.
template <class T>
int eigen_any(char job, int n, T* a, void* w, T* v) {
  using R = typename real_of<T>::type;
  auto* const values = static_cast<std::complex<R>*>(w);
  auto work = room<T>(64 * int64_t{n});
  T none{};
  T* const to = job == 'V' ? v : &none;
  const int size = static_cast<int>(work.size());
  if constexpr (std::is_same_v<T, R>) {
    auto wr = room<R>(n), wi = room<R>(n);
    const int info = lapack::geev(job, n, a, wr.data(), wi.data(), to, n, work.data(), size);
    for (std::size_t i = 0; i < static_cast<std::size_t>(n); ++i) values[i] = {wr[i], wi[i]};
    return info;
  } else {
    auto real = room<R>(2 * n);
    return lapack::geev(job, n, a, values, to, n, work.data(), size, real.data());
  }
}

std::string text(const char* format, auto... values) {
  char what[160];
  std::snprintf(what, sizeof what, format, values...);
  return what;
}

}  // namespace

extern "C" {

int cusolverDnCreate(void** handle) {
  if (const int code = fake_call("cusolverDnCreate", "")) return code;
  return *handle = new Handle, 0;
}
int cusolverDnDestroy(void* handle) { return delete static_cast<Handle*>(handle), 0; }
int cusolverDnSetStream(void* handle, void* stream) {
  if (const int code = fake_call("cusolverDnSetStream", "")) return code;
  return static_cast<Handle*>(handle)->stream = stream, 0;
}
int cusolverDnCreateParams(void** params) {
  if (const int code = fake_call("cusolverDnCreateParams", "")) return code;
  return *params = new int(0), 0;
}
int cusolverDnDestroyParams(void* params) { return delete static_cast<int*>(params), 0; }

int cusolverDnXgetrf_bufferSize(void*, void*, int64_t, int64_t, int, const void*, int64_t, int, std::size_t* there,
                                std::size_t* here) {
  return sizes("cusolverDnXgetrf_bufferSize", there, here);
}
int cusolverDnXgetrf(void* handle, void*, int64_t m, int64_t n, int type, void* a, int64_t lda, int64_t* pivots, int compute,
                     void* buffer, std::size_t there, void* host, std::size_t here, int* info) {
  if (m != n || lda < m || compute != type || !has_room(there, host, here)) return invalid_value;
  const auto count = static_cast<std::size_t>(n);
  return give(handle, "cusolverDnXgetrf", text("%d of type %d", static_cast<int>(n), type).c_str(),
              {{a, count * count * bytes_of(type)}, {pivots, 8 * count}, {buffer, there}, {info, 4}}, [=] {
                with_type(type, [&](auto zero) {
                  auto short_ones = room<int>(n);
                  *info = lapack::getrf(static_cast<int>(n), static_cast<decltype(zero)*>(a), short_ones.data());
                  std::copy_n(short_ones.begin(), n, pivots);
                });
              });
}
int cusolverDnXgetrs(void* handle, void*, int op, int64_t n, int64_t columns, int type, const void* a, int64_t lda,
                     const int64_t* pivots, int type_b, void* b, int64_t ldb, int* info) {
  if (op != 0 || type_b != type || lda < n || ldb < n) return invalid_value;
  const auto count = static_cast<std::size_t>(n);
  return give(handle, "cusolverDnXgetrs", text("%d, %d of type %d", static_cast<int>(n), static_cast<int>(columns), type).c_str(),
              {{a, count * count * bytes_of(type)},
               {pivots, 8 * count},
               {b, count * static_cast<std::size_t>(columns) * bytes_of(type)},
               {info, 4}},
              [=] {
                with_type(type, [&](auto zero) {
                  using T = decltype(zero);
                  substitute(static_cast<int>(n), columns, static_cast<const T*>(a), pivots, static_cast<T*>(b));
                });
                *info = 0;
              });
}
int cusolverDnXpotrf_bufferSize(void*, void*, int, int64_t, int, const void*, int64_t, int, std::size_t* there,
                                std::size_t* here) {
  return sizes("cusolverDnXpotrf_bufferSize", there, here);
}
int cusolverDnXpotrf(void* handle, void*, int triangle, int64_t n, int type, void* a, int64_t lda, int compute, void* buffer,
                     std::size_t there, void* host, std::size_t here, int* info) {
  if (lda < n || compute != type || !has_room(there, host, here)) return invalid_value;
  const auto count = static_cast<std::size_t>(n);
  return give(handle, "cusolverDnXpotrf", text("%c %d of type %d", triangle ? 'U' : 'L', static_cast<int>(n), type).c_str(),
              {{a, count * count * bytes_of(type)}, {buffer, there}, {info, 4}}, [=] {
                with_type(type, [&](auto zero) {
                  *info = lapack::potrf(triangle ? 'U' : 'L', static_cast<int>(n), static_cast<decltype(zero)*>(a));
                });
              });
}
int cusolverDnXsyevd_bufferSize(void*, void*, int, int, int64_t, int, const void*, int64_t, int, const void*, int,
                                std::size_t* there, std::size_t* here) {
  return sizes("cusolverDnXsyevd_bufferSize", there, here);
}
int cusolverDnXsyevd(void* handle, void*, int job, int triangle, int64_t n, int type, void* a, int64_t lda, int type_w, void* w,
                     int compute, void* buffer, std::size_t there, void* host, std::size_t here, int* info) {
  if (lda < n || compute != type || type_w != type % 4 || !has_room(there, host, here)) return invalid_value;
  const auto count = static_cast<std::size_t>(n);
  return give(handle, "cusolverDnXsyevd",
              text("%c%c %d of type %d", job ? 'V' : 'N', triangle ? 'U' : 'L', static_cast<int>(n), type).c_str(),
              {{a, count * count * bytes_of(type)}, {w, count * bytes_of(type_w)}, {buffer, there}, {info, 4}}, [=] {
                with_type(type, [&](auto zero) {
                  *info = eigen(job ? 'V' : 'N', triangle ? 'U' : 'L', static_cast<int>(n), static_cast<decltype(zero)*>(a), w);
                });
              });
}
int cusolverDnXgesvd_bufferSize(void*, void*, signed char, signed char, int64_t m, int64_t n, int, const void*, int64_t, int,
                                const void*, int, const void*, int64_t, int, const void*, int64_t, int, std::size_t* there,
                                std::size_t* here) {
  if (m < n) return invalid_value;  // as cuSOLVER
  return sizes("cusolverDnXgesvd_bufferSize", there, here);
}
int cusolverDnXgesvd(void* handle, void*, signed char job_u, signed char job_v, int64_t m, int64_t n, int type, void* a,
                     int64_t lda, int type_s, void* s, int type_u, void* u, int64_t ldu, int type_v, void* v, int64_t ldv,
                     int compute, void* buffer, std::size_t there, void* host, std::size_t here, int* info) {
  if (m < n || lda < m || ldu < m || ldv < n || job_u != job_v || compute != type || type_u != type || type_v != type ||
      type_s != type % 4 || !has_room(there, host, here))
    return invalid_value;
  const auto rows = static_cast<std::size_t>(m), columns = static_cast<std::size_t>(n);
  return give(handle, "cusolverDnXgesvd",
              text("%c %d,%d of type %d", job_u, static_cast<int>(m), static_cast<int>(n), type).c_str(),
              {{a, rows * columns * bytes_of(type)}, {s, columns * bytes_of(type_s)}, {buffer, there}, {info, 4}}, [=] {
                with_type(type, [&](auto zero) {
                  *info = decompose(static_cast<char>(job_u), static_cast<int>(m), static_cast<int>(n),
                                    static_cast<decltype(zero)*>(a), s, u, v);
                });
              });
}

int cusolverDnXgeqrf_bufferSize(void*, void*, int64_t, int64_t, int, const void*, int64_t, int, const void*, int,
                                std::size_t* there, std::size_t* here) {
  return sizes("cusolverDnXgeqrf_bufferSize", there, here);
}
int cusolverDnXgeqrf(void* handle, void*, int64_t m, int64_t n, int type, void* a, int64_t lda, int type_tau, void* tau,
                     int compute, void* buffer, std::size_t there, void* host, std::size_t here, int* info) {
  if (lda < m || compute != type || type_tau != type || !has_room(there, host, here)) return invalid_value;
  const auto bytes = bytes_of(type);
  return give(handle, "cusolverDnXgeqrf", text("%d,%d of type %d", static_cast<int>(m), static_cast<int>(n), type).c_str(),
              {{a, static_cast<std::size_t>(m * n) * bytes},
               {tau, static_cast<std::size_t>(std::min(m, n)) * bytes},
               {buffer, there},
               {info, 4}},
              [=] {
                with_type(type, [&](auto zero) {
                  using T = decltype(zero);
                  auto work = room<T>(64 * (m + n));
                  *info = lapack::geqrf(static_cast<int>(m), static_cast<int>(n), static_cast<T*>(a), static_cast<T*>(tau),
                                        work.data(), static_cast<int>(work.size()));
                });
              });
}

#define FAKE_ORGQR(name, code, T)                                                                              \
  int name##_bufferSize(void*, int m, int n, int k, const T*, int lda, const T*, int* elements) {              \
    if (m < n || n < k || lda < m) return invalid_value;                                                       \
    return *elements = 64 * m, fake_call(#name "_bufferSize", "");                                             \
  }                                                                                                            \
  int name(void* handle, int m, int n, int k, T* a, int lda, const T* tau, T* work, int elements, int* info) { \
    if (m < n || n < k || lda < m || elements != 64 * m) return invalid_value;                                 \
    return give(handle, #name, text("%d,%d,%d", m, n, k).c_str(),                                              \
                {{a, static_cast<std::size_t>(m) * static_cast<std::size_t>(n) * bytes_of(code)},              \
                 {tau, static_cast<std::size_t>(k) * bytes_of(code)},                                          \
                 {work, static_cast<std::size_t>(elements) * bytes_of(code)},                                  \
                 {info, 4}},                                                                                   \
                [=] { *info = lapack::orgqr(m, n, k, a, tau, work, elements); });                              \
  }
FAKE_ORGQR(cusolverDnSorgqr, 0, float)
FAKE_ORGQR(cusolverDnDorgqr, 1, double)
FAKE_ORGQR(cusolverDnCungqr, 4, std::complex<float>)
FAKE_ORGQR(cusolverDnZungqr, 5, std::complex<double>)
#undef FAKE_ORGQR

int cusolverDnXgeev_bufferSize(void*, void*, int left, int, int64_t, int, const void*, int64_t, int, const void*, int,
                               const void*, int64_t, int, const void*, int64_t, int, std::size_t* there, std::size_t* here) {
  if (left != 0) return invalid_value;  // as cuSOLVER
  return sizes("cusolverDnXgeev_bufferSize", there, here);
}
int cusolverDnXgeev(void* handle, void*, int left, int right, int64_t n, int type, void* a, int64_t lda, int type_w, void* w,
                    int type_vl, void*, int64_t, int type_vr, void* vr, int64_t ldvr, int compute, void* buffer,
                    std::size_t there, void* host, std::size_t here, int* info) {
  if (left != 0 || lda < n || ldvr < n || type_w != (type | 4) || type_vl != type || type_vr != type || compute != type ||
      !has_room(there, host, here))
    return invalid_value;
  const auto count = static_cast<std::size_t>(n);
  std::vector<Span> uses{{a, count * count * bytes_of(type)}, {w, count * bytes_of(type_w)}, {buffer, there}, {info, 4}};
  if (right) uses.push_back({vr, count * count * bytes_of(type)});
  return give(handle, "cusolverDnXgeev", text("%c %d of type %d", right ? 'V' : 'N', static_cast<int>(n), type).c_str(), uses,
              [=] {
                with_type(type, [&](auto zero) {
                  using T = decltype(zero);
                  *info = eigen_any(right ? 'V' : 'N', static_cast<int>(n), static_cast<T*>(a), w, static_cast<T*>(vr));
                });
              });
}

}  // extern "C"
