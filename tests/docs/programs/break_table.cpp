// Prints the rows of breaks.def, one a line with tabs between: id, title, explanation, hint.
#include <cstdio>

int main() {
#define BREAK(name, id, title, explanation, hint) \
  std::printf("%s\t%s\t%s\t%s\n", id, title, explanation, hint);
#include <numjit/trace/state/breaks.def>
#undef BREAK
}
