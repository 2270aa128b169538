// cuSOLVER, opened at run time: its functions for all types (version 11.1 of the library and later).
#include <array>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <numjit/base/error.h>
#include <numjit/device/cuda_library.h>
#include <numjit/device/solvers.h>

namespace numjit::devices {
namespace {

using handle = void*;
using status = int;
using size = std::size_t;
using extent = std::int64_t;

// Values of the enumerations of cuBLAS and cuSOLVER.
constexpr int real_32 = 0, real_64 = 1, complex_32 = 4, complex_64 = 5;
constexpr int op_n = 0, lower_triangle = 0, upper_triangle = 1, without_vectors = 0, with_vectors = 1;

#define NUMJIT_CUSOLVER(X)                                                                                             \
  X(Create, "cusolverDnCreate", handle*)                                                                               \
  X(Destroy, "cusolverDnDestroy", handle)                                                                              \
  X(SetStream, "cusolverDnSetStream", handle, void*)                                                                   \
  X(CreateParams, "cusolverDnCreateParams", handle*)                                                                   \
  X(DestroyParams, "cusolverDnDestroyParams", handle)                                                                  \
  X(LuSize, "cusolverDnXgetrf_bufferSize", handle, handle, extent, extent, int, const void*, extent, int, size*, size*) \
  X(Lu, "cusolverDnXgetrf", handle, handle, extent, extent, int, void*, extent, extent*, int, void*, size, void*,      \
    size, int*)                                                                                                        \
  X(LuSolve, "cusolverDnXgetrs", handle, handle, int, extent, extent, int, const void*, extent, const extent*, int,    \
    void*, extent, int*)                                                                                               \
  X(CholeskySize, "cusolverDnXpotrf_bufferSize", handle, handle, int, extent, int, const void*, extent, int, size*,    \
    size*)                                                                                                             \
  X(Cholesky, "cusolverDnXpotrf", handle, handle, int, extent, int, void*, extent, int, void*, size, void*, size,      \
    int*)                                                                                                              \
  X(EighSize, "cusolverDnXsyevd_bufferSize", handle, handle, int, int, extent, int, const void*, extent, int,          \
    const void*, int, size*, size*)                                                                                    \
  X(Eigh, "cusolverDnXsyevd", handle, handle, int, int, extent, int, void*, extent, int, void*, int, void*, size,      \
    void*, size, int*)                                                                                                 \
  X(SvdSize, "cusolverDnXgesvd_bufferSize", handle, handle, signed char, signed char, extent, extent, int,             \
    const void*, extent, int, const void*, int, const void*, extent, int, const void*, extent, int, size*, size*)      \
  X(Svd, "cusolverDnXgesvd", handle, handle, signed char, signed char, extent, extent, int, void*, extent, int, void*, \
    int, void*, extent, int, void*, extent, int, void*, size, void*, size, int*)                                       \
  X(QrSize, "cusolverDnXgeqrf_bufferSize", handle, handle, extent, extent, int, const void*, extent, int, const void*, \
    int, size*, size*)                                                                                                 \
  X(Qr, "cusolverDnXgeqrf", handle, handle, extent, extent, int, void*, extent, int, void*, int, void*, size, void*,   \
    size, int*)                                                                                                        \
  NUMJIT_CUSOLVER_Q(X, S, "cusolverDnSorgqr")                                                                          \
  NUMJIT_CUSOLVER_Q(X, D, "cusolverDnDorgqr")                                                                          \
  NUMJIT_CUSOLVER_Q(X, C, "cusolverDnCungqr")                                                                          \
  NUMJIT_CUSOLVER_Q(X, Z, "cusolverDnZungqr")

// These have no form for all types; room is counted in elements.
#define NUMJIT_CUSOLVER_Q(X, type, symbol)                                                                             \
  X(type##QSize, symbol "_bufferSize", handle, int, int, int, const void*, int, const void*, int*)                     \
  X(type##Q, symbol, handle, int, int, int, void*, int, const void*, void*, int, int*)

// Of version 11.7.1 and later.
#define NUMJIT_CUSOLVER_EIG(X)                                                                                         \
  X(EigSize, "cusolverDnXgeev_bufferSize", handle, handle, int, int, extent, int, const void*, extent, int,            \
    const void*, int, const void*, extent, int, const void*, extent, int, size*, size*)                                \
  X(Eig, "cusolverDnXgeev", handle, handle, int, int, extent, int, void*, extent, int, void*, int, void*, extent, int, \
    void*, extent, int, void*, size, void*, size, int*)

struct Api {
  NUMJIT_CUSOLVER(NUMJIT_LIBRARY_FIELD)
  NUMJIT_CUSOLVER_EIG(NUMJIT_LIBRARY_FIELD)
  std::string why;  // it is not usable
};

Api load() {
  Api api;
  const cuda::LibraryNames names{"cuSOLVER", {"libcusolver.so.12", "libcusolver.so.11"}, 11};
  if (!cuda::open_library(names, {NUMJIT_CUSOLVER(NUMJIT_LIBRARY_FUNCTION)}, api.why)) return api;
  if (std::string missing; !cuda::open_library(names, {NUMJIT_CUSOLVER_EIG(NUMJIT_LIBRARY_FUNCTION)}, missing)) api.Eig = nullptr;
  return api;
}

const Api& api() {
  static const auto& solver = *new Api(load());
  return solver;
}

std::string error_text(status code) {
  static constexpr const char* names[] = {"SUCCESS",          "NOT_INITIALIZED", "ALLOC_FAILED",
                                          "INVALID_VALUE",    "ARCH_MISMATCH",   "MAPPING_ERROR",
                                          "EXECUTION_FAILED", "INTERNAL_ERROR",  "MATRIX_TYPE_NOT_SUPPORTED",
                                          "NOT_SUPPORTED"};
  if (code < 0 || code >= static_cast<status>(std::size(names))) return fmt::format("cuSOLVER status ({})", code);
  return fmt::format("CUSOLVER_STATUS_{} ({})", names[code], code);
}

int element(dtype_id type) {
  switch (type) {
    case dtype_id::float32: return real_32;
    case dtype_id::float64: return real_64;
    case dtype_id::complex64: return complex_32;
    default: return complex_64;
  }
}
int real_part(int of_type) { return of_type == complex_32 ? real_32 : of_type == complex_64 ? real_64 : of_type; }

template <class T = void>
T* at(address a) { return reinterpret_cast<T*>(a); }

class Cusolver final : public Solvers {
 public:
  explicit Cusolver(std::string device) : device_(std::move(device)) {}
  ~Cusolver() override {
    if (params_) api().DestroyParams(params_);
    if (handle_) api().Destroy(handle_);
  }

  /// The call that failed and why; "" if none did.
  std::string open(void* stream) {
    if (const status code = api().Create(&handle_); code != 0) return refused("cusolverDnCreate", code);
    if (const status code = api().SetStream(handle_, stream); code != 0) return refused("cusolverDnSetStream", code);
    if (const status code = api().CreateParams(&params_); code != 0) return refused("cusolverDnCreateParams", code);
    return "";
  }

  void lu(const Decomposition& d, address pivots, const Room& room) override {
    const int type = element(d.type);
    Work work;
    check("cusolverDnXgetrf_bufferSize",
          api().LuSize(handle_, params_, d.rows, d.rows, type, at(d.a), d.rows, type, &work.there, &work.here));
    void* const here = host_room(work);
    check("cusolverDnXgetrf", api().Lu(handle_, params_, d.rows, d.rows, type, at(d.a), d.rows, at<extent>(pivots), type,
                                       at(room(work.there)), work.there, here, work.here, at<int>(d.info)));
  }
  void solve(const Decomposition& d, address pivots, address x, std::int64_t count) override {
    const int type = element(d.type);
    check("cusolverDnXgetrs", api().LuSolve(handle_, params_, op_n, d.rows, count, type, at(d.a), d.rows, at<extent>(pivots),
                                            type, at(x), d.rows, at<int>(d.info)));
  }
  void cholesky(const Decomposition& d, bool upper, const Room& room) override {
    const int type = element(d.type), triangle = upper ? upper_triangle : lower_triangle;
    Work work;
    check("cusolverDnXpotrf_bufferSize",
          api().CholeskySize(handle_, params_, triangle, d.rows, type, at(d.a), d.rows, type, &work.there, &work.here));
    void* const here = host_room(work);
    check("cusolverDnXpotrf", api().Cholesky(handle_, params_, triangle, d.rows, type, at(d.a), d.rows, type,
                                             at(room(work.there)), work.there, here, work.here, at<int>(d.info)));
  }
  void eigh(const Decomposition& d, bool vectors, bool upper, address w, const Room& room) override {
    const int type = element(d.type), real = real_part(type), triangle = upper ? upper_triangle : lower_triangle;
    const int job = vectors ? with_vectors : without_vectors;
    Work work;
    check("cusolverDnXsyevd_bufferSize", api().EighSize(handle_, params_, job, triangle, d.rows, type, at(d.a), d.rows, real,
                                                        at(w), type, &work.there, &work.here));
    void* const here = host_room(work);
    check("cusolverDnXsyevd", api().Eigh(handle_, params_, job, triangle, d.rows, type, at(d.a), d.rows, real, at(w), type,
                                         at(room(work.there)), work.there, here, work.here, at<int>(d.info)));
  }
  void svd(const Decomposition& d, char job, address s, address u, address v, const Room& room) override {
    const int type = element(d.type), real = real_part(type);
    const auto letter = static_cast<signed char>(job);
    const extent m = d.rows, n = d.columns;
    Work work;
    check("cusolverDnXgesvd_bufferSize", api().SvdSize(handle_, params_, letter, letter, m, n, type, at(d.a), m, real, at(s),
                                                       type, at(u), m, type, at(v), n, type, &work.there, &work.here));
    void* const here = host_room(work);
    check("cusolverDnXgesvd",
          api().Svd(handle_, params_, letter, letter, m, n, type, at(d.a), m, real, at(s), type, at(u), m, type, at(v), n, type,
                    at(room(work.there)), work.there, here, work.here, at<int>(d.info)));
  }
  void qr(const Decomposition& d, address factors, const Room& room) override {
    const int type = element(d.type);
    Work work;
    check("cusolverDnXgeqrf_bufferSize", api().QrSize(handle_, params_, d.rows, d.columns, type, at(d.a), d.rows, type,
                                                      at(factors), type, &work.there, &work.here));
    void* const here = host_room(work);
    check("cusolverDnXgeqrf", api().Qr(handle_, params_, d.rows, d.columns, type, at(d.a), d.rows, type, at(factors), type,
                                       at(room(work.there)), work.there, here, work.here, at<int>(d.info)));
  }
  void qr_vectors(const Decomposition& d, std::int64_t count, address factors, const Room& room) override {
    struct Form {
      decltype(Api::SQSize) measure;
      decltype(Api::SQ) make;
      const char *measured, *made;
    };
    const Api& a = api();
    const Form forms[] = {{a.SQSize, a.SQ, "cusolverDnSorgqr_bufferSize", "cusolverDnSorgqr"},
                          {a.DQSize, a.DQ, "cusolverDnDorgqr_bufferSize", "cusolverDnDorgqr"},
                          {a.CQSize, a.CQ, "cusolverDnCungqr_bufferSize", "cusolverDnCungqr"},
                          {a.ZQSize, a.ZQ, "cusolverDnZungqr_bufferSize", "cusolverDnZungqr"}};
    const int type = element(d.type);
    const Form& form = forms[type < complex_32 ? type : type - 2];
    const int m = static_cast<int>(d.rows), n = static_cast<int>(d.columns), k = static_cast<int>(count);
    int elements = 0;
    check(form.measured, form.measure(handle_, m, n, k, at(d.a), m, at(factors), &elements));
    const address work = room(static_cast<size>(elements) * dtype(d.type).itemsize());
    check(form.made, form.make(handle_, m, n, k, at(d.a), m, at(factors), at(work), elements, at<int>(d.info)));
  }
  bool eig(const Decomposition& d, address w, address v, const Room& room) override {
    if (!api().Eig) return false;
    const int type = element(d.type), complex_type = type < complex_32 ? type + complex_32 : type;
    const int job = v ? with_vectors : without_vectors;
    Work work;
    check("cusolverDnXgeev_bufferSize",
          api().EigSize(handle_, params_, without_vectors, job, d.rows, type, at(d.a), d.rows, complex_type, at(w), type, nullptr,
                        d.rows, type, at(v), d.rows, type, &work.there, &work.here));
    void* const here = host_room(work);
    check("cusolverDnXgeev",
          api().Eig(handle_, params_, without_vectors, job, d.rows, type, at(d.a), d.rows, complex_type, at(w), type, nullptr,
                    d.rows, type, at(v), d.rows, type, at(room(work.there)), work.there, here, work.here, at<int>(d.info)));
    return true;
  }

 private:
  struct Work {
    size there = 0, here = 0;  // bytes
  };
  // The library may read it until the work is done: the pieces live as long as this does.
  void* host_room(const Work& work) {
    if (work.here == 0) return nullptr;
    if (host_.empty() || host_.back().size() < work.here) host_.emplace_back(work.here);
    return host_.back().data();
  }
  static std::string refused(const char* call, status code) {
    return fmt::format("its cuSOLVER can't be used ({} failed: {})", call, error_text(code));
  }
  void check(const char* call, status code) const {
    if (code != 0) [[unlikely]] throw DeviceError("device", fmt::format("{}: {} failed: {}.", device_, call, error_text(code)));
  }

  const std::string device_;
  handle handle_ = nullptr, params_ = nullptr;
  std::vector<std::vector<char>> host_;
};

}  // namespace

std::unique_ptr<Solvers> open_cusolver(const std::string& device, void* stream, std::string& why) {
  why = api().why;
  if (!why.empty()) return nullptr;
  auto made = std::make_unique<Cusolver>(device);
  why = made->open(stream);
  if (!why.empty()) return nullptr;
  return made;
}

}  // namespace numjit::devices
