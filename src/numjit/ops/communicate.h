// Operations between the ranks of a communicator: what stands in their parameters, and who carries them out.
//
// The first input of op communicate is the state of a communicator, an array of one word that the operation reads and writes.
// So operations on a communicator run in the program's order, each once per call, and are never folded, as draws of random
// numbers are. They act on the first axis of the second input.
#pragma once

#include <cstdint>

#include <numjit/array/array.h>
#include <numjit/array/dims.h>
#include <numjit/array/node.h>
#include <numjit/ops/params.h>

namespace numjit::layout {

/// Words of op communicate. What `first` and `second` mean depends on the operation:
///   all_reduce        the joining op
///   broadcast         the root
///   permute           the rank that this one's result comes from, and the one that its input goes to; -1: none
///   halo, fold_halo   the width, and whether the last rank is the first one's neighbour
/// `check` is a number on which all ranks have to agree, `place` the line of the program (detail::noted_place), `shape` that of
/// the result; type() is its dtype.
struct communication {
  enum kind : std::int64_t {
    all_reduce,
    all_gather,
    reduce_scatter,
    broadcast,
    all_to_all,
    permute,
    halo,
    fold_halo,
    sum,
    barrier
  };
  static constexpr int what = 0, communicator = 1, first = 2, second = 3, check = 4, place = 5, shape = 6;

  /// The name of the function that users call.
  static constexpr const char* name_of(std::int64_t kind) {
    constexpr const char* names[] = {"all_reduce", "all_gather",    "reduce_scatter",           "broadcast", "all_to_all",
                                     "permute",    "exchange_halo", "adjoint of exchange_halo", "sum",       "barrier"};
    return names[kind];
  }

  kind is = all_reduce;
  std::int64_t number = 0, given_first = 0, given_second = 0, agreed = 0, line = 0;
  dims result;
  dtype_id type{};

  op_params params() const {
    op_params p;
    p.push(std::int64_t{is}).push(number).push(given_first).push(given_second).push(agreed).push(line).push(result).type(type);
    return p;
  }
  static communication of(const op_params& p) {
    return {static_cast<kind>(p[what]), p[communicator], p[first], p[second], p[check], p[place], p.list(shape), p.type()};
  }
};

}  // namespace numjit::layout

namespace numjit::detail {

/// One run of op communicate. `in` may lie in any order, `result` is contiguous.
struct communication {
  const op_params& params;
  node* in;
  node* result;
};
/// What one took, in nanoseconds of the steady clock.
struct communication_cost {
  std::int64_t begin_ns = 0, ns = 0;            // from its start to its end
  std::int64_t wait_begin_ns = 0, wait_ns = 0;  // when the program waited for it, and how long
  std::int64_t bytes = 0;                       // that this rank sent
  std::int64_t hidden_ns() const { return ns > wait_ns ? ns - wait_ns : 0; }
};
/// An operation that goes on while the program does.
class started_communication {
 public:
  virtual ~started_communication() = default;
  /// The result is there, or the error of the operation is thrown.
  virtual communication_cost wait() = 0;
};
/// Who carries communication out. Set by distributed/ before main; pages have none.
struct communication_engine {
  /// The first input of operations on a communicator, and this rank's place in it.
  array (*state)(std::int64_t communicator) = nullptr;
  std::int64_t (*rank)(std::int64_t communicator) = nullptr;
  std::int64_t (*size)(std::int64_t communicator) = nullptr;
  void (*run)(const communication&) = nullptr;
  /// Starts the operation and returns; null: this rank is alone, and it is done. Input, result and parameters have to stay until
  /// it is waited for. `at_once`: that will be now, so that it may be carried out here.
  started_communication* (*start)(const communication&, bool at_once) = nullptr;
};
extern constinit communication_engine communications;

}  // namespace numjit::detail
