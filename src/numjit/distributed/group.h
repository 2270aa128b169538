// The ranks of a communicator, as each of them knows the others: who left, what failed.
#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include <numjit/array/array.h>
#include <numjit/distributed/heading.h>
#include <numjit/distributed/mpi_library.h>

namespace numjit::distributed {

/// A message that is copied: its heading, and what fits behind it.
struct Packet {
  static constexpr std::int64_t room = 8192;
  Heading heading;
  alignas(16) char data[room];
};
/// Ones for use again.
class Packets {
 public:
  std::unique_ptr<Packet> take();
  void put(std::unique_ptr<Packet> packet) { free_.push_back(std::move(packet)); }

 private:
  std::vector<std::unique_ptr<Packet>> free_;
};

/// What ranks tell each other beside the messages of operations.
struct Notice {
  enum class Kind : std::uint8_t {
    waits,   // the sender waits in this operation: does the receiver know it as the same?
    failed,  // nobody can go on: the text says why
    left,    // the sender leaves the program
  } kind{};
  bool is_value_error = false;  // failed
  std::uint64_t completed = 0;  // left: operations that the sender took part in
  Heading heading;              // waits
  char text[1600] = {};
};

/// Used by one thread at a time.
class Group {
 public:
  /// Set where this process leaves without waiting for what it began.
  static inline std::atomic<bool> given_up{false};
  /// Set where this machine has more ranks than cores: who waits gives its core away at once.
  static inline std::atomic<bool> shares_cores{false};

  struct Peer {
    bool left = false;
    std::uint64_t completed = 0;  // when it left
    std::string text;             // why it left
    std::int64_t process = 0;     // its number on this machine; 0: it is elsewhere
  };

  /// Takes communicators of its own, one for data and one for notices.
  Group(const MpiLibrary& library, mpi_handle data, mpi_handle notices, std::int64_t number);
  /// A group of one, without a library.
  explicit Group(std::int64_t number);

  const MpiLibrary& library() const { return *library_; }
  mpi_handle data() const { return data_; }
  int rank() const { return rank_; }
  int size() const { return size_; }
  std::int64_t number() const { return number_; }
  const array& state() const { return state_; }
  Peer& peer(int rank) { return peers_[static_cast<std::size_t>(rank)]; }
  Packets& packets() { return packets_; }

  /// Numbers the operation, and notes it for who asks. Throws what made the group fail. The result stays until the next one.
  const Heading& begin(const Heading& heading);
  void end() { completed_ = begun_; }
  /// Looks for notices. Throws if the group failed.
  void listen();
  /// What another rank says of its operation: if it is not the one of this rank, the group fails.
  void compare(int rank, const Heading& theirs) {
    if (!agree(last(), theirs)) [[unlikely]]
      compare_all(rank, theirs);
  }
  /// Tells all ranks, and throws.
  [[noreturn]] void fail(bool is_value_error, const std::string& text);
  /// Elements that this rank has sent since the group began.
  std::int64_t sent_bytes() const { return sent_bytes_; }
  void note_sent(std::int64_t bytes) { sent_bytes_ += bytes; }
  bool has_failed() const { return !failure_.empty(); }
  void tell_all(const Notice& notice);
  /// This rank leaves. The others' leaves come by listen_for_leaves().
  void leave(const std::string& text);
  void listen_for_leaves();
  bool all_left() const;
  /// Nothing is expected any more: a receive that nobody ends would be told of by MPI_Finalize.
  void stop_listening();
  /// DeviceError for a code of the library's that is not 0.
  void check(int code);
  /// Is a process of this machine gone?
  bool is_gone(int rank) const;

 private:
  const Heading& last() const { return log_[begun_ % logged]; }
  void compare_all(int rank, const Heading& theirs);
  void take_notice(int from, const Notice& notice);
  [[noreturn]] void throw_failure() const;

  const MpiLibrary* library_ = nullptr;
  mpi_handle data_ = 0, notices_ = 0, request_ = 0;
  const std::int64_t number_;
  int rank_ = 0, size_ = 1;
  array state_;
  std::vector<Peer> peers_;
  std::uint64_t begun_ = 0, completed_ = 0;
  std::int64_t sent_bytes_ = 0;
  static constexpr std::size_t logged = 32;  // few enough to stay in the cache
  std::array<Heading, logged> log_;          // of the last operations, by their numbers
  Notice incoming_;
  Packets packets_;
  std::string failure_;
  bool is_value_error_ = false;
};

}  // namespace numjit::distributed
