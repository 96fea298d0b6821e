#!/usr/bin/env bash
# Proves that writes never lie: thousands of seeded runs on a service that fails, and many bad documents among more.
#
#   scripts/check-faults.sh [RUNS [FIRST-SEED]]
#
# RUNS is 2480 unless given: every fault in every operation at every place, four times. A seed that fails is printed;
# scripts/check-faults.sh 1 SEED runs it alone. GYMMIGRATE_BINARY names the program that the bad documents go through.
set -euo pipefail
cd "$(dirname "$0")/.."

export GYMMIGRATE_FAULT_RUNS=${1:-${GYMMIGRATE_FAULT_RUNS:-2480}}
export GYMMIGRATE_FAULT_SEED=${2:-${GYMMIGRATE_FAULT_SEED:-1}}
filter=FaultMatrixTests
if [[ $GYMMIGRATE_FAULT_RUNS -gt 1 ]]; then
  export GYMMIGRATE_BAD_DOCUMENTS=${GYMMIGRATE_BAD_DOCUMENTS:-100000}
  filter='FaultTests|BadDocumentsTests'
fi

. scripts/lib/tests-build.sh
seeded_tests "$filter" '^(fault matrix|live writer|peak of)|recorded an issue|^  |Test run with' \
  'seed [0-9]+: [a-z0-9A-Z]+ (at|every|from)'
