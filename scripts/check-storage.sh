#!/usr/bin/env bash
# Files in buckets against a strict Cloud Storage of ours (Tests/Judges/storage_service.py): kills of an upload, faults, two scheduled
# exports at once, and the memory of an object of 2 GB in both directions.
set -euo pipefail
cd "$(dirname "$0")/.."

python=.venv/bin/python
if ! [[ -x $python ]] || ! "$python" -c 'import google_crc32c' 2>/dev/null; then
  python3 -m venv .venv
  "$python" -m pip install --quiet --disable-pip-version-check -r Tests/Judges/requirements.txt
  cp Tests/Judges/requirements.txt .venv/installed.txt
fi
exec "$python" scripts/check-storage.py "$@"
