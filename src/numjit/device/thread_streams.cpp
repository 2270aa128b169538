// Which stream a thread has on which device.
#include <numjit/device/thread_streams.h>

#include <new>
#include <utility>

#include <numjit/base/thread_end.h>

namespace numjit::devices {
namespace {

struct Mine {
  std::vector<std::pair<ThreadStreams*, Stream*>> streams;
  ~Mine() {
    for (auto& [owner, stream] : streams) owner->leave(stream);
  }
};

}  // namespace

Stream& ThreadStreams::of_thread(const std::function<Stream*()>& make) {
  static constinit thread_local Mine* mine = nullptr;
  if (!mine) {
    mine = new Mine;
    detail::delete_at_end_of_thread(mine);
  }
  for (auto& [owner, stream] : mine->streams)
    if (owner == this) return *stream;
  mine->streams.reserve(mine->streams.size() + 1);
  Stream* stream = nullptr;
  {
    std::lock_guard lock(mutex_);
    if (!idle_.empty()) {
      stream = idle_.back();
      idle_.pop_back();
    }
  }
  if (!stream) stream = make();
  mine->streams.emplace_back(this, stream);
  return *stream;
}

void ThreadStreams::leave(Stream* stream) noexcept {
  std::lock_guard lock(mutex_);
  try {
    idle_.push_back(stream);
  } catch (const std::bad_alloc&) {  // it is lost; blocks may still refer to it
  }
}

}  // namespace numjit::devices
