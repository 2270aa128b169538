// Arrays of a run on a device: found by the host's address, moved when somebody needs them elsewhere.
#include <numjit/runtime/gpu/run.h>

#include <algorithm>
#include <chrono>
#include <list>
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
#include <numjit/runtime/gpu/device_pieces.h>
#include <numjit/runtime/gpu/merge.h>
#include <numjit/runtime/gpu/ops/ops.h>
#include <numjit/runtime/gpu/repeats.h>
#include <numjit/runtime/kernels/library.h>
#include <numjit/runtime/plan/joins.h>

namespace numjit::runtime {
namespace {

using devices::Block;

/// Host addresses of one array's storage, or of the part of it that a run sees.
struct Range {
  const char *low, *high;
  Block* block;
  bool mirror;             // of an array that lies elsewhere: owned by the run
  const node* origin;      // of mirrors: an array of the memory
  bool temporary = false;  // made by this run, and gone at its end
};

class Run final : public DeviceRun, detail::OpContext {
 public:
  ~Run() override {
    forget_pending();
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
      if (std::any_of(planned.steps.begin(), planned.steps.end(), [](const Step& s) { return !s.resolve.empty(); }))
        repeats_.give_up();
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
    held_.push_back(devices::detach(n));
    settle();
  }

  bool launch(FusedPart& part, const Launch& launch) override {
    if (target_.empty()) return false;
    if (!joins_.empty() && launch_in_pieces(part, launch)) return true;
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
    const bool is_temporary = is_join(n.op) && is_temporary_of(in.slot(step.node));
    const auto work = [&](const detail::DeviceOpCall& call) { return (is_temporary && put_off(call)) || form(call); };
    const bool done = with_call(graph, step.node, in, work).value_or(false);
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
    forget_pending();  // what it would have made are temporaries
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
    forget_pending();
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
    ++busy_;
    open(scope);
    const bool timed = FusedCall::is_timed();
    const auto start = timed ? std::chrono::steady_clock::now() : std::chrono::steady_clock::time_point();
    const bool done = run();
    for (const auto& [memory, bytes] : scratch_) devices::free(device_, memory, bytes, stream_);
    scratch_ = std::move(scratch);
    scope_ = outer;
    --busy_;
    settle();
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
    catch_up(w.result, true);  // joins from before that read this memory
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
    making_.push_back(w.result);
    const bool done = launch_now(*w.part, w.launch);
    making_.pop_back();
    if (!done) throw InternalError("device", "a launch that waited has no kernel any more.");
  }
  /// Memory that was given back goes when nothing that is pending reads it any more; what is pending goes with its result,
  /// which nobody can ask for then.
  void settle() noexcept {
    if (busy_ > 0) return;  // what is launched reads it
    for (std::size_t i = 0; i < held_.size();) {
      Block* const block = held_[i];
      const auto reads = [&](const PendingJoin& j) { return j.reads(block); };
      if ((waiting_ && waiting_->reads(block)) || std::any_of(joins_.begin(), joins_.end(), reads)) {
        ++i;
        continue;
      }
      held_.erase(held_.begin() + static_cast<std::ptrdiff_t>(i));
      if (waiting_ && waiting_->result == block) waiting_.reset();
      joins_.remove_if([&](const PendingJoin& j) { return j.result == block; });
      drop(block);
      i = 0;  // what it was made from may be free now
    }
  }
  void forget_pending() noexcept {
    waiting_.reset();
    joins_.clear();
    making_.clear();  // also where that threw
    busy_ = 0;
    settle();
  }
  void drop(Block* block) noexcept {
    std::erase_if(ranges_, [&](const Range& r) { return r.block == block; });
    std::erase_if(used_, [&](const auto& use) { return use.first == block; });
    delete block;
  }
  /// Somebody uses memory: what is pending and makes it, or reads what is overwritten, is made before.
  void catch_up(const Block* used, bool writes) {
    // Those that read it wait for what is being written now.
    if (std::find(making_.begin(), making_.end(), used) != making_.end()) return;
    const auto meets = [&](const auto& pending) { return used == pending.result || (writes && pending.reads(used)); };
    if (waiting_ && meets(*waiting_)) launch_waiting();
    for (auto join = joins_.begin(); join != joins_.end();) {
      if (meets(*join)) {
        make(*join);
        join = joins_.begin();
      } else {
        ++join;
      }
    }
  }

