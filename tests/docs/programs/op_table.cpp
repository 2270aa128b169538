// Prints the op table, one op a line with tabs between: name, kind, aliases, dtypes, doc, example.
#include <cstdio>
#include <string>

#include <numjit/ops/op.h>

int main() {
  using namespace numjit;
  const char* kinds[] = {"ufunc",    "reduction", "reduction to an index", "scan", "view",
                         "creation", "gather",    "store",                 "opaque"};
  for (int i = 0; i < op_count; ++i) {
    const op_info& op = info(static_cast<op_id>(i));
    std::string aliases;
    for (const op_alias& alias : op_aliases())
      if (alias.op == static_cast<op_id>(i)) aliases += (aliases.empty() ? "" : " ") + std::string(alias.name);
    std::printf("%s\t%s\t%s\t%s\t%s\t%s\n", std::string(op.name).c_str(), kinds[static_cast<int>(op.kind)],
                aliases.c_str(), std::string(op.loops_text).c_str(), std::string(op.doc).c_str(),
                std::string(op.example).c_str());
  }
}
