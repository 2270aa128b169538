// Pools of device memory and of host addresses, and the blocks that arrays own.
#include <numjit/device/memory.h>

#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <numjit/base/buffer_pool.h>
#include <numjit/base/config.h>
#include <numjit/base/error.h>
#include <numjit/base/log.h>

namespace numjit::devices {
namespace {

/// Eight sizes per doubling, from 512 bytes: little waste, and sizes that come again meet.
std::size_t rounded(std::size_t bytes) {
  if (bytes <= 512) return 512;
  const std::size_t step = std::bit_floor(bytes - 1) / 8;
  return (bytes + step - 1) / step * step;
}

struct Piece {
  address memory;
  Stream* stream;  // that used it last
};

struct Pool {
  std::mutex mutex;
  std::multimap<std::size_t, Piece> free;
  MemoryStats stats;
};

Pool& pool(std::uint8_t device) {
  static auto& pools = *new std::array<Pool, 64>;
  static const bool limited = [] {
    const char* text = std::getenv("NUMJIT_DEVICE_MEMORY_LIMIT");
    if (!text || !*text) return true;
    const auto bytes = numjit::detail::parse_bytes(text);
    if (!bytes)
      throw ValueError("config", fmt::format("NUMJIT_DEVICE_MEMORY_LIMIT: got {}, expected a number of bytes such "
                                             "as 1073741824, 512MiB or 2GiB.",
                                             text));
    for (Pool& p : pools) p.stats.limit = *bytes;
    return true;
  }();
  (void)limited;
  return pools[device];
}

void trim_locked(Pool& p, std::uint8_t index) noexcept {
  Device& d = device(index);
  for (auto& [bytes, piece] : p.free) {
    if (piece.stream) {
      try {
        piece.stream->synchronize();
      } catch (const error&) {  // the memory goes all the same
      }
    }
    d.free(piece.memory);
  }
  p.free.clear();
  p.stats.cached = 0;
}

[[noreturn]] void throw_shortage(const Pool& p, std::uint8_t index, std::size_t bytes) {
  using numjit::detail::format_bytes;
  Device& d = device(index);
  const auto text = [](std::int64_t n) { return format_bytes(static_cast<std::uint64_t>(std::max<std::int64_t>(n, 0))); };
  std::string limit = p.stats.limit ? "limit " + text(p.stats.limit) : "no limit set";
  std::string left = d.free_bytes() ? fmt::format(", {} free on the device", format_bytes(d.free_bytes())) : "";
  throw MemoryError("device", fmt::format("Unable to allocate {} on {}: {} in use by arrays, 0 bytes cached, {}, "
                                          "the device has {}{}. Free arrays, use smaller ones, or raise "
                                          "NUMJIT_DEVICE_MEMORY_LIMIT.",
                                          format_bytes(bytes), d.name(), text(p.stats.in_use), limit,
                                          format_bytes(d.info().memory), left));
}

constinit thread_local HeldMemory* collecting = nullptr;
std::array<std::atomic<std::int64_t>, 64> held{};
std::atomic<std::uint64_t> shortage_count{0};

address from_pool(std::uint8_t index, std::size_t size, std::size_t bytes, Stream& stream);
void to_pool(std::uint8_t index, address memory, std::size_t size, Stream* stream) noexcept;

std::atomic<std::int64_t> copies_in{0}, bytes_in{0}, copies_out{0}, bytes_out{0};

void count_in(std::size_t bytes) {
  copies_in.fetch_add(1, std::memory_order_relaxed);
  bytes_in.fetch_add(static_cast<std::int64_t>(bytes), std::memory_order_relaxed);
}

// ---- host addresses ----

/// Below this a block of the host's pool is cheaper than pages of its own.
constexpr std::size_t smallest_reservation = 64 * 1024;

struct Reservations {
  std::mutex mutex;
  std::multimap<std::size_t, char*> free;
  std::size_t bytes = 0;
};
Reservations& reservations() {
  static auto& all = *new Reservations;
  return all;
}

char* reserve_host(std::size_t bytes) {
  if (bytes < smallest_reservation) return static_cast<char*>(numjit::detail::allocate_block(bytes));
  {
    Reservations& r = reservations();
    std::lock_guard lock(r.mutex);
    if (auto it = r.free.find(bytes); it != r.free.end()) {
      char* at = it->second;
      r.free.erase(it);
      r.bytes -= bytes;
      return at;
    }
  }
  void* at = mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (at == MAP_FAILED)
    throw MemoryError("device", fmt::format("No addresses left for {}.", numjit::detail::format_bytes(bytes)));
  return static_cast<char*>(at);
}

void unreserve_host(char* at, std::size_t bytes, bool opened) noexcept {
  if (bytes < smallest_reservation) return numjit::detail::free_block(at, bytes);
  constexpr std::size_t most_kept = std::size_t{1} << 36;  // addresses cost next to nothing
  if (opened && (madvise(at, bytes, MADV_DONTNEED) != 0 || mprotect(at, bytes, PROT_NONE) != 0)) {
    munmap(at, bytes);
    return;
  }
  Reservations& r = reservations();
  std::lock_guard lock(r.mutex);
  if (r.bytes + bytes > most_kept) {
    munmap(at, bytes);
    return;
  }
  r.free.emplace(bytes, at);
  r.bytes += bytes;
}

// ---- what the host did instead ----

struct Notes {
  std::mutex mutex;
  std::map<std::pair<std::string, std::string>, HostNote> by_name;
};
Notes& notes() {
  static auto& all = *new Notes;
  return all;
}

}  // namespace

address allocate(std::uint8_t index, std::size_t bytes, Stream& stream) {
  const std::size_t size = rounded(bytes);
  HeldMemory* const holder = collecting && collecting->device_ == index ? collecting : nullptr;
  if (holder)
    if (const address kept = holder->take(size)) return kept;
  const address memory = from_pool(index, size, bytes, stream);
  if (holder) holder->give(size, memory);
  return memory;
}

void free(std::uint8_t index, address memory, std::size_t bytes, Stream* stream) noexcept {
  if (collecting && collecting->device_ == index && collecting->put_back(memory)) return;
  to_pool(index, memory, rounded(bytes), stream);
}

namespace {

address from_pool(std::uint8_t index, std::size_t size, std::size_t bytes, Stream& stream) {
  Pool& p = pool(index);
  std::unique_lock lock(p.mutex);
  auto add = [&] {
    p.stats.in_use += static_cast<std::int64_t>(size);
    p.stats.peak = std::max(p.stats.peak, p.stats.in_use);
  };
  // One of this stream's own first: no stream has to wait for another.
  auto [first, last] = p.free.equal_range(size);
  auto found = std::find_if(first, last, [&](const auto& entry) { return entry.second.stream == &stream; });
  if (found == last) found = first;
  if (found != last) {
    const Piece piece = found->second;
    p.free.erase(found);
    p.stats.cached -= static_cast<std::int64_t>(size);
    add();
    lock.unlock();
    if (piece.stream && piece.stream != &stream) stream.wait(*piece.stream->record());
    return piece.memory;
  }
  auto fits = [&] {
    const auto held = static_cast<std::uint64_t>(p.stats.in_use + p.stats.cached);
    return p.stats.limit == 0 || held + size <= static_cast<std::uint64_t>(p.stats.limit);
  };
  Device& d = device(index);
  address memory = fits() ? d.allocate(size) : 0;
  if (!memory && p.stats.cached > 0) {
    ++p.stats.trims;
    trim_locked(p, index);
    memory = fits() ? d.allocate(size) : 0;
  }
  if (!memory) {
    shortage_count.fetch_add(1, std::memory_order_relaxed);
    throw_shortage(p, index, bytes);
  }
  add();
  return memory;
}

void to_pool(std::uint8_t index, address memory, std::size_t size, Stream* stream) noexcept {
  Pool& p = pool(index);
  std::lock_guard lock(p.mutex);
  p.stats.in_use -= static_cast<std::int64_t>(size);
  try {
    // The last one first: what comes again gets the places it had.
    p.free.emplace_hint(p.free.lower_bound(size), size, Piece{memory, stream});
    p.stats.cached += static_cast<std::int64_t>(size);
  } catch (const std::bad_alloc&) {
    device(index).free(memory);
  }
}

}  // namespace

// ---- memory that is held ----

void HeldMemory::collect(bool on) {
  if (on) {
    collecting = this;
    held[device_].fetch_sub(bytes_, std::memory_order_relaxed);
    return;
  }
  if (collecting == this) collecting = nullptr;
  bytes_ = 0;
  for (const auto& [size, memory] : in_) bytes_ += static_cast<std::int64_t>(size);
  held[device_].fetch_add(bytes_, std::memory_order_relaxed);
}

HeldMemory::~HeldMemory() {
  if (collecting == this) collect(false);
  held[device_].fetch_sub(bytes_, std::memory_order_relaxed);
  for (const auto& [size, memory] : in_) to_pool(device_, memory, size, &stream_);
}

address HeldMemory::take(std::size_t size) {
  const auto found = std::find_if(in_.begin(), in_.end(), [&](const auto& piece) { return piece.first == size; });
  if (found == in_.end()) return 0;
  const auto [same, memory] = *found;
  in_.erase(found);
  give(same, memory);
  return memory;
}

void HeldMemory::give(std::size_t size, address memory) {
  in_.reserve(in_.size() + out_.size() + 1);  // so that it can come back without memory
  out_.emplace_back(size, memory);
}

bool HeldMemory::put_back(address memory) noexcept {
  const auto found = std::find_if(out_.begin(), out_.end(), [&](const auto& piece) { return piece.second == memory; });
  if (found == out_.end()) return false;
  in_.push_back(*found);
  out_.erase(found);
  return true;
}

std::int64_t most_held(std::uint8_t index) {
  const std::int64_t limit = memory_stats(index).limit;
  return (limit ? limit : static_cast<std::int64_t>(device(index).info().memory)) / 32;
}
std::int64_t held_bytes(std::uint8_t index) { return held[index].load(std::memory_order_relaxed); }
std::uint64_t shortages() { return shortage_count.load(std::memory_order_relaxed); }

void set_memory_limit(std::uint8_t index, std::int64_t bytes) {
  if (bytes < 0)
    throw ValueError("device", fmt::format("memory limit: got {}, expected 0 (none) or a number of bytes.", bytes));
  Pool& p = pool(index);
  std::lock_guard lock(p.mutex);
  p.stats.limit = bytes;
}

MemoryStats memory_stats(std::uint8_t index) {
  Pool& p = pool(index);
  std::lock_guard lock(p.mutex);
  return p.stats;
}

void trim(std::uint8_t index) noexcept {
  shortage_count.fetch_add(1, std::memory_order_relaxed);
  Pool& p = pool(index);
  std::lock_guard lock(p.mutex);
  trim_locked(p, index);
}

TransferCounts transfers() { return {copies_in.load(), bytes_in.load(), copies_out.load(), bytes_out.load()}; }

// ---- blocks ----

Block::Block(std::uint8_t device, std::size_t bytes, Host kind)
    : device_(device), bytes_(bytes), kind_(kind), host_open_(kind == Host::pooled || bytes < smallest_reservation) {
  host_ = kind == Host::pooled ? static_cast<char*>(numjit::detail::allocate_block(bytes)) : reserve_host(bytes);
}

Block::Block(std::uint8_t device, std::size_t bytes, Host kind, char* host)
    : device_(device), bytes_(bytes), host_(host), kind_(kind), host_open_(true), current_(on_host) {}

Block::~Block() {
  if (memory_) free(device_, memory_, bytes_, stream_);
  if (!host_ || kind_ == Host::foreign) return;
  if (kind_ == Host::pooled)
    numjit::detail::free_block(host_, bytes_);
  else
    unreserve_host(host_, bytes_, host_open_);
}

void Block::open_host() {
  if (host_open_) return;
  if (mprotect(host_, bytes_, PROT_READ | PROT_WRITE) != 0)
    throw MemoryError("device", fmt::format("No memory for the host copy of an array: {} needed.",
                                            numjit::detail::format_bytes(bytes_)));
  host_open_ = true;
}

// What `stream` does with the memory from now on comes after what another one was given to do with it.
void Block::order(Stream& stream) {
  if (stream_ == &stream) return;
  if (stream_) stream.wait(*stream_->record());
  stream_ = &stream;
}

void Block::use_on_host(bool writes) {
  check_not_forked();
  std::lock_guard lock(mutex_);
  open_host();
  const std::uint8_t current = current_.load(std::memory_order_relaxed);
  if (!(current & on_host) && (current & on_device)) {
    Stream& stream = device(device_).stream();
    order(stream);
    stream.copy_out(host_, memory_, bytes_);
    copies_out.fetch_add(1, std::memory_order_relaxed);
    bytes_out.fetch_add(static_cast<std::int64_t>(bytes_), std::memory_order_relaxed);
  }
  current_ = writes ? on_host : static_cast<std::uint8_t>(current | on_host);
}

address Block::use_on_device(Stream& stream, bool writes, bool whole) {
  std::lock_guard lock(mutex_);
  if (!memory_) {
    memory_ = allocate(device_, bytes_, stream);
    stream_ = &stream;
  }
  order(stream);
  const std::uint8_t current = current_.load(std::memory_order_relaxed);
  if (!(current & on_device) && (current & on_host) && !whole) {
    stream.copy_in(memory_, host_, bytes_);
    count_in(bytes_);
  }
  current_ = writes ? on_device : static_cast<std::uint8_t>(current | on_device);
  return memory_;
}

address Block::memory() {
  std::lock_guard lock(mutex_);
  return memory_;
}

void Block::fill(Stream& stream, const void* from, std::size_t bytes) {
  const address to = use_on_device(stream, true, true);
  stream.copy_in(to, from, bytes);
  count_in(bytes);
}

char* Block::release_host() {
  if (kind_ != Host::pooled) {
    // Of the pool's own, as what was reserved has another way to be given back.
    char* mine = static_cast<char*>(numjit::detail::allocate_block(bytes_));
    use_on_host(false);
    std::memcpy(mine, host_, bytes_);
    return mine;
  }
  use_on_host(false);
  return std::exchange(host_, nullptr);
}

Block& block_of(const node* n) {
  const node* owner = n->base ? n->base : n;
  return *static_cast<Block*>(owner->deleter_context);
}

void attach(node* n, Block* block) noexcept {
  n->data = block->host();
  n->block_bytes = static_cast<std::int64_t>(block->bytes());
  n->deleter = [](void* owned) { delete static_cast<Block*>(owned); };
  n->deleter_context = block;
  n->device = block->device_index();
  n->flags |= node::remote;
  numjit::detail::refresh_signature(n);
}

Block* detach(node* n) noexcept {
  auto* block = static_cast<Block*>(n->deleter_context);
  n->data = nullptr;
  n->block_bytes = 0;
  n->deleter = nullptr;
  n->deleter_context = nullptr;
  n->device = 0;
  n->flags = static_cast<std::uint8_t>(n->flags & ~node::remote);
  numjit::detail::refresh_signature(n);
  return block;
}

// ---- what the host did instead ----

void note_host_work(std::uint8_t index, std::string_view op, std::int64_t bytes) {
  const std::string& name = device_name(index);
  bool first = false;
  {
    std::lock_guard lock(notes().mutex);
    HostNote& note = notes().by_name[{name, std::string(op)}];
    first = note.count == 0;
    note.device = name;
    note.op = op;
    ++note.count;
    note.bytes += bytes;
  }
  if (first && numjit::detail::log_enabled(log_channel::perf_hints))
    numjit::detail::log(log_channel::perf_hints,
                        fmt::format("{}: {} has no form there, the host computes it ({} moved)", name, op,
                                    numjit::detail::format_bytes(static_cast<std::uint64_t>(bytes))));
}

void note_once(std::uint8_t index, const std::string& what) {
  static auto& said = *new std::set<std::string>;
  const std::string text = fmt::format("{}: {}", device_name(index), what);
  {
    std::lock_guard lock(notes().mutex);
    if (!said.insert(text).second) return;
  }
  if (numjit::detail::log_enabled(log_channel::perf_hints)) numjit::detail::log(log_channel::perf_hints, text);
}

std::vector<HostNote> host_notes() {
  std::vector<HostNote> all;
  {
    std::lock_guard lock(notes().mutex);
    for (const auto& [key, note] : notes().by_name) all.push_back(note);
  }
  std::stable_sort(all.begin(), all.end(), [](const HostNote& a, const HostNote& b) { return a.bytes > b.bytes; });
  return all;
}

}  // namespace numjit::devices