  // ---- arrays that are not put together ----

  /// A temporary that kernels may see through. Whoever else asks for it, or overwrites what it consists of, has it made.
  struct PendingJoin {
    detail::Join join;
    const Block* result;
    std::vector<const Block*> inputs;
    bool reads(const Block* block) const { return std::find(inputs.begin(), inputs.end(), block) != inputs.end(); }
  };

  bool is_temporary_of(const node* n) {
    const Range* range = n->data ? range_of(n->data) : nullptr;
    return range && range->temporary;
  }
  bool put_off(const detail::DeviceOpCall& call) {
    auto join = detail::join_of(call);
    if (!join) return false;
    PendingJoin pending{std::move(*join), range_of(call.result->data)->block, {}};
    for (const detail::Join::Part& part : pending.join.parts) {
      const Range* from = range_of(part.elements.place.host);
      if (!from) return false;
      pending.inputs.push_back(from->block);
    }
    catch_up(pending.result, true);
    joins_.push_back(std::move(pending));
    return true;
  }
  void make(PendingJoin& pending) {
    making_.push_back(pending.result);
    ++busy_;
    const config_scope wait(config_options{.compile = compile_mode::sync});
    devices::LaunchScope scope(device_, *stream_);
    devices::LaunchScope* const outer = scope_;
    open(scope);
    static const op_params none{};
    const bool done = detail::make_join(pending.join, {op_id::concatenate, 0, {}, none, nullptr, target_, op_kernels_, *this});
    scope_ = outer;
    --busy_;
    making_.pop_back();
    joins_.remove_if([&](const PendingJoin& j) { return &j == &pending; });
    settle();
    if (!done) throw InternalError("device", "a join that was put off has no kernel any more.");
  }
  const detail::Join* join_at(const char* at) {
    const Range* range = range_of(at);
    for (const PendingJoin& j : joins_)
      if (range && j.result == range->block) return &j.join;
    return nullptr;
  }

