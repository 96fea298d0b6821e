#!/usr/bin/env bash
# The memory of a comparison of a million documents on each side, of a workbook of 500,000 rows, and of 5,000,000 lines in which
# documents occur twice, with the release binary: none may take more than 64 MiB. Then every command on documents of 200 B, 20 kB and 1 MiB, and
# the limits of docs/security.md, row by row. Installs nothing.
#
#   DOCUMENTS=1000000   documents on each side of the comparisons
#   ROWS=500000         rows of the workbook
#   NAMES=5000000       lines in which documents occur twice
#   LIMIT=64            MiB
#   GYMMIGRATE=FILE     the binary, instead of building one
set -euo pipefail
cd "$(dirname "$0")/.."

documents=${DOCUMENTS:-1000000}
rows=${ROWS:-500000}
names=${NAMES:-5000000}
limit=${LIMIT:-64}

. scripts/lib/work-folder.sh
need check-memory python3 time
build_binary
cd "$work"

serve_pages() { # DOCUMENTS: sets `port`
  : >port
  python3 "$here/scripts/page-server.py" "$1" >port &
  servers+=($!)
  until [[ -s port ]]; do sleep 0.05; done
  port=$(cat port)
}

failed=0
measured() { # NAME CODE COMMAND...: fails where it ends in another code, or takes more than the limit
  local name=$1 wanted=$2 code=0
  shift 2
  /usr/bin/time -o time -f '%e %M' "$@" >output 2>errors || code=$?
  local seconds kilobytes
  read -r seconds kilobytes < <(tail -1 time)
  printf '%-48s %8s s %7.1f MiB\n' "$name" "$seconds" "$(python3 -c "print($kilobytes / 1024)")"
  if [[ $code -ne $wanted ]]; then
    echo "check-memory: $name ended in $code, not $wanted" >&2
    tail -3 errors >&2
    failed=1
  fi
  if ((kilobytes > limit * 1024)); then
    echo "check-memory: $name took more than $limit MiB" >&2
    failed=1
  fi
}

differences() { # what the summary in `output` must say of left against right
  python3 - output "$documents" <<'PY'
import json
import sys

total = int(sys.argv[2])
found = json.load(open(sys.argv[1]))["differences"]
gone = len(range(5_000, total, 10_000))
changed = len(range(7, total, 1_000))
wanted = {
    "same": total - gone - changed, "onlyInFrom": gone, "onlyInTo": 0, "different": changed, "unreadable": 0,
}
assert found == wanted, (found, wanted)
PY
}

serve_pages "$documents"
cat >gymmigrate.yaml <<YAML
project: p
schema: gym
environments:
  left: { database: left, endpoint: "http://127.0.0.1:$port" }
  right: { database: right, endpoint: "http://127.0.0.1:$port" }
YAML
python3 "$here/scripts/page-server.py" "$documents" --lines >left.jsonl
compare=("$binary" diff users --no-progress -q --json)
file=(--format json -o differences.json)
echo "== Two databases of $documents documents"
measured "diff, environment and environment" 1 "${compare[@]}" --from left --to right "${file[@]}"
differences
measured "diff, environment and environment, flat" 1 \
  "${compare[@]}" --from left --to right --no-subcollections "${file[@]}"
differences
measured "diff, snapshot and environment" 1 \
  "${compare[@]}" --from left.jsonl --from-source projects/p/databases/left --to right "${file[@]}"
differences
sort -R left.jsonl >shuffled.jsonl
rm left.jsonl
measured "diff, shuffled snapshot and environment" 1 \
  "${compare[@]}" --from shuffled.jsonl --from-source projects/p/databases/left --to right "${file[@]}"
differences
rm -rf shuffled.jsonl .gymmigrate

echo "== A workbook of $rows rows"
serve_pages "$rows"
place=(--project p --database left --endpoint "http://127.0.0.1:$port" --schema gym)
measured "export to the workbook" 0 "$binary" export users "${place[@]}" -o users.xlsx --no-progress -q
# The users that are made up lack what the gym requires; what is measured is the reading.
measured "import --dry-run" 0 "$binary" import users.xlsx --dry-run --validate off "${place[@]}" --no-progress -q
serve store --memory
store=(--project p --database sheets --endpoint "http://$(cat store.host)" --schema gym)
measured "import" 0 "$binary" import users.xlsx --validate off "${store[@]}" --no-progress -q --json
python3 -c 'import json, sys; assert json.load(open("output"))["totals"]["written"] == int(sys.argv[1])' "$rows"
cat >>gymmigrate.yaml <<YAML
  sheet: { database: sheets, endpoint: "${store[5]}" }
  source: { database: left, endpoint: "http://127.0.0.1:$port" }
YAML
measured "diff, what was exported and what was imported" 0 "${compare[@]}" --from source --to sheet
echo "== $names lines of JSON Lines, in which documents occur twice"
seq -f '{"name":"users/u%08.0f"}' "$names" >twice.jsonl
sed -n "$((names / 2))p" twice.jsonl >>twice.jsonl
measured "import, one document twice" 65 "$binary" import twice.jsonl "${store[@]}" --no-progress -q
grep -q "line $((names + 1)) has the same document as line $((names / 2))" errors
head -n "$names" < <(yes '{"name":"users/u1"}') >twice.jsonl
measured "import, one document in every line" 65 "$binary" import twice.jsonl "${store[@]}" --no-progress -q
measured "import, the last of all lines" 0 \
  "$binary" import twice.jsonl "${store[@]}" --duplicates last --no-progress -q --json
python3 -c 'import json, sys; assert json.load(open("output"))["totals"]["superseded"] == int(sys.argv[1]) - 1' "$names"
rm twice.jsonl
echo "== Every command that carries documents, small and large ones"
python3 "$here/Tests/Judges/memory.py" "$binary" 500:1048000 5000:20000 100000:200 --limit "$limit" || failed=1
echo "== The limits of docs/security.md"
python3 "$here/scripts/check-limits.py" "$binary" || failed=1
exit "$failed"
