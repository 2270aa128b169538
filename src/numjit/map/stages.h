// What happens to one file: its arrays are read, the function is called, the results are written.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include <numjit/map/array_file.h>
#include <numjit/map/device.h>
#include <numjit/map/journal.h>
#include <numjit/map/options.h>
#include <numjit/map/tasks.h>
#include <numjit/map/timeline.h>
#include <numjit/map/work.h>

namespace numjit::map {

/// What all parts of a run share.
struct MapContext {
  const map_options& options;
  const Job& job;
  TaskShape shape;
  std::string device;          // with its number
  std::int64_t memory = 0;     // bytes that files in flight may take
  bool device_bounds = false;  // it is the device that has no more
  int jobs = 1, threads = 1;
  Journal& journal;
  Timeline& timeline;
  Stop& stop;
};

/// A task on its way.
struct Item {
  Task task;
  std::vector<FileStamp> stamps;  // of the inputs, before they were read
  std::int64_t cost = 0;          // bytes that it takes of the run's memory
  std::vector<array> inputs, results;
};

class FileStages {
 public:
  explicit FileStages(MapContext& context) : context_(context) {}

  /// Stamps the inputs and estimates what the file needs, from their headers.
  void plan(Item& item);
  /// Each throws what goes wrong.
  void read(Item& item, int lane);
  void compute(Item& item, Computer& computer, int lane);
  void write(Item& item, int lane);

 private:
  array shared(const std::string& path);
  bool is_shared(const std::string& path) const;
  std::vector<bool> common_inputs(const Item& item) const;
  std::int64_t cost_of(const Item& item) const;

  MapContext& context_;
  std::mutex mutex_;
  std::map<std::string, array> shared_;                      // files that belong to all tasks
  std::map<std::vector<std::int64_t>, std::int64_t> costs_;  // by sizes of the files
};

/// Gives finished outputs their places: a line in the journal, then the renames.
void publish(MapContext& context, const Task& task, const std::vector<FileStamp>& stamps,
             const std::vector<std::unique_ptr<OutputFile>>& files);

std::int64_t bytes_of(const std::vector<array>& arrays);

/// Shapes of the inputs by their headers. None for archives, whose arrays are known when they are unpacked.
std::vector<tracing::ArrayShape> input_shapes(const Task& task);

}  // namespace numjit::map
