// Shapes: text, element counts, strides, broadcasting, axis numbers.
#include <numjit/array/dims.h>

namespace numjit {
namespace {

std::string shape_text(const dims& shape, const char* separator) {
  std::string text = "(";
  for (int i = 0; i < shape.size(); ++i) {
    if (i) text += separator;
    text += std::to_string(shape[i]);
  }
  if (shape.size() == 1) text += ',';
  return text + ')';
}

[[noreturn, gnu::cold]] void throw_not_broadcastable(std::string_view op,
                                                     std::span<const dims> shapes) {
  std::string text = "operands could not be broadcast together with shapes";
  for (const dims& shape : shapes) text += ' ' + shape_text(shape, ",");
  throw ValueError(std::string(op), text);
}

}  // namespace

std::string dims::str() const { return shape_text(*this, ", "); }
std::string dims::compact_str() const { return shape_text(*this, ","); }

void throw_array_too_big() {
  throw ValueError("", "array is too big; `arr.size * arr.dtype.itemsize` is larger than the "
                       "maximum possible size.");
}

std::int64_t element_count(const dims& shape) {
  // NumPy refuses a product beyond int64 even where another axis is 0.
  std::int64_t product = 1;
  bool empty = false;
  for (std::int64_t extent : shape) {
    if (extent < 0) throw ValueError("", "negative dimensions are not allowed");
    if (extent == 0)
      empty = true;
    else if (__builtin_mul_overflow(product, extent, &product))
      throw_array_too_big();
  }
  return empty ? 0 : product;
}

dims contiguous_strides(const dims& shape, std::int64_t itemsize) {
  dims strides;
  strides.resize(shape.size());
  // NumPy gives an array without elements zero strides.
  for (std::int64_t extent : shape)
    if (extent == 0) return strides;
  std::int64_t step = itemsize;
  for (int i = shape.size() - 1; i >= 0; --i) {
    strides[i] = step;
    if (__builtin_mul_overflow(step, shape[i], &step))
      throw_array_too_big();
  }
  return strides;
}

dims broadcast_shapes(std::string_view op, std::span<const dims> shapes) {
  dims result;
  for (const dims& shape : shapes)
    if (shape.size() > result.size()) result.resize(shape.size());
  for (int i = 0; i < result.size(); ++i) result[i] = 1;
  for (const dims& shape : shapes) {
    int shift = result.size() - shape.size();
    for (int i = 0; i < shape.size(); ++i) {
      std::int64_t& extent = result[i + shift];
      if (shape[i] == extent || shape[i] == 1) continue;
      if (extent != 1) throw_not_broadcastable(op, shapes);
      extent = shape[i];
    }
  }
  return result;
}

int normalize_axis(std::string_view op, std::int64_t axis, int rank) {
  if (axis < -rank || axis >= rank) [[unlikely]]
    throw AxisError(std::string(op), "axis " + std::to_string(axis) +
                                         " is out of bounds for array of dimension " +
                                         std::to_string(rank));
  return static_cast<int>(axis < 0 ? axis + rank : axis);
}

}  // namespace numjit
