// Arrays of a run on a device: found by the host's address, moved when somebody needs them elsewhere.
#include <numjit/runtime/device_run.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <numjit/array/remote.h>
#include <numjit/base/config.h>
#include <numjit/base/error.h>
#include <numjit/base/fault.h>
#include <numjit/device/kernel_hooks.h>
#include <numjit/device/memory.h>
#include <numjit/graph/generators.h>
#include <numjit/runtime/device_merge.h>
#include <numjit/runtime/device_ops.h>
#include <numjit/runtime/device_repeats.h>
#include <numjit/runtime/kernel_library.h>

namespace numjit::runtime {
namespace {

using devices::Block;

/// Host addresses of one array's storage, or of the part of it that a run sees.
struct Range {
  const char *low, *high;
  Block* block;
  bool mirror;         // of an array that lies elsewhere: owned by the run
  const node* origin;  // of mirrors: an array of the memory
  bool temporary = false;  // made by this run, and gone at its end
};

class Run final : public DeviceRun, detail::OpContext {
 public:
  ~Run() override {
    forget_waiting();
    drop_mirrors();
  }

  void begin(std::uint8_t device, const graph::Graph& graph, const RunInputs& in, bool without_kernels) override {
    drop_mirrors();
    ranges_.clear();
    device_ = device;
    stream_ = &devices::device(device).stream();
    target_ = without_kernels ? "" : devices::device(device).kernel_target();
    bool any = false;
    to_host_ = true;
    std::vector<Range> foreign;
    for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
      if (graph.nodes[i].kind != graph::NodeKind::input) continue;
      const node* n = in.slot(static_cast<int>(i));
      any = any || !graph::is_generator(graph, static_cast<std::uint32_t>(i));
      if (n->device == device) {
        to_host_ = false;
        add(&devices::block_of(n));
      } else if (n->size > 0) {
        const auto range = numjit::detail::memory_range(n);
        foreign.push_back({range.low, range.high, nullptr, true, n});
      }
    }
    to_host_ = to_host_ && any;
    moves_ = to_host_ || !foreign.empty();
    add_mirrors(foreign);
  }

  bool run_again(const graph::Graph& graph, const PlannedSteps& planned, const RunInputs& in, bool layout_changed) override {
    if (layout_changed) {
      repeats_.forget();
      // Lengths that depend on data are known step by step.
      if (std::any_of(planned.steps.begin(), planned.steps.end(), [](const Step& s) { return !s.resolve.empty(); })) repeats_.give_up();
    }
    if (layout_changed || moves_ || target_.empty() || repeats_.is_hopeless()) return false;
    if (!config().cuda_graphs.get() || !FusedCall::is_unwatched()) return false;
    persistent_ = &planned.persistent;
    if (!allocate_results(planned, in) || !detail::key_of_run(device_, graph, *persistent_, in, key_)) return false;
    if (detail::Repeat* repeat = repeats_.find(key_)) {
      for (const auto& use : repeat->uses) devices::block_of(in.slot(use.slot)).use_on_device(*stream_, use.writes);
      repeats_.launch(*repeat, device_, *stream_);
      early_.clear();
      ranges_.clear();
      return true;
    }
    if (repeats_.came_before(key_)) {
      kept_ = std::make_unique<detail::Repeat>(key_, device_, *stream_);
      kept_->held.collect(true);
    }
    return false;
  }

  void allocate(node* n, bool persistent) override {
    if (std::erase(early_, n) > 0) return;
    const std::int64_t bytes = n->size * static_cast<std::int64_t>(dtype(n->type).itemsize());
    const bool leaves = persistent && to_host_;
    auto block = std::make_unique<Block>(device_, static_cast<std::size_t>(std::max<std::int64_t>(bytes, 1)),
                                         leaves ? Block::Host::pooled : Block::Host::reserved);
    add(block.get());
    ranges_.back().temporary = !persistent;
    devices::attach(n, block.release());
  }

