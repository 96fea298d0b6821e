# Sourced by bench.sh: workbooks and imports beside their rivals, in turns.

# Runs the import in turn: JSON Lines into a service that takes every commit at once.
import_lines() { # NAME OPTIONS...
  local name=$1
  shift
  : >"$work/sink-port"
  python3 scripts/commit-sink.py 0 "$work/commits.json" >"$work/sink-port" &
  local sink=$!
  until [[ -s $work/sink-port ]]; do sleep 0.05; done
  rm -rf "$work/import-state"
  timed "$name" "$gymmigrate" import "$work/in.jsonl" --schema gym --project bench-project --database bench --no-ramp \
    --endpoint "http://127.0.0.1:$(cat "$work/sink-port")" --state-dir "$work/import-state" -q --no-progress "$@"
  kill -TERM "$sink"
  wait "$sink" || true
  python3 - "$work/commits.json" "$documents" <<'PYTHON'
import json, sys
written = sum(writes for _, writes in json.load(open(sys.argv[1])))
if written != int(sys.argv[2]):
    sys.exit(f"bench: the sink got {written} documents of {sys.argv[2]}")
PYTHON
}

# Times the rivals of exports to workbooks, and imports. Sets `client_documents` and `openpyxl_rows`.
bench_rivals() {
  local round python=python3
  openpyxl_rows=$((documents < 20000 ? documents : 20000))
  client_documents=$((documents < 6000 ? documents : 6000))
  [[ -x .venv/bin/python ]] && python=.venv/bin/python
  python3 Benchmarks/make_lines.py samples/gym/members.jsonl "$documents" >"$work/in.jsonl"
  "${CC:-cc}" -O2 Benchmarks/write_workbook.c -o "$work/write_workbook" $(pkg-config --cflags --libs xlsxwriter)
  export_to xlsx members.xlsx "$documents"
  python3 Benchmarks/workbook_cells.py "$work/members.xlsx" "$work/members.cells"
  for ((round = 0; round < rounds; round++)); do
    timed workbook-c "$work/write_workbook" "$work/members.cells" "$work/c.xlsx"
    export_to xlsx members.xlsx "$documents"
    import_lines import --validate off
    timed curl-Z curl --silent --fail --compressed --parallel --parallel-max 8 -K "$work/urls"
    import_lines checked
  done
  if "$python" -c "import openpyxl" 2>/dev/null; then
    timed openpyxl "$python" Benchmarks/openpyxl_workbook.py "$work/members.cells" "$work/openpyxl.xlsx" "$openpyxl_rows"
  else
    echo "bench: openpyxl is missing; make test installs it into .venv" >&2
  fi
  if "$python" -c "import google.cloud.firestore" 2>/dev/null; then
    python3 Benchmarks/make_query.py samples/gym/members.jsonl "$work/pages/query.json.gz" "$client_documents"
    timed client "$python" Benchmarks/client_export.py "http://127.0.0.1:$port" members "$work/client.csv" "$client_documents"
  else
    echo "bench: google-cloud-firestore is missing; make test installs it into .venv" >&2
  fi
}
