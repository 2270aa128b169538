// What readers of archives, streams and mapped files need to know of .npy files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include <numjit/np_creation.h>

namespace numjit::detail {

/// Bytes that a .npy file has by its first `size` ones: of the header, if that is not complete yet (at least 12
/// bytes are needed, or all), else of the whole file. Errors as those of load().
std::size_t npy_size(const char* data, std::size_t size, const std::string& name);

/// The header of a .npy file, and the array whose memory comes behind it as it lies.
struct npy_parts {
  std::string header;
  array stored;
};
npy_parts npy_parts_of(const operand& a);

/// What a .npy file says of itself.
struct npy_layout {
  dtype type;
  bool big_endian = false, fortran_order = false;
  dims shape;
  std::int64_t count = 0;
  std::size_t begin = 0, bytes = 0;  // of the elements
};
/// By the first bytes of the file, the header among them. Errors as those of load().
npy_layout npy_layout_of(const char* data, std::size_t size, const std::string& name);

/// What stands before the elements, as NumPy writes it.
std::string npy_header(dtype type, bool fortran, const dims& shape);

}  // namespace numjit::detail
