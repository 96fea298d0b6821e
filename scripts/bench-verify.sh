#!/usr/bin/env bash
# Measures what proving a copy costs: copies between two stores 80 ms away, with --verify and without, turn by turn. Ends in 1
# where --verify takes more than 1.05 times as long, or a command more than 64 MiB. Installs nothing.
#
#   scripts/bench-verify.sh [DOCUMENTS]
#
#   ROUNDS=5    how often everything is timed; the medians count
set -euo pipefail
cd "$(dirname "$0")/.."

documents=${1:-20000}
rounds=${ROUNDS:-5}
. scripts/lib/work-folder.sh
need bench-verify python3 time
find_binary

PYTHONPATH=scripts/lib python3 - "$documents" >"$work/members.jsonl" <<'PYTHON'
import random, sys
from bench_lines import identifier, line
chance = random.Random(1)
for n in range(int(sys.argv[1])):
    sys.stdout.write(line(f"members/{identifier(chance)}", n, flag=""))
PYTHON
cd "$work"

serve_far store --memory
{
  echo "project: bench"
  echo "schema: gym"
  echo "environments:"
  echo "  near: { database: source, endpoint: \"http://$(cat store.host)\" }"
  for name in source $(seq -f 'plain%g' 1 "$rounds") $(seq -f 'verified%g' 1 "$rounds"); do
    echo "  $name: { database: $name, endpoint: \"http://$(cat store.far)\" }"
  done
} >gymmigrate.yaml
"$binary" import members.jsonl -e near --validate off -q --no-progress

copy() { # NAME OPTIONS...
  /usr/bin/time -a -o times -f "${1%%[0-9]*} %e %M" "$binary" copy members --from source --to "$@" --yes -q --no-progress >/dev/null
}
for ((round = 1; round <= rounds; round++)); do
  copy "plain$round"
  copy "verified$round" --verify
done

python3 <<'PYTHON'
import collections, statistics, sys

runs = collections.defaultdict(list)
for line in open("times"):
    name, seconds, kilobytes = line.split()
    runs[name].append((float(seconds), float(kilobytes)))
plain, verified = (statistics.median(seconds for seconds, _ in runs[name]) for name in ("plain", "verified"))
peak = max(kilobytes for all in runs.values() for _, kilobytes in all) / 1024
print(f"copy {plain:.2f} s, with --verify {verified:.2f} s, {verified / plain:.3f} x")
print(f"peak {peak:.0f} MiB")
if verified > 1.05 * plain or peak > 64:
    sys.exit("bench-verify: --verify may take 1.05 times the time of the copy, and each command 64 MiB")
PYTHON
