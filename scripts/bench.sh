#!/usr/bin/env bash
# Benchmarks, in one run: decoding and encoding beside C++, then whole exports beside curl, Python and Google's Python client on
# the same pages, workbooks beside libxlsxwriter from C and openpyxl on the same cells, and imports beside curl.
# Figures are ratios within the run; absolute times say nothing on another machine. Installs nothing.
#
#   DOCUMENTS=200000   documents of an export that is timed
#   LARGE=1000000      documents of the export whose memory is measured beside 100,000; 0 leaves it out
#   ROUNDS=3           how often everything is timed
#   MEASURE=1          0 leaves out the documents in memory, whose program is built first
set -euo pipefail
cd "$(dirname "$0")/.."

documents=${DOCUMENTS:-200000}
large=${LARGE:-1000000}
rounds=${ROUNDS:-3}
gymmigrate=${GYMMIGRATE:-$PWD/bin/gymmigrate}

PATH=$PATH:/usr/sbin
. scripts/lib/work-folder.sh
. scripts/lib/page-files.sh
need bench nginx curl python3 time
[[ -x $gymmigrate ]] || { echo "bench: there is no $gymmigrate; run make build" >&2; exit 69; }

if [[ ${MEASURE:-1} -ne 0 ]]; then
  echo "== Documents in memory (CPU time, turn by turn, medians)"
  swift build --package-path Benchmarks -c release --product Measure >&2
  "$(swift build --package-path Benchmarks -c release --show-bin-path)/Measure" samples/gym/members.jsonl
fi

total=$((large > documents ? large : documents))
python3 Benchmarks/make_pages.py samples/gym/members.jsonl "$work/pages" "$total"
serve_pages "$work" members "$total"

# --- The rivals ---------------------------------------------------------------------------------

{
  for ((start = 0; start < documents; start += 300)); do
    [[ $start -eq 0 ]] && echo "url = \"$url?pageSize=300\"" || echo "url = \"$url?pageSize=300&pageToken=p$start\""
    echo 'output = "/dev/null"'
  done
} >"$work/urls"

timed() { # NAME COMMAND...: one line of name, wall, user, system seconds and kilobytes
  local name=$1
  shift
  /usr/bin/time -a -o "$work/times" -f "$name %e %U %S %M" "$@" >/dev/null 2>"$work/errors" || {
    cat "$work/errors" >&2
    exit 1
  }
}
export_to() { # NAME FILE DOCUMENTS
  timed "$1" env FIRESTORE_EMULATOR_HOST="127.0.0.1:$port" "$gymmigrate" export members --project bench-project \
    --schema gym --database bench --read-time none --limit "$3" --state-dir "$work/state" -q --no-progress -o "$work/$2"
}

for ((round = 0; round < rounds; round++)); do
  timed curl curl --silent --fail --compressed -K "$work/urls"
  export_to jsonl members.jsonl "$documents"
  timed curl-Z curl --silent --fail --compressed --parallel --parallel-max 8 -K "$work/urls"
  export_to csv members.csv "$documents"
done
python_documents=$((documents < 60000 ? documents : 60000))
. scripts/lib/bench-rivals.sh
bench_rivals
timed python python3 Benchmarks/plain_export.py "127.0.0.1:$port" members "$work/plain.csv" "$python_documents"
if [[ $large -gt 0 ]]; then
  for format in jsonl csv; do
    export_to "$format-100000" "small.$format" 100000
    export_to "$format-$large" "large.$format" "$large"
    rm -f "$work/large.$format"
  done
fi

echo
echo "== Exports of $documents documents, pages from nginx on loopback, compressed ($rounds rounds, medians)"
python3 - "$work/times" "$documents" "$python_documents" "$large" "$client_documents" "$openpyxl_rows" <<'PYTHON'
import sys
from collections import defaultdict
from statistics import median

path, documents, python_documents, large, client_documents, openpyxl_rows = sys.argv[1], *map(int, sys.argv[2:7])
runs = defaultdict(list)
for line in open(path):
    name, wall, user, system, kilobytes = line.split()
    # GNU time counts in hundredths of a second.
    runs[name].append((max(float(wall), 0.005), max(float(user) + float(system), 0.005), int(kilobytes)))
of = {name: tuple(median(column) for column in zip(*rows)) for name, rows in runs.items()}
for name, count in (("python", python_documents), ("client", client_documents), ("openpyxl", openpyxl_rows)):
    if name in of:
        share = documents / count
        of[name] = (of[name][0] * share, of[name][1] * share, of[name][2])

print(f"{'':8}{'wall':>12}{'CPU':>12}{'wall':>12}{'CPU':>12}{'documents/s':>14}{'memory':>9}")
print(f"{'':8}{'/ curl':>12}{'/ curl':>12}{'/ curl -Z':>12}{'/ curl -Z':>12}{'/ Python':>14}{'MiB':>9}")
for name in ("curl", "curl-Z", "jsonl", "csv", "xlsx", "import", "checked", "python", "client"):
    if name not in of:
        continue
    wall, cpu, kilobytes = of[name]
    ratios = [wall / of["curl"][0], cpu / of["curl"][1], wall / of["curl-Z"][0], cpu / of["curl-Z"][1]]
    print(f"{name:8}" + "".join(f"{ratio:12.2f}" for ratio in ratios)
          + f"{of['python'][0] / wall:14.1f}{kilobytes / 1024:9.0f}")
if "client" in of:
    print(f"\nAs fast as Google's client ({client_documents} documents, scaled): "
          + ", ".join(f"{name} {of['client'][0] / of[name][0]:.0f} x" for name in ("jsonl", "csv", "xlsx")))
print(f"\n== The same workbook, {documents} rows")
print(f"{'':12}{'wall':>12}{'CPU':>12}{'speed':>12}{'memory':>9}")
print(f"{'':12}{'/ C':>12}{'/ C':>12}{'of C':>12}{'MiB':>9}")
for name in ("workbook-c", "xlsx", "openpyxl"):
    if name in of:
        wall, cpu, kilobytes = of[name]
        rival = of["workbook-c"]
        print(f"{name:12}{wall / rival[0]:12.2f}{cpu / rival[1]:12.2f}{rival[0] / wall:12.2f}{kilobytes / 1024:9.0f}")
if "openpyxl" in of:
    print(f"As fast as openpyxl ({openpyxl_rows} rows, scaled): {of['openpyxl'][0] / of['xlsx'][0]:.1f} x")
print("\nimport: --validate off; checked: as it is without options, compared with the schema. The sink answers at once.")
if large:
    print("\n== Peak memory, MiB")
    for name in ("jsonl", "csv"):
        small, big = of[f"{name}-100000"], of[f"{name}-{large}"]
        print(f"{name:8}{small[2] / 1024:8.1f} at 100000, {big[2] / 1024:8.1f} at {large}: "
              f"{big[2] / small[2]:.2f} x; time {big[0] / small[0] / (large / 100000):.2f} x a document")
PYTHON
