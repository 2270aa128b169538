# ./dev package: packages for Python, Debian, any Linux and npm, in build/packages, each checked where nothing of ours is
# (tests/install/packages.py). With --all of ./dev test a stage.
. "$root/.dev/build.sh"
. "$root/.dev/wasm.sh"

packages=$build/packages
packaging=$build/packaging
# What decides how they come out.
package_inputs="src numpy_compat halide_gen mpi wasm CMakeLists.txt pyproject.toml dev .dev README.md LICENSE tests/install tests/wasm/install_test.mjs"

# Debian packages and the tar.
make_system_packages() {
  local generator
  build_targets numjit_packaged
  mkdir -p "$packaging/cpack"
  for generator in DEB TGZ; do
    quietly "cpack -G $generator" cpack --config "$build/CPackConfig.cmake" -G $generator -B "$packaging/cpack"
  done
  mv "$packaging"/cpack/*.deb "$packaging"/cpack/*.tar.gz "$packages/"
}

make_npm_package() {
  quietly "npm pack" npm pack --silent --pack-destination "$packages" "$wasm_package"
}

make_packages() {
  local wasm=$1
  need_build $apt_test dpkg-dev mmdebstrap
  need_venv base package
  rm -rf "$packages"
  mkdir -p "$packages"
  if [ "$wasm" = yes ]; then
    "$root/dev" build wasm || exit 1
    make_npm_package
  else
    say "the npm package is left out: it is made from what ./dev build wasm builds"
  fi
  variant release
  configure
  make_system_packages
  "$venv/bin/python" "$root/.dev/package/wheels.py" "$build" "$packaging/wheel" "$packages" || fail "no wheels, see above"
  NUMJIT_SOURCE_DIR=$root "$venv/bin/python" -B "$root/tests/install/packages.py" "$packages" || fail "packages don't work, see above"
  say "made and checked: $(cd "$packages" && du -h --apparent-size ./* | sed 's/^\(\S*\)\s*\.\/\(.*\)/\2 (\1)/' | paste -sd ' ')"
}

cmd_package() {
  local wasm=yes
  case "${1:-}" in
    "") ;;
    --without-npm) wasm=no ;;
    *) fail "unknown argument: got $1, expected --without-npm" ;;
  esac
  make_packages $wasm
}

# Unless this very tree was packaged already; npm's where it was built, as its builds take minutes.
make_packages_if_changed() {
  local wasm=no
  [ ! -e "$wasm_package/numjit.js" ] || wasm=yes
  mkdir -p "$packaging"
  unless_tested "$packaging" "$package_inputs" make_packages $wasm
}
