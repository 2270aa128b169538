// What stands at the head of each message: which operation it belongs to. Ranks whose headings differ run different programs.
#pragma once

#include <cstdint>
#include <string>

#include <numjit/base/location.h>
#include <numjit/ops/communicate.h>

namespace numjit::distributed {

struct Heading {
  std::uint64_t number = 0;    // of the operation on its communicator, from 1
  std::int64_t check = 0;      // further numbers on which ranks have to agree
  std::int64_t shape[6] = {};  // -1: an axis of which each rank has its part
  std::int32_t line = 0;
  std::uint16_t joined_by = 0;  // op_id of an all_reduce
  std::uint8_t kind = 0, type = 0, rank = 0;
  char file[87] = {};  // the end of its name
};

/// The heading of an operation on an input of this shape; the number is the group's to give.
Heading heading_of(const layout::communication& words, const dims& shape);
/// May the two be the same operation?
bool agree(const Heading& a, const Heading& b);
/// "all_reduce of float64 (3, 4) at heat.cpp:12".
std::string text_of(const Heading& h);

/// A number for a place in the program, the same for each call there; and the place of a number.
std::int64_t noted_place(const location& where);
location place_of(std::int64_t number);

}  // namespace numjit::distributed
