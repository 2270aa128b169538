// The stages of one file.
#include <numjit/map/stages.h>

#include <fmt/format.h>

#include <numjit/base/error.h>
#include <numjit/base/fault.h>

namespace numjit::map {
namespace {

bool is_archive(const Task& task) { return task.inputs[0].ends_with(".npz"); }

}  // namespace

std::int64_t bytes_of(const std::vector<array>& arrays) {
  std::int64_t bytes = 0;
  for (const array& a : arrays) bytes += a.empty_handle() ? 0 : a.nbytes();
  return bytes;
}

std::vector<tracing::ArrayShape> input_shapes(const Task& task) {
  std::vector<tracing::ArrayShape> shapes;
  if (is_archive(task)) return shapes;
  for (const std::string& path : task.inputs) {
    const NpyShape about = npy_shape(path);
    shapes.push_back({about.dtype.id(), about.shape});
  }
  return shapes;
}

bool FileStages::is_shared(const std::string& path) const {
  if (context_.shape.inputs < 2) return false;
  for (const std::string& pattern : context_.options.patterns)
    if (pattern == path) return true;
  return false;
}

array FileStages::shared(const std::string& path) {
  std::lock_guard lock(mutex_);
  array& known = shared_[path];
  if (known.empty_handle()) known = read_npy(path);
  return known;
}

/// Bytes of inputs, results and temporaries; twice the files where no graph tells.
std::int64_t FileStages::cost_of(const Item& item) const {
  std::int64_t files = 0;
  for (const FileStamp& stamp : item.stamps) files += stamp.size;
  const std::vector<tracing::ArrayShape> shapes = input_shapes(item.task);
  const tracing::Program* program = shapes.empty() ? nullptr : context_.job.program(shapes, false);
  if (!program) return 2 * files;
  const tracing::CallCost cost = tracing::call_cost(*program, tracing::entry_for(*program, shapes), shapes);
  return cost.complete ? cost.bytes : std::max(cost.bytes, 2 * files);
}

void FileStages::plan(Item& item) {
  std::vector<std::int64_t> sizes;
  for (const std::string& path : item.task.inputs) {
    item.stamps.push_back(stamp_of(path));
    sizes.push_back(item.stamps.back().size);
  }
  {
    std::lock_guard lock(mutex_);
    if (const auto known = costs_.find(sizes); known != costs_.end()) {
      item.cost = known->second;
      return;
    }
  }
  item.cost = cost_of(item);
  std::lock_guard lock(mutex_);
  if (costs_.size() < 10000) costs_.emplace(sizes, item.cost);
}

void FileStages::read(Item& item, int lane) {
  StageScope scope(context_.timeline, Stage::read, item.task.number, lane);
  if (is_archive(item.task)) {
    item.inputs = read_npz(item.task.inputs[0], context_.options.members, context_.shape.inputs);
  } else {
    for (const std::string& path : item.task.inputs) item.inputs.push_back(is_shared(path) ? shared(path) : read_npy(path));
    // What all tasks share is not for one of them to change.
    for (std::size_t i : context_.shape.inputs < 2 ? std::vector<std::size_t>() : context_.job.changed_inputs())
      if (is_shared(item.task.inputs[i])) item.inputs[i] = item.inputs[i].copy();
  }
  scope.finish(bytes_of(item.inputs));
}

/// Inputs that are the same array for each task, and that the function only reads.
std::vector<bool> FileStages::common_inputs(const Item& item) const {
  std::vector<bool> common(item.inputs.size(), false);
  if (is_archive(item.task)) return common;
  for (std::size_t i = 0; i < common.size(); ++i) common[i] = is_shared(item.task.inputs[i]);
  for (std::size_t i : context_.job.changed_inputs())
    if (i < common.size()) common[i] = false;
  return common;
}

void FileStages::compute(Item& item, Computer& computer, int lane) {
  const std::size_t number = item.task.number;
  if (computer.moves_data()) {
    StageScope scope(context_.timeline, Stage::to_device, number, lane);
    item.inputs = computer.upload(std::move(item.inputs), common_inputs(item));
    scope.finish(bytes_of(item.inputs));
  }
  {
    StageScope scope(context_.timeline, Stage::compute, number, lane);
    item.results = computer.run(context_.job, item.inputs);
    scope.finish(bytes_of(item.inputs) + bytes_of(item.results));
  }
  for (std::size_t i : context_.shape.changed) item.results.push_back(item.inputs[i]);
  item.inputs.clear();
  if (computer.moves_data()) {
    StageScope scope(context_.timeline, Stage::from_device, number, lane);
    item.results = computer.download(std::move(item.results));
    scope.finish(bytes_of(item.results));
  }
}

void FileStages::write(Item& item, int lane) {
  StageScope scope(context_.timeline, Stage::write, item.task.number, lane);
  const std::string_view subject[] = {item.task.name};
  const detail::fault_subject_scope tested(subject);
  const std::vector<std::string> names = output_names(item.task, context_.shape);
  std::vector<std::unique_ptr<OutputFile>> files;
  for (const std::string& name : names)
    files.push_back(std::make_unique<OutputFile>(context_.options.folder + "/" + name, context_.journal.temporary()));
  if (context_.shape.npz) {
    named_arrays all;
    for (std::size_t i = 0; i < item.results.size(); ++i)
      all.emplace_back(i < context_.shape.outputs ? fmt::format("arr_{}", i)
                                                  : fmt::format("arg_{}", context_.shape.changed[i - context_.shape.outputs]),
                       item.results[i]);
    files[0]->write_npz(all);
  } else {
    for (std::size_t i = 0; i < files.size(); ++i) files[i]->write_npy(item.results[i]);
  }
  publish(context_, item.task, item.stamps, files);
  std::int64_t bytes = 0;
  for (const auto& file : files) bytes += file->bytes();
  scope.finish(bytes);
  item.results.clear();
}

void publish(MapContext& context, const Task& task, const std::vector<FileStamp>& stamps,
             const std::vector<std::unique_ptr<OutputFile>>& files) {
  std::vector<std::pair<std::string, FileStamp>> outputs;
  for (const auto& file : files)
    outputs.emplace_back(file->path().substr(context.options.folder.size() + 1), file->finish(context.options.sync));
  context.journal.note(task, stamps, outputs, context.options.sync);
  for (const auto& file : files) file->rename();
}

}  // namespace numjit::map
