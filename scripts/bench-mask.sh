#!/usr/bin/env bash
# Measures what a mask costs: a copy of people between two embedded stores, masked and not, turn by turn, and the proof of the
# masked one. Ends in 1 where the masked copy takes more than twice the time, or a command more than 64 MiB. Installs nothing.
#
#   scripts/bench-mask.sh [PEOPLE]
#
#   ROUNDS=3    how often everything is timed; the medians count
set -euo pipefail
cd "$(dirname "$0")/.."

people=${1:-40000}
rounds=${ROUNDS:-3}
. scripts/lib/work-folder.sh
need bench-mask python3 time
find_binary

python3 - "$people" "$work" samples/gym/users.jsonl <<'PYTHON'
import json, random, string, sys
count, folder, sample = int(sys.argv[1]), sys.argv[2], sys.argv[3]
chance = random.Random(1)
users = [json.loads(line) for line in open(sample)]
with open(f"{folder}/users.jsonl", "w") as file:
    for n in range(count):
        user = json.loads(json.dumps(users[n % len(users)]))
        name = "".join(chance.choices(string.ascii_letters + string.digits, k=28))
        user["name"] = f"users/{name}"
        user["fields"]["id"] = {"stringValue": name}
        user["fields"]["email"] = {"stringValue": f"person{n}@example.com"}
        user["fields"]["phone"] = {"stringValue": str(5_500_000_000 + n * 7)}
        file.write(json.dumps(user) + "\n")
PYTHON
cd "$work"

serve store --memory
endpoint="http://$(cat store.host)"
{
  echo "project: bench"
  echo "schema: gym"
  echo "environments:"
  for name in source $(seq -f 'plain%g' 1 "$rounds") $(seq -f 'masked%g' 1 "$rounds"); do
    echo "  $name: { database: $name, endpoint: \"$endpoint\" }"
  done
} >gymmigrate.yaml
"$binary" import users.jsonl -e source --validate off -q --no-progress
"$binary" mask key new key 2>/dev/null

for ((round = 1; round <= rounds; round++)); do
  measure copy copy users --from source --to "plain$round" --yes
  measure masked copy users --from source --to "masked$round" --mask --mask-key-file key --yes
  # Of so many phones some masked ones are somebody else's by chance, which it says with 1.
  measure proof mask prove --from source --to "masked$round" || [[ $? == 1 ]]
done

python3 <<'PYTHON'
import collections, statistics, sys

runs = collections.defaultdict(list)
for line in open("times"):
    if line.startswith("Command exited"):
        continue
    name, seconds, kilobytes = line.split()
    runs[name].append((float(seconds), float(kilobytes)))
times = {name: statistics.median(s for s, _ in all) for name, all in runs.items()}
peak = max(kilobytes for all in runs.values() for _, kilobytes in all) / 1024
ratio = times["masked"] / times["copy"]
for name, seconds in times.items():
    print(f"{name:8} {seconds:6.2f} s, {seconds / times['copy']:.2f} times the copy")
print(f"peak     {peak:6.1f} MiB")
if ratio > 2 or peak > 64:
    sys.exit("bench-mask: a masked copy may take twice the time of the copy, and each command 64 MiB")
PYTHON
