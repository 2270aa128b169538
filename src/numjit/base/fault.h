// Faults on purpose: tests make a phase fail that can't be made to fail otherwise.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace numjit::detail {

/// value: kernels write a wrong bit. allocation: no memory can be had. timeout: the code generator takes
/// longer than config.compile_timeout_ms. crash: it ends the process. disk_full: `numjit map` can't write
/// outputs (`disk_full@a`: those of the file a). slow_record: recorded calls of a trial (config.adaptive) count
/// a second more.
enum class fault_point : std::uint8_t {
  lower,
  halide,
  link,
  load,
  cache_read,
  cache_write,
  value,
  allocation,
  timeout,
  crash,
  disk_full,
  slow_record,
};

/// Replaces the set of phases that fail: a comma list of the names above, "" for none. `halide@tanh` fails
/// only for kernels with that op, `timeout>8` only for those of more than 8 ops. At start it is that of
/// NUMJIT_FAULT. ValueError for other names.
void inject_fault(std::string_view phases);

/// What inject_fault() was called with last.
std::string injected_faults();
/// Those among them that change what a compile gives: part of the key of cached kernels.
std::string injected_compile_faults();

inline std::atomic<unsigned> fault_mask{0};
/// Does a fault of this point apply to the kernel at work on this thread?
bool fault_applies(fault_point point) noexcept;
inline bool fault_injected(fault_point point) noexcept {
  const unsigned mask = fault_mask.load(std::memory_order_relaxed);
  return (mask >> static_cast<unsigned>(point) & 1) && fault_applies(point);
}

/// Names the ops of the kernel at work on this thread, for faults that are tied to some. Outside of a
/// scope there are none.
class [[nodiscard]] fault_subject_scope {
 public:
  explicit fault_subject_scope(std::span<const std::string_view> ops);
  ~fault_subject_scope();
  fault_subject_scope(const fault_subject_scope&) = delete;
  fault_subject_scope& operator=(const fault_subject_scope&) = delete;

 private:
  std::span<const std::string_view> ops_;
  const std::span<const std::string_view>* outer_;
};

/// "lower", "halide", ...
std::string_view fault_name(fault_point point) noexcept;

}  // namespace numjit::detail
