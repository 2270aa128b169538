# ./dev demo: serves the demos of wasm/demos, with the package, on a local address.

cmd_demo() {
  local port=8000
  case "${1:-}" in
    "") ;;
    --port) port=${2:-} ;;
    *) fail "unknown argument: got $1, expected --port N" ;;
  esac
  [[ $port =~ ^[0-9]{1,5}$ ]] || fail "wrong port: got '$port', expected a number"
  . "$root/.dev/wasm.sh"
  build_wasm
  make_site
  say "demos: http://127.0.0.1:$port/demos/ (end with Ctrl-C)"
  exec python3 "$root/.dev/demo_server.py" "$wasm_site" "$port"
}
