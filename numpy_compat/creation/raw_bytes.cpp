// Arrays of raw bytes, in memory and in files.
#include <algorithm>
#include <cstring>

#include <numjit/base/file.h>

#include <numjit/npy.h>
#include <surface.h>

namespace numjit {

std::string tobytes(const operand& a) {
  const array x = detail::readable(a, "tobytes");
  return {detail::data_of<const char>(x), static_cast<std::size_t>(x.nbytes())};
}

array frombuffer(std::string_view bytes, numjit::dtype type, std::int64_t count, std::int64_t offset) {
  const auto size = static_cast<std::int64_t>(bytes.size()), item = static_cast<std::int64_t>(type.itemsize());
  if (offset < 0 || offset > size)
    throw ValueError("frombuffer",
                     "offset must be non-negative and no greater than buffer length (" + std::to_string(size) + ")");
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

std::string array::tobytes(call_site where) const { return numjit::tobytes(detail::at(*this, where)); }
std::string array::tobytes(const order_options& o, location where) const {
  const location_scope scope(where);
  return numjit::tobytes(numjit::ravel(*this, o));
}
void array::tofile(const std::string& path, location where) const { numjit::tofile(detail::at(*this, where), path); }

array array::view(numjit::dtype as, location where) const {
  node* n = detail::concrete(get(), "view", where);
  const auto from = static_cast<std::int64_t>(itemsize()), to = static_cast<std::int64_t>(as.itemsize());
  dims shape = this->shape(), strides = this->strides();
  if (from != to) {
    if (shape.empty())
      throw ValueError("view", "Changing the dtype of a 0d array is only supported if the itemsize is unchanged");
    const int last = shape.size() - 1;
    if (strides[last] != from && shape[last] != 1 && size() > 0)
      throw ValueError("view", "To change to a dtype of a different size, the last axis must be contiguous");
    if (shape[last] * from % to != 0)
      throw ValueError("view",
                       "When changing to a larger dtype, its size must be a divisor of the total size in bytes of "
                       "the last axis of the array.");
    shape[last] = shape[last] * from / to;
    strides[last] = to;
  }
  array made = adopt(detail::new_view(n, as.id(), shape.size(), shape.data(), strides.data(), 0));
  detail::tell_view(n, made.get(), where);
  return made;
}

array array::byteswap(const byteswap_options& o, location where) const {
  const location_scope scope(where);
  const array turned = byteswap();
  if (!o.inplace) return turned;
  fill(turned);
  return *this;
}

array array::byteswap(call_site where) const {
  array out = copy(where);
  detail::concrete(out.get(), "byteswap", where);
  const std::size_t part = itemsize() / (dtype().kind() == 'c' ? 2 : 1);  // of complex numbers each part
  char* data = out.get()->data;
  for (std::int64_t at = 0; at < out.nbytes(); at += static_cast<std::int64_t>(part)) std::reverse(data + at, data + at + part);
  return out;
}

void array::setflags(bool write) const {
  node* n = detail::concrete(get(), "setflags", {});
  const node* owner = detail::storage_owner(n);
  if (write && owner != n && owner->is(node::readonly))
    throw ValueError("setflags", "cannot set WRITEABLE flag to True of this array");
  if (write)
    n->flags &= ~node::readonly;
  else
    n->flags |= node::readonly;
}

}  // namespace numjit
