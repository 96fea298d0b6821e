#!/usr/bin/env bash
# Writes docs/cli.md from the program's own --help, a section a command: `generate-cli-reference.sh [FILE | -]`. Options that
# several commands share stand there once.
# GYMMIGRATE_BINARY names the program; bin/gymmigrate otherwise.
set -euo pipefail
cd "$(dirname "$0")/.."

binary=${GYMMIGRATE_BINARY:-bin/gymmigrate}
output=${1:-docs/cli.md}
# The parser wraps its help to the terminal; a fixed width gives the same bytes everywhere.
export COLUMNS=100 LC_ALL=C.UTF-8

part() { # TITLE TEXT
  printf "\n## %s\n\n\`\`\`text\n%s\n\`\`\`\n" "$1" "$2"
}

section() { # WORDS...: the help of one command, then of those below it
  local help name
  help=$("$binary" "$@" --help)
  part "gymmigrate $*" "$help"
  while read -r name; do
    section "$@" "$name"
  done < <(awk '/^SUBCOMMANDS:/ { list = 1; next } list && /^  [a-z]/ { print $1 } list && /^$/ { exit }' <<<"$help")
}

page() {
  cat <<'HEAD'
# Command line reference

Every command and flag, as `--help` prints it (`make docs`). [By task](README.md).

Shared options stand below the `help` topics and [here](#options-of-several-commands); commands name them behind
"Also". All that connect take `-e` and `-q`.
HEAD
  local overview name
  overview=$("$binary" --help)
  part gymmigrate "$overview"
  for name in connection reading writing output variables exit-codes; do
    part "gymmigrate help $name" "$("$binary" help $name)"
  done
  while read -r name; do
    section "$name"
    [[ $name != export ]] || { section export-verify && section export-prune; }
  done < <(awk '/^  [a-z]+ +[A-Z]/ { print $1 }' <<<"$overview")
}

shared() { page | python3 scripts/lib/share-options.py; }

if [[ $output == - ]]; then
  shared
else
  temporary=$(mktemp "$output.XXXXXX")
  trap 'rm -f "$temporary"' EXIT
  shared >"$temporary"
  chmod 644 "$temporary"
  mv "$temporary" "$output"
  echo "Wrote $output."
fi
