// Compiled functions called where a thread or the process ends: late_calls <when>. The test is late_calls_test.py.
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <string>
#include <thread>

#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include <numjit/np.h>

namespace np = numjit;

namespace {

const char* when = "";
bool is(const char* name) { return std::string(when) == name; }

auto plain = np::compile([](const np::array& x) { return x * 2 + 1; }, {.name = "plain"});
auto replayed = np::compile([](np::array x) { return x * 3 - 1; }, {.mode = np::mode::replay, .name = "replayed"});
auto fast = np::compile([](const np::array& x) { return x / 4; }, {.name = "fast", .float_mode = np::float_mode::fast});
auto broken = np::compile([](const np::array& x) { return np::sum(x).item<double>() > 0 ? x + 1 : x - 1; }, {.name = "broken"});
auto wrong = np::compile([](const np::array& x) { return np::take(x, {std::int64_t{100}}); }, {.name = "wrong"});

void call_all(const char* from) {
  const np::array x = np::arange(4.0);
  std::cout << from << ": " << plain(x) << " " << replayed(x) << " " << fast(x) << " " << broken(x) << "\n";
  try {
    std::cout << wrong(x) << "\n";
  } catch (const np::IndexError&) {
    std::cout << from << ": IndexError\n";
  }
  np::errstate errors({.divide = "raise"});
  try {
    plain(np::ones({2}) / 0.0);
  } catch (const np::FloatingPointError&) {
    std::cout << from << ": FloatingPointError" << std::endl;
  }
}

// Destroyed after everything that was made later.
struct Last {
  ~Last() {
    if (is("static") || is("static_only")) call_all("static");
    if (is("static_scopes")) std::cout << "threads " << np::config().threads.get() << std::endl;
  }
} last;

struct OfThread {
  const char* name = "thread_local";
  ~OfThread() {
    if (is("thread_local") || is("thread_local_first")) call_all(name);
  }
  void touch() {}
};
thread_local OfThread of_thread;

std::unique_ptr<np::config_scope> static_scope;
std::unique_ptr<np::errstate> static_errstate;
std::unique_ptr<np::profiler> static_profiler;

void in_thread(const std::function<void()>& work) { std::thread(work).join(); }

int child_status(const std::function<void()>& work) {
  std::cout.flush();
  const pid_t child = fork();
  if (child == 0) {
    work();
    std::exit(7);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

const std::map<std::string, std::function<void()>> programs = {
    {"static", [] { call_all("main"); }},
    {"static_only", [] {}},
    {"atexit",
     [] {
       std::atexit([] { call_all("atexit"); });
       call_all("main");
     }},
    {"atexit_only", [] { std::atexit([] { call_all("atexit"); }); }},
    {"atexit_first", [] {}},
    {"quick_exit",
     [] {
       std::at_quick_exit([] { call_all("at_quick_exit"); });
       call_all("main");
       std::quick_exit(5);
     }},
    {"thread_local",
     [] {
       in_thread([] {
         call_all("thread");
         of_thread.touch();
       });
       of_thread.touch();
     }},
    {"thread_local_first",
     [] {
       in_thread([] {
         of_thread.touch();
         call_all("thread");
       });
       of_thread.touch();
       call_all("main");
     }},
    {"key",
     [] {
       static pthread_key_t key;
       pthread_key_create(&key, [](void*) { call_all("key"); });
       in_thread([] {
         pthread_setspecific(key, &key);
         call_all("thread");
       });
     }},
    {"thread_exit",
     [] {
       auto leaves = np::compile([](np::array x) {
         x += 1;
         if (x.size() == 3) pthread_exit(nullptr);
         return x * 2;
       });
       np::array x = np::ones({3});
       in_thread([&] { leaves(x); });
       std::cout << x << " " << leaves(np::ones({2})) << std::endl;
     }},
    {"fork",
     [] {
       call_all("main");
       const int status = child_status([] { call_all("child"); });
       std::cout << "child: " << status << std::endl;
       call_all("parent");
     }},
    {"fork_from_thread",
     [] {
       call_all("main");
       in_thread([] {
         np::config_scope scope({.threads = 1});
         const int status = child_status([] { call_all("child"); });
         std::cout << "child: " << status << std::endl;
       });
     }},
    {"fork_in_scope",
     [] {
       np::config_scope scope({.threads = 3});
       const int status = child_status([] {
         in_thread([] { std::cout << "thread " << (np::config().threads.get() == 3) << "\n"; });
         std::cout << "child " << np::config().threads.get() << std::endl;
       });
       std::cout << "child: " << status << std::endl;
     }},
    {"static_scopes",
     [] {
       static_scope = std::make_unique<np::config_scope>(np::config_options{.threads = 3});
       static_errstate = std::make_unique<np::errstate>(np::errstate_options{.divide = "raise"});
       static_profiler = std::make_unique<np::profiler>();
     }},
    {"scopes_of_ended_threads",
     [] {
       in_thread([] {
         static_scope = std::make_unique<np::config_scope>(np::config_options{.threads = 3});
         static_profiler = std::make_unique<np::profiler>();
         call_all("thread");
         static_errstate = std::make_unique<np::errstate>(np::errstate_options{.divide = "raise"});
       });
       std::cout << "calls " << static_profiler->report().calls << std::endl;
     }},
};

}  // namespace

int main(int, char** argv) {
  when = argv[1];
  if (is("atexit_first")) std::atexit([] { call_all("atexit"); });  // before the library is used
  programs.at(when)();
  return 3;
}
