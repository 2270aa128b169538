// A CUDA driver over memory of the host, for tests: it records what is asked of it, does it as late as a real one
// may (at the next wait), and notices when something was freed too early. Kernels are not computed: their
// pointers are checked, and what they may write is filled with a pattern.
#include "fake_cuda.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace {

constexpr int invalid_value = 1, out_of_memory = 2, not_found = 500, not_initialized = 3, capture_unsupported = 900,
              capture_invalidated = 901, invalid_context = 201;

struct Event;
struct Stream {
  int number;
  std::deque<std::function<void()>> queue;
  struct Graph* capture = nullptr;
};
struct Event {
  Stream* stream = nullptr;
  bool reached = true;
};
struct Module {
  std::string ptx;
};
struct Function {
  Module* module;
  std::string name;
  std::vector<bool> is_pointer;
};
struct Graph {
  std::vector<std::function<void()>> work;
  std::vector<std::string> lines;
  std::vector<Module*> modules;
  bool executable = false, broken = false;
};

struct Driver {
  std::mutex mutex;
  bool initialized = false;
  std::string log, shown;
  std::map<std::uint64_t, std::size_t> memory;
  std::map<char*, std::size_t> pinned;
  std::set<Module*> modules;
  std::set<Event*> events;
  std::set<Stream*> streams;
  std::set<Graph*> graphs;
  std::map<void*, std::unique_ptr<Function>> functions;
  std::size_t bytes = 0, room = std::size_t{1} << 30;
  int faults = 0, next_stream = 0;
  struct Injected {
    int nth, code, seen = 0;
  };
  std::map<std::string, Injected> injected;
  std::map<std::size_t, std::vector<char>> answers;  // by their bytes
};

Driver& driver() {
  static auto& d = *new Driver;
  return d;
}

// Each thread has a context or none; what is asked for without one is a fault.
thread_local void* current_context = nullptr;

// An injected error, or 0. Writes the call down.
int enter(const char* name, const std::string& what = "") {
  Driver& d = driver();
  auto found = d.injected.find(name);
  int code = 0;
  if (found != d.injected.end() && (found->second.nth == 0 || ++found->second.seen == found->second.nth))
    code = found->second.code;
  d.log += std::string(name) + (what.empty() ? "" : " " + what) + (code ? " -> " + std::to_string(code) : "") + "\n";
  return code;
}

#define ENTER(...)                          \
  std::lock_guard lock(driver().mutex);     \
  if (int code = enter(__VA_ARGS__)) return code

#define ENTER_CONTEXT(...)                  \
  ENTER(__VA_ARGS__);                       \
  if (!current_context) return ++driver().faults, invalid_context

bool alive(std::uint64_t at, std::size_t bytes) {
  auto it = driver().memory.upper_bound(at);
  if (it == driver().memory.begin()) return false;
  --it;
  return at + bytes <= it->first + it->second;
}
bool is_pinned(const void* p) {
  auto it = driver().pinned.upper_bound(static_cast<char*>(const_cast<void*>(p)));
  if (it == driver().pinned.begin()) return false;
  --it;
  return static_cast<const char*>(p) < it->first + it->second;
}

void drain(Stream* s) {
  while (!s->queue.empty()) {
    auto work = std::move(s->queue.front());
    s->queue.pop_front();
    work();
  }
}
void drain_to(Event* e) {
  while (!e->reached && e->stream && !e->stream->queue.empty()) {
    auto work = std::move(e->stream->queue.front());
    e->stream->queue.pop_front();
    work();
  }
}

std::string name_of(Stream* s) { return "s" + std::to_string(s->number); }

void give(Stream* s, std::string line, std::function<void()> work) {
  if (s->capture) {
    s->capture->work.push_back(std::move(work));
    s->capture->lines.push_back(std::move(line));
  } else {
    s->queue.push_back(std::move(work));
  }
}

