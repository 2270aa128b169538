// Runs a plan: storage, views, kernels, and the ops one by one where no kernel is ready.
#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <exception>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include <numjit/base/buffer_pool.h>
#include <numjit/base/config.h>
#include <numjit/base/error.h>
#include <numjit/base/error_location.h>
#include <numjit/base/fault.h>
#include <numjit/base/repro_level.h>
#include <numjit/ops/borrowed.h>
#include <numjit/ops/inferred_layout.h>
#include <numjit/ops/param_layout.h>
#include <numjit/runtime/exec/in_flight.h>
#include <numjit/runtime/exec/memory_need.h>
#include <numjit/runtime/exec/step_reference.h>
#include <numjit/runtime/gpu/run.h>
#include <numjit/runtime/nest/joint_steps.h>
#include <numjit/runtime/plan/number_scalar.h>
#include <numjit/runtime/plan/steps.h>
#include <numjit/runtime/plan/strides.h>
#include <numjit/runtime/plan/unknown_lengths.h>
#include <numjit/runtime/plan/zero_steps.h>
#include <numjit/runtime/repro/check.h>
#include <numjit/runtime/repro/repro.h>

namespace numjit::runtime {

constinit OpRunner op_runner = nullptr;
constinit LengthCounter length_counter = nullptr;
constinit DeviceRunMaker make_device_run = nullptr;

namespace {

bool is_fast() { return config().float_mode.get() == float_mode::fast; }

/// A step whose kernel call is ready; null: the placing of a view.
struct DirectStep {
  Step* step;
  const DirectKernel* kernel;
};

}  // namespace

struct Plan::Impl final : StepRunner {
  graph::Graph graph;
  PlannedSteps planned;
  std::vector<node*> scalar_nodes;      // 0-D arrays of the graph's literals, for running op by op
  std::vector<node*> temporaries;       // scratch for chains, one per temporary of the widest step
  std::vector<int> fallback_allocated;  // nodes that only the op-by-op run of a group stores
  std::int64_t bytes_now = 0, bytes_peak = 0;
  bool layouts_ready = false;
  ZeroSteps zeros;                 // those left to the system
  std::vector<DirectStep> direct;  // the steps again, if all of them can be taken the short way
  bool direct_fast = false;        // float_mode that `direct` was made under
  JointPlan joint[2];              // steps that run together: in exact mode, and in fast mode
  std::uint64_t single_ops = 0;
  std::exception_ptr compile_error, compare_error;
  DeviceRun* device = nullptr;  // while a run is on one
  std::unique_ptr<DeviceRun> device_run;
  Trust trust;
  Splits splits;
  bool splits_wanted = false;

  ~Impl() {
    for (node* n : scalar_nodes)
      if (n) numjit::detail::release(n);
    for (node* n : temporaries) numjit::detail::release(n);
  }

  static std::size_t at(int i) { return static_cast<std::size_t>(i); }

  bool allocate(node* n, bool zeros = false) {  // true: it holds zeros, where these are wanted
    bool zeroed = false;
    if (device && !device->host_works) [[unlikely]]
      device->allocate(n, false);
    else if (zeros)
      zeroed = numjit::detail::allocate_zeroed_storage(n);
    else
      numjit::detail::allocate_storage(n);
    bytes_peak = std::max(bytes_peak, bytes_now += n->block_bytes);
    return zeroed;
  }
  void give_back(node* n) override {
    if (!n->data) return;
    bytes_now -= n->block_bytes;
    if (n->is(node::remote)) [[unlikely]]
      return device ? device->give_back(n) : drop_remote_storage(n);
    numjit::detail::free_block(n->data, static_cast<std::size_t>(n->block_bytes));
    n->data = nullptr;
    n->block_bytes = 0;
  }

  // ---- launches ----

  node* const* place_of(const ArraySource& source, const RunInputs& in) const {
    return source.node >= 0 ? in.slots[at(source.node)] : &temporaries[at(source.temporary)];
  }
  node* array_of(const ArraySource& source, const RunInputs& in) const { return *place_of(source, in); }

