// The user's own functions on a thread's stack, for reports that are asked to show them all.
#pragma once

#include <string>
#include <vector>

#include <numjit/base/location.h>

namespace numjit::detail {

/// The frames of user code, the outermost first, as Python's tracebacks have them. Texts are immortal. In C++ they come from
/// the program's debug information (g++ -g): none without it.
std::vector<location> user_frames();

/// The name of the function that begins at an address, without namespaces and parameters, by the program's symbols; "" if it
/// has none.
std::string function_name_at(const void* code);

/// Who knows the frames of a language of its own (Python); null: the frames are those of C++.
extern std::vector<location> (*user_frames_provider)();

}  // namespace numjit::detail
