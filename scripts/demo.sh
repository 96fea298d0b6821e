#!/usr/bin/env bash
# The main job from nothing, on the embedded store: load the sample gym, plan, apply, apply again, export. GYMMIGRATE names the
# program; bin/gymmigrate otherwise.
set -euo pipefail
cd "$(dirname "$0")/.."

gymmigrate=${GYMMIGRATE:-$PWD/bin/gymmigrate}
demo=$PWD/demo
rm -rf "$demo"
mkdir -p "$demo"

say() { printf '\n\033[1m%s\033[0m\n' "$*"; }
run() { # CODE COMMAND...: shows a command, runs it, and wants this exit code
  local wanted=$1 code=0
  shift
  printf '$ gymmigrate %s\n' "$*"
  "$gymmigrate" "$@" --state-dir "$demo/state" || code=$?
  if [[ $code -ne $wanted ]]; then
    echo "demo: expected exit code $wanted, got $code" >&2
    exit 1
  fi
}

say "1. Load the sample gym (400 users of three schema eras, and all the rest) into the embedded store"
run 0 import samples/gym/*.jsonl -e local

say "2. Plan the three migrations: what would change, and the first differences. Nothing is written"
run 0 migrate plan users-unify user-emails is-active -e local --examples 2

say "3. Apply them. It ends in 2, because some users wait for a person and some cannot be migrated as they are"
run 2 migrate apply users-unify user-emails is-active -e local

say "4. Apply them again: nothing is left to change, and nothing is written"
run 2 migrate apply users-unify user-emails is-active -e local

say "5. Export every collection to a workbook and to CSV"
run 0 export --all -e local -o demo/gym.xlsx --header spanish
run 0 export --all -e local -o demo/ --format csv

runs=("$demo"/state/runs/*-migrate-*)
applied=${runs[1]}
say "Done. To look at:"
echo "  demo/gym.xlsx                 a sheet a collection"
echo "  demo/*.csv                    a file a collection, and demo/manifest.json with their checksums"
echo "  ${applied#"$PWD"/}/review.csv    the users that a person must look at, with what is proposed"
echo "  ${applied#"$PWD"/}/rejects.jsonl what could not be migrated, and why"
echo "  ${applied#"$PWD"/}/findings.csv  everything that was reported, notes too"
echo "  demo/state/local.sqlite       the database itself"
