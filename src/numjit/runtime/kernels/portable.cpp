// Kernels on their way into bundles and out of them.
#include <numjit/runtime/kernels/portable.h>

#include <algorithm>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include <numjit/base/error.h>
#include <numjit/runtime/kernels/cache.h>
#include <numjit/runtime/kernels/disk_cache.h>
#include <numjit/runtime/kernels/key.h>
#include <numjit/runtime/kernels/linker.h>
#include <numjit/runtime/kernels/plugin.h>

namespace numjit::runtime {
namespace {

constinit thread_local kernel_notes_scope* noting [[gnu::tls_model("initial-exec")]] = nullptr;

struct Provided {
  std::mutex mutex;
  std::unordered_map<hash128, std::shared_ptr<const std::vector<char>>> kernels;
};
Provided& provided() {
  static auto& instance = *new Provided;
  return instance;
}

}  // namespace

kernel_notes_scope::kernel_notes_scope() : outer_(std::exchange(noting, this)) {}
kernel_notes_scope::~kernel_notes_scope() { noting = outer_; }

void kernel_notes_scope::note(const std::string& content, const graph::KernelSpec& spec, const KernelVariant& variant) {
  if (!noting) [[likely]]
    return;
  auto& list = noting->requests_;
  const bool known = std::any_of(list.begin(), list.end(), [&](const auto& r) { return r.content == content; });
  if (!known) list.push_back({content, spec, variant});
}

std::vector<char> cached_kernel(const KernelRequest& request, const std::string& target,
                                std::vector<char> (*finish)(std::vector<char> object, const std::string& name)) {
  const std::string name = kernel_name(request.content), folder = cache_folder();
  const std::string key = folder.empty() ? "" : disk_key(name, request.content, target);
  if (!key.empty()) {
    std::optional<CacheEntry> entry = read_cache(folder, key);
    if (entry && entry->kind != CacheKind::quarantine) return std::move(entry->payload);
  }
  KernelCompiler* compiler = kernel_compiler();
  if (!compiler) throw CompileError("compile", fmt::format("no code generator: {}", plugin_error()));
  std::vector<char> kept = finish(compiler->compile(request.spec, request.variant, name, target), name);
  if (!key.empty()) write_cache(folder, key, kind_of_kernel(kept), kept);
  return kept;
}

std::vector<char> linked_kernel(const KernelRequest& request, const std::string& target) {
  if (!request.variant.target.empty())
    return cached_kernel(request, target,
                         [](std::vector<char> object, const std::string& name) { return kernel_image(object, name, true); });
  return cached_kernel(request, target,
                       [](std::vector<char> object, const std::string& name) { return kernel_image(object, name); });
}

void provide_kernels(std::vector<ProvidedKernel> kernels) {
  std::vector<hash128> contents;
  {
    std::lock_guard lock(provided().mutex);
    for (ProvidedKernel& kernel : kernels) {
      contents.push_back(hash_text(kernel.content));
      provided().kernels.try_emplace(contents.back(), std::make_shared<const std::vector<char>>(std::move(kernel.linked)));
    }
  }
  forget_failed_kernels(contents);
}

std::shared_ptr<const std::vector<char>> find_provided(const hash128& content) {
  std::lock_guard lock(provided().mutex);
  const auto found = provided().kernels.find(content);
  return found == provided().kernels.end() ? nullptr : found->second;
}

}  // namespace numjit::runtime
