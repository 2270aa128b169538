// Graph files: the fused graphs that a program asked kernels for, as text. `numjit pack build` and `numjit serve` compile
// what is in them.
//
//   numjit graphs 1
//
//   schedule elementwise size class 0 inner strides 111 exact
//   operands dd
//   scalars
//   %0 = operand 0
//   ...
//   outputs %2
//
// and further graphs, each behind an empty line: the texts that kernels are filed under (key.h).
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <numjit/runtime/kernels/portable.h>

namespace numjit::runtime {

inline constexpr std::string_view kernel_list_head = "numjit graphs 1\n";
/// Bytes of the longest text of one graph, and graphs in one file.
inline constexpr std::size_t longest_graph = 64 * 1024, most_graphs = 10000;

/// The kernel that such a text asks for. Nothing in it is trusted: ValueError, also for graphs of devices.
KernelRequest request_from_text(std::string_view content);

/// The graphs of a file, without repeats. ValueError says which one is bad, counted from 1.
std::vector<KernelRequest> read_kernel_list(std::string_view text);

/// Appends a graph to the file that NUMJIT_RECORD names, if it names one and this process has not written it yet. A file
/// that can't be written is one warning.
void record_kernel(const std::string& content) noexcept;

}  // namespace numjit::runtime
