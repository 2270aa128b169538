# ./dev python: the project's own Python, with NumPy and Halide.

cmd_python() {
  need_apt python3 python3-venv
  need_venv base
  PYTHONPATH=$build/python${PYTHONPATH:+:$PYTHONPATH} exec "$venv/bin/python" "$@"
}
