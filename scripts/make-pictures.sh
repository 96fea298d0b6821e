#!/usr/bin/env bash
# Makes the pictures of README and docs/ anew, from the sample gym in a store of its own: docs/images/*.png. Needs a Chromium
# (scripts/install-test-tools.sh); GYMMIGRATE_BINARY names the program, bin/gymmigrate otherwise.
set -euo pipefail
cd "$(dirname "$0")/.."

binary=$(realpath "${GYMMIGRATE_BINARY:-bin/gymmigrate}")
images=$PWD/docs/images
samples=$PWD/samples/gym
scripts/install-test-tools.sh
browser=${GYMMIGRATE_CHROMIUM:-$(type -P chromium-headless-shell chromium google-chrome-stable google-chrome | head -n 1 || true)}
room=$(mktemp -d)
trap 'rm -rf "$room"' EXIT
cd "$room"

picture() { # PAGE NAME WIDTH HEIGHT
  "$browser" --headless --no-sandbox --disable-gpu --hide-scrollbars --user-data-dir="$room/browser" \
    --blink-settings=preferredColorScheme=1 --window-size="$3,$4" --screenshot="$images/$2.png" "file://$room/$1" 2>/dev/null
  echo "Made docs/images/$2.png."
}

terminal() { # NAME WORDS...: what a command prints, on a page that looks like a terminal
  local name=$1 word shown=
  shift
  for word; do
    [[ $word != *' '* ]] || word="'$word'"
    shown+=" $word"
  done
  {
    printf '<!DOCTYPE html><meta charset="utf-8"><style>body { margin: 0; background: #0d1117; color: #e6edf3 }'
    printf 'pre { margin: 1rem; font: 15px/1.45 monospace; white-space: pre-wrap }</style><pre>$ gymmigrate%s\n' "$shown"
    COLUMNS=100 "$binary" "$@" 2>&1 | sed 's/&/\&amp;/g; s/</\&lt;/g'
    printf '</pre>\n'
  } >"$name.html"
}

export GYMMIGRATE_ENV=local GYMMIGRATE_SCHEMA=gym
"$binary" import "$samples"/*.jsonl -q 2>/dev/null
"$binary" migrate plan users-unify --html plan.html -q
picture plan.html plan-page 1280 1000
terminal plan-text migrate plan users-unify --examples 1 -q
picture plan-text.html plan-terminal 900 760
"$binary" report month 2026-01 --lang en -o report.html -q
picture report.html report-page 1280 1400
terminal report-text report month 2026-01 --lang en
picture report-text.html report-terminal 900 1400
printf 'Socios activos;;\n;;\nNúmero de socio;Fecha de alta;Teléfono\n0017;03/01/2026;0445512345678\n0018;15/02/2026;0445598765432\n' >socios.csv
terminal columns-text import socios.csv --schema none --id-column 'Número de socio' --header-row 3 \
  --rename 'Fecha de alta=joinedAt' -n
picture columns-text.html columns-terminal 1000 280
