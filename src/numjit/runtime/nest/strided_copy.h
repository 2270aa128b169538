// Elements from places some bytes apart to places some other bytes apart.
#pragma once

#include <cstdint>
#include <cstring>

namespace numjit::runtime {

/// `count` elements of `item` bytes.
inline void copy_strided(const char* from, std::int64_t from_step, char* to, std::int64_t to_step, std::int64_t count,
                         std::int64_t item) {
  if (from_step == item && to_step == item) {
    std::memcpy(to, from, static_cast<std::size_t>(count * item));
    return;
  }
  const auto words = [&](auto word) {
    for (std::int64_t i = 0; i < count; ++i) std::memcpy(to + i * to_step, from + i * from_step, sizeof(word));
  };
  switch (item) {
    case 1: return words(std::uint8_t{});
    case 2: return words(std::uint16_t{});
    case 4: return words(std::uint32_t{});
    case 8: return words(std::uint64_t{});
    default:
      for (std::int64_t i = 0; i < count; ++i)
        std::memcpy(to + i * to_step, from + i * from_step, static_cast<std::size_t>(item));
  }
}

}  // namespace numjit::runtime
