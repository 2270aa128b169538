# ./dev format [--check] [REVISION]: clang-format over the lines of C and C++ that differ from REVISION, the last commit
# if none is named, and over files that git does not know yet. Lines that stand are left as they were written: tables and
# formulas are aligned by hand.

cmd_format() {
  local check=no revision=HEAD changed
  while [ $# -gt 0 ]; do
    case "$1" in
      --check) check=yes ;;
      -*) fail "unknown argument: got $1, expected --check or a revision" ;;
      *) revision=$1 ;;
    esac
    shift
  done
  # shellcheck disable=SC2086
  need_apt $apt_format
  cd "$root" || return
  git rev-parse --quiet --verify "$revision^{commit}" >/dev/null || fail "no such revision: got $revision, expected a commit, a branch or a tag"
  local tool=(git clang-format-14 --binary clang-format-14 --style file --extensions "c,cpp,h" --quiet)
  if [ $check = yes ]; then
    changed=$("${tool[@]}" --diff "$revision" | grep -v -e '^no modified files' -e '^clang-format did not modify' || true)
    [ -z "$changed" ] || { printf '%s\n' "$changed"; fail "lines differ from .clang-format, see above: ./dev format $revision"; }
    git ls-files -z --others --exclude-standard '*.cpp' '*.h' '*.c' |
      xargs -0 -r clang-format-14 --style=file --dry-run -Werror || fail "files differ from .clang-format"
    return
  fi
  "${tool[@]}" --force "$revision" || [ $? = 1 ] || fail "git clang-format failed, see above" # 1: it changed lines
  git ls-files -z --others --exclude-standard '*.cpp' '*.h' '*.c' | xargs -0 -r clang-format-14 --style=file -i
}
