// Parts of files: how large they may be, and their way through the stages.
#include <numjit/map/parts.h>

#include <algorithm>
#include <exception>
#include <thread>

#include <fmt/format.h>

#include <numjit/base/buffer_pool.h>
#include <numjit/base/error.h>
#include <numjit/base/fault.h>
#include <numjit/map/queue.h>

namespace numjit::map {
namespace {

using tracing::ArrayShape;
using tracing::CallCost;
using tracing::Program;
using tracing::ProgramEntry;
using tracing::Tiling;

std::string size_text(std::int64_t bytes) { return detail::format_bytes(static_cast<std::uint64_t>(bytes)); }

[[noreturn]] void refuse(const MapContext& context, const Item& item, const std::string& why) {
  const std::string remedy = context.device_bounds ? fmt::format("{} has no more.", context.device) : "Raise --memory.";
  throw ValueError("map", fmt::format("'{}' needs {} of memory: got {}. {} {}", item.task.inputs[0], size_text(item.cost),
                                      size_text(context.memory), why, remedy));
}

/// What a range of the axis is called in queues.
struct Range {
  std::int64_t first = 0, count = 0;
};
struct Part {
  Range range;
  std::vector<array> arrays;
};

class PartsOfFile {
 public:
  PartsOfFile(MapContext& context, Item& item, Computer& computer) : context_(context), item_(item), computer_(computer) {
    if (item.task.inputs[0].ends_with(".npz")) refuse(context, item, "A .npz file is not read in parts: .npy files are.");
    if (context.shape.npz) refuse(context, item, "Results that come in parts don't go to .npz files.");
    shapes_ = input_shapes(item.task);
    program_ = context.job.program(shapes_, true);
    if (!program_) refuse(context, item, "The function has no graphs that could be looked at.");
    entry_ = &tracing::entry_for(*program_, shapes_);
    const tracing::TilingAnswer answer = tracing::find_tiling(*program_, *entry_, shapes_);
    if (!answer.tiling) refuse(context, item, fmt::format("It can't be done in parts: {}.", answer.why));
    tiling_ = *answer.tiling;
    for (const std::string& path : item.task.inputs) {
      files_.emplace_back(path);
      if (files_.back().about().big_endian) refuse(context, item, "Big-endian files are not read in parts.");
    }
    choose_ranges();
  }

  void run() {
    for (std::size_t i = 0; i < files_.size(); ++i)
      if (tiling_.argument_axis[i] < 0) whole_.emplace(i, read_npy(item_.task.inputs[i]));
    open_outputs();
    if (context_.jobs == 1)
      one_after_another();
    else
      side_by_side();
    std::vector<std::unique_ptr<OutputFile>> outputs;
    for (auto& output : outputs_) outputs.push_back(std::move(output.file));
    publish(context_, item_.task, item_.stamps, outputs);
  }

 private:
  struct Output {
    std::unique_ptr<OutputFile> file;
    int axis = -1;
    ArrayShape whole;
  };

  /// Memory while one part is computed, and on either side of it one waits and one is read or written.
  std::int64_t need(std::int64_t count) const {
    const std::vector<ArrayShape> part = tracing::part_of(shapes_, tiling_, count);
    const CallCost cost = tracing::call_cost(*program_, *entry_, part);
    std::int64_t bytes = cost.bytes;
    if (context_.jobs == 1) return bytes;
    for (std::size_t i = 0; i < part.size(); ++i) bytes += tiling_.argument_axis[i] >= 0 ? 2 * part[i].bytes() : 0;
    for (std::size_t i = 0; i < cost.results.size(); ++i) bytes += 2 * cost.results[i].bytes();
    return bytes;
  }

  void choose_ranges() {
    if (need(2) > context_.memory)
      refuse(context_, item_, fmt::format("Parts of 2 elements along axis {} still need {}.", axis_text(), size_text(need(2))));
    std::int64_t low = 2, high = tiling_.extent;
    while (low < high) {
      const std::int64_t middle = low + (high - low + 1) / 2;
      if (need(middle) <= context_.memory)
        low = middle;
      else
        high = middle - 1;
    }
    // Parts of one size, as near as can be; none of a single element, which would be another case of broadcasting.
    const std::int64_t parts = std::min((tiling_.extent + low - 1) / low, tiling_.extent / 2);
    for (std::int64_t i = 0; i < parts; ++i) {
      const std::int64_t first = tiling_.extent * i / parts;
      ranges_.push_back({first, tiling_.extent * (i + 1) / parts - first});
    }
  }

  int axis_text() const {
    for (int axis : tiling_.argument_axis)
      if (axis >= 0) return axis;
    return 0;
  }

