# ./dev python: the project's own Python, with NumPy, Halide and the module numjit (built if it is not there).

cmd_python() {
  need_apt python3 python3-venv
  need_venv base
  if [ ! -e "$build/python/numjit/__init__.py" ]; then
    . "$root/.dev/build.sh"
    need_build
    variant release
    configure_for_this_machine
    build_targets numjit_python numjit_python_stubs
  fi
  PYTHONPATH=$build/python${PYTHONPATH:+:$PYTHONPATH} exec "$venv/bin/python" "$@"
}