  // Strides over `rank` axes of what `source` names, seen through its view. Returns the bytes from the array's
  // first element.
  std::int64_t source_strides(const ArraySource& source, int rank, const RunInputs& in, std::int64_t* out) const {
    if (source.view < 0) {
      broadcast_strides(array_of(source, in), rank, out);
      return 0;
    }
    std::int64_t offset = 0;
    const int base = root_of(graph, source.view, in, offset);
    const int own = in.slot(source.view)->rank;
    std::fill_n(out, rank - own, 0);
    return map_view(in.slot(source.view), in.slot(base), offset, array_of(source, in), out + (rank - own));
  }

  void lay_out(FusedPart& part, const RunInputs& in) {
    const node* space = array_of(part.space, in);
    part.rank = space->rank;
    for (int axis = 0; axis < space->rank; ++axis) part.extent[axis] = space->shape[axis];
    const std::size_t count = part.operands.size() + part.outputs.size();
    part.strides.resize(count * max_rank);
    part.arguments.resize(count);
    part.scalar_values.resize(part.scalars.size());
    part.scalar_pointers.resize(part.scalars.size());
    // Slots stay where they are; temporaries move when there are more of them.
    if (part.places.size() != count || !temporaries.empty()) {
      part.places.clear();
      for (const ArraySource& source : part.operands) part.places.push_back(place_of(source, in));
      for (const ArraySource& source : part.outputs) part.places.push_back(place_of(source, in));
    }
    const bool through_views =
        std::any_of(part.operands.begin(), part.operands.end(), [](const ArraySource& source) { return source.view >= 0; });
    part.offsets.assign(through_views ? count : 0, 0);
    for (std::size_t k = 0; k < count; ++k) {
      std::int64_t* strides = &part.strides[k * max_rank];
      part.arguments[k].strides = strides;
      if (k < part.operands.size()) {
        const std::int64_t offset = source_strides(part.operands[k], part.rank, in, strides);
        if (through_views) part.offsets[k] = offset;
      } else if (part.reduced_axis[0] < 0) {
        broadcast_strides(*part.places[k], part.rank, strides);
      } else {
        output_strides(part, *part.places[k], part.rank, strides);
      }
    }
    for (std::size_t k = 0; k < part.scalars.size(); ++k) part.scalar_pointers[k] = &part.scalar_values[k];
  }

  void write_scalars(FusedPart& part, const RunInputs& in) const {
    for (std::size_t k = 0; k < part.scalars.size(); ++k) {
      const ScalarSource& source = part.scalars[k];
      if (source.graph_scalar >= 0) {
        write_scalar(*in.scalars[at(source.graph_scalar)], source.type, &part.scalar_values[k]);
        continue;
      }
      if (source.fill_node < 0) {
        // Neutral elements: of complex sums both parts are -0.0.
        const bool is_complex = dtype(source.type).kind() == 'c';
        write_scalar({is_complex ? weak_kind::complex_ : weak_kind::float_, false, 0, source.value,
                      std::signbit(source.value) ? -0.0 : 0.0},
                     source.type, &part.scalar_values[k]);
        continue;
      }
      const op_params& params = *in.params[at(source.fill_node)];
      const layout::number value = graph.nodes[at(source.fill_node)].op == op_id::full ? layout::full_of(params).value
                                                                                       : *layout::reduction_of(params).initial;
      write_scalar(scalar_of(value), source.type, &part.scalar_values[k]);
    }
  }

  // ---- layouts that depend on data ----

  // Puts lengths into the layout of node i, whose inputs have theirs, by the op's own rules. Errors that
  // depend on a length arise here.
  void resolve(int i, const RunInputs& in) override {
    const graph::Node& n = graph.nodes[at(i)];
    std::vector<operand> operands;
    for (const graph::Ref& ref : n.in)
      operands.push_back(ref.node >= 0 ? borrowed(in.slot(ref.node)) : operand_of(*in.scalars[at(ref.scalar)], n.where));
    op_call call{n.op, operands, in.params[at(i)], nullptr, nullptr, n.where};
    if (n.has_where) {
      call.where_mask = operands.back().n();
      call.in = operand_list(operands.data(), operands.size() - 1);
    }
    inference inferred;
    infer(call, inferred);
    if (n.kind == graph::NodeKind::store) return;
    if (selects(n)) inferred.shape[0] = count_of(i, in);
    node* result = in.slot(i);
    inferred.type = n.type;
    numjit::detail::set_layout(result, inferred);
    result->flags = static_cast<std::uint8_t>(result->flags & ~node::unsized);
  }

