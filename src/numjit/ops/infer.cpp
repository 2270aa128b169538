// Dtype and shape of an op's result: hands the call to the rule of its kind or, for structural ops,
// of its row.
#include <numjit/ops/bind.h>

namespace numjit {

namespace {

/// ValueError for an `out` that does not fit what a structural op gives.
void check_out(const op_call& call, const inference& result) {
  if (!call.out || result.data_dependent) return;
  const std::string name(info(call.op).name);
  if (call.out->is(node::readonly)) throw ValueError(name, "output array is read-only");
  if (call.out->rank != result.shape.size()) throw ValueError(name, "Output array has wrong dimensionality");
  if (!(dims(call.out->shape, call.out->rank) == result.shape)) throw ValueError(name, "Output array is the wrong shape");
}

}  // namespace

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
#define STRUCTURAL(name, ...)   \
  case op_id::name:             \
    infer_##name(call, result); \
    break;
#include <numjit/ops/all_rows.inc>
    case op_id::count_:
      throw InternalError("infer", "unknown op: got number " + std::to_string(static_cast<int>(call.op)) + ", expected below " +
                                       std::to_string(op_count) + ".");
  }
  check_out(call, result);
}

}  // namespace numjit
