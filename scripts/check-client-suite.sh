#!/usr/bin/env bash
# Runs the system tests of Google's Python client against the embedded store and Google's emulator. They are not ours: GYMMIGRATE_CLIENT_SUITE names
# the folder tests/system of a checkout of python-firestore; without it, this says so and ends well.
set -euo pipefail
cd "$(dirname "$0")/.."
suite=${GYMMIGRATE_CLIENT_SUITE:-}
if [[ -z $suite ]]; then
  echo "SKIPPED: GYMMIGRATE_CLIENT_SUITE names no folder tests/system of python-firestore."
  exit 0
fi
python=${GYMMIGRATE_PYTHON:-.venv/bin/python}
"$python" -m pip install --quiet --disable-pip-version-check pytest pytest-asyncio mock google-cloud-testutils
exec "$python" Tests/Judges/client_suite.py "${GYMMIGRATE_BINARY:-bin/gymmigrate}" "$suite"
