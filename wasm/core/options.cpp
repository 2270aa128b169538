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

}  // namespace

char memory_order(Call& c, int i) { return letter_of(c, i, "CF"); }
char any_order(Call& c, int i) { return letter_of(c, i, "CFAK"); }

void place_filled(Call& c, int i, char& order, std::optional<std::string>& device) {
  if (c.has(i)) order = memory_order(c, i);
  if (c.has(i + 1)) device = c.word(i + 1, "");
}
void place_like(Call& c, int i, like_options& o) {
  if (c.has(i)) o.order = any_order(c, i);
  if (c.has(i + 2)) o.shape = c.shape(i + 2);
  if (c.has(i + 3)) o.device = c.word(i + 3, "");
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

Result spaced_with_step(Call& c, std::int64_t num, const linspace_options& o) {
  const operand start = c[0], stop = c[1];
  linspace_result made = linspace_retstep(start, stop, num, o);
  if (start.is_array() || stop.is_array()) return give_list(std::move(made.samples), std::move(made.step));
  return give_list(std::move(made.samples), numjit::detail::single_element(made.step, {}));
}

}  // namespace numjit::js
