// Workloads that count, select, look up, sort and draw.
#include "workloads.h"

namespace bench {
namespace {

namespace np = numjit;

np::array bincount(const np::array& x) { return np::bincount(x, {}, 1000); }

np::array histogram2d(const np::array& x, const np::array& y) {
  auto cell = np::floor(x * 100).astype(np::int64) * 100 + np::floor(y * 100).astype(np::int64);
  return np::bincount(cell, {}, 10000).reshape(100, 100);
}

np::array mask_read(const np::array& x) { return x(x > 0.5); }

np::array mask_store(const np::array& x) {
  auto y = x.copy();
  y(y > 0.5) = 0.5;
  return y;
}

np::array sort(const np::array& x) { return np::sort(x); }
np::array unique(const np::array& x) { return np::unique(x); }
np::array searchsorted(const np::array& edges, const np::array& x) {
  return np::searchsorted(edges, x);
}

np::array normals(const np::array& scale) {
  return np::random::default_rng(7).standard_normal({1000, scale.size()}) * scale;
}

}  // namespace

std::span<const Workload> data_workloads() {
  static constexpr Workload all[] = {
      make<bincount>("bincount"),     make<histogram2d>("histogram2d"),
      make<mask_read>("mask_read"),   make<mask_store>("mask_store"),
      make<sort>("sort"),             make<unique>("unique"),
      make<searchsorted>("searchsorted"), make<normals>("normals"),
  };
  return all;
}

}  // namespace bench
