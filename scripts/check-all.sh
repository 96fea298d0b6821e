#!/usr/bin/env bash
# Every check that `make test` and `make judges` leave out, one after the other, before a release: some hours. Goes on after one that fails, prints
# a table of them, and ends in 1 where one failed. The logs stay in .build/checks.
#
#   CHECKS="faults memory"   only these, by the names of their targets without "check-"
set -euo pipefail
cd "$(dirname "$0")/.."

# Those that need what a machine may not have say so themselves, and are skipped there or fail.
checks=${CHECKS:-instructions memory faults filters tables disk scale mirror restore emulator contract client-suite storage libreoffice sanitizers fuzz kills slurm package container reproducible}
logs=.build/checks
mkdir -p "$logs"
failed=0
table=()

run() { # NAME TARGET
  local began=$SECONDS ended=passed
  make "$2" >"$logs/$1.log" 2>&1 || ended=FAILED
  [[ $ended == passed ]] || failed=1
  ! grep -q '^SKIPPED' "$logs/$1.log" || ended=${ended/passed/skipped}
  table+=("$(printf '%-14s %-7s %6d s   %s' "$1" "$ended" "$((SECONDS - began))" "$(date -u +%FT%RZ)")")
  echo "${table[-1]}"
  [[ $ended != FAILED ]] || tail -5 "$logs/$1.log"
}

[[ -n ${CHECKS:-} ]] || run style check
for check in $checks; do run "$check" "check-$check"; done

echo
echo "== $(git rev-parse --short HEAD 2>/dev/null || echo 'no commit'), logs in $logs"
printf '%s\n' "${table[@]}"
exit "$failed"
