// Messages on their way.
#include <numjit/distributed/transfers.h>

#include <algorithm>
#include <cstring>
#include <thread>

#include <fmt/format.h>
#include <sys/prctl.h>

#include <numjit/base/check_interrupt.h>
#include <numjit/base/config.h>
#include <numjit/base/error.h>
#include <numjit/base/interrupt.h>

namespace numjit::distributed {
namespace {

using clock = std::chrono::steady_clock;
using std::chrono::microseconds;
using std::chrono::milliseconds;

constexpr int heading_tag = 1, elements_tag = 2;
constexpr std::int64_t most_at_once = 1 << 26;  // bytes of one message of the library, whose counts are of 32 bits

constexpr int quick_looks = 64;       // before the first one at a clock
constexpr microseconds busy_for{10};  // without giving away a core that others want
constexpr microseconds spin_for{50};  // a blocking wait would keep a core busy
constexpr microseconds first_pause{2};
constexpr microseconds longest_pause{200};  // between two looks
constexpr milliseconds look_after{200};     // from when on the others are asked, and looked after
constexpr std::int64_t inline_bytes = Packet::room;

/// Pauses of this thread end when they should: the system may else make them 50 us longer.
class ExactPauses {
 public:
  ~ExactPauses() {
    if (before_ >= 0) prctl(PR_SET_TIMERSLACK, before_);
  }
  void begin() {
    if (before_ >= 0) return;
    before_ = prctl(PR_GET_TIMERSLACK);
    prctl(PR_SET_TIMERSLACK, 1);
  }

