// From kernel specs to modules of WebAssembly: the templates of runtime/kernels/abi.h.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <numjit/graph/kernel_spec.h>
#include <numjit/runtime/kernels/compiler.h>

namespace numjit::wasm_gen {

/// Where the code will run.
struct Target {
  bool simd = true;
};
/// Memory that a thread gives to the kernels it runs: `env.scratch` of their modules.
inline constexpr std::uint32_t scratch_bytes = 256 * 1024;

/// "" if write_kernel() can make this kernel, else what it lacks, as a sentence's end: "prod of complex64 ...".
std::string what_is_missing(const graph::KernelSpec& spec, const runtime::KernelVariant& variant);

/// The bytes of a module that imports `env.memory` and exports `run`, a kernel's entry point.
std::vector<char> write_kernel(const graph::KernelSpec& spec, const runtime::KernelVariant& variant, const Target& target);

}  // namespace numjit::wasm_gen
