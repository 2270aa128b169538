// What the subcommands do. Each prints to stdout and returns the exit status.
#pragma once

#include <string>
#include <vector>

namespace numjit::cli {

/// `folder` is the cache folder, "" for the configured one. ValueError if the cache is off.
int cache_list(const std::string& folder, bool verbose);
int cache_stats(const std::string& folder);
int cache_verify(const std::string& folder);
int cache_prune(const std::string& folder, const std::string& limit);
int cache_clear(const std::string& folder);

struct run_options {
  std::string bundle;
  std::vector<std::string> inputs;   // .npy files
  std::vector<std::string> outputs;  // one each, or one with {} for the number; none: printed
  std::string changed;               // where arguments that the function changes go, {} for the number
};
/// 1 if the function refuses these inputs, which stderr explains. Throws for files that can't be used.
int run_bundle(const run_options& options);
/// Prints arguments, graphs and reads of a bundle.
int explain_bundle(const std::string& bundle);

int doctor();

/// Compiles the graphs of graph files and packs into a pack for a build of the WebAssembly module. 1 if some graph has no
/// kernel, which stderr says; the others are packed.
int pack_build(const std::vector<std::string>& inputs, const std::string& output, const std::string& target);
/// Prints what a pack holds.
int pack_list(const std::string& path);

struct serve_options {
  std::string folder = ".";
  std::string pack;  // "": kernels.TARGET.wasm in the folder
  std::string target = "simd";
  int port = 8080;  // 0: any
};
/// Serves a folder to pages on this machine, and kernels for the graphs they send, until a signal ends it. Throws what
/// keeps it from beginning.
int serve(serve_options options);

/// Becomes a program, with NUMJIT_REPORT=folder, which is made. Throws what keeps it from beginning.
void report(const std::string& folder, std::vector<std::string> command);

/// Runs a repro up to `layer` ("": the one it blames), each in a child process. 1 if the fault shows, else 0;
/// ValueError for a file that is none. With `minifies`, a smaller one is written to `output`.
int repro(const std::string& path, const std::string& layer, bool minifies, const std::string& output);

}  // namespace numjit::cli
