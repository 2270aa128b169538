// What readers of archives need to know of .npy files. Not a public header.
#pragma once

#include <cstddef>
#include <string>

namespace numjit::detail {

/// Bytes that a .npy file has by its first `size` ones: of the header, if that is not complete yet (at least 12
/// bytes are needed, or all), else of the whole file. Errors as those of load().
std::size_t npy_size(const char* data, std::size_t size, const std::string& name);

}  // namespace numjit::detail
