// Parameters that few pages give: the order of elements in memory, linspace's step. Part of the secondary module (secondary.txt).
#include <limits>

#include "call.h"

#include <numjit/base/error.h>

namespace numjit::js {
namespace {

/// The letter of parameter i in upper case, one of `only`.
char letter_of(Call& c, int i, std::string_view only) {
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

}  // namespace

char memory_order(Call& c, int i) { return letter_of(c, i, "CF"); }
char any_order(Call& c, int i) { return letter_of(c, i, "CFAK"); }

array made_in_order(Call& c, int i, array (*make)(Call&, const dims&)) {
  const dims shape = c.shape(0);
  return letter_of(c, i, "CF") == 'C' ? make(c, shape) : transpose(make(c, turned(shape)));
}

array reshaped_with_options(Call& c) {
  reshape_options o;
  if (c.has(2)) o.order = letter_of(c, 2, "CFA");
  if (c.has(3)) o.copy = c.flag(3);
  return reshape(c[0], c.shape(1), o);
}

array raveled_in_order(Call& c, int i) { return ravel(c[0], {.order = any_order(c, i)}); }

array copied_in_order(Call& c, int i, const array& a, const array& like) {
  return numjit::detail::cast_in_order(a, a.get()->type, like, any_order(c, i));
}

array laid_in_order(Call& c, int i, const array& a) {
  const char letter = any_order(c, i);
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

}  // namespace numjit::js
