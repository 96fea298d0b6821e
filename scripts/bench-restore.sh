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
. scripts/lib/page-files.sh
need bench-restore python3 time
. scripts/lib/bench-folder.sh

python3 - "$documents" "$away" "$folder" <<'PYTHON'
import random, string, sys

notes = "lorem ipsum, dolor sit amet, consectetur adipiscing elit " * 4
line = '{"fields":{"isActive":{"booleanValue":true},"n":{"integerValue":"%d"},"notes":{"stringValue":"%s"}},"name":"members/%s"}\n'
for count, name in ((int(sys.argv[1]), "near"), (int(sys.argv[2]), "far")):
    chance = random.Random(1)
    ids = ["".join(chance.choices(string.ascii_letters + string.digits, k=20)) for _ in range(count)]
    with open(f"{sys.argv[3]}/{name}.jsonl", "w") as file:
        for n, id in enumerate(ids):
            file.write(line % (n, notes, id))
    # The accident: 300 changed, and 100 created; 100 more are deleted.
    with open(f"{sys.argv[3]}/{name}-accident.jsonl", "w") as file:
        for n in range(300):
            file.write(line % (n - 1000, notes, ids[100 + n * (count - 100) // 300]))
        for n in range(100):
            file.write(line % (n - 1000, notes, f"new{n:04}"))
PYTHON
cd "$folder"

serve() { # NAME: a store with documents, its address in NAME.url, and 80 ms away in NAME.far
  "$binary" import "$1.jsonl" --validate off -e local --state-dir "$1" -q --no-progress
  : >"$1.served"
  "$binary" serve --port 0 --state-dir "$1" >>"$1.served" 2>&1 &
  servers+=($!)
  until grep -q 127.0.0.1: "$1.served"; do sleep 0.05; done
  local port
  port=$(grep -o '127.0.0.1:[0-9]*' "$1.served" | head -1 | cut -d: -f2)
  echo "http://127.0.0.1:$port" >"$1.url"
  python3 "$proxy" "$port" 80 >"$1.port" &
  servers+=($!)
  until [[ -s $1.port ]]; do sleep 0.05; done
  echo "http://127.0.0.1:$(cat "$1.port")" >"$1.far"
}
place() { echo --schema gym --project sajarubox --database local --endpoint "$(cat "$1")"; }
accident() { # NAME
  "$binary" import "$1-accident.jsonl" --mode upsert --validate off $(place "$1.url") -y -q --no-progress
  "$binary" delete members --where 'n >= 0 and n < 100' --hard --max-delete 100 $(place "$1.url") -y -q --no-progress
}
measure() { # NAME CODE ARGUMENTS...
  local name=$1 code=0
  /usr/bin/time -a -o times -f "$name %e %U %M" "$binary" "${@:3}" -q --no-progress --json >"$name.json" || code=$?
  sed -i '/^Command exited/d' times
  [[ $code -eq $2 ]] || { echo "bench-restore: $name ended in $code" >&2; exit 1; }
}

serve near
"$binary" export --all $(place near.url) -o backup/ --format jsonl -q --no-progress
accident near
cat >gymmigrate.yaml <<YAML
project: sajarubox
schema: gym
environments:
  near: { database: local, endpoint: "$(cat near.url)" }
YAML
measure diff 1 diff --all --from backup --to near -o differences.txt
measure plan 0 restore --all --from backup $(place near.url) -n
measure restore 0 restore --all --from backup $(place near.url) -y --max-delete 100
measure same 0 diff --all --from backup --to near -o none.txt

serve far
moment=$(date -u +%Y-%m-%dT%H:%M:%S.%6NZ)
accident far
for parallel in 1 8; do
  measure "far-$parallel" 0 restore --all --at "$moment" $(place far.far) -n --parallel "$parallel"
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
