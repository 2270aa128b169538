// Prints where each operation of the op table is computed on a device, one a line with a tab between.
#include <cstdio>
#include <string>

#include <numjit/runtime/gpu/ops/ops.h>

int main() {
  using namespace numjit;
  const char* forms[] = {"view", "kernel", "step", "library", "host"};
  for (int i = 0; i < op_count; ++i) {
    const op_info& op = info(static_cast<op_id>(i));
    std::printf("%s\t%s\n", std::string(op.name).c_str(),
                forms[static_cast<int>(runtime::detail::device_form_of(static_cast<op_id>(i)))]);
  }
}