  bool launch_in_pieces(FusedPart& part, const Launch& launch) {
    const graph::KernelSpec& spec = part.call.spec();
    const std::size_t inputs = spec.operand_types.size(), arrays = inputs + spec.outputs.size();
    const auto is_join = [&](const LaunchOperand& operand) { return join_at(operand.data) != nullptr; };
    if (spec.reduction_levels > 0 || points_of(launch) == 0 || std::none_of(launch.operands, launch.operands + inputs, is_join))
      return false;
    const auto boxes = detail::launches_in_pieces(launch, inputs, arrays, [this](const char* at) { return join_at(at); });
    if (!boxes || writes_what_joins_read(launch, *boxes, inputs, arrays)) return false;
    auto& calls = calls_in_pieces_[&spec];
    while (calls.size() < boxes->size()) calls.push_back(std::make_unique<detail::DeviceCall>(spec));
    std::vector<Launch> launches;
    std::size_t largest = 0;
    for (std::size_t i = 0; i < boxes->size(); ++i) {
      const detail::BoxLaunch& box = (*boxes)[i];
      Launch& one = launches.emplace_back(launch);
      one.extent = box.extent.data();
      one.operands = box.operands.data();
      if (!calls[i]->prepare(one, target_, *this)) return false;
      if (points_of(one) > points_of(launches[largest])) largest = i;
    }
    std::int64_t bytes = 0;
    const bool done = run_timed(part, *calls[largest], [&] {
      for (std::size_t i = 0; i < launches.size(); ++i) {
        if (!calls[i]->run(launches[i], target_, *this))
          throw InternalError("device", "a launch in pieces has no kernel any more.");
        if (const detail::DevicePlan* plan = calls[i]->plan()) bytes += plan->bytes;
      }
      return true;
    });
    FusedCall::Info info = part.call.info();
    info.schedule = fmt::format("{} in pieces on {}", calls[largest]->plan()->schedule, devices::device_name(device_));
    info.bytes = bytes;
    part.call.set_info(std::move(info));
    return done;
  }
  static std::int64_t points_of(const Launch& launch) { return element_count(dims(launch.extent, launch.rank)); }
  /// The planner took joins for arrays of their own: a result may stand where their parts come from.
  bool writes_what_joins_read(const Launch& launch, const std::vector<detail::BoxLaunch>& boxes, std::size_t inputs,
                              std::size_t arrays) {
    for (std::size_t o = inputs; o < arrays; ++o) {
      const Range* to = range_of(launch.operands[o].data);
      for (std::size_t k = 0; k < inputs; ++k) {
        if (!join_at(launch.operands[k].data)) continue;
        for (const detail::BoxLaunch& box : boxes)
          if (const Range* from = range_of(box.operands[k].data); !to || !from || from->block == to->block) return true;
      }
    }
    return false;
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
    if (!repeats_.is_hopeless() && run->held.is_complete() && detail::slots_of(used, device_, graph, *persistent_, in, run->uses))
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
      all.block =
          new Block(device_, static_cast<std::size_t>(all.high - all.low), Block::Host::foreign, const_cast<char*>(all.low));
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
    std::vector<const ScalarValue*> numbers;
    for (const graph::Ref& ref : n.in) {
      const bool is_number = ref.node < 0 && ref.scalar >= 0 && detail::takes_numbers(n.op);
      if (ref.node < 0 && !is_number) return std::nullopt;
      arrays.push_back(is_number ? nullptr : in.slot(ref.node));
      numbers.push_back(is_number ? in.scalars[static_cast<std::size_t>(ref.scalar)] : nullptr);
    }
    const node* result = n.kind == graph::NodeKind::store ? arrays[0] : in.slot(i);
    // A kernel that is compiled behind the program would have all arrays move to the host meanwhile.
    const config_scope wait(config_options{.compile = compile_mode::sync});
    devices::LaunchScope scope(device_, *stream_);
    ++busy_;
    open(scope);
    const auto said =
        work({n.op, n.loop, arrays, *in.params[static_cast<std::size_t>(i)], result, target_, op_kernels_, *this, numbers});
    for (const auto& [memory, bytes] : scratch_) devices::free(device_, memory, bytes, stream_);
    scratch_.clear();
    --busy_;
    settle();
    return said;
  }

  // ---- for launches ----

  devices::address place(const char* at, bool writes) override {
    Range* range = find(at);
    if (!range) throw InternalError("device", "an array of a launch has no storage on the device.");
    if (waiting_ || !joins_.empty()) {
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
  std::list<PendingJoin> joins_;
  std::vector<const Block*> making_;  // what launch_waiting and make are at work on
  int busy_ = 0;                      // launches under way
  std::unordered_map<const graph::KernelSpec*, std::vector<std::unique_ptr<detail::DeviceCall>>> calls_in_pieces_;  // one a box
  std::vector<Block*> held_;  // given back, but for what is pending
  detail::KernelSource op_kernels_;
  std::vector<std::pair<devices::address, std::size_t>> scratch_;
  devices::LaunchScope* scope_ = nullptr;
  detail::KeptProducts kept_products_;
  detail::KeptTransforms kept_transforms_;
  bool moves_ = false;                    // arrays come from elsewhere, or go there
  detail::DeviceRepeats repeats_;         // before the kernels that it launches
  std::unique_ptr<detail::Repeat> kept_;  // the run at hand, if it is to be kept
  const std::vector<bool>* persistent_ = nullptr;
  std::vector<std::pair<Block*, bool>> used_;  // by its launches; and written
  std::vector<node*> early_;                   // results that have memory before their step
  std::vector<std::int64_t> key_;
};

[[maybe_unused]] const bool installed = [] {
  make_device_run = []() -> std::unique_ptr<DeviceRun> { return std::make_unique<Run>(); };
  device_kernels = {&devices::kernel_hooks(), devices::release_kernel_state};
  return true;
}();

}  // namespace
}  // namespace numjit::runtime
