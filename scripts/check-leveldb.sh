#!/usr/bin/env bash
# Has PyPI's leveldb-export read what `export --format managed` writes. It needs an older protobuf than Google's client,
# so it gets an environment of its own in .build. Skipped where PyPI cannot be reached.
set -euo pipefail
cd "$(dirname "$0")/.."

venv=.build/leveldb-export
if [[ ! -f $venv/installed ]]; then
  python3 -m venv "$venv"
  if ! "$venv/bin/python" -m pip install --quiet --disable-pip-version-check leveldb-export==0.1.1; then
    echo "SKIPPED: PyPI cannot be reached, so leveldb-export does not read managed exports." >&2
    exit 0
  fi
  touch "$venv/installed"
fi
python3 Tests/Judges/leveldb_reading.py bin/gymmigrate "$venv/bin/python"
