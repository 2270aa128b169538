// Arrays of raw bytes, in memory and in files.
#include <algorithm>
#include <cstring>

#include <numjit/base/file.h>

#include "npy.h"
#include "surface.h"

namespace numjit {

std::string tobytes(const operand& a) {
  const array x = detail::readable(a, "tobytes");
  return {detail::data_of<const char>(x), static_cast<std::size_t>(x.nbytes())};
}

array frombuffer(std::string_view bytes, numjit::dtype type, std::int64_t count, std::int64_t offset) {
  const auto size = static_cast<std::int64_t>(bytes.size()), item = static_cast<std::int64_t>(type.itemsize());
  if (offset < 0 || offset > size)
    throw ValueError("frombuffer", "offset must be non-negative and no greater than buffer length (" +
                                       std::to_string(size) + ")");
  if (count < 0) {
    if ((size - offset) % item != 0) throw ValueError("frombuffer", "buffer size must be a multiple of element size");
    count = (size - offset) / item;
  }
  if (count > (size - offset) / item) throw ValueError("frombuffer", "buffer is smaller than requested size");
  array out = detail::fresh(type.id(), {count});
  if (count > 0) std::memcpy(out.get()->data, bytes.data() + offset, static_cast<std::size_t>(count * item));
  if (type == bool_)  // any byte but 0 is true
    for (std::int64_t i = 0; i < count; ++i) out.get()->data[i] = out.get()->data[i] != 0;
  return out;
}

void tofile(const operand& a, const std::string& path) {
  const std::string bytes = tobytes(a);
  if (const int code = detail::replace_file(path, detail::temporary_beside(path), bytes, 0666))
    throw OSError("tofile", detail::system_error_text(code, path));
}

array fromfile(const std::string& path, numjit::dtype type, std::int64_t count, std::int64_t offset) {
  const auto item = static_cast<std::int64_t>(type.itemsize());
  const std::size_t wanted = count < 0 ? std::string::npos : static_cast<std::size_t>(count * item);
  std::string bytes;
  if (const int code = detail::read_file(path, bytes, offset, wanted))
    throw OSError("fromfile", detail::system_error_text(code, path));
  // What is left of an element at the end is not read, as in NumPy.
  const auto whole = static_cast<std::int64_t>(bytes.size()) / item;
  return frombuffer(bytes, type, whole);
}

}  // namespace numjit
