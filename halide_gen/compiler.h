// The Halide code generator: kernel spec to object code.
#pragma once

#include <numjit/runtime/kernels/compiler.h>

namespace numjit::halide_gen {

class HalideCompiler final : public runtime::KernelCompiler {
 public:
  std::string identity() const override;
  /// `target`: a Halide target string such as "x86-64-linux-avx-avx2-sse41", or "host". The object's
  /// entry point is runtime::entry_symbol(name). May be called from many threads.
  std::vector<char> compile(const graph::KernelSpec& spec, const runtime::KernelVariant& variant,
                            const std::string& name, const std::string& target) override;
  runtime::KernelListing list(const graph::KernelSpec& spec, const runtime::KernelVariant& variant,
                              const std::string& name, const std::string& target) override;
};

}  // namespace numjit::halide_gen