  std::int64_t count_of(int i, const RunInputs& in) {
    if (const int earlier = planned.counted_by[at(i)]; earlier >= 0) {
      if (!in.slot(earlier)->is(node::unsized)) return in.slot(earlier)->shape[0];
    }
    if (device && device->counted) return *device->counted;
    const graph::Node& n = graph.nodes[at(i)];
    const graph::Ref& counted = n.in[at(length_of_result(n.op).input)];
    return length_counter(n.op, counted.node >= 0 ? in.slot(counted.node) : scalar_array(counted.scalar, in), *in.params[at(i)]);
  }

  // Lengths 0 and 1 that no guard has seen: kernels for them would be others than for all further ones.
  bool has_tiny_length(const Step& step, const RunInputs& in) const override {
    for (const UnknownAxis& u : step.unknown)
      if (in.slot(u.node)->shape[u.axis] <= 1) return true;
    return false;
  }

  bool run_part(FusedPart& part, const RunInputs& in, bool layout_changed) override {
    if (layout_changed || part.arguments.empty()) {
      lay_out(part, in);
      layout_changed = true;
    }
    LaunchOperand* argument = part.arguments.data();
    for (node* const* place : part.places) argument++->data = (*place)->data;
    for (std::size_t k = 0; k < part.offsets.size(); ++k) part.arguments[k].data += part.offsets[k];
    if (!part.scalars.empty()) write_scalars(part, in);
    Launch launch;
    launch.rank = part.rank;
    launch.extent = part.extent;
    launch.reduced_axis[0] = static_cast<std::int8_t>(part.reduced_axis[0]);
    launch.reduced_axis[1] = static_cast<std::int8_t>(part.reduced_axis[1]);
    launch.operands = part.arguments.data();
    launch.scalars = part.scalar_pointers.data();
    launch.layout_changed = layout_changed;
    return device && !device->host_works ? device->launch(part, launch) : part.call.run(launch);
  }

  // Storage for the arrays between the parts of a chain.
  void make_temporaries(const Step& step, const RunInputs& in) override {
    while (temporaries.size() < step.temporaries.size()) {
      node* n = numjit::detail::allocate_node();
      temporaries.push_back(n);
    }
    for (std::size_t k = 0; k < step.temporaries.size(); ++k) {
      const ChainTemporary& t = step.temporaries[k];
      const node* like = in.slot(t.like);
      dims shape(like->shape, like->rank);
      for (int axis = 0; axis < like->rank; ++axis)
        if (t.reduced >> axis & 1) shape[axis] = 1;
      numjit::detail::set_contiguous_layout(temporaries[k], t.type, shape.size(), shape.data());
      allocate(temporaries[k]);
    }
  }

  // ---- config.check_same_bits ----

  std::unique_ptr<Reference> compute_reference(const Step& step, const RunInputs& in) {
    auto reference = std::make_unique<Reference>();
    for (node* const* slot : in.slots) reference->nodes.push_back(*slot);
    for (node* const& n : reference->nodes) reference->slots.push_back(&n);
    for (int i : step.group) {
      const graph::Node& n = graph.nodes[at(i)];
      if (n.kind == graph::NodeKind::view) {
        reference->nodes[at(i)] = reference->view_of(in.slot(i), reference->nodes[at(n.in[0].node)], *in.view_offsets[at(i)]);
        continue;
      }
      const int written = n.kind == graph::NodeKind::store ? n.in[0].node : i;
      reference->nodes[at(written)] = reference->like(in.slot(written));
      run_single(i, {reference->slots, in.scalars, in.params, in.view_offsets});
      --single_ops;
    }
    return reference;
  }

  void give_back_temporaries(const Step& step) override {
    for (std::size_t k = 0; k < step.temporaries.size(); ++k) give_back(temporaries[k]);
  }

  void run_fused(Step& step, const RunInputs& in, bool layout_changed, bool eager_only) override {
    if (!eager_only && config().check_same_bits.get()) [[unlikely]] {
      const auto reference = compute_reference(step, in);
      run_compiled(step, in, layout_changed, eager_only);
      if (!compare_error) compare_error = difference(*reference, step, graph, in);
      return;
    }
    run_compiled(step, in, layout_changed, eager_only);
  }

