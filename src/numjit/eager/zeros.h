// What is written into arrays that hold zeros already.
#pragma once

#include <numjit/array/node.h>
#include <numjit/ops/params.h>

namespace numjit::eager {

/// The ones of op eye with these parameters.
void write_diagonal(const op_params& params, node* zeros);

}  // namespace numjit::eager
