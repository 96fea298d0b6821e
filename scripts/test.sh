#!/usr/bin/env bash
# The one test command: the Swift tests over all targets, the oracle's own tests, and the judges that are not ours:
# openpyxl (and LibreOffice, where it is installed) for workbooks, a reader of its own for random tables, Google's Python client for
# the embedded store, its protobuf messages for all that is sent, a model of groups and Python's calendar for classes, Google's emulator
# for the sample of security rules, for the commands and for the embedded store, random histories for mirrors, random accidents for restores, a reader of its own for
# Google's export folders, google-auth for federated signing, Chromium for pages, bash, zsh and fish for completions. The kernel says how much memory commands took.
# Beside them the sample package, which uses the libraries as another package would.
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
scripts/install-test-tools.sh

work=$(mktemp -d)
server=
judges=
sample=
cleanUp() {
  for process in $judges $sample $server; do kill "$process" 2>/dev/null || true; done
  rm -rf "$work"
}
trap cleanUp EXIT

# Beside the build of the tests, which leaves a core idle at times.
nice -n 10 scripts/check-sample-package.sh --build &
sample=$!
. scripts/lib/tests-build.sh
swift build "${tests_build[@]}" --build-tests
python3 -m unittest discover -s Tests/Oracle -q
export GYMMIGRATE_BINARY=${GYMMIGRATE_BINARY:-$(swift build "${tests_build[@]}" --show-bin-path)/gymmigrate}

judge() {
  "$GYMMIGRATE_PYTHON" Tests/Judges/python_client.py "http://$1"
  "$GYMMIGRATE_PYTHON" -m unittest discover -s Tests/Judges -q
  "$GYMMIGRATE_PYTHON" Tests/Judges/completions.py "$GYMMIGRATE_BINARY"
  "$GYMMIGRATE_PYTHON" Tests/Judges/strict_requests.py "$GYMMIGRATE_BINARY"
  "$GYMMIGRATE_PYTHON" Tests/Judges/gym_services.py "$GYMMIGRATE_BINARY"
  "$GYMMIGRATE_PYTHON" Tests/Judges/gym_reports.py "$GYMMIGRATE_BINARY"
  "$GYMMIGRATE_PYTHON" Tests/Judges/owner_reports.py "$GYMMIGRATE_BINARY"
  "$GYMMIGRATE_PYTHON" Tests/Judges/edited_workbooks.py "$GYMMIGRATE_BINARY" 1 2 3 4 5 6
  "$GYMMIGRATE_PYTHON" Tests/Judges/random_tables.py --self-check "$GYMMIGRATE_BINARY" 60
  "$GYMMIGRATE_PYTHON" Tests/Judges/random_tables.py "$GYMMIGRATE_BINARY" 1000
  "$GYMMIGRATE_PYTHON" Tests/Judges/schema_check.py "$GYMMIGRATE_BINARY"
  "$GYMMIGRATE_PYTHON" Tests/Judges/mirror_histories.py "$GYMMIGRATE_BINARY"
  "$GYMMIGRATE_PYTHON" Tests/Judges/security_rules.py samples/firestore.rules
  "$GYMMIGRATE_PYTHON" Tests/Judges/emulator.py --quick "$GYMMIGRATE_BINARY"
  "$GYMMIGRATE_PYTHON" Tests/Judges/store_differences.py "$GYMMIGRATE_BINARY" 500
  "$GYMMIGRATE_PYTHON" Tests/Judges/time_histories.py "$GYMMIGRATE_BINARY"
  "$GYMMIGRATE_PYTHON" Tests/Judges/restore_accidents.py "$GYMMIGRATE_BINARY" 15
  "$GYMMIGRATE_PYTHON" Tests/Judges/managed_folders.py "$GYMMIGRATE_BINARY" 15
  "$GYMMIGRATE_PYTHON" Tests/Judges/memory.py "$GYMMIGRATE_BINARY"
  "$GYMMIGRATE_PYTHON" Tests/Judges/bills.py "$GYMMIGRATE_BINARY" 20
  "$GYMMIGRATE_PYTHON" Tests/Judges/subsets.py "$GYMMIGRATE_BINARY" 10
  "$GYMMIGRATE_PYTHON" Tests/Judges/federated_requests.py "$GYMMIGRATE_BINARY"
  "$GYMMIGRATE_PYTHON" Tests/Judges/storage_emulator.py "$GYMMIGRATE_BINARY"
  "$GYMMIGRATE_PYTHON" Tests/Judges/shards_in_bucket.py "$GYMMIGRATE_BINARY"
}
if [[ -n ${GYMMIGRATE_PYTHON:-} ]]; then
  "$GYMMIGRATE_BINARY" serve --port 0 --memory 2>"$work/server" &
  server=$!
  until grep -q FIRESTORE_EMULATOR_HOST= "$work/server"; do
    kill -0 $server || { cat "$work/server" >&2; exit 1; }
    sleep 0.1
  done
  # Beside the Swift tests: it mostly waits.
  (set -e; judge "$(sed -n 's/^FIRESTORE_EMULATOR_HOST=//p' "$work/server")") >"$work/judges" 2>&1 &
  judges=$!
fi

wait "$sample"
scripts/check-sample-package.sh >"$work/sample" 2>&1 &
sample=$!

# All tests at once would starve each other, and their time limits run from their start.
export SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH=${SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH:-$(($(getconf _NPROCESSORS_ONLN) * 3))}
failed=0
swift test "${tests_build[@]}" --skip-build 2>&1 | tee "$work/tests" || failed=1

if [[ -n $judges ]]; then
  wait "$judges" || failed=1
  judges=
  cat "$work/judges"
fi
wait "$sample" || failed=1
sample=
cat "$work/sample"
# What went wrong once more at the end, where it is found.
[[ $failed -eq 0 ]] || grep -aE '^✘|error:|Fatal error' "$work/tests" || true
exit $failed
