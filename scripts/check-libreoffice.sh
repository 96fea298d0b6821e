#!/usr/bin/env bash
# LibreOffice as a judge of our workbooks: it opens those of the sample gym and sees in each cell what our CSV says; what it
# saves of them is imported, and is the same database; and the charts of a report are in the PDF that it makes of it. Skipped
# where it is not installed.
#
#   GYMMIGRATE=FILE     the binary, instead of building one
#   DOCUMENTS=FILE...   JSON Lines to use instead of the sample gym
set -euo pipefail
cd "$(dirname "$0")/.."

if ! command -v soffice >/dev/null; then
  echo "SKIPPED: there is no soffice. On Debian: apt-get install libreoffice-calc-nogui"
  exit 0
fi
. scripts/lib/work-folder.sh
build_binary
read -r -a inputs <<<"${DOCUMENTS:-$(echo samples/gym/*.jsonl)}"
mapfile -t inputs < <(realpath "${inputs[@]}")

cd "$work"

soffice --version
serve store --memory
endpoint=http://$(cat store.host)
cat >gymmigrate.yaml <<YAML
project: p
schema: gym
environments:
  gym: { database: gym-one, endpoint: "$endpoint" }
  saved: { database: saved-one, endpoint: "$endpoint" }
  again: { database: again-one, endpoint: "$endpoint" }
YAML
zone=(--time-zone America/Mexico_City)
"$binary" import "${inputs[@]}" -e gym -q --validate off --no-progress
"$binary" export --all --subcollections -e gym -o ours/ --format xlsx "${zone[@]}" -q --no-progress
# One workbook of everything has links between its sheets, and a summary that is no table.
"$binary" export --all --subcollections -e gym -o whole.xlsx --summary --links "${zone[@]}" -q --no-progress
"$binary" export --all --subcollections -e gym -o csv/ --format csv "${zone[@]}" -q --no-progress

convert() { # FORMAT FOLDER FILES...: converts workbooks
  local format=$1 folder=$2 book
  shift 2
  HOME=$work soffice "-env:UserInstallation=file://$work/profile" --headless --convert-to "$format" --outdir "$folder" \
    "$@" >errors 2>&1
  for book in "$@"; do
    book=$(basename "$book" .xlsx)
    [[ -s $folder/$book.$format ]] || { echo "check-libreoffice: it did not open $book.xlsx" >&2; cat errors >&2; exit 1; }
  done
}

failed=0
echo "== What LibreOffice sees in our workbooks, beside our CSV"
convert fods seen ours/*.xlsx
for book in ours/*.xlsx; do
  book=$(basename "$book" .xlsx)
  python3 "$here/Tests/Judges/read_fods.py" "seen/$book.fods" "csv/$book.csv" America/Mexico_City || failed=1
done
echo "== What LibreOffice saves of our workbooks, imported"
convert xlsx saved ours/*.xlsx
cp ours/manifest.json saved/ 2>/dev/null || true
"$binary" import saved/*.xlsx -e saved "${zone[@]}" --keep-spaces -q --validate off --no-progress || failed=1
compare() { # ENVIRONMENT
  "$binary" diff --all --from gym --to "$1" --detail --no-progress -q -o differences.txt || [[ $? -eq 1 ]] || failed=1
  python3 compare.py || failed=1
}
cat >compare.py <<'PY'
import re
import sys
from datetime import datetime

# What LibreOffice itself cannot keep (docs/formats.md): microseconds, and the carriage returns of texts.
MOMENT = re.compile(r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(\.\d+)?Z")


def seconds(moment):
    return datetime.fromisoformat(moment[1]).timestamp(), float(moment[2] or 0)


allowed, others = 0, []
for line in open("differences.txt", encoding="utf-8"):
    if line.startswith("* "):
        continue
    _, _, change = line.rstrip("\n").partition(": ")
    old, arrow, new = change.partition(" -> ")
    moments = [MOMENT.fullmatch(side) for side in (old, new)]
    if all(moments) and len(moments[0][2] or "") > 4:
        (a, b), (c, d) = map(seconds, moments)
        if abs((a - c) + (b - d)) <= 20e-6:
            allowed += 1
            continue
    if arrow and "\\r" in old and old.replace("\\r\\n", "\\n") == new:
        allowed += 1
        continue
    others.append(line)
sys.stdout.writelines(others)
print(f"{allowed} values that LibreOffice cannot keep, {len(others)} other differences")
sys.exit(1 if others else 0)
PY
compare saved
echo "== What LibreOffice saves of one workbook with links and a summary, imported"
convert xlsx again whole.xlsx
"$binary" import again/whole.xlsx -e again "${zone[@]}" --keep-spaces -q --validate off --no-progress || failed=1
compare again
if [[ -z ${DOCUMENTS:-} ]]; then
  echo "== The charts of a report as LibreOffice draws them"
  for days in "2026-01-01 2026-01-31" "2025-01-01 2025-12-31"; do
    read -r first last <<<"$days"
    "$binary" report owner --from "$first" --to "$last" -e gym -o "from-$first.xlsx" -q
    "$binary" report owner --from "$first" --to "$last" -e gym --json -q >"from-$first.json"
    convert pdf drawn "from-$first.xlsx"
    python3 "$here/Tests/Judges/read_pdf.py" "drawn/from-$first.pdf" "from-$first.json" || failed=1
  done
fi
exit "$failed"
