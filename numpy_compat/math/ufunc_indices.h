// ufunc::at for indices that are counted when a program runs.
#pragma once

#include <span>

#include <numjit/np_ufunc_methods.h>

namespace numjit::detail {

/// a[indices] = op(a[indices], b), each occurrence of an index counted; `b` is null for a ufunc of one argument.
void ufunc_at_indices(op_id op, const array& a, std::span<const index> indices, const operand* b);

}  // namespace numjit::detail
