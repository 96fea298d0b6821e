#!/usr/bin/env bash
# Measures what it takes to put 500 documents of many right again, from the embedded store: from an export, beside the `diff` of the
# two; and to a moment, 80 ms away, side by side beside one request at a time. Ends in 1 where a target is missed: 1.5 times the
# `diff`, within 64 MiB, six times as fast with --parallel 8, and what is restored is what it was. Installs nothing.
#
#   scripts/bench-restore.sh [DOCUMENTS [DOCUMENTS-FAR-AWAY]]
set -euo pipefail
cd "$(dirname "$0")/.."

documents=${1:-1000000}
away=${2:-120000}
. scripts/lib/work-folder.sh
need bench-restore python3 time
find_binary

PYTHONPATH=scripts/lib python3 - "$documents" "$away" "$work" <<'PYTHON'
import random, sys
from bench_lines import identifier, line

for count, name in ((int(sys.argv[1]), "near"), (int(sys.argv[2]), "far")):
    chance = random.Random(1)
    ids = [identifier(chance) for _ in range(count)]
    with open(f"{sys.argv[3]}/{name}.jsonl", "w") as file:
        for n, id in enumerate(ids):
            file.write(line(f"members/{id}", n))
    # The accident: 300 changed, and 100 created; 100 more are deleted.
    with open(f"{sys.argv[3]}/{name}-accident.jsonl", "w") as file:
        for n in range(300):
            file.write(line(f"members/{ids[100 + n * (count - 100) // 300]}", n - 1000))
        for n in range(100):
            file.write(line(f"members/new{n:04}", n - 1000))
PYTHON
cd "$work"

load() { # NAME: serves a store with its documents
  "$binary" import "$1.jsonl" --validate off -e local --state-dir "$1" -q --no-progress
  serve_far "$1" --state-dir "$1"
}
place() { echo --schema gym --project sajarubox --database local --endpoint "http://$(cat "$1")"; }
accident() { # NAME
  "$binary" import "$1-accident.jsonl" --mode upsert --validate off $(place "$1.host") -y -q --no-progress
  "$binary" delete members --where 'n >= 0 and n < 100' --hard --max-delete 100 $(place "$1.host") -y -q --no-progress
}
ended() { # NAME CODE ARGUMENTS...
  local name=$1 code=0
  /usr/bin/time -a -o times -f "$name %e %U %M" "$binary" "${@:3}" -q --no-progress --json >"$name.json" || code=$?
  sed -i '/^Command exited/d' times
  [[ $code -eq $2 ]] || { echo "bench-restore: $name ended in $code" >&2; exit 1; }
}

load near
"$binary" export --all $(place near.host) -o backup/ --format jsonl -q --no-progress
accident near
cat >gymmigrate.yaml <<YAML
project: sajarubox
schema: gym
environments:
  near: { database: local, endpoint: "http://$(cat near.host)" }
YAML
ended diff 1 diff --all --from backup --to near -o differences.txt
ended plan 0 restore --all --from backup $(place near.host) -n
ended restore 0 restore --all --from backup $(place near.host) -y --max-delete 100
ended same 0 diff --all --from backup --to near -o none.txt

load far
moment=$(date -u +%Y-%m-%dT%H:%M:%S.%6NZ)
accident far
for parallel in 1 8; do
  ended "far-$parallel" 0 restore --all --at "$moment" $(place far.far) -n --parallel "$parallel"
done

python3 - <<'PYTHON'
import json, sys

times = {name: [float(part) for part in rest] for name, *rest in (line.split() for line in open("times"))}
for name, (seconds, processor, kilobytes) in times.items():
    print(f"{name:8} {seconds:7.1f} s, CPU {processor:6.1f} s, peak {kilobytes / 1024:.0f} MiB")
missed = []
for name in ("plan", "restore", "far-1", "far-8"):
    found = json.load(open(f"{name}.json"))["restore"]
    numbers = tuple(found[kind] for kind in ("creates", "updates", "deletes"))
    if numbers != (100, 300, 100):
        missed.append(f"{name} found {numbers}")
for name in ("plan", "restore"):
    print(f"{name}: {times[name][0] / times['diff'][0]:.2f} x the time of diff")
    if times[name][0] > 1.5 * times["diff"][0]:
        missed.append(f"{name} took more than 1.5 times the diff")
ratio = times["far-1"][0] / times["far-8"][0]
print(f"--parallel 8 at 80 ms: {ratio:.1f} x as fast")
if ratio < 6:
    missed.append("--parallel 8 was less than six times as fast")
if max(times[name][2] for name in ("diff", "plan", "restore", "same")) > 64 * 1024:
    missed.append("more than 64 MiB")
if missed:
    sys.exit("bench-restore: " + "; ".join(missed))
PYTHON
