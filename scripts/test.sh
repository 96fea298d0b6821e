#!/usr/bin/env bash
# The one test command: the Swift tests over all targets, the oracle's own tests, and the judges that are not ours:
# openpyxl for workbooks, Google's Python client for the embedded store, its protobuf messages for all that is sent,
# Chromium for pages.
set -euo pipefail
cd "$(dirname "$0")/.."

venv=.venv
python=$venv/bin/python
if ! cmp -s Tests/Judges/requirements.txt "$venv/installed.txt"; then
  echo "Installing the Python judges into $venv"
  python3 -m venv "$venv"
  if "$python" -m pip install --quiet --disable-pip-version-check -r Tests/Judges/requirements.txt; then
    cp Tests/Judges/requirements.txt "$venv/installed.txt"
  else
    echo "SKIPPED: PyPI cannot be reached, so openpyxl and Google's client do not judge this run." >&2
  fi
fi
[[ -f $venv/installed.txt ]] && export GYMMIGRATE_PYTHON=$PWD/$python
scripts/install-browser.sh

swift build --build-tests
python3 -m unittest discover -s Tests/Oracle -q

if [[ -n ${GYMMIGRATE_PYTHON:-} ]]; then
  log=$(mktemp)
  "$(swift build --show-bin-path)/gymmigrate" serve --port 0 --memory 2>"$log" &
  server=$!
  trap 'kill $server 2>/dev/null || true; rm -f "$log"' EXIT
  until grep -q FIRESTORE_EMULATOR_HOST= "$log"; do
    kill -0 $server || { cat "$log" >&2; exit 1; }
    sleep 0.1
  done
  host=$(sed -n 's/^FIRESTORE_EMULATOR_HOST=//p' "$log")
  "$GYMMIGRATE_PYTHON" Tests/Judges/python_client.py "http://$host"
  kill $server
  "$GYMMIGRATE_PYTHON" -m unittest discover -s Tests/Judges -q
  "$GYMMIGRATE_PYTHON" Tests/Judges/strict_requests.py "$(swift build --show-bin-path)/gymmigrate"
fi

# All tests at once would starve each other, and their time limits run from their start.
export SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH=${SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH:-$(($(getconf _NPROCESSORS_ONLN) * 2))}
swift test --skip-build
