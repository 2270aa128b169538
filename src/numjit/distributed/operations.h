// What ranks do together, on memory: each operation as messages between two of them.
#pragma once

#include <numjit/distributed/group.h>
#include <numjit/ops/communicate.h>

namespace numjit::distributed {

/// The first element of the part of a rank, of `n` cut evenly; of rank `size`: n.
constexpr std::int64_t begin_of_part(std::int64_t n, std::int64_t rank, std::int64_t size) {
  return n / size * rank + n % size * rank / size;
}

/// Carries an operation out on this thread, behind what was started before. `in` may lie in any order, `result` is contiguous.
/// Returns how many bytes this rank sent.
std::int64_t communicate_now(const layout::communication& words, node* in, node* result);
/// `in` and `result` are contiguous and don't overlap. `program_waits`: nothing else is to be computed meanwhile.
void communicate(Group& group, const layout::communication& words, const node* in, node* result, bool program_waits);

}  // namespace numjit::distributed
