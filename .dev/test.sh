# ./dev test: builds and runs tests. With CI=true and no argument also those of other variants (DEV_CI_STAGES, see
# below), in one ctest run whose summary ends the output. CI takes a part of a variant's tests (ci_folders in
# build.sh); ./dev test gpu runs what has that label: OpenCL on pocl, PTX through ptxas (PTX_EVERY=1: all of it), the
# CUDA layer over a recording driver; ./dev test cuda the tests of devices on a GPU (skipped without one); ./dev test bits (tests/bits/bits.py), ./dev test oracle (tests/python/oracle.py) and ./dev test fuzz --minutes N (tests/bad_input) are runs of their own; ./dev test --asan, --tsan and --clang build and run all of them.
. "$root/.dev/build.sh"

ci_minutes=43         # a run of continuous integration ends before 45
ci_test_minutes=18    # of these kept for running the tests
ci_least_seconds=120  # a build that has less than that left is not begun
# Variants that continuous integration builds besides release, the most telling per minute first: what time does
# not allow is left out from the end. None by default; all of them: DEV_CI_STAGES="tsan asan clang".
ci_stages=${DEV_CI_STAGES-tsan asan clang}
labels="null cpu gpu cuda wasm browser slow"

run_ctest() { ctest --output-on-failure -j "$(nproc)" --no-tests=error "$@"; }

test_one() {
  local name=$1 filter=${2:-} select=()
  variant "$name"
  configure
  build_targets
  if [ -n "$filter" ] && [[ " $labels " == *" $filter "* ]]; then
    select=(-L "^$filter\$")
  elif [ -n "$filter" ]; then
    select=(-R "$filter")
  fi
  run_ctest --test-dir "$build_dir" "${select[@]}" ||
    fail "tests failed, or none is called that, see above (names: ctest --test-dir ${build_dir#"$root"/} -N)"
}

# Mutated input for every reader, under AddressSanitizer: [--minutes N] [--seed S].
test_fuzz() {
  local seconds=600 seed=""
  while [ $# -gt 0 ]; do
    case "$1 ${2:-}" in
      "--minutes "[0-9]*) seconds=$((60 * $2)) ;;
      "--seed "[0-9]*) seed=$2 ;;
      *) fail "unknown argument: got $*, expected --minutes N or --seed S" ;;
    esac
    shift 2
  done
  variant asan
  configure_args+=(-DNUMJIT_HALIDE=OFF -DNUMJIT_TEST_FOLDERS=bad_input)
  build_dir=$build/asan_fuzz
  configure -B "$build_dir"
  build_targets test_bad_input
  env FUZZ_SECONDS=$seconds ${seed:+FUZZ_SEED=$seed} NUMJIT_BUILD_DIR=$build_dir NUMJIT_SOURCE_DIR=$root \
    ASAN_OPTIONS=detect_stack_use_after_return=1:strict_string_checks=1 UBSAN_OPTIONS=print_stacktrace=1 \
    LSAN_OPTIONS=suppressions=$root/.dev/sanitize/leak.supp:print_suppressions=0 \
    "$build_dir/bin/tests/test_bad_input" || fail "a reader did not stand its input, see above ($build_dir/fuzz has it)"
}

# Random calls against NumPy for as long as is wished: [--seconds N] [--seed S] [--only NAME] [--case K].
test_oracle() {
  variant release
  configure
  build_targets numjit numjit_python
  env NUMJIT_BUILD_DIR="$build_dir" NUMJIT_SOURCE_DIR="$root" "$venv/bin/python" "$root/tests/python/oracle.py" "$@" ||
    fail "calls differ from NumPy's, see above"
}

minutes() { echo $((SECONDS / 60)); }

# Builds one more variant if time allows. 0: built, 1: did not compile, 2: no time left (said, and not a failure).
build_stage() {
  local name=$1 left status=0
  left=$((60 * (ci_minutes - ci_test_minutes) - SECONDS))
  if [ "$left" -lt "$ci_least_seconds" ]; then
    say "stage $name: left out after $(minutes) minutes, no time for it"
    return 2
  fi
  say "stage $name: building (minute $(minutes))"
  # Not --foreground: the compilers have to end as well, or they take the cores from the tests.
  timeout "$left" bash -c "cd '$root' && unset CI && DEV_PART=ci exec ./dev build --$name" || status=$?
  if [ $status = 124 ]; then
    say "stage $name: stopped after $(minutes) minutes, no time for it"
    return 2
  fi
  return $status
}

test_ci() {
  local name status stages=("$build") failed=""
  say "stage release: building"
  variant release
  configure
  build_targets
  for name in $ci_stages; do
    status=0
    build_stage "$name" || status=$?
    case $status in
      0) stages+=("$build/$name") ;;
      1) failed="$failed $name" ;;
    esac
  done
  mkdir -p "$build/ci"
  {
    printf 'subdirs("%s")\n' "${stages[@]}"
    # A variant that does not compile counts as a failed test, so that the summary tells all.
    for name in $failed; do printf 'add_test("%s:compiles" "false")\n' "$name"; done
  } >"$build/ci/CTestTestfile.cmake"
  say "stage tests: ${stages[*]#"$root"/} (minute $(minutes))"
  status=0
  # On a slow machine the tests get their time even if the whole then takes longer.
  local left=$((60 * ci_minutes - SECONDS)) least=$((60 * 30))
  timeout $((left > least ? left : least)) \
    bash -c "$(declare -f run_ctest); run_ctest --test-dir '$build/ci'" || status=$?
  [ $status = 124 ] && fail "the tests did not end within $((SECONDS / 60)) minutes"
  [ $status = 0 ] || fail "tests failed, see above"
}

cmd_test() {
  local name=release
  case "${1:-}" in
    --*)
      name=${1#--}
      shift
      ;;
  esac
  if [ "${1:-}" = wasm ] || [ "${1:-}" = browser ]; then
    . "$root/.dev/wasm.sh"
    "test_$1"
    return
  fi
  # shellcheck disable=SC2086
  need_build $apt_test
  # ptxas, for the PTX that tests of devices generate.
  if [ "${1:-}" = gpu ] || [ "${CI:-}" = true ]; then need_venv gpu; fi
  if [ "${1:-}" = bits ]; then
    shift
    variant "$name"
    configure
    build_targets
    NUMJIT_BUILD_DIR=$build_dir NUMJIT_SOURCE_DIR=$root "$venv/bin/python" "$root/tests/bits/bits.py" "$@" ||
      fail "results differ, see above"
  elif [ "${1:-}" = oracle ]; then
    shift
    test_oracle "$@"
  elif [ "${1:-}" = fuzz ] && [ $# -gt 1 ]; then
    shift
    test_fuzz "$@"
  elif [ "${CI:-}" = true ] && [ $# = 0 ] && [ "$name" = release ]; then
    # shellcheck disable=SC2086
    [ -z "$ci_stages" ] || need_apt $apt_clang
    test_ci
  else
    test_one "$name" "$@"
  fi
}
