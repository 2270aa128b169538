// Starting other programs: the linker, graphviz, numjit itself.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace numjit::detail {

/// Path of a program in an absolute folder of PATH, or nullopt.
std::optional<std::string> find_program(std::string_view name);

/// Runs a program and waits for it; `output` gets what it writes to stdout and stderr. `environment`
/// entries ("NAME=value") are added to this process's. Returns its exit status, 128 + n for signal n, -1
/// if that is unknown (the program ignores SIGCHLD). OSError if it can't be started.
int run_program(const std::vector<std::string>& command, std::string* output,
                const std::vector<std::string>& environment = {});

}  // namespace numjit::detail
