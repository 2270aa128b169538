#!/usr/bin/env bash
# One run on a GPU that is lent for minutes: tests of devices on the real driver, then the bench beside CuPy, JAX and
# torch.compile.
#
#   tests/bench/gpu.sh pack DIR [bench]   on a machine with the build: libraries, programs, kernels made ahead over the
#                                 recording driver (no GPU needed), Halide and the tests (not with "bench"): DIR travels
#   DIR/gpu.sh run DIR [MB] [DEVICE]   on the machine with the GPU: needs the driver and what pack left; MB a bench array (1024)
#   tests/bench/gpu.sh here [DEVICE] [MB]   the bench on a device of this machine ("opencl" runs on pocl)
#
# All of run ends within ten minutes. PYTHON is the Python whose CuPy, JAX and torch are measured; GPU_TESTS a filter
# of tests; OUT a folder for the results.
set -euo pipefail
own=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$own/../.." && pwd)
build=${NUMJIT_BUILD_DIR:-$root/build}
python=${PYTHON:-python3}
default_tests='OpenCl*:Library*:DevicesMap.the_bits*:DevicesMap.common*:DevicesMap.large*'
most_mib=64  # of what is carried to another machine

fail() {
  echo "gpu.sh: $*" >&2
  exit 2
}

# ---- pack ----

# What programs and libraries need beyond the C library; the compiler's own libraries go to a folder of their own, as
# another machine may have newer ones.
copy_needed() {
  local to=$1 library
  shift
  ldd "$@" | awk '/=> \//{print $3}' | sort -u | grep -vE '/(libc|libm|libdl|libpthread|librt|ld-linux[^/]*)\.so|libnumjit|libHalide' |
    while read -r library; do
      case "$library" in
        */libstdc++.so* | */libgcc_s.so*) cp -L "$library" "$to/compiler/" ;;
        *) cp -L "$library" "$to/" ;;
      esac
    done
}

need_built() {
  local file
  for file in "$@"; do [ -e "$file" ] || fail "$file is not built: ./dev build, or ninja -C build $(basename "$file")"; done
}

pack() {
  local to=$1 kind=${2:-tests} stage halide size tracked
  local programs=("$build/bin/bench/gpu" "$build/bin/numjit")
  case "$kind" in tests | bench) ;; *) fail "pack $to: got $kind, expected bench or nothing" ;; esac
  [ "$kind" = bench ] || programs+=("$build/bin/tests/test_device")
  need_built "${programs[@]}" "$build/lib/numjit_halide.so" "$build/bin/tests/libfake_cuda.so"
  mkdir -p "$to"
  stage=$(mktemp -d "$to/stage.XXXXXX")
  trap "rm -rf '$stage'" EXIT
  mkdir -p "$stage/lib/compiler" "$stage/kernels" "$stage/bin"
  cp -L "$build"/lib/libnumjit.so.0 "$build"/lib/numjit_halide.so "$build"/lib/numjit_kernel_*.o "$stage/lib/"
  cp "${programs[@]}" "$stage/bin/"
  cp "$own/gpu.sh" "$own/gpu_peers.py" "$own/gpu_report.py" "$to/"
  copy_needed "$stage/lib" "${programs[@]}" "$build/lib/libnumjit.so.0"
  # Before kernels are made: a kernel is found again by the bytes of the compiler that made it.
  find "$stage/lib" "$stage/bin" -type f ! -name '*.o' -exec strip --strip-unneeded {} +
  halide=$(ldd "$build/lib/numjit_halide.so" | awk '/libHalide/{print $3}')
  # The recording driver calls itself sm_90: kernels are made for it, put into the cache, and found again there.
  LD_LIBRARY_PATH=$stage/lib:$(dirname "$halide") NUMJIT_CUDA_DRIVER=$build/bin/tests/libfake_cuda.so \
    NUMJIT_CUDA_LIBRARIES=$build/bin/tests/cuda_libraries NUMJIT_CACHE_DIR=$stage/kernels "$stage/bin/gpu" cuda 8 >/dev/null
  [ "$kind" = bench ] || cp -L "$halide" "$stage/lib/"
  # Calls and jumps as addresses, not distances: a sixteenth less of what is nearly all code. Together with the files of
  # a checkout it has to stay below the limit as well.
  tar -C "$stage" -c . | xz -T0 --x86 --lzma2=preset="${XZ_LEVEL:-6}",dict=128MiB >"$to/pack.tar.xz"
  size=$(du -m "$to/pack.tar.xz" | cut -f1)
  tracked=$(git -C "$root" ls-files -z 2>/dev/null | (cd "$root" && du --files0-from=- -cb 2>/dev/null) | tail -n 1 | cut -f1 || true)
  echo "$to: $size MiB; the checkout's own files, which may travel as well, $((${tracked:-0} / 1048576)) MiB"
  [ "$((size + ${tracked:-0} / 1048576))" -lt "$most_mib" ] || echo "together they are beyond $most_mib MiB: XZ_LEVEL=9 makes the pack smaller; or let the checkout's files not travel"
  [ "$size" -le "$most_mib" ] || fail "$to has $size MiB, more than the $most_mib MiB that travel: pack it with 'bench'"
}

# ---- run ----

