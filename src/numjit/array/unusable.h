// The error for lazy arrays that can't be used any more, or not here.
#pragma once

#include <string>

#include <numjit/array/node.h>

namespace numjit::detail {

/// For a lazy array that `op` can't use: its segment failed, or it is pending on another thread.
[[noreturn]] void throw_unusable(std::string op, const node* n);

}  // namespace numjit::detail
