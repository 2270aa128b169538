// CUDA graphs: compiled calls that come again are given to the device in one piece.
#pragma once

#include <cstdint>

namespace numjit::cuda {

/// A compiled call whose arrays lie on a device, and that comes again with the same ones (results go to a few places in
/// turn, which counts as the same), is launched as it was the last time: by one call of the CUDA driver (a graph) where
/// it has several kernels, kernel by kernel on devices that have no graphs. What is computed does not change. The same as
/// assigning config().cuda_graphs; a config_scope sets it for one thread, NUMJIT_CUDA_GRAPHS=0 at start.
///   np::cuda::use_graphs(false);   // each kernel by itself, to see what graphs bring
void use_graphs(bool on);
bool uses_graphs();

/// What became of it since start.
struct graph_counts {
  std::int64_t kept = 0;      // calls whose launches were kept, to be repeated
  std::int64_t repeated = 0;  // calls that were repetitions
  std::int64_t launched = 0;  // those of them that were graphs of CUDA
  std::int64_t refused = 0;   // graphs that the driver refused: their kernels are launched one by one
};
graph_counts count_graphs();

}  // namespace numjit::cuda
