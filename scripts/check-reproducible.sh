#!/usr/bin/env bash
# Makes everything in dist/, and the files of the image, once more from a fresh clone in another folder, in another time zone and
# under another umask, and compares every byte. That takes a whole build of the release. KEEP=1 keeps the clone.
#
# Both are of the same commit, toolchain and libraries, on this machine; it says nothing of another one.
set -euo pipefail
cd "$(dirname "$0")/.."

if [[ -n $(git status --porcelain) ]]; then
  echo "check-reproducible: commit what is changed first: the clone does not have it." >&2
  exit 65
fi
unset SOURCE_DATE_EPOCH
work=$(mktemp -d)
cleanUp() {
  if [[ -n ${KEEP:-} ]]; then echo "The clone is $work/clone."; else rm -rf "$work"; fi
}
trap cleanUp EXIT

make_all() {
  rm -rf dist
  make -s package
  ! command -v dpkg-query >/dev/null || scripts/container.sh root
}
made() { # FOLDER: what is compared
  (cd "$1" && find dist .build/container -name '*.*' -type f 2>/dev/null | sort)
}

git clone --quiet . "$work/clone"
make_all
# The versions of the Swift packages are not in git.
cp Package.resolved "$work/clone/"
(cd "$work/clone" && umask 077 && export TZ=Pacific/Auckland && make_all)

made . >"$work/files"
diff "$work/files" <(made "$work/clone") >&2 || { echo "check-reproducible: the two made different files" >&2; exit 1; }
failed=0
while read -r file; do
  cmp "$file" "$work/clone/$file" || failed=1
done <"$work/files"
if [[ $failed -ne 0 ]]; then
  echo "check-reproducible: another folder made other bytes. KEEP=1 keeps it." >&2
  exit 1
fi
echo "check-reproducible: $(wc -l <"$work/files") files are the same bytes:"
xargs sha256sum <"$work/files"
