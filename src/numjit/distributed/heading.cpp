// Headings of messages, and the places in the program that they name.
#include <numjit/distributed/heading.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <numjit/ops/op.h>

namespace numjit::distributed {
namespace {

using kind = layout::communication;

struct Places {
  std::mutex mutex;
  std::map<std::pair<const char*, int>, std::int64_t> numbers;
  std::vector<location> known;
};
Places& places() {
  static auto& all = *new Places;
  return all;
}

/// Of these, ranks have parts of different length.
bool is_parted(std::int64_t is) { return is == kind::all_gather || is == kind::halo || is == kind::fold_halo || is == kind::sum; }

}  // namespace

namespace {
/// The place that a thread used last: programs call operations in loops.
thread_local location last_place{nullptr, "", 0};
thread_local std::int64_t last_number = -1;
}  // namespace

std::int64_t noted_place(const location& where) {
  if (where.file == last_place.file && where.line == last_place.line) return last_number;
  std::lock_guard lock(places().mutex);
  const auto [at, is_new] =
      places().numbers.try_emplace({where.file, where.line}, static_cast<std::int64_t>(places().known.size()));
  if (is_new) places().known.push_back(where);
  last_place = where;
  return last_number = at->second;
}

location place_of(std::int64_t number) {
  if (number == last_number) return last_place;
  std::lock_guard lock(places().mutex);
  return places().known[static_cast<std::size_t>(number)];
}

Heading heading_of(const layout::communication& words, const dims& shape) {
  Heading h;
  h.check = words.agreed;
  h.kind = static_cast<std::uint8_t>(words.is);
  h.type = static_cast<std::uint8_t>(words.type);
  h.rank = static_cast<std::uint8_t>(shape.size());
  if (words.is == kind::all_reduce) h.joined_by = static_cast<std::uint16_t>(words.given_first);
  for (int i = 0; i < shape.size(); ++i) {
    const std::int64_t extent = i == 0 && is_parted(words.is) ? -1 : shape[i];
    if (i < static_cast<int>(std::size(h.shape)))
      h.shape[i] = extent;
    else
      h.check = h.check * 31 + extent;
  }
  const location where = place_of(words.line);
  const std::size_t length = std::strlen(where.file), kept = std::min(length, sizeof h.file - 1);
  std::memcpy(h.file, where.file + (length - kept), kept);
  h.line = where.line;
  return h;
}

bool agree(const Heading& a, const Heading& b) {
  return a.number == b.number && a.check == b.check && a.kind == b.kind && a.type == b.type && a.rank == b.rank &&
         a.joined_by == b.joined_by && std::equal(std::begin(a.shape), std::end(a.shape), std::begin(b.shape));
}

std::string text_of(const Heading& h) {
  std::string shape;
  for (int i = 0; i < h.rank; ++i) {
    shape += i > 0 ? ", " : "";
    if (i >= static_cast<int>(std::size(h.shape))) {
      shape += "...";
      break;
    }
    shape += h.shape[i] < 0 ? "part" : std::to_string(h.shape[i]);
  }
  if (h.rank == 1) shape += ",";
  std::string_view joined;
  if (h.kind == kind::all_reduce) joined = info(static_cast<op_id>(h.joined_by)).name;
  const auto type = dtype(static_cast<dtype_id>(h.type)).name();
  const std::string where = h.line > 0 ? fmt::format(" at {}:{}", h.file, h.line) : "";
  return fmt::format("{}{}{}{} of {} ({}){}", kind::name_of(h.kind), joined.empty() ? "" : " (", joined,
                     joined.empty() ? "" : ")", type, shape, where);
}

}  // namespace numjit::distributed
