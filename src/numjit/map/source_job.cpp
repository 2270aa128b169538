// A compiled function of a source: it is called itself, and exported small only to look at its graphs.
#include <numjit/map/source_job.h>

#include <filesystem>
#include <mutex>

#include <fmt/format.h>
#include <unistd.h>

#include <numjit/array/marks.h>
#include <numjit/base/error.h>
#include <numjit/base/file.h>
#include <numjit/map.h>
#include <numjit/map/source_build.h>

namespace numjit::map {
namespace {

using tracing::ArrayShape;
using tracing::Program;

constexpr std::int64_t small_extent = 11;
constexpr std::int64_t largest_example = std::int64_t{1} << 28;  // bytes

class SourceJob final : public Job {
 public:
  explicit SourceJob(const std::string& path) : name_(path), built_(build_source(path)) {}

  const std::string& name() const override { return name_; }
  const std::string& identity() const override { return built_.identity; }
  std::size_t input_count(std::size_t) const override { return built_.function->input_count(); }
  std::size_t output_count() const override { return built_.function->output_count(); }
  std::vector<std::size_t> changed_inputs() const override { return built_.function->changed_inputs(); }
  std::vector<array> run(const std::vector<array>& inputs) const override { return built_.function->call(inputs); }
  std::vector<array> run_part(const tracing::ProgramEntry&, const std::vector<array>& inputs) const override {
    return run(inputs);
  }

  /// The function on small arrays, with one size left open after the other until parts are possible.
  const Program* program(const std::vector<ArrayShape>& shapes, bool for_parts) const override {
    if (!for_parts || shapes.empty()) return nullptr;
    std::lock_guard lock(mutex_);
    std::size_t seed = 0;
    for (std::size_t i = 1; i < shapes.size(); ++i)
      if (shapes[i].bytes() > shapes[seed].bytes()) seed = i;
    const Program* last = nullptr;
    for (std::int64_t extent : shapes[seed].shape) {
      const Program* made = program_with(shapes, extent);
      if (!made) continue;
      last = made;
      if (tracing::find_tiling(*made, tracing::entry_for(*made, shapes), shapes).tiling) return made;
    }
    return last;
  }

 private:
  /// Arrays as those of `shapes`, but small wherever a size is `extent`, which is marked as open.
  const Program* program_with(const std::vector<ArrayShape>& shapes, std::int64_t extent) const {
    if (extent <= small_extent) return nullptr;
    std::vector<array> example;
    std::int64_t bytes = 0;
    for (ArrayShape shape : shapes) {
      dims open;
      for (int axis = 0; axis < shape.shape.size(); ++axis)
        if (shape.shape[axis] == extent) {
          shape.shape[axis] = small_extent;
          open.push_back(axis);
        }
      bytes += shape.bytes();
      if (bytes > largest_example) return nullptr;
      example.push_back(ones(shape.shape, numjit::dtype(shape.type)));
      for (std::int64_t axis : open) mark_dynamic(example.back(), static_cast<int>(axis));
    }
    std::string folder = std::filesystem::temp_directory_path() / "numjit-map-XXXXXX";
    if (!mkdtemp(folder.data())) throw OSError("map", detail::system_error_text(errno, folder));
    try {
      built_.function->export_to(example, folder + "/example.npj");
      programs_.push_back(std::make_unique<Program>(tracing::load_program(folder + "/example.npj")));
    } catch (const error&) {
      // A function that can't be exported is no worse than one that can't be done in parts.
      std::filesystem::remove_all(folder);
      return nullptr;
    }
    std::filesystem::remove_all(folder);
    return programs_.back().get();
  }

  std::string name_;
  BuiltSource built_;
  mutable std::mutex mutex_;
  mutable std::vector<std::unique_ptr<Program>> programs_;
};

}  // namespace

std::unique_ptr<Job> open_source_job(const std::string& path) { return std::make_unique<SourceJob>(path); }

}  // namespace numjit::map
