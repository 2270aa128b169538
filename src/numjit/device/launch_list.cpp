// Keeping launches, and what is counted of it.
#include <numjit/device/launch_list.h>

#include <atomic>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include <numjit/device/kernel_hooks.h>
#include <numjit/device/memory.h>

namespace numjit::devices {
namespace {

std::atomic<std::int64_t> kept{0}, repeated{0}, launched{0}, refused{0};

}  // namespace

void LaunchList::add(Call call) { launches_.push_back({nullptr, nullptr, {}, 0, 0, std::move(call)}); }

void LaunchList::add(Program& program, const char* entry, const LaunchShape& shape,
                     std::span<const KernelArgument> arguments) {
  launches_.push_back({&program, entry, shape, arguments_.size(), arguments.size(), nullptr});
  for (const KernelArgument& a : arguments) {
    arguments_.push_back({words_.size(), a.size, a.is_address});
    const std::size_t bytes = a.is_address ? sizeof(address) : a.size;
    words_.resize(words_.size() + (bytes + 7) / 8);
    std::memcpy(&words_[arguments_.back().at], a.value, bytes);
  }
}

void LaunchList::give(Stream& stream) const {
  std::vector<KernelArgument> list;
  for (const Launch& launch : launches_) {
    if (launch.call) {
      launch.call();
      continue;
    }
    list.clear();
    for (std::size_t i = 0; i < launch.count; ++i) {
      const Argument& a = arguments_[launch.first + i];
      list.push_back({&words_[a.at], a.size, a.is_address});
    }
    stream.launch(*launch.program, launch.entry, launch.shape, list);
  }
}

GraphCounts graph_counts() { return {kept.load(), repeated.load(), launched.load(), refused.load()}; }
void count_kept() { kept.fetch_add(1, std::memory_order_relaxed); }
void count_repeated(bool by_graph, std::size_t launches) {
  repeated.fetch_add(1, std::memory_order_relaxed);
  if (by_graph) launched.fetch_add(1, std::memory_order_relaxed);
  count_launches(static_cast<std::int64_t>(launches));
}

void note_refused(std::uint8_t device, const char* why) {
  refused.fetch_add(1, std::memory_order_relaxed);
  note_once(device, fmt::format("no graph of launches, they go one by one: {}", why));
}

}  // namespace numjit::devices
