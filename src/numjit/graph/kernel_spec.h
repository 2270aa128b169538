// The fused expression that one kernel computes, free of sizes and strides: what is printed, hashed,
// cached on disk and handed to a KernelCompiler.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <numjit/array/dtype.h>
#include <numjit/ops/op.h>

namespace numjit::graph {

/// What one line of a kernel's body is.
enum class KernelNodeKind : std::uint8_t {
  operand,  // element of input array `index` at the current point of the iteration space
  scalar,   // run-time scalar argument `index`
  op,       // elementwise op row `op`, loop `loop` (index into the row's dtype loops), on `in`
  cast,     // astype of in[0] to `type`; with `index` 1 of the imaginary part of in[0]
  reduce,   // reduction row `op` of in[0] over the space's reduced axis `index` (0 = first level)
  shifted,  // of devices: value of in[0] at the point that lies shift_of() further, see stencil.h
};

/// One line of a kernel's body. Inputs always stand before the node that uses them.
struct KernelNode {
  KernelNodeKind kind;
  op_id op{};
  std::uint8_t loop = 0;
  dtype_id type;                         // dtype of the value
  std::uint16_t index = 0;               // operand, scalar, part or reduction level
  std::uint16_t in[3] = {0, 0, 0};       // indices of nodes
  friend bool operator==(const KernelNode&, const KernelNode&) = default;
};

/// A fused group of ops over one iteration space.
///
/// Without `reduce` nodes it is elementwise: every output has the extent of the iteration space.
/// With reductions, the space has `reduction_levels` (1 or 2) reduced axes, named at launch:
/// level 0 reduces reduced axis 0, level 1 (whose input may use level 0's value and operands that do
/// not vary along reduced axis 0) reduces reduced axis 1. Every output is then a node that stands
/// after the last reduction, over the axes that remain.
/// Values are computed in the canonical order of docs/numerics.md, so a spec has one answer.
struct KernelSpec {
  std::vector<dtype_id> operand_types;   // input arrays
  std::vector<dtype_id> scalar_types;
  std::vector<KernelNode> nodes;
  std::vector<std::uint16_t> outputs;    // node indices; dtype is the node's
  std::uint8_t reduction_levels = 0;
  friend bool operator==(const KernelSpec&, const KernelSpec&) = default;
};

/// Canonical text, one line a node: `%3 = add.dd->d(%0, %1)`. Ops are named by text, so that the
/// text is stable between builds; it is the disk-cache key's main part.
std::string to_text(const KernelSpec& spec);

/// Names of the ops and reductions, in order.
std::vector<std::string_view> op_names(const KernelSpec& spec);

/// 128-bit content hash of the canonical text, as 32 hex digits.
std::string content_hash(const KernelSpec& spec);

}  // namespace numjit::graph
