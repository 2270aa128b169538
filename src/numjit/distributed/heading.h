// What stands at the head of each message: which operation it belongs to. Ranks whose headings differ run different programs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

#include <numjit/base/location.h>
#include <numjit/ops/communicate.h>

namespace numjit::distributed {

struct Heading {
  std::uint64_t number = 0;    // of the operation on its communicator, from 1
  std::int64_t check = 0;      // further numbers on which ranks have to agree
  std::int64_t shape[4] = {};  // -1: an axis of which each rank has its part; of more axes `check` tells
  std::uint16_t joined_by = 0;  // op_id of an all_reduce
  std::uint8_t kind = 0, type = 0, rank = 0;
  char unused[3] = {};    // no bits between what ranks agree on: it is compared as memory
  std::int32_t line = 0;  // from here on, ranks may differ
  char file[52] = {};     // the end of its name
};
static_assert(sizeof(Heading) <= 112);  // small messages travel by lines of the cache

/// The heading of an operation on an input of this shape; the number is the group's to give.
Heading heading_of(const layout::communication& words, const dims& shape);
/// May the two be the same operation?
inline bool agree(const Heading& a, const Heading& b) { return std::memcmp(&a, &b, offsetof(Heading, line)) == 0; }
/// "all_reduce of float64 (3, 4) at heat.cpp:12".
std::string text_of(const Heading& h);

/// A number for a place in the program, the same for each call there.
std::int64_t noted_place(const location& where);

}  // namespace numjit::distributed