  void run_compiled(Step& step, const RunInputs& in, bool layout_changed, bool eager_only) {
    bool done = !eager_only && !(!step.unknown.empty() && has_tiny_length(step, in));
    if (done) {
      if (!step.temporaries.empty()) make_temporaries(step, in);
      // Temporaries of a chain share nodes between steps: their layouts are never remembered.
      const bool fresh = layout_changed || !step.temporaries.empty() || !step.unknown.empty();
      try {
        for (FusedPart& part : step.parts) {
          done = run_part(part, in, fresh);
          if (done) continue;
          if (part.call.timed_out()) split(step);
          break;
        }
      } catch (const CompileError&) {
        if (!compile_error) compile_error = std::current_exception();
        done = false;
      }
      give_back_temporaries(step);
    }
    if (!done) run_group(step, in);
  }

  // ---- kernels that took too long to compile ----

  void split(const Step& step) {
    if (step.group.size() < 2) return;
    // Planning needs to see lengths unknown, and after a run they are known: such graphs stay as they are.
    for (const Step& other : planned.steps)
      if (!other.resolve.empty()) return;
    std::vector<int> half = step.group;
    std::sort(half.begin(), half.end());
    half.resize(half.size() / 2);
    if (std::find(splits.begin(), splits.end(), half) != splits.end()) return;
    splits.push_back(std::move(half));
    splits_wanted = true;
  }

  // The next run uses smaller kernels where one was too large.
  void apply_splits(const RunInputs& in) {
    splits_wanted = false;
    plan(in);
    layouts_ready = false;
  }

  void plan(const RunInputs& in) {
    device_run.reset();  // it knows the kernels of the steps
    forget_joint();      // they point into the steps
    planned = make_steps(graph, in, splits);
  }

  // ---- op by op ----

  node* scalar_array(int i, const RunInputs& in) {
    scalar_nodes.resize(graph.scalars.size(), nullptr);
    node*& n = scalar_nodes[at(i)];
    const dtype_id type = graph.scalars[at(i)].type;
    if (!n) n = numjit::detail::new_node(type, 0, nullptr);
    write_scalar(*in.scalars[at(i)], type, n->data);
    return n;
  }

  void run_single(int i, const RunInputs& in) {
    const graph::Node& n = graph.nodes[at(i)];
    ++single_ops;
    node* stack[8];
    std::vector<node*> heap;
    node** arguments = stack;
    if (n.in.size() > 8) {
      heap.resize(n.in.size());
      arguments = heap.data();
    }
    int count = 0;
    for (const graph::Ref& ref : n.in) arguments[count++] = ref.node >= 0 ? in.slot(ref.node) : scalar_array(ref.scalar, in);
    node* mask = nullptr;
    if (n.has_where) mask = arguments[--count];
    node* result = n.kind == graph::NodeKind::store ? arguments[0] : in.slot(i);
    op_runner(n.op, inference_of(n, result), arguments, count, *in.params[at(i)], result, mask);
  }

  void run_single_step(Step& step, const RunInputs& in) override {
    if (!FusedCall::is_timed()) [[likely]]
      return run_single(step.node, in);
    const auto start = std::chrono::steady_clock::now();
    run_single(step.node, in);
    step.ns = std::chrono::nanoseconds(std::chrono::steady_clock::now() - start).count();
    note_product(step, graph, in);
  }

  void run_group(Step& step, const RunInputs& in) {
    std::vector<int>& extra = fallback_allocated;
    extra.clear();
    auto release_extra = [&] {
      for (int i : extra) give_back(in.slot(i));
      for (int i : step.group)
        if (graph.nodes[at(i)].kind == graph::NodeKind::view) in.slot(i)->data = nullptr;
    };
    try {
      for (int i : step.group) {
        if (graph.nodes[at(i)].kind == graph::NodeKind::view) {
          place_view(i, in);
          continue;
        }
        const bool has_value = graph.nodes[at(i)].kind == graph::NodeKind::op;
        node* n = in.slot(i);
        if (has_value && !n->data) {
          allocate(n);
          extra.push_back(i);
        }
        run_single(i, in);
      }
    } catch (...) {
      release_extra();
      throw;
    }
    release_extra();
  }

