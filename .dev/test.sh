# ./dev test: builds and runs tests. With CI=true and no argument also those of one other variant, never cut short: TSan, ASan
# with UBSan, and clang in turn, by the number of commits; of TSan's and ASan's the folders where memory and threads are at stake
# (ci_folders in build.sh). `./dev test --all` does all tests of all three. Either is one ctest run, whose summary ends the
# output; the line before it says which variants were done and what each stage took. ./dev test --asan, --tsan and --clang build
# and run all tests of one, --shuffled those of a build whose rows of ops stand in another order.
# ./dev test gpu runs what has that label: OpenCL on pocl, PTX through ptxas (PTX_EVERY=1: all of it), the CUDA layer over a
# recording driver; ./dev test cuda the tests of devices on a GPU (skipped without one). Runs of their own: ./dev test bits
# (tests/bits/bits.py), oracle (tests/python/oracle.py), hunt (tests/*/*_hunt.py), fuzz --minutes N (tests/bad_input) and outside
# (tests/outside/outside.py), which with CI=true is a stage of its own, where what it depends on is not as its tables were written.
# ./dev test site looks at the site of ./dev docs in Chromium (tests/site), ./dev test ecosystem brings arrays together with other
# libraries (tests/ecosystem), ./dev package makes and tries packages; with --all they are stages, too, unless this tree had them
# already.
. "$root/.dev/build.sh"

ci_variants=(tsan asan clang)
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

# Others' test files with numjit as their NumPy: NumPy's own and those of array_api_strict.
test_outside() {
  need_venv outside
  variant release
  configure
  build_targets numjit numjit_python
  env NUMJIT_BUILD_DIR="$build_dir" NUMJIT_SOURCE_DIR="$root" "$venv/bin/python" -B "$root/tests/outside/outside.py" "$@" ||
    fail "fewer tests of others pass, or more are left out, see above"
}

