#!/usr/bin/env bash
# Installs Debian's Chromium without a screen, which judges pages in the tests, where no browser is. Says what it does;
# where there is nothing to install, it says so, and those tests are skipped. Never fails: what is built needs none.
set -euo pipefail

skip() {
  echo "SKIPPED: $1, so no browser judges the page of a plan in this run." >&2
  exit 0
}

# As Tests/GymmigrateTests/Support/Browser.swift looks for one; a name that is empty wants none.
if [[ -n ${GYMMIGRATE_CHROMIUM+named} ]]; then
  [[ -n $GYMMIGRATE_CHROMIUM ]] || skip "GYMMIGRATE_CHROMIUM is empty"
  exit 0
fi
for name in chromium-headless-shell chromium google-chrome-stable google-chrome; do
  for found in $(type -ap "$name"); do [[ $found == /snap/* ]] || exit 0; done
done
[[ -x "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome" ]] && exit 0

package=chromium-headless-shell
command -v apt-get >/dev/null || skip "there is no Chromium (or Chrome), and no apt-get to install it"
as_root=()
if [[ $(id -u) -ne 0 ]]; then
  command -v sudo >/dev/null || skip "$package is missing (as root: apt-get install $package)"
  as_root=(sudo)
fi
echo "Installing what the tests alone want: $package"
# Without a network it is to be told soon.
quick=(-qq -o Acquire::Retries=0 -o Acquire::http::Timeout=20 -o Acquire::https::Timeout=20)
"${as_root[@]}" apt-get update "${quick[@]}" || skip "the lists of packages cannot be loaded"
apt-cache show "$package" >/dev/null 2>&1 || skip "this system has no package $package"
DEBIAN_FRONTEND=noninteractive "${as_root[@]}" apt-get install -y "${quick[@]}" --no-install-recommends "$package" \
  >/dev/null || skip "$package cannot be installed"
