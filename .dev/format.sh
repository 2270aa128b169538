# ./dev format: clang-format over the C and C++ sources that git knows or would take.

cmd_format() {
  local mode=(-i)
  case "${1:-}" in
    "") ;;
    --check) mode=(--dry-run -Werror) ;;
    *) fail "unknown argument: got $1, expected --check" ;;
  esac
  # shellcheck disable=SC2086
  need_apt $apt_format
  cd "$root" || return
  git ls-files -z --cached --others --exclude-standard '*.cpp' '*.h' '*.c' |
    xargs -0 -r -n 20 -P "$(nproc)" clang-format-14 --style=file "${mode[@]}" || fail "files differ from .clang-format"
}
