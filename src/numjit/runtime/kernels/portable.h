// Kernels that travel in bundles: which ones a run asks for, their code for a target, and kernels that a
// bundle brings along, which are used before the disk cache and before any compiler.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <numjit/base/hash.h>
#include <numjit/graph/kernel_spec.h>
#include <numjit/runtime/kernels/compiler.h>

namespace numjit::runtime {

struct KernelRequest {
  std::string content;  // kernel_content()
  graph::KernelSpec spec;
  KernelVariant variant;
};

/// Notes, without repeats, the kernels that this thread asks for while the scope lives.
class [[nodiscard]] kernel_notes_scope {
 public:
  kernel_notes_scope();
  ~kernel_notes_scope();
  kernel_notes_scope(const kernel_notes_scope&) = delete;
  kernel_notes_scope& operator=(const kernel_notes_scope&) = delete;
  const std::vector<KernelRequest>& requests() const { return requests_; }
  /// Called by get_kernel().
  static void note(const std::string& content, const graph::KernelSpec& spec, const KernelVariant& variant);

 private:
  std::vector<KernelRequest> requests_;
  kernel_notes_scope* outer_;
};

/// What a kernel is kept as for `target`: from the disk cache, or finish(object, name) of what the code generator makes
/// now. Throws CompileError, also without a code generator.
std::vector<char> cached_kernel(const KernelRequest& request, const std::string& target,
                                std::vector<char> (*finish)(std::vector<char> object, const std::string& name));

/// The shared object of a kernel for `target` ("host", "x86-64-v3", ..., or that of its variant, for a device): from
/// the disk cache, or compiled now. Throws CompileError, also without a code generator or linker.
std::vector<char> linked_kernel(const KernelRequest& request, const std::string& target);

/// A kernel of a bundle, for a target that this processor runs.
struct ProvidedKernel {
  std::string content;
  std::vector<char> linked;
};
/// From now on get_kernel() finds these. What failed for want of a compiler is asked for anew.
void provide_kernels(std::vector<ProvidedKernel> kernels);

/// The shared object provided for a content, or null.
std::shared_ptr<const std::vector<char>> find_provided(const hash128& content);

}  // namespace numjit::runtime
