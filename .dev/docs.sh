# ./dev docs: the site, made of docs/ by Sphinx, in build/site/html; ./dev test site looks at it in Chromium.
. "$root/.dev/build.sh"
. "$root/.dev/wasm.sh"

site=$build/site
# What decides how the site comes out.
site_inputs="docs README.md CHANGELOG.md CONTRIBUTING.md .dev/site .dev/docs.sh .dev/requirements tests/site tests/docs/expected wasm/demos wasm/js numpy_compat src/numjit"

# The pages; with the JavaScript package, where it was built: its reference, and demos that play.
make_pages() {
  local package=()
  [ ! -e "$wasm_package/numjit.d.ts" ] || package=("$wasm_package")
  need_build
  need_venv base docs
  variant release
  configure_for_this_machine
  build_targets numjit_python numjit_python_stubs
  mkdir -p "$site"
  PYTHONPATH=$build/python NUMJIT_CACHE_DIR=$site/kernels "$venv/bin/python" "$root/.dev/site/build.py" "$site" "${package[@]}" ||
    fail "the site has faults, see above"
}

cmd_docs() {
  local demos=yes port=""
  while (($#)); do
    case "$1" in
      --without-demos) demos=""; shift ;;
      --serve) port=${2:-8000}; shift 2 || shift ;;
      *) fail "unknown argument: got $1, expected --without-demos or --serve [PORT]" ;;
    esac
  done
  [ -z "$demos" ] || build_wasm
  make_pages
  [ -z "$port" ] || exec python3 "$root/.dev/demo_server.py" "$site/html" "$port"
}

# Links, and pages in Chromium; pictures of them stay in build/site/screenshots.
test_site() {
  make_pages
  need_browser
  need_npm site
  NUMJIT_SITE_PAGES=$site/html NUMJIT_SCREENSHOTS=$site/screenshots NUMJIT_BROWSER=$browser \
    NUMJIT_NODE_MODULES=$build/npm/site/node_modules node --test "$root"/tests/site/*_test.mjs || fail "tests failed, see above"
}

# The same, unless this very tree was tested already.
test_site_if_changed() { unless_tested "$site" "$site_inputs" test_site; }
