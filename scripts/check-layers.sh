#!/usr/bin/env bash
# Arrows point down only. The compiler refuses an import of a target that Package.swift does not name as a dependency
# (--explicit-target-dependency-import-check, in scripts/lib/tests-build.sh and `make check`); this refuses what it cannot see: a
# dependency on a higher floor, and libraries that have no place in a folder.
set -euo pipefail
cd "$(dirname "$0")/.."

failed=0
refuse() { # FOLDER FORBIDDEN-MODULES...
  local folder=$1
  shift
  local pattern found
  pattern=$(IFS='|'; echo "$*")
  found=$(grep -rnE "^[[:space:]]*(@[A-Za-z_]+[[:space:]]+)*((public|package|internal|private|fileprivate)[[:space:]]+)?import[[:space:]]+((struct|class|enum|protocol|func|var|let|typealias)[[:space:]]+)?($pattern)([.[:space:]]|$)" \
    --include='*.swift' "Sources/$folder" || true)
  if [[ -n $found ]]; then
    echo "Sources/$folder may not import these:" >&2
    echo "$found" >&2
    failed=1
  fi
}

targets() { # FLOOR...: the targets in the folders of these floors
  local floor
  for floor in "$@"; do find "Sources/$floor" -mindepth 1 -maxdepth 1 -type d -printf '%f\n'; done
}

mapfile -t transfer < <(targets Transfer)
mapfile -t migrations < <(targets Migrations)
refuse Platform Foundation FoundationEssentials Synchronization
refuse Models Logging LocalFirestore gymmigrate "${transfer[@]}" "${migrations[@]}"
refuse Transfer LocalFirestore gymmigrate "${migrations[@]}"
refuse LocalFirestore gymmigrate "${transfer[@]}" "${migrations[@]}"
refuse Migrations gymmigrate
# A mirror is a data file of the embedded store; the rest of the floor meets a store over HTTP only.
for target in "${migrations[@]}"; do
  [[ $target == Mirror ]] || refuse "Migrations/$target" LocalFirestore
done
refuse . FlyingFox

# Foundation is slow to load, so Models take its types from FoundationEssentials; on Apple's platforms, which have no such
# module, from Foundation behind `#else`.
found=$(find Sources/Models -name '*.swift' -exec awk '
  /^[[:space:]]*(@[A-Za-z_]+[[:space:]]+)*((public|package|internal|private|fileprivate)[[:space:]]+)?import[[:space:]]+Foundation([.[:space:]]|$)/ &&
    last !~ /^[[:space:]]*#else/ { print FILENAME ":" FNR ": " $0 }
  { last = $0 }' {} +)
if [[ -n $found ]]; then
  echo "Sources/Models may import Foundation only behind '#else' of canImport(FoundationEssentials):" >&2
  echo "$found" >&2
  failed=1
fi

# An application plugs in by one line: the rest of the executable knows nothing of it.
found=$(grep -rnE '(^|[[:space:]])import[[:space:]]+Gym|\bGym[A-Z][A-Za-z]+' --include='*.swift' Sources/gymmigrate |
  grep -vE '^Sources/gymmigrate/(Commands/Gym/|Run/RegisteredApplication.swift:)' || true)
if [[ -n $found ]]; then
  echo "The gym outside of Sources/gymmigrate/Commands/Gym and of the line that registers it:" >&2
  echo "$found" >&2
  failed=1
fi

# The words of the gym, of its collections, fields, migrations and options, stay where its schema and its migrations are.
words='sajarubox|user_emails|check_ins|membership_plans|app_config|classBookings|classAttendance|routine_templates|daily_routines|membershipPlanSnapshot|membershipStatus|linkedMemberId|capacidadMax|primerApellido|telefono|[Tt]he gym|gym.s |assertGym|asApp\b|as-app\b|acceptProposals|accept-proposals|--prune|--review\b|users-unify|user-emails|users-drop-legacy|fullName|(paternal|maternal)LastName'
found=$(grep -rnE "$words" --include='*.swift' --include='*.yaml' Sources |
  grep -vE '^Sources/(Models/GymModels|Migrations/Gym(Migrations|Services|Reports)|gymmigrate/Commands/Gym)/|^Sources/Models/Schema/Model/IdentifierName.swift:' || true)
if [[ -n $found ]]; then
  echo "Words of the gym outside of the gym's own targets and commands:" >&2
  echo "$found" >&2
  failed=1
fi

[[ $failed -eq 0 ]] && echo "Layers: every import points down."
exit $failed
