#!/usr/bin/env bash
# One run on a GPU that is lent for minutes: the layer's tests on the real driver, then the bench.
#
#   tests/bench/gpu.sh pack DIR   on a machine with the build: libraries, programs and kernels that are made ahead
#                                 over the recording driver (no GPU needed); a folder of some 10 MB to carry there
#   tests/bench/gpu.sh run DIR    on the machine with the GPU: needs nothing but what pack left, and the driver
#   tests/bench/gpu.sh here [DEVICE] [MB]   the bench on a device of this machine ("opencl" runs on pocl)
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
build=${NUMJIT_BUILD_DIR:-$root/build}

pack() {
  local to=$1 library
  mkdir -p "$to/lib" "$to/kernels"
  cp -L "$build"/lib/libnumjit.so.0 "$build"/lib/numjit_halide.so "$build"/lib/numjit_kernel_*.o "$to/lib/"
  cp "$build/bin/bench/gpu" "$0" "$to/"
  # What libnumjit needs beyond the C library, as the other machine may be bare.
  ldd "$build/lib/libnumjit.so.0" | awk '/=> \//{print $3}' | grep -vE '/(libc|libm|libdl|libpthread|librt)\.so' |
    while read -r library; do cp -L "$library" "$to/lib/"; done
  # The recording driver calls itself sm_90: kernels are made for it, put into the cache, and found again there.
  NUMJIT_CUDA_DRIVER=$build/bin/tests/libfake_cuda.so NUMJIT_CACHE_DIR=$to/kernels "$build/bin/bench/gpu" cuda 8 >/dev/null
  strip --strip-unneeded "$to"/lib/*.so* 2>/dev/null || true
  du -sh "$to"
}

run() {
  local from=$1
  nvidia-smi --query-gpu=name,driver_version,memory.total --format=csv,noheader || true
  LD_LIBRARY_PATH=$from/lib NUMJIT_CACHE_DIR=$from/kernels "$from/gpu" cuda "${2:-1024}"
}

case "${1:-}" in
  pack) pack "${2:?where to?}" ;;
  run) run "${2:?from where?}" "${3:-}" ;;
  here) "$build/bin/bench/gpu" "${2:-cuda}" "${3:-256}" ;;
  *) sed -n '2,9p' "$0" >&2; exit 2 ;;
esac
