#!/usr/bin/env bash
# Builds samples/typed-documents, a package of its own that uses the libraries as another one would, runs it, against an
# embedded store where it needs one, and compares what it prints. It has a build folder of its own beside the others, so a second
# run builds only what changed.
#
#   --build    only builds it
set -euo pipefail
cd "$(dirname "$0")/.."

package=samples/typed-documents
options=(--package-path "$package" --disable-index-store -Xswiftc -warnings-as-errors)
build=("${options[@]}" --scratch-path .build/sample)
# As on iOS, which has no simdjson.
portable=("${options[@]}" --scratch-path .build/sample-portable --disable-default-traits --product Apps)
swift build "${build[@]}" --quiet
swift build "${portable[@]}" --quiet
[[ ${1:-} != --build ]] || exit 0

. scripts/lib/work-folder.sh
find_binary
bin=$(swift build "${build[@]}" --show-bin-path)
portableBin=$(swift build "${portable[@]}" --show-bin-path)

failed=0
compare() { # NAME
  diff -u "$package/Expected/$1.txt" "$work/$1.txt" || { echo "$1 printed something else." >&2; failed=1; }
}

"$bin/Apps" >"$work/apps.txt"
compare apps
"$portableBin/Apps" >"$work/apps.txt"
compare apps
"$bin/Definitions" >"$work/definitions.txt"
compare definitions

serve "$work/store" --memory
endpoint=http://$(cat "$work/store.host")
"$bin/Menus" "$endpoint" >"$work/menus.txt"
compare menus
"$bin/Snippets" "$endpoint" >"$work/snippets.txt"
compare snippets

# Documents alone bring no HTTP client along, and no simdjson where they shall do without.
links() { # PROGRAM LIBRARY
  command -v ldd >/dev/null && ldd "$1" | grep -q "$2"
}
if links "$bin/Apps" libcurl; then
  echo "FirestoreDocuments links libcurl." >&2
  failed=1
fi
if links "$portableBin/Apps" libsimdjson; then
  echo "FirestoreDocuments links simdjson without the trait Simdjson." >&2
  failed=1
fi
[[ $failed -eq 0 ]] && echo "Sample package: prints what it should."
exit $failed