  void give_back(node* n) noexcept override {
    if (!n->data) return;
    Block* block = devices::detach(n);
    if (waiting_ && block == waiting_->result) forget_waiting();
    if (waiting_ && waiting_->reads(block)) held_.push_back(block);
    else drop(block);
  }

  bool launch(FusedPart& part, const Launch& launch) override {
    if (target_.empty()) return false;
    if (waiting_ && launch_both(part, launch)) return true;
    if (wait_with(part, launch)) return true;
    return launch_now(part, launch);
  }

  bool run_op(const graph::Graph& graph, Step& step, const RunInputs& in) override {
    const graph::Node& n = graph.nodes[static_cast<std::size_t>(step.node)];
    const detail::DeviceOp form = detail::device_op(n.op);
    if (!form) return false;
    const bool timed = FusedCall::is_timed();
    const auto start = timed ? std::chrono::steady_clock::now() : std::chrono::steady_clock::time_point();
    const bool done = with_call(graph, step.node, in, form).value_or(false);
    if (!done) return false;
    step.device_form = devices::device_name(device_);
    if (timed) {
      stream_->synchronize();
      step.ns = std::chrono::nanoseconds(std::chrono::steady_clock::now() - start).count();
      FusedCall::add_timed(step.ns);
    }
    return true;
  }

  std::optional<std::int64_t> count(const graph::Graph& graph, int node, const RunInputs& in) override {
    return with_call(graph, node, in, detail::count_on_device).value_or(std::nullopt);
  }

  void on_host(const node* n, bool writes) override {
    repeats_.give_up();
    if (!n->data || n->size == 0) return;
    if (Range* range = find(n->data)) {
      Block* const block = range->block;
      catch_up(block, writes);
      block->use_on_host(writes);
    }
  }

  void note(std::string_view op, std::int64_t bytes) override {
    repeats_.give_up();
    devices::note_host_work(device_, op, bytes);
  }

  void finish(const graph::Graph& graph, const RunInputs& in) override {
    forget_waiting();  // what it would have made is a temporary
    if (kept_) keep_run(graph, in);
    for (Range& r : ranges_)
      if (r.mirror) bring_back(r);
    if (to_host_) {
      for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
        if (graph.nodes[i].kind != graph::NodeKind::op) continue;
        node* n = in.slot(static_cast<int>(i));
        if (n->data && n->is(node::remote) && !n->base) leave_device(n);
      }
    }
    drop_mirrors();
    ranges_.clear();
  }

  void abandon(const RunInputs& in) noexcept override {
    for (const auto& [memory, bytes] : scratch_) devices::free(device_, memory, bytes, stream_);
    scratch_.clear();
    while (!early_.empty()) {
      node* n = early_.back();
      early_.pop_back();
      give_back(n);
    }
    for (node* const* slot : in.slots) {
      const node* n = *slot;
      if (!n || !n->data || n->size == 0) continue;
      try {
        on_host(n, false);
      } catch (const error&) {  // the device is gone: what it had is lost
      }
    }
    forget_waiting();
    kept_.reset();
    used_.clear();
    drop_mirrors();
    ranges_.clear();
  }

 private:
  // ---- launches that wait for the next one ----

  /// Its result is a temporary: if the next launch reads that at several points, one kernel does both, and the temporary
  /// is never written. Whoever else asks for it, or overwrites what it is made from, has it launched before.
  struct Waiting {
    FusedPart* part;
    Launch launch;
    const Block* result;
    std::vector<const Block*> inputs;
    bool reads(const Block* block) const { return std::find(inputs.begin(), inputs.end(), block) != inputs.end(); }
  };

