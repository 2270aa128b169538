# Packages of npm, pinned in .dev/requirements/SET.json, in build/npm/SET/node_modules.

# need_npm SET: installs it once; a stamp named by the hash of the set makes a second call free.
need_npm() {
  local set=$1 folder=$build/npm/$1 file=$root/.dev/requirements/$1.json stamp
  command -v npm >/dev/null || need_apt nodejs npm
  stamp=$folder/installed-$(sha256sum "$file" | cut -c1-16)
  [ -e "$stamp" ] && return
  say "installing with npm: $(sed -n 's/^ *"\([^"]*\)": "\([0-9][^"]*\)".*/\1@\2/p' "$file" | tr '\n' ' ')"
  rm -rf "$folder"
  mkdir -p "$folder"
  cp "$file" "$folder/package.json"
  quietly "npm install of .dev/requirements/$set.json" \
    npm install --prefix "$folder" --no-package-lock --no-audit --no-fund --ignore-scripts
  touch "$stamp"
}

# The system's Chromium (or Chrome): its path in $browser.
need_browser() {
  local name
  for name in chromium chromium-browser google-chrome; do
    if browser=$(command -v $name); then return; fi
  done
  need_apt chromium
  browser=$(command -v chromium) || fail "no Chromium: got none of chromium, chromium-browser, google-chrome"
}