// What waits for a stream's work, or marks a place in it, breaks a capture.
bool breaks_capture(Stream* s) {
  if (!s->capture) return false;
  ++driver().faults;
  return s->capture->broken = true;
}

void move(std::uint64_t to, std::uint64_t from, std::size_t n, bool device_to, bool device_from) {
  if ((device_to && !alive(to, n)) || (device_from && !alive(from, n))) {
    ++driver().faults;
    return;
  }
  std::memmove(reinterpret_cast<void*>(to), reinterpret_cast<const void*>(from), n);
}

}  // namespace

extern "C" {

void fake_fail(const char* function, int nth, int code) {
  std::lock_guard lock(driver().mutex);
  if (*function) driver().injected[function] = {nth, code};
  else driver().injected.clear();
}
const char* fake_log() {
  std::lock_guard lock(driver().mutex);
  driver().shown = driver().log;
  return driver().shown.c_str();
}
void fake_reset() {
  std::lock_guard lock(driver().mutex);
  driver().log.clear();
}
fake_counts fake_count() {
  Driver& d = driver();
  std::lock_guard lock(d.mutex);
  auto n = [](const auto& s) { return static_cast<int>(s.size()); };
  return {d.bytes, n(d.memory), n(d.pinned), n(d.modules), n(d.events), n(d.streams), n(d.graphs), d.faults};
}
void fake_give(void* stream, void (*work)(void*), void* context, void (*end)(void*)) {
  const std::shared_ptr<void> held(context, end);
  std::lock_guard lock(driver().mutex);
  give(static_cast<Stream*>(stream), "library", [=] { work(held.get()); });
}
void fake_wait(void* stream) {
  std::lock_guard lock(driver().mutex);
  if (!breaks_capture(static_cast<Stream*>(stream))) drain(static_cast<Stream*>(stream));
}
int fake_call(const char* function, const char* what) {
  std::lock_guard lock(driver().mutex);
  return enter(function, what);
}
bool fake_has(const void* at, std::size_t bytes) {
  // Asked by work that runs: the driver is locked.
  const bool there = alive(reinterpret_cast<std::uint64_t>(at), bytes);
  driver().faults += !there;
  return there;
}
void fake_answer(const void* value, std::size_t bytes) {
  std::lock_guard lock(driver().mutex);
  if (bytes == 0) return driver().answers.clear();
  driver().answers[bytes].assign(static_cast<const char*>(value), static_cast<const char*>(value) + bytes);
}
void fake_memory(std::size_t room) { driver().room = room; }

int cuInit(unsigned) {
  ENTER("cuInit");
  driver().initialized = true;
  return 0;
}
int cuDriverGetVersion(int* v) { return *v = 12080, 0; }
int cuDeviceGetCount(int* n) {
  ENTER("cuDeviceGetCount");
  return *n = 2, driver().initialized ? 0 : not_initialized;
}
int cuDeviceGet(int* device, int number) { return *device = number, 0; }
int cuDeviceGetName(char* name, int size, int number) {
  return std::snprintf(name, static_cast<std::size_t>(size), "Fake GPU %d", number), 0;
}
int cuDeviceGetAttribute(int* value, int what, int) {
  switch (what) {
    case 1: *value = 1024; break;
    case 16: *value = 132; break;
    case 75: *value = 9; break;
    case 76: *value = 0; break;
    default: *value = 99 * 1024;
  }
  return 0;
}
int cuDeviceTotalMem_v2(std::size_t* bytes, int) { return *bytes = driver().room, 0; }
int cuDevicePrimaryCtxRetain(void** context, int device) {
  ENTER("cuDevicePrimaryCtxRetain");
  return *context = reinterpret_cast<void*>(static_cast<std::intptr_t>(device + 1)), 0;
}
int cuCtxSetCurrent(void* context) {
  ENTER("cuCtxSetCurrent");
  current_context = context;
  return 0;
}
int cuMemGetInfo_v2(std::size_t* left, std::size_t* all) {
  if (!current_context) return ++driver().faults, invalid_context;
  return *all = driver().room, *left = driver().room - driver().bytes, 0;
}
int cuMemAlloc_v2(std::uint64_t* memory, std::size_t bytes) {
  ENTER_CONTEXT("cuMemAlloc", std::to_string(bytes));
  Driver& d = driver();
  if (d.bytes + bytes > d.room) return out_of_memory;
  void* at = std::aligned_alloc(256, (bytes + 255) / 256 * 256);
  std::memset(at, 0xCD, bytes);
  *memory = reinterpret_cast<std::uint64_t>(at);
  d.memory[*memory] = bytes;
  d.bytes += bytes;
  return 0;
}
int cuMemFree_v2(std::uint64_t memory) {
  ENTER_CONTEXT("cuMemFree");
  Driver& d = driver();
  auto it = d.memory.find(memory);
  if (it == d.memory.end()) return ++d.faults, invalid_value;
  for (Stream* s : d.streams) drain(s);  // as the real one, which waits
  d.bytes -= it->second;
  d.memory.erase(it);
  std::free(reinterpret_cast<void*>(memory));
  return 0;
}
int cuMemHostAlloc(void** memory, std::size_t bytes, unsigned) {
  ENTER_CONTEXT("cuMemHostAlloc", std::to_string(bytes));
  *memory = std::malloc(bytes);
  driver().pinned[static_cast<char*>(*memory)] = bytes;
  return 0;
}
int cuMemFreeHost(void* memory) {
  ENTER_CONTEXT("cuMemFreeHost");
  driver().pinned.erase(static_cast<char*>(memory));
  std::free(memory);
  return 0;
}
int cuMemcpyHtoDAsync_v2(std::uint64_t to, const void* from, std::size_t n, void* stream) {
  auto* s = static_cast<Stream*>(stream);
  ENTER_CONTEXT("cuMemcpyHtoDAsync", std::to_string(n) + (is_pinned(from) ? " pinned " : " ") + name_of(s));
  if (is_pinned(from)) {  // read when the stream comes to it
    give(s, "in", [=] { move(to, reinterpret_cast<std::uint64_t>(from), n, true, false); });
  } else {
    auto kept = std::make_shared<std::vector<char>>(static_cast<const char*>(from), static_cast<const char*>(from) + n);
    give(s, "in", [=] { move(to, reinterpret_cast<std::uint64_t>(kept->data()), n, true, false); });
  }
  return 0;
}
int cuMemcpyDtoHAsync_v2(void* to, std::uint64_t from, std::size_t n, void* stream) {
  auto* s = static_cast<Stream*>(stream);
  ENTER_CONTEXT("cuMemcpyDtoHAsync", std::to_string(n) + (is_pinned(to) ? " pinned " : " ") + name_of(s));
  const auto found = driver().answers.find(n);
  give(s, "out", [=, answer = found == driver().answers.end() ? std::vector<char>() : found->second] {
    move(reinterpret_cast<std::uint64_t>(to), from, n, false, true);
    std::copy(answer.begin(), answer.end(), static_cast<char*>(to));
  });
  return 0;
}
int cuMemcpyDtoDAsync_v2(std::uint64_t to, std::uint64_t from, std::size_t n, void* stream) {
  auto* s = static_cast<Stream*>(stream);
  ENTER_CONTEXT("cuMemcpyDtoDAsync", std::to_string(n) + " " + name_of(s));
  give(s, "copy", [=] { move(to, from, n, true, true); });
  return 0;
}
int cuStreamCreate(void** stream, unsigned) {
  ENTER_CONTEXT("cuStreamCreate");
  auto* s = new Stream{driver().next_stream++, {}, nullptr};
  driver().streams.insert(s);
  return *stream = s, 0;
}
int cuStreamDestroy_v2(void* stream) {
  ENTER("cuStreamDestroy");
  driver().streams.erase(static_cast<Stream*>(stream));
  return 0;
}
int cuStreamSynchronize(void* stream) {
  auto* s = static_cast<Stream*>(stream);
  ENTER_CONTEXT("cuStreamSynchronize", name_of(s));
  if (breaks_capture(s)) return capture_unsupported;
  drain(s);
  return 0;
}
int cuStreamWaitEvent(void* stream, void* event, unsigned) {
  auto* s = static_cast<Stream*>(stream);
  auto* e = static_cast<Event*>(event);
  ENTER_CONTEXT("cuStreamWaitEvent", name_of(s) + (e->stream ? " for " + name_of(e->stream) : ""));
  if (!driver().events.count(e)) return ++driver().faults, invalid_value;
  // Up to here the other stream comes first; the event itself may go when the call has returned.
  Stream* other = e->stream;
  if (other && other != s) drain_to(e);
  give(s, "wait", [] {});
  return 0;
}
int cuEventCreate(void** event, unsigned) {
  ENTER_CONTEXT("cuEventCreate");
  auto* e = new Event;
  driver().events.insert(e);
  return *event = e, 0;
}
int cuEventRecord(void* event, void* stream) {
  auto* s = static_cast<Stream*>(stream);
  auto* e = static_cast<Event*>(event);
  ENTER_CONTEXT("cuEventRecord", name_of(s));
  if (breaks_capture(s)) return capture_unsupported;
  e->stream = s;
  e->reached = false;
  give(s, "event", [e] {
    if (driver().events.count(e)) e->reached = true;
  });
  return 0;
}
int cuEventSynchronize(void* event) {
  ENTER_CONTEXT("cuEventSynchronize");
  drain_to(static_cast<Event*>(event));
  return 0;
}
int cuEventDestroy_v2(void* event) {
  ENTER_CONTEXT("cuEventDestroy");
  driver().events.erase(static_cast<Event*>(event));
  return 0;  // kept: work that is queued may name it
}
int cuModuleLoadData(void** module, const void* image) {
  ENTER_CONTEXT("cuModuleLoadData");
  auto* m = new Module{static_cast<const char*>(image)};
  driver().modules.insert(m);
  return *module = m, 0;
}
int cuModuleUnload(void* module) {
  ENTER_CONTEXT("cuModuleUnload");
  auto* m = static_cast<Module*>(module);
  if (!driver().modules.erase(m)) return ++driver().faults, invalid_value;
  for (Stream* s : driver().streams) drain(s);
  return 0;
}
int cuModuleGetFunction(void** function, void* module, const char* name) {
  ENTER_CONTEXT("cuModuleGetFunction", name);
  auto* m = static_cast<Module*>(module);
  const std::size_t at = m->ptx.find(std::string(".entry ") + name + "(");
  if (at == std::string::npos) return not_found;
  auto f = std::make_unique<Function>(Function{m, name, {}});
  const std::string list = m->ptx.substr(at, m->ptx.find(')', at) - at);
  for (std::size_t p = list.find(".param"); p != std::string::npos; p = list.find(".param", p + 1))
    f->is_pointer.push_back(list.compare(p, 17, ".param .u64 .ptr ") == 0);
  Function* made = f.get();
  driver().functions[made] = std::move(f);
  return *function = made, 0;
}
int cuFuncSetAttribute(void*, int, int) {
  ENTER_CONTEXT("cuFuncSetAttribute");
  return 0;
}
int cuLaunchKernel(void* function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                   unsigned shared, void* stream, void** arguments, void**) {
  auto* f = static_cast<Function*>(function);
  auto* s = static_cast<Stream*>(stream);
  char shape[128];
  std::snprintf(shape, sizeof shape, "%u,%u,%u of %u,%u,%u shared %u ", gx, gy, gz, bx, by, bz, shared);
  ENTER_CONTEXT("cuLaunchKernel", shape + name_of(s));
  if (!driver().modules.count(f->module)) return ++driver().faults, invalid_value;
  if (gx == 0 || gy == 0 || gz == 0 || gy > 65535 || gz > 65535 || bx * by * bz > 1024) return invalid_value;
  std::vector<std::uint64_t> pointers;
  for (std::size_t i = 0; i < f->is_pointer.size(); ++i)
    if (f->is_pointer[i]) pointers.push_back(*static_cast<std::uint64_t*>(arguments[i]));
  if (s->capture) s->capture->modules.push_back(f->module);
  give(s, "kernel " + f->name, [pointers] {
    for (std::uint64_t p : pointers)
      if (!alive(p, 1)) ++driver().faults;
  });
  return 0;
}
int cuStreamBeginCapture_v2(void* stream, int mode) {
  auto* s = static_cast<Stream*>(stream);
  ENTER_CONTEXT("cuStreamBeginCapture", name_of(s));
  if (s->capture || mode != 1) return ++driver().faults, invalid_value;
  auto* g = new Graph;
  driver().graphs.insert(g);
  s->capture = g;
  return 0;
}
int cuStreamEndCapture(void* stream, void** graph) {
  auto* s = static_cast<Stream*>(stream);
  Graph* g = std::exchange(s->capture, nullptr);
  // An error ends the capture as well, and leaves no graph behind.
  auto lost = [g](int code) {
    driver().graphs.erase(g);
    return code;
  };
  std::lock_guard lock(driver().mutex);
  if (int code = enter("cuStreamEndCapture", name_of(s))) return lost(code);
  if (!g) return ++driver().faults, invalid_value;
  if (g->broken) return lost(capture_invalidated);
  return *graph = g, 0;
}
int cuGraphInstantiateWithFlags(void** exec, void* graph, unsigned long long) {
  ENTER_CONTEXT("cuGraphInstantiateWithFlags", std::to_string(static_cast<Graph*>(graph)->work.size()));
  if (!driver().graphs.count(static_cast<Graph*>(graph))) return ++driver().faults, invalid_value;
  auto* g = new Graph(*static_cast<Graph*>(graph));
  g->executable = true;
  driver().graphs.insert(g);
  return *exec = g, 0;
}
int cuGraphLaunch(void* exec, void* stream) {
  auto* g = static_cast<Graph*>(exec);
  auto* s = static_cast<Stream*>(stream);
  ENTER_CONTEXT("cuGraphLaunch", name_of(s));
  if (!driver().graphs.count(g) || !g->executable) return ++driver().faults, invalid_value;
  if (breaks_capture(s)) return capture_unsupported;
  for (Module* m : g->modules)
    if (!driver().modules.count(m)) return ++driver().faults, invalid_value;
  for (auto& work : g->work) s->queue.push_back(work);
  // Its end of life is noticed by work that is still to come.
  s->queue.push_back([g] {
    if (!driver().graphs.count(g)) ++driver().faults;
  });
  return 0;
}
int cuGraphDestroy(void* graph) {
  ENTER_CONTEXT("cuGraphDestroy");
  auto* g = static_cast<Graph*>(graph);
  if (g->executable || !driver().graphs.erase(g)) return ++driver().faults, invalid_value;
  delete g;
  return 0;
}
int cuGraphExecDestroy(void* exec) {
  ENTER_CONTEXT("cuGraphExecDestroy");
  auto* g = static_cast<Graph*>(exec);
  if (!g->executable || !driver().graphs.erase(g)) return ++driver().faults, invalid_value;
  return 0;  // kept: work that is queued may name it
}
int cuGetErrorName(int code, const char** name) {
  static thread_local char text[32];
  std::snprintf(text, sizeof text, "CUDA_ERROR_%d", code);
  return *name = text, 0;
}
int cuGetErrorString(int, const char** text) { return *text = "an error of the fake", 0; }

}  // extern "C"
