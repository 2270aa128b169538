// Who watches the calls of a thread: explain(), profilers and budgets, replay, export.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include <numjit/ops/black_box.h>
#include <numjit/trace/record/record.h>
#include <numjit/trace/state/breaks.h>

namespace numjit::tracing {

class Recorder;

/// Why a segment ended. Only `break_` counts as a graph break. fallback: the rest of the call runs
/// eagerly, because the stance forbids new graphs.
enum class EndKind : std::uint8_t { region_end, break_, cut, exception, fallback };

struct SegmentTimes {
  std::int64_t segment_ns = 0, kernel_ns = 0;
};

/// A segment that ran. Its lazies have their values and are still those of the program.
struct SegmentEvent {
  const Recorder& recorder;
  SegmentEnd& end;
  const SegmentVariant* variant;  // null: it ran op by op, as the stance allowed no plan
  const LiveSet& live;            // which lazies the program keeps
  EndKind kind;
  const std::string& function;
  std::span<const std::shared_ptr<const detail::black_box>> boxes;  // that it called
  SegmentTimes times;                                               // 0 unless somebody watches costs
};

class ObserverList;

/// What happens in the compiled calls of a thread, for one who watches: functions that do nothing unless they are overridden.
/// An observer is in the list of one recorder, or in none, and leaves it at its end at the latest.
class CallObserver {
 public:
  /// What an observer asks of the recorder. While nobody does, that costs nothing.
  enum need : std::uint8_t {
    costs = 1,       // times of segments, cuts and their reasons, beginnings and ends of calls
    bodies = 2,      // no call is replayed
    graphs = 4,      // small arrays in loops are recorded as all others
    breaks = 8,      // before_break() and on_break()
    reads = 16,      // before_read() and after_read()
    copies = 32,     // the call works on copies: views of concrete arrays, and what others look at, are recorded as all others
    other_work = 64  // on_other_work()
  };

  CallObserver(const CallObserver&) = delete;
  CallObserver& operator=(const CallObserver&) = delete;

  virtual void on_segment(const SegmentEvent&) {}
  /// A segment is about to end for a reason of numjit's own.
  virtual void on_cut() {}
  /// What for, before that, unless it is for size alone.
  virtual void on_cut_reason(const std::string& /*reason*/, const location& /*where*/) {}
  /// What it throws leaves the operation that breaks the graph; the segment goes on pending.
  virtual void before_break(const BreakEvent&) {}
  /// The segment has run, which took so long.
  virtual void on_break(const BreakEvent&, std::int64_t /*cost_ns*/) {}
  /// The program asks for the value of an array, `why`: "bool", "item", ... What it throws leaves the read.
  virtual void before_read(const BreakEvent&, const char* /*why*/) {}
  /// It has its value.
  virtual void after_read(const BreakEvent&, node* /*of*/, const char* /*why*/) {}
  /// A tape is about to be swept back over, which alone holds so many bytes in memory, and computes so many segments again.
  virtual void on_tape(std::int64_t /*saved_bytes*/, int /*thinned_segments*/, int /*recipe_operations*/) {}
  /// Calls like this one take less time one operation after the other, and run so where nobody watches: "2 ms recorded, ...".
  virtual void on_eager_choice(const std::string& /*times*/) {}
  virtual void on_recompile(const std::string& /*text*/, const location& /*where*/) {}
  /// An outermost call begins.
  virtual void on_call_begin(const std::string& /*function*/) {}
  /// An outermost call ended, without an error.
  virtual void on_call_end() {}
  /// All observers know: what it throws leaves the call.
  virtual void after_call() {}
  /// The call does other things than array work of one segment, or reads values.
  virtual void on_other_work() {}

 protected:
  explicit CallObserver(std::uint8_t needs) : needs_(needs) {}
  ~CallObserver();

 private:
  friend class ObserverList;
  ObserverList* list_ = nullptr;  // that it is in
  CallObserver* next_ = nullptr;
  std::uint8_t needs_;  // of `need`, at least one
};

/// Those who watch a thread, the one that came last first.
class ObserverList {
 public:
  ObserverList() = default;
  ObserverList(const ObserverList&) = delete;
  ObserverList& operator=(const ObserverList&) = delete;
  ~ObserverList();

  /// No effect for one that is in it.
  void add(CallObserver& observer) noexcept;
  /// No effect for one that is in no list.
  static void remove(CallObserver& observer) noexcept;

  /// Is anybody there?
  bool any() const { return needs_ != 0; }
  /// Does somebody ask for this?
  bool need(CallObserver::need what) const { return (needs_ & what) != 0; }
  /// Calls f(observer) for all; one may leave meanwhile.
  template <class F>
  void tell(F&& f) const {
    for (CallObserver *o = first_, *next; o; o = next) {
      next = o->next_;
      f(*o);
    }
  }

 private:
  CallObserver* first_ = nullptr;
  std::uint8_t needs_ = 0;  // of all together
};

/// Where NUMJIT_REPORT names a folder: has the calls of a thread watched, whose page is written there when the process ends.
void report_thread(ObserverList& observers);

/// Has an observer watch while this lives.
class ObserverScope {
 public:
  ObserverScope(ObserverList& list, CallObserver& observer) : observer_(observer) { list.add(observer); }
  ~ObserverScope() { ObserverList::remove(observer_); }
  ObserverScope(const ObserverScope&) = delete;
  ObserverScope& operator=(const ObserverScope&) = delete;

 private:
  CallObserver& observer_;
};

}  // namespace numjit::tracing
