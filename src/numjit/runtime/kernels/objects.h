// What a kernel is made of before it is put into memory: object code, and the objects beside the library that it calls.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace numjit::runtime {

/// `object` and numjit_kernel_rt.o (where it lies beside the library); kernels for a device with
/// numjit_kernel_device_rt.o as well, those that call its functions with numjit_kernel_math_rt.o. In one piece, as the disk
/// cache and bundles hold them.
std::vector<char> pack_kernel_objects(const std::vector<char>& object, bool for_device = false);

/// Is it such a piece, and not a shared object?
bool is_packed_objects(std::span<const char> bytes) noexcept;

/// The objects of a piece, which may come from anywhere. CompileError if it is damaged.
std::vector<std::span<const char>> unpack_objects(std::span<const char> packed);

}  // namespace numjit::runtime
