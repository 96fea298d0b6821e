#!/usr/bin/env bash
# Measures what a program costs that decides on documents: a fix whose Python program answers {"same": true} to each, beside the same
# lines piped to that program, turn by turn. Ends in 1 where our part of the time is more than the program's own. Installs nothing.
#
#   scripts/bench-program.sh [DOCUMENTS]
#
#   ROUNDS=3    how often everything is timed; the medians count
set -euo pipefail
cd "$(dirname "$0")/.."

documents=${1:-200000}
rounds=${ROUNDS:-3}
. scripts/lib/work-folder.sh
need bench-program python3 time
find_binary

python3 Benchmarks/make_lines.py samples/gym/members.jsonl "$documents" >"$work/in.jsonl"
cd "$work"
cat >same.py <<'PYTHON'
import json, sys
for line in sys.stdin:
    json.loads(line)
    print(json.dumps({"same": True}))
PYTHON

serve store --memory
place=(--project bench --schema gym --endpoint "http://$(cat store.host)" -q --no-progress)
"$binary" import in.jsonl --validate off "${place[@]}"
"$binary" export members -o members.jsonl "${place[@]}"

timed() { # NAME COMMAND...
  /usr/bin/time -a -o times -f "$1 %e %U %S %M" "${@:2}" >/dev/null
}
# As gymmigrate starts it.
export PYTHONUNBUFFERED=1
for ((round = 1; round <= rounds; round++)); do
  cat members.jsonl | timed program python3 same.py
  timed whole "$binary" fix members --all-documents --run 'python3 same.py' "${place[@]}"
done

python3 <<'PYTHON'
import collections, statistics, sys

runs = collections.defaultdict(list)
for line in open("times"):
    name, *numbers = line.split()
    runs[name].append([float(number) for number in numbers])
wall, cpu = ({name: statistics.median(f(run) for run in all) for name, all in runs.items()}
             for f in (lambda run: run[0], lambda run: run[1] + run[2]))
for name in wall:
    print(f"{name:8} {wall[name]:6.2f} s, {cpu[name]:6.2f} s of CPU")
print(f"whole / program: {wall['whole'] / wall['program']:.2f}, of CPU {cpu['whole'] / cpu['program']:.2f}")
peak = max(run[3] for run in runs["whole"]) / 1024
print(f"peak of gymmigrate or its program: {peak:.1f} MiB")
if wall["whole"] > 2 * wall["program"] or peak > 64:
    sys.exit("bench-program: the whole may take twice the program's own time, and 64 MiB")
PYTHON
