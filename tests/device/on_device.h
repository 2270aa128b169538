// Functions on arrays of the host and of an OpenCL device, compared.
#pragma once

#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include <device/opencl.h>

namespace numjit::testing {

inline std::int64_t host_work() {
  std::int64_t count = 0;
  for (const auto& w : device_host_work()) count += w.count;
  return count;
}

/// What it did, for messages.
inline std::string host_ops() {
  std::string list;
  for (const auto& w : device_host_work()) list += w.op + " (" + std::to_string(w.count) + ") ";
  return list;
}

/// A function of one place in a test meets more dtypes and layouts than users' functions do.
[[maybe_unused]] inline const bool meets_all_dtypes = [] {
  config().recompile_limit = 1000;
  return true;
}();

/// The function on arrays of the host and of the device: same bits, and the host is not asked.
template <class F, class... Arrays>
void expect_there(const F& f, const Arrays&... arrays) {
  auto compiled = compile(f);
  const array want = f(arrays...);
  const auto there = std::tuple(array(arrays.to(device_kind()))...);
  const std::int64_t before = host_work();
  const array got = std::apply(compiled, there);
  EXPECT_EQ(got.device(), device_name());
  EXPECT_EQ(host_work(), before) << host_ops();
  expect_same(want, got);
}

inline const std::vector<dtype>& all_dtypes() {
  static const std::vector<dtype> all = {bool_,  int8,   int16,   int32,   int64,     uint8,     uint16,
                                         uint32, uint64, float16, float32, float64, complex64, complex128};
  return all;
}

}  // namespace numjit::testing