# Hunters: misbehaving objects, overlapping views and the like, each for a while: [--seconds N] [--seed S] [--asan].
test_hunt() {
  local seconds=60 seed="" name=release failed="" hunter run=(env)
  while [ $# -gt 0 ]; do
    case "$1 ${2:-}" in
      "--seconds "[0-9]*) seconds=$2 && shift ;;
      "--seed "[0-9]*) seed=$2 && shift ;;
      "--asan "*) name=asan ;;
      *) fail "unknown argument: got $*, expected --seconds N, --seed S or --asan" ;;
    esac
    shift
  done
  variant "$name"
  if [ "$name" = asan ]; then  # the core and the module, at one level; Python's objects on the heap that is watched
    configure_args+=(-DNUMJIT_HALIDE=OFF -DNUMJIT_PYTHON_MODULE=ON -DNUMJIT_TEST_FOLDERS=none)
    build_dir=$build/asan_hunt
    configure -B "$build_dir"
    run+=(LD_PRELOAD="$(g++ -print-file-name=libasan.so) $(g++ -print-file-name=libstdc++.so)" PYTHONMALLOC=malloc
      ASAN_OPTIONS=detect_leaks=0:detect_stack_use_after_return=1:allocator_may_return_null=1:exitcode=99 UBSAN_OPTIONS=print_stacktrace=1)
  else
    configure
  fi
  if [ "$name" = asan ]; then build_targets numjit numjit_python; else build_targets; fi
  for hunter in "$root"/tests/*/*_hunt.py; do
    # Those of C++ have programs of their own, which the module's build has not.
    [ "$name" != asan ] || [[ $hunter == */python/* ]] || continue
    say "$(basename "$hunter") for $seconds seconds"
    "${run[@]}" HUNT_SECONDS="$seconds" ${seed:+HUNT_SEED="$seed"} NUMJIT_BUILD_DIR="$build_dir" NUMJIT_SOURCE_DIR="$root" \
      PYTHONPATH="$build_dir/python" NUMJIT_CACHE_DIR="$build_dir/hunt_cache" "$venv/bin/python" "$hunter" || failed="$failed $(basename "$hunter")"
  done
  [ -z "$failed" ] || fail "found something, see above:$failed"
}

# The variant whose turn it is. A clone without the history, or a tree without git, has a turn too.
ci_variant() {
  echo "${ci_variants[$(commit_count) % ${#ci_variants[@]}]}"
}

# stage NAME COMMAND...: carries it out and notes the seconds.
stage() {
  local name=$1 begin=$SECONDS status=0
  shift
  say "stage $name: begins after $SECONDS s"
  "$@" || status=$?
  say "stage $name: $((SECONDS - begin)) s"
  stage_times+="${stage_times:+, }$name $((SECONDS - begin)) s"
  return $status
}

build_release() {
  variant release
  configure
  build_targets
}

# A shell of its own: where a variant does not compile, the others are tested all the same.
build_variant() { bash -c 'unset CI && cd "$1" && exec ./dev build "--$2"' bash "$root" "$1"; }
outside_if_changed() { (test_outside --if-changed); }
site_if_changed() { (. "$root/.dev/docs.sh" && test_site_if_changed); }
ecosystem_if_changed() { (. "$root/.dev/ecosystem.sh" && test_ecosystem_if_changed); }
packages_if_changed() { (. "$root/.dev/package.sh" && make_packages_if_changed); }
build_part() { DEV_PART=ci build_variant "$1"; }

# ctest over all variants that were built; before its summary a line that tells them.
test_variants() {
  local done_line="dev: variants tested: release $*; $stage_times"
  run_ctest --test-dir "$build/ci" | awk -v line="$done_line" '
    /^[0-9]+% tests passed/ { print line ", tests " systime() - begin " s" }
    { print; fflush() }
    BEGIN { begin = systime() }'
  return "${PIPESTATUS[0]}"
}

# test_ci BUILD VARIANTS...: release and these, each built by build_part or build_variant.
test_ci() {
  local built_by=$1
  shift
  local name folders=("$build") failed="" stage_times=""
  stage "build release" build_release
  stage outside outside_if_changed || failed+=" outside"
  # Minutes of downloads, which a fresh machine of CI would spend each time.
  if [ "$built_by" = build_variant ]; then
    stage site site_if_changed || failed+=" site"
    stage ecosystem ecosystem_if_changed || failed+=" ecosystem"
    stage package packages_if_changed || failed+=" package"
  fi
  for name in "$@"; do
    if stage "build $name" "$built_by" "$name"; then folders+=("$build/$name"); else failed+=" $name:compiles"; fi
  done
  mkdir -p "$build/ci"
  {
    printf 'subdirs("%s")\n' "${folders[@]}"
    # A variant that does not compile counts as a failed test, and so does a stage, so that the summary tells all.
    for name in $failed; do printf 'add_test("%s" "false")\n' "$name"; done
  } >"$build/ci/CTestTestfile.cmake"
  say "stage tests: begins after $SECONDS s"
  test_variants "$@" || fail "tests failed, see above"
}

cmd_test() {
  local name=release
  case "${1:-}" in
    --*)
      name=${1#--}
      shift
      ;;
  esac
  if [ "${1:-}" = wasm ] || [ "${1:-}" = browser ] || [ "${1:-}" = site ]; then
    . "$root/.dev/docs.sh"
    "test_$1"
    return
  fi
  if [ "${1:-}" = ecosystem ]; then
    . "$root/.dev/ecosystem.sh"
    shift
    test_ecosystem "$@"
    return
  fi
  [ "$name" != all ] || [ $# = 0 ] || fail "unknown argument: got $*, expected nothing after --all"
  # shellcheck disable=SC2086
  need_build $apt_test
  need_venv ranks
  # ptxas, for the PTX that tests of devices generate.
  if [ "${1:-}" = gpu ] || [ "${CI:-}" = true ] || [ "$name" = all ]; then need_venv gpu; fi
  # The judges of outside, and mypy.
  if [ "${CI:-}" = true ] || [ "$name" = all ]; then need_venv outside; fi
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
  elif [ "${1:-}" = outside ]; then
    shift
    test_outside "$@"
  elif [ "${1:-}" = hunt ]; then
    shift
    test_hunt "$@"
  elif [ "${1:-}" = fuzz ] && [ $# -gt 1 ]; then
    shift
    test_fuzz "$@"
  elif [ "$name" = all ]; then
    need_apt "$apt_clang"
    test_ci build_variant "${ci_variants[@]}"
  elif [ "${CI:-}" = true ] && [ $# = 0 ] && [ "$name" = release ]; then
    name=$(ci_variant)
    [ "$name" != clang ] || need_apt "$apt_clang"
    test_ci build_part "$name"
  else
    test_one "$name" "$@"
  fi
}
