// Compiled segments beside eager ones.
#include <numjit/runtime/repro/check.h>

#include <fmt/format.h>

#include <numjit/array/same_bits.h>
#include <numjit/base/config.h>
#include <numjit/base/error.h>
#include <numjit/base/log.h>
#include <numjit/base/repro_level.h>
#include <numjit/runtime/kernels/cache.h>
#include <numjit/runtime/repro/repro.h>

namespace numjit::runtime {
namespace {

/// Copies the elements of `value` into `target`, which has storage.
void put(node* target, node* value) {
  inference inferred;
  inferred.type = target->type;
  inferred.in_type[0] = inferred.in_type[1] = target->type;
  inferred.shape = dims(target->shape, target->rank);
  node* in[] = {target, value};
  op_runner(op_id::store, inferred, in, 2, op_params(), target, nullptr);
}

void put_right(const graph::Graph& graph, const RunInputs& inputs, const std::vector<array>& expected) {
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    const graph::NodeKind kind = graph.nodes[i].kind;
    node* slot = inputs.slot(static_cast<int>(i));
    if ((kind != graph::NodeKind::op && kind != graph::NodeKind::input) || !slot->data) continue;
    if (detail::first_difference(expected[i].get(), slot)) put(slot, expected[i].get());
  }
}

std::optional<std::vector<array>> eager_values(const Repro& repro) {
  try {
    return run_eagerly(repro, make_inputs(repro));
  } catch (const error&) {
    return std::nullopt;  // the run itself will say what is wrong
  }
}

}  // namespace

void run_checked(const graph::Graph& graph, const RunInputs& inputs, Trust& trust, const std::function<void(bool)>& run) {
  const bool after_graph = detail::repro_after_graph.load(std::memory_order_relaxed);
  std::optional<Repro> repro = capture(graph, inputs, true);
  const auto expected = repro ? eager_values(*repro) : std::nullopt;
  run(after_graph || trust.lost);
  if (!expected) return;
  const auto difference = find_difference(graph, inputs, *expected);
  if (!difference) return;
  put_right(graph, inputs, *expected);
  if (trust.lost) return;
  trust.lost = true;
  count_quarantine();
  repro->function = current_kernel_owner();
  repro->layer = after_graph ? "graph" : "halide";
  repro->fault = "wrong value: " + *difference;
  const int level = detail::repro_level.load(std::memory_order_relaxed);
  const std::string hint = repro_hint(write_repro(*repro, level == 4));
  const std::string what = fmt::format("{}, layer {}: {} differs from what the operations one by one give", repro->function,
                                       repro->layer, *difference);
  if (suppresses_errors())
    detail::warn(fmt::format("{}; they run one by one from now on.{}", what, hint));
  else
    trust.error = std::make_exception_ptr(CompileError("compile", fmt::format("{}.{}", what, hint)));
}

}  // namespace numjit::runtime
