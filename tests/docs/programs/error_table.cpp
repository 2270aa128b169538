// Prints the rows of errors.def, one a line with tabs between: class, base, code(), meaning, hint. Classes and
// bases are those of error.h, or this does not compile.
#include <concepts>
#include <cstdio>
#include <string>
#include <type_traits>

#include <numjit/base/error.h>

namespace np = numjit;

// Graph breaks bring the id of their row as code.
template <class E>
std::string code_of() {
  if constexpr (std::is_constructible_v<E, std::string, std::string>)
    return "`" + E("", "").code() + "`";
  else
    return "the id of the break, such as `NJ0001`";
}

int main() {
#define ERROR(Name, Base, meaning, hint)             \
  static_assert(std::derived_from<np::Name, np::Base>); \
  std::printf("%s\t%s\t%s\t%s\t%s\n", #Name, #Base, code_of<np::Name>().c_str(), meaning, hint);
#include <numjit/base/errors.def>
#undef ERROR
}
