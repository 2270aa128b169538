// cuFFT over the recording driver: calls are written down, and transforms computed on the host by their definition when
// the stream comes to them.
#include <cmath>
#include <complex>
#include <cstdio>
#include <numbers>
#include <string>
#include <vector>

#include "fake_cuda.h"

namespace {

constexpr int invalid_plan = 1, invalid_value = 4;
constexpr int r2c = 0x2a, c2r = 0x2c, c2c = 0x29, d2z = 0x6a, z2d = 0x6c, z2z = 0x69;

struct Plan {
  bool open = false;
  int type = 0;
  long long n = 0, count = 0, in = 0, out = 0;
  void* stream = nullptr;
};
std::vector<Plan>& plans() {
  static auto& all = *new std::vector<Plan>(1);  // 0 is none
  return all;
}

struct Work {
  Plan plan;
  int number;
  const void* from;
  void* to;
  int direction;
};

template <class T>
void compute(const Work& w) {
  using C = std::complex<T>;
  const Plan& p = w.plan;
  const bool from_real = p.type == r2c || p.type == d2z, to_real = p.type == c2r || p.type == z2d;
  const auto item = [](bool real) { return real ? sizeof(T) : sizeof(C); };
  if (!fake_has(w.from, static_cast<std::size_t>(p.in * p.count) * item(from_real)) ||
      !fake_has(w.to, static_cast<std::size_t>(p.out * p.count) * item(to_real)))
    return;
  for (long long line = 0; line < p.count; ++line) {
    std::vector<C> x(static_cast<std::size_t>(p.n));
    for (long long k = 0; k < p.n; ++k) {
      const C* in = static_cast<const C*>(w.from) + line * p.in;
      auto& to = x[static_cast<std::size_t>(k)];
      if (from_real) to = static_cast<const T*>(w.from)[line * p.in + k];
      else to = to_real && 2 * k > p.n ? std::conj(in[p.n - k]) : in[k];
    }
    for (long long k = 0; k < p.out; ++k) {
      std::complex<double> sum = 0;
      for (long long j = 0; j < p.n; ++j) {
        const double turn = 2 * std::numbers::pi * static_cast<double>(j * k % p.n) / static_cast<double>(p.n);
        sum += std::complex<double>(x[static_cast<std::size_t>(j)]) * std::polar(1.0, w.direction * turn);
      }
      if (to_real) static_cast<T*>(w.to)[line * p.out + k] = static_cast<T>(sum.real());
      else static_cast<C*>(w.to)[line * p.out + k] = C(sum);
    }
  }
  // The real one may use its input as room.
  if (to_real)
    for (long long i = 0; i < p.in * p.count; ++i) const_cast<C*>(static_cast<const C*>(w.from))[i] = C(-1e30f, 1e30f);
}

int run(const char* name, int plan, int type, const void* from, void* to, int direction) {
  const bool known = plan > 0 && static_cast<std::size_t>(plan) < plans().size() && plans()[static_cast<std::size_t>(plan)].open;
  if (!known) return invalid_plan;
  const Plan& p = plans()[static_cast<std::size_t>(plan)];
  if (int code = fake_call(
          name, (std::to_string(p.n) + " times " + std::to_string(p.count) + " way " + std::to_string(direction)).c_str()))
    return code;
  if (p.type != type || !p.stream || from == to) return invalid_value;
  fake_give(p.stream, [](void* context) {
    auto* work = static_cast<Work*>(context);
    (work->plan.type & 0x40) ? compute<double>(*work) : compute<float>(*work);
    if (!plans()[static_cast<std::size_t>(work->number)].open) fake_has(nullptr, 1);  // a graph that outlived its plan
  }, new Work{p, plan, from, to, direction}, [](void* context) { delete static_cast<Work*>(context); });
  return 0;
}

}  // namespace

extern "C" {

int cufftCreate(int* plan) {
  if (int code = fake_call("cufftCreate", "")) return code;
  *plan = static_cast<int>(plans().size());
  plans().push_back({true, 0, 0, 0, 0, 0, nullptr});
  return 0;
}
int cufftDestroy(int plan) {
  fake_call("cufftDestroy", "");
  if (void* stream = plans()[static_cast<std::size_t>(plan)].stream) fake_wait(stream);  // as freeing of its memory does
  plans()[static_cast<std::size_t>(plan)].open = false;
  return 0;
}
int cufftSetStream(int plan, void* stream) {
  if (int code = fake_call("cufftSetStream", "")) return code;
  plans()[static_cast<std::size_t>(plan)].stream = stream;
  return 0;
}
int cufftMakePlanMany64(int plan, int rank, long long* n, long long* in_lengths, long long in_step, long long in_distance,
                        long long* out_lengths, long long out_step, long long out_distance, int type, long long count,
                        std::size_t* work) {
  char what[96];
  std::snprintf(what, sizeof what, "type %x %lld times %lld", static_cast<unsigned>(type), n[0], count);
  if (int code = fake_call("cufftMakePlanMany64", what)) return code;
  if (rank != 1 || in_step != 1 || out_step != 1 || count < 1 || n[0] < 1 || in_distance < 1 || out_distance < 1)
    return invalid_value;
  if (in_lengths[0] != in_distance || out_lengths[0] != out_distance) return invalid_value;
  Plan& p = plans()[static_cast<std::size_t>(plan)];
  p.type = type, p.n = n[0], p.count = count, p.in = in_distance, p.out = out_distance;
  return *work = 0, 0;
}
int cufftExecC2C(int plan, void* from, void* to, int direction) { return run("cufftExecC2C", plan, c2c, from, to, direction); }
int cufftExecZ2Z(int plan, void* from, void* to, int direction) { return run("cufftExecZ2Z", plan, z2z, from, to, direction); }
int cufftExecR2C(int plan, void* from, void* to) { return run("cufftExecR2C", plan, r2c, from, to, -1); }
int cufftExecD2Z(int plan, void* from, void* to) { return run("cufftExecD2Z", plan, d2z, from, to, -1); }
int cufftExecC2R(int plan, void* from, void* to) { return run("cufftExecC2R", plan, c2r, from, to, 1); }
int cufftExecZ2D(int plan, void* from, void* to) { return run("cufftExecZ2D", plan, z2d, from, to, 1); }

}  // extern "C"
