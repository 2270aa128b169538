// EXPECT: deleted
// The order of the rows means nothing: what ops have in common stands in the rows.
#include <numjit/ops/op.h>
bool f(numjit::op_id op) { return op >= numjit::op_id::exp && op <= numjit::op_id::gammaln; }
