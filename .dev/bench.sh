# ./dev bench: builds the benchmarks and hands over to tests/bench/run.py, which prints the table.

cmd_bench() {
  . "$root/.dev/build.sh"
  local argument
  need_build
  case " $* " in
    *" --from "* | *" --list "*) exec "$venv/bin/python" "$root/tests/bench/run.py" "$@" ;; # nothing to measure
  esac
  for argument in "$@"; do
    [ "$argument" = --peers ] && need_venv peers
    [ "$argument" = --with-torch ] && need_venv torch
  done
  variant release
  [ -e "$build/build.ninja" ] || configure -DNUMJIT_TESTS=OFF
  build_targets numjit numjit_halide numjit_bench bin_bench_warm_start bin_bench_overhead
  NUMJIT_BUILD_DIR=$build NUMJIT_SOURCE_DIR=$root exec "$venv/bin/python" "$root/tests/bench/run.py" "$@"
}
