// Parameters that few pages give: the order of elements in memory, linspace's step, a mean that is known already. Part of
// the secondary module (secondary.txt).
#include <algorithm>

#include "call.h"

#include <numjit/base/error.h>

namespace numjit::js {
namespace {

/// The letter of parameter i in upper case, one of `only`.
char letter_of(Call& c, std::size_t i, std::string_view only) {
  const std::string text = c[i].as_text("order");
  const char letter = text.size() == 1 ? static_cast<char>(text[0] & ~0x20) : '\0';
  if (std::string_view("CFAK").find(letter) == std::string_view::npos)
    throw ValueError(c.name(), "order must be one of 'C', 'F', 'A', or 'K' (got '" + text + "')");
  if (only.find(letter) == std::string_view::npos) {
    if (only == "CFA") throw ValueError(c.name(), "order 'K' is not permitted for reshaping");
    throw ValueError(c.name(), "only 'C' or 'F' order is permitted");
  }
  return letter;
}

dims turned(const dims& shape) {
  dims back;
  for (int i = shape.size(); i-- > 0;) back.push_back(shape[i]);
  return back;
}

array reshaped(const array& a, const dims& shape, char order) {
  if (order == 'A') order = isfortran(a) ? 'F' : 'C';
  return order == 'C' ? reshape(a, shape) : transpose(reshape(transpose(a), turned(shape)));
}

/// Axes as they lie in memory, the outermost first.
array in_memory_order(const array& a) {
  dims axes;
  for (int i = 0; i < a.ndim(); ++i) axes.push_back(i);
  const dims strides = a.strides();
  std::stable_sort(axes.begin(), axes.end(), [&](std::int64_t i, std::int64_t j) {
    return std::abs(strides[static_cast<int>(i)]) > std::abs(strides[static_cast<int>(j)]);
  });
  return transpose(a, axes);
}

}  // namespace

char memory_order(Call& c, std::size_t i) { return letter_of(c, i, "CF"); }

array made_in_order(Call& c, std::size_t i, array (*make)(Call&, const dims&)) {
  const dims shape = c.shape(0);
  return letter_of(c, i, "CF") == 'C' ? make(c, shape) : transpose(make(c, turned(shape)));
}

array reshaped_in_order(Call& c, std::size_t i) { return reshaped(c[0].as_array(), c.shape(1), letter_of(c, i, "CFA")); }

array raveled_in_order(Call& c, std::size_t i) {
  const array a = c[0].as_array();
  const char letter = letter_of(c, i, "CFAK");
  return letter == 'K' ? ravel(in_memory_order(a)) : reshaped(a, {-1}, letter);
}

array copied_in_order(Call& c, std::size_t i, const array& a, const array& like) {
  return numjit::detail::cast_in_order(a, a.get()->type, like, letter_of(c, i, "CFAK"));
}

array laid_in_order(Call& c, std::size_t i, const array& a) {
  const char letter = letter_of(c, i, "CFAK");
  const bool lies_so = letter == 'C' ? a.is_c_contiguous() : letter == 'F' ? a.is_f_contiguous() : true;
  return lies_so ? a : copy(a, letter);
}

Result spaced_with_step(Call& c, const array& values, std::int64_t num, bool endpoint) {
  const std::int64_t count = endpoint ? num - 1 : num;
  const double none = std::numeric_limits<double>::quiet_NaN();
  const auto plain = [](const Value& v) { return v.tag == Tag::float_ || v.tag == Tag::int_ || v.tag == Tag::big_int; };
  if (plain(c[0]) && plain(c[1]))
    return give_list(values, count > 0 ? (c[1].as_number("stop") - c[0].as_number("start")) / static_cast<double>(count) : none);
  const array start = multiply(c[0], 1.0), stop = multiply(c[1], 1.0);
  return give_list(values, count > 0 ? divide(subtract(stop, start), static_cast<double>(count)) : asarray(none));
}

array spread_around(Call& c, std::size_t i, const var_options& o) {
  const array a = c[0].as_array(), far = subtract(a, c[i]);
  const array squares = a.dtype().kind() == 'c' ? real(multiply(far, conjugate(far))) : multiply(far, far);
  reduce_options sums{.axis = o.axis, .dtype = o.dtype, .keepdims = o.keepdims};
  const bool masked = !o.where.empty_handle();
  if (masked) sums.where = o.where;
  const array there = masked ? broadcast_to(o.where, a.shape()) : ones_like(a, like_options{.dtype = numjit::bool_});
  const array count = count_nonzero(there, count_options{.axis = o.axis, .keepdims = o.keepdims});
  array all = divide(sum(squares, sums), maximum(subtract(count, o.ddof), 0.0));
  const char kind = squares.dtype().kind();
  if (!o.dtype && kind != 'f') return all;
  const dtype wanted = o.dtype ? *o.dtype : squares.dtype();
  return all.dtype() == wanted ? all : all.astype(wanted, {});
}

}  // namespace numjit::js
