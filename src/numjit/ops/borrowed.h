// Operands made of nodes, for calls that carry on what another call or a graph holds.
#pragma once

#include <numjit/array/array.h>
#include <numjit/array/operand.h>

namespace numjit {

/// An operand that borrows a node, without counting a reference: whoever calls holds it as long.
inline operand borrowed(node* n, const location& where = location::here()) {
  array handle = array::adopt(n);
  const operand o(handle, where.file, where.function, where.line);
  handle.release_node();
  return o;
}

}  // namespace numjit
