// For config.check_same_bits: what a step should write, and the error if it wrote something else.
#pragma once

#include <algorithm>
#include <exception>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <numjit/array/same_bits.h>
#include <numjit/base/error.h>
#include <numjit/runtime/plan/steps.h>

namespace numjit::runtime {

// What a step should write, computed op by op before its kernel runs (which may overwrite inputs).
struct Reference {
  std::vector<node*> nodes;  // as the run's, with own ones where the step writes
  std::vector<node* const*> slots;
  std::vector<node*> made, views;
  ~Reference() {
    for (node* n : made) numjit::detail::release(n);
    for (node* n : views) {
      n->data = nullptr;
      numjit::detail::release(n);
    }
  }
  node* like(const node* n) {
    made.push_back(numjit::detail::allocate_node());
    numjit::detail::copy_layout(made.back(), n);  // views of the run's array are views of this one
    numjit::detail::allocate_storage(made.back());
    return made.back();
  }
  // Borrows the memory of `base`, which stays as long.
  node* view_of(const node* n, const node* base, std::int64_t offset) {
    views.push_back(numjit::detail::allocate_node());
    numjit::detail::set_layout(views.back(), n->type, n->rank, n->shape, n->strides);
    views.back()->data = base->data + offset;
    return views.back();
  }
};

/// What inference said of a node when it was recorded, with the shape that its result has now.
inline inference inference_of(const graph::Node& n, const node* result) {
  inference inferred;
  inferred.type = n.type;
  inferred.loop = n.loop;
  std::copy(std::begin(n.in_type), std::end(n.in_type), std::begin(inferred.in_type));
  inferred.shape = dims(result->shape, result->rank);
  return inferred;
}

inline std::exception_ptr difference_error(const graph::Node& n, const FusedCall::Info& kernel, std::int64_t element) {
  return std::make_exception_ptr(InternalError(
      op_text(n), fmt::format("check_same_bits: kernel {} ({}) and the operations one by one differ in element {} of the "
                              "result of {} at {}:{}. Please report it with the graph; float_mode fast may differ.",
                              kernel.name, kernel.schedule, element, op_text(n), n.where.file, n.where.line)));
}

/// The error of the first result of a step that is not as it should be; null: there is none.
inline std::exception_ptr difference(const Reference& reference, const Step& step, const graph::Graph& graph,
                                     const RunInputs& in) {
  for (int i : step.group) {
    const graph::Node& n = graph.nodes[static_cast<std::size_t>(i)];
    if (n.kind == graph::NodeKind::view) continue;
    const int written = n.kind == graph::NodeKind::store ? n.in[0].node : i;
    const node* got = in.slot(written);
    if (!got->data) continue;
    const auto element = numjit::detail::first_difference(reference.nodes[static_cast<std::size_t>(written)], got);
    if (element) return difference_error(n, step.parts.back().call.info(), *element);
  }
  return nullptr;
}

}  // namespace numjit::runtime
