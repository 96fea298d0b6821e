#!/usr/bin/env bash
# Runs all the Swift tests under the address sanitizer (with leaks) and under the thread sanitizer, each in a build of
# its own. The program that tests start is instrumented, too, and a report of its own fails the test that started it.
#
#   scripts/check-sanitizers.sh [address|thread...]
#
# SUITES="ModelsTests TransferTests" takes these test targets only. What is random is smaller than in `make test`,
# because a sanitizer takes several times as long; tests that measure memory leave themselves out.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/lib/tests-build.sh

sanitizers=("$@")
[[ ${#sanitizers[@]} -gt 0 ]] || sanitizers=(address thread)
suites=${SUITES:-ModelsTests TransferTests LocalFirestoreTests MigrationsTests TestSupportTests FaultTests GymmigrateTests
  DocumentationTests}

export SWIFT_BACKTRACE=enable=no
export SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH=${SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH:-$(($(getconf _NPROCESSORS_ONLN) * 2))}
export GYMMIGRATE_ROUND_TRIP_DOCUMENTS=${GYMMIGRATE_ROUND_TRIP_DOCUMENTS:-2000}
export GYMMIGRATE_TEST_SEEDS=${GYMMIGRATE_TEST_SEEDS:-2}
export GYMMIGRATE_BAD_DOCUMENTS=${GYMMIGRATE_BAD_DOCUMENTS:-2000}
export GYMMIGRATE_COPY_DOCUMENTS=${GYMMIGRATE_COPY_DOCUMENTS:-500}
export GYMMIGRATE_FUZZ_INPUTS=${GYMMIGRATE_FUZZ_INPUTS:-2000}
[[ -f .venv/installed.txt ]] && export GYMMIGRATE_PYTHON=$PWD/.venv/bin/python
export ASAN_OPTIONS=detect_leaks=1
export LSAN_OPTIONS=suppressions=$PWD/scripts/sanitizers/leaks.txt:print_suppressions=0
export TSAN_OPTIONS=halt_on_error=0

failed=0
for sanitizer in "${sanitizers[@]}"; do
  scratch=$PWD/.build/sanitize-$sanitizer
  mkdir -p "$scratch"
  options=("${tests_flags[@]}" --sanitize="$sanitizer" --scratch-path "$scratch")
  linked=()
  if [[ $sanitizer == thread && $(uname) == Linux ]]; then
    for name in mutex continuation; do
      "${CC:-clang}" -O1 -Wall -Werror -c "scripts/sanitizers/$name.c" -o "$scratch/$name.o"
      linked+=(-Xlinker "$scratch/$name.o")
    done
  fi
  nice -n 5 swift build --build-tests "${options[@]}" "${linked[@]}"
  # One target a process: a sanitizer's memory grows with what a process has ever touched.
  for suite in $suites; do
    log=$scratch/$suite.log
    status=0
    started=$SECONDS
    nice -n 5 swift test --skip-build "${options[@]}" --filter "^$suite\\." >"$log" 2>&1 || status=$?
    tests=$(grep -oE 'Test run with [0-9]+ tests?' "$log" | tail -1 | grep -oE '[0-9]+' || true)
    if [[ $status -eq 0 && ${tests:-0} -gt 0 ]]; then
      echo "$sanitizer $suite: $tests tests in $((SECONDS - started)) s, clean"
    else
      failed=1
      echo "$sanitizer $suite failed with $status (${tests:-no} tests); see $log" >&2
      grep -E '✘|SUMMARY: |ERROR: ' "$log" | sort | uniq -c | sort -rn | head -20 >&2 || true
    fi
  done
done
exit $failed
