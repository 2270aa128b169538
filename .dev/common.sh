# Shared by all commands: messages, and installing what a command needs. Sourced by ./dev, which sets $root.

build=$root/build
venv=$root/.venv
current=${1:-help}

say() { printf 'dev: %s\n' "$*" >&2; }

# The last line of any failure, always of this form.
fail() {
  printf 'dev: %s failed: %s\n' "$current" "$*" >&2
  exit 1
}

# Runs a command silently into a log; shows the log's end if it fails.
quietly() {
  local what=$1 log
  shift
  log=$(mktemp)
  if ! "$@" >"$log" 2>&1; then
    tail -n 30 "$log" >&2
    rm -f "$log"
    fail "$what (the command was: $*)"
  fi
  rm -f "$log"
}

# The highest x86-64 level that this processor has, as src/numjit/eager/dispatch.cpp tells it; v1 below SSE4.2.
cpu_level() {
  local flags
  flags=" $(grep -m1 '^flags' /proc/cpuinfo 2>/dev/null | cut -d: -f2) "
  has_all() {
    local flag
    for flag in "$@"; do [[ $flags == *" $flag "* ]] || return 1; done
  }
  if ! has_all sse4_2; then
    echo v1
  elif ! has_all avx2 fma bmi2; then
    echo v2
  elif ! has_all avx512f avx512bw avx512cd avx512dq avx512vl; then
    echo v3
  else
    echo v4
  fi
}

# unless_tested FOLDER INPUTS COMMAND...: carries it out, unless it went well before with just these files of the tree.
unless_tested() {
  local folder=$1 inputs=$2 hash
  shift 2
  # shellcheck disable=SC2086
  hash=$(cd "$root" && find $inputs -type f -not -path '*/__pycache__/*' -print0 | sort -z | xargs -0 sha256sum | sha256sum | cut -c1-16)
  if [ -e "$folder/tested-$hash" ]; then
    say "tested already, as it stands"
    return
  fi
  rm -f "$folder"/tested-*
  "$@" || return
  touch "$folder/tested-$hash"
}

# --- system packages ----------------------------------------------------------------------------

apt_build="python3 python3-dev python3-venv g++ binutils ccache mold libfmt-dev libopenblas-dev libhwy-dev libxxhash-dev libstb-dev libzip-dev
  nlohmann-json3-dev libcli11-dev libcpp-httplib-dev"
apt_test="libgtest-dev libgmock-dev libmpfr-dev libmpc-dev libxtensor-dev libeigen3-dev openmpi-bin libopenmpi-dev mpich libmpich-dev pkg-config ocl-icd-libopencl1 pocl-opencl-icd"
apt_format="clang-format-14"
apt_clang="clang-14"

as_root() {
  if [ "$(id -u)" = 0 ]; then
    "$@"
  else
    sudo "$@"
  fi
}

# need_apt PACKAGES...: installs those that are missing. Costs one dpkg-query when none is.
need_apt() {
  if ! command -v dpkg-query >/dev/null; then
    say "no dpkg here: install the counterparts of these Debian packages yourself: $*"
    return
  fi
  local missing
  missing=$(comm -23 <(printf '%s\n' "$@" | sort -u) \
    <(dpkg-query -W -f '${db:Status-Abbrev}${Package}\n' "$@" 2>/dev/null | sed -n 's/^ii *//p' | sort -u) | tr '\n' ' ')
  [ -n "${missing// /}" ] || return 0
  if [ "$(id -u)" != 0 ] && ! { command -v sudo >/dev/null && sudo -v; }; then
    fail "packages are missing and this is neither root nor allowed to sudo. As root: apt-get install $missing"
  fi
  say "installing with apt-get: $missing"
  local apt=(env DEBIAN_FRONTEND=noninteractive apt-get -q -o DPkg::Lock::Timeout=300 -o Acquire::Retries=3)
  quietly "apt-get update" as_root "${apt[@]}" update
  # shellcheck disable=SC2086
  quietly "apt-get install $missing" as_root "${apt[@]}" install -y --no-install-recommends $missing
}

# --- the project's Python -----------------------------------------------------------------------

# need_venv SETS...: .venv/ with the pinned packages of .dev/requirements/SET.txt. A stamp per set, named by the
# hash of its text, makes a second call free.
need_venv() {
  local set file stamp
  if [ ! -x "$venv/bin/pip" ]; then
    say "making .venv"
    quietly "python3 -m venv" /usr/bin/python3 -m venv "$venv"
  fi
  for set in "$@"; do
    file=$root/.dev/requirements/$set.txt
    stamp=$venv/numjit-$set-$(sha256sum "$file" | cut -c1-16)
    [ -e "$stamp" ] && continue
    say "installing into .venv: $(grep -v '^#' "$file" | tr '\n' ' ')"
    quietly "pip install -r .dev/requirements/$set.txt" \
      "$venv/bin/pip" install --disable-pip-version-check --no-input --retries 5 -r "$file"
    rm -f "$venv/numjit-$set-"*
    touch "$stamp"
  done
  export PATH=$venv/bin:$PATH
}
