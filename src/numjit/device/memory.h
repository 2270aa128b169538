// Storage of arrays on devices: pooled memory, the host copy beside it, and which of the two is current.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
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
/// What was noted since start, the most bytes first.
std::vector<HostNote> host_notes();

}  // namespace numjit::devices
