// Lags and windows of a nest.
#include <numjit/runtime/nest/schedule.h>

#include <algorithm>
#include <cstdlib>
#include <numeric>

#include <numjit/base/thread_pool.h>

namespace numjit::runtime {
namespace {

/// Bytes of the rows at work, of all arrays: what stays in a core's second-level cache, and what in its share of the last.
constexpr std::int64_t window_bytes = 384 << 10, most_window_bytes = 1536 << 10;
/// The same where rows are cut into strips.
constexpr std::int64_t strip_bytes = 768 << 10;
/// Columns of the narrowest strip: fewer begin too often in the middle of what a core reads ahead.
constexpr std::int64_t least_strip = 128;
/// What one call of a kernel should take, beside what calling it does.
constexpr double least_call_ns = 1500;

std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }

}  // namespace

NestSchedule::NestSchedule(Nest& nest) : nest_(nest) {
  std::vector<std::int64_t> rows(nest.memories.size()), columns(nest.memories.size());
  for (const Statement& statement : nest.statements)
    for (const Access& access : statement.accesses) {
      rows[at(access.memory)] = std::max(rows[at(access.memory)], std::abs(access.row_step));
      columns[at(access.memory)] = std::max(columns[at(access.memory)], std::abs(access.column_step));
    }
  row_bytes_ = std::reduce(rows.begin(), rows.end());
  column_bytes_ = std::reduce(columns.begin(), columns.end());
}

bool NestSchedule::follows(std::size_t number) {
  Statement& statement = nest_.statements[number];
  const Access& result = statement.accesses.back();
  if (result.row_step > 0 && !nest_.is_periodic) statement.center = (result.delta + result.row_step / 2) / result.row_step;
  if (result.column_step > 0) statement.column_center = (result.delta - statement.center * result.row_step) / result.column_step;
  const int shares = nest_.estimate_ns < numjit::detail::parallel_from_ns ? 1 : numjit::detail::thread_count();
  if (!nest_.find_lag(number) || 2 * nest_.border_rows * shares > statement.rows) return false;
  in_strips_ = in_strips_ && !nest_.is_periodic && result.column_step > 0 &&
               result.row_step >= result.column_step * statement.columns && nest_.find_column_lag(number) &&
               4 * nest_.columns_behind <= statement.columns;
  return (in_strips_ && strip() > 0) || (nest_.behind + 2) * row_bytes_ <= most_window_bytes;
}

/// How many columns of the rows at work stay in the cache. 0: too few.
std::int64_t NestSchedule::strip() const {
  const std::int64_t most = strip_bytes / ((nest_.behind + strip_rows()) * column_bytes_);
  return most >= least_strip ? most / least_strip * least_strip : 0;
}

std::int64_t NestSchedule::strip_rows() const { return std::max<std::int64_t>(nest_.behind / 2, 4); }

bool NestSchedule::choose(std::int64_t least_bytes) {
  const std::vector<Statement>& all = nest_.statements;
  double slowest = 0;  // row
  nest_.first_row = all[0].center;
  nest_.first_column = all[0].column_center;
  for (const Statement& statement : all) {
    slowest = std::max(slowest, statement.estimate_ns / static_cast<double>(statement.rows));
    nest_.first_row = std::min(nest_.first_row, statement.center);
    nest_.last_row = std::max(nest_.last_row, statement.center + statement.rows);
    nest_.first_column = std::min(nest_.first_column, statement.column_center);
    nest_.last_column = std::max(nest_.last_column, statement.column_center + statement.columns);
  }
  const auto worth = static_cast<std::int64_t>(least_call_ns / slowest) + 1;
  bool fits = true;
  if ((nest_.behind + 2) * row_bytes_ > most_window_bytes) {
    nest_.strip = strip();
    nest_.block = strip_rows();
  } else {
    nest_.block = std::min(std::max(window_bytes / row_bytes_ - nest_.behind, worth), nest_.last_row - nest_.first_row);
    fits = nest_.block + nest_.behind <= std::max(most_window_bytes / row_bytes_, worth + nest_.behind);
  }
  nest_.most = std::max(nest_.block, nest_.border_rows);
  nest_.least_share = std::max<std::int64_t>(2 * nest_.border_rows, nest_.block);
  std::int64_t shared = 0;
  for (const Memory& memory : nest_.memories) shared += memory.shared ? memory.bytes : 0;
  return fits && shared >= least_bytes;
}

}  // namespace numjit::runtime
