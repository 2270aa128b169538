# ./dev run: an example by name, or one C++ file of the user's, compiled against the library.

. "$root/.dev/build.sh"
main_example=photo_kmeans

need_library() {
  need_build
  variant release
  configure_for_this_machine
}

# Targets that exist: the plug-in is left out where Halide is missing.
library_targets() {
  local target
  for target in numjit numjit_halide; do
    grep -q "^build $target: phony" "$build/build.ninja" && echo "$target"
  done
  # Files that the tools make for the plug-in are part of `all` only.
  sed -n 's/^build \(numjit_[a-z_]*rt\|numjit_[a-z_]*runtime\): phony.*/\1/p' "$build/build.ninja"
}

run_file() {
  local source=$1 program
  shift
  program=$build/user/$(basename "${source%.*}")
  mkdir -p "$build/user"
  # shellcheck disable=SC2046
  build_targets $(library_targets)
  "${CXX:-g++}" -std=c++20 -O2 -I"$root/src" -I"$root/numpy_compat" "$source" -o "$program" \
    -L"$build/lib" -lnumjit -pthread -Wl,-rpath,"$build/lib" || fail "$source does not compile, see above"
  exec "$program" "$@"
}

run_example() {
  local name=$1
  shift
  if [ ! -e "$root/docs/examples/$name.cpp" ]; then
    say "examples: $(cd "$root/docs/examples" && printf '%s ' *.cpp | sed 's/\.cpp//g')"
    fail "no such example or file: got $name"
  fi
  # shellcheck disable=SC2046
  build_targets $(library_targets) "bin/examples/$name"
  exec "$build/bin/examples/$name" "$@"
}

cmd_run() {
  need_library
  case "${1:-}" in
    *.cpp | *.cc | *.cxx)
      [ -e "$1" ] || fail "no such file: got $1"
      run_file "$@"
      ;;
    "" | -* | *.png | *.jpg | *.jpeg | *.npy) run_example "$main_example" "$@" ;;
    *) run_example "$@" ;;
  esac
}
