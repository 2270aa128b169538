# ./dev bench: builds the benchmarks and hands over to tests/bench/run.py, which prints the table.

# In Chromium, beside the native build: [--peers] [--json FILE] [--only WORKLOAD] [--doc].
bench_wasm() {
  . "$root/.dev/wasm.sh"
  build_wasm
  build_program
  build_targets numjit_python
  make_site
  need_browser
  need_npm browser
  case " $* " in *" --peers "*) need_npm browser_peers ;; esac
  NUMJIT_PYTHON=$venv/bin/python NUMJIT_PYTHONPATH=$build/python \
    NUMJIT_SITE=$wasm_site NUMJIT_BROWSER=$browser NUMJIT_NODE_MODULES=$build/npm/browser/node_modules \
    NUMJIT_PEERS=$build/npm/browser_peers/node_modules exec node "$root/wasm/bench/run.mjs" "$@"
}

cmd_bench() {
  if [ "${1:-}" = wasm ]; then
    shift
    bench_wasm "$@"
  fi
  . "$root/.dev/build.sh"
  local argument
  need_build
  case " $* " in
    *" --from "* | *" --list "*) exec "$venv/bin/python" "$root/tests/bench/run.py" "$@" ;; # nothing to measure
  esac
  for argument in "$@"; do
    [ "$argument" = --peers ] && need_venv peers
    [ "$argument" = --peers ] && [ "${1:-}" = grad ] && need_venv torch grad
    [ "$argument" = --with-torch ] && need_venv torch
  done
  variant release
  configure_for_this_machine
  case "${1:-}" in million | grad | calls | loops | latency) build_targets numjit_python ;; esac
  build_targets numjit numjit_halide numjit_bench numjit_cli bin_bench_warm_start bin_bench_overhead
  NUMJIT_BUILD_DIR=$build NUMJIT_SOURCE_DIR=$root exec "$venv/bin/python" "$root/tests/bench/run.py" "$@"
}
