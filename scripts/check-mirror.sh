#!/usr/bin/env bash
# A mirror of a million documents with the release binary: the time and the memory of each command, and what it reads.
# None may take more than 64 MiB, and 'check --mirror', which has the embedded store in its process, no more than 80; it has to
# find in the mirror what 'check' finds in the database. Installs nothing.
#
#   USERS=83000         users of the gym; it has 12 documents for each of them
#   LIMIT=64            MiB
#   GYMMIGRATE=FILE     the binary, instead of building one
#   GYM=FOLDER          a gym of samples/gym/generate.py, instead of making one
set -euo pipefail
cd "$(dirname "$0")/.."

users=${USERS:-83000}
limit=${LIMIT:-64}
. scripts/lib/work-folder.sh
need check-mirror time
build_binary
gym=$(realpath "${GYM:-$work/gym}")
[[ -n ${GYM:-} ]] || python3 samples/gym/generate.py --out "$gym" --users "$users" >/dev/null
cd "$work"

failed=0
measured() { # NAME CODE COMMAND...: fails where it ends in another code, or takes more than the limit
  local name=$1 wanted=$2 code=0 seconds kilobytes
  shift 2
  /usr/bin/time -o time -f '%e %U %S %M' "$@" --state-dir state --no-progress >output 2>errors || code=$?
  read -r seconds user system kilobytes < <(tail -1 time)
  printf '%-28s %7s s, CPU %6.2f s, %5.1f MiB  %s\n' "$name" "$seconds" \
    "$(python3 -c "print($user + $system)")" "$(python3 -c "print($kilobytes / 1024)")" "$(tail -1 output)"
  if [[ $code -ne $wanted ]]; then
    echo "check-mirror: $name ended in $code, not $wanted" >&2
    tail -3 errors >&2
    failed=1
  fi
  if ((kilobytes > limit * 1024)); then
    echo "check-mirror: $name took more than $limit MiB" >&2
    failed=1
  fi
}

serve store
place=(--schema gym --project p --database mirrored --endpoint "http://$(cat store.host)")
"$binary" import "$gym"/*.jsonl "${place[@]}" --validate off --state-dir state --no-progress -q >/dev/null

measured "mirror pull" 0 "$binary" mirror pull "${place[@]}" -o m.sqlite -q
python3 - time m.sqlite <<'PY'
import sqlite3
import sys

seconds = float(open(sys.argv[1]).read().split()[0])
db = sqlite3.connect(sys.argv[2])
documents = db.execute("SELECT sum(documents) FROM _mirror_collections").fetchone()[0]
tables = [name for (name,) in db.execute("SELECT DISTINCT table_name FROM _mirror_columns")]
rows = documents + sum(db.execute(f'SELECT count(*) FROM "{table}"').fetchone()[0] for table in tables)
print(f"  {documents:,} documents, {documents / seconds:,.0f} a second; {rows:,} rows, {rows / seconds:,.0f} a second")
PY
measured "mirror pull, nothing changed" 0 "$binary" mirror pull "${place[@]}" -o m.sqlite -q --overlap 0s
measured "mirror pull --full" 0 "$binary" mirror pull "${place[@]}" -o m.sqlite -q --full
measured "mirror status" 0 "$binary" mirror status m.sqlite "${place[@]}" -q
measured "mirror verify" 0 "$binary" mirror verify m.sqlite "${place[@]}" -q
measured "check -e" 1 "$binary" check "${place[@]}" -q -o there.csv
mv output there.txt
limit=80 measured "check --mirror" 1 "$binary" check --mirror m.sqlite -q -o here.csv
if ! cmp -s there.txt output || ! cmp -s there.csv here.csv; then
  echo "check-mirror: 'check' finds something else in the mirror" >&2
  failed=1
fi
exit "$failed"
