#!/usr/bin/env bash
# The one test command: the Swift tests over all targets, then the oracle's own tests.
set -euo pipefail
cd "$(dirname "$0")/.."

swift build --build-tests
swift test --skip-build
python3 -m unittest discover -s Tests/Oracle -q
