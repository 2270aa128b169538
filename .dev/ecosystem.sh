# ./dev test ecosystem: numjit's arrays among other libraries (tests/ecosystem), in an environment that has them.
. "$root/.dev/build.sh"

# What decides how it comes out.
ecosystem_inputs="numpy_compat src/numjit .dev/requirements tests/ecosystem tests/support docs/python.md docs/scaling.md docs/notebooks"

# In a shell of its own, as need_venv changes PATH.
test_ecosystem() (
  need_build
  variant release
  configure_for_this_machine
  build_targets numjit_python numjit_python_stubs
  venv=$build/ecosystem/venv
  mkdir -p "$build/ecosystem"
  need_venv base ecosystem
  if [ "${1:-}" = --with-torch ]; then
    need_venv torch
    shift
  fi
  NUMJIT_SOURCE_DIR=$root NUMJIT_BUILD_DIR=$build_dir PYTHONPATH=$build_dir/python NUMJIT_CACHE_DIR=$build/ecosystem/kernels \
    "$venv/bin/python" -W ignore "$root/tests/ecosystem/ecosystem.py" "$@" || fail "tests failed, see above"
)

test_ecosystem_if_changed() { unless_tested "$build/ecosystem" "$ecosystem_inputs" test_ecosystem; }
