#!/usr/bin/env bash
# Measures an export of documents with ids as the service makes them, from the embedded store 80 ms away: one page after the
# other, and ranges side by side. Ends in 1 where a target is missed: at most 1.1 times the pages' 80 ms one by one, six times
# as fast with --parallel 8, within 64 MiB. Installs nothing.
#
#   scripts/bench-reads.sh [DOCUMENTS]
set -euo pipefail
cd "$(dirname "$0")/.."

documents=${1:-200000}
. scripts/lib/work-folder.sh
need bench-reads python3 time
find_binary

python3 scripts/lib/bench_lines.py members "$documents" >"$work/members.jsonl"
cd "$work"
"$binary" import members.jsonl --validate off -e local -q --no-progress
serve_far store
for parallel in 1 8 16; do
  /usr/bin/time -a -o times -f "$parallel %e %M" "$binary" export members --schema gym --project sajarubox --database local \
    --endpoint "http://$(cat store.far)" --parallel "$parallel" -o "$parallel.jsonl" --json -q --no-progress >"$parallel.json"
  cmp "$parallel.jsonl" 1.jsonl
done
python3 - "$documents" <<'PYTHON'
import json, sys

pages = int(sys.argv[1]) / 300
times = {int(line.split()[0]): [float(part) for part in line.split()[1:]] for line in open("times")}
for parallel, (seconds, kilobytes) in times.items():
    requests = json.load(open(f"{parallel}.json"))["requests"]
    print(f"--parallel {parallel}: {seconds:.1f} s, {seconds / (pages * 0.08):.2f} x the pages' 80 ms, "
          f"{times[1][0] / seconds:.1f} x as fast, {requests} requests, peak {kilobytes / 1024:.0f} MiB")
missed = []
if times[1][0] > 1.1 * pages * 0.08:
    missed.append("one after the other took more than 1.1 times the pages' 80 ms")
if times[8][0] > times[1][0] / 6:
    missed.append("--parallel 8 was less than six times as fast")
if max(kilobytes for _, kilobytes in times.values()) > 64 * 1024:
    missed.append("more than 64 MiB")
if missed:
    sys.exit("bench-reads: " + "; ".join(missed))
PYTHON
