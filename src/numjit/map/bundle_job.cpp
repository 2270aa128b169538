// Bundles: the loaded function does the calls, its program is studied only when memory or parts are planned.
#include <numjit/map/bundle_job.h>

#include <mutex>

#include <fmt/format.h>

#include <numjit/base/error.h>
#include <numjit/base/file.h>
#include <numjit/base/hash.h>
#include <numjit/runtime/kernels/cache.h>
#include <numjit/trace/export/program_run.h>

namespace numjit::map {
namespace {

class BundleJob final : public Job {
 public:
  explicit BundleJob(const std::string& path) : path_(path), function_(load_function(path)) {
    std::string bytes;
    if (const int code = detail::read_file(path, bytes)) throw OSError("map", detail::system_error_text(code, path));
    identity_ = to_hex(hash_text(bytes));
    program_ = tracing::load_program(path);
  }

  const std::string& name() const override { return function_.name(); }
  const std::string& identity() const override { return identity_; }

  std::size_t input_count(std::size_t given) const override {
    const auto kinds = function_.inputs();
    std::size_t count = kinds.front().size();
    for (const auto& kind : kinds)
      if (kind.size() == given) count = given;
    if (count == 0) throw ValueError("map", fmt::format("'{}' takes no arrays: got nothing to map it over.", path_));
    return count;
  }
  std::size_t output_count() const override { return function_.output_count(); }
  std::vector<std::size_t> changed_inputs() const override {
    std::vector<std::size_t> changed;
    const auto kinds = function_.inputs();
    for (std::size_t i = 0; i < kinds.front().size(); ++i) {
      bool any = false;
      for (const auto& kind : kinds) any = any || (i < kind.size() && kind[i].changed);
      if (any) changed.push_back(i);
    }
    return changed;
  }
  std::vector<array> run(const std::vector<array>& inputs) const override { return function_.run(inputs); }

  const tracing::Program* program(const std::vector<tracing::ArrayShape>&, bool) const override { return &program_; }
  std::vector<array> run_part(const tracing::ProgramEntry& entry, const std::vector<array>& inputs) const override {
    std::vector<node*> nodes;
    for (const array& a : inputs) nodes.push_back(a.get());
    const runtime::defer_compiles_scope deferring(true);
    std::lock_guard lock(mutex_);
    if (!runner_) runner_ = std::make_unique<tracing::ProgramRunner>(program_);
    return runner_->run(entry, nodes);
  }

 private:
  std::string path_, identity_;
  loaded_function function_;
  tracing::Program program_;
  mutable std::mutex mutex_;
  mutable std::unique_ptr<tracing::ProgramRunner> runner_;  // of parts, which run one after another
};

}  // namespace

std::unique_ptr<Job> open_bundle_job(const std::string& path) { return std::make_unique<BundleJob>(path); }

}  // namespace numjit::map