 private:
  int before_ = -1;
};

template <class F>
void each_block(std::int64_t bytes, F&& fn) {
  for (std::int64_t at = 0; at < bytes; at += most_at_once) fn(at, static_cast<int>(std::min(most_at_once, bytes - at)));
}

}  // namespace

Transfers::Lists& Transfers::lists_of_thread() {
  thread_local Lists lists;
  return lists;
}

Transfers::Transfers(Group& group, const Heading& heading, bool program_waits)
    : group_(group), heading_(group.begin(heading)), program_waits_(program_waits) {}

Transfers::~Transfers() {
  if (group_.has_failed()) give_up();
  out_.clear();
  in_.clear();
}

void Transfers::give_up() {
  const MpiLibrary& mpi = group_.library();
  const auto until = clock::now() + milliseconds(100);
  const auto take_back = [&](mpi_handle request) {
    bool done = false;
    if (mpi.cancel(&request) != 0) return;
    while (mpi.test(&request, &done, nullptr) == 0 && !done && clock::now() < until) std::this_thread::yield();
  };
  for (In& in : in_) {
    if (in.packet) take_back(in.request);
    for (const mpi_handle block : in.blocks) take_back(block);
    if (in.packet) in.packet.release();  // the library may still write there
  }
  for (Out& out : out_)
    if (out.packet) out.packet.release();
}

void Transfers::send(int to, const void* data, std::int64_t bytes) {
  if (bytes == 0) return;
  const MpiLibrary& mpi = group_.library();
  const bool copied = bytes <= inline_bytes;
  group_.note_sent(bytes);
  Out& out = out_.emplace_back(Out{to, 0, group_.packets().take()});
  out.packet->heading = heading_;
  if (copied) std::memcpy(out.packet->data, data, static_cast<std::size_t>(bytes));
  const int size = static_cast<int>(offsetof(Packet, data) + static_cast<std::size_t>(copied ? bytes : 0));
  group_.check(mpi.send(out.packet.get(), size, to, heading_tag, group_.data(), &out.request));
  if (copied) return;
  each_block(bytes, [&](std::int64_t at, int length) {
    Out& block = out_.emplace_back(Out{to, 0, nullptr});
    group_.check(mpi.send(static_cast<const char*>(data) + at, length, to, elements_tag, group_.data(), &block.request));
  });
}

void Transfers::receive(int from, void* data, std::int64_t bytes) {
  if (bytes == 0) return;
  const bool is_behind = std::any_of(in_.begin(), in_.end(), [from](const In& in) { return in.from == from; });
  In& in = in_.emplace_back(In{from, static_cast<char*>(data), bytes, group_.packets().take(), 0, is_behind});
  group_.check(group_.library().receive(in.packet.get(), sizeof(Packet), from, heading_tag, group_.data(), &in.request));
}

void Transfers::swap(int other, const void* mine, void* theirs, std::int64_t bytes) {
  const MpiLibrary& mpi = group_.library();
  const auto size = static_cast<std::size_t>(bytes);
  // In the lists at once: what an error leaves under way is given up with them.
  In& in = in_.emplace_back(In{other, static_cast<char*>(theirs), bytes, group_.packets().take()});
  Out& out = out_.emplace_back(Out{other, 0, group_.packets().take()});
  group_.note_sent(bytes);
  group_.check(mpi.receive(in.packet.get(), sizeof(Packet), other, heading_tag, group_.data(), &in.request));
  out.packet->heading = heading_;
  std::memcpy(out.packet->data, mine, size);
  group_.check(mpi.send(out.packet.get(), static_cast<int>(offsetof(Packet, data) + size), other, heading_tag, group_.data(),
                        &out.request));
  bool came = false;
  for (int i = 0; i < quick_looks && !came; ++i) came = is_done(in.request);
  if (!came || !is_done(out.request)) return wait();
  group_.compare(other, in.packet->heading);
  std::memcpy(theirs, in.packet->data, size);
  group_.packets().put(std::move(in.packet));
  group_.packets().put(std::move(out.packet));
  in_.pop_back();
  out_.pop_back();
}

bool Transfers::is_done(mpi_handle& request) {
  bool done = false;
  group_.check(group_.library().test(&request, &done, nullptr));
  return done;
}

// The elements of two large messages of one rank are asked for in the order of their headings.
bool Transfers::may_go_on(const In& in) const {
  if (!in.is_behind) return true;
  for (const In& other : in_) {
    if (&other == &in) return true;
    if (other.from == in.from && other.packet) return false;
  }
  return true;
}

bool Transfers::progress(In& in) {
  if (in.packet) {
    if (!may_go_on(in) || !is_done(in.request)) return false;
    group_.compare(in.from, in.packet->heading);
    if (in.bytes <= inline_bytes) {
      std::memcpy(in.data, in.packet->data, static_cast<std::size_t>(in.bytes));
    } else {
      each_block(in.bytes, [&](std::int64_t at, int length) {
        group_.check(
            group_.library().receive(in.data + at, length, in.from, elements_tag, group_.data(), &in.blocks.emplace_back(0)));
      });
    }
    group_.packets().put(std::move(in.packet));
  }
  std::erase_if(in.blocks, [&](mpi_handle& block) { return is_done(block); });
  return in.blocks.empty();
}

bool Transfers::progress(bool& moved) {
  const std::size_t before = in_.size() + out_.size();
  for (In& in : in_) {
    const bool had_heading = in.packet != nullptr;
    in.is_done = progress(in);
    moved = moved || had_heading != (in.packet != nullptr);
  }
  std::erase_if(in_, [](const In& in) { return in.is_done; });
  std::erase_if(out_, [&](Out& out) {
    if (!is_done(out.request)) return false;
    if (out.packet) group_.packets().put(std::move(out.packet));
    return true;
  });
  moved = moved || in_.size() + out_.size() != before;
  return in_.empty() && out_.empty();
}

std::string Transfers::missing() const {
  std::vector<int> ranks;
  for (const In& in : in_) ranks.push_back(in.from);
  for (const Out& out : out_) ranks.push_back(out.to);
  std::sort(ranks.begin(), ranks.end());
  ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
  return fmt::format("{} {}", ranks.size() == 1 ? "rank" : "ranks", fmt::join(ranks, ", "));
}

// Who will not answer any more? Who waits in another operation?
void Transfers::look_after_others(clock::duration waited) {
  const auto look = [&](int rank) {
    const Group::Peer& peer = group_.peer(rank);
    if (peer.left && peer.completed < heading_.number)
      group_.fail(false, fmt::format("rank {} left the program{}{}, and rank {} waits for it in {}.", rank,
                                     peer.text.empty() ? "" : ": ", peer.text, group_.rank(), text_of(heading_)));
    if (peer.left || waited <= look_after || !group_.is_gone(rank)) return;
    group_.listen();  // what it said before it ended may still be under way
    if (!peer.left)
      group_.fail(false, fmt::format("rank {} ended without a word (it was killed, or crashed), and rank {} waits for it in {}.",
                                     rank, group_.rank(), text_of(heading_)));
  };
  for (const In& in : in_) look(in.from);
  for (const Out& out : out_) look(out.to);
  if (waited > look_after && !asked_) {
    asked_ = true;
    Notice notice;
    notice.kind = Notice::Kind::waits;
    notice.heading = heading_;
    group_.tell_all(notice);
  }
  const std::int64_t limit = config().distributed_timeout_s;
  if (waited > std::chrono::seconds(limit))
    group_.fail(false, fmt::format("rank {} waited {} s for {} in {}. Hint: where ranks need longer than that between two "
                                   "operations, raise config.distributed_timeout_s.",
                                   group_.rank(), limit, missing(), text_of(heading_)));
}

void Transfers::wait() {
  bool moved = false;
  for (int i = 0; i < quick_looks; ++i)
    if (progress(moved)) return;
  const auto start = clock::now();
  auto last_move = start, next_look = start + milliseconds(1);
  microseconds pause = first_pause;
  const microseconds busy = program_waits_ && !Group::shares_cores ? spin_for : busy_for;
  ExactPauses exactly;
  for (;;) {
    moved = false;
    if (progress(moved)) return;
    const auto now = clock::now();
    if (moved) {
      last_move = now;
      pause = first_pause;
    }
    if (now - last_move < busy) continue;
    if (now - last_move < spin_for) {
      std::this_thread::yield();
      continue;
    }
    group_.listen();
    if (Group::given_up) throw DeviceError("distributed", "this rank leaves.");
    if (now > next_look) {
      look_after_others(now - start);
      next_look = now + milliseconds(50);
      try {
        detail::check_interrupt();
      } catch (...) {
        try {
          group_.fail(false, fmt::format("rank {} was interrupted in {}.", group_.rank(), text_of(heading_)));
        } catch (const error&) {  // the others know; here it is the interrupt that counts
        }
        throw;
      }
    }
    exactly.begin();
    std::this_thread::sleep_for(pause);
    pause = std::min(pause * 3 / 2 + microseconds(1), longest_pause);
  }
}

}  // namespace numjit::distributed
