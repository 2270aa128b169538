// The interface a code generator implements, and where it registers. Nothing here knows Halide.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <numjit/graph/kernel_spec.h>

namespace numjit::runtime {

/// Which code shape a kernel is compiled for: everything besides the spec that is part of its key.
struct KernelVariant {
  std::string schedule;                    // template, e.g. "elementwise", "rows", "panel", "flat", "product"
  std::vector<std::uint8_t> inner_stride;  // per operand, inputs then outputs: 0, 1, 2 (any) or a
                                           // class of the template's own (abi.h)
  std::uint32_t size_class = 0;            // template's own size class, 0 = general
  bool fast_math = false;                  // config.float_mode == fast
  std::string target = {};                 // of kernels for a device; "": the processor's
};

/// What a code generator made of a kernel, as texts for people. Empty ones are unknown to it.
struct KernelListing {
  std::string loop_nest;  // the loops that the schedule gave
  std::string statement;  // the lowered program
  std::string assembly;
};

/// A code generator (Halide on the CPU; others later). Implemented by a plug-in library that is
/// loaded at the first compile and registers itself; compile() may be called from many threads.
class KernelCompiler {
 public:
  virtual ~KernelCompiler() = default;
  /// Name and version, part of the disk-cache key: "halide-21.0.0".
  virtual std::string identity() const = 0;
  /// Object code (position independent) with one C entry point `name` taking `void** argv`.
  /// Throws CompileError.
  virtual std::vector<char> compile(const graph::KernelSpec& spec, const KernelVariant& variant, const std::string& name,
                                    const std::string& target) = 0;
  /// The same kernel as texts: for logs and debug folders, at the price of a second compile.
  virtual KernelListing list(const graph::KernelSpec&, const KernelVariant&, const std::string& /*name*/,
                             const std::string& /*target*/) {
    return {};
  }
};

/// Called by the plug-in when it is loaded.
void register_kernel_compiler(KernelCompiler* compiler);

}  // namespace numjit::runtime
