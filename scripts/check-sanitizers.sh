#!/usr/bin/env bash
# Runs the tests under the address sanitizer (with leaks) and under the thread sanitizer, each in a build of its own.
#
#   scripts/check-sanitizers.sh [address|thread...]
set -euo pipefail
cd "$(dirname "$0")/.."

sanitizers=("$@")
[[ ${#sanitizers[@]} -gt 0 ]] || sanitizers=(address thread)
export SWIFT_BACKTRACE=enable=no
here=$PWD/scripts/sanitizers
failed=0
for sanitizer in "${sanitizers[@]}"; do
  scratch=.build/sanitize-$sanitizer
  nice -n 10 swift build --build-tests --sanitize="$sanitizer" --scratch-path "$scratch"
  # One target a process: a sanitizer's memory grows with what a process has ever touched.
  for suite in ModelsTests TransferTests LocalFirestoreTests MigrationsTests GymmigrateTests; do
    log=$scratch/$suite.log
    status=0
    ASAN_OPTIONS="detect_leaks=1" LSAN_OPTIONS="suppressions=$here/leaks.txt:print_suppressions=0" \
      TSAN_OPTIONS="suppressions=$here/threads.txt:halt_on_error=0" \
      nice -n 10 swift test --skip-build --sanitize="$sanitizer" --scratch-path "$scratch" --filter "^$suite\\." \
      >"$log" 2>&1 || status=$?
    if [[ $status -eq 0 ]]; then
      echo "$sanitizer $suite: $(grep -oE 'with [0-9]+ tests?' "$log" | tail -1), clean"
    else
      failed=1
      echo "$sanitizer $suite failed with $status; see $log" >&2
      grep -E '✘|SUMMARY: |ERROR: ' "$log" | sort | uniq -c | sort -rn | head -20 >&2 || true
    fi
  done
done
exit $failed
