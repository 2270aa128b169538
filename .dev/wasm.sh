# ./dev build wasm, test wasm and test browser: the JavaScript package in build/wasm/package, its tests under Node and
# in Chromium.
. "$root/.dev/build.sh"
. "$root/.dev/npm.sh"

apt_wasm="emscripten nodejs libeigen3-dev libfmt-dev libxxhash-dev nlohmann-json3-dev ccache"
wasm_builds="simd scalar"
wasm_package=$build/wasm/package
wasm_site=$build/wasm/site

# Debian's Emscripten looks for its JavaScript libraries where Debian puts them.
export NODE_PATH=/usr/share/nodejs

need_wasm() {
  # shellcheck disable=SC2086
  need_apt $apt_wasm
  need_venv base
}

# Builds one kind of module and its program for the bits test.
build_wasm_kind() {
  build_dir=$build/wasm/$1
  mkdir -p "$build_dir"
  if [ ! -e "$build_dir/build.ninja" ]; then
    (cd "$root" && EM_COMPILER_WRAPPER=ccache quietly "emcmake cmake" emcmake cmake -S . -B "$build_dir" -G Ninja \
      -DCMAKE_BUILD_TYPE=Release -DNUMJIT_WASM="$1")
  fi
  EM_COMPILER_WRAPPER=ccache build_targets
}

# The package: JavaScript as it stands, and the modules.
build_wasm() {
  local kind
  need_wasm
  for kind in $wasm_builds; do
    say "wasm: building $kind"
    build_wasm_kind "$kind"
  done
  mkdir -p "$wasm_package"
  cp "$root"/wasm/js/* "$root/LICENSE" "$wasm_package/"
  for kind in $wasm_builds; do cp "$build/wasm/$kind/$kind.wasm" "$build/wasm/$kind/${kind}_secondary.wasm" "$wasm_package/"; done
  cp "$build/wasm/simd/threads.wasm" "$build/wasm/simd/threads_secondary.wasm" "$build/wasm/simd/linalg.wasm" "$wasm_package/"
  node "$root/wasm/make_types.mjs" "$wasm_package"
  need_npm playground
  node "$root/wasm/bundle/bundle.mjs" "$wasm_package" "$build/npm/playground/node_modules"
  say "built into ${wasm_package#"$root"/}: $(du -ch "$wasm_package"/*.wasm | tail -1 | cut -f1) of modules"
}

# The native program, which makes packs: NUMJIT_PROGRAM.
build_program() {
  variant release
  # shellcheck disable=SC2086
  need_build $apt_test
  configure
  say "building the native program"
  build_targets numjit_cli numjit_halide
  export NUMJIT_PROGRAM=$build/bin/numjit
}

# The tests of tests/wasm, with the package and the native program as they find them.
test_wasm() {
  build_wasm
  build_program
  NUMJIT_PACKAGE=$wasm_package NUMJIT_WASM_BUILD=$build/wasm/simd node --test "$root"/tests/wasm/*_test.mjs || fail "tests failed, see above"
}

# What a static host would hold: the package, the demos, the playground and the docs.
make_site() {
  mkdir -p "$wasm_site"
  ln -sfn "$wasm_package" "$wasm_site/package"
  ln -sfn "$root/wasm/demos" "$wasm_site/demos"
  ln -sfn "$root/docs" "$wasm_site/docs"
  quietly "bundling the playground" node "$root/wasm/playground/make_playground.mjs" "$wasm_site/playground" "$wasm_package" "$build/npm/playground/node_modules"
}

# The same tests in Chromium, every demo and the playground; pictures of the pages stay in build/wasm/screenshots.
test_browser() {
  build_wasm
  build_program
  make_site
  need_browser
  need_npm browser
  need_npm bundlers
  NUMJIT_SITE=$wasm_site NUMJIT_SCREENSHOTS=$build/wasm/screenshots NUMJIT_BROWSER=$browser \
    NUMJIT_NODE_MODULES=$build/npm/browser/node_modules NUMJIT_BUNDLERS=$build/npm/bundlers/node_modules node --test "$root"/tests/browser/*_test.mjs ||
    fail "tests failed, see above"
}
