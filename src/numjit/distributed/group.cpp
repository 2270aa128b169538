// Notices between the ranks of a group.
#include <numjit/distributed/group.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstring>
#include <thread>

#include <fmt/format.h>
#include <unistd.h>

#include <numjit/base/error.h>
#include <numjit/base/file.h>

namespace numjit::distributed {
namespace {

constexpr int notice_tag = 3;
constexpr std::uint64_t listen_every = 16;  // operations: it takes as long as a small message

template <std::size_t N>
void write_text(char (&to)[N], const std::string& text) {
  const std::size_t length = std::min(text.size(), N - 1);
  std::memcpy(to, text.data(), length);
  to[length] = 0;
}

}  // namespace

std::unique_ptr<Packet> Packets::take() {
  if (free_.empty()) return std::make_unique<Packet>();
  std::unique_ptr<Packet> packet = std::move(free_.back());
  free_.pop_back();
  return packet;
}

Group::Group(std::int64_t number)
    : number_(number), state_(array::adopt(detail::new_node(dtype_id::uint64, 0, nullptr))), peers_(1) {
  *reinterpret_cast<std::uint64_t*>(state_.get()->data) = 0;
}

Group::Group(const MpiLibrary& library, mpi_handle data, mpi_handle notices, std::int64_t number) : Group(number) {
  library_ = &library;
  data_ = data;
  notices_ = notices;
  check(library.rank(data, &rank_));
  check(library.size(data, &size_));
  peers_.resize(static_cast<std::size_t>(size_));
  if (size_ > 1) check(library.receive(&incoming_, sizeof incoming_, -1, notice_tag, notices_, &request_));
}

void Group::check(int code) {
  if (code == 0) return;
  char text[512];
  library_->error_text(code, text);
  throw DeviceError("distributed", fmt::format("{} says: {}.", library_->name, text));
}

void Group::throw_failure() const {
  if (is_value_error_) throw ValueError("distributed", failure_);
  throw DeviceError("distributed", failure_);
}

const Heading& Group::begin(const Heading& heading) {
  if (library_ && library_->is_finalized())
    throw DeviceError("distributed",
                      "MPI_Finalize was called before: nothing can be sent to other ranks any more. Hint: let "
                      "what communicates end before it.");
  if (has_failed()) throw_failure();
  Heading& noted = log_[++begun_ % logged];
  noted = heading;
  noted.number = begun_;
  if (size_ > 1 && begun_ % listen_every == 0) listen();  // who waits listens in any case
  return noted;
}

void Group::tell_all(const Notice& notice) {
  using clock = std::chrono::steady_clock;
  std::vector<mpi_handle> requests;
  for (int to = 0; to < size_; ++to) {
    if (to == rank_) continue;  // also to those that left: they wait until all have
    mpi_handle request = 0;
    if (library_->send(&notice, sizeof notice, to, notice_tag, notices_, &request) == 0) requests.push_back(request);
  }
  // Notices are small: the library takes them at once, unless the other side is gone.
  const auto until = clock::now() + std::chrono::milliseconds(500);
  for (mpi_handle& request : requests) {
    bool done = false;
    while (library_->test(&request, &done, nullptr) == 0 && !done && clock::now() < until) std::this_thread::yield();
  }
}

void Group::fail(bool is_value_error, const std::string& text) {
  failure_ = text;
  is_value_error_ = is_value_error;
  Notice notice;
  notice.kind = Notice::Kind::failed;
  notice.is_value_error = is_value_error;
  write_text(notice.text, text);
  tell_all(notice);
  throw_failure();
}

void Group::leave(const std::string& text) {
  if (size_ == 1) return;
  Notice notice;
  notice.kind = Notice::Kind::left;
  notice.completed = completed_;
  write_text(notice.text, text);
  tell_all(notice);
}

void Group::take_notice(int from, const Notice& notice) {
  switch (notice.kind) {
    case Notice::Kind::failed:
      if (has_failed()) return;
      failure_ = notice.text;
      is_value_error_ = notice.is_value_error;
      return;
    case Notice::Kind::left: {
      Peer& p = peer(from);
      p.left = true;
      p.completed = notice.completed;
      p.text = notice.text;
      return;
    }
    case Notice::Kind::waits:  // where this rank is not yet, it will see for itself
      if (notice.heading.number <= begun_ && notice.heading.number + logged > begun_) compare(from, notice.heading);
      return;
  }
}

void Group::listen_for_leaves() {
  if (size_ == 1) return;
  for (;;) {
    bool came = false;
    int from = 0;
    if (library_->test(&request_, &came, &from) != 0 || !came) return;
    if (incoming_.kind != Notice::Kind::waits) take_notice(from, incoming_);
    if (library_->receive(&incoming_, sizeof incoming_, -1, notice_tag, notices_, &request_) != 0) return;
  }
}

void Group::listen() {
  bool came = false;
  int from = 0;
  check(library_->test(&request_, &came, &from));
  if (came) {
    const Notice notice = incoming_;
    check(library_->receive(&incoming_, sizeof incoming_, -1, notice_tag, notices_, &request_));
    take_notice(from, notice);
  }
  if (has_failed()) throw_failure();
}

void Group::stop_listening() {
  if (size_ == 1 || request_ == 0 || library_->cancel(&request_) != 0) return;
  const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(100);
  bool done = false;
  while (library_->test(&request_, &done, nullptr) == 0 && !done && std::chrono::steady_clock::now() < until)
    std::this_thread::yield();
}

bool Group::all_left() const {
  for (int r = 0; r < size_; ++r)
    if (r != rank_ && !peers_[static_cast<std::size_t>(r)].left) return false;
  return true;
}

void Group::compare_all(int rank, const Heading& theirs) {
  const Heading& same_number = log_[theirs.number % logged];
  const Heading& own = same_number.number == theirs.number ? same_number : last();
  if (agree(own, theirs)) return;
  const bool lower = rank < rank_;
  const Heading &first = lower ? theirs : own, &second = lower ? own : theirs;
  const auto at = [&](int r, const Heading& h) {
    return fmt::format("rank {} calls {}{}", r, text_of(h),
                       first.number == second.number ? "" : fmt::format(" as its operation {}", h.number));
  };
  fail(true, fmt::format("the ranks' programs differ{}: {}, {}. Hint: all ranks of a communicator call the same operations in "
                         "the same order, with equal dtypes and shapes.",
                         first.number == second.number ? fmt::format(" in operation {}", first.number) : "",
                         at(std::min(rank, rank_), first), at(std::max(rank, rank_), second)));
}

bool Group::is_gone(int rank) const {
  const std::int64_t process = peers_[static_cast<std::size_t>(rank)].process;
  if (process == 0) return false;
  if (kill(static_cast<pid_t>(process), 0) != 0 && errno == ESRCH) return true;
  std::string status;  // a zombie's number is still taken
  if (detail::read_file(fmt::format("/proc/{}/stat", process), status) != 0) return true;
  const std::size_t at = status.rfind(')');
  return at != std::string::npos && at + 2 < status.size() && (status[at + 2] == 'Z' || status[at + 2] == 'X');
}

}  // namespace numjit::distributed
