#!/usr/bin/env bash
# Instructions, not seconds: what exporting and importing a page of 300 documents costs, counted by valgrind, beside the counts in
# Benchmarks/instructions.txt. A count is the same on a busy machine. Fails where one has moved by more than 5 %, up or down: then
# the change has to change the number, too (UPDATE=1 writes them). The numbers belong to the versions named in the file.
set -euo pipefail
cd "$(dirname "$0")/.."

kept=Benchmarks/instructions.txt
command -v valgrind >/dev/null && command -v strip >/dev/null || {
  echo "check-instructions: valgrind or strip is missing. On Debian: apt-get install valgrind binutils" >&2
  exit 69
}
swift build --package-path Benchmarks -c release --product Measure >&2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
# valgrind gives up on the debug information of some Swift binaries.
strip -o "$folder/Measure" "$(swift build --package-path Benchmarks -c release --show-bin-path)/Measure"
measure=$folder/Measure

# The seeds of dictionaries and the addresses of the program are the same in every run.
export SWIFT_DETERMINISTIC_HASHING=1
counted() { # WORK TIMES
  valgrind --tool=callgrind --callgrind-out-file=/dev/null "$measure" samples/gym/members.jsonl count "$1" "$2" 2>&1 |
    sed -n 's/^.*Collected : \([0-9]*\).*$/\1/p'
}

versions="$(swift --version 2>/dev/null | sed -n 's/.*\(Swift version [0-9.]*\).*/\1/p' | head -1), $(uname -m)"
now=$folder/counts
for work in jsonl csv decode import checked; do
  # Ten pages beyond the first two, which start the machinery.
  few=$(counted $work 2) many=$(counted $work 12)
  [[ -n $few && -n $many ]] || { echo "check-instructions: valgrind counted nothing for $work" >&2; exit 70; }
  echo "$work $(((many - few) / 10))" >>"$now"
done

[[ -f $kept || ${UPDATE:-} == 1 ]] || {
  echo "check-instructions: there is no $kept to compare with; UPDATE=1 writes it" >&2
  exit 66
}
if [[ ${UPDATE:-} == 1 ]]; then
  {
    echo "# Instructions for a page of 300 documents; see scripts/check-instructions.sh. $versions."
    cat "$now"
  } >"$kept"
  cat "$kept"
  exit 0
fi
python3 - "$kept" "$now" "$versions" <<'PYTHON'
import sys

def counts(path):
    return {name: int(count) for name, count in (line.split() for line in open(path) if not line.startswith("#"))}

kept, now = counts(sys.argv[1]), counts(sys.argv[2])
moved = []
for name, count in now.items():
    change = count / kept[name] - 1 if name in kept else float("inf")
    print(f"{name:8}{count:14,}  {change:+8.1%}")
    if abs(change) > 0.05:
        moved.append(name)
if moved:
    sys.exit(f"{', '.join(moved)}: moved by more than 5 %. If that is meant, run UPDATE=1 scripts/check-instructions.sh and say why.")
PYTHON