  template <class Call>
  bool run_timed(FusedPart& part, Call& call, const auto& run) {
    devices::LaunchScope scope(device_, *stream_);
    devices::LaunchScope* const outer = scope_;
    auto scratch = std::exchange(scratch_, {});
    open(scope);
    const bool timed = FusedCall::is_timed();
    const auto start = timed ? std::chrono::steady_clock::now() : std::chrono::steady_clock::time_point();
    const bool done = run();
    for (const auto& [memory, bytes] : scratch_) devices::free(device_, memory, bytes, stream_);
    scratch_ = std::move(scratch);
    scope_ = outer;
    if (!done) return false;
    FusedCall::Info info;
    if (const detail::DevicePlan* plan = call.plan()) {
      info.name = plan->kernel;
      info.schedule = fmt::format("{} on {}", plan->schedule, devices::device_name(device_));
      info.bytes = plan->bytes;
      info.compiled = true;
    }
    if (timed) {
      stream_->synchronize();
      info.ns = std::chrono::nanoseconds(std::chrono::steady_clock::now() - start).count();
      FusedCall::add_timed(info.ns);
    }
    part.call.set_info(std::move(info));
    return true;
  }
  detail::DeviceCall& call_of(FusedPart& part) {
    auto& call = calls_[&part.call.spec()];
    if (!call) call = std::make_unique<detail::DeviceCall>(part.call.spec());
    return *call;
  }
  bool launch_now(FusedPart& part, const Launch& launch) {
    detail::DeviceCall& call = call_of(part);
    return run_timed(part, call, [&] { return call.run(launch, target_, *this); });
  }

  bool wait_with(FusedPart& part, const Launch& launch) {
    const graph::KernelSpec& spec = part.call.spec();
    if (waiting_ || alone_.contains(&spec) || !detail::may_wait(spec, launch)) return false;
    const std::size_t count = spec.operand_types.size();
    const Range* to = range_of(launch.operands[count].data);
    if (!to || !to->temporary) return false;
    Waiting w{&part, launch, to->block, {}};
    for (std::size_t i = 0; i < count; ++i)
      if (const Range* from = range_of(launch.operands[i].data)) w.inputs.push_back(from->block);
    if (!call_of(part).prepare(launch, target_, *this)) return false;
    part.call.set_info({"", fmt::format("in the next kernel on {}", devices::device_name(device_)), 0, 0, true});
    waiting_ = std::move(w);
    return true;
  }
  bool launch_both(FusedPart& part, const Launch& launch) {
    auto& both = pairs_[{&waiting_->part->call.spec(), &part.call.spec()}];
    if (!both) both = std::make_unique<detail::MergedCall>(waiting_->part->call.spec(), part.call.spec());
    const Waiting w = *waiting_;
    return run_timed(part, *both, [&] { return both->run(w.launch, launch, target_, *this); });
  }
  void launch_waiting() {
    const Waiting w = *std::exchange(waiting_, std::nullopt);
    alone_.insert(&w.part->call.spec());  // it does not pay to wait with this one
    const bool done = launch_now(*w.part, w.launch);
    forget_waiting();
    if (!done) throw InternalError("device", "a launch that waited has no kernel any more.");
  }
  /// Also of what it reads and only it still does.
  void forget_waiting() noexcept {
    waiting_.reset();
    for (Block* block : std::exchange(held_, {})) drop(block);
  }
  void drop(Block* block) noexcept {
    std::erase_if(ranges_, [&](const Range& r) { return r.block == block; });
    std::erase_if(used_, [&](const auto& use) { return use.first == block; });
    delete block;
  }
  void catch_up(const Block* used, bool writes) {
    if (!waiting_) return;
    if (used == waiting_->result || (writes && waiting_->reads(used))) launch_waiting();
  }
  Range* range_of(const char* at) {
    const auto found = std::find_if(ranges_.begin(), ranges_.end(), [&](const Range& r) { return r.low <= at && at < r.high; });
    return found == ranges_.end() ? nullptr : &*found;
  }

  void open(devices::LaunchScope& scope) {
    scope_ = &scope;
    if (kept_) scope.list = &kept_->launches;
  }