# Folders of cuBLAS and the others, which wheels spread: links to all of them in one folder.
link_cuda_libraries() {
  local to=$1 folder file
  mkdir -p "$to"
  {
    "$python" -c 'import site, sys; print(*site.getsitepackages(), *sys.path, sep="\n")' 2>/dev/null | sed 's|$|/nvidia|'
    printf '%s\n' "${CUDA_HOME:-/usr/local/cuda}"
  } | sort -u | while read -r folder; do
    [ -d "$folder" ] || continue
    find -L "$folder" -maxdepth 5 -regex '.*/lib\(cublas\|cublasLt\|cufft\|cusolver\|cusparse\|nvJitLink\)\.so\.[0-9]+' 2>/dev/null
  done | while read -r file; do [ -e "$to/$(basename "$file")" ] || ln -s "$file" "$to/"; done
  [ -n "$(ls "$to")" ]
}

# Tests of devices, side by side; the log has all of them. Status 1 if one fails.
run_tests() {
  local at=$1 device=$2 log=$3 shards=${GPU_SHARDS:-} i failed=0
  [ -n "$shards" ] || { shards=$(nproc); [ "$shards" -le 16 ] || shards=16; }
  local pids=()
  for ((i = 0; i < shards; ++i)); do
    GTEST_TOTAL_SHARDS=$shards GTEST_SHARD_INDEX=$i TEST_DEVICE=$device NUMJIT_BUILD_DIR=$at NUMJIT_CACHE_DIR=$at/cache.$i \
      timeout "${GPU_TESTS_SECONDS:-240}" "$at/bin/test_device" --gtest_brief=1 --gtest_filter="${GPU_TESTS:-$default_tests}" >"$log.$i" 2>&1 &
    pids+=($!)
  done
  for i in "${!pids[@]}"; do
    local status=0
    wait "${pids[$i]}" || status=$?
    [ "$status" = 0 ] || { failed=1; echo "(tests $i: exit status $status)" >>"$log.$i"; }
    cat "$log.$i"
    rm "$log.$i"
  done >"$log"
  grep -E '^\[  FAILED  \]|exit status|Failure' "$log" | sort | uniq -c | head -40 || true
  awk '/ tests ran\./{ran += $2} / test ran\./{ran += 1} /^\[  PASSED  \]/{passed += $4} /^\[  SKIPPED \]/{skipped += $4}
       END{printf "tests on the device: %d passed, %d skipped\n", passed, skipped; exit passed == 0}' "$log" || failed=1
  return "$failed"
}

unpack() {
  command -v xz "$python" >/dev/null || fail "neither xz nor $python is here to unpack $1: PYTHON names another one"
  if command -v xz >/dev/null; then
    xz -dc "$1"
  else
    "$python" -c 'import lzma, shutil, sys; shutil.copyfileobj(lzma.open(sys.argv[1]), sys.stdout.buffer)' "$1"
  fi | tar -C "$2" -x --no-same-owner
}

run() {
  local from=$1 mb=${2:-1024} device=${3:-cuda} out work status=0
  [ -e "$from/pack.tar.xz" ] || fail "$from has no pack.tar.xz: gpu.sh pack makes it"
  from=$(cd "$from" && pwd)
  out=${OUT:-$from/results}
  mkdir -p "$out"
  work=$(mktemp -d)
  trap "rm -rf '$work'" EXIT
  unpack "$from/pack.tar.xz" "$work"
  export LD_LIBRARY_PATH=$work/lib:$work/cuda
  # The compiler's libraries of this machine, unless there are none or they are too old.
  "$work/bin/numjit" --help >/dev/null 2>&1 || LD_LIBRARY_PATH=$LD_LIBRARY_PATH:$work/lib/compiler
  command -v ld ld.bfd ld.gold ld.lld >/dev/null || echo "no linker (ld) is here: kernels that pack did not make are the host's"
  if [ "$device" = cuda ]; then
    nvidia-smi --query-gpu=name,driver_version,memory.total --format=csv,noheader 2>&1 || echo "nvidia-smi: missing"
    if [ -z "${NUMJIT_CUDA_LIBRARIES:-}" ]; then
      if link_cuda_libraries "$work/cuda"; then export NUMJIT_CUDA_LIBRARIES=$work/cuda
      else echo "cuBLAS, cuFFT, cuSOLVER: not found in $python's packages nor in ${CUDA_HOME:-/usr/local/cuda}"; fi
    fi
  fi
  "$work/bin/numjit" doctor >"$out/doctor.txt" 2>&1 || true

  if [ -e "$work/bin/test_device" ]; then
    run_tests "$work" "$device" "$out/tests.log" || status=1
  else
    echo "tests on the device: not packed"
  fi
  NUMJIT_CACHE_DIR=$work/kernels timeout 120 "$work/bin/gpu" "$device" "$mb" | tee "$out/bench.jsonl" || status=1
  # Their libraries are their own.
  env -u LD_LIBRARY_PATH timeout "${GPU_PEERS_SECONDS:-180}" "$python" "$from/gpu_peers.py" "$mb" ${GPU_PEERS:-} | tee -a "$out/bench.jsonl" || status=1
  "$python" "$from/gpu_report.py" "$out/bench.jsonl" | tee "$out/report.md" || status=1
  return "$status"
}

case "${1:-}" in
  pack) pack "${2:?where to?}" "${3:-}" ;;
  run) run "${2:?from where?}" "${3:-}" "${4:-}" ;;
  here)
    need_built "$build/bin/bench/gpu"
    "$build/bin/bench/gpu" "${2:-cuda}" "${3:-256}"
    ;;
  *)
    sed -n '2,11p' "$0" >&2
    exit 2
    ;;
esac
