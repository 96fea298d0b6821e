#!/usr/bin/env bash
# The contract tests of the embedded store against Google's emulator, where it is found, and against the server that
# FIRESTORE_EMULATOR_HOST names.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/lib/tests-build.sh
swift build "${tests_build[@]}" --build-tests
python=python3
[[ -x .venv/bin/python ]] && python=.venv/bin/python
"$python" Tests/Judges/contract_suite.py swift test "${tests_build[@]}" --skip-build \
  --filter 'LocalFirestoreTests.(Document|Read|Refusal|Write)ContractTests'
