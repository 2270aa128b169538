// Launches that are kept to be given to a device again, and the settings and counts of doing so.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include <numjit/device/device.h>

namespace numjit::devices {

/// Launches in order, with their arguments. Programs and names of entries are the kernels': they have to live as long.
class LaunchList {
 public:
  /// A call of a library that gives work to its stream, and nothing to the host.
  using Call = std::function<void()>;
  void add(Call call);
  void add(Program& program, const char* entry, const LaunchShape& shape, std::span<const KernelArgument> arguments);
  /// Gives them to a stream one by one.
  void give(Stream& stream) const;
  std::size_t size() const { return launches_.size(); }

 private:
  struct Argument {
    std::size_t at, size;  // in words_; bytes
    bool is_address;
  };
  struct Launch {
    Program* program;
    const char* entry;
    LaunchShape shape;
    std::size_t first, count;  // in arguments_
    Call call;                 // in place of all that, if there is one
  };
  std::vector<Launch> launches_;
  std::vector<Argument> arguments_;
  std::vector<std::uint64_t> words_;
};

/// Since start: runs whose launches were kept, runs that were given to a device again, those of them by one call of the
/// driver, and graphs that a driver refused to make or to launch.
struct GraphCounts {
  std::int64_t kept = 0, repeated = 0, launched = 0, refused = 0;
};
GraphCounts graph_counts();
void count_kept();
void count_repeated(bool by_graph, std::size_t launches);
/// Says once for each reason why the launches go one by one (log channel perf_hints).
void note_refused(std::uint8_t device, const char* why);

}  // namespace numjit::devices
