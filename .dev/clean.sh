# ./dev clean: removes what the other commands made.

cmd_clean() {
  case "${1:-}" in
    "") rm -rf "$build" ;;
    --all) rm -rf "$build" "$venv" ;;
    *) fail "unknown argument: got $1, expected --all" ;;
  esac
}
