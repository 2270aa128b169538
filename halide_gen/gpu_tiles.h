// Templates whose blocks keep elements in the memory that their threads share.
#pragma once

#include <lower.h>

namespace numjit::halide_gen {

/// The spec is a stencil's: numjit/graph/stencil.h.
KernelPipeline build_gpu_stencil(const graph::KernelSpec&, const runtime::KernelVariant&,
                                 const Halide::Target&);
KernelPipeline build_gpu_join(const graph::KernelSpec&, const runtime::KernelVariant&,
                              const Halide::Target&);

}  // namespace numjit::halide_gen
