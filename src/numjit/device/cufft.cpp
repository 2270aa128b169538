// cuFFT, opened at run time.
#include <algorithm>
#include <array>
#include <memory>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <numjit/base/error.h>
#include <numjit/device/cuda_library.h>
#include <numjit/device/transforms.h>

namespace numjit::devices {
namespace {

using handle = int;
using status = int;

// Values of cuFFT's enumerations.
constexpr int real_to_complex = 0x2a, complex_to_real = 0x2c, complex_to_complex = 0x29, of_doubles = 0x40;
constexpr int forward = -1, inverse = 1;

#define NUMJIT_CUFFT(X)                                                                                                \
  X(Create, "cufftCreate", handle*)                                                                                    \
  X(Destroy, "cufftDestroy", handle)                                                                                   \
  X(SetStream, "cufftSetStream", handle, void*)                                                                        \
  X(MakePlanMany64, "cufftMakePlanMany64", handle, int, long long*, long long*, long long, long long, long long*,      \
    long long, long long, int, long long, std::size_t*)                                                                \
  X(ExecC2C, "cufftExecC2C", handle, void*, void*, int)                                                                \
  X(ExecZ2Z, "cufftExecZ2Z", handle, void*, void*, int)                                                                \
  X(ExecR2C, "cufftExecR2C", handle, void*, void*)                                                                     \
  X(ExecD2Z, "cufftExecD2Z", handle, void*, void*)                                                                     \
  X(ExecC2R, "cufftExecC2R", handle, void*, void*)                                                                     \
  X(ExecZ2D, "cufftExecZ2D", handle, void*, void*)

struct Api {
  NUMJIT_CUFFT(NUMJIT_LIBRARY_FIELD)
  std::string why;  // it is not usable
};

Api load() {
  Api api;
  cuda::open_library({"cuFFT", {"libcufft.so.12", "libcufft.so.11", "libcufft.so.10"}, 10},
                     {NUMJIT_CUFFT(NUMJIT_LIBRARY_FUNCTION)}, api.why);
  return api;
}

const Api& api() {
  static const auto& fft = *new Api(load());
  return fft;
}

std::string error_text(status code) {
  static constexpr const char* names[] = {"CUFFT_SUCCESS",      "CUFFT_INVALID_PLAN",  "CUFFT_ALLOC_FAILED",
                                          "CUFFT_INVALID_TYPE", "CUFFT_INVALID_VALUE", "CUFFT_INTERNAL_ERROR",
                                          "CUFFT_EXEC_FAILED",  "CUFFT_SETUP_FAILED",  "CUFFT_INVALID_SIZE"};
  const bool known = code >= 0 && code < static_cast<status>(std::size(names));
  return fmt::format("{} ({})", known ? names[code] : "cuFFT result", code);
}

class Cufft final : public Transforms {
 public:
  Cufft(std::string device, void* stream) : device_(std::move(device)), stream_(stream) {}

  bool run(const Transform& t) override {
    const Api& fft = api();
    void *from = reinterpret_cast<void*>(t.from), *to = reinterpret_cast<void*>(t.to);
    const handle plan = plan_of(t);
    const int direction = t.kind == TransformKind::forward ? forward : inverse;
    switch (t.kind) {
      case TransformKind::from_real:
        check(t.single ? "cufftExecR2C" : "cufftExecD2Z", (t.single ? fft.ExecR2C : fft.ExecD2Z)(plan, from, to));
        break;
      case TransformKind::to_real:
        check(t.single ? "cufftExecC2R" : "cufftExecZ2D", (t.single ? fft.ExecC2R : fft.ExecZ2D)(plan, from, to));
        break;
      default:
        check(t.single ? "cufftExecC2C" : "cufftExecZ2Z", (t.single ? fft.ExecC2C : fft.ExecZ2Z)(plan, from, to, direction));
    }
    return true;
  }
  std::shared_ptr<const void> in_use() override { return plans_.front().made; }

 private:
  /// A plan of the library, with its memory. Graphs of launches may need it longer than it is kept here.
  struct Made {
    ~Made() {
      if (open) api().Destroy(plan);
    }
    handle plan = 0;
    bool open = false;
  };
  struct Plan {
    std::array<std::int64_t, 3> key;
    std::shared_ptr<Made> made;
  };
  static int type_of(const Transform& t) {
    const int type = t.kind == TransformKind::from_real ? real_to_complex
                     : t.kind == TransformKind::to_real ? complex_to_real
                                                        : complex_to_complex;
    return t.single ? type : type | of_doubles;
  }

  // Plans take long to make and hold memory: the last few are kept.
  handle plan_of(const Transform& t) {
    const std::array<std::int64_t, 3> key{type_of(t), t.n, t.count};
    const auto found = std::find_if(plans_.begin(), plans_.end(), [&](const Plan& p) { return p.key == key; });
    if (found != plans_.end()) {
      std::rotate(plans_.begin(), found, found + 1);
      return plans_.front().made->plan;
    }
    auto made = std::make_shared<Made>();
    check("cufftCreate", api().Create(&made->plan));
    made->open = true;
    const long long half = t.n / 2 + 1, in = t.kind == TransformKind::to_real ? half : t.n,
                    out = t.kind == TransformKind::from_real ? half : t.n;
    long long n[] = {t.n}, in_lengths[] = {in}, out_lengths[] = {out};
    std::size_t work = 0;
    check("cufftMakePlanMany64",
          api().MakePlanMany64(made->plan, 1, n, in_lengths, 1, in, out_lengths, 1, out, type_of(t), t.count, &work));
    check("cufftSetStream", api().SetStream(made->plan, stream_));
    constexpr std::size_t most = 8;
    if (plans_.size() == most) plans_.pop_back();
    plans_.insert(plans_.begin(), {key, made});
    return made->plan;
  }
  void check(const char* call, status code) const {
    if (code != 0) [[unlikely]] throw DeviceError("device", fmt::format("{}: {} failed: {}.", device_, call, error_text(code)));
  }

  const std::string device_;
  void* const stream_;
  std::vector<Plan> plans_;  // most recent first
};

}  // namespace

std::unique_ptr<Transforms> open_cufft(const std::string& device, void* stream, std::string& why) {
  why = api().why;
  return why.empty() ? std::make_unique<Cufft>(device, stream) : nullptr;
}

}  // namespace numjit::devices
