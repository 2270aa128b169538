// Scopes and compiled calls in random order up to the ends of threads and of the process: scopes_and_ends <seed>. What each
// thread sees is compared with a model; the hunter is scopes_and_ends_hunt.py.
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <pthread.h>
#include <unistd.h>

#include <numjit/np.h>

namespace np = numjit;

namespace {

/// A scope that is open, and what it sets.
struct Open {
  std::shared_ptr<void> scope;
  int kind = 0, value = 0;
};

Open opened(int kind, int value) {
  switch (kind) {
    case 0: return {std::make_shared<np::config_scope>(np::config_options{.threads = value + 1}), kind, value + 1};
    case 1: return {std::make_shared<np::stance_scope>(value % 2 ? "force_eager" : "default"), kind, value % 2};
    case 2:
      return {std::make_shared<np::errstate>(np::errstate_options{.divide = value % 2 ? "raise" : "ignore"}), kind, value % 2};
    case 3: return {std::make_shared<np::disable_scope>(np::disable_options{.recursive = value % 2 == 0}), kind, value % 2 == 0};
    case 4: return {std::make_shared<np::printoptions>(np::print_options{.precision = value + 1}), kind, value + 1};
    case 5: return {std::make_shared<np::profiler>(), kind, 0};
    case 6: return {std::make_shared<np::error_on_graph_break_scope>(value % 2 == 0), kind, value % 2 == 0};
    case 7: return {std::make_shared<np::dont_skip_tracing_scope>(), kind, 0};
    default: return {std::make_shared<np::budget>(np::budget_options{.max_breaks = 1000}), kind, 0};
  }
}

[[noreturn]] void wrong(const char* what) {
  std::printf("wrong: %s\n", what);
  std::fflush(stdout);
  std::_Exit(1);
}
void check(bool holds, const char* what) {
  if (!holds) wrong(what);
}

auto doubled = np::compile([](const np::array& x) { return x * 2 + 1; });
auto replayed = np::compile([](np::array x) { return x * 3 - 1; }, {.mode = np::mode::replay});

/// The scopes of one thread, in the order in which they were opened, over a generator of random numbers.
struct Model {
  explicit Model(unsigned seed) : random(seed) {}
  unsigned below(unsigned n) { return static_cast<unsigned>(random()) % n; }
  int last(int kind, int otherwise) const {
    for (std::size_t i = open.size(); i-- > 0;)
      if (open[i].kind == kind) return open[i].value;
    return otherwise;
  }
  bool any(int kind) const {
    for (const Open& o : open)
      if (o.kind == kind && o.value) return true;
    return false;
  }
  void look() const {
    check(np::config().threads.get() == last(0, 0), "threads");
    const int precision = last(4, 8);
    check(np::array{1.0 / 3}.str() == "[" + std::string("0.33333333").substr(0, static_cast<std::size_t>(precision) + 2) + "]",
          "text");
    bool raised = false;
    try {
      check(np::isinf(np::ones({2}) / 0.0).str() == "[ True  True]", "quotient");
    } catch (const np::FloatingPointError&) {
      raised = true;
    }
    check(raised == (last(2, 0) == 1), "errstate");
    bool seen = false;
    np::compile([&](const np::array& x) {
      seen = np::is_compiling();
      return x + 1;
    })(np::ones({2}));
    check(seen == !(last(1, 0) == 1 || any(2) || any(3)), "compiling");
    call();
  }
  void call() const {
    check(doubled(np::arange(3.0)).tolist<double>() == std::vector<double>{1, 3, 5}, "a call");
    check(replayed(np::arange(3.0)).tolist<double>() == std::vector<double>{-1, 2, 5}, "a replayed call");
  }
  void step() {
    const unsigned what = below(4);
    if (what == 0)
      look();
    else if (what == 1 && !open.empty())
      open.erase(open.begin() + static_cast<std::ptrdiff_t>(below(static_cast<unsigned>(open.size()))));
    else
      open.push_back(opened(static_cast<int>(below(9)), static_cast<int>(below(3))));
  }
  std::mt19937 random;
  std::vector<Open> open;
};

/// Goes on at the end of what it belongs to.
struct Late {
  std::unique_ptr<Model> model;
  ~Late() {
    if (!model) return;
    for (int i = 0; i < 6; ++i) model->step();
    model->look();
  }
};

// In the order of their ends: thread_locals first, what was made first last.
Late static_first;
thread_local Late of_thread_first;
Late static_last;
thread_local Late of_thread_last;
std::vector<Open> left;  // scopes of threads that have ended
pthread_key_t key;

void thread_main(unsigned seed) {
  auto model = std::make_unique<Model>(seed);
  const unsigned touched = model->below(4);
  if (touched & 1) (void)of_thread_first.model;
  if (touched & 2) (void)of_thread_last.model;
  for (int i = 0; i < 20; ++i) model->step();
  // A scope of this thread that another one ends, while this one is gone.
  if (model->below(2) && !model->open.empty()) {
    left.push_back(model->open.back());
    model->open.back().scope.reset();
    model->open.pop_back();
    return;  // the others end with the model
  }
  const unsigned rest = model->below(3);
  if (rest == 0)
    of_thread_first.model = std::move(model);
  else if (rest == 1)
    of_thread_last.model = std::move(model);
  else {
    model->open.clear();
    pthread_setspecific(key, model.release());
  }
}

}  // namespace

int main(int, char** argv) {
  const auto seed = static_cast<unsigned>(std::stoul(argv[1]));
  pthread_key_create(&key, [](void* late) {
    const std::unique_ptr<Model> model(static_cast<Model*>(late));
    for (int i = 0; i < 6; ++i) model->step();
    model->look();
  });
  auto model = std::make_unique<Model>(seed);
  for (int i = 0; i < 10; ++i) model->step();
  for (unsigned t = 1; t < 4; ++t) {
    std::thread(thread_main, seed * 7 + t).join();
    if (!left.empty() && model->below(2)) left.pop_back();
    model->look();
  }
  // A scope of this thread that another one ends.
  if (!model->open.empty()) {
    const std::size_t at = model->below(static_cast<unsigned>(model->open.size()));
    std::thread([&] { model->open[at].scope.reset(); }).join();
    model->open.erase(model->open.begin() + static_cast<std::ptrdiff_t>(at));
    { np::profiler next; }
    model->look();
  }
  static std::unique_ptr<Model> at_exit;
  switch (model->below(4)) {
    case 0: static_first.model = std::move(model); break;
    case 1: static_last.model = std::move(model); break;
    case 2: of_thread_last.model = std::move(model); break;
    default:
      at_exit = std::move(model);
      std::atexit([] {
        for (int i = 0; i < 6; ++i) at_exit->step();
        at_exit->look();
      });
  }
  return 3;
}
