// The table of devices in use, and the hooks by which arrays reach them.
#include <numjit/device/device.h>

#include <array>
#include <atomic>
#include <charconv>
#include <cstring>
#include <mutex>

#include <fmt/format.h>
#include <pthread.h>

#include <numjit/array/remote.h>
#include <numjit/base/device_name.h>
#include <numjit/base/error.h>
#include <numjit/device/memory.h>

namespace numjit::devices {
namespace {

constexpr std::size_t most_devices = 64;

struct Table {
  std::mutex mutex;
  std::array<std::atomic<Device*>, most_devices> devices{};  // never closed
  std::atomic<std::size_t> count{1};                         // index 0 is the CPU
};

Table& table() {
  static auto& instance = *new Table;
  return instance;
}

std::atomic<bool> forked{false};

std::uint8_t enter(std::unique_ptr<Device> device) {
  static const bool watched = [] {
    pthread_atfork(nullptr, nullptr, [] {
      if (table().count.load() > 1) forked = true;
    });
    return true;
  }();
  (void)watched;
  Table& t = table();
  const std::size_t index = t.count.load();
  if (index == most_devices) throw DeviceError("device", "too many devices: expected at most 63.");
  t.devices[index] = device.release();
  t.count = index + 1;
  return static_cast<std::uint8_t>(index);
}

const std::string cpu_name = "cpu";

}  // namespace

std::span<const Driver> drivers() {
  static const auto& all = *new std::array<Driver, 2>{cuda_driver(), opencl_driver()};
  return all;
}

void check_not_forked() {
  if (forked.load(std::memory_order_relaxed)) [[unlikely]]
    throw DeviceError("device", "this process was forked from one that uses a device, and drivers do not "
                                "survive that. Start the process with exec, or open devices after the fork.");
}

std::uint8_t open(std::string_view name) {
  check_not_forked();
  const std::size_t colon = name.find(':');
  const std::string_view kind = name.substr(0, colon);
  int number = 0;
  if (colon != std::string_view::npos)
    std::from_chars(name.data() + colon + 1, name.data() + name.size(), number);
  const std::string full = fmt::format("{}:{}", kind, number);
  Table& t = table();
  std::lock_guard lock(t.mutex);
  for (std::size_t i = 1; i < t.count.load(); ++i)
    if (t.devices[i].load()->name() == full) return static_cast<std::uint8_t>(i);
  for (const Driver& driver : drivers()) {
    if (driver.kind != kind) continue;
    std::string why;
    const int count = driver.count(why);
    if (count == 0)
      throw DeviceError("device", fmt::format("'{}' can't be used: {}. Expected 'cpu' or a device of this "
                                              "machine: np::list_devices() has them.",
                                              name, why));
    if (number >= count)
      throw DeviceError("device", fmt::format("'{}' can't be used: this machine has {} of its kind. Expected "
                                              "'{}:0'{}.",
                                              name, count, kind,
                                              count > 1 ? fmt::format(" to '{}:{}'", kind, count - 1) : ""));
    return enter(driver.open(number));
  }
  throw DeviceError("device", fmt::format("'{}' can't be used: this build has no driver for it.", name));
}

std::uint8_t add(std::unique_ptr<Device> device) {
  std::lock_guard lock(table().mutex);
  return enter(std::move(device));
}

Device& device(std::uint8_t index) { return *table().devices[index].load(std::memory_order_acquire); }

const std::string& device_name(std::uint8_t index) { return index == 0 ? cpu_name : device(index).name(); }

std::vector<DeviceInfo> list() {
  std::vector<DeviceInfo> all{make_cpu_device()->info()};
  for (const Driver& driver : drivers()) {
    std::string why;
    const int count = driver.count(why);
    for (int i = 0; i < count; ++i) all.push_back(device(open(fmt::format("{}:{}", driver.kind, i))).info());
  }
  return all;
}

namespace {

using numjit::detail::remote;

std::int64_t bytes_of(const node* n) {
  return n->size * static_cast<std::int64_t>(dtype(n->type).itemsize());
}

void adopt(node* n, std::uint8_t index) {
  if (n->base || n->is(node::remote)) return;
  // Foreign memory stays its owner's: the elements move.
  if (n->deleter || !n->data) {
    node* copy = remote.copy(n, index);
    Block* block = detach(copy);
    numjit::detail::release(copy);
    if (n->deleter) n->deleter(n->deleter_context);
    n->data = nullptr;
    attach(n, block);
    return;
  }
  auto* block = new Block(index, static_cast<std::size_t>(n->block_bytes), Block::Host::pooled, n->data);
  attach(n, block);
}

/// Elements of `n` in C order, on the host.
node* gathered(const node* n) {
  node* made = numjit::detail::new_node(n->type, n->rank, n->shape);
  const auto size = static_cast<std::int64_t>(dtype(n->type).itemsize());
  std::int64_t index[max_rank] = {};
  const char* from = n->data;
  char* to = made->data;
  for (std::int64_t i = 0; i < n->size; ++i, to += size) {
    std::memcpy(to, from, static_cast<std::size_t>(size));
    for (int axis = n->rank - 1; axis >= 0; --axis) {
      from += n->strides[axis];
      if (++index[axis] < n->shape[axis]) break;
      from -= n->strides[axis] * n->shape[axis];
      index[axis] = 0;
    }
  }
  return made;
}

node* copy(const node* n, std::uint8_t index) {
  if (n->is(node::remote)) remote.read(n);
  if (!n->is(node::c_contiguous)) {
    node* made = gathered(n);
    if (index != 0) adopt(made, index);
    return made;
  }
  if (index == 0) {
    node* made = numjit::detail::new_node(n->type, n->rank, n->shape);
    if (n->size > 0) std::memcpy(made->data, n->data, static_cast<std::size_t>(bytes_of(n)));
    return made;
  }
  node* made = numjit::detail::allocate_node();
  numjit::detail::set_contiguous_layout(made, n->type, n->rank, n->shape);
  const auto bytes = static_cast<std::size_t>(bytes_of(n));
  auto block = std::make_unique<Block>(index, std::max<std::size_t>(bytes, 1));
  if (bytes > 0) {
    Stream& stream = device(index).stream();
    block->fill(stream, n->data, bytes);
  }
  attach(made, block.release());
  return made;
}

void install() {
  remote.read = [](const node* n) { block_of(n).use_on_host(false); };
  remote.write = [](const node* n) { block_of(n).use_on_host(true); };
  remote.adopt = adopt;
  remote.copy = copy;
  remote.open = open;
  remote.name = device_name;
  remote.note = note_host_work;
  numjit::detail::open_config_device = [](std::string_view name) { numjit::detail::device_index(name); };
}
[[maybe_unused]] const bool installed = [] {
  install();
  return true;
}();

}  // namespace
}  // namespace numjit::devices
