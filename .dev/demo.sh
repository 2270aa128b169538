# ./dev demo: serves the demos of wasm/demos and the playground, with the package, on a local address; --peers: with jax-js beside numjit.

cmd_demo() {
  local port=8000 peers=
  while (($#)); do
    case "$1" in
      --port) port=${2:-}; shift 2 || shift ;;
      --peers) peers=yes; shift ;;
      *) fail "unknown argument: got $1, expected --port N or --peers" ;;
    esac
  done
  [[ $port =~ ^[0-9]{1,5}$ ]] || fail "wrong port: got '$port', expected a number"
  . "$root/.dev/wasm.sh"
  build_wasm
  make_site
  rm -f "$wasm_site/peers"
  if [ "$peers" ]; then
    need_npm browser_peers
    ln -sfn "$build/npm/browser_peers/node_modules" "$wasm_site/peers"
  fi
  say "demos: http://127.0.0.1:$port/, playground: http://127.0.0.1:$port/playground/ (end with Ctrl-C)"
  [ -z "$peers" ] || say "beside jax-js: http://127.0.0.1:$port/demos/network.html?peers"
  exec python3 "$root/.dev/demo_server.py" "$wasm_site" "$port"
}
