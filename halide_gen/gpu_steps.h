// Templates of operations that are steps by themselves on devices: see runtime/kernels/device_abi.h.
#pragma once

#include <lower.h>

namespace numjit::halide_gen {

KernelPipeline build_gpu_scan(const graph::KernelSpec&, const runtime::KernelVariant&,
                              const Halide::Target&);
KernelPipeline build_gpu_take(const graph::KernelSpec&, const runtime::KernelVariant&,
                              const Halide::Target&);
KernelPipeline build_gpu_numbers(const graph::KernelSpec&, const runtime::KernelVariant&,
                                 const Halide::Target&);
KernelPipeline build_gpu_philox(const graph::KernelSpec&, const runtime::KernelVariant&,
                                const Halide::Target&);
KernelPipeline build_gpu_places(const graph::KernelSpec&, const runtime::KernelVariant&,
                                const Halide::Target&);

KernelPipeline build_gpu_merge(const graph::KernelSpec&, const runtime::KernelVariant&,
                               const Halide::Target&);
KernelPipeline build_gpu_put(const graph::KernelSpec&, const runtime::KernelVariant&,
                             const Halide::Target&);
KernelPipeline build_gpu_search(const graph::KernelSpec&, const runtime::KernelVariant&,
                                const Halide::Target&);
KernelPipeline build_gpu_bins(const graph::KernelSpec&, const runtime::KernelVariant&,
                              const Halide::Target&);

}  // namespace numjit::halide_gen
