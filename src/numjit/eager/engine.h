// The eager engine: runs one op at once, with the bits every other engine must reproduce.
#pragma once

#include <string>

#include <numjit/ops/bind.h>

namespace numjit::eager {

/// Runs the call on concrete inputs (lazy ones are an InternalError) and returns a concrete array.
array apply(const op_call& call);

/// The same with inference already done and the result's node given: `result` is concrete with
/// storage (or a view's base for stores). Used by the executor, which plans buffers itself.
/// `in` are concrete nodes already in call order; weak scalars are 0-D nodes of in_type.
void run_into(op_id op, const inference& inferred, node* const* in, int n_in, const op_params& params,
              node* result, node* where_mask = nullptr);

/// Number of true (not zero) elements: the length of what a mask selects, and of nonzero_flat.
std::int64_t count_true(const node* n);

/// The first extent of what an op makes, for ops whose length_of_result is not `known`: `n` is the input
/// that it is counted from. Errors: bincount of negative elements, negative repeats.
std::int64_t count_length(op_id op, const node* n, const op_params& params);

struct loop_table;
/// The loops of a value of NUMJIT_TARGET: "host" stands for the best level of this machine, as it does for
/// kernels. ValueError for a target that is unknown or above this processor.
const loop_table& loops_for_target(const std::string& target);

}  // namespace numjit::eager
