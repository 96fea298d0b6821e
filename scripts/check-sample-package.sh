#!/usr/bin/env bash
# Builds samples/typed-documents, a package of its own that uses the libraries as another one would, runs it, against an
# embedded store where it needs one, and compares what it prints. It has a build folder of its own beside the others, so a second
# run builds only what changed.
#
#   --build    only builds it
set -euo pipefail
cd "$(dirname "$0")/.."

package=samples/typed-documents
build=(--package-path "$package" --scratch-path .build/sample --disable-index-store -Xswiftc -warnings-as-errors)
swift build "${build[@]}" --quiet
[[ ${1:-} != --build ]] || exit 0

binary=${GYMMIGRATE_BINARY:-bin/gymmigrate}
[[ -x $binary ]] || { echo "There is no $binary: run 'make build', or set GYMMIGRATE_BINARY." >&2; exit 69; }
bin=$(swift build "${build[@]}" --show-bin-path)

work=$(mktemp -d)
server=
cleanUp() {
  [[ -z $server ]] || kill "$server" 2>/dev/null || true
  rm -rf "$work"
}
trap cleanUp EXIT

failed=0
compare() { # NAME
  diff -u "$package/Expected/$1.txt" "$work/$1.txt" || { echo "$1 printed something else." >&2; failed=1; }
}

"$bin/Apps" >"$work/apps.txt"
compare apps

: >"$work/server"
"$binary" serve --port 0 --memory 2>"$work/server" &
server=$!
until grep -q FIRESTORE_EMULATOR_HOST= "$work/server"; do
  kill -0 $server || { cat "$work/server" >&2; exit 1; }
  sleep 0.1
done
"$bin/Menus" "http://$(sed -n 's/^FIRESTORE_EMULATOR_HOST=//p' "$work/server")" >"$work/menus.txt"
compare menus

# Documents alone bring no HTTP client along.
if command -v ldd >/dev/null && ldd "$bin/Apps" | grep -q libcurl; then
  echo "FirestoreDocuments links libcurl." >&2
  failed=1
fi
[[ $failed -eq 0 ]] && echo "Sample package: prints what it should."
exit $failed
