// Observers of compiled calls: what they are told and when, what they ask for, and how they come and go.
#include <gtest/gtest.h>

#include <numjit/np.h>
#include <numjit/trace/record/recorder.h>

#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "support/trace_values.h"

namespace np = numjit;

namespace {

using np::testing::message;
using np::testing::ramp;
using np::testing::values;
using np::tracing::BreakEvent, np::tracing::CallObserver, np::tracing::EndKind;
using np::tracing::ObserverList, np::tracing::ObserverScope, np::tracing::Recorder, np::tracing::SegmentEvent;
using words = std::vector<std::string>;

/// Writes down what it is told.
struct Watcher : CallObserver {
  explicit Watcher(std::uint8_t needs = costs | breaks | reads | other_work) : CallObserver(needs) {}
  words seen;
  std::string refuses;  // of the events before something

  void on_segment(const SegmentEvent& e) override {
    const char* const kinds[] = {"region end", "break", "cut", "exception", "fallback"};
    seen.push_back(std::string("segment of ") + e.function + ", " + kinds[static_cast<int>(e.kind)] + ", " +
                   std::to_string(e.end.graph_of_run(e.live).op_count()) + (e.times.segment_ns > 0 ? " ops, timed" : " ops"));
  }
  void on_cut() override { seen.push_back("cut"); }
  void on_cut_reason(const std::string& reason, const np::location&) override { seen.push_back("cut: " + reason); }
  void before_break(const BreakEvent& e) override { before("break", std::string(np::tracing::break_row(e.id).id)); }
  void on_break(const BreakEvent& e, std::int64_t) override {
    seen.push_back("break " + std::string(np::tracing::break_row(e.id).id));
  }
  void before_read(const BreakEvent&, const char* why) override { before("read", why); }
  void after_read(const BreakEvent&, np::node* of, const char* why) override {
    seen.push_back(std::string("read ") + why + (of->is(np::node::lazy) ? " of nothing" : " of a value"));
  }
  void on_recompile(const std::string& text, const np::location&) override { seen.push_back(text.substr(0, text.find(" of "))); }
  void on_call_end() override { seen.push_back("call end"); }
  void after_call() override { before("end", "of call"); }
  void on_other_work() override { seen.push_back("other work"); }

 private:
  void before(const std::string& what, const std::string& which) {
    seen.push_back("before " + what + " " + which);
    if (what == refuses) throw np::ValueError("watch", "no " + what);
  }
};

ObserverList& list() { return Recorder::current().observers; }

auto reading() {
  return np::compile([](const np::array& x) { return x + (x * 2).sum().item(); }, {.backend = "eager", .name = "f"});
}

const words reads_once = {"before read item",
                          "other work",
                          "other work",
                          "before break NJ0002",
                          "segment of f, break, 2 ops, timed",
                          "break NJ0002",
                          "read item of a value",
                          "segment of f, region end, 1 ops, timed",
                          "call end",
                          "before end of call"};

TEST(Observers, AreToldInOrder) {
  np::reset();
  Watcher watcher;
  const ObserverScope watching(list(), watcher);
  EXPECT_EQ(values(reading()(np::ones(2))), values(np::array{5.0, 5.0}));
  EXPECT_EQ(watcher.seen, reads_once);
  watcher.seen.clear();
  np::ones(2) + 1;  // no call
  EXPECT_EQ(watcher.seen, words{});
}

TEST(Observers, AllAreToldAndWhatTheyDoNotAskForIsNot) {
  np::reset();
  Watcher one, quiet(CallObserver::graphs), two;
  const ObserverScope first(list(), one), second(list(), quiet), third(list(), two);
  reading()(np::ones(2));
  EXPECT_EQ(one.seen, reads_once);
  EXPECT_EQ(two.seen, reads_once);
  quiet.seen.clear();
  ObserverList::remove(one);
  ObserverList::remove(two);
  reading()(np::ones(2));
  EXPECT_EQ(quiet.seen, (words{"segment of f, break, 2 ops", "segment of f, region end, 1 ops"}));
}

TEST(Observers, NeedsAreThoseOfAllThatAreThere) {
  ObserverList all;
  EXPECT_FALSE(all.any());
  Watcher a(CallObserver::costs | CallObserver::bodies), b(CallObserver::costs | CallObserver::reads);
  all.add(a);
  all.add(b);
  all.add(b);  // is there
  EXPECT_TRUE(all.need(CallObserver::bodies) && all.need(CallObserver::reads) && all.need(CallObserver::costs));
  EXPECT_FALSE(all.need(CallObserver::graphs));
  ObserverList::remove(a);
  EXPECT_FALSE(all.need(CallObserver::bodies));
  EXPECT_TRUE(all.need(CallObserver::reads) && all.need(CallObserver::costs));
  {
    Watcher c(CallObserver::copies);
    all.add(c);
    EXPECT_TRUE(all.need(CallObserver::copies));
  }  // leaves at its end
  EXPECT_FALSE(all.need(CallObserver::copies));
  ObserverList::remove(b);
  ObserverList::remove(b);
  EXPECT_FALSE(all.any());
}

TEST(Observers, MayLeaveWhileTheyAreTold) {
  ObserverList all;
  Watcher a, b, c;
  for (Watcher* w : {&a, &b, &c}) all.add(*w);
  all.tell([&](CallObserver& o) {
    static_cast<Watcher&>(o).seen.push_back("told");
    ObserverList::remove(o);
  });
  EXPECT_FALSE(all.any());
  for (const Watcher* w : {&a, &b, &c}) EXPECT_EQ(w->seen, words{"told"});
}

TEST(Observers, OutliveTheListOfTheirThread) {
  Watcher watcher;
  std::thread([&] {
    list().add(watcher);
    reading()(np::ones(2));
  }).join();
  EXPECT_FALSE(watcher.seen.empty());
  list().add(watcher);  // it is in no list any more
  EXPECT_TRUE(list().any());
  ObserverList::remove(watcher);
  EXPECT_FALSE(list().any());
}

TEST(Observers, RefuseABreakOrARead) {
  np::reset();
  auto f = reading();
  for (const char* what : {"break", "read"}) {
    Watcher watcher;
    watcher.refuses = what;
    const ObserverScope watching(list(), watcher);
    EXPECT_EQ(message([&] { f(np::ones(2)); }), std::string("[watch] no ") + what);
  }
  EXPECT_EQ(values(f(np::ones(2))), values(np::array{5.0, 5.0}));
}

TEST(Observers, AllKnowOfTheEndOfACallThatOneRefuses) {
  Watcher one, two;
  two.refuses = "end";
  const ObserverScope first(list(), one), second(list(), two);
  EXPECT_EQ(message([] { reading()(np::ones(2)); }), "[watch] no end");
  EXPECT_EQ(one.seen.back(), "call end");
}

TEST(Observers, KeepBodiesRunning) {
  int bodies = 0;
  auto f = np::compile(
      [&](const np::array& x) {
        ++bodies;
        return x + 1;
      },
      {.backend = "eager", .mode = np::mode::replay});
  for (int i = 0; i < 5; ++i) f(np::ones(2));
  const int learned = bodies;
  EXPECT_LT(learned, 5);
  Watcher watcher(CallObserver::bodies);
  const ObserverScope watching(list(), watcher);
  f(np::ones(2));
  EXPECT_EQ(bodies, learned + 1);
}

}  // namespace
