// The messages of one operation: sent and received side by side, checked by their headings, given up at the time limit.
#pragma once

#include <chrono>
#include <memory>
#include <vector>

#include <numjit/distributed/group.h>

namespace numjit::distributed {

/// Small messages are copied behind their heading; of large ones only the heading is, and the elements go from array to array
/// once the receiver knows that they are the right ones. Between two ranks the order of sends is that of receives.
class Transfers {
 public:
  /// `program_waits`: the core has nothing else to do. ValueError, DeviceError: the group failed before.
  Transfers(Group& group, const Heading& heading, bool program_waits);
  /// Gives up what an error left.
  ~Transfers();
  Transfers(const Transfers&) = delete;
  Transfers& operator=(const Transfers&) = delete;

  /// The data stay until wait() returns. Nothing is sent for 0 bytes, on either side.
  void send(int to, const void* data, std::int64_t bytes);
  void receive(int from, void* data, std::int64_t bytes);
  /// One small message each way, and the wait for both: the short way for what few elements need.
  void swap(int other, const void* mine, void* theirs, std::int64_t bytes);
  /// All of these are done. ValueError: another rank is in another operation. DeviceError: one left or failed, or the time is
  /// over.
  void wait();

 private:
  struct Out {
    int to;
    mpi_handle request;
    std::unique_ptr<Packet> packet;  // empty: from the array
  };
  struct In {
    int from;
    char* data;
    std::int64_t bytes;
    std::unique_ptr<Packet> packet;  // empty: the heading was read
    mpi_handle request = 0;
    bool is_behind = false;  // one from the same rank comes before
    bool is_done = false;
    std::vector<mpi_handle> blocks = {};  // of a large message
  };
  void give_up();
  bool is_done(mpi_handle& request);
  bool progress(bool& moved);
  bool progress(In& in);
  bool may_go_on(const In& in) const;
  void look_after_others(std::chrono::steady_clock::duration waited);
  std::string missing() const;

  /// Their memory is used again by the next operation of the thread.
  struct Lists {
    std::vector<Out> out;
    std::vector<In> in;
  };
  static Lists& lists_of_thread();

  Group& group_;
  const Heading& heading_;
  Lists& lists_ = lists_of_thread();
  std::vector<Out>& out_ = lists_.out;
  std::vector<In>& in_ = lists_.in;
  const bool program_waits_;
  bool asked_ = false;
};

}  // namespace numjit::distributed
