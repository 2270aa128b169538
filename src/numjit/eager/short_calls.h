// Calls that loops over single elements and short rows are made of, carried out without the general way's iteration over
// axes. Each says whether the call was of its simple kind; if not, nothing has happened.
#pragma once

#include <numjit/ops/bind.h>

namespace numjit::eager {

/// Largest array that takes a short way: beyond it threads help.
inline constexpr std::int64_t short_size = 4096;

/// Lazy arrays can't be read at all, those of a device not at once.
inline constexpr int not_plain = node::lazy | node::remote;

/// May loops run over the memory as it lies?
inline bool is_plain(const node* n) { return (n->flags & not_plain) == 0 && !numjit::detail::is_misaligned(n); }

/// Stores a number, or an array of the target's dtype, into an element or a row.
bool store_short(const op_call& call);

/// The product of two vectors of one dtype and at most a chunk of elements: the canonical sum of products, as a new 0-D
/// node; null for others.
node* product_short(const node* a, const node* b);

}  // namespace numjit::eager
