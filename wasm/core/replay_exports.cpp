// Calls of mode replay (js/replay.js): compared with what earlier calls learned, and run without JavaScript. A file of its
// own, compiled for speed: on small arrays this is most of a call.
#include <memory>
#include <optional>
#include <utility>

#include <numjit/trace/api/api.h>
#include <numjit/trace/record/replay.h>

#include "exports.h"

namespace numjit::js {

/// What is kept with a learned call: JavaScript's number of its result with the arrays taken out (0: one array and nothing
/// else), and how many arrays those are.
struct Prototype {
  int id;
  std::size_t arrays;
};

/// The one call in replay mode that may be under way: inside of it others run their bodies.
struct Replaying {
  std::optional<tracing::ReplayCall> call{};
  bool known = false;
  std::vector<array> arguments{}, results{};
  std::vector<int> given{};  // the prototype's number, then handles

  void end() {
    call.reset();
    arguments.clear();
    results.clear();
  }
  /// The leaves of a result that has `count` arrays, to be set or looked at.
  void list_results(std::size_t count, const int* handles) {
    results.resize(count);
    for (std::size_t i = 0; i < count; ++i) {
      if (handles) results[i] = array::share(as_node(handles[i]));
      call->results().array(results[i]);
    }
  }
};
static Replaying& replaying() {
  static Replaying& only = *new Replaying;
  return only;
}

/// What JavaScript does next; any other value of nj_replay is the handle of the result.
enum ReplayStep : int { failed = -1, run_body, run_body_and_end, take_results };

/// Runs what an equal call learned.
static int give_replayed(Replaying& r) {
  r.call->run();
  const auto& prototype = *static_cast<const Prototype*>(r.call->prototype().get());
  if (prototype.id == 0) return as_handle(r.call->give_one());
  r.list_results(prototype.arrays, nullptr);
  r.call->give();
  r.given.assign(1, prototype.id);
  for (array& a : r.results) r.given.push_back(as_handle(std::move(a)));
  return take_results;
}

/// A call whose arguments have these arrays, by handle, and other leaves, as words.
NUMJIT_EXPORT(nj_replay) int nj_replay(Compiled* f, const int* handles, int arrays, const std::uint64_t* words, int count) {
  Replaying& r = replaying();
  if (r.call) return run_body;
  int step = failed;
  guarded([&] {
    r.call.emplace(**f);
    if (!r.call->possible()) {
      step = run_body;
      return;
    }
    r.arguments.resize(static_cast<std::size_t>(arrays));
    for (int i = 0; i < arrays; ++i) {
      array& a = r.arguments[static_cast<std::size_t>(i)];
      a = array::share(as_node(handles[i]));
      r.call->arguments().array(a);
    }
    for (int i = 0; i < count; ++i) r.call->arguments().value(words[i]);
    r.known = r.call->known();
    if (r.known && !r.call->verifies()) {
      step = give_replayed(r);
      return;
    }
    if (r.known) r.call->run_on_copies();
    else r.call->begin();
    step = run_body_and_end;
  });
  if (step != run_body_and_end) r.end();
  return step;
}
/// The prototype's number and the handles of what nj_replay computed, after take_results.
NUMJIT_EXPORT(nj_replay_results) const int* nj_replay_results() { return replaying().given.data(); }
/// The body has run: learns from it, or compares. `id`: the number that its result gets, if it is learned (then 1).
NUMJIT_EXPORT(nj_replay_end) int nj_replay_end(const int* handles, int arrays, int id) {
  Replaying& r = replaying();
  bool learned = false;
  const int status = guarded([&] {
    r.list_results(static_cast<std::size_t>(arrays), handles);
    if (r.known) return r.call->compare();
    learned = r.call->learn();
    if (learned) r.call->set_prototype(std::make_shared<Prototype>(Prototype{id, static_cast<std::size_t>(arrays)}));
  });
  r.end();
  return status < 0 ? -1 : learned;
}
/// The body threw.
NUMJIT_EXPORT(nj_replay_abandon) void nj_replay_abandon() { replaying().end(); }

}  // namespace numjit::js
