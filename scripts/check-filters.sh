#!/usr/bin/env bash
# Random documents and filters, judged by an evaluator that was written from the service's documentation, by the embedded
# store and by the client: they select the same, always.
#
#   scripts/check-filters.sh [PAIRS [SEED]]
set -euo pipefail
cd "$(dirname "$0")/.."

export GYMMIGRATE_FILTER_PAIRS=${1:-${GYMMIGRATE_FILTER_PAIRS:-1000000}}
export GYMMIGRATE_FILTER_SEED=${2:-${GYMMIGRATE_FILTER_SEED:-1000}}
. scripts/lib/tests-build.sh
swift build "${tests_build[@]}" --build-tests
swift test "${tests_build[@]}" --skip-build --filter FilterDifferentialTests
