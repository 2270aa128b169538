// How many rows of a nest's statements are at work at once, or how many columns of them: what lies between the first statement
// and the last is to stay in the cache.
#pragma once

#include <numjit/runtime/nest/nest.h>

namespace numjit::runtime {

class NestSchedule {
 public:
  /// Its memories are found.
  explicit NestSchedule(Nest& nest);
  /// Finds where statement `number` lies and its lags. False: it cannot follow those before it, or not in the cache.
  bool follows(std::size_t number);
  /// Decides for the statements that do. False: they gain nothing, if they share less than `least_bytes`.
  bool choose(std::int64_t least_bytes);

 private:
  std::int64_t strip() const;
  /// Rows of a strip that a statement does at once.
  std::int64_t strip_rows() const;

  Nest& nest_;
  std::int64_t row_bytes_ = 0, column_bytes_ = 0;  // of all arrays together
  bool in_strips_ = true;                          // may rows be cut?
};

}  // namespace numjit::runtime
