#!/usr/bin/env bash
# Measures what reads side by side gain at 80 ms a request: copy, diff, migrate plan, --group and --subcollections with --parallel 8
# against one request at a time, counted ids and ids of which most have one prefix, and 15 collections with --parallel 16 against the
# slowest of them alone, exported, and planned, verified and applied by a migration each. Ends in 1 where a target is missed: six times
# as fast, 1.5 times one collection, within 64 MiB, and the same results. Installs nothing.
#
#   scripts/bench-many-reads.sh [DOCUMENTS]
#
#   ROUNDS=1    how often everything is timed; the medians count
set -euo pipefail
cd "$(dirname "$0")/.."

documents=${1:-120000}
rounds=${ROUNDS:-1}
. scripts/lib/work-folder.sh
need bench-many-reads python3 time
find_binary

PYTHONPATH=scripts/lib python3 - "$documents" "$work" <<'PYTHON'
import random, sys
from bench_lines import identifier, line
count, folder = int(sys.argv[1]), sys.argv[2]
chance = random.Random(1)
id = lambda: identifier(chance)
groups = [id() for _ in range(count // 60 + 1)]
names = {
    "automatic": lambda n: id(),
    "counted": lambda n: f"user{n + 1}",
    "skewed": lambda n: f"member{n}" if n % 10 else id(),
    "orders": lambda n: f"{groups[n // 60]}/items/{id()}",
}
for name, make in names.items():
    with open(f"{folder}/{name}.jsonl", "w") as file:
        for n in range(count):
            file.write(line(f"{name}/{make(n)}", n))
with open(f"{folder}/small.jsonl", "w") as file:
    for number in range(15):
        for n in range(300):
            file.write(line(f"small{10 + number}/{id()}", n, flag=""))
with open(f"{folder}/small.yaml", "w") as file:
    file.write("schema: small\ncollections:\n")
    for number in range(15):
        file.write(f"  small{10 + number}: {{ fields: {{ n: integer, notes: string }} }}\n")
# Files that change everything, and files that leave everything as it is.
for name in ["automatic"] + [f"small{10 + number}" for number in range(15)]:
    for kind, step in ("trim", "trim: notes"), ("keep", "set-if-missing: {n: 0}"):
        with open(f"{folder}/{kind}-{name}.yaml", "w") as file:
            file.write(f"id: {kind}-{name.lower()}\nsummary: Does {kind}.\ncollection: {name}\nsteps:\n  - {step}\n")
PYTHON
cd "$work"

for name in automatic counted skewed orders; do
  "$binary" import "$name.jsonl" --validate off -e local --state-dir large -q --no-progress
done
"$binary" import small.jsonl --validate off -e local --state-dir small -q --no-progress
for name in large small copied; do serve_far $name --state-dir $name; done

away() { echo --schema gym --project sajarubox --database local --endpoint "http://$(cat "$1.far")"; }
from() { echo --from-project sajarubox --from-database local --from-endpoint "http://$(cat "$1.far")"; }

target="--schema gym --project sajarubox --database local --endpoint http://$(cat copied.host)"
"$binary" copy automatic $(from large) $target --mode upsert --parallel 8 --yes -q --no-progress
cat >gymmigrate.yaml <<YAML
project: sajarubox
schema: gym
environments:
  one: { database: local, endpoint: "http://$(cat large.far)" }
  two: { database: local, endpoint: "http://$(cat copied.far)" }
YAML
for ((round = 0; round < rounds; round++)); do
  for parallel in 1 8; do
    for name in automatic counted skewed; do
      measure "$name-$parallel" export $name $(away large) --parallel $parallel -o "$name-$parallel.jsonl"
    done
    measure "group-$parallel" export items --group $(away large) --parallel $parallel -o "group-$parallel.jsonl"
    measure "subcollections-$parallel" export orders --subcollections $(away large) --parallel $parallel \
      -o "subcollections-$parallel.jsonl"
    # What is the same is only read and compared, so that the target does not set the pace.
    measure "copy-$parallel" copy automatic $(from large) $target --mode upsert --parallel $parallel --yes
    measure "diff-$parallel" diff automatic --from one --to two --parallel $parallel
    measure "plan-$parallel" migrate plan trim-automatic.yaml $(away large) --parallel $parallel -o "plan-$parallel.jsonl" --examples 0
  done
  for name in automatic counted skewed group subcollections plan; do cmp $name-1.jsonl $name-8.jsonl; done
  rm -rf one all
  measure one export small10 $(away small) --parallel 16 -o one/ --format jsonl
  measure all export --all --no-subcollections $(away small) --parallel 16 -o all/ --format jsonl
  [[ $(cat all/*.jsonl | wc -l) == 4500 ]]
  measure plan-one migrate plan trim-small10.yaml $(away small) --parallel 16 -o one.jsonl --examples 0
  measure plan-all migrate plan trim-small*.yaml $(away small) --parallel 16 -o all.jsonl --examples 0
  "$binary" migrate plan trim-small*.yaml $(away small) -o all-1.jsonl --examples 0 -q --no-progress >/dev/null
  cmp all.jsonl all-1.jsonl
  # One line is the end of the plan.
  [[ $(wc -l <all.jsonl) == 4501 ]]
  away="$(away small)"
  measure check-one check small10 ${away/gym/small.yaml} --parallel 16
  measure check-all check small{10..24} ${away/gym/small.yaml} --parallel 16
  for verb in verify apply; do
    measure "$verb-one" migrate "$verb" keep-small10.yaml $(away small) --parallel 16
    measure "$verb-all" migrate "$verb" keep-small*.yaml $(away small) --parallel 16
  done
done

python3 <<'PYTHON'
import collections, statistics, sys

runs = collections.defaultdict(list)
for line in open("times"):
    name, seconds, kilobytes = line.split()
    runs[name].append((float(seconds), float(kilobytes)))
# The median time, and the largest peak.
times = {
    name: (statistics.median(seconds for seconds, _ in all), max(peak for _, peak in all)) for name, all in runs.items()
}
missed = []
for name in ("automatic", "counted", "skewed", "group", "subcollections", "copy", "diff", "plan"):
    (alone, _), (parallel, _) = times[f"{name}-1"], times[f"{name}-8"]
    print(f"{name}: {alone:.1f} s, --parallel 8 {parallel:.1f} s, {alone / parallel:.1f} x as fast")
    if parallel > alone / 6:
        missed.append(f"{name} with --parallel 8 was less than six times as fast")
for prefix, what in ("", "15 collections"), ("plan-", "15 plans"), ("verify-", "15 verifications"), ("apply-", "15 applies"), ("check-", "15 checks"):
    (many, _), (one, _) = times[f"{prefix}all"], times[f"{prefix}one"]
    print(f"{what}: {many:.2f} s, one alone {one:.2f} s, {many / one:.2f} x")
    if many > 1.5 * one:
        missed.append(f"{what} took more than 1.5 times one alone")
largest = max(times, key=lambda name: times[name][1])
print(f"peak {times[largest][1] / 1024:.0f} MiB ({largest})")
if times[largest][1] > 64 * 1024:
    missed.append("more than 64 MiB")
if missed:
    sys.exit("bench-many-reads: " + "; ".join(missed))
PYTHON