  // Results have their memory before temporaries do: so they meet the same places again, whatever is done in between.
  bool allocate_results(const PlannedSteps& planned, const RunInputs& in) {
    try {
      for (const Step& step : planned.steps)
        for (int i : step.allocate) {
          if (!planned.persistent[static_cast<std::size_t>(i)]) continue;
          node* n = in.slot(i);
          allocate(n, true);
          early_.push_back(n);
          devices::block_of(n).use_on_device(*stream_, true, true);
        }
      return true;
    } catch (const MemoryError&) {  // step by step there may be enough
      for (node* n : std::exchange(early_, {})) give_back(n);
      return false;
    }
  }

  void keep_run(const graph::Graph& graph, const RunInputs& in) {
    auto run = std::move(kept_);
    run->held.collect(false);
    const auto used = std::exchange(used_, {});
    if (!repeats_.is_hopeless() && run->held.is_complete() &&
        detail::slots_of(used, device_, graph, *persistent_, in, run->uses))
      repeats_.keep(std::move(run), device_, *stream_);
    else
      repeats_.give_up();
  }

  void add(Block* block) {
    for (const Range& r : ranges_)
      if (r.block == block) return;
    ranges_.push_back({block->host(), block->host() + block->bytes(), block, false, nullptr});
  }

  // Arrays that overlap share one mirror.
  void add_mirrors(std::vector<Range>& foreign) {
    std::sort(foreign.begin(), foreign.end(), [](const Range& a, const Range& b) { return a.low < b.low; });
    for (std::size_t i = 0; i < foreign.size();) {
      Range all = foreign[i];
      for (++i; i < foreign.size() && foreign[i].low < all.high; ++i) all.high = std::max(all.high, foreign[i].high);
      all.block = new Block(device_, static_cast<std::size_t>(all.high - all.low), Block::Host::foreign,
                            const_cast<char*>(all.low));
      ranges_.push_back(all);
    }
  }
  void drop_mirrors() noexcept {
    for (Range& r : ranges_)
      if (r.mirror) delete r.block;
    std::erase_if(ranges_, [](const Range& r) { return r.mirror; });
  }

  Range* find(const char* at) {
    Range* const range = range_of(at);
    // An array of another device: its host copy is what the mirror stands for.
    if (range && range->mirror && range->origin->is(node::remote)) numjit::detail::remote.read(range->origin);
    return range;
  }

  void bring_back(Range& r) {
    if (!r.block->is_stale_on_host()) return;
    if (r.origin->is(node::remote)) numjit::detail::remote.write(r.origin);
    r.block->use_on_host(false);
  }

  void leave_device(node* n) {
    const auto bytes = n->block_bytes;
    Block* block = devices::detach(n);
    n->data = block->release_host();
    n->block_bytes = bytes;
    numjit::detail::refresh_signature(n);
    delete block;
  }

  // What `work` says of the call that node `i` is; nothing if that is no call for a device.
  template <class Work>
  auto with_call(const graph::Graph& graph, int i, const RunInputs& in, const Work& work)
      -> std::optional<decltype(work(std::declval<const detail::DeviceOpCall&>()))> {
    const graph::Node& n = graph.nodes[static_cast<std::size_t>(i)];
    if (target_.empty() || n.has_where) return std::nullopt;
    std::vector<const node*> arrays;
    for (const graph::Ref& ref : n.in) {
      if (ref.node < 0) return std::nullopt;
      arrays.push_back(in.slot(ref.node));
    }
    const node* result = n.kind == graph::NodeKind::store ? arrays[0] : in.slot(i);
    // A kernel that is compiled behind the program would have all arrays move to the host meanwhile.
    const config_scope wait(config_options{.compile = compile_mode::sync});
    devices::LaunchScope scope(device_, *stream_);
    open(scope);
    const auto said = work({n.op, n.loop, arrays, *in.params[static_cast<std::size_t>(i)], result, target_, op_kernels_, *this});
    for (const auto& [memory, bytes] : scratch_) devices::free(device_, memory, bytes, stream_);
    scratch_.clear();
    return said;
  }

  // ---- for launches ----