  // ---- the run ----

  void place_view(int i, const RunInputs& in) const override {
    const int base = graph.nodes[at(i)].in[0].node;
    in.slot(i)->data = in.slot(base)->data + *in.view_offsets[at(i)];
  }

  // Small arrays: what a run does besides its kernels must cost less than they do. From the second run on
  // the same layouts, the steps are kernel calls ready but for addresses.
  void make_direct(const RunInputs& in) {
    direct.clear();
    for (Step& step : planned.steps) {
      if (zeros.may_wait(graph, step, in)) return direct.clear();
      if (step.kind == Step::Kind::view) {
        direct.push_back({&step, nullptr});
        continue;
      }
      const bool one_part = step.kind == Step::Kind::fused && step.parts.size() == 1;
      const DirectKernel* kernel = one_part ? step.parts[0].call.direct() : nullptr;
      if (!kernel || (kernel->wants_fresh_outputs && !has_fresh_outputs(step))) return direct.clear();
      direct.push_back({&step, kernel});
    }
    direct_fast = is_fast();
  }

  /// Is all that the step writes memory of its own, which nothing else lies in?
  static bool has_fresh_outputs(const Step& step) {
    const auto is_fresh = [&](const ArraySource& o) {
      return std::count(step.allocate.begin(), step.allocate.end(), o.node) > 0;
    };
    return std::all_of(step.parts[0].outputs.begin(), step.parts[0].outputs.end(), is_fresh);
  }

  bool direct_serves() const {
    return !direct.empty() && FusedCall::is_unwatched() && !config().check_same_bits.get() && is_fast() == direct_fast;
  }

  void run_direct(const DirectStep& ready, const RunInputs& in) {
    FusedPart& part = ready.step->parts[0];
    const DirectKernel& kernel = *ready.kernel;
    for (std::size_t k = 0; k < part.places.size(); ++k)
      kernel.buffers[k]->host = (*part.places[k])->data + kernel.start_bytes[k];
    for (std::size_t k = 0; k < part.offsets.size(); ++k) kernel.buffers[k]->host += part.offsets[k];
    if (!part.scalars.empty() && !in.same_scalars) write_scalars(part, in);
    kernel.entry(kernel.argv);
  }

  void run(const RunInputs& in, bool layout_changed, bool eager_only) {
    bytes_now = 0;
    zeros.begin(layout_changed, planned.steps.size());
    layout_changed |= !layouts_ready;
    int reached = 0;  // the last node of the step at work: what failed, if something does
    InFlight in_flight;
    const auto given_back = [&](int i) { give_back(in.slot(i)); };
    if (layout_changed) refuse_what_does_not_fit(graph, planned, in);
    try {
      if (!layout_changed && !eager_only && direct_serves()) {
        for (const DirectStep& ready : direct) {
          const Step& step = *ready.step;
          reached = step.last_node();
          for (int i : step.allocate) allocate(in.slot(i));
          ready.kernel ? run_direct(ready, in) : place_view(step.node, in);
          for (int i : step.free_after) give_back(in.slot(i));
        }
        return clear_views(in);
      }
      direct.clear();
      if (layout_changed) forget_joint();
      layouts_ready = false;
      const RunContext context{&graph, &in};
      const RunContextScope context_scope(context);
      bytes_peak = 0;
      JointPlan& joint_plan = joint_now();
      joint_plan.begin_run();
      const bool in_blocks =
          !eager_only && !config().check_same_bits.get() && numjit::detail::fault_mask.load(std::memory_order_relaxed) == 0;
      for (std::size_t s = 0; s < planned.steps.size(); ++s) {
        Step& step = planned.steps[s];
        if (JointSteps* together = in_blocks ? joint_plan.from(s) : nullptr) {
          const std::size_t last = at(together->last());
          reached = planned.steps[last].last_node();
          for (std::size_t k = s; k <= last && !in_flight.empty(); ++k)
            in_flight.before(graph, planned.steps[k], reached, given_back, true);
          if (run_blocks(*together, in)) {
            s = last;
            continue;
          }
          joint_plan.gave_up();
        }
        for (int i : step.resolve) {
          reached = i;
          resolve(i, in);
        }
        reached = step.last_node();
        if (!in_flight.empty()) [[unlikely]]
          in_flight.before(graph, step, reached, given_back);
        bool zeroed = false;
        for (int i : step.allocate) zeroed = allocate(in.slot(i), zeros.may_wait(graph, step, in));
        switch (step.kind) {
          case Step::Kind::view: place_view(step.node, in); break;
          case Step::Kind::single:
            InFlight::is_one(graph, step) ? in_flight.start(graph, std::span(planned.steps).subspan(s), in)
                                          : run_single_step(step, in);
            break;
          case Step::Kind::fused: zeroed ? zeros.leave() : run_fused(step, in, layout_changed, eager_only); break;
        }
        for (int i : step.free_after)
          if (in_flight.empty() || !in_flight.holds(graph, i)) give_back(in.slot(i));
      }
      in_flight.finish(reached, given_back);
    } catch (...) {
      in_flight.abandon();
      layouts_ready = false;
      clean_up(reached, in);
      numjit::detail::rethrow_as_of(graph.nodes[at(reached)].where, reached);
    }
    clear_views(in);
    layouts_ready = !zeros.left();
    if (splits_wanted) [[unlikely]]
      apply_splits(in);
    else if (!layout_changed && !eager_only)
      prepare_next_run(in);
  }

