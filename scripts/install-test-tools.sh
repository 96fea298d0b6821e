#!/usr/bin/env bash
# Installs what the tests alone need, where it is missing: Debian's Chromium without a screen, which judges pages, zsh and fish, in
# which completions are typed, and Prometheus' promtool, which judges metrics. Says what it does; what cannot be installed is named, and
# its tests are skipped. Never fails: what is built needs none of it.
set -euo pipefail

skip() {
  echo "SKIPPED: $1, so $2 in this run." >&2
  exit 0
}

has_browser() {
  local name found
  # As Tests/GymmigrateTests/Support/Browser.swift looks for one; a name that is empty wants none.
  if [[ -n ${GYMMIGRATE_CHROMIUM+named} ]]; then
    [[ -n $GYMMIGRATE_CHROMIUM ]] || echo "SKIPPED: GYMMIGRATE_CHROMIUM is empty, so no browser judges pages in this run." >&2
    return 0
  fi
  for name in chromium-headless-shell chromium google-chrome-stable google-chrome; do
    for found in $(type -ap "$name"); do [[ $found == /snap/* ]] || return 0; done
  done
  [[ -x "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome" ]]
}

missing=() untested=()
want() { # PACKAGE WHAT-IS-SKIPPED
  missing+=("$1")
  untested+=("$2")
}
has_browser || want chromium-headless-shell "no browser judges pages"
for shell in zsh fish; do command -v "$shell" >/dev/null || want "$shell" "nothing is typed into $shell"; done
promtool=.build/tools/promtool
command -v promtool >/dev/null || [[ -x $promtool ]] || want prometheus "promtool judges no metrics"
[[ ${#missing[@]} -gt 0 ]] || exit 0

# The package would start a server, so only the program is taken out of it.
unpack_promtool() {
  mkdir -p "${promtool%/*}"
  (cd "${promtool%/*}" && apt-get download "${quick[@]}" prometheus >/dev/null 2>&1 &&
    dpkg-deb --fsys-tarfile prometheus_*.deb | tar -x --strip-components=3 ./usr/bin/promtool &&
    rm prometheus_*.deb)
}

printf -v skipped '%s, ' "${untested[@]}"
skipped=${skipped%, }
command -v apt-get >/dev/null || skip "${missing[*]} and apt-get are missing" "$skipped"
as_root=()
if [[ $(id -u) -ne 0 ]]; then
  command -v sudo >/dev/null || skip "there are missing (as root: apt-get install ${missing[*]})" "$skipped"
  as_root=(sudo)
fi
echo "Installing what the tests alone need: ${missing[*]}"
# Without a network, give up soon.
quick=(-qq -o Acquire::Retries=0 -o Acquire::http::Timeout=20 -o Acquire::https::Timeout=20)
"${as_root[@]}" apt-get update "${quick[@]}" || skip "the lists of packages cannot be loaded" "$skipped"
for index in "${!missing[@]}"; do
  package=${missing[index]}
  if ! apt-cache show "$package" >/dev/null 2>&1; then
    echo "SKIPPED: this system has no package $package, so ${untested[index]} in this run." >&2
    continue
  fi
  if [[ $package == prometheus ]]; then
    unpack_promtool || echo "SKIPPED: $package cannot be unpacked, so ${untested[index]} in this run." >&2
    continue
  fi
  DEBIAN_FRONTEND=noninteractive "${as_root[@]}" apt-get install -y "${quick[@]}" --no-install-recommends "$package" >/dev/null ||
    echo "SKIPPED: $package cannot be installed, so ${untested[index]} in this run." >&2
done
