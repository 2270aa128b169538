# ./dev doctor: one line per thing the project can use: what is there, or what is missing and the fix.
# Installs nothing, needs nothing, and ends with status 0: a machine without a GPU is normal.

# row NAME STATE DETAIL [FIX]; STATE is ok, missing (something asked for here needs it) or absent (optional).
row() {
  printf '  %-12s %-8s %s\n' "$1" "$2" "$3"
  [ "$2" = ok ] || printf '  %-12s %-8s -> %s\n' "" "" "$4"
}

first_line() { "$@" 2>/dev/null | head -n 1 || true; }

have_library() { PATH=$PATH:/sbin:/usr/sbin ldconfig -p 2>/dev/null | grep -o "$1 .*=> .*" | sed 's/.*=> //' | head -n 1 || true; }

# check_program NAME STATE_IF_MISSING FIX PROGRAM...: the first PROGRAM found, with its version line.
check_program() {
  local name=$1 state=$2 fix=$3 program
  shift 3
  for program in "$@"; do
    if command -v "$program" >/dev/null; then
      row "$name" ok "$(first_line "$program" --version), ${program#"$root"/}"
      return
    fi
  done
  row "$name" "$state" "no ${*#"$root"/}" "$fix"
}

check_python_package() {
  local name=$1 package=$2 version
  version=$("$venv/bin/python" -c "import importlib.metadata as m; print(m.version('$package'))" 2>/dev/null || true)
  if [ -n "$version" ]; then
    row "$name" ok "$version in .venv"
  else
    row "$name" missing "not in .venv" "./dev build installs it"
  fi
}

check_cpu() {
  local level
  level=$(cpu_level)
  if [ "$level" = v1 ]; then
    row processor missing "$(uname -m), without SSE4.2" "numjit needs x86-64-v2"
  else
    row processor ok "x86-64-$level, $(nproc) cores,$(grep -m1 '^model name' /proc/cpuinfo | cut -d: -f2)"
  fi
}

# What a report of a fault has to tell besides.
check_system() {
  local level caches=""
  row source ok "$(git -C "$root" describe --always --dirty 2>/dev/null || echo 'no git revision')"
  row system ok "$(. /etc/os-release 2>/dev/null && echo "$PRETTY_NAME"), $(uname -srm), $(first_line getconf GNU_LIBC_VERSION)"
  for level in LEVEL1_DCACHE_SIZE LEVEL2_CACHE_SIZE LEVEL3_CACHE_SIZE; do
    caches+=${caches:+, }$(($(getconf $level 2>/dev/null || echo 0) / 1024))\ KiB
  done
  row caches ok "$caches"
}

check_halide() {
  local library
  library=$(find "$venv/lib" -path '*/halide/lib64/libHalide.so' 2>/dev/null | head -n 1 || true)
  if [ -n "$library" ]; then
    row Halide ok "$("$venv/bin/python" -c "import importlib.metadata as m; print(m.version('halide'))"), ${library#"$root"/}"
  else
    row Halide missing "no libHalide.so in .venv: compiled functions would run op by op" "./dev build installs it"
  fi
}

check_library() {
  local name=$1 library=$2 state=$3 without=$4 fix=$5 path
  path=$(have_library "$library")
  if [ -n "$path" ]; then
    row "$name" ok "$path"
  else
    row "$name" "$state" "$without" "$fix"
  fi
}

check_opencl() {
  local library drivers
  library=$(have_library libOpenCL.so.1)
  drivers=$(cd /etc/OpenCL/vendors 2>/dev/null && echo *.icd || true)
  if [ -n "$library" ] && [ -n "$drivers" ] && [ "$drivers" != "*.icd" ]; then
    row OpenCL ok "$library, drivers: $drivers"
  else
    row OpenCL absent "no loader or no driver; the processor is used" "apt-get install pocl-opencl-icd (runs OpenCL on the processor)"
  fi
}

# The devices that the built library can use, by the names that np::device takes.
check_devices() {
  local state name text
  [ -x "$build/bin/numjit" ] || return 0
  while read -r state name text; do
    case "$name" in
      cuda:* | opencl:*) row "$name" "$([ "$state" = ok ] && echo ok || echo missing)" "$text" "its driver does not work" ;;
    esac
  done < <(NUMJIT_CACHE_DIR=off "$build/bin/numjit" doctor 2>/dev/null || true)
}

check_build() {
  if [ -e "$build/lib/libnumjit.so" ]; then
    row build ok "build/lib/libnumjit.so$([ -e "$build/lib/numjit_halide.so" ] && echo ', numjit_halide.so')"
  else
    row build absent "nothing built yet" "./dev build"
  fi
}

cmd_doctor() {
  echo "numjit doctor (ok: there; missing: needed here; absent: optional)"
  check_system
  check_cpu
  check_program compiler missing "./dev build installs it (apt-get install g++)" "${CXX:-g++}" g++
  check_program CMake missing "./dev build installs it into .venv" "$venv/bin/cmake"
  check_program Ninja missing "./dev build installs it into .venv" "$venv/bin/ninja"
  check_program linker missing "./dev build installs it (apt-get install binutils)" ld
  check_halide
  check_library BLAS libopenblas.so.0 missing "no libopenblas.so.0" "./dev build installs it (apt-get install libopenblas-dev)"
  check_library Highway libhwy_contrib.so.1 missing "no libhwy_contrib.so.1: sorting is slower" "./dev build installs it (apt-get install libhwy-dev)"
  check_python_package NumPy numpy
  check_program clang absent "apt-get install clang-14 (only ./dev build --clang)" clang++-14
  check_program ccache absent "apt-get install ccache (faster rebuilds)" ccache
  check_library "CUDA driver" libcuda.so.1 absent "no libcuda.so.1: no NVIDIA GPU here, which is normal; the processor is used" \
    "install NVIDIA's driver on a machine that has such a GPU"
  check_opencl
  check_devices
  check_program Emscripten absent "apt-get install emscripten (only the WASM build)" emcc
  check_program Chromium absent "apt-get install chromium (only the browser tests)" chromium chromium-browser google-chrome
  check_build
}