  void run_on(std::uint8_t index, const RunInputs& in, bool layout_changed, bool eager_only) {
    if (!device_run) device_run = make_device_run();
    bytes_now = bytes_peak = 0;
    layout_changed |= !layouts_ready;
    direct.clear();
    forget_joint();
    layouts_ready = false;
    const RunContext context{&graph, &in};
    const RunContextScope context_scope(context);
    int reached = 0;
    device = device_run.get();
    try {
      device->begin(index, graph, in, eager_only);
      if (!device->run_again(graph, planned, in, layout_changed)) {
        run_on_device(*device, graph, planned, *this, in, layout_changed, reached);
        device->finish(graph, in);
      }
      device = nullptr;
    } catch (...) {
      device->abandon(in);
      device = nullptr;
      clean_up(reached, in);
      numjit::detail::rethrow_as_of(graph.nodes[at(reached)].where, reached);
    }
    clear_views(in);
    layouts_ready = true;
    if (splits_wanted) [[unlikely]]
      apply_splits(in);
  }

  // The same layouts came twice: they will come again.
  void prepare_next_run(const RunInputs& in) {
    make_direct(in);
    if (direct.empty()) joint_now().find(graph, planned, in);
  }

  JointPlan& joint_now() { return joint[is_fast() ? 1 : 0]; }
  void forget_joint() {
    for (JointPlan& each : joint) each = {};
  }

  // False: the steps have to run one by one.
  bool run_blocks(JointSteps& together, const RunInputs& in) {
    bool done = true;
    try {
      for (int s = together.first(); s <= together.last(); ++s) {
        Step& step = planned.steps[at(s)];
        for (int i : step.allocate)
          if (!together.keeps(i)) allocate(in.slot(i));
        if (step.kind == Step::Kind::fused)
          for (FusedPart& part : step.parts) write_scalars(part, in);
        else if (step.kind == Step::Kind::view && in.slot(graph.nodes[at(step.node)].in[0].node)->data)
          place_view(step.node, in);
      }
    } catch (const MemoryError&) {
      done = false;
    }  // one by one they need less, or fail where the program would
    bytes_now += together.scratch_bytes();
    bytes_peak = std::max(bytes_peak, bytes_now);
    const auto start = std::chrono::steady_clock::now();
    done = done && together.run();
    if (!done) together.ns = 0;  // the steps tell their own
    if (done && FusedCall::is_timed()) {
      together.ns = std::chrono::nanoseconds(std::chrono::steady_clock::now() - start).count();
      FusedCall::add_timed(together.ns);
    }
    bytes_now -= together.scratch_bytes();
    for (int s = together.first(); s <= together.last(); ++s)
      for (int i : done ? planned.steps[at(s)].free_after : planned.steps[at(s)].allocate)
        if (!together.keeps(i)) give_back(in.slot(i));
    return done;
  }

