// Storage of arrays on devices: pooled memory, the host copy beside it, and which of the two is current.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <numjit/array/node.h>
#include <numjit/device/device.h>

namespace numjit::devices {

/// The storage of one array on a device. The host addresses stand for it in nodes: they are reserved at once,
/// and get memory when the host first reads or writes.
class Block {
 public:
  /// Where the host copy lies: at addresses that are only reserved until the host comes, in a block of the buffer
  /// pool, or in memory of somebody else's that outlives the block.
  enum class Host : std::uint8_t { reserved, pooled, foreign };
  /// Fresh storage, current nowhere.
  Block(std::uint8_t device, std::size_t bytes, Host kind = Host::reserved);
  /// Storage whose value is what `host` holds: a pooled block, which this one takes over, or foreign memory.
  Block(std::uint8_t device, std::size_t bytes, Host kind, char* host);
  ~Block();
  Block(const Block&) = delete;
  Block& operator=(const Block&) = delete;

  char* host() const { return host_; }
  std::size_t bytes() const { return bytes_; }
  std::uint8_t device_index() const { return device_; }

  /// The host copy is current afterwards; with `writes` nothing else is.
  void use_on_host(bool writes);
  /// The device's memory in the order of `stream`, which reads what is current; with `writes` nothing else
  /// is current when the stream has come to its next work. With `whole`, old contents don't matter.
  address use_on_device(Stream& stream, bool writes, bool whole = false);
  /// Puts the bytes at `from` into the device's memory.
  void fill(Stream& stream, const void* from, std::size_t bytes);
  /// Gives the host copy, current and of the buffer pool, to the caller: for results that leave the device.
  char* release_host();
  /// Where the device's memory is; 0 if it has none yet.
  address memory();
  bool is_stale_on_host() const { return current_.load() == on_device; }

 private:
  static constexpr std::uint8_t on_host = 1, on_device = 2;
  void order(Stream& stream);
  void open_host();

  const std::uint8_t device_;
  const std::size_t bytes_;
  address memory_ = 0;
  char* host_ = nullptr;
  const Host kind_;
  bool host_open_ = false;
  std::atomic<std::uint8_t> current_{0};
  Stream* stream_ = nullptr;  // that used the memory last
  std::mutex mutex_;
};

/// The block behind a node's storage. The node is remote.
Block& block_of(const node* n);
/// Makes a node without storage one of the device of `block`, which it owns from now on.
void attach(node* n, Block* block) noexcept;
/// The other way: the node has no storage afterwards.
Block* detach(node* n) noexcept;

/// Memory of a device from its pool, for work in the order of `stream`. MemoryError with the sizes if the
/// device, or its limit, has no room after the pool was trimmed.
address allocate(std::uint8_t device, std::size_t bytes, Stream& stream);
/// Back to the pool; `stream` is the one that used it last.
void free(std::uint8_t device, address memory, std::size_t bytes, Stream* stream) noexcept;

/// Memory that a run keeps for when it comes again. While it collects, what this thread allocates on the device is taken
/// from it, or from the pool for it, and comes back to it when it is freed; the pool gets it when this dies.
class HeldMemory {
 public:
  HeldMemory(std::uint8_t device, Stream& stream) : device_(device), stream_(stream) {}
  ~HeldMemory();
  HeldMemory(const HeldMemory&) = delete;
  HeldMemory& operator=(const HeldMemory&) = delete;
  void collect(bool on);
  /// Has all that was allocated come back?
  bool is_complete() const { return out_.empty(); }
  std::int64_t bytes() const { return bytes_; }

 private:
  friend address allocate(std::uint8_t, std::size_t, Stream&);
  friend void free(std::uint8_t, address, std::size_t, Stream*) noexcept;
  address take(std::size_t size);
  void give(std::size_t size, address memory);
  bool put_back(address memory) noexcept;

  const std::uint8_t device_;
  Stream& stream_;
  std::vector<std::pair<std::size_t, address>> in_, out_;  // free, and given
  std::int64_t bytes_ = 0;
};
/// Most that all HeldMemory of a device may have together.
std::int64_t most_held(std::uint8_t device);
/// Of all HeldMemory that does not collect.
std::int64_t held_bytes(std::uint8_t device);
/// Grows when a device is short of memory, or was asked to give back what it can: what is held should go.
std::uint64_t shortages();

/// Bytes that the arrays of a device may take; 0: what it has. At start NUMJIT_DEVICE_MEMORY_LIMIT.
void set_memory_limit(std::uint8_t device, std::int64_t bytes);
MemoryStats memory_stats(std::uint8_t device);
/// Gives what is kept for reuse back to the device.
void trim(std::uint8_t device) noexcept;

/// How much was moved since start.
struct TransferCounts {
  std::int64_t in = 0, in_bytes = 0;    // host to device
  std::int64_t out = 0, out_bytes = 0;  // device to host
};
TransferCounts transfers();

/// An operation that the host computed for arrays of a device.
struct HostNote {
  std::string device, op;
  std::int64_t count = 0;
  std::int64_t bytes = 0;  // of its operands and results
};
void note_host_work(std::uint8_t device, std::string_view op, std::int64_t bytes);
/// Says something of a device once (log channel perf_hints).
void note_once(std::uint8_t device, const std::string& what);
/// What was noted since start, the most bytes first.
std::vector<HostNote> host_notes();

}  // namespace numjit::devices
