// Dtype and shape of an op's result: hands the call to the rule of its kind or, for structural ops,
// of its row.
#include <numjit/ops/bind.h>

namespace numjit {

void infer(const op_call& call, inference& result) {
  switch (call.op) {
#define UFUNC1(name, ...) case op_id::name:
#define UFUNC2(name, ...) case op_id::name:
#define UFUNC3(name, ...) case op_id::name:
#include <numjit/ops/all_rows.inc>
    return infer_ufunc(call, result);
#define REDUCTION(name, ...) case op_id::name:
#define ARGREDUCTION(name, ...) case op_id::name:
#include <numjit/ops/all_rows.inc>
    return infer_reduction(call, result);
#define SCAN(name, ...) case op_id::name:
#include <numjit/ops/all_rows.inc>
    return infer_scan(call, result);
#define STRUCTURAL(name, ...) \
  case op_id::name: return infer_##name(call, result);
#include <numjit/ops/all_rows.inc>
    case op_id::count_: break;
  }
  throw InternalError("infer", "unknown op: got number " +
                                   std::to_string(static_cast<int>(call.op)) + ", expected below " +
                                   std::to_string(op_count) + ".");
}

}  // namespace numjit