  // After op `failed` threw: values that the program made before it exist, later ones do not. Stores run
  // in program order, and what they would have overwritten was computed before, so that what is still
  // missing can be computed now.
  void clean_up(int failed, const RunInputs& in) {
    for (int i = 0; i < failed; ++i) {
      const graph::Node& n = graph.nodes[at(i)];
      const bool wanted = n.kind == graph::NodeKind::op ? planned.persistent[at(i)] : n.kind == graph::NodeKind::view && n.live;
      if (!wanted) continue;
      try {
        compute(i, in);
      } catch (...) {  // no memory, most likely: it stays without a value
        give_back(in.slot(i));
      }
    }
    for (int i = 0; i < static_cast<int>(graph.nodes.size()); ++i)
      if (graph.nodes[at(i)].kind == graph::NodeKind::op && (i >= failed || !planned.persistent[at(i)])) give_back(in.slot(i));
    clear_views(in);
    for (node* n : temporaries) give_back(n);
  }

  void compute(int i, const RunInputs& in) {
    const graph::Node& n = graph.nodes[at(i)];
    if (n.kind == graph::NodeKind::input || in.slot(i)->data) return;
    for (const graph::Ref& ref : n.in)
      if (ref.node >= 0) compute(ref.node, in);
    if (in.slot(i)->is(node::unsized)) resolve(i, in);
    if (n.kind == graph::NodeKind::view) {
      place_view(i, in);
      return;
    }
    allocate(in.slot(i));
    run_single(i, in);
  }

  // Views of the segment borrow their place; those that stay alive get it again from the recorder.
  void clear_views(const RunInputs& in) const {
    if (!planned.has_views) return;
    for (const Step& step : planned.steps)
      if (step.kind == Step::Kind::view) in.slot(step.node)->data = nullptr;
  }
};

Plan::Plan(graph::Graph graph, const RunInputs& inputs) : impl_(std::make_unique<Impl>()) {
  impl_->graph = std::move(graph);
  impl_->plan(inputs);
}

Plan::~Plan() = default;
void Plan::resolve(int node, const RunInputs& inputs) { impl_->resolve(node, inputs); }

void Plan::run(const RunInputs& inputs, bool layout_changed, bool eager_only) {
  if (numjit::detail::repro_level.load(std::memory_order_relaxed) < 3) [[likely]]
    return impl_->run(inputs, layout_changed, eager_only);
  run_checked(impl_->graph, inputs, impl_->trust,
              [&](bool without_kernels) { impl_->run(inputs, layout_changed, eager_only || without_kernels); });
}

void Plan::run_on(std::uint8_t device, const RunInputs& inputs, bool layout_changed, bool eager_only) {
  impl_->run_on(device, inputs, layout_changed, eager_only);
}

bool Plan::fits(const RunInputs& inputs) const {
  for (auto [a, b] : impl_->planned.same_shape)
    if (!numjit::detail::same_shape(inputs.slot(a), inputs.slot(b))) return false;
  return true;
}

bool Plan::has_news() const {
  return impl_->single_ops != 0 || impl_->compile_error || impl_->compare_error || impl_->trust.error;
}
std::uint64_t Plan::take_single_ops() { return std::exchange(impl_->single_ops, 0); }
std::exception_ptr Plan::take_error() {
  std::exception_ptr error = std::exchange(impl_->compile_error, {}), difference = std::exchange(impl_->compare_error, {});
  if (!difference) difference = std::exchange(impl_->trust.error, nullptr);
  return difference ? difference : error;
}

int Plan::step_count() const {
  const std::vector<Step>& steps = impl_->planned.steps;
  return static_cast<int>(std::count_if(steps.begin(), steps.end(), [](const Step& s) { return s.kind != Step::Kind::view; }));
}

std::vector<StepInfo> Plan::steps() const { return impl_->joint_now().infos(impl_->graph, impl_->planned); }
std::int64_t Plan::peak_bytes() const { return impl_->bytes_peak; }
std::string Plan::to_text() const { return steps_text(impl_->graph, impl_->planned); }
std::vector<PlanHint> Plan::hints(const RunInputs& inputs) const { return plan_hints(impl_->graph, impl_->planned, inputs); }

}  // namespace numjit::runtime
