// How a compiled kernel is called: its entry point's arguments and the buffer descriptor, laid out as
// the code generator lays them out (halide_gen checks that with static_assert).
//
// A kernel is `int name_argv(void** argv)`; it returns 0. argv holds pointers, in this order:
//
//   kernel_buffer*  one per operand of the spec
//   scalar*         one per scalar of the spec (the value in its dtype; bool is one byte, 0 or 1)
//   int32_t*        parameters of the template, see below
//   kernel_buffer*  one per output; an arg reduction in a `partial` kernel has two, value and index
//
// All `min` are 0: a caller moves `host` instead. Strides are counted in elements. Extents are read
// from the first output (operands: from nowhere); bool elements are bytes, float16 ones their bits.
// A complex array takes two places in argv, both with the same buffer, whose strides are counted in parts
// (contiguous: 2); a complex scalar takes two places with pointers to its parts.
//
//   template     operand axes   output axes   parameters   stands for
//   elementwise  x, y           x, y          -            out(x, y) = f(in(x, y)...)
//   rows         k, p, q        p, q          m            out(p, q) = reduce of f over k in [0, m)
//   panel        x, k, p, q     x, p, q       m            out(x, p, q) = reduce over k in [0, m),
//                                                          x at most panel_columns()
//   product      x, d, k, p, q  x, p, q       md, mk, nx   out(x, p, q) = reduce over k in [0, mk) of
//                                                          reduce over d in [0, md); nx: length of x,
//                                                          at most product_columns()
//
// `rows` and `panel` take 1 <= m <= 1024 (one canonical chunk). With size class `whole` they compute
// the spec's outputs; with `partial` the plain values of its reduce nodes in node order, for a chunk.
// Templates for devices have `device` in place of `host`, an address that is `host`'s counterpart:
//
//   gpu_elementwise  x, y, or x, y, z (size class: device_axis_z); the other bits choose the shape of blocks
//   gpu_rows     as rows; a block for each point, or (device_several_rows) with a second parameter, the length of p, a
//                block for 8 points along p
//   gpu_short_rows  as rows, with m <= 32; a thread for each point
//   gpu_panel    as rows, with a second parameter, the length of p; a block for 32 points along p
//   gpu_pick     winners(g, row), indices(c, row), parameter scale, out(g, row) = indices(c, row) + scale * c with
//                c = 1024 * g + winners(g, row)
//
// An output's unused axes have extent 1. The index of an arg reduction's partial value is an int32,
// counted from the chunk's start.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace numjit::runtime {

struct kernel_dim {
  std::int32_t min = 0, extent = 1, stride = 0;
  std::uint32_t flags = 0;
};

/// halide_buffer_t by another name.
struct kernel_buffer {
  std::uint64_t device = 0;
  const void* device_interface = nullptr;
  char* host = nullptr;
  std::uint64_t flags = 0;
  std::uint8_t type_code = 0, type_bits = 0;  // not read by kernels
  std::uint16_t type_lanes = 1;
  std::int32_t dimensions = 0;
  kernel_dim* dim = nullptr;
  void* padding = nullptr;
};

using kernel_entry = int (*)(void** argv);

/// Version of all that stands here: packs carry it (wasm_pack.h), since pages load them that are not built with them.
inline constexpr int kernel_abi_version = 1;

/// Symbol of the entry point in a kernel's object.
inline std::string entry_symbol(const std::string& kernel_name) { return kernel_name + "_argv"; }

/// Elements of one canonical chunk, and lanes it is summed in (docs/numerics.md).
inline constexpr std::int64_t chunk_size = 1024;
inline constexpr int chunk_lanes = 32;

/// Columns of one tile of the `panel` template: 256 bytes of the widest value that is reduced.
inline constexpr std::int64_t panel_columns(std::int64_t widest_value_bytes) { return 256 / widest_value_bytes; }

/// Elements of one vector of the `product` template, for the widest dtype among the spec's nodes.
inline constexpr std::int64_t product_columns(std::size_t widest_bytes) { return static_cast<std::int64_t>(64 / widest_bytes); }

/// Inner stride classes that only `product` has: operands that vary along x (strided; contiguous) and
/// stand still along k.
enum : std::uint8_t { stride_class_staged = 3, stride_class_staged_contiguous = 4 };

/// Inner stride classes of inputs that only `elementwise` has: one channel of pictures of three and four. Vectors of them
/// are loaded whole and shuffled.
enum : std::uint8_t { stride_class_of_three = 5, stride_class_of_four = 6 };

/// Bits of KernelVariant::size_class of `gpu_elementwise`: there is a third axis; and of the last three at most one: the
/// first axis is short; there are many points, of rows that fill a block, or of rows of which a block takes several.
enum : std::uint32_t { device_axis_z = 1, device_narrow = 2, device_long = 4, device_rows = 8 };

/// KernelVariant::size_class of `rows` and `panel`, also of those for devices.
enum : std::uint32_t { size_class_whole = 0, size_class_partial = 1 };
/// Further bits of `gpu_rows`: blocks take several rows. Of `gpu_short_rows`: they do along the second axis as well; and
/// the most elements of a row, a power of two, times this unit.
enum : std::uint32_t { device_several_rows = 2, device_short_columns = 2, device_row_unit = 4 };
/// Rows of a block of `gpu_rows` that takes several, and elements of a row of `gpu_short_rows` at most.
inline constexpr int device_rows_of_block = 8, device_short_row = 32;

}  // namespace numjit::runtime
