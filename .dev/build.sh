# ./dev build: configures and builds. The release build lies in build/, variants in folders inside it.

# Sets build_dir and configure_args from a variant's name.
variant() {
  case "$1" in
    release) build_dir=$build ;;
    *) build_dir=$build/$1 ;;
  esac
  case "$1" in
    release | debug | asan | tsan | clang | shuffled) ;;
    *) fail "unknown variant: got --$1, expected --debug, --asan, --tsan, --clang or --shuffled" ;;
  esac
  configure_args=(--preset "$1")
  if [ "${DEV_PART:-}" = ci ] && [ -n "$(ci_folders "$1")" ]; then
    configure_args+=("-DNUMJIT_TEST_FOLDERS=$(ci_folders "$1")")
  fi
  case "${DEV_PART:-} $1" in
    *clang) ;; # its preset leaves Halide out
    "ci asan") configure_args+=(-DNUMJIT_HALIDE=OFF) ;; # the plug-in's sources alone take minutes
    *) configure_args+=(-DNUMJIT_HALIDE=ON) ;; # installed by need_build, so its absence is an error
  esac
}

commit_count() { git -C "$root" rev-list --count HEAD 2>/dev/null || echo 0; }

# The tests of a variant that one run of continuous integration has the time for, where all is compiled anew on two slow
# cores: AddressSanitizer's in two parts, in turn. All of them on demand. Empty: all.
ci_folders() {
  case "$1 $(($(commit_count) / 3 % 2))" in
    "asan 0") echo "array;base;interop;runtime;trace" ;;
    "asan 1") echo "bad_input;cli;compat;eager;ops" ;;
    "tsan "*) echo "array;base;interop;runtime;trace" ;;
  esac
}

# Configures $build_dir unless it was configured with the same arguments before (ninja redoes it when files change).
configure() {
  local text="${configure_args[*]} $*"
  if [ -e "$build_dir/build.ninja" ] && [ "$(cat "$build_dir/configured" 2>/dev/null)" = "$text" ]; then
    return 0
  fi
  mkdir -p "$build_dir"
  rm -f "$build_dir/configured"
  (cd "$root" && quietly "cmake" cmake "${configure_args[@]}" "$@")
  printf '%s' "$text" >"$build_dir/configured"
}

# The release build of a fresh clone, for a command that needs neither tests nor programs for other processors: without the
# tests, and with the eager loops of this one only. ./dev build and ./dev test add the rest.
configure_for_this_machine() {
  local level
  level=$(cpu_level)
  [ "$level" = v1 ] && level=v2 # the least that there is; it may be no x86-64 at all
  [ -e "$build/build.ninja" ] || configure -DNUMJIT_TESTS=OFF "-DNUMJIT_ISAS=$level"
}

# As many compilers at once as there are cores, and one per 1.5 GB (Halide.h and the loops are hungry).
jobs() {
  local cores memory
  cores=$(nproc)
  memory=$(awk '/MemAvailable/ { print int($2 / 1500000) }' /proc/meminfo 2>/dev/null || echo "$cores")
  [ "$memory" -lt 1 ] && memory=1
  echo $((cores < memory ? cores : memory))
}

compile() { ninja -C "$build_dir" -j "$(jobs)" "$@"; }

# Compiles and shows progress: each step on a terminal, elsewhere a line per tenth; what compilers say always.
build_targets() {
  if [ -t 2 ]; then
    compile "$@" >&2 || fail "the compiler or linker reported errors, see above"
  else
    compile "$@" 2>&1 | awk '
      match($0, /^\[[0-9]+\/[0-9]+\] /) {
        split(substr($0, 2, RLENGTH - 3), n, "/")
        tenth = int(10 * n[1] / n[2])
        if (tenth > last || n[1] == n[2]) { print; fflush() }
        last = tenth
        next
      }
      { print; fflush() }' >&2 || fail "the compiler or linker reported errors, see above"
  fi
}

need_build() {
  # shellcheck disable=SC2086
  need_apt $apt_build "$@"
  need_venv base
}

cmd_build() {
  local name=release
  case "${1:-}" in
    "") ;;
    wasm)
      . "$root/.dev/wasm.sh"
      build_wasm
      return
      ;;
    --*) name=${1#--} ;;
    *) fail "unknown argument: got $1, expected wasm, --debug, --asan, --tsan or --clang" ;;
  esac
  variant "$name"
  local more=()
  [ "$name" = clang ] && more=("$apt_clang")
  # shellcheck disable=SC2086
  need_build $apt_test "${more[@]}"
  configure
  build_targets
  say "built into ${build_dir#"$root"/}"
}
