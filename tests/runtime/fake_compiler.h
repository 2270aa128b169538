// A code generator for tests that writes a tiny object file by itself: no Halide, no assembler.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include <numjit/runtime/kernels/compiler.h>

namespace numjit::runtime {

/// Kernels it makes store `value` to the int64 that argv[0] points to, and return 0.
class FakeCompiler final : public KernelCompiler {
 public:
  std::string identity() const override { return "fake-1"; }
  std::vector<char> compile(const graph::KernelSpec& spec, const KernelVariant& variant,
                            const std::string& name, const std::string& target) override;

  std::atomic<int> value{42};
  std::atomic<int> compiles{0};
  std::function<void()> before;  // runs in each compile: may sleep or throw
};

/// An x86-64 ELF object whose one function `symbol` is `code`.
std::vector<char> make_object(const std::string& symbol, const std::vector<unsigned char>& code);

}  // namespace numjit::runtime