  void open_outputs() {
    const CallCost cost = tracing::call_cost(*program_, *entry_, shapes_);
    const std::vector<std::string> names = output_names(item_.task, context_.shape);
    for (std::size_t i = 0; i < names.size(); ++i) {
      Output output{std::make_unique<OutputFile>(context_.options.folder + "/" + names[i], context_.journal.temporary()), -1, {}};
      if (i < context_.shape.outputs) {
        output.axis = tiling_.result_axis[i];
        output.whole = cost.results[i];
      } else {
        const std::size_t argument = context_.shape.changed[i - context_.shape.outputs];
        output.axis = tiling_.argument_axis[argument];
        output.whole = shapes_[argument];
      }
      if (output.axis >= 0) output.file->begin_parts(output.whole.type, output.whole.shape);
      outputs_.push_back(std::move(output));
    }
  }

  Part read(const Range& range, int lane) {
    StageScope scope(context_.timeline, Stage::read, item_.task.number, lane);
    Part part{range, {}};
    std::int64_t bytes = 0;
    for (std::size_t i = 0; i < files_.size(); ++i) {
      const int axis = tiling_.argument_axis[i];
      if (axis < 0) {
        part.arrays.push_back(whole_.at(i));
        continue;
      }
      const std::int64_t behind = range.first + range.count;
      if (behind < tiling_.extent) files_[i].read_ahead(axis, behind, std::min(range.count, tiling_.extent - behind));
      part.arrays.push_back(files_[i].read(axis, range.first, range.count));
      bytes += part.arrays.back().nbytes();
    }
    scope.finish(bytes);
    return part;
  }

  Part compute(Part part, int lane) {
    std::vector<array> inputs = std::move(part.arrays);
    if (computer_.moves_data()) {
      StageScope scope(context_.timeline, Stage::to_device, item_.task.number, lane);
      std::vector<bool> common(inputs.size());
      for (std::size_t i = 0; i < inputs.size(); ++i) common[i] = tiling_.argument_axis[i] < 0;
      for (std::size_t i : context_.job.changed_inputs())
        if (i < common.size()) common[i] = false;
      const std::int64_t bytes = bytes_of(inputs);
      inputs = computer_.upload(std::move(inputs), common);
      scope.finish(bytes);
    }
    {
      StageScope scope(context_.timeline, Stage::compute, item_.task.number, lane);
      part.arrays = computer_.run_part(context_.job, *entry_, inputs);
      scope.finish(bytes_of(inputs) + bytes_of(part.arrays));
    }
    for (std::size_t i : context_.shape.changed) part.arrays.push_back(inputs[i]);
    if (computer_.moves_data()) {
      StageScope scope(context_.timeline, Stage::from_device, item_.task.number, lane);
      part.arrays = computer_.download(std::move(part.arrays));
      scope.finish(bytes_of(part.arrays));
    }
    return part;
  }

  void write(const Part& part, int lane) {
    StageScope scope(context_.timeline, Stage::write, item_.task.number, lane);
    const std::string_view subject[] = {item_.task.name};
    const detail::fault_subject_scope tested(subject);
    std::int64_t bytes = 0;
    for (std::size_t i = 0; i < outputs_.size(); ++i) {
      const Output& output = outputs_[i];
      if (output.axis >= 0)
        output.file->write_part(part.arrays[i], output.axis, part.range.first);
      else if (part.range.first == 0)
        output.file->write_npy(part.arrays[i]);
      else
        continue;
      bytes += part.arrays[i].nbytes();
    }
    scope.finish(bytes);
  }

  void one_after_another() {
    for (const Range& range : ranges_) {
      check_stop();
      write(compute(read(range, 0), 0), 0);
    }
  }

  void check_stop() const {
    if (context_.stop.asked()) throw ValueError("map", "stopped before its last part.");
  }

  void side_by_side() {
    BoundedQueue<Part> to_compute(1, 1), to_write(1, 1);
    Stop broken;
    std::exception_ptr failures[3];
    auto stage = [&](int number, auto&& work) {
      try {
        work();
      } catch (...) {
        failures[number] = std::current_exception();
        broken.by_error("a stage failed");
      }
    };
    std::thread reader([&] {
      stage(0, [&] {
        for (const Range& range : ranges_) {
          check_stop();
          if (broken.asked()) return;
          to_compute.push(read(range, 0));
        }
      });
      to_compute.producer_left();
    });
    std::thread writer([&] {
      while (std::optional<Part> part = to_write.pop())
        stage(2, [&] {
          if (!broken.asked()) write(*part, 2);
        });
    });
    while (std::optional<Part> part = to_compute.pop())
      stage(1, [&] {
        if (!broken.asked()) to_write.push(compute(std::move(*part), 1));
      });
    to_write.producer_left();
    reader.join();
    writer.join();
    for (const std::exception_ptr& failure : failures)
      if (failure) std::rethrow_exception(failure);
  }

  MapContext& context_;
  Item& item_;
  Computer& computer_;
  const Program* program_ = nullptr;
  const ProgramEntry* entry_ = nullptr;
  std::vector<ArrayShape> shapes_;
  Tiling tiling_;
  std::vector<NpyParts> files_;
  std::map<std::size_t, array> whole_;
  std::vector<Range> ranges_;
  std::vector<Output> outputs_;
};

}  // namespace

void run_in_parts(MapContext& context, Item& item, Computer& computer) { PartsOfFile(context, item, computer).run(); }

}  // namespace numjit::map
