// Chooses the loop of an element type, and gives its windows to all threads.
#include <numjit/eager/internal.h>
#include <numjit/eager/window_sums.h>

namespace numjit::eager {
namespace {

window_fn windows_of(dtype_id type) {
  const window_kernels& kernels = loops().windows;
  switch (type) {
    case dtype_id::float64: return kernels.float64;
    case dtype_id::float32: return kernels.float32;
    case dtype_id::int64:
    case dtype_id::uint64: return kernels.uint64;
    case dtype_id::int32:
    case dtype_id::uint32: return kernels.uint32;
    default: return nullptr;
  }
}

}  // namespace

bool sums_windows(dtype_id type, std::int64_t m) { return m <= chunk_size * chunk_size && windows_of(type); }

void sum_windows(dtype_id type, const char* a, const char* v, std::int64_t m, std::int64_t count, char* out) {
  const window_fn sums = windows_of(type);
  const std::int64_t item = size_of(type), grain = m <= lane_count ? 4096 : 64;
  const double ns = 0.15 * static_cast<double>(count * m);
  numjit::detail::parallel_ranges(count, grain, ns, [&](std::int64_t begin, std::int64_t end) {
    sums(a + begin * item, v, m, end - begin, out + begin * item);
  });
}

}  // namespace numjit::eager
