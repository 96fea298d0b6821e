#!/usr/bin/env bash
# The main job at scale with the release binary, judged by the oracle; then the time and the memory of a long plan beside
# an export of the same documents. Installs nothing.
#
#   GYMMIGRATE_ORACLE_USERS=100000   users of the gym that is migrated and compared document by document
#   PLAN=1000000                     documents that are planned; 0 leaves that out
#   ROUNDS=3                         how often the plan is timed
#   RATIO=2.6                        the time that a plan may take, in times of an export
#   MEMORY=64                        the MiB that it may take
set -euo pipefail
cd "$(dirname "$0")/.."

users=${GYMMIGRATE_ORACLE_USERS:-100000}
plan=${PLAN:-1000000}
rounds=${ROUNDS:-3}
export RATIO=${RATIO:-2.6} MEMORY=${MEMORY:-64}

PATH=$PATH:/usr/sbin
. scripts/lib/work-folder.sh
. scripts/lib/page-files.sh
need check-scale nginx curl python3 time
build_binary

# --- The oracle ---------------------------------------------------------------------------------

echo "== $users users, document by document"
python3 samples/gym/generate.py --out "$work/gym" --users "$users"
mkdir "$work/before"
mv "$work/gym/users.jsonl" "$work/gym/user_emails.jsonl" "$work/before/"
cd "$work"
# One commit at a time: where a user has no createdAt, the order of creation decides about the index.
"$binary" import before/users.jsonl before/user_emails.jsonl -e local --in-flight 1 --no-progress
apply=("$binary" migrate apply users-unify user-emails is-active -e local --no-progress --json)
ended() { # CODE COMMAND...: runs it, and fails unless it ends in that code
  local wanted=$1 code=0
  shift
  "$@" || code=$?
  [[ $code -eq $wanted ]] || { echo "check-scale: $* ended in $code, not $wanted" >&2; exit 1; }
}
ended 2 "${apply[@]}" >first.json
"$binary" export users user_emails -e local -o after/ --format jsonl -q
python3 "$here/Tests/Oracle/expected.py" before -o expected
rm -f after/manifest.json
python3 "$here/Tests/Oracle/compare.py" expected after
ended 2 "${apply[@]}" >second.json
python3 - <<'PY'
import json

first, second = (json.load(open(name))["totals"] for name in ("first.json", "second.json"))
print("first:", first)
print("second:", second)
assert first["written"] > 0 and second["written"] == 0 and second["created"] == 0
PY
"$binary" migrate verify users-unify user-emails is-active -e local -q >/dev/null
rm -rf .gymmigrate
cd "$here"

# --- A long plan --------------------------------------------------------------------------------

[[ $plan -gt 0 ]] || exit 0
echo "== A plan of $plan documents beside an export of them"
python3 Benchmarks/make_pages.py "$work/before/users.jsonl" "$work/pages" "$plan"
serve_pages "$work" users "$plan"
place=(--schema gym --project bench-project --database bench --endpoint "http://127.0.0.1:$port" --state-dir "$work/state" --no-progress -q)
timed() { # NAME COMMAND...: one line of name, wall, user, system seconds and kilobytes
  local name=$1
  shift
  /usr/bin/time -o "$work/time" -f "$name %e %U %S %M" "$@" >/dev/null
  cat "$work/time" >>"$work/times"
  rm -rf "$work/state"
}
for ((round = 0; round < rounds; round++)); do
  timed export "$binary" export users "${place[@]}" --read-time none -o "$work/users.jsonl" --format jsonl
  timed plan "$binary" migrate plan users-unify "${place[@]}"
done
python3 - "$work/times" <<'PY'
import collections
import os
import statistics
import sys

times = collections.defaultdict(list)
for line in open(sys.argv[1]):
    name, *numbers = line.split()
    times[name].append([float(number) for number in numbers])


def median(name, column):
    return statistics.median(row[column] for row in times[name])


def cpu(name):
    return statistics.median(row[1] + row[2] for row in times[name])


for name in times:
    peak = max(row[3] for row in times[name]) / 1024
    print(f"{name}: {median(name, 0):.2f} s, CPU {cpu(name):.2f} s, peak {peak:.1f} MiB")
# Round by round, so that what else the machine does touches both.
ratio = statistics.median(plan[0] / export[0] for plan, export in zip(times["plan"], times["export"]))
peak = max(row[3] for row in times["plan"]) / 1024
print(f"plan / export: {ratio:.2f} of the time, {cpu('plan') / cpu('export'):.2f} of the CPU")
missed = []
if ratio > float(os.environ["RATIO"]):
    missed.append(f"the plan took {ratio:.2f} times as long as the export, not {os.environ['RATIO']}")
if peak > float(os.environ["MEMORY"]):
    missed.append(f"the plan took {peak:.1f} MiB, not {os.environ['MEMORY']}")
if missed:
    sys.exit("check-scale: " + "; ".join(missed))
PY
