#!/usr/bin/env bash
# Arrows point down only: refuses an import of a higher floor, and C libraries where they do not belong.
set -euo pipefail
cd "$(dirname "$0")/.."

failed=0
refuse() { # FOLDER FORBIDDEN-MODULES...
  local folder=$1
  shift
  local pattern
  pattern=$(IFS='|'; echo "$*")
  local found
  found=$(grep -rnE "^[[:space:]]*(@[A-Za-z_]+[[:space:]]+)*((public|package|internal|private|fileprivate)[[:space:]]+)?import[[:space:]]+((struct|class|enum|protocol|func|var|let|typealias)[[:space:]]+)?($pattern)([.[:space:]]|$)" \
    --include='*.swift' "Sources/$folder" || true)
  if [[ -n $found ]]; then
    echo "Sources/$folder may not import these:" >&2
    echo "$found" >&2
    failed=1
  fi
}

c_libraries=(CCurl CXLSXWriter COpenSSL CZlib CMinizip CExpat)
refuse Models Transfer LocalFirestore Migrations gymmigrate GRDB FlyingFox Yams Logging Foundation "${c_libraries[@]}"
refuse Transfer LocalFirestore Migrations gymmigrate FlyingFox ArgumentParser
refuse LocalFirestore Transfer Migrations gymmigrate ArgumentParser "${c_libraries[@]}"
refuse Migrations LocalFirestore gymmigrate FlyingFox ArgumentParser CSimdjson "${c_libraries[@]}"
refuse gymmigrate GRDB FlyingFox CSimdjson "${c_libraries[@]}"

[[ $failed -eq 0 ]] && echo "Layers: every import points down."
exit $failed
