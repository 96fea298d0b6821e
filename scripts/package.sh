#!/usr/bin/env bash
# Builds what is carried to machines without a Swift toolchain, from one release binary that has Swift's runtime in it:
#
#   package.sh        dist/gymmigrate-VERSION-linux-ARCH.tar.gz and, with Debian's tools, dist/gymmigrate_VERSION_ARCH.deb
#   package.sh tree   the files alone, as below a prefix, in .build/package/tree
#
# With bin, manual pages, completions of bash, zsh and fish, LICENSE, README, and a bill of materials, which lies in dist/, too. The same binary gives the same
# bytes, in any folder: names are sorted, owners are root, and times are SOURCE_DATE_EPOCH, else the commit's.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/lib/same-bytes.sh
# Passes of the optimizer go through sets and dictionaries, whose order is otherwise another one in each process.
export SWIFT_DETERMINISTIC_HASHING=1

build=$PWD/.build/package
tree=$build/tree
swift=${SWIFT:-swift}

system=$(uname -s | tr '[:upper:]' '[:lower:]')

make_tree() {
  make -s build SWIFT="$swift"
  rm -rf "$tree"
  local share=$tree/share page
  mkdir -p "$tree/bin" "$share"/{doc/gymmigrate,bash-completion/completions,zsh/site-functions,fish/vendor_completions.d}
  local program=$tree/bin/gymmigrate
  install -m 755 bin/gymmigrate "$program"
  strip "$program"
  python3 scripts/generate-manual.py "$program" "$share/man/man1"
  "$program" --generate-completion-script bash >"$share/bash-completion/completions/gymmigrate"
  "$program" --generate-completion-script zsh >"$share/zsh/site-functions/_gymmigrate"
  "$program" --generate-completion-script fish >"$share/fish/vendor_completions.d/gymmigrate.fish"
  install -m 644 LICENSE README.md "$share/doc/gymmigrate"
  third_party >"$share/doc/gymmigrate/LICENSES.third-party"
  SWIFT=$swift python3 scripts/generate-sbom.py "$program" "$("$program" --version)" >"$share/doc/gymmigrate/gymmigrate.cdx.json"
}

# The licences of what is linked into the program, which have to come along.
third_party() {
  local file toolchain
  toolchain=$(dirname "$(dirname "$(realpath "$(command -v "${swift%% *}")")")")
  echo "The program contains the Swift runtime with Foundation and ICU (Unicode License, https://www.unicode.org/license.txt),"
  echo "and the packages below. Their licences:"
  for file in "$toolchain/share/swift/LICENSE.txt" .build/checkouts/*/LICENSE*; do
    [[ -f $file ]] || continue
    printf '\n==== %s ====\n\n' "$([[ $file == "$toolchain"/* ]] && echo Swift || basename "$(dirname "$file")")"
    cat "$file"
  done
}

make_archive() {
  local name=gymmigrate-$version-$system-$(uname -m)
  same_tar --create --directory "$tree" --transform "s,^\\.,$name," . | gzip -9n >"dist/$name.tar.gz"
  echo "Made dist/$name.tar.gz ($(size "dist/$name.tar.gz"))."
  install -m 644 "$tree/share/doc/gymmigrate/gymmigrate.cdx.json" "dist/$name.cdx.json"
  echo "Made dist/$name.cdx.json, the bill of materials."
}

make_deb() {
  local root=$build/deb architecture depends
  architecture=$(dpkg --print-architecture)
  rm -rf "$root"
  mkdir -p "$root/DEBIAN" "$root/usr/share/zsh"
  cp -R "$tree/bin" "$root/usr"
  cp -R "$tree/share/." "$root/usr/share"
  mv "$root/usr/share/zsh/site-functions" "$root/usr/share/zsh/vendor-completions"
  gzip -9n "$root"/usr/share/man/man1/*.1
  local doc=$root/usr/share/doc/gymmigrate
  gzip -9n <CHANGELOG.md >"$doc/changelog.gz"
  {
    echo "gymmigrate: Copyright the gymmigrate authors, under the Apache License, Version 2.0,"
    printf 'whose text is in /usr/share/common-licenses/Apache-2.0.\n\n'
    cat "$doc/LICENSES.third-party"
  } >"$doc/copyright"
  rm "$doc/LICENSE" "$doc/LICENSES.third-party"
  # The Debian release of this machine is that of the package: it names the libraries as they are called here.
  local substitution=$build/shlibdeps
  mkdir -p "$substitution/debian"
  printf 'Source: gymmigrate\n\nPackage: gymmigrate\nArchitecture: any\n' >"$substitution/debian/control"
  depends=$(cd "$substitution" && dpkg-shlibdeps -O "$root/usr/bin/gymmigrate")
  depends=${depends#shlibs:Depends=}
  cat >"$root/DEBIAN/control" <<CONTROL
Package: gymmigrate
Version: $version
Section: database
Priority: optional
Architecture: $architecture
Installed-Size: $(installed_size "$root/usr")
Depends: $depends, ca-certificates, tzdata
Maintainer: ${MAINTAINER:-The gymmigrate authors <gymmigrate@example.com>}
Description: batch import, export and migration of Firestore over its REST API
 It exports collections to CSV, XLSX, JSON Lines and SQLite, imports them, copies
 and compares environments, checks data against a schema, and changes it in bulk
 by planned migrations that can be undone.
 .
 The program needs no Swift toolchain where it runs.
CONTROL
  (cd "$root" && find usr -type f -print0 | sort -z | xargs -0 md5sum >DEBIAN/md5sums)
  find "$root" -exec touch --no-dereference --date="@$SOURCE_DATE_EPOCH" {} +
  local file=dist/gymmigrate_${version}_$architecture.deb
  dpkg-deb --root-owner-group -Zxz --build "$root" "$file" >/dev/null
  echo "Made $file ($(size "$file"))."
}

# KiB as Debian's policy counts them; du's number depends on the file system.
installed_size() { # FOLDER
  find "$1" -printf '%y %s\n' | awk '{ sum += $1 == "f" ? int(($2 + 1023) / 1024) : 1 } END { print sum }'
}

make_tree
[[ ${1:-} != tree ]] || exit 0
version=$("$tree/bin/gymmigrate" --version)
mkdir -p dist
make_archive
if command -v dpkg-deb >/dev/null && command -v dpkg-shlibdeps >/dev/null; then
  make_deb
else
  echo "No .deb: dpkg-deb and dpkg-shlibdeps are missing. On Debian: apt-get install dpkg-dev"
fi
