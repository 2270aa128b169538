// What is told about kernels as they come to be: log channels schedule, code and perf_hints, and the
// files of the debug folder.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <numjit/graph/kernel_spec.h>
#include <numjit/runtime/kernels/compiler.h>

namespace numjit::runtime {

/// A kernel that has become ready, and how.
struct KernelEvent {
  const std::string& name;
  const std::string& function;  // compiled function that asked for it
  const graph::KernelSpec& spec;
  const KernelVariant& variant;
  const std::string& content;  // text of variant and spec
  bool from_disk = false;
  double codegen_ms = 0, link_ms = 0, load_ms = 0, disk_ms = 0;
};

/// Tells the channels that are on, and the debug folder if there is one. Nothing otherwise; with a
/// channel or folder that shows code, the kernel is listed, which compiles it once more.
void report_kernel(const KernelEvent& event) noexcept;

/// A kernel that became ready while somebody watched.
struct CompileEvent {
  std::string name;                   // "elementwise nj_0123456789abcdef of f", and where it came from
  std::int64_t begin_ns = 0, ns = 0;  // of the steady clock
};
/// Kernels that become ready are noted while there is a watch, of whatever thread.
class CompileWatch {
 public:
  CompileWatch();
  ~CompileWatch();
  CompileWatch(const CompileWatch&) = delete;
  CompileWatch& operator=(const CompileWatch&) = delete;
  /// Those since this watch began, at most 5,000.
  std::vector<CompileEvent> events() const;

 private:
  std::int64_t begin_ns_;
};

/// Says which operands a new kernel has to pick element by element (perf_hints).
void report_strides(const std::string& name, const std::string& function, const graph::KernelSpec& spec,
                    const KernelVariant& variant);

}  // namespace numjit::runtime
