# ./dev build wasm and ./dev test wasm: the JavaScript package in build/wasm/package, its tests under Node.

apt_wasm="emscripten nodejs libfmt-dev libxxhash-dev nlohmann-json3-dev ccache"
wasm_builds="simd scalar"
wasm_package=$build/wasm/package

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
  cp "$root"/wasm/js/* "$wasm_package/"
  for kind in $wasm_builds; do cp "$build/wasm/$kind/$kind.wasm" "$wasm_package/"; done
  node "$root/wasm/make_types.mjs" "$wasm_package"
  say "built into ${wasm_package#"$root"/}: $(du -ch "$wasm_package"/*.wasm | tail -1 | cut -f1) of modules"
}

# node_tests [FILTER]: the tests of tests/wasm, with the package as they find it.
test_wasm() {
  build_wasm
  NUMJIT_PACKAGE=$wasm_package node --test "$root"/tests/wasm/*_test.mjs || fail "tests failed, see above"
}
