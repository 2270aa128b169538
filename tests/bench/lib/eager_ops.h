// One eager call of every kind of operation.
#pragma once

#include "workloads.h"

namespace bench {

/// An operation on the inputs (eager.py says what they are).
struct EagerOp {
  const char* name;
  numjit::array (*run)(const arrays&);
};

/// By name; null if there is none.
const EagerOp* find_eager_op(const std::string& name);

}  // namespace bench
