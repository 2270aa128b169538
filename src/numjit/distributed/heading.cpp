// Headings of messages, and the places in the program that they name.
#include <numjit/distributed/heading.h>

#include <algorithm>
#include <cstring>
#include <deque>
#include <map>
#include <mutex>
#include <utility>

#include <fmt/format.h>

#include <numjit/ops/op.h>

namespace numjit::distributed {
namespace {

using kind = layout::communication;

struct Place {
  location where;
  std::int64_t number;
  Heading heading;  // with the place alone
};
struct Places {
  std::mutex mutex;
  std::map<std::pair<const char*, int>, std::int64_t> numbers;
  std::deque<Place> known;
};
Places& places() {
  static auto& all = *new Places;
  return all;
}

/// Of these, ranks have parts of different length.
bool is_parted(std::int64_t is) { return is == kind::all_gather || is == kind::halo || is == kind::fold_halo || is == kind::sum; }

/// The place that a thread used last: programs call operations in loops.
constinit thread_local const Place* last_place [[gnu::tls_model("initial-exec")]] = nullptr;

const Place& place_of(std::int64_t number) {
  if (last_place && last_place->number == number) return *last_place;
  std::lock_guard lock(places().mutex);
  return *(last_place = &places().known[static_cast<std::size_t>(number)]);
}

}  // namespace

std::int64_t noted_place(const location& where) {
  if (last_place && where.file == last_place->where.file && where.line == last_place->where.line) return last_place->number;
  std::lock_guard lock(places().mutex);
  const auto [at, is_new] =
      places().numbers.try_emplace({where.file, where.line}, static_cast<std::int64_t>(places().known.size()));
  if (is_new) {
    Heading h;
    const std::size_t length = std::strlen(where.file), kept = std::min(length, sizeof h.file - 1);
    std::memcpy(h.file, where.file + (length - kept), kept);
    h.line = where.line;
    places().known.push_back({where, at->second, h});
  }
  last_place = &places().known[static_cast<std::size_t>(at->second)];
  return at->second;
}

Heading heading_of(const layout::communication& words, const dims& shape) {
  Heading h = place_of(words.line).heading;
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
  return h;
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
