// Graphs from files and packs, compiled by several threads: what numjit pack and numjit serve share.
#pragma once

#include <span>
#include <string>
#include <vector>

#include <numjit/runtime/bundle/wasm_pack.h>

namespace numjit::cli {

/// The graphs of a graph file or of a pack. OSError if it can't be read, ValueError for a bad graph, with the path.
std::vector<runtime::KernelRequest> graphs_in(const std::string& path);

/// What the pack at `path` says of itself. OSError.
runtime::PackDescription describe_pack(const std::string& path);

/// One line for people: "nj_3f2a5b... elementwise: add multiply".
std::string graph_line(const runtime::KernelRequest& request);

struct CompiledGraphs {
  std::vector<runtime::PackedKernel> kernels;
  std::vector<std::string> failures;  // a line each: the graph, and why it has no kernel
};
/// Compiles for a build of the module ("simd", "scalar"), on all cores. CompileError without a code generator.
CompiledGraphs compile_graphs(const std::vector<runtime::KernelRequest>& requests, const std::string& build);

/// Writes a pack in place of what is at `path`. OSError.
void write_pack(const std::string& path, std::span<const char> pack);

}  // namespace numjit::cli
