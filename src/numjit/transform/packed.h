// Entries of a tape in few bytes: what alike ones share stands once.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include <numjit/transform/applied.h>

namespace numjit::transform {

/// What entries have but variables, the bits of numbers, and arrays.
class Forms {
 public:
  std::uint32_t number_of(const Applied& e);
  const Applied& operator[](std::uint32_t number) const { return forms_[number]; }

 private:
  std::vector<Applied> forms_;
  std::unordered_multimap<std::size_t, std::uint32_t> by_hash_;
};

class PackedEntries {
 public:
  /// Without what Applied::give_up() takes from it.
  void add(Applied&& e, Forms& forms);
  void append(PackedEntries&& others);
  std::vector<Applied> unpacked(const Forms& forms) const;
  std::size_t size() const { return form_.size(); }
  /// Arrays that entries hold, by number.
  std::size_t held_count() const { return held_.size() + customs_.size(); }
  array& held_at(std::size_t i) { return i < held_.size() ? held_[i] : customs_[i - held_.size()].array(); }

 private:
  std::vector<std::uint32_t> form_;      // by entry
  std::vector<std::int32_t> variables_;  // the result's, then of each operand that has one; entry after entry
  std::vector<std::int64_t> numbers_;
  std::vector<array> held_;
  /// One that a function's own rule keeps.
  struct Kept {
    std::shared_ptr<std::vector<numjit::array>> of;
    std::size_t number;
    numjit::array& array() const { return (*of)[number]; }
  };
  std::vector<Kept> customs_;
};

}  // namespace numjit::transform