  devices::address place(const char* at, bool writes) override {
    Range* range = find(at);
    if (!range) throw InternalError("device", "an array of a launch has no storage on the device.");
    if (waiting_) {
      catch_up(range->block, writes);
      range = find(at);
    }
    if (kept_) note_use(range->block, writes);
    return range->block->use_on_device(*stream_, writes) + static_cast<devices::address>(at - range->block->host());
  }
  bool holds(const char* low, const char* high) const override {
    return std::any_of(ranges_.begin(), ranges_.end(), [&](const Range& r) { return r.low <= low && high <= r.high; });
  }
  devices::address scratch(std::size_t bytes) override {
    scratch_.emplace_back(devices::allocate(device_, std::max<std::size_t>(bytes, 1), *stream_), std::max<std::size_t>(bytes, 1));
    return scratch_.back().first;
  }
  void write(devices::address to, const void* from, std::size_t bytes) override {
    repeats_.give_up();
    stream_->copy_in(to, from, bytes);
  }
  void read(void* to, devices::address from, std::size_t bytes) override {
    repeats_.give_up();
    stream_->copy_out(to, from, bytes);
  }
  void open_on_host(const node* n) override { on_host(n, true); }
  devices::Products* products() override {
    return kept_products_.over(library("matmul", &devices::Stream::products), kept_list());
  }
  devices::Transforms* transforms() override {
    return kept_transforms_.over(library("fft", &devices::Stream::transforms), kept_list());
  }
  devices::Solvers* solvers() override {
    repeats_.give_up();  // they wait for the device on the way
    return library("linalg", &devices::Stream::solvers);
  }
  devices::LaunchList* kept_list() { return kept_ ? &kept_->launches : nullptr; }
  template <class T>
  T* library(const char* op, T* (devices::Stream::*open)(std::string&)) {
    std::string why;
    T* opened = (stream_->*open)(why);
    if (!opened) devices::note_once(device_, fmt::format("{} is the host's: {}", op, why));
    return opened;
  }
  void note_use(Block* block, bool writes) {
    for (auto& [known, written] : used_)
      if (known == block) {
        written = written || writes;
        return;
      }
    used_.emplace_back(block, writes);
  }
  void call(kernel_entry entry, void** argv) override {
    entry(argv);
    scope_->check();
  }

  std::uint8_t device_ = 0;
  devices::Stream* stream_ = nullptr;
  std::string target_;
  bool to_host_ = false;
  std::vector<Range> ranges_;
  std::unordered_map<const graph::KernelSpec*, std::unique_ptr<detail::DeviceCall>> calls_;
  std::map<std::pair<const graph::KernelSpec*, const graph::KernelSpec*>, std::unique_ptr<detail::MergedCall>> pairs_;
  std::unordered_set<const graph::KernelSpec*> alone_;  // those that waited for nothing
  std::optional<Waiting> waiting_;
  std::vector<Block*> held_;  // given back, but for what waits
  detail::KernelSource op_kernels_;
  std::vector<std::pair<devices::address, std::size_t>> scratch_;
  devices::LaunchScope* scope_ = nullptr;
  detail::KeptProducts kept_products_;
  detail::KeptTransforms kept_transforms_;
  bool moves_ = false;             // arrays come from elsewhere, or go there
  detail::DeviceRepeats repeats_;  // before the kernels that it launches
  std::unique_ptr<detail::Repeat> kept_;          // the run at hand, if it is to be kept
  const std::vector<bool>* persistent_ = nullptr;
  std::vector<std::pair<Block*, bool>> used_;     // by its launches; and written
  std::vector<node*> early_;                      // results that have memory before their step
  std::vector<std::int64_t> key_;
};

[[maybe_unused]] const bool installed = [] {
  make_device_run = []() -> std::unique_ptr<DeviceRun> { return std::make_unique<Run>(); };
  device_kernels = {&devices::kernel_hooks(), devices::release_kernel_state};
  return true;
}();

}  // namespace
}  // namespace numjit::runtime
