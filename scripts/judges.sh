#!/usr/bin/env bash
# What takes longer than `make test`: the Swift tests of scripts/lib/long-tests.txt, and beside them the judges that are not
# ours: openpyxl (and LibreOffice, where it is installed) for workbooks, a reader of its own for random tables, Google's Python
# client for the embedded store, its protobuf messages for all that is sent, a model of groups and Python's calendar for
# classes, Google's emulator for the sample of security rules, for the commands and for the embedded store, random histories for
# mirrors, and a model of runs that fail, are killed, resumed and undone, random accidents for restores, a reader of its own for
# Google's export folders, google-auth for federated signing, bash, zsh and fish for completions, and the benchmark with few
# documents. The kernel says how much memory commands took.
set -euo pipefail
cd "$(dirname "$0")/.."

. scripts/lib/python-judges.sh
scripts/install-test-tools.sh

. scripts/lib/work-folder.sh
judges=

. scripts/lib/tests-build.sh
swift build "${tests_build[@]}" --build-tests
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
  "$GYMMIGRATE_PYTHON" Tests/Judges/renamed_headings.py "$GYMMIGRATE_BINARY" 400
  "$GYMMIGRATE_PYTHON" Tests/Judges/schema_check.py "$GYMMIGRATE_BINARY"
  "$GYMMIGRATE_PYTHON" Tests/Judges/mirror_histories.py "$GYMMIGRATE_BINARY"
  "$GYMMIGRATE_PYTHON" Tests/Judges/security_rules.py samples/firestore.rules
  "$GYMMIGRATE_PYTHON" Tests/Judges/emulator.py --quick "$GYMMIGRATE_BINARY"
  "$GYMMIGRATE_PYTHON" Tests/Judges/store_differences.py "$GYMMIGRATE_BINARY" 500
  "$GYMMIGRATE_PYTHON" Tests/Judges/time_histories.py "$GYMMIGRATE_BINARY"
  "$GYMMIGRATE_PYTHON" Tests/Judges/run_histories.py --self-check "$GYMMIGRATE_BINARY"
  "$GYMMIGRATE_PYTHON" Tests/Judges/run_histories.py "$GYMMIGRATE_BINARY" 5
  "$GYMMIGRATE_PYTHON" Tests/Judges/restore_accidents.py "$GYMMIGRATE_BINARY" 15
  "$GYMMIGRATE_PYTHON" Tests/Judges/managed_folders.py "$GYMMIGRATE_BINARY" 15
  "$GYMMIGRATE_PYTHON" Tests/Judges/memory.py "$GYMMIGRATE_BINARY"
  "$GYMMIGRATE_PYTHON" Tests/Judges/bills.py "$GYMMIGRATE_BINARY" 20
  "$GYMMIGRATE_PYTHON" Tests/Judges/subsets.py "$GYMMIGRATE_BINARY" 10
  "$GYMMIGRATE_PYTHON" Tests/Judges/federated_requests.py "$GYMMIGRATE_BINARY"
  "$GYMMIGRATE_PYTHON" Tests/Judges/storage_emulator.py "$GYMMIGRATE_BINARY"
  "$GYMMIGRATE_PYTHON" Tests/Judges/shards_in_bucket.py "$GYMMIGRATE_BINARY"
  bench
}
# The benchmark with few documents: that it runs, whatever it measures.
bench() {
  local status=0
  GYMMIGRATE=$GYMMIGRATE_BINARY DOCUMENTS=3000 LARGE=0 ROUNDS=1 MEASURE=0 scripts/bench.sh >"$work/bench" 2>&1 || status=$?
  [[ $status -eq 0 ]] || cat "$work/bench"
  # Something that it needs is missing.
  [[ $status -ne 69 ]] || { echo "SKIPPED: the benchmark is not run."; status=0; }
  return "$status"
}
if [[ -n ${GYMMIGRATE_PYTHON:-} ]]; then
  find_binary
  serve "$work/store" --memory
  (set -e; judge "$(cat "$work/store.host")") >"$work/judges" 2>&1 &
  judges=$!
  servers+=($judges)
fi

failed=0
swift_tests --filter "$(long_tests)" || failed=1

if [[ -n $judges ]]; then
  wait "$judges" || failed=1
  cat "$work/judges"
fi
exit $failed
